"""The cache of suggestions, those in progress, and the moments to ask the model."""
