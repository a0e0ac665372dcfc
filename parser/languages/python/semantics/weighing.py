"""The fit of a statement's operands to their places, while its tokens are read; see fitting.py."""

from __future__ import annotations

from .fitting import UNKNOWN, literal
from .frames import Bracket, Head, Simple
from .homes import Thing
from .line_values import Path
from .surroundings import Surroundings
from .syntax import LineParser
from .tokens import NEWLINE

_ENDS_ARGUMENT, _ENDS_STATEMENT = frozenset((",", ")")), frozenset((NEWLINE, ";"))


def fit_here(parser: LineParser, given: Path | Thing, around: Surroundings) -> int:
    """The fit of a thing as the whole operand at the parser's position: an argument, an assigned or a returned value."""
    frame = parser.top
    call = frame.call
    if call is not None and call.clauses is None and call.called is not None:
        called = parser.from_outside(call.called)
        if called is None or call.keyword in ("*", "**"):
            return UNKNOWN
        return around.argument_fits(called, call.arguments, call.keyword, given)
    if not isinstance(frame, Simple) or frame.comma:
        return UNKNOWN
    if frame.word == "return":
        return around.result_fits(given)
    if frame.phase == "value" and frame.binding is not None and frame.binding.value is not None:
        return around.annotated_fits(frame.binding.value[1], given)
    if frame.phase == "rhs" and frame.assigned_path is not None:
        return around.value_fits(frame.assigned_path, given)
    return UNKNOWN


class Weighing:
    """The fits and misfits in a statement, while its tokens are read."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._last = ""
        self._is_alone = False
        """whether the last token is the whole operand so far"""

    def see(self, parser: LineParser, token: str) -> int | None:
        """The fit of the operand ending before a token; None if none ends there. To be called before the parser takes the token."""
        frame = parser.top
        weight: int | None = None
        if frame.last is not None:
            given = self._given(parser)
            if token in (_ENDS_ARGUMENT if isinstance(frame, Bracket) else _ENDS_STATEMENT):
                weight = UNKNOWN if given is None else fit_here(parser, given, self._around)
            elif isinstance(frame, Head) and (token, frame.word, frame.phase, frame.comma) == (
                ":",
                "for",
                "value",
                False,
            ):
                weight = UNKNOWN if given is None else self._around.iterable_fits(given)
        self._is_alone = frame.last is None and not frame.mixed
        self._last = token
        return weight

    def _given(self, parser: LineParser) -> Path | Thing | None:
        """The operand before the token, if it is the whole expression."""
        frame = parser.top
        path = frame.whole()
        if path is not None and path not in (("True",), ("False",)):
            return parser.from_outside(path)
        return literal(self._last) if self._is_alone and not frame.mixed and not frame.star else None
