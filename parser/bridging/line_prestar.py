"""The exact demands of a right context's first terminals on the stack they meet, where the top state alone says too little.

The stacks that can read a sequence of terminals are a regular language of stacks: pre* of a pushdown system (Bouajjani, Esparza,
Maler, "Reachability analysis of pushdown automata", 1997). Its automaton reads a stack from the top; a state of it is a set of
demands (place, A, k): before the terminal at that place, pop k more cells, then push nonterminal A on the rest. prestar.py decides so
for whole right contexts of grammar files; here it guides a search, and a bounded beginning is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from ..glr.gss import GssNode
from ..glr.unit_chains import Chain, UnitChains
from ..grammar.lalr import Tables

Demand = tuple[int, int, int]
"""(place, nonterminal, cells still to pop)"""


States = tuple[int, ...]
_NOTHING = ((-1, -1),)


class ExposedCells:
    """Classes of cells that behave alike under a pushed nonterminal, which depends on the tables alone."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        rows = {id(row): tuple(row) for row in tables.below}
        self.below: list[States] = [rows[id(row)] for row in tables.below]
        self._parts: dict[tuple[States, int, int], list[tuple[States, Chain]]] = {}

    def parts(self, states: States, lhs: int, terminal: int) -> list[tuple[States, Chain]]:
        """The cells by the states after unit reductions before a terminal, with the nonterminal on them; see unit_chains.py."""
        parts = self._parts.get((states, lhs, terminal))
        if parts is None:
            parts = self._parts[states, lhs, terminal] = self._found(states, lhs, terminal)
        return parts

    def _found(self, states: States, lhs: int, terminal: int) -> list[tuple[States, Chain]]:
        shift, goto, reduce = self.tables.shift, self.tables.goto, self.tables.reduce
        parts: dict[Chain, list[int]] = {}
        todo: list[tuple[Sequence[int], tuple[int, ...], int, Chain]] = [(states, (lhs,), 0, ((), ()))]
        while todo:
            here, pushed, index, (shifting, longer) = todo.pop()
            if index == len(pushed):
                parts.setdefault((shifting, longer), []).extend(here)
                continue
            by_top: dict[int | None, list[int]] = {}
            for state in here:
                by_top.setdefault(goto[state].get(pushed[index]), []).append(state)
            for top, part in by_top.items():
                if top is None:
                    todo.append((part, pushed, index + 1, (shifting, longer)))
                    continue
                reductions = reduce[top].get(terminal, ())
                units = [above for above, length in reductions if length == 1 and above not in pushed]
                ends = (*shifting, top) if terminal in shift[top] else shifting
                more = (*longer, *(reduction for reduction in reductions if reduction[1] > 1))
                todo.append((part, (*pushed, *units), index + 1, (ends, more)))
        return [(tuple(part), chain) for chain, part in parts.items()]


class StackDemand:
    """A state of the automaton: the demands on the unread cells."""

    __slots__ = ("accepts", "items", "number", "refused", "viable")

    def __init__(self, number: int, items: frozenset[Demand], accepts: bool) -> None:
        self.number = number
        self.items = items
        self.accepts = accepts
        """Whether the terminals can be read whatever lies below"""
        self.viable = accepts or bool(items)
        """Whether some stack satisfies it, as far as known here"""
        self.refused: set[GssNode] = set()  # tops of stacks that fail it


class LinePrestar:
    """The demands of one sequence of terminals; at most some hundred, as their number is the depth of a recursion."""

    def __init__(
        self,
        cells: ExposedCells,
        chains: UnitChains,
        terminals: Sequence[int],
        inserted: int = -1,
        before: Set[int] = frozenset(),
    ) -> None:
        """chains: of the same tables. inserted: a terminal the stacks may insert before one of `before`, see ruled_gss.py."""
        self._cells, self._tables, self._chains = cells, cells.tables, chains
        self._end = len(terminals)
        # place -> (terminal, the place behind it); the places from the end on are those behind an inserted one
        after = [(terminal, place + 1) for place, terminal in enumerate(terminals)]
        inserts = {place: place + self._end + 1 for place, terminal in enumerate(terminals) if terminal in before}
        self._reads = [
            [step, (inserted, inserts[place])] if place in inserts else [step] for place, step in enumerate(after)
        ]
        self._reads += [[], *([step] for step in after)] if inserts else []
        self._runs: list[dict[int, StackDemand]] = [{} for _ in self._reads]
        self._shifts: list[dict[int, StackDemand]] = [{} for _ in self._reads]
        self._interned: dict[frozenset[Demand], StackDemand] = {}
        self._next: list[dict[int, StackDemand]] = []
        """by the number of a state of the automaton, which does not know the next ones: a cycle would wait for a full collection"""
        self.anything = self._made(frozenset(), True)
        self.nothing = self._made(frozenset(), False)

    def on(self, top: int) -> StackDemand:
        """The demands below a cell with the first terminal ahead."""
        return self._run(0, top)

    def under(self, below: StackDemand, state: int) -> StackDemand:
        """The demands below the next cell down."""
        if below.accepts:
            return below
        following = self._next[below.number]
        demands = following.get(state)
        if demands is None:
            demands = following[state] = self._meeting(state, below.items)
        return demands

    def under_each(self, below: StackDemand, state: int) -> list[tuple[States, StackDemand]]:
        """As `under` for all cells that may lie below a state: the cells that can meet the demands, grouped by the demands below them."""
        states = self._cells.below[state]
        if below.accepts:
            return [(states, below)]
        groups: list[tuple[States, StackDemand]] = []
        goto, end, parts = self._tables.goto, self._end, self._cells.parts
        todo = [(states, self._steps(below.items), 0, set[Demand]())]
        while todo:
            here, steps, index, out = todo.pop()
            if index == len(steps):
                if out:
                    groups.append((here, self._state(frozenset(out))))
                continue
            place, lhs, pops, terminal = steps[index]
            if pops:
                todo.append((here, steps, index + 1, {*out, (place, lhs, pops - 1)}))
            elif place == end:
                groups.append((tuple(under for under in here if lhs in goto[under]), self.anything))
                todo.append((tuple(under for under in here if lhs not in goto[under]), steps, index + 1, out))
            else:
                for part, (shifting, longer) in parts(here, lhs, terminal):
                    met = [self._shifts[place].get(top) or self._shifted(place, top) for top in shifting]
                    if any(after.accepts for after in met):
                        groups.append((part, self.anything))
                        continue
                    more = [step for after in met for step in self._steps(after.items) if step not in steps]
                    demanded = {(place, above, length - 2) for above, length in longer}
                    todo.append((part, steps + more if more else steps, index + 1, out | demanded))
        return groups

    def _steps(self, items: Iterable[Demand]) -> list[tuple[int, int, int, int]]:
        """Demands, each with the terminal after the pushed nonterminal."""
        return [
            (place, lhs, pops, terminal)
            for place, lhs, pops in items
            for terminal, _ in (_NOTHING if pops or place == self._end else self._reads[place])
        ]

    def admits(self, below: StackDemand, nodes: Iterable[GssNode]) -> bool:
        """Whether a stack topped by one of these nodes satisfies the demands."""
        if below.accepts:
            return True
        todo = [(below, node) for node in nodes]
        seen: set[tuple[StackDemand, GssNode]] = set()
        while todo:
            demands, node = step = todo.pop()
            if step in seen or node in demands.refused:
                continue
            seen.add(step)
            after = self.under(demands, node.state)
            if after.accepts:
                return True
            if after.items:
                todo += [(after, parent) for parent in node.parents]
        for demands, node in seen:
            demands.refused.add(node)
        return False

    def _run(self, place: int, state: int) -> StackDemand:
        """The demands of the terminals from a place on, below a top cell."""
        if place == self._end:
            return self.anything
        demands = self._runs[place].get(state)
        if demands is None:
            demands = self._runs[place][state] = self._read(place, state)
        return demands

    def _read(self, place: int, state: int) -> StackDemand:
        items = set[Demand]()
        for terminal, _ in self._reads[place]:
            reductions = self._tables.reduce[state].get(terminal, ())
            items.update((place, lhs, length - 1) for lhs, length in reductions)
        shifted = self._shifted(place, state)
        return shifted if shifted.accepts else self._state(frozenset(items | shifted.items))

    def _shifted(self, place: int, state: int) -> StackDemand:
        """The demands below a top cell that shifts the terminal at a place."""
        demands = self._shifts[place].get(state)
        if demands is not None:
            return demands
        tables, items = self._tables, set[Demand]()
        for terminal, then in self._reads[place]:
            to = tables.shift[state].get(terminal)
            if to is None:
                continue
            reduction = tables.default[to]
            if reduction is not None and then != self._end:
                met = self._meeting(state, [(then, reduction[0], reduction[1] - 1)])
            else:
                after = self._run(then, to)
                met = after if after.accepts else self._meeting(state, after.items)
            items |= met.items
            if met.accepts:
                demands = self._shifts[place][state] = self.anything
                return demands
        demands = self._shifts[place][state] = self._state(frozenset(items))
        return demands

    def _meeting(self, state: int, items: Iterable[Demand]) -> StackDemand:
        """The demands below an exposed cell, after demands have met it."""
        goto, chain, shifts, reads = self._tables.goto[state], self._chains.after, self._shifts, self._reads
        out, todo, seen = set[Demand](), list(items), set[Demand]()
        for item in todo:  # grows while it is walked
            place, lhs, pops = item
            if pops:
                out.add((place, lhs, pops - 1))
                continue
            to = goto.get(lhs)
            if to is None or item in seen:
                continue
            if place == self._end:
                return self.anything
            seen.add(item)
            for terminal, _ in reads[place]:
                shifting, longer = chain(state, to, terminal)
                for above, length in longer:
                    out.add((place, above, length - 2))
                for top in shifting:
                    after = shifts[place].get(top) or self._shifted(place, top)
                    if after.accepts:
                        return self.anything
                    todo += after.items
        return self._state(frozenset(out)) if out else self.nothing

    def _state(self, items: frozenset[Demand]) -> StackDemand:
        if not items:
            return self.nothing
        demands = self._interned.get(items)
        if demands is None:
            demands = self._interned[items] = self._made(items, False)
        return demands

    def _made(self, items: frozenset[Demand], accepts: bool) -> StackDemand:
        self._next.append({})
        return StackDemand(len(self._next) - 1, items, accepts)
