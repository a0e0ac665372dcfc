"""Python's own lexer: its rules are no set of regular expressions."""

PATTERNS = {"python": ("*.py", "*.pyi", "*.pyw", "SConstruct", "SConscript", "wscript")}
