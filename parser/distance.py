"""How many characters stacks are away from a terminal: the estimate that guides the search of a bridge.

From a node, an item A -> alpha . beta is completed by the shortest text of beta, and what is below alpha goes on with A; or the
terminal comes up within beta. Shortest texts of symbols are a fixpoint over the rules (Knuth, "A generalization of Dijkstra's
algorithm", 1977). Context is forgotten where LALR forgets it, so the estimate is never too high for that reason, and exact in
nearly all cases.
"""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heappop, heappush

from .stacks import Node, StackFactory, Stacks, pop

FAR = 10**6
_NODES = 500
"""Stacks looked at for one estimate."""


class Distances:
    """Distances over one factory's stacks; costs: terminal -> characters of its shortest text."""

    def __init__(self, factory: StackFactory, costs: Mapping[int, int]) -> None:
        self._factory = factory
        self._tables = factory.tables
        self._costs = costs
        self._whole = self._fixpoint(None)  # nonterminal -> characters of its shortest text
        self._before: dict[int, list[int]] = {}  # terminal -> nonterminal -> characters before the terminal in it
        self._known: dict[tuple[int, Stacks], int] = {}
        self._items = [  # state -> (nonterminal, symbols before the dot, symbols after it) of its items
            [(self._tables.rules[r][0], dot, self._tables.rules[r][1][dot:]) for r, dot in kernel]
            for kernel in self._tables.kernels
        ]

    def to(self, terminal: int, stacks: Stacks) -> int:
        """Characters that must at least come before the terminal can; FAR when it never can."""
        known = self._known.get((terminal, stacks))
        if known is None:
            known = self._known[terminal, stacks] = self._shortest(terminal, stacks)
        return known

    def _shortest(self, terminal: int, stacks: Stacks) -> int:
        """Dijkstra's algorithm over stacks: completing an item of the top leads to the stack that its rule leaves."""
        before = self._before.get(terminal)
        if before is None:
            before = self._before[terminal] = self._fixpoint(terminal)
        goto, best = self._tables.goto, FAR
        costs = {node: 0 for node in stacks.tops}
        queue = [(0, i, node) for i, node in enumerate(stacks.tops)]
        order, done = len(queue), set[Node]()
        while queue and queue[0][0] < best and len(done) < _NODES:
            cost, _, node = heappop(queue)
            if node in done:
                continue
            done.add(node)
            for lhs, dot, rest in self._items[node.state]:
                best = min(best, cost + self._until(terminal, rest, before))
                reached = cost + sum(self._cost(s) for s in rest)
                if reached >= best:
                    continue
                uncovered = pop((node,), dot)
                if not uncovered:  # the block ends; what encloses it is not looked at
                    best = reached
                for below in uncovered:
                    to = goto[below.state].get(lhs)
                    if to is None:
                        continue
                    after = self._factory.on_top(to, below)
                    if reached < costs.get(after, FAR):
                        costs[after] = reached
                        order += 1
                        heappush(queue, (reached, order, after))
        return best

    def _cost(self, symbol: int) -> int:
        return self._whole[symbol] if symbol >= 0 else self._costs.get(~symbol, 1)

    def _fixpoint(self, terminal: int | None) -> list[int]:
        """The least cost of each nonterminal: of its whole text, or of what comes before a terminal in it."""
        best = [FAR] * len(self._tables.nonterminals)
        changed = True
        while changed:
            changed = False
            for lhs, rhs in self._tables.rules:
                if terminal is None:
                    cost = sum(best[s] if s >= 0 else self._costs.get(~s, 1) for s in rhs)
                else:
                    cost = self._until(terminal, rhs, best)
                if cost < best[lhs]:
                    best[lhs], changed = cost, True
        return best

    def _until(self, terminal: int, symbols: tuple[int, ...], before: list[int]) -> int:
        """Characters of these symbols' text before the terminal."""
        best, passed = FAR, 0
        for symbol in symbols:
            if symbol == ~terminal:
                return min(best, passed)
            if symbol >= 0:
                best = min(best, passed + before[symbol])
            passed += self._cost(symbol)
            if passed >= best:
                break
        return best
