"""What the tokens of Go's declarations mean: which names they declare and read, and what the compiler refuses without types.

`Checker` is a push-down automaton over the tokens of text that is known to parse, so it needs to tell apart only what matters here.
The functions that take its tokens lie in one module for each part of the language; here they are put together.
"""

from __future__ import annotations

from . import expressions, functions, specifications, statements, types
from .automaton import TAKES, Broken, Checker

__all__ = ["PARTS", "TAKES", "Broken", "Checker"]

PARTS = (functions, types, expressions, statements, specifications)
"""Imported for what they register in `TAKES`."""
