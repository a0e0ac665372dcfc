"""The operations in the values of a stack's cells."""

from __future__ import annotations

from typing import Any

from .operations import Operations, both, together
from .roles import PARAMETERS
from .rules.patterns import Part, operations_in

_CLAUSES = frozenset(("for_clause", "comprehension"))
_NO_EXPRESSIONS = frozenset(("module", "import_name"))
"""Nonterminals whose values hold no operations of reads."""


def operations_of(symbol: str, value: Any) -> Operations:
    """The operations in the value of a nonterminal."""
    if isinstance(value, Part):
        return operations_in(value) if symbol == "patterns" else None
    if value.__class__ is not tuple or symbol in _NO_EXPRESSIONS:
        return None
    if symbol in _CLAUSES:
        return together(*(part for clause in value for part in clause[2:4]))
    return both(value[1], value[2]) if symbol in PARAMETERS else value[2]
