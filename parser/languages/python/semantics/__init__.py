"""Static semantics of Python: the errors of `compile()` in a text that parses, and the existence of names."""
