"""The place of an expression in its line, told by the stack below it: whether it is (part of) a type, an annotation in a string, a slot."""

from __future__ import annotations

from ..roles import Cell, Roles
from ..targets import Mark
from ..type_paths import TAKES_TYPES
from .values import path_of

EXPRESSION, SUBSCRIPT, PATTERN, ANNOTATION = 1, 2, 3, 4
"""The kinds of states: behind an opening bracket, or anything else that ends an annotation; behind that of a subscript; in the pattern of a
`case`; behind the sign of an annotation."""
_KINDS = {
    **dict.fromkeys(("(", "[", "{", "call", "bases", "parameters", "types", "imports", "field"), EXPRESSION),
    **dict.fromkeys(("lambda", "keyword", "default", "annotated value", "guard", "statement"), EXPRESSION),
    **dict.fromkeys(("pattern", "case"), PATTERN),
    **dict.fromkeys(("annotation", "target's annotation"), ANNOTATION),
    "index": SUBSCRIPT,
}
LITERAL = Mark("LITERAL")
"""The operand of strings in a pattern; the path has their sources."""
_TARGET = {"assign_heads": 0, "augmented": 1, "annotated value": 3}
"""How far below these the target of an assignment is."""
_SLOTS = "__slots__"


class Places:
    """The kinds of the tables' states."""

    def __init__(self, roles: Roles) -> None:
        self._kinds = [*(_KINDS.get(role, 0) for role in roles.role), 0]
        names = [symbol or role for symbol, role in zip(roles.symbol, roles.role, strict=True)]
        self._targets = {state: _TARGET[name] for state, name in enumerate(names) if name in _TARGET}
        self._symbol = roles.symbol

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
            behind_comma = self._symbol[state] == "slices"
            cell = below
        return True

    def in_slots(self, cell: Cell | None) -> bool:
        """Whether this is in the value assigned to `__slots__`."""
        targets = self._targets
        while cell is not None:
            state, below, value = cell
            depth = targets.get(state)
            if depth is not None:
                for _ in range(depth):
                    _, below, value = below
                return _SLOTS in value if value.__class__ is list else value == _SLOTS
            cell = below
        return False
