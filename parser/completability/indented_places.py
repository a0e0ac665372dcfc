"""The places where a left context may meet a right one with blocks by indentation; see indented.py."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ..glr.layout import END_OF_FILE, IndentedLines, Line
from ..glr.prefix import Engine
from ..glr.suffix import ANY_TEXT, SuffixContext, TokenStream
from ..grammar.lalr import END
from ..lexing.base import LexState, Token
from ..lexing.dfa_lexer import ANY_FURTHER, DfaLexer
from .any_text import AnyText

FAR = 1 << 40
ANYWHERE: Span = (0, FAR)


Span = tuple[int, int]
"""Columns, from the first to the last."""


def both(a: Span, b: Span) -> Span:
    return max(a[0], b[0]), min(a[1], b[1])


def left_of(column: int) -> int:
    return column if column == FAR else column - 1


def is_empty(span: Span) -> bool:
    return span[0] > span[1]


@dataclass(eq=False, slots=True)
class Cell:
    """The demands of a place on the stack below a top cell; while they are being solved, readers are told of new ones."""

    place: Place
    state: int
    items: set[Demand] = field(default_factory=set["Demand"])
    accepts: bool = False
    readers: dict[tuple[Cell, bool | Indent], None] = field(default_factory=dict[tuple["Cell", "bool | Indent"], None])
    """(cell, whether the demands are met at its state or are its own)"""
    met: set[Demand] = field(default_factory=set["Demand"])
    is_done: bool = False


class Place:
    """Interned: equal places are one object. cells: LR state -> its demands; begun: see `Begun.of`."""

    __slots__ = ("begun", "cells")

    def __init__(self) -> None:
        self.cells: dict[int, Cell] = {}
        self.begun: dict[tuple[Span, Span, bool, Span | None], Begun] = {}

    def forget(self) -> None:
        """Forget the demands: they can be computed again."""
        begun, self.cells, self.begun = self.begun, {}, {}
        for place in begun.values():
            place.forget()


class _Gap(Place):
    """Any text, then the right context."""

    __slots__ = ("inside", "outside")

    def __init__(self) -> None:
        super().__init__()
        self.outside: list[_Move] = []
        self.inside: list[_Move] = []

    def forget(self) -> None:
        super().forget()
        self.outside, self.inside = [], []


class At(Place):
    """Before a token of the right context."""

    __slots__ = ("index", "run", "span")

    def __init__(self, run: TokenStream, index: int, span: Span) -> None:
        super().__init__()
        self.run, self.index, self.span = run, index, span


class Begun(Place):
    """A newline has been read, and the column of the next line decides its meaning; or a block has ended, and others around it may.

    target: the column of the line; after: the next place, whose own span does not count; ends: whether a block has ended, or all of
    them do, so that none begins. closed: the column of the block that has just ended; None once its INDENT has been popped.
    """

    __slots__ = ("after", "closed", "ends", "span", "target")

    def __init__(self, target: Span, after: _Gap | At, span: Span, ends: bool, closed: Span | None) -> None:
        super().__init__()
        self.target, self.after, self.span, self.ends, self.closed = target, after, span, ends, closed

    @staticmethod
    def of(target: Span, after: _Gap | At, span: Span, ends: bool, closed: Span | None = None) -> Begun:
        """The interned place with these parts."""
        key = target, span, ends, closed
        place = after.begun.get(key)
        if place is None:
            place = after.begun[key] = Begun(target, after, span, ends, closed)
        return place


_Move = tuple[int | None, Place | None]
"""(the terminal read, or None, the next place; None: the file has ended)"""


Demand = tuple[Place, int, int]
"""(place, nonterminal, cells still to pop)"""


@dataclass(frozen=True, slots=True)
class Indent:
    """How the demands of a block are met outside of it: by the possible columns of the block, and of the one around it."""

    target: Span
    span: Span


class Layout:
    """The parts independent of the right context."""

    def __init__(self, engine: Engine, anytext: AnyText, inside: Iterable[bool]) -> None:
        """inside: LR state -> whether it is within brackets that make newlines meaningless."""
        assert isinstance(engine.lexer, DfaLexer) and isinstance(engine.lines, IndentedLines)
        self.engine, self.anytext, self.inside = engine, anytext, list(inside)
        self.lexer, self.lines = engine.lexer, engine.lines
        self.tables = engine.factory.tables


class Places:
    """The places of one right context, each once, and the moves between them."""

    def __init__(self, right: SuffixContext, layout: Layout) -> None:
        self.right, self._layout, self._engine = right, layout, layout.engine
        self._tables, self._lines = layout.tables, layout.lines
        self._entries: dict[tuple[Token, At | None], At] = {}
        self._gaps: dict[LexState, _Gap] = {}
        self._made: list[_Gap] = []  # all of them

    def _entered(self, states: Iterable[LexState]) -> list[Place]:
        """The right context, entered in these states."""
        places = dict.fromkeys(map(self._first, states))
        return [place for place in places if place is not None]

    def _at(self, run: TokenStream, index: int, span: Span) -> At | None:
        """A place in the right context; None where the run is dead, or no column is left."""
        if is_empty(span):
            return None
        while index >= len(run.tokens):
            if not run.more(self._engine):
                if run.link is None:
                    return None
                run, index = run.link
        place = run.places.get((index, span))
        if place is None:
            place = run.places[index, span] = At(run, index, span)
        return place

    def _first(self, lex: LexState) -> At | None:
        """The place where the right context is entered in a state: the same for all states with the same tokens."""
        place = self._at(self.right.run(lex), 0, ANYWHERE)
        if place is None:
            return None
        token = place.run.tokens[place.index]
        return self._entries.setdefault((token, self._at(place.run, place.index + 1, ANYWHERE)), place)

    def _gap(self, lex: LexState) -> _Gap:
        """Any text from a lexer state between symbols: one place for all states with the same future."""
        gap = self._gaps.get(lex)
        if gap is None:
            self._make_gaps(lex)
            gap = self._gaps[lex]
        return gap

    def _make_gaps(self, lex: LexState) -> None:
        way, newline = self._layout.anytext.way, self._lines.newline
        states = self._layout.anytext.gaps([self._layout.lexer.start, lex])
        entered = {s: self._entered(way(s).entries) for s in states}
        block = self._same_futures(states, {s: frozenset(places) for s, places in entered.items()})
        gaps = {number: _Gap() for number in block.values()}
        self._made += gaps.values()
        for s in states:
            gap = gaps[block[s]]
            if gap.outside:
                continue
            outside, inside = dict[_Move, None](), dict[_Move, None]()
            for place in entered[s]:
                outside[None, place] = inside[None, place] = None
            for token, after in way(s).over:
                outside[token, gaps[block[after]]] = inside[token, gaps[block[after]]] = None
            for line, after in way(s).lines:
                then = gaps[block[after]]
                outside[newline, Begun.of((line.column, FAR), then, ANYWHERE, False)] = None
                inside[None, then] = None
            inside.pop((None, gap), None)
            gap.outside, gap.inside = list(outside), list(inside)
        self._gaps |= {s: gaps[block[s]] for s in states}

    def _same_futures(self, states: list[LexState], entered: dict[LexState, frozenset[Place]]) -> dict[LexState, int]:
        """Gaps by number; equal numbers enter the right context at the same places and go over the same tokens."""
        way = self._layout.anytext.way
        numbers: dict[object, int] = {}
        block = {s: numbers.setdefault(entered[s], len(numbers)) for s in states}
        while True:
            count, numbers = len(numbers), {}
            keys = {s: (block[s], frozenset((t, block[a]) for t, a in (*way(s).over, *way(s).lines))) for s in states}
            block = {s: numbers.setdefault(keys[s], len(numbers)) for s in states}
            if len(numbers) == count:
                return block

    def _then(self, after: _Gap | At, span: Span) -> Place | None:
        return after if isinstance(after, _Gap) else self._at(after.run, after.index, span)

    def _moves(self, place: Place, state: int) -> Iterable[_Move]:
        """The terminals that may come in an LR state, except those that begin and end blocks."""
        is_inside = self._layout.inside[state]
        if isinstance(place, _Gap):
            return place.inside if is_inside else place.outside
        if isinstance(place, Begun):
            then = self._then(place.after, both(place.span, place.target))
            return () if then is None else ((None, then),)
        assert isinstance(place, At)
        token = place.run.tokens[place.index]
        if token == ANY_TEXT:
            return ()
        if token == END:
            return () if place.span[0] else ((END, None),)
        after = self._at(place.run, place.index + 1, place.span)
        if after is None:
            return ()
        if not isinstance(token, Line):
            return ((token, after),)
        if is_inside:
            return ((None, after),)
        if token.column == END_OF_FILE:
            return ((None, Begun.of(ANYWHERE, self._unspanned(after), place.span, True)),)
        last = FAR if token.alt_column == ANY_FURTHER else token.column
        line = Begun.of((token.column, last), self._unspanned(after), place.span, False)
        return ((self._lines.newline, line),)

    def _unspanned(self, place: At) -> At:
        unspanned = self._at(place.run, place.index, ANYWHERE)
        assert unspanned is not None
        return unspanned


def outside(item: Demand, how: Indent) -> Demand | None:
    """The demand of a block whose INDENT has been popped; None where no column fits."""
    place, lhs, pops = item
    assert isinstance(place, Begun) and place.closed is not None and not pops, "a block ends as a whole"
    column = both(place.closed, how.target)
    span = both(both(place.span, how.span), (0, left_of(column[1])))
    if is_empty(column) or is_empty(span):
        return None
    return Begun.of(place.target, place.after, span, True), lhs, 0
