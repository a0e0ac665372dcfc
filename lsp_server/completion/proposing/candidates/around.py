"""The surroundings of a cursor, the source of candidates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from .....common.line_ends import with_line_feeds
from .....common.words import compiled
from .....parser.scoping.facts import Facts
from ...cursor import Cursor

MAX_ABOVE, MAX_BELOW = 20_000, 100_000
"""The most characters read above and below the cursor."""
_MAX_LINES = 200
LONGEST_WORD = 80
AT_WORD = compiled(r"\w")
BEGUN = compiled(r"[^\W\d]\w*\Z")


class Candidate(NamedTuple):
    """A text for a cursor, from the beginning of the word typed there."""

    kind: str
    text: str


@dataclass(frozen=True)
class Around:
    """The text around a cursor, with \\n line ends, without the word typed there."""

    line: str
    """before the cursor"""
    rest: str
    """of the line, behind the cursor"""
    above: tuple[str, ...]
    """lines, the nearest last"""
    below: str
    """the next lines"""
    written: str
    """the beginning of a word before the cursor"""
    others: tuple[str, ...]
    """texts of other files"""
    learn: Callable[[], Facts]

    @classmethod
    def of(cls, cursor: Cursor, others: Sequence[str], learn: Callable[[], Facts]) -> Around:
        """The surroundings of a cursor. learn: see `facts`, called only on demand."""
        begun = BEGUN.search(cursor.before[-LONGEST_WORD:])
        written = begun[0] if begun else ""
        above = with_line_feeds(cursor.left[max(0, cursor.line_start - MAX_ABOVE) : cursor.line_start])
        below = with_line_feeds(cursor.right[len(cursor.rest) :][:MAX_BELOW])
        line = cursor.before[: len(cursor.before) - len(written)]
        lines = tuple(above.split("\n")[:-1][-_MAX_LINES:])
        return cls(line, cursor.rest, lines, below, written, tuple(map(with_line_feeds, others)), learn)

    @cached_property
    def facts(self) -> Facts:
        """The language's facts here."""
        return self.learn()

    @property
    def indent(self) -> int:
        """The line's indentation."""
        return indent_of(self.line)

    @property
    def last(self) -> str:
        """The nearest line above that is not empty."""
        return next((line for line in reversed(self.above) if line.strip()), "")


def indent_of(line: str) -> int:
    """The number of blanks and tabs at a line's beginning."""
    return len(line) - len(line.lstrip(" \t"))
