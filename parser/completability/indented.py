"""Whether a text can still be completed before the right context, in a language with blocks by indentation. Exact, as prestar.py is.

As there, the stacks that lead from a place to acceptance are given by *demands* (place, A, k): pop k more cells, then push A. The
columns of the blocks open at a place are unknown, except that each block lies further right than the one around it. So a place in the
right context knows the *span* of possible columns of the innermost block, narrowed by the block's lines so far.

- A line at column c goes on in a block at c, begins one in a block further left, or ends one further right; then the block
around that lies at c, or further right and ends, too.
- When a block ends, the demand carries the span required of its column (`closed`) until the INDENT of the block has been popped. There it
is checked: against the real column in the left context's stacks, or the column shown by a line of the right context. A block begun by any
text can have any column, if the block around it lies further left.

Any text can choose columns as far right as needed, so spans that fit pairwise, each block's with that of the one around it, fit all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...common.weak import weakly
from ..bridging.astar import SearchLimits, search
from ..glr.gss import GssNode, GssState
from ..glr.layout import Frame, Line
from ..glr.prefix import PrefixState
from ..glr.suffix import ANY_TEXT, SuffixContext, TokenStream
from ..grammar.lalr import END
from ..lexing.base import LexState, Token
from ..lexing.dfa_lexer import ANY_FURTHER, is_between
from .indented_places import (
    ANYWHERE,
    FAR,
    At,
    Begun,
    Cell,
    Demand,
    Indent,
    Layout,
    Place,
    Places,
    Span,
    both,
    is_empty,
    left_of,
    outside,
)

_ASK_EVERY = 64
_EXPANSIONS = 600
"""The most states followed in the search for a bridge."""
_OPENS = 4
"""Characters; the marks at the beginning of comments and strings are shorter."""
_LOOK = 50
"""The tokens of the right context searched for its first line."""
_MEMO_EVERY = 16


class IndentedCompletability(Places):
    """The decision for one right context."""

    def __init__(self, right: SuffixContext, layout: Layout) -> None:
        super().__init__(right, layout)
        self._todo: list[tuple[Cell, bool | Indent, Demand]] = []
        self._fresh: list[Cell] = []
        self._known: dict[PrefixState, bool] = {}
        self._read: dict[tuple[frozenset[Demand], GssNode, Frame], bool] = {}
        self._meetings: dict[tuple[int, frozenset[Demand]], tuple[bool, frozenset[Demand]]] = {}
        self._results: dict[tuple[TokenStream, int, Frame, GssState], bool] = {}
        self._asked = 0
        self._decides = right.decides = weakly(self.member)

    def __call__(self, left: PrefixState) -> bool:
        """Whether some text between left and the right context makes a valid file."""
        completable = self._known.get(left)
        if completable is None:
            self.right.decides = self._decides  # another decider of this right context may have gone
            completable = self._known[left] = self.right.accepts(left) or self._completable(left)
        return completable

    def prepare(self, left: PrefixState) -> None:
        """Prepare the answers for the keys that follow."""
        self._accepts(left.frame, left.stacks, (self._gap(self._layout.lexer.start),))

    def __del__(self) -> None:
        """Undo the cycles of its places, which would wait for a full collection; the right context decides without it from now on."""
        if self.right.decides is self._decides:
            self.right.decides = None
        self.right.forget_places()
        for gap in self._made:
            gap.forget()

    def member(self, left: PrefixState) -> bool:
        """Whether left + right is a valid file."""
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
                cached = self._results.get(key)
                if cached is not None:
                    result = cached
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

    def may_enter(self, lex: LexState) -> bool:
        """Whether the right context can be entered in a lexer state, after some text."""
        place = self._at(self.right.run(lex), 0, ANYWHERE)
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
            columns = {frame.column for frame in state.frame.outward()} | {c for c in first if c is not None}
            columns |= {state.frame.column + step for step in (1, 2, 4)}
            yield from ("\n" + " " * column for column in sorted(columns) if column)
            yield " "

        limits = SearchLimits(_EXPANSIONS)
        accepts, stop = self.right.accepts, engine.stop or (lambda: False)
        return search(
            left,
            read=read,
            accepts=accepts,
            words=lambda prefix: dict.fromkeys(words(prefix)),
            estimate=lambda prefix, limit: 0.0,
            limits=limits,
            wanted=wanted,
            stop=stop,
        )

    def _first_column(self, lex: LexState) -> int | None:
        """The column of the right context's first line."""
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
        """The places after a token; a line with only a least column leads to every place it may mean."""
        if not isinstance(token, Line) or token.alt_column != ANY_FURTHER or stacks.depth:
            fed = self._engine.feed(frame, stacks, (token,))
            if fed is not None:
                yield fed
            return
        for enclosing in frame.outward():
            fed = (
                self._lines.start_line(frame, stacks, Line(enclosing.column, enclosing.column))
                if enclosing.column >= token.column
                else None
            )
            if fed is not None:
                yield fed
        ended = self._engine.factory.advance(stacks, self._lines.newline)
        inside = ended and self._engine.factory.advance(ended, self._lines.indent)
        if inside is not None:
            yield frame.inner(Line(max(token.column, frame.column + 1), ANY_FURTHER)), inside

    def _cell(self, place: Place, state: int) -> Cell:
        cell = place.cells.get(state)
        if cell is None:
            cell = place.cells[state] = Cell(place, state)
            self._engine.made += 1
            self._fresh.append(cell)
        return cell

    def _solve(self) -> None:
        """Solve all cells asked for."""
        begun: list[Cell] = []
        try:
            self._solve_all(begun)
        except BaseException:  # the unfinished part is shared with others
            for cell in (*begun, *self._fresh):
                del cell.place.cells[cell.state]
            self._fresh, self._todo = [], []
            raise
        for cell in begun:
            cell.is_done, cell.readers, cell.met = True, {}, set()

    def _solve_all(self, begun: list[Cell]) -> None:
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
                further = outside(item, how)
                if further is not None:
                    self._meet(reader, further)

    def _begin(self, cell: Cell) -> None:
        tables, place, q = self._tables, cell.place, cell.state
        if isinstance(place, At) and place.run.tokens[place.index] == ANY_TEXT:
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
        if isinstance(place, Begun):
            self._begin_blocks(cell, place)

    def _begin_blocks(self, cell: Cell, place: Begun) -> None:
        """A line that begins a block, or ends some."""
        tables, q, target = self._tables, cell.state, place.target
        indent, dedent = self._lines.indent, self._lines.dedent
        around = both(place.span, (0, left_of(target[1])))
        to = tables.shift[q].get(indent)
        if not place.ends and not is_empty(around):
            for lhs, length in tables.reduce[q].get(indent, ()):
                self._add(cell, (place, lhs, length - 1))
            inner = self._then(place.after, both(target, (1, FAR)))
            if to is not None and inner is not None:
                self._follow(cell, self._cell(inner, to), Indent(target, around))
        closed = both(place.span, (target[0] + 1, FAR))
        if is_empty(closed):
            return
        for lhs, length in tables.reduce[q].get(dedent, ()):
            self._add(cell, (place, lhs, length - 1))
        to = tables.shift[q].get(dedent)
        if to is not None:
            furthest = left_of(closed[1])
            line = both(target, (0, furthest))
            # At the end of the file the line is no line, and any column will do.
            ended = Begun.of(line, place.after, (target[0], furthest), True, closed)
            for rule, dot in tables.kernels[to]:
                lhs, rhs = tables.rules[rule]
                assert dot == len(rhs) > 1, "what ends a block is the last in its rule"
                self._add(cell, (ended, lhs, dot - 2))

    def _follow(self, reader: Cell, cell: Cell, how: bool | Indent) -> None:
        if not cell.is_done:
            if (reader, how) in cell.readers:
                return
            cell.readers[reader, how] = None
        self._todo += [(reader, how, item) for item in cell.items]
        if cell.accepts:
            self._accept(reader)

    def _add(self, cell: Cell, item: Demand) -> None:
        if item not in cell.items:
            cell.items.add(item)
            self._todo += [(reader, how, item) for reader, how in cell.readers]

    def _accept(self, cell: Cell) -> None:
        todo = [cell]
        while todo:
            accepting = todo.pop()
            if not accepting.accepts:
                accepting.accepts = True
                todo += [reader for reader, _ in accepting.readers]

    def _meet(self, cell: Cell, item: Demand) -> None:
        """Let a demand meet a cell."""
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

    def _accepts(self, frame: Frame, stacks: GssState, places: Iterable[Place]) -> bool:
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

    def _crossed(self, node: GssNode, items: frozenset[Demand], frame: Frame) -> tuple[frozenset[Demand], Frame]:
        """The demands below a cell, and their block."""
        if self._tables.accessing[node.state] != self._lines.indent:
            return items, frame
        assert frame.parent is not None
        column: Span = frame.column, FAR if frame.alt_column == ANY_FURTHER else frame.column
        how = Indent(column, ANYWHERE)
        return frozenset(demand for item in items if (demand := outside(item, how)) is not None), frame.parent

    def _reads(self, node: GssNode, items: frozenset[Demand], frame: Frame) -> bool:
        """Whether the stacks topped by a node, in a block, meet one of these demands."""
        todo = [(node, items, frame)]
        path: list[tuple[frozenset[Demand], GssNode, Frame]] = []
        result = False
        while todo and not result:
            node, items, frame = todo.pop()
            key = items, node, frame
            cached = self._read.get(key)
            if cached is not None:
                result = cached
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

    def _met(self, state: int, items: frozenset[Demand]) -> tuple[bool, frozenset[Demand]]:
        """(whether nothing more is demanded, the demands below) where demands meet a cell."""
        meeting = self._meetings.get((state, items))
        if meeting is None:
            cell = Cell(Place(), state)
            for item in items:
                self._meet(cell, item)
            self._solve()
            meeting = self._meetings[state, items] = cell.accepts, frozenset(cell.items)
        return meeting
