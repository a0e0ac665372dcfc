"""Open blocks, to which lines are added, and the ends of files as the contents of their blocks.

The text before a place is a chain of open blocks, each with the contents of its closed parts (`Open`). The text behind it is a list of
segments, one for each block that continues, innermost first (`Segment`). Both are immutable, and each line costs a few joins of contents,
whatever the size of the file: contents are kept in parts of falling size, like the digits of a number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .contents import EMPTY, Content, Dialect, joined
from .line_values import Header, Line, linked
from .scopes import close_block, content_of

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


def not_deeper(segment: Segment | None, column: int) -> Segment | None:
    """The segment, or the innermost one around it that is not deeper than a column."""
    while segment is not None and segment.column > column:
        segment = segment.rest
    return segment


def bodies_behind(block: Open, behind: Segment | None) -> Iterator[Segment | None]:
    """The segments that may continue a block behind the place: deeper lines before them belong to a missing header."""
    if block.column is not None:
        yield not_deeper(behind, block.column)
        return
    outer = block.parent.column or 0 if block.parent is not None else 0
    yield behind
    while behind is not None and behind.rest is not None and behind.rest.column > outer:
        behind = behind.rest
        yield behind


def below_body(behind: Segment | None) -> Segment | None:
    """The segment behind the first line and all lines at least as deep."""
    return not_deeper(behind, behind.column - 1) if behind is not None and behind.column else behind
