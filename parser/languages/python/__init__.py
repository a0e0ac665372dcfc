"""Python's own lexer: regular expressions cannot express its rules."""

PATTERNS = {"python": ("*.py", "*.pyi", "*.pyw", "SConstruct", "SConscript", "wscript")}
