"""A cache language model: what the document itself says comes next."""
