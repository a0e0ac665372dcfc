"""What of a text is shown, and why nothing is."""
