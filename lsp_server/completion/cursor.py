"""A cursor in a text: facts about its line and both sides, computed once per request."""

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
    """the text's first line end; \\n if it has none"""

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
        """The cursor behind a text typed at it."""
        return Cursor.at(self.left + typed + self.right, self.offset + len(typed))

    @property
    def blank(self) -> str:
        """The line's indentation before the cursor."""
        return self.before[: len(self.before) - len(self.before.lstrip(" \t"))]
