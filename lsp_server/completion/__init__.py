"""From a request to a suggestion."""
