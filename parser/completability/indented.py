"""Can a text still be completed before the right context, in a language with blocks by indentation? Exact, as prestar.py is.

As there, the stacks from which a place leads to acceptance are given by *demands* (place, A, k): pop k more cells, then push A. The columns
of blocks that are open at a place are not known: only that each block's lies further right than that of the one around it. So a place in the
right context knows the *span* of columns in which that of the innermost block must lie, to which its lines so far have narrowed it.

- A line at column c goes on in a block at c, begins one in a block that lies further left, or ends one that lies further right; then the block
  around that lies at c, or further right and ends, too.
- When a block ends, the demand carries the span that its column had to lie in (`closed`) until the INDENT of the block has been popped. There it
  is checked: against the real column in the left context's stacks, against the column that a line of the right context has shown. A block that any
  text has begun can have any column, if that around it lies further left.

Columns that any text may choose are as far right as is needed, so spans that fit pairwise, each block's with that of the one around it, fit all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ..bridging.astar import SearchLimits, search
from ..glr.gss import GssNode, GssState
from ..glr.layout import END_OF_FILE, Frame, IndentedLines, Line
from ..glr.prefix import Engine, PrefixState
from ..glr.suffix import ANY_TEXT, SuffixContext, TokenStream
from ..grammar.lalr import END
from ..lexing.base import LexState, Token
from ..lexing.dfa_lexer import ANY_FURTHER, DfaLexer, is_between
from .any_text import AnyText

_ASK_EVERY = 64
_EXPANSIONS = 600
"""States followed in the search for a bridge."""
_OPENS = 4
"""Characters of what begins a comment or string, at most."""
_LOOK = 50
"""Tokens of the right context among which its first line is looked for."""
_MEMO_EVERY = 16
_FAR = 1 << 40

Span = tuple[int, int]
"""Columns from the first to the last."""
_ANYWHERE: Span = (0, _FAR)


def _both(a: Span, b: Span) -> Span:
    return max(a[0], b[0]), min(a[1], b[1])


def _left_of(column: int) -> int:
    return column if column == _FAR else column - 1


def _is_empty(span: Span) -> bool:
    return span[0] > span[1]


@dataclass(eq=False, slots=True)
class _Cell:
    """What a place demands of the stack below a top cell; readers are told of more while it is being worked out."""

    place: _Place
    state: int
    items: set[_Demand] = field(default_factory=set["_Demand"])
    accepts: bool = False
    readers: dict[tuple[_Cell, bool | _Indent], None] = field(
        default_factory=dict[tuple["_Cell", "bool | _Indent"], None]
    )
    """(cell, whether the demands are met at its state or are its own)"""
    met: set[_Demand] = field(default_factory=set["_Demand"])
    is_done: bool = False


class _Place:
    """Interned: equal places are one object. cells: LR state -> what is demanded; begun: see `_Begun.of`."""

    __slots__ = ("begun", "cells")

    def __init__(self) -> None:
        self.cells: dict[int, _Cell] = {}
        self.begun: dict[tuple[Span, Span, bool, Span | None], _Begun] = {}

    def forget(self) -> None:
        """Let go of what is known: it can be found out again."""
        self.cells, self.begun = {}, {}


class _Gap(_Place):
    """Any text, then the right context."""

    __slots__ = ("inside", "outside")

    def __init__(self) -> None:
        super().__init__()
        self.outside: list[_Move] = []
        self.inside: list[_Move] = []


class _At(_Place):
    """Before a token of the right context."""

    __slots__ = ("index", "run", "span")

    def __init__(self, run: TokenStream, index: int, span: Span) -> None:
        super().__init__()
        self.run, self.index, self.span = run, index, span


class _Begun(_Place):
    """A newline has been read: what does the column of the line behind it mean? Or a block has ended: is it the last that ends?

    target: the column of the line; after: what comes then, its own span does not count; ends: has a block ended, or do all of them? Then none begins.
    closed: in which the column lay of the block that has just ended; None once its INDENT has been popped.
    """

    __slots__ = ("after", "closed", "ends", "span", "target")

    def __init__(self, target: Span, after: _Gap | _At, span: Span, ends: bool, closed: Span | None) -> None:
        super().__init__()
        self.target, self.after, self.span, self.ends, self.closed = target, after, span, ends, closed

    @staticmethod
    def of(target: Span, after: _Gap | _At, span: Span, ends: bool, closed: Span | None = None) -> _Begun:
        """The one with these parts."""
        key = target, span, ends, closed
        known = after.begun.get(key)
        if known is None:
            known = after.begun[key] = _Begun(target, after, span, ends, closed)
        return known


_Move = tuple[int | None, _Place | None]
"""(terminal that is read, or None, what comes then; None: the file has ended)"""
_Demand = tuple[_Place, int, int]
"""(place, nonterminal, cells still to pop)"""


@dataclass(frozen=True, slots=True)
class _Indent:
    """How the demands of a block are met outside of it: where its column lies, and that of the block around it."""

    target: Span
    span: Span


class Layout:
    """What does not depend on the right context."""

    def __init__(self, engine: Engine, anytext: AnyText, inside: Iterable[bool]) -> None:
        """inside: LR state -> is it within brackets in which newlines mean nothing?"""
        assert isinstance(engine.lexer, DfaLexer) and isinstance(engine.lines, IndentedLines)
        self.engine, self.anytext, self.inside = engine, anytext, list(inside)
        self.lexer, self.lines = engine.lexer, engine.lines
        self.tables = engine.factory.tables


class IndentedCompletability:
    """Decides for one right context."""

    def __init__(self, right: SuffixContext, layout: Layout) -> None:
        self.right, self._layout, self._engine = right, layout, layout.engine
        self._tables, self._lines = layout.tables, layout.lines
        self._entries: dict[tuple[Token, _At | None], _At] = {}
        self._gaps: dict[LexState, _Gap] = {}
        self._todo: list[tuple[_Cell, bool | _Indent, _Demand]] = []
        self._fresh: list[_Cell] = []
        self._known: dict[PrefixState, bool] = {}
        self._read: dict[tuple[frozenset[_Demand], GssNode, Frame], bool] = {}
        self._meetings: dict[tuple[int, frozenset[_Demand]], tuple[bool, frozenset[_Demand]]] = {}
        self._results: dict[tuple[TokenStream, int, Frame, GssState], bool] = {}
        self._asked = 0
        right.decides = self.member

    def __call__(self, left: PrefixState) -> bool:
        """Is there a text between left and the right context that makes a valid file?"""
        known = self._known.get(left)
        if known is None:
            known = self._known[left] = self.right.accepts(left) or self._completable(left)
        return known

    def prepare(self, left: PrefixState) -> None:
        """Work out what the keys that follow will ask for."""
        self._accepts(left.frame, left.stacks, (self._gap(self._layout.lexer.start),))

    def forget(self) -> None:
        """Undo what refers to itself."""
        self.right.decides = None
        self._gaps, self._entries, self._read, self._results, self._meetings = {}, {}, {}, {}, {}

    # -- without any text

    def member(self, left: PrefixState) -> bool:
        """Is left + right a valid file?"""
        run, index, frame, stacks = self.right.run(left.lex), 0, left.frame, left.stacks
        path: list[tuple[TokenStream, int, Frame, GssState]] = []
        result = False
        while True:
            while index >= len(run.tokens) and run.more(self._engine):
                pass
            if index >= len(run.tokens):
                if run.link is None:
                    break
                run, index = run.link
                continue
            token = run.tokens[index]
            if not index % _MEMO_EVERY or token == END:
                key = run, index, frame, stacks
                known = self._results.get(key)
                if known is not None:
                    result = known
                    break
                path.append(key)
            if token == ANY_TEXT:
                result = True
                break
            fed = self._engine.feed(frame, stacks, (token,))
            if fed is None or token == END:
                result = fed is not None
                break
            (frame, stacks), index = fed, index + 1
        self._results.update(dict.fromkeys(path, result))
        self._engine.made += len(path)
        return result

    # -- with some text

    def may_enter(self, lex: LexState) -> bool:
        """Can the right context be entered in a lexer state, after some text?"""
        place = self._at(self.right.run(lex), 0, _ANYWHERE)
        if place is None:
            return False
        cells = [self._cell(place, q) for q in range(len(self._tables.shift))]
        self._solve()
        return any(cell.items or cell.accepts for cell in cells)

    def bridges(self, left: PrefixState, wanted: int, texts: Iterable[str]) -> list[str]:
        """Up to `wanted` texts that make a valid file, shortest first; texts: of terminals."""
        engine, lexer = self._engine, self._layout.lexer

        def read(state: PrefixState, char: str) -> PrefixState | None:
            after = engine.read(state, char)
            return after if after is not None and self(after) else None

        leads = lexer.all_entries()
        comments = sorted({leads[s] for s in leads if lexer.is_long(s) and len(leads[s]) < _OPENS}, key=len)
        first = [self._first_column(state) for state in (left.lex, lexer.start)]

        def words(state: PrefixState) -> Iterator[str]:
            engine.ask()
            yield from lexer.closers(state.lex)
            if not lexer.is_long(state.lex):
                joined = lexer.takes_letters(state.lex)
                yield from (text for text in texts if not (joined and text[0].isalnum()))
                yield from comments
            yield "\n"
            columns = {frame.column for frame in _frames(state.frame)} | {c for c in first if c is not None}
            columns |= {state.frame.column + step for step in (1, 2, 4)}
            yield from ("\n" + " " * column for column in sorted(columns) if column)
            yield " "

        limits = SearchLimits(_EXPANSIONS)
        accepts, stop = self.right.accepts, engine.stop or (lambda: False)
        return search(
            left,
            read=read,
            accepts=accepts,
            words=lambda at: dict.fromkeys(words(at)),
            estimate=lambda at: 0.0,
            limits=limits,
            wanted=wanted,
            stop=stop,
        )

    def _first_column(self, lex: LexState) -> int | None:
        """That of the right context's first line."""
        for run, index in self.right.run(lex).locations(self._engine):
            token = run.tokens[index]
            if isinstance(token, Line):
                return token.column if token.column >= 0 else None
            if index > _LOOK:
                return None
        return None

    def _completable(self, left: PrefixState) -> bool:
        layout, engine = self._layout, self._engine
        for tokens, state in layout.lexer.lexer_alternatives(left.lex):
            fed = engine.feed(left.frame, left.stacks, tokens)
            if fed is None:
                continue
            if is_between(state):
                if self._accepts(*fed, (self._gap(state),)):
                    return True
                continue
            way = layout.anytext.way(state)
            if self._accepts(*fed, self._entered(way.entries)):
                return True
            for token, after in (*way.over, *way.lines):
                for frame, stacks in self._fed(*fed, token):
                    if self._accepts(frame, stacks, (self._gap(after),)):
                        return True
        return False

    def _fed(self, frame: Frame, stacks: GssState, token: Token) -> Iterator[tuple[Frame, GssState]]:
        """What a token leads to; a line that is only known to be so far right, to all that it can be."""
        if not isinstance(token, Line) or token.alt_column != ANY_FURTHER or stacks.depth:
            fed = self._engine.feed(frame, stacks, (token,))
            if fed is not None:
                yield fed
            return
        for at in _frames(frame):
            fed = (
                self._lines.start_line(frame, stacks, Line(at.column, at.column)) if at.column >= token.column else None
            )
            if fed is not None:
                yield fed
        ended = self._engine.factory.advance(stacks, self._lines.newline)
        inside = ended and self._engine.factory.advance(ended, self._lines.indent)
        if inside is not None:
            yield frame.inner(Line(max(token.column, frame.column + 1), ANY_FURTHER)), inside

    def _entered(self, states: Iterable[LexState]) -> list[_Place]:
        """The right context, entered in these states."""
        found = dict.fromkeys(map(self._first, states))
        return [place for place in found if place is not None]

    def _at(self, run: TokenStream, index: int, span: Span) -> _At | None:
        """A place in the right context; None where that is dead, or no column is left."""
        if _is_empty(span):
            return None
        while index >= len(run.tokens):
            if not run.more(self._engine):
                if run.link is None:
                    return None
                run, index = run.link
        place = run.places.get((index, span))
        if place is None:
            place = run.places[index, span] = _At(run, index, span)
        return place

    def _first(self, lex: LexState) -> _At | None:
        """Where the right context is entered in a state: one place for all states that lead to the same tokens."""
        place = self._at(self.right.run(lex), 0, _ANYWHERE)
        if place is None:
            return None
        token = place.run.tokens[place.index]
        return self._entries.setdefault((token, self._at(place.run, place.index + 1, _ANYWHERE)), place)

    def _gap(self, lex: LexState) -> _Gap:
        """Any text from a lexer state between symbols: one place for all states with the same future."""
        known = self._gaps.get(lex)
        if known is None:
            self._make_gaps(lex)
            known = self._gaps[lex]
        return known

    def _make_gaps(self, lex: LexState) -> None:
        way, newline = self._layout.anytext.way, self._lines.newline
        states = self._layout.anytext.gaps([self._layout.lexer.start, lex])
        entered = {s: self._entered(way(s).entries) for s in states}
        block = self._same_futures(states, {s: frozenset(places) for s, places in entered.items()})
        gaps = {number: _Gap() for number in block.values()}
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
                outside[newline, _Begun.of((line.column, _FAR), then, _ANYWHERE, False)] = None
                inside[None, then] = None
            inside.pop((None, gap), None)
            gap.outside, gap.inside = list(outside), list(inside)
        self._gaps |= {s: gaps[block[s]] for s in states}

    def _same_futures(self, states: list[LexState], entered: dict[LexState, frozenset[_Place]]) -> dict[LexState, int]:
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

    def _then(self, after: _Gap | _At, span: Span) -> _Place | None:
        return after if isinstance(after, _Gap) else self._at(after.run, after.index, span)

    # -- what places demand

    def _moves(self, place: _Place, state: int) -> Iterable[_Move]:
        """What may come in an LR state, apart from what begins and ends blocks."""
        is_inside = self._layout.inside[state]
        if isinstance(place, _Gap):
            return place.inside if is_inside else place.outside
        if isinstance(place, _Begun):
            then = self._then(place.after, _both(place.span, place.target))
            return () if then is None else ((None, then),)
        assert isinstance(place, _At)
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
            return ((None, _Begun.of(_ANYWHERE, self._unspanned(after), place.span, True)),)
        last = _FAR if token.alt_column == ANY_FURTHER else token.column
        line = _Begun.of((token.column, last), self._unspanned(after), place.span, False)
        return ((self._lines.newline, line),)

    def _unspanned(self, place: _At) -> _At:
        found = self._at(place.run, place.index, _ANYWHERE)
        assert found is not None
        return found

    def _cell(self, place: _Place, state: int) -> _Cell:
        cell = place.cells.get(state)
        if cell is None:
            cell = place.cells[state] = _Cell(place, state)
            self._engine.made += 1
            self._fresh.append(cell)
        return cell

    def _solve(self) -> None:
        """Work out all cells that have been asked for."""
        begun: list[_Cell] = []
        try:
            self._solve_all(begun)
        except BaseException:  # what was begun is shared with others
            for cell in (*begun, *self._fresh):
                del cell.place.cells[cell.state]
            self._fresh, self._todo = [], []
            raise
        for cell in begun:
            cell.is_done, cell.readers, cell.met = True, {}, set()

    def _solve_all(self, begun: list[_Cell]) -> None:
        while self._fresh or self._todo:
            self._ask()
            if self._fresh:
                cell = self._fresh.pop()
                begun.append(cell)
                self._begin(cell)
                continue
            reader, how, item = self._todo.pop()
            if how is False:
                self._add(reader, item)
            elif how is True:
                self._meet(reader, item)
            else:
                outside = _outside(item, how)
                if outside is not None:
                    self._meet(reader, outside)

    def _begin(self, cell: _Cell) -> None:
        tables, place, q = self._tables, cell.place, cell.state
        if isinstance(place, _At) and place.run.tokens[place.index] == ANY_TEXT:
            self._accept(cell)
        shift, reduce = tables.shift[q], tables.reduce[q]
        for terminal, then in self._moves(place, q):
            if terminal is None:
                assert then is not None
                self._follow(cell, self._cell(then, q), False)
                continue
            for lhs, length in reduce.get(terminal, ()):
                self._add(cell, (place, lhs, length - 1))
            to = shift.get(terminal)
            if to is not None and then is None:
                self._accept(cell)
            elif to is not None and then is not None:
                self._follow(cell, self._cell(then, to), True)
        if isinstance(place, _Begun):
            self._begin_blocks(cell, place)

    def _begin_blocks(self, cell: _Cell, place: _Begun) -> None:
        """A line that begins a block, or ends some."""
        tables, q, target = self._tables, cell.state, place.target
        indent, dedent = self._lines.indent, self._lines.dedent
        around = _both(place.span, (0, _left_of(target[1])))
        to = tables.shift[q].get(indent)
        if not place.ends and not _is_empty(around):
            for lhs, length in tables.reduce[q].get(indent, ()):
                self._add(cell, (place, lhs, length - 1))
            inner = self._then(place.after, _both(target, (1, _FAR)))
            if to is not None and inner is not None:
                self._follow(cell, self._cell(inner, to), _Indent(target, around))
        closed = _both(place.span, (target[0] + 1, _FAR))
        if _is_empty(closed):
            return
        for lhs, length in tables.reduce[q].get(dedent, ()):
            self._add(cell, (place, lhs, length - 1))
        to = tables.shift[q].get(dedent)
        if to is not None:
            furthest = _left_of(closed[1])
            line = _both(target, (0, furthest))
            # At the end of the file the line is no line, and any column will do.
            ended = _Begun.of(line, place.after, (target[0], furthest), True, closed)
            for rule, dot in tables.kernels[to]:
                lhs, rhs = tables.rules[rule]
                assert dot == len(rhs) > 1, "what ends a block is the last in its rule"
                self._add(cell, (ended, lhs, dot - 2))

    def _follow(self, reader: _Cell, cell: _Cell, how: bool | _Indent) -> None:
        if not cell.is_done:
            if (reader, how) in cell.readers:
                return
            cell.readers[reader, how] = None
        self._todo += [(reader, how, item) for item in cell.items]
        if cell.accepts:
            self._accept(reader)

    def _add(self, cell: _Cell, item: _Demand) -> None:
        if item not in cell.items:
            cell.items.add(item)
            self._todo += [(reader, how, item) for reader, how in cell.readers]

    def _accept(self, cell: _Cell) -> None:
        todo = [cell]
        while todo:
            at = todo.pop()
            if not at.accepts:
                at.accepts = True
                todo += [reader for reader, _ in at.readers]

    def _meet(self, cell: _Cell, item: _Demand) -> None:
        """A demand that has come to a cell."""
        if item in cell.met:
            return
        cell.met.add(item)
        place, lhs, pops = item
        if pops:
            self._add(cell, (place, lhs, pops - 1))
            return
        to = self._tables.goto[cell.state].get(lhs)
        if to is not None:
            self._follow(cell, self._cell(place, to), True)

    def _ask(self) -> None:
        self._asked += 1
        if self._asked % _ASK_EVERY == 0:
            self._engine.ask()

    # -- reading stacks

    def _accepts(self, frame: Frame, stacks: GssState, places: Iterable[_Place]) -> bool:
        for top in stacks.tops:
            cells = [self._cell(place, top.state) for place in places]
            self._solve()
            if any(cell.accepts for cell in cells):
                return True
            items = frozenset(item for cell in cells for item in cell.items)
            items, below = self._crossed(top, items, frame)
            if items and any(self._reads(parent, items, below) for parent in top.parents):
                return True
        return False

    def _crossed(self, node: GssNode, items: frozenset[_Demand], frame: Frame) -> tuple[frozenset[_Demand], Frame]:
        """What is demanded below a cell, and in which block that is."""
        if self._tables.accessing[node.state] != self._lines.indent:
            return items, frame
        assert frame.parent is not None
        column: Span = frame.column, _FAR if frame.alt_column == ANY_FURTHER else frame.column
        how = _Indent(column, _ANYWHERE)
        return frozenset(found for item in items if (found := _outside(item, how)) is not None), frame.parent

    def _reads(self, node: GssNode, items: frozenset[_Demand], frame: Frame) -> bool:
        """Do the stacks topped by a node, in a block, meet one of these demands?"""
        todo = [(node, items, frame)]
        path: list[tuple[frozenset[_Demand], GssNode, Frame]] = []
        result = False
        while todo and not result:
            node, items, frame = todo.pop()
            key = items, node, frame
            known = self._read.get(key)
            if known is not None:
                result = known
                continue
            self._read[key] = False
            path.append(key)
            accepts, after = self._met(node.state, items)
            if accepts:
                result = True
            elif after:
                after, below = self._crossed(node, after, frame)
                todo += [(parent, after, below) for parent in node.parents if after]
        if result:
            for key in path:  # some of them do not; they are asked again
                del self._read[key]
        return result

    def _met(self, state: int, items: frozenset[_Demand]) -> tuple[bool, frozenset[_Demand]]:
        """(whether nothing more is demanded, what is demanded below) where demands meet a cell."""
        known = self._meetings.get((state, items))
        if known is None:
            cell = _Cell(_Place(), state)
            for item in items:
                self._meet(cell, item)
            self._solve()
            known = self._meetings[state, items] = cell.accepts, frozenset(cell.items)
        return known


def _frames(frame: Frame) -> Iterator[Frame]:
    at: Frame | None = frame
    while at is not None:
        yield at
        at = at.parent


def _outside(item: _Demand, how: _Indent) -> _Demand | None:
    """What a block whose INDENT has been popped demands; None where no column fits."""
    place, lhs, pops = item
    assert isinstance(place, _Begun) and place.closed is not None and not pops, "a block ends as a whole"
    column = _both(place.closed, how.target)
    span = _both(_both(place.span, how.span), (0, _left_of(column[1])))
    if _is_empty(column) or _is_empty(span):
        return None
    return _Begun.of(place.target, place.after, span, True), lhs, 0
