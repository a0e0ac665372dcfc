"""The meaning of TypeScript's tokens: the names they declare and read, and the errors that need no types.

`Checker` is a push-down automaton over the tokens of valid text, so it tells apart only the cases that matter here. The functions for
its tokens lie in one module for each part of the language; here they are put together.
"""

from __future__ import annotations

from . import (
    arrow_functions,
    classes,
    declarations,
    expressions,
    functions,
    jsx,
    literals,
    modules,
    operands,
    statements,
    strict,
    type_members,
    types,
)
from .automaton import TAKES, Broken, Checker, Scope

__all__ = ["PARTS", "TAKES", "Broken", "Checker", "Scope"]

PARTS = (
    arrow_functions,
    classes,
    declarations,
    expressions,
    functions,
    jsx,
    literals,
    modules,
    operands,
    statements,
    strict,
    type_members,
    types,
)
"""Imported for the takers they register in `TAKES`."""
