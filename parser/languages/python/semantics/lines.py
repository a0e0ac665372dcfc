"""Reading the logical lines of a whole text, and their contents."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from .blocks import FILE, Open, at_column, closed, whole_before, with_line
from .contents import EMPTY, Content, Dialect
from .facts import Facts, Gathered
from .line_reader import read_line
from .line_values import Header, Line
from .scopes import close_block, content_of
from .tokens import NEWLINE, START, Ask, Token, lex
from .unread_functions import Function

_ASK_EVERY_LINES = 64
"""Lines read between two checks for cancellation."""


def lines_in(tokens: list[Token], ask: Ask = None) -> Iterator[Line]:
    """The logical lines of whole tokens, except those that are not Python. ask: called in between; may raise."""
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


def lines_of(tokens: list[Token], dialect: Dialect) -> list[Line]:
    """The same, each with its content, if it does not begin a block."""
    return [
        line if line.header is not None and not line.inline else line._replace(content=content_of(line, dialect))
        for line in lines_in(tokens)
    ]


def delays_annotations(line: Line, dialect: Dialect) -> bool:
    """Whether a line has a `from __future__ import annotations`."""
    return "annotations" in line.features or (dialect.version < (3, 13) and ".annotations" in line.features)


def parse_file(text: str, dialect: Dialect, ask: Ask = None) -> Content:
    """The content of a whole file, read at once. ask: called in between; may raise."""
    return _content_in(FILE, text, dialect, ask)


def function_content(header: Header, text: str, start: int, dialect: Dialect) -> Content:
    """The content of a function with a header; start: the beginning of its body in the text."""
    return _content_in(Open(FILE, header, None), text[start:], dialect, None)


def _content_in(block: Open, text: str, dialect: Dialect, ask: Ask) -> Content:
    for line in lines_in(lex(START, text, end=True)[0], ask):
        block = with_line(at_column(block, line.column, dialect), line, dialect)
    while block.parent is not None:
        block = closed(block, dialect)
    return whole_before(block.parts)


class UnreadFacts(Facts):
    """The facts of an unread function."""

    __slots__ = ("function",)

    def __init__(self, function: Function) -> None:
        self._gathered = None
        self.function = function

    def _gather(self) -> Gathered:
        return self.function.content().gathered()


def unread_content(header: Header, text: str, start: int, dialect: Dialect) -> Content:
    """The content of a function whose body stays unread; start: the beginning of the body in the text."""
    function = Function(text, partial(function_content, header, text, start, dialect))
    whole = close_block(header, EMPTY, dialect)
    return whole._replace(size=1 + text.count("\n", start), facts=UnreadFacts(function), unread=function)
