"""What the parser, the model and the server share: careful reading of what others wrote. Knows none of them."""
