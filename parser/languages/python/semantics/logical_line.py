"""A logical line as far as it was read; see syntax.py."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Self

from .....common.words import is_name
from ....scoping.verdicts import Refused
from .expressions import ExpressionParser
from .line_values import (
    KEYWORDS,
    Context,
    Frame,
    Header,
    Items,
    Line,
    Path,
)
from .tokens import NEWLINE, Token

_OPERATIONS = attrgetter("items", "outer", "saved", "gens", "defaults", "targets", "conditional")
"""The fields of a frame that hold operations."""
_CLOSING = frozenset((")", "]", "}"))
NO_TYPES: Mapping[str, Path | None] = MappingProxyType({})


class LogicalLine(ExpressionParser):
    """A logical line as far as it was read, and the ends of its statements and its header."""

    def __init__(self, column: int, context: Context | None = None) -> None:
        self.column = column
        self.context = context
        self.top = Frame("start", None)
        self.header: Header | None = None
        self.before: Items = None  # operations of simple statements that are whole
        self.line: Line | None = None
        self.decorator = False
        self.features: tuple[str, ...] = ()
        self.kinds = ""
        self.statements = 0
        self.nested = 0
        self.in_slots = False  # in the value of `__slots__`
        self.bound: frozenset[str] = frozenset()  # in this line so far
        self.stored: frozenset[str] = frozenset()  # attributes that are assigned in this line
        self.ahead: Mapping[str, Path | None] = NO_TYPES  # see ExpressionParser

    def copy(self) -> Self:
        new = object.__new__(self.__class__)
        new.__dict__.update(self.__dict__)
        new.top = self.top.copy()
        return new

    def in_context(self, context: Context | None) -> Self:
        """A copy that refuses by a context; None: it refuses nothing that is Python."""
        new = self.copy()
        new.context = context
        return new

    @property
    def may_be_chained(self) -> bool:
        """Whether a name here stands behind an `=`, where it is bound only if another `=` follows."""
        return self.top.kind == "simple" and self.top.phase == "rhs" and self.top.tg

    @property
    def begins_statement(self) -> bool:
        """Whether an expression begins a statement here, so that it may become a target."""
        return self.top.kind == "simple" and self.top.phase == "first" and self.top.tg

    @property
    def header_word(self) -> str:
        """The keyword of the header that is being read; "" for none."""
        outermost = self.frames()[0]
        if outermost.kind in ("head", "definition"):
            return str(outermost.extra)
        return "case" if outermost.kind == "guard" else ""

    def names_read(self) -> frozenset[str]:
        """The names that this line has read so far."""
        return frozenset(item[1] for item in self._operations() if item[0] == "use")

    def _operations(self) -> Iterator[Any]:
        """The operations of this line so far, in no order."""
        todo: list[Any] = [self.before]
        todo += (part for frame in self.frames() for part in _OPERATIONS(frame))
        while todo:
            item = todo.pop()
            if item.__class__ is tuple and item:
                yield item
                todo += item

    @property
    def may_become_comprehension(self) -> bool:
        """Whether brackets are open in which a `for` may follow."""
        return any(frame.phase == "elem" and self.may_generate(frame) for frame in self.frames())

    def comprehended(self, tokens: Iterable[Token]) -> dict[str, Path | None]:
        """The names that each `for` binds with which the tokens go on in open brackets, with their values; None: unknown."""
        parser = self.copy()
        parser.context = None
        still_open = len(self.frames())
        variables: dict[str, Path | None] = {}
        for token in _with_conditions(tokens, parser):
            if token.__class__ is int or token == NEWLINE:
                break
            if parser.top.attr and (token in KEYWORDS or not is_name(str(token))):
                parser.top.attr, parser.top.path = False, None  # the cursor stands behind a dot
            try:
                parser.feed(str(token))
            except Refused:
                break
            frames = parser.frames()
            still_open = min(still_open, len(frames))
            for frame in frames[:still_open]:
                if frame.kind == "bracket" and frame.gens is not None:
                    variables |= dict.fromkeys(frame.names) | dict(frame.types)
            if still_open == 1:
                break
        probed = frozenset(item[2][0] for item in parser._operations() if item[:2] == ("fact", "probed"))
        return variables | dict.fromkeys(variables.keys() & probed)

    def _end_statement(self, frame: Frame, token: str, kind: str = ".") -> None:
        """End a statement at `;` or NEWLINE; kind: see Line."""
        if frame.kind != "start" and not (kind == "." and self.kinds[-1:] == "."):
            self.kinds += kind
        if frame.items is not None:
            self.before = (("all", frame.items), self.before)
        if token == NEWLINE:
            self.line = Line(
                self.column,
                self.header,
                self.before,
                self.header is not None and self.statements > 0,
                self.decorator,
                self.features,
                self.kinds,
            )
        self.top, self.in_slots = Frame("start", None), False

    def _end_header(self, header: Header) -> None:
        """Take the colon of a header: statements may follow on the same line."""
        self.header = header
        self.before = None
        self.statements = 0
        self.top = Frame("start", None)
        if self.context is not None:
            self.context = self.context.inside(header)


def _with_conditions(tokens: Iterable[Token], parser: LogicalLine) -> Iterator[Token]:
    """The tokens, with an `if` where the iterable of a comprehension ends: its elements are known there."""
    for token in tokens:
        if token in _CLOSING and parser.top.phase in ("iter", "later iter"):
            yield "if"
        yield token
