"""Brackets and layout of code in languages with braces: where they disagree, a bracket is missing or superfluous."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from ...common.brackets import CLOSERS
from ...common.line_ends import line_span

_TAB = 8


class Line(NamedTuple):
    """A line of a text, without its line end."""

    start: int
    end: int
    indent: str
    code: str
    """without its indentation and trailing comment"""
    code_end: int
    """the offset behind its code"""

    @property
    def column(self) -> int:
        return len(self.indent.expandtabs(_TAB))


class Opener(NamedTuple):
    """An open bracket."""

    offset: int
    char: str
    column: int
    """of the bracket's line"""
    line: int
    """the beginning of that line"""
    is_last: bool
    """whether it is the last of its line"""
    is_outdented: bool
    """whether its line begins like one allowed in the column of the block around it"""


class Unclosed(NamedTuple):
    """Unclosed brackets that end by layout; outermost first."""

    openers: tuple[Opener, ...]
    end: int
    """the end of their block: behind the code of its last line"""
    next: int
    """the beginning of the next line's code"""


@dataclass
class Layout:
    """The disagreements between brackets and layout in a piece of a text."""

    unclosed: list[Unclosed] = field(default_factory=list[Unclosed])
    stray: list[int] = field(default_factory=list[int])
    """offsets of unmatched closing brackets"""
    open: list[Opener] = field(default_factory=list[Opener])
    """the brackets open at the end, outermost first"""


@dataclass(frozen=True)
class Signs:
    """The patterns that tell a language's lines apart."""

    tokens: re.Pattern[str]
    """comments and strings, and brackets as the group `bracket`; a newline with the blanks behind it"""
    comment: re.Pattern[str]
    """strings, and a comment at the end of a line as the group `comment`"""
    outdented: re.Pattern[str]
    """the beginning of a line allowed in the column of the block around it, such as a case of a switch"""
    marks: tuple[str, ...] = ("//",)
    """signs of a comment up to the end of the line"""

    def line(self, text: str, offset: int) -> Line:
        """The line at an offset."""
        start, end = line_span(text, offset)
        body = start
        while body < end and text[body] in " \t\f":
            body += 1
        code_end = end
        if any(text.find(mark, body, end) >= 0 for mark in self.marks):
            marks = (match.start("comment") for match in self.comment.finditer(text, body, end) if match["comment"])
            code_end = next(marks, end)
        while code_end > body and text[code_end - 1] in " \t\f":
            code_end -= 1
        return Line(start, end, text[start:body], text[body:code_end], code_end)

    def above(self, text: str, start: int, most: int) -> Line | None:
        """The last line with code above the beginning of another one."""
        for _ in range(most):
            if not start:
                return None
            line = self.line(text, start - 1)
            if line.code:
                return line
            start = line.start
        return None

    def below(self, text: str, end: int, most: int) -> Line | None:
        """The first line with code below the end of another one."""
        for _ in range(most):
            if (begin := text.find("\n", end)) < 0:
                return None
            line = self.line(text, begin + 1)
            if line.code:
                return line
            end = line.end
        return None

    def layout(self, text: str, start: int, end: int, cursor: int) -> Layout:
        """The disagreements between brackets and layout from the beginning of a line to an end; at the cursor there may be code."""
        return _Scan(self, text, start, end, cursor).result


class _Scan:
    """One reading of a piece of a text."""

    def __init__(self, signs: Signs, text: str, start: int, end: int, cursor: int) -> None:
        self.result = Layout()
        self._cursor = cursor
        self._open = self.result.open
        self._signs, self._text = signs, text
        self._code_end = start
        self._begin(start, start)
        for match in signs.tokens.finditer(text, start, end):
            offset = match.start()
            if text[offset] == "\n":
                self._end(offset)
                self._begin(offset + 1, match.end())
            elif match.lastgroup == "bracket" and match[0] in CLOSERS:
                is_last, is_outdented = self._ends_line(match.end()), self._is_outdented(self._body)
                self._open.append(Opener(offset, match[0], self._column, self._line, is_last, is_outdented))
            elif match.lastgroup == "bracket":
                self._close(offset, match[0])
        if end >= len(text):
            self._end(end)
            self._line, self._body, self._column = end, end, -1
            self._unclose(-1)

    def _ends_line(self, offset: int) -> bool:
        """Whether a line has no more code."""
        end = self._text.find("\n", offset)
        rest = self._text[offset : end if end >= 0 else len(self._text)].lstrip()
        return not rest or rest.startswith((*self._signs.marks, "/*"))

    def _end(self, offset: int) -> None:
        line = self._signs.line(self._text, offset)
        if line.code:
            self._code_end = line.code_end
        elif line.start <= self._cursor <= line.end:
            self._unclose(self._column)
            self._code_end = self._cursor

    def _begin(self, start: int, body: int) -> None:
        """Begin a line, with the offset of its code."""
        text = self._text
        self._line, self._body, self._column = start, body, len(text[start:body].expandtabs(_TAB))
        following = text[body : body + 2]
        if following.strip() and following[0] not in "\r\n)]}" and not following.startswith((*self._signs.marks, "/*")):
            self._unclose(self._column, is_outdented=self._is_outdented(body))

    def _is_outdented(self, body: int) -> bool:
        return self._signs.outdented.match(self._text, body) is not None

    def _unclose(self, column: int, *, is_outdented: bool = False) -> None:
        """Note as unclosed the brackets of lines above at least as deep as a column."""
        number = len(self._open)
        while number and (last := self._open[number - 1]).line < self._line:
            if last.column < column + (is_outdented and not last.is_outdented):
                break
            number -= 1
        self._drop(number, self._code_end)

    def _drop(self, number: int, end: int) -> None:
        if openers := tuple(self._open[number:]):
            self.result.unclosed.append(Unclosed(openers, end, self._body))
            del self._open[number:]

    def _close(self, offset: int, char: str) -> None:
        is_first = not self._text[self._body : offset].strip(")]} \t")
        if is_first:
            self._unclose(self._column + 1)
        top = self._open[-1] if self._open else None
        if top is None or (is_first and top.is_last and self._column > top.column):
            self.result.stray.append(offset)
        elif CLOSERS[top.char] == char:
            self._open.pop()
        elif not is_first and top.is_last and top.line < self._line:
            self.result.stray.append(offset)
        elif any(CLOSERS[opener.char] == char for opener in self._open):
            number = max(i for i, opener in enumerate(self._open) if CLOSERS[opener.char] == char)
            self._drop(number + 1, self._code_end if is_first else offset)
            self._open.pop()
        else:
            self.result.stray.append(offset)
