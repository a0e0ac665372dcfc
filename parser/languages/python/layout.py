"""The layout of Python's text: header keywords, physical lines, leading white space."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ....common.line_ends import line_span

CLAUSES = ("elif", "else", "except", "finally", "case")
"""Headers that continue a statement, or the block of a `match`."""
LOOPS = ("for", "while")
BRANCHES = ("if", "elif", "else", "try", "except", "finally")
"""Headers of blocks that may not run."""
DEFINITIONS = ("def", "class")
HEADERS = (*BRANCHES, *LOOPS, "with", "match", "case", *DEFINITIONS)
BARE = ("else", "try", "finally")
"""Headers of a keyword and a colon."""
ASYNC = r"async[ \t]+"


def one_of(words: tuple[str, ...]) -> str:
    """A regular expression for any of some words."""
    return rf"(?:{'|'.join(words)})"


_MOST_LINES = 500
"""Lines above or below another one that count as near it."""
_TAB = 8
_COMMENT = re.compile(r"'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|([ \t]*#[^\n]*)")


class TextLine(NamedTuple):
    """A line of a text, without its line end."""

    start: int
    end: int
    text: str
    indent: str
    code: str
    """without its indentation and a comment"""

    @property
    def column(self) -> int:
        return columns(self.indent)[0]

    @property
    def code_end(self) -> int:
        """The offset at the end of its code."""
        return self.start + len(self.indent) + len(self.code)


def line_at(text: str, offset: int) -> TextLine:
    """The line at an offset."""
    start, end = line_span(text, offset)
    line = text[start:end]
    bare = line.lstrip(" \t\f")
    return TextLine(start, end, line, line[: len(line) - len(bare)], _without_comment(bare))


def next_line(text: str, line: TextLine) -> TextLine | None:
    """The line below another one."""
    start = text.find("\n", line.end) + 1
    return line_at(text, start) if start else None


def _without_comment(text: str) -> str:
    if "#" not in text:
        return text.rstrip()
    place = next((match.start(1) for match in _COMMENT.finditer(text) if match[1] is not None), len(text))
    return text[:place].rstrip()


def lines_above(text: str, start: int) -> Iterator[TextLine]:
    """The lines with code above the beginning of another one, the nearest first, as far as they are near."""
    for _ in range(_MOST_LINES):
        if not start:
            return
        line = line_at(text, start - 1)
        start = line.start
        if line.code:
            yield line


def lines_below(text: str, end: int) -> Iterator[TextLine]:
    """The lines with code below the end of another one, as far as they are near."""
    for _ in range(_MOST_LINES):
        if (begin := text.find("\n", end)) < 0:
            return
        line = line_at(text, begin + 1)
        end = line.end
        if line.code:
            yield line


def indentation(column: int, alt_column: int) -> str:
    """The plainest white space with these two columns (CPython counts tabs to multiples of 8, and as 1): spaces, or tabs first."""
    tabs = -(-(column - alt_column) // (_TAB - 1))
    wasted = (_TAB - 1) * tabs - (column - alt_column)  # spaces before a tab, which count in only one of the columns
    return " " * wasted + "\t" * tabs + " " * (column - _TAB * tabs)


def columns(indent: str) -> tuple[int, int]:
    """The two columns of white space."""
    column = 0
    for char in indent:
        column = (column // _TAB + 1) * _TAB if char == "\t" else column + 1
    return column, len(indent)


def is_inside(outer: str, inner: str) -> bool:
    """Whether a block with the inner indentation can stand in a block with the outer."""
    return all(o < i for o, i in zip(columns(outer), columns(inner), strict=True))


def indent_between(outer: str, inner: str) -> str | None:
    """White space between two indentations; None if there is no room."""
    between = outer + " "
    if inner.startswith(outer):
        between = inner[: len(outer) + (len(inner) - len(outer) + 1) // 2]
    return between if is_inside(outer, between) and is_inside(between, inner) else None
