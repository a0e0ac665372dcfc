"""A cache language model: predictions of the next token by the document itself."""
