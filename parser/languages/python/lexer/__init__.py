"""Python's lexer, one character at a time: `python_lexer.py` puts together the modules for each kind of state (see symbol.py)."""
