"""What the parser, the model and the server share: the protocol between parser and model, careful reading of what others wrote.

Knows none of them.
"""
