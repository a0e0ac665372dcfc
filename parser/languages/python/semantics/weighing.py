"""The fit of a statement's operands to their places, while its tokens are read; see fitting.py."""

from __future__ import annotations

from typing import Any

from .call_arguments import arguments_before, begins_argument
from .fitting import UNKNOWN, fits, fits_annotation, literal
from .homes import Home, Thing
from .line_parser import LineParser
from .roles import Cell
from .rules.values import is_list, path_of
from .setting import from_outside
from .surroundings import Surroundings
from .tokens import NEWLINE
from .type_paths import Path

_ENDS_ARGUMENT, _ENDS_STATEMENT = frozenset((",", ")")), frozenset((NEWLINE, ";"))


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
        return self._fits(Thing("container", "Iterable"), given) if is_iterated else self._fit(parser, below, given)

    def _fit(self, parser: LineParser, below: Cell, given: Path | Thing) -> int:
        """The fit of a thing as the whole operand above a cell: an argument, an assigned or a returned value."""
        around, roles, call = self._around, parser.roles, parser.call
        role = roles.role[below[0]]
        if call is not None and call.phase == "element" and call.called is not None:
            keyword = str(below[1][2]) if role == "keyword" else None
            start = below[1][1] if role == "keyword" else below
            called = from_outside(parser.setting, parser.way, call.called)
            signature = None if called is None or not begins_argument(roles, call, start) else around.signature(called)
            wanted = None if signature is None else signature.parameter(arguments_before(roles, call, start), keyword)
            if signature is None or signature.home is None or wanted is None:
                return UNKNOWN
            return self._fits_annotation(wanted.annotation, signature.home, given)
        if role == "return":
            return self._fits_annotation(*around.result(), given)
        if role == "annotated value":
            return self._fits_annotation(path_of(below[1][2]), around.home, given)
        if role == "assigned":
            heads: Any = below[2]
            path = None if not isinstance(heads, list) or is_list(heads[-1]) else path_of(heads[-1])
            return self._fits(around.thing(path), given) if path is not None and len(path) > 1 else UNKNOWN
        return UNKNOWN

    def _fits(self, wanted: Thing | None, given: Path | Thing) -> int:
        """The fit of a thing where another is wanted."""
        return fits(wanted, self._thing(given), self._around.resolver)

    def _fits_annotation(self, wanted: Path | None, home: Home, given: Path | Thing) -> int:
        """The fit of a thing to an annotation, whose names are resolved at home."""
        return UNKNOWN if wanted is None else fits_annotation(wanted, home, self._thing(given), self._around.resolver)

    def _thing(self, given: Path | Thing) -> Thing | None:
        return given if isinstance(given, Thing) else self._around.thing(given)

    def _given(self, parser: LineParser, operand: Cell, last: str) -> Path | Thing | None:
        """The operand before the token; last: the token before."""
        path = path_of(operand[2])
        if path is not None and path not in (("True",), ("False",)):
            return from_outside(parser.setting, parser.way, path)
        return literal(last) if parser.cell[1] is operand[1] else None
