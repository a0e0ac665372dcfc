"""Joining logical lines into open blocks, and the ends of files into the contents of their blocks.

The text before a place is a chain of open blocks, each with the contents of its closed parts (`Open`). The text behind it is a list of
segments, one for each block that continues, innermost first (`Segment`). Both are immutable, and each line costs a few joins of contents,
whatever the size of the file: contents are kept in parts of falling size, like the digits of a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from .contents import EMPTY, Content, Dialect, joined
from .facts import NOTHING, Facts, Gathered
from .line_reader import read_line
from .line_values import Header, Line, linked
from .scopes import close_block, content_of
from .tokens import NEWLINE, START, lex
from .unread_functions import Function

_ASK_EVERY_LINES = 64
"""Lines read between two checks for cancellation."""

LinkedContents = tuple[Any, Any] | None
"""Linked contents. Before a place the last comes first in the list; behind it, the first."""


def appended(parts: LinkedContents, content: Content) -> LinkedContents:
    """The parts with one more at the end."""
    while parts is not None and parts[0].size <= content.size:
        content, parts = joined(parts[0], content), parts[1]
    return content, parts


def prepended(parts: LinkedContents, content: Content) -> LinkedContents:
    """The parts with one more at the beginning."""
    while parts is not None and parts[0].size <= content.size:
        content, parts = joined(content, parts[0]), parts[1]
    return content, parts


def whole_before(parts: LinkedContents) -> Content:
    """The content of all parts before a place."""
    content = EMPTY
    for part in linked(parts):
        content = joined(part, content)
    return content


def whole_behind(parts: LinkedContents) -> Content:
    """The content of all parts behind a place."""
    content = EMPTY
    for part in linked(parts):
        content = joined(content, part)
    return content


@dataclass(frozen=True, eq=False, slots=True)
class Open:
    """An open block; header: None for the file. column: None before its first line."""

    parent: Open | None
    header: Header | None
    column: int | None
    parts: LinkedContents = None

    @property
    def is_match(self) -> bool:
        """Whether only the clauses of a `match` stand in the block."""
        return self.header is not None and self.header.kind == "match"

    def outward(self) -> Iterator[Open]:
        """The block and those around it, innermost first."""
        block: Open | None = self
        while block is not None:
            yield block
            block = block.parent

    def with_content(self, content: Content) -> Open:
        """The block with more content."""
        return Open(self.parent, self.header, self.column, appended(self.parts, content))


FILE = Open(None, None, 0)


def closed(block: Open, dialect: Dialect) -> Open:
    """The block around this one, which has ended."""
    assert block.parent is not None and block.header is not None
    return block.parent.with_content(close_block(block.header, whole_before(block.parts), dialect))


def at_column(block: Open, column: int, dialect: Dialect) -> Open:
    """The block of a line at a column."""
    while block.parent is not None:
        if block.column is None:
            outer = block.parent.column or 0
            if column > outer:
                return Open(block.parent, block.header, column)
            block = closed(block, dialect)  # a header without a block: broken
        elif column < block.column:
            block = closed(block, dialect)
        else:
            break
    return block


def with_line(block: Open, line: Line, dialect: Dialect) -> Open:
    """The block after one more line of it."""
    if line.header is not None and not line.inline:
        return Open(block, line.header, None)
    return block.with_content(content_of(line, dialect))


@dataclass(frozen=True, eq=False, slots=True)
class Segment:
    """Statements of one block behind a place; rest: those of the blocks around it."""

    column: int
    parts: LinkedContents
    rest: Segment | None


def with_line_before(segment: Segment | None, line: Line, dialect: Dialect) -> Segment:
    """The segments with one more line before them."""
    column = line.column
    if line.header is not None and not line.inline:
        body = EMPTY
        while segment is not None and segment.column > column:
            body = joined(body, whole_behind(segment.parts))
            segment = segment.rest
        content = close_block(line.header, body, dialect)
    else:
        content = content_of(line, dialect)
        while segment is not None and segment.column > column:  # indented for no reason: broken
            content = joined(content, whole_behind(segment.parts))
            segment = segment.rest
    if segment is not None and segment.column == column:
        return Segment(column, prepended(segment.parts, content), segment.rest)
    return Segment(column, (content, None), segment)


def parse_file(text: str, dialect: Dialect, ask: Callable[[], None] | None = None) -> Content:
    """The content of a whole file: the slow definition, for tests. ask: called in between; may raise."""
    return _content_in(FILE, text, dialect, ask)


def function_content(header: Header, body: str, dialect: Dialect) -> Content:
    """The content of a function with a header and a body."""
    return _content_in(Open(FILE, header, None), body, dialect, None)


def _content_in(block: Open, text: str, dialect: Dialect, ask: Callable[[], None] | None) -> Content:
    for line in _lines_in(text, ask):
        block = with_line(at_column(block, line.column, dialect), line, dialect)
    while block.parent is not None:
        block = closed(block, dialect)
    return whole_before(block.parts)


def _lines_in(text: str, ask: Callable[[], None] | None) -> Iterator[Line]:
    tokens, _ = lex(START, text, end=True)
    begin = lines = 0
    for index, token in enumerate(tokens):
        if token == NEWLINE:
            line = read_line(tokens[begin : index + 1], ask)
            begin = index + 1
            if line is not None:
                yield line
            lines += 1
            if ask is not None and lines % _ASK_EVERY_LINES == 0:
                ask()


class UnreadFunction(Function):
    """A function whose body is read on demand; text: its body, with or without its header."""

    __slots__ = ("dialect", "header", "start")

    def __init__(self, header: Header, text: str, start: int, dialect: Dialect) -> None:
        """start: the beginning of the body in the text."""
        super().__init__(text)
        self.header = header
        self.start = start
        self.dialect = dialect

    def _read(self) -> Content:
        return function_content(self.header, self.text[self.start :], self.dialect)


class UnreadFacts(Facts):
    """The facts of an unread function."""

    __slots__ = ("function",)

    def __init__(self, function: Function) -> None:
        self._gathered = None
        self.function = function

    def _gather(self) -> Gathered:
        facts = self.function.content().facts
        return facts.gathered() if facts is not None else NOTHING


def unread_content(header: Header, text: str, start: int, dialect: Dialect) -> Content:
    """The content of a function whose body stays unread; see UnreadFunction."""
    function = UnreadFunction(header, text, start, dialect)
    whole = close_block(header, EMPTY, dialect)
    return whole._replace(size=1 + text.count("\n", start), facts=UnreadFacts(function), unread=function)
