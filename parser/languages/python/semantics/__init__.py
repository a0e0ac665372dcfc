"""Static semantics of Python: what `compile()` refuses of a text that parses, and names that exist."""
