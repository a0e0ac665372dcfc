"""A cursor in a text: facts of its line and of both sides, worked out once a request."""

from __future__ import annotations

from dataclasses import dataclass

from ...common.line_ends import LINE_END, line_start


@dataclass(frozen=True)
class Cursor:
    """An offset in a text."""

    text: str
    offset: int
    left: str
    right: str
    line_start: int
    """offset of the cursor's line"""
    before: str
    """the line up to the cursor"""
    rest: str
    """the line behind the cursor, without its end"""
    newline: str
    """the first line end of the text, \\n where it has none"""

    @classmethod
    def at(cls, text: str, offset: int) -> Cursor:
        """The cursor at an offset."""
        start = line_start(text, offset)
        end = LINE_END.search(text, offset)
        first = LINE_END.search(text)
        rest = text[offset : len(text) if end is None else end.start()]
        newline = "\n" if first is None else first[0]
        return cls(text, offset, text[:offset], text[offset:], start, text[start:offset], rest, newline)

    def after(self, typed: str) -> Cursor:
        """The cursor behind a text that is typed at it."""
        return Cursor.at(self.left + typed + self.right, self.offset + len(typed))

    @property
    def blank(self) -> str:
        """The indentation of the line, as far as it is before the cursor."""
        return self.before[: len(self.before) - len(self.before.lstrip(" \t"))]
