"""Python's own lexer: its rules are no set of regular expressions."""
