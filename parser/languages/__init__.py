"""One folder a language."""
