"""The reading of a text up to a place, of which the last logical line may be in progress.

A reading refuses nothing: a line that is not Python is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .....common.words import is_name
from ....glr.effort import spend
from ....scoping.verdicts import Refused
from ....type_server import Allowed
from .blocks import FILE, Open, at_column, with_line
from .contents import Dialect
from .line_parser import LineParser
from .line_values import Line
from .lines import delays_annotations
from .tokens import START, Lex, lex

_TOKENS_A_QUESTION = 200
"""Tokens of one line between two checks of a request's remaining time."""
_READ_FIRST, _READ_AT_MOST = 200, 2_000
"""Characters of a logical line read at once, after its first physical line."""


@dataclass(frozen=True, eq=False, slots=True)
class Reading:
    """The reading of some text."""

    block: Open  # the block of the current logical line
    lex: Lex
    parser: LineParser | None  # of the current logical line; None before its first token. Never changed, only copied
    broken: bool = False  # whether some line is not Python
    late: bool = False  # whether there is a `from __future__ import annotations`
    line: Line | None = None  # the last one read as tokens

    @property
    def is_whole(self) -> bool:
        """Whether the reading ends between logical lines."""
        return self.parser is None and self.lex == START


START_READING = Reading(FILE, START, None)


def advanced(reading: Reading, text: str, dialect: Dialect, *, end: bool = False, one_line: bool = False) -> Reading:
    """The reading after more text, without refusing anything; one_line: see lex."""
    tokens, state = lex(reading.lex, text, end=end, one_line=one_line, ask=spend)
    block, parser, broken, late, line = reading.block, reading.parser, reading.broken, reading.late, reading.line
    if parser is not None and tokens:
        parser = parser.in_context(None)
    for number, token in enumerate(tokens):
        if number % _TOKENS_A_QUESTION == _TOKENS_A_QUESTION - 1:
            spend()
        if isinstance(token, int):
            block = at_column(block, token, dialect)
            parser = LineParser(token, in_match=block.is_match)
        elif parser is not None:
            try:
                parser.feed(token)
            except Refused:
                parser, broken = None, True
                continue
            if parser.line is not None:
                line = parser.line
                block = with_line(block, line, dialect)
                late = late or delays_annotations(line, dialect)
                parser = None
    return Reading(block, state, parser, broken, late, line)


def behind_point(reading: Reading) -> LineParser | None:
    """The parser behind a point at the end of a reading, which the lexer still holds since it may begin an ellipsis; None without one."""
    parser = reading.parser
    if parser is None or reading.lex.pending != "." or parser.operand is None:
        return None
    parser = parser.copy()
    parser.feed(".")
    return parser


def with_allowed(reading: Reading, allowed: Allowed | None, line: str) -> Reading:
    """The reading with the names allowed by a type checker behind its dot, or as arguments of its call; line: the cursor's line so far."""
    parser = reading.parser
    if parser is None or allowed is None or not line.startswith(allowed.line):
        return reading
    begun, call = line[len(allowed.line) :], parser.call
    if begun and not is_name(begun):
        return reading
    behind_dot = parser.behind_dot or (reading.lex.pending == "." and parser.operand is not None)
    if allowed.argument:
        return reading if call is None else replace(reading, parser=parser.having(allowed=allowed, call=call.cell))
    return replace(reading, parser=parser.having(allowed=allowed)) if behind_dot else reading


def within_line(
    reading: Reading, text: str, begin: int, stop: int, more: int, dialect: Dialect, *, end: bool = False
) -> tuple[Reading, int]:
    """(the reading at the end of the next physical line, or of the logical line if it ends first, its offset).

    more: the least number of characters to read, short of the logical line's end and `stop`. end: the text ends at `stop`.
    """
    position = text.find("\n", min(begin + more, stop), stop) + 1 or stop
    reading = advanced(reading, text[begin:position], dialect, end=end and position == stop, one_line=True)
    if reading.lex.mode == "rest":
        return replace(reading, lex=START), position - len(reading.lex.pending)
    return reading, position


def read_next(more: int) -> int:
    """The number of characters to read next of a line that continues after so many."""
    return min(2 * more, _READ_AT_MOST) or _READ_FIRST
