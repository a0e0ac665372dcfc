"""What other files may be read, and what is taken from them."""
