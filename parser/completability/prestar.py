"""Whether a text can still be completed before the right context. Exact for any context-free language and any lexer of a grammar file.

The stacks that lead from a given text to acceptance are a regular language of stacks: pre* of a pushdown system (Bouajjani, Esparza,
Maler, "Reachability analysis of pushdown automata", 1997). Its automaton reads a stack from the top; a state of it is a set of
*demands* (place, A, k): before the terminals at that place, pop k more cells, then push nonterminal A on the rest. `run(place, q)`
gives the demands of the terminals from a place on, on the stack below a top cell q: the reductions at q, and after a shift to q'
those demands of `run(next place, q')` that reach below q; a demand that meets q pushes a goto there and goes on by its run.

A *place* is a terminal of the right context (lexed by suffix.py from each lexer state that meets it), or a *gap*: any text, then the
right context. The possible texts of a gap depend on how the lexer enters it, so there is a gap for each set of symbols that have
ended before it and must not go on. From a gap, any text leads over a terminal to another gap, or into the right context with some
symbol in progress. The demands of gaps are a fixpoint over the states of the parser.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import TypeGuard

from ...common.bounded import BoundedDict
from ...common.weak import weakly
from ..glr.gss import GssNode, GssState
from ..glr.prefix import Engine, PrefixState
from ..glr.suffix import ANY_TEXT, SuffixContext, SuffixText, TokenStream
from ..grammar.lalr import END
from ..lexing.base import LexState
from ..lexing.dfa_lexer import DfaLexer, is_between
from .any_text import AnyText
from .bracket_summary import Brackets
from .suffix_positions import AnyTextState, Demand, Demands, SuffixPosition

_ASK_EVERY = 64
_MAX_KNOWN = 100_000
"""Answers kept for one right context."""


Cell = tuple[AnyTextState, int]
"""(gap, LR state)"""
Steps = Generator[tuple[SuffixPosition, int], None, Demands]
_Interned = dict[tuple[frozenset[Demand], bool], Demands]


class Completability:
    """The decision for one right context."""

    def __init__(
        self, right: SuffixContext, anytext: AnyText, brackets: Brackets, at_end: Completability | None = None
    ) -> None:
        """at_end: decides where nothing comes behind the hole, for all right contexts of an engine; None: only this one needs it."""
        self.right, self.anytext, self.brackets = right, anytext, brackets
        self.engine: Engine = right.engine
        self._tables = right.engine.factory.tables
        assert isinstance(right.engine.lexer, DfaLexer)
        self.lexer: DfaLexer = right.engine.lexer
        self._of_places: _Interned = right.tail.demands
        self._of_gaps: _Interned = {}  # gaps belong to this right context and are forgotten with it
        self._gaps: dict[LexState, AnyTextState] = {}
        self._made: list[AnyTextState] = []  # all of them
        self._first: dict[tuple[int, SuffixPosition | None], SuffixPosition] = {}
        self._known: BoundedDict[PrefixState, bool] = BoundedDict(_MAX_KNOWN)
        self._at_end = at_end if right.tail.behind is None else None
        self._behind: Completability | None = None
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
        self._gap(self.lexer.start)

    def __del__(self) -> None:
        """Undo the cycles of its places, which would wait for a full collection; the right context decides without it from now on."""
        if self.right.decides is self._decides:
            self.right.decides = None
        self.right.forget_places()
        for gap in self._made:
            gap.runs, gap.over = {}, frozenset()
        for demands in self._of_gaps.values():
            demands.next = {}
        if self.right.tail.goes_on:  # a text on trial: no other right context is cut from it
            self.right.tail.forget()

    def member(self, left: PrefixState) -> bool:
        """Whether left + right is a valid file. The cost grows with the depth of the stacks, not with the right context's length."""
        place = self.place(self.right.run(left.lex), 0)
        return place is not None and self._accepts(left.stacks, place)

    def may_enter(self, lex: LexState) -> bool:
        """Whether the right context can be entered in a lexer state, after some text."""
        place = self.place(self.right.run(lex), 0)
        if place is None:
            return False
        runs = (self.run(place, q) for q in range(len(self._tables.shift)))
        return any(demands.items or demands.accepts for demands in runs)

    def _completable(self, left: PrefixState) -> bool:
        advance = self.engine.factory.advance
        for tokens, state in self.lexer.lexer_alternatives(left.lex):
            fed = self.engine.feed(left.frame, left.stacks, tokens)
            if fed is None:
                continue
            if is_between(state):
                if self._accepts(fed[1], self._gap(state)):
                    return True
                continue
            way = self.anytext.way(state)
            if any(self._accepts(fed[1], place) for place in self._places(way.entries)):
                return True
            for terminal, after in way.over:
                stacks = advance(fed[1], terminal)
                if stacks is not None and self._accepts(stacks, self._gap(after)):
                    return True
        return False

    # -- places

    def _places(self, states: Iterable[LexState]) -> frozenset[SuffixPosition]:
        """The first terminals of the right context, entered in these states."""
        places = (self.first_place(state) for state in states)
        return frozenset(place for place in places if place is not None)

    def first_place(self, state: LexState) -> SuffixPosition | None:
        """The place where the right context is entered in a state: the same for all states with the same terminals."""
        place = self.place(self.right.run(state), 0)
        if place is None or place.token in (ANY_TEXT, END):
            return place
        return self._first.setdefault((place.token, self.place(place.run, place.index + 1)), place)

    def place(self, run: TokenStream, index: int) -> SuffixPosition | None:
        """The terminal at an index of a run; None where the run is dead."""
        while index >= len(run.tokens):
            if not run.more(self.engine):
                if run.link is None:
                    return None
                run, index = run.link
        place = run.places.get(index)
        if place is None:
            place = run.places[index] = SuffixPosition(run, index)
        return place

    # -- gaps

    def _gap(self, state: LexState) -> AnyTextState:
        gap = self._gaps.get(state)
        if gap is None:
            self._prepare(state)
            gap = self._gaps[state]
        return gap

    def _prepare(self, state: LexState) -> None:
        """Make the gaps reachable from a state, and find their demands."""
        states = self.anytext.gaps([self.lexer.start, state])
        places = {s: self._places(self.anytext.way(s).entries) for s in states}
        same = self._same_futures(states, places)
        gaps = {number: AnyTextState() for number in same.values()}
        self._made += gaps.values()
        for s in states:
            gap = gaps[same[s]]
            if not gap.over and not gap.places:
                gap.places = places[s]
                gap.over = frozenset((t, gaps[same[after]]) for t, after in self.anytext.way(s).over)
        self._fixpoint(list(gaps.values()))
        self._gaps |= {s: gaps[same[s]] for s in states}

    def _same_futures(
        self, states: list[LexState], places: dict[LexState, frozenset[SuffixPosition]]
    ) -> dict[LexState, int]:
        """Gaps by number; equal numbers enter the right context at the same places and go over the same terminals."""
        numbers: dict[object, int] = {}
        block = {s: numbers.setdefault(places[s], len(numbers)) for s in states}
        while True:
            count, numbers = len(numbers), {}
            keys = {s: (block[s], frozenset((t, block[a]) for t, a in self.anytext.way(s).over)) for s in states}
            block = {s: numbers.setdefault(keys[s], len(numbers)) for s in states}
            if len(numbers) == count:
                return block

    def _after_end(self, lex: LexState) -> AnyTextState:
        """The place where the right context goes on: any text, and then the context behind it, lexed to this state."""
        if self._at_end is not None:
            return self._at_end._from_state(lex)
        if self._behind is None:
            behind = self.right.tail.behind or SuffixContext(self.engine, SuffixText(""), 0)
            self._behind = Completability(behind, self.anytext, self.brackets)
        return self._behind._from_state(lex)

    def _from_state(self, lex: LexState) -> AnyTextState:
        """A gap entered with the lexer in any state."""
        entry = self._gaps.get(lex)
        if entry is None:
            entry = AnyTextState()
            self._made.append(entry)
            over: set[tuple[int, AnyTextState]] = set()
            for tokens, state in self.lexer.lexer_alternatives(lex):
                gap = self._gap(state)
                if tokens:
                    first, *others = (t for t in tokens if isinstance(t, int))  # all of them
                    for t in reversed(others):
                        before = AnyTextState()
                        self._made.append(before)
                        before.over = frozenset([(t, gap)])
                        self._fixpoint([before])
                        gap = before
                    over.add((first, gap))
                else:
                    over |= gap.over
                    entry.places |= gap.places
            entry.over = frozenset(over)
            self._fixpoint([entry])
            self._gaps[lex] = entry
        return entry

    def _fixpoint(self, gaps: list[AnyTextState]) -> None:
        """Compute the demands of all gaps on all states: those of places, of any reduction, and of any shift."""
        tables = self._tables
        demanded: dict[Cell, set[Demand]] = {}
        met: dict[Cell, set[Demand]] = {}
        accepting: set[Cell] = set()
        readers: dict[Cell, list[Cell]] = {}  # a cell -> the cells that meet its demands, each at its own state
        todo: list[tuple[Cell, Demand]] = []  # a demand to be met at a cell's state, for the cell

        def add(cell: Cell, items: Iterable[Demand], accepts: bool) -> None:
            held = demanded[cell]
            new = [item for item in items if item not in held]
            held.update(new)
            for reader in readers[cell]:
                todo.extend([(reader, item) for item in new if item not in met[reader]])
            if accepts and cell not in accepting:
                stack = [cell]
                while stack:
                    source = stack.pop()
                    if source not in accepting:
                        accepting.add(source)
                        stack += readers[source]

        def follow(reader: Cell, cell: Cell) -> None:
            if cell not in readers:  # of a gap whose demands are known
                demands = cell[0].runs[cell[1]]
                todo.extend((reader, item) for item in demands.items)
                if demands.accepts:
                    add(reader, (), True)
            elif reader not in readers[cell]:
                readers[cell].append(reader)
                todo.extend((reader, item) for item in demanded[cell])
                if cell in accepting:
                    add(reader, (), True)

        cells = [(gap, q) for gap in gaps for q in range(len(tables.shift))]
        for cell in cells:
            demanded[cell], met[cell], readers[cell] = set(), set(), []
        for gap, q in cells:
            for t, after in gap.over:
                to = tables.shift[q].get(t)
                if to is not None:
                    follow((gap, q), (after, to))
            for rule, dot in tables.kernels[q]:
                lhs, rhs = tables.rules[rule]
                if dot == len(rhs) and lhs:
                    add((gap, q), [(gap, lhs, dot - 1)], False)
            for place in gap.places:
                demands = self.run(place, q)
                add((gap, q), demands.items, demands.accepts)
        while todo:
            cell, item = todo.pop()
            if item in met[cell]:
                continue
            met[cell].add(item)
            self._ask()
            place, lhs, pops = item
            if pops:
                add(cell, [(place, lhs, pops - 1)], False)
                continue
            to = tables.goto[cell[1]].get(lhs)
            if to is None:
                continue
            if isinstance(place, AnyTextState):
                follow(cell, (place, to))
            else:
                below = place.below.get((cell[1], lhs))
                if below is None:
                    below = place.below[cell[1], lhs] = self._finish(self._meeting(cell[1], (item,), self._of_places))
                add(cell, below.items, below.accepts)
        for gap, q in cells:
            gap.runs[q] = _intern(self._of_gaps, frozenset(demanded[gap, q]), (gap, q) in accepting)

    # -- runs

    def run(self, place: SuffixPosition, q: int) -> Demands:
        """The demands of the terminals from a place on, on the stack below a top cell q."""
        demands = place.runs.get(q)
        return demands if demands is not None else self._finish(self._running(place, q))

    def _stays(self, place: SuffixPosition | AnyTextState, q: int, lhs: int) -> TypeGuard[SuffixPosition]:
        """Whether the cell q, with a nonterminal pushed on it, stays for some terminals from a place on."""
        brackets = self.brackets
        return (
            q in brackets.states
            and lhs in brackets.balanced
            and isinstance(place, SuffixPosition)
            and self._opens(place)
        )

    def _opens(self, place: SuffixPosition) -> bool:
        token = place.token
        return token not in (ANY_TEXT, END) and self.engine.factory.brackets.get(token, 0) >= 0

    def _within(self, stacks: GssState, place: SuffixPosition) -> Steps:
        """Run stacks known down to a cell, until a bracket closes: the demands on the stack below the cell."""
        reached = self.brackets.run(stacks, place.run, place.index)
        end = self.place(reached[1], reached[2]) if reached is not None else None
        if reached is None or end is None:
            return _intern(self._of_places, frozenset(), False)
        out: set[Demand] = set()
        accepts = False
        # The stacks are a graph with as many paths as an ambiguous text has readings: each demand meets each node once.
        met: dict[GssNode, set[Demand]] = {}
        waiting: dict[GssNode, set[Demand]] = {}

        def pass_on(node: GssNode, items: frozenset[Demand]) -> None:
            if not node.parents:
                out.update(items)
            for parent in node.parents:
                before = met.setdefault(parent, set())
                new = items - before
                if new:
                    before |= new
                    waiting.setdefault(parent, set()).update(new)

        for top in reached[0].tops:
            demands = end.runs.get(top.state)
            if demands is None:
                demands = yield from self._reading(end, top.state)
            accepts = accepts or demands.accepts
            pass_on(top, demands.items)
        while waiting:
            self._ask()
            node, items = waiting.popitem()
            below = yield from self._meeting(node.state, items, self._of_places)
            accepts = accepts or below.accepts
            pass_on(node, below.items)
        return _intern(self._of_places, frozenset(out), accepts)

    def _finish(self, steps: Steps) -> Demands:
        """The value of a computation that yields the runs it needs (an explicit stack: they nest as deep as the text)."""
        work, done = [steps], 0
        while True:
            done += 1
            if done % _ASK_EVERY == 0:
                self.engine.ask()
            try:
                work.append(self._running(*next(work[-1])))
            except StopIteration as stop:
                work.pop()
                if not work:
                    return stop.value

    def _running(self, place: SuffixPosition, q: int) -> Steps:
        if q in self.brackets.states and self._tables.kernels[q] and self._opens(place):
            demands = place.runs[q] = yield from self._within(self.brackets.above(q), place)
            return demands
        return (yield from self._reading(place, q))

    def _reading(self, place: SuffixPosition, q: int) -> Steps:
        """As `run`, terminal by terminal."""
        tables, token = self._tables, place.token
        if token == ANY_TEXT:
            assert place.run.lex is not None
            read = place.runs[q] = self._after_end(place.run.lex).runs[q]
            return read
        items: list[Demand] = [(place, lhs, length - 1) for lhs, length in tables.reduce[q].get(token, ())]
        accepts = False
        to = tables.shift[q].get(token)
        if to is not None and token == END:
            accepts = True
        elif to is not None:
            after = self.place(place.run, place.index + 1)
            if after is not None and (reduction := tables.default[to]) is not None:
                met = yield from self._meeting(q, [(after, reduction[0], reduction[1] - 1)], self._of_places)
                items += met.items
                accepts = met.accepts
            elif after is not None:
                demands = after.runs.get(to)
                if demands is None:
                    yield after, to
                    demands = after.runs[to]
                met = yield from self._meeting(q, demands.items, self._of_places)
                items += met.items
                accepts = demands.accepts or met.accepts
        read = place.runs[q] = _intern(self._of_places, frozenset(items), accepts)
        return read

    def _ask(self) -> None:
        """Ask now and then whether to stop."""
        self._asked += 1
        if self._asked % _ASK_EVERY == 0:
            self.engine.ask()

    def _meeting(self, q: int, items: Iterable[Demand], interned: _Interned) -> Steps:
        """The demands on the cells below an exposed cell q, after demands have met it."""
        out: list[Demand] = []
        goto, default = self._tables.goto[q], self._tables.default
        todo, seen, accepts = list(items), set[Demand](), False
        while todo:
            item = todo.pop()
            if item in seen:
                continue
            seen.add(item)
            self._ask()
            place, lhs, pops = item
            if pops:
                out.append((place, lhs, pops - 1))
                continue
            to = goto.get(lhs)
            while to is not None and (reduction := default[to]) is not None and reduction[1] == 1:
                lhs = reduction[0]  # a rule of one symbol
                to = goto.get(lhs)
            if to is None:
                continue
            if self._stays(place, q, lhs):
                within = place.within.get((q, to))
                if within is None:
                    within = yield from self._within(self.brackets.above(q, to), place)
                    place.within[q, to] = within
                out += within.items
                accepts = accepts or within.accepts
            else:
                demands = place.runs.get(to)
                if demands is None:
                    assert isinstance(place, SuffixPosition), "those of gaps are all known"
                    yield place, to
                    demands = place.runs[to]
                accepts = accepts or demands.accepts
                todo += demands.items
        return _intern(interned, frozenset(out), accepts)

    # -- reading stacks

    def _accepts(self, stacks: GssState, place: SuffixPosition | AnyTextState) -> bool:
        for top in stacks.tops:
            demands = place.runs.get(top.state)
            if demands is None:
                assert isinstance(place, SuffixPosition)
                demands = self.run(place, top.state)
            if demands.accepts or any(self._read(parent, demands) for parent in top.parents):
                return True
        return False

    def _read(self, node: GssNode, demands: Demands) -> bool:
        """Whether the automaton in this state accepts the stacks topped by a node."""
        accepted = demands.acceptance.get(node)
        if accepted is not None:
            return accepted
        path = [(node, demands, iter(node.parents))]
        result = False  # of the child left last
        while True:
            node, demands, parents = path[-1]
            after = demands.next.get(node.state)
            if after is None:
                after = demands.next[node.state] = self._finish(self._meeting(node.state, demands.items, self._of_gaps))
            result = result or after.accepts
            descended = False
            if not result and after.items:
                for parent in parents:
                    accepted = after.acceptance.get(parent)
                    if accepted is None:
                        path.append((parent, after, iter(parent.parents)))
                        descended = True
                        break
                    if accepted:
                        result = True
                        break
            if descended:
                continue
            demands.acceptance[node] = result
            path.pop()
            if not path:
                return result


def _intern(interned: _Interned, items: frozenset[Demand], accepts: bool) -> Demands:
    key = items, accepts
    demands = interned.get(key)
    if demands is None:
        demands = interned[key] = Demands(items, accepts)
    return demands
