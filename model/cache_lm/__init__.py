"""A cache language model: predictions of the next token from the document itself."""
