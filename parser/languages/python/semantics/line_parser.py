"""A logical line of Python in progress: the stacks of the grammar after its tokens so far, as a value.

Without a context it takes nearly any text (see the mending in line_reader.py). In a `Context` it refuses as soon as no later token could mend
the line: an invisible name that nothing can bind any more, a `return` outside a function; see line_checks.py. Questions about the constructs in
progress are in queries.py.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Self

from ....scoping.verdicts import Refused
from .constructs import Construct, Stack
from .line_checks import checked
from .line_reader import BOTTOM, MOST_FAULTS, Nesting, is_too_deep, nested, reader
from .line_values import Context, Header, Line, linked
from .roles import Cell
from .rules.values import path_of
from .setting import Setting, Way, local_names, told_by
from .tokens import NEWLINE
from .type_paths import Path

_START = Way(BOTTOM)


class LineParser:
    """One logical line; `feed` it tokens up to and including NEWLINE, then `line` is set."""

    def __init__(self, column: int, context: Context | None = None, *, in_match: bool = False) -> None:
        """in_match: whether only the clauses of a `match` stand here."""
        self.column = column
        self._in_match = in_match
        self.setting = Setting(reader(), context)
        self.roles = self.setting.roles
        self.ways: tuple[Way, ...] = ()
        """the readings of the line so far; several where it may still be several things, as behind `match (`"""
        self.header: Header | None = None
        self.line: Line | None = None
        self.reads_name: bool | None = None
        """the answer of queries.reads_name, once asked"""
        self._told: tuple[Way, ...] | None = None  # the readings with what they tell even without a context
        self._tokens: Any = None  # linked, the last one first
        self._nesting: Nesting = None
        self._faults = 0
        self._first = ""

    def copy(self) -> Self:
        new = object.__new__(self.__class__)
        new.__dict__.update(self.__dict__)
        return new

    def having(self, **changes: Any) -> Self:
        """A copy in a changed setting."""
        new = self.copy()
        new.setting = self.setting._replace(**changes)
        return new

    def in_context(self, context: Context | None) -> Self:
        """A copy that refuses by a context; None: it refuses only what is not Python."""
        if context is self.setting.context:
            return self.copy()
        new = self.having(context=context)
        if context is not None:
            new.ways = self._told_ways()
        return new

    def trusting(self, attributes: Collection[str]) -> Self:
        """A parser that assumes that some more attributes exist."""
        return self.having(stored=self.setting.stored.union(attributes)) if attributes else self

    def owing(self, name: str) -> Self:
        """A copy in which a name read before is still to be bound by a `for` in brackets open here."""
        new = self.copy()
        entry = name, self.depth()
        new.ways = tuple(way._replace(told=way.told._replace(open=(*way.told.open, entry))) for way in self.ways)
        return new

    def feed(self, token: str) -> None:
        """Take a token; raises Refused, without a context only for text that is too little like Python."""
        if self._faults > MOST_FAULTS and token != NEWLINE:
            return
        setting, lines = self.setting, self.setting.reader
        ways = self.ways
        if not ways:
            ways = tuple(Way(cell) for cell in lines.start(token, only_clause=self._in_match))
            self._first = token
        terminal = lines.terminals.get(token)
        if terminal is None:
            terminal = lines.name if token[0] not in '"#' else lines.terminal_of(token)
        cells = lines.step(ways[0].cell, terminal, token)
        if len(ways) == len(cells) == 1:
            told = ways[0].told
            if setting.context is not None:
                told = checked(setting, ways[0], cells[0], token)
            self.ways = (Way(cells[0], told),)
        else:
            self.ways = self._several(ways, terminal, token)
        self._tokens, self.reads_name, self._told = (token, self._tokens), None, None
        self._nesting = nested(self._nesting, token)
        if is_too_deep(self._nesting):
            raise Refused("too many nested parentheses")
        if token == ":" and self.roles.role[self.cell[0]] == "statement":
            self._begin_block()
        elif token == NEWLINE:
            lines_read = [lines.line(self.column, way.cell) for way in self.ways]
            self.line = next((line for line in lines_read if line.header is not None), lines_read[0])

    def _several(self, ways: tuple[Way, ...], terminal: int, token: str) -> tuple[Way, ...]:
        """The readings after a token that leaves several, or none without mending."""
        setting, lines = self.setting, self.setting.reader
        after: list[Way] = []
        refused: Refused | None = None
        for way in ways:
            for cell in lines.step(way.cell, terminal, token):
                try:
                    told = way.told if setting.context is None else checked(setting, way, cell, token)
                except Refused as error:
                    refused = refused or error
                else:
                    after.append(Way(cell, told))
        if refused is not None and not after:
            raise refused
        if not after:
            self._faults += 1
            if self._faults > MOST_FAULTS and token != NEWLINE:
                return ways
            before = [*linked(self._tokens)][::-1] if self._faults == 1 else ()
            cells = lines.mended([way.cell for way in ways], token, self._first, before)
            after = [Way(cell, ways[0].told) for cell in cells]
        if not after:
            raise Refused("this is not Python")
        return tuple(after)

    def _begin_block(self) -> None:
        """Take the colon of a header, if it is one: statements may follow on the same line."""
        header = self.setting.reader.header_at(self.cell)
        if header is None:
            return
        self.header = header
        if header.name is not None:
            self.ways = tuple(
                way._replace(told=way.told._replace(bound=way.told.bound | {str(header.name)})) for way in self.ways
            )
        if self.setting.context is not None:
            self.setting = self.setting._replace(context=self.setting.context.inside(header))

    # -- the place behind the last token

    @property
    def context(self) -> Context | None:
        return self.setting.context

    @property
    def way(self) -> Way:
        return self.ways[0] if self.ways else _START

    @property
    def told_way(self) -> Way:
        """The first reading, with what it tells even without a context."""
        return next(iter(self._told_ways()), _START)

    def _told_ways(self) -> tuple[Way, ...]:
        if self.setting.context is not None:
            return self.ways
        if self._told is None:
            self._told = tuple(Way(way.cell, told_by(self.roles, way.cell, self.header)) for way in self.ways)
        return self._told

    @property
    def cell(self) -> Cell:
        """The top of the first stack."""
        return self.ways[0].cell if self.ways else BOTTOM

    @property
    def stack(self) -> Stack:
        return Stack(self.roles, self.cell)

    def depth(self) -> int:
        """The number of open brackets."""
        return self.stack.depth()

    def brackets(self) -> list[Construct]:
        """The open brackets, the innermost last."""
        return [around for around in self.stack.outward() if around.is_bracket][::-1]

    @property
    def behind_dot(self) -> bool:
        """Whether an attribute's name comes next."""
        return self.roles.role[self.cell[0]] == "dot"

    @property
    def operand(self) -> Cell | None:
        """The cell of the operand that ends on top, or before the dot; None: there is none."""
        if self.behind_dot:
            return self.cell[1]
        after = [cell for cell in self.setting.reader.shifted(self.cell, ".") if self.roles.role[cell[0]] == "dot"]
        return after[0][1] if after else None

    @property
    def path(self) -> Path | None:
        """The path of the operand, if it has one."""
        operand = self.operand
        return None if operand is None else path_of(operand[2])

    @property
    def holder(self) -> str:
        """What may make the operand, or the one that comes next, a target: see Stack.holder."""
        operand = self.operand
        return Stack(self.roles, self._below_next() if operand is None else operand[1]).holder()

    def _below_next(self) -> Cell:
        """The cell below the operand that comes next."""
        after = self.setting.reader.shifted(self.cell, "")
        return after[0][1] if after else self.cell

    def below_name(self) -> list[Cell]:
        """The cells below a name that comes next, by reading."""
        shifted = self.setting.reader.shifted
        return [cell[1] for way in self.ways or (_START,) for cell in shifted(way.cell, "")]

    @property
    def call(self) -> Construct | None:
        """The innermost construct, if it is a call; else None."""
        innermost = next(self.stack.outward(), None)
        return innermost if innermost is not None and innermost.kind == "call" else None

    @property
    def in_annotation(self) -> bool:
        """Whether a string here is an annotation."""
        places, below = self.setting.reader.places, self._below_next()
        return places.in_type(below) and places.is_annotation(below)

    def local_names(self) -> frozenset[str]:
        """The names bound by this line itself so far."""
        return local_names(self.roles, self.told_way)

    def surroundings(self, context: Context) -> Context:
        """The surroundings of the next token, in those of the line."""
        return self.stack.surroundings(context)

    @property
    def may_be_bound_later(self) -> bool:
        """Whether the rest of the statement may bind a name read here, as in `name.x if (name := f()) else y`."""
        return self.setting.may_be_bound_later(self.cell)
