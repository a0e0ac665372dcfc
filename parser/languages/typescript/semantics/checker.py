"""What the tokens of TypeScript mean: which names they declare and read, and what is refused without types.

`Checker` is a push-down automaton over the tokens of text that is known to parse, so it needs to tell apart only what matters here. The functions that take its tokens lie in one module for each part of the
language; here they are put together.
"""

from __future__ import annotations

from . import classes, declarations, expressions, functions, jsx, literals, modules, operands, statements, strict, types
from .automaton import TAKES, Broken, Checker, Scope

__all__ = ["PARTS", "TAKES", "Broken", "Checker", "Scope"]

PARTS = (classes, declarations, expressions, functions, jsx, literals, modules, operands, statements, strict, types)
"""Imported for what they register in `TAKES`."""
