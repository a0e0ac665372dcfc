"""The objects on the model's thread."""
