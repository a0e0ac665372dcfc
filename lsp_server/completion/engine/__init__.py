"""What lives on the model's thread."""
