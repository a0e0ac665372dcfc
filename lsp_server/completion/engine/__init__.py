"""The objects that live on the model's thread."""
