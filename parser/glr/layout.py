"""Indentation: the open blocks, not the lexer, decide the meaning of a new logical line.

The lexer emits a macro-terminal `Line(column, alt_column)`: "a new logical line starts at this column". Inside brackets it means
nothing. Outside it is NEWLINE, NEWLINE INDENT, or NEWLINE DEDENT*, where the dedents must land exactly on an open column.
Tokenisation therefore depends neither on brackets nor on indentation, and the right context's indentation is exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol, final

from .gss import Gss, GssState


@final
class Line(NamedTuple):
    """The macro-terminal; columns with tabs to multiples of 8 and, as CPython's second opinion, with tabs as 1."""

    column: int
    alt_column: int


SAME_BLOCK = -2
"""A Line's column: the innermost open block's, whatever it is."""

END_OF_FILE = -3
"""A Line's column, in languages of grammar files: the file ends, and with it all blocks, without a newline."""

MAX_COLUMN = 4096
"""A logical line starting further right is refused outside brackets, where CPython takes it."""
TOO_DEEP = MAX_COLUMN + 1
"""The column of all such lines."""


class Frame:
    """An open block: the frame around it, the stacks below its INDENT, and its column. Interned in the enclosing frame."""

    is_interned = True
    __slots__ = ("alt_column", "column", "kids", "level", "lower", "parent")

    def __init__(self, parent: Frame | None, lower: GssState | None, column: int, alt_column: int) -> None:
        self.parent = parent
        self.lower = lower
        self.column = column
        self.alt_column = alt_column
        self.level: int = 0 if parent is None else parent.level + 1
        self.kids: dict[tuple[GssState | None, int, int], Frame] = {}

    def child(self, lower: GssState | None, line: Line) -> Frame:
        """The frame of a block opened in this one by a line."""
        key = lower, line.column, line.alt_column
        frame = self.kids.get(key)
        if frame is None:
            frame = self.kids[key] = Frame(self, lower, line.column, line.alt_column)
        return frame

    def outward(self) -> Iterator[Frame]:
        """This frame and those around it, innermost first."""
        frame: Frame | None = self
        while frame is not None:
            yield frame
            frame = frame.parent

    def inner(self, line: Line) -> Frame:
        """The frame of a block whose stacks are not cut at its beginning."""
        return self.child(None, line)


class Lines(Protocol):
    """The meaning of a new logical line."""

    @property
    def newline(self) -> int:
        """The terminal at the end of a logical line."""
        ...

    def start_line(self, frame: Frame, stacks: GssState, line: Line) -> tuple[Frame, GssState] | None:
        """End the logical line and start the next; None where the grammar or the columns forbid it.

        Call it only outside brackets (stacks.depth == 0).
        """
        ...


@dataclass(frozen=True, slots=True)
class IndentedLines:
    """Lark's `Indenter`: blocks in one stack, `Frame.lower` not used."""

    factory: Gss
    newline: int
    indent: int
    dedent: int

    def start_line(self, frame: Frame, stacks: GssState, line: Line) -> tuple[Frame, GssState] | None:
        advance = self.factory.advance
        if line.column == END_OF_FILE:
            column, after = 0, stacks
        else:
            column, after = line.column, advance(stacks, self.newline)
        if after is not None and column > frame.column:
            after = advance(after, self.indent)
            return None if after is None else (frame.inner(line), after)
        while after is not None and column < frame.column:
            assert frame.parent is not None
            after, frame = advance(after, self.dedent), frame.parent
        return (frame, after) if after is not None and column == frame.column else None


@dataclass(frozen=True, slots=True)
class Blocks:
    """The block structure of a language with indentation, over its stacks."""

    factory: Gss
    newline: int
    """the terminal NEWLINE"""
    max_level: int
    """blocks that may be open at once"""
    compound: int
    """a terminal at the beginning of compound statements only"""
    colon: int
    """the terminal at the end of their headers"""
    body: int
    """a terminal that is a whole statement"""
    statements: frozenset[int]
    """terminals that begin statements and stand nowhere else"""
    headers: frozenset[int]
    """terminals at the beginning of block headers, those of clauses among them"""

    def start_line(self, frame: Frame, stacks: GssState, line: Line) -> tuple[Frame, GssState] | None:
        """End the logical line and start the next; None where the grammar or the columns forbid it.

        Call it only outside brackets (stacks.depth == 0).
        """
        ended = self.factory.advance(stacks, self.newline)
        if ended is None:
            return None
        if line.column == SAME_BLOCK:
            return frame, ended
        if line.column == frame.column:
            return None if line.alt_column != frame.alt_column or self.factory.must_open(ended) else (frame, ended)
        if line.column > frame.column:
            if line.column == TOO_DEEP or line.alt_column <= frame.alt_column or frame.level >= self.max_level:
                return None
            inside = self.factory.open_block(ended)
            return None if inside is None else (frame.child(ended, line), inside)
        while line.column < frame.column:
            assert frame.lower is not None and frame.parent is not None
            closed = self.factory.close_block(ended, frame.lower)
            if closed is None:
                return None
            frame, ended = frame.parent, closed
        return (frame, ended) if (line.column, line.alt_column) == (frame.column, frame.alt_column) else None
