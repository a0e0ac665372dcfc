"""The place of an expression in its line, told by the stack below it: whether it is (part of) a type, an annotation in a string, a slot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .....grammar.lalr import Tables
from ..targets import Mark
from ..type_paths import TAKES_TYPES
from .values import path_of

Cell = tuple[int, Any, Any]
"""The top of a stack, a value: an LR state, the cell below, the value of its symbol. The lowest has the state -1 and None below."""

EXPRESSION, SUBSCRIPT, PATTERN, ANNOTATION = 1, 2, 3, 4
"""The kinds of states, of which the highest counts: behind an opening bracket, or anything else that ends an annotation; behind that of a
subscript; in the pattern of a `case`; behind the sign of an annotation."""
LITERAL = Mark("LITERAL")
"""The operand of strings in a pattern; the path has their sources."""
_OPENING = frozenset(("(", "[", "{", "FIELD_OPEN"))
_ANNOTATES = {("plain_parameter", ":"), ("star_parameter", ":"), ("returns", "->"), ("assignment", ":")}
_ASSIGNS = {("keyword", "="), ("default_parameter", "="), ("assignment", "="), ("guard", "if")}
_TELLING = _OPENING | {":", "->", "=", "if", "case", "lambda"}
"""The last symbols of states with a kind."""
_PATTERNS = frozenset(("closed_pattern", "mapping", "case"))
_SLOTS = "__slots__"


class Places:
    """The kinds of the tables' states."""

    def __init__(self, tables: Tables, lefts: Sequence[str], symbols: Sequence[Sequence[str]]) -> None:
        """lefts, symbols: of the rules, as in the grammar."""
        self._kinds = kinds = [0] * (len(tables.kernels) + 1)
        self._assigning: dict[int, int] = {}
        for state, items in enumerate(tables.kernels):
            for rule, dot in items:
                left, last = lefts[rule], symbols[rule][dot - 1]
                if last in _TELLING:
                    kinds[state] = max(kinds[state], _kind(left, last, symbols[rule][dot:]))
                if left == "assignment" and symbols[rule][dot:] == ("assigned",):
                    self._assigning[state] = dot
        self._behind_slices = self._behind(tables, "slices")

    @staticmethod
    def _behind(tables: Tables, name: str) -> frozenset[int]:
        nonterminal = tables.nonterminals.index(name)
        return frozenset(goto[nonterminal] for goto in tables.goto if nonterminal in goto)

    def place_of(self, cell: Cell | None) -> int:
        """ANNOTATION within an annotation or its subscripts, PATTERN in a pattern, else EXPRESSION."""
        kinds = self._kinds
        while cell is not None:
            kind = kinds[cell[0]]
            if kind and kind != SUBSCRIPT:
                return kind
            cell = cell[1]
        return EXPRESSION

    def in_type(self, cell: Cell | None) -> bool:
        """Whether this is an annotation, or in the subscript of a type in one."""
        return self.place_of(cell) == ANNOTATION

    def is_annotation(self, cell: Cell) -> bool:
        """Whether a string within an annotation is one itself. Only subscripts of well-known types hold others: in `Float[Tensor, "n"]` it is
        not."""
        kinds, behind_comma = self._kinds, False
        while kinds[cell[0]] != ANNOTATION:
            state, below, _ = cell
            if kinds[state] == SUBSCRIPT:
                called = path_of(below[2])
                if called is None or (called[-1] not in TAKES_TYPES and (called[-1] != "Annotated" or behind_comma)):
                    return False
            behind_comma = state in self._behind_slices
            cell = below
        return True

    def in_slots(self, cell: Cell | None) -> bool:
        """Whether this is in the value assigned to `__slots__`."""
        assigning = self._assigning
        while cell is not None:
            state, below, value = cell
            depth = assigning.get(state)
            if depth is not None:
                for _ in range(depth - 1):
                    _, below, value = below
                return _SLOTS in value if value.__class__ is list else value == _SLOTS
            cell = below
        return False


def _kind(left: str, last: str, rest: Sequence[str]) -> int:
    if (left, last) in _ANNOTATES:
        return ANNOTATION
    if (left in _PATTERNS and last in _OPENING) or (left, last) == ("case", "case"):
        return PATTERN
    if last == "[" and left in ("free_single", "tied_single"):
        return SUBSCRIPT
    is_header = last == ":" and rest[:1] in (("block",), ("NEWLINE",))
    return EXPRESSION if last in _OPENING or last == "lambda" or (left, last) in _ASSIGNS or is_header else 0
