"""The fit of a statement's operands to their places, while its tokens are read; see fitting.py."""

from __future__ import annotations

from typing import Any

from .call_arguments import arguments_before, begins_argument
from .fitting import UNKNOWN, literal
from .homes import Thing
from .line_parser import LineParser
from .roles import Cell
from .rules.values import is_list, path_of
from .setting import from_outside
from .surroundings import Surroundings
from .tokens import NEWLINE
from .type_paths import Path

_ENDS_ARGUMENT, _ENDS_STATEMENT = frozenset((",", ")")), frozenset((NEWLINE, ";"))


def fit_here(parser: LineParser, below: Cell, given: Path | Thing, around: Surroundings) -> int:
    """The fit of a thing as the whole operand above a cell: an argument, an assigned or a returned value."""
    roles, call = parser.roles, parser.call
    role = roles.role[below[0]]
    if call is not None and call.phase == "element" and call.called is not None:
        keyword = str(below[1][2]) if role == "keyword" else None
        start = below[1][1] if role == "keyword" else below
        called = from_outside(parser.setting, parser.way, call.called)
        if called is None or not begins_argument(roles, call, start):
            return UNKNOWN
        return around.argument_fits(called, arguments_before(roles, call, start), keyword, given)
    if role == "return":
        return around.result_fits(given)
    if role == "annotated value":
        annotation = path_of(below[1][2])
        return around.annotated_fits(annotation, given)
    if role == "assigned":
        heads: Any = below[2]
        path = None if not isinstance(heads, list) or is_list(heads[-1]) else path_of(heads[-1])
        return around.value_fits(path, given) if path is not None and len(path) > 1 else UNKNOWN
    return UNKNOWN


class Weighing:
    """The fits and misfits in a statement, while its tokens are read."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._last = ""

    def see(self, parser: LineParser, token: str) -> int | None:
        """The fit of the operand ending before a token; None if none ends there. To be called before the parser takes the token."""
        operand, last = parser.operand, self._last
        self._last = token
        if operand is None or parser.behind_dot:
            return None
        below: Cell = operand[1]
        innermost = next(parser.stack.outward(), None)
        ends = _ENDS_STATEMENT if innermost is None else _ENDS_ARGUMENT
        is_iterated = token == ":" and parser.roles.role[below[0]] == "iterated"
        if token not in ends and not is_iterated:
            return None
        given = self._given(parser, operand, last)
        if given is None:
            return UNKNOWN
        return self._around.iterable_fits(given) if is_iterated else fit_here(parser, below, given, self._around)

    def _given(self, parser: LineParser, operand: Cell, last: str) -> Path | Thing | None:
        """The operand before the token; last: the token before."""
        path = path_of(operand[2])
        if path is not None and path not in (("True",), ("False",)):
            return from_outside(parser.setting, parser.way, path)
        return literal(last) if parser.cell[1] is operand[1] else None
