"""The meaning of Python's constructs: an action for each rule of the grammar; see registry.py and values.py."""

from . import calls, definitions, displays, expressions, headers, imports, patterns, statements

__all__ = ["calls", "definitions", "displays", "expressions", "headers", "imports", "patterns", "statements"]
