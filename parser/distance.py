"""How far stacks are from a goal, in characters: the estimate that guides the search of a bridge.

A goal is a set of LR states that are to come up on top. From a state, `up` is the cheapest way to one that pops nothing: it pushes
whole symbols, and the shortest texts of symbols are a fixpoint over the rules (Knuth, "A generalization of Dijkstra's algorithm",
1977). From a stack, items are completed first, A -> alpha . beta by the shortest text of beta, and what is below alpha goes
on with A. Only columns and what encloses the innermost block are left out, so the estimate is hardly ever too high.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from heapq import heappop, heappush

from .stacks import Node, StackFactory, Stacks, pop

FAR = 1e6
_NODES = 500
"""Stacks looked at for one estimate."""


class Goal:
    """LR states to be reached with so many brackets open; up: state -> cost without popping."""

    __slots__ = ("depth", "known", "up")

    def __init__(self, up: list[float], depth: int) -> None:
        self.up = up
        self.depth = depth
        self.known: dict[Node, float] = {}


class Distances:
    """Distances over one factory's stacks; costs: terminal -> cost of its shortest text."""

    def __init__(self, factory: StackFactory, costs: Mapping[int, float]) -> None:
        self._factory = factory
        self._costs = costs
        tables = factory.tables
        self._whole = self._shortest_texts()
        self._from: list[list[tuple[int, float]]] = [[] for _ in tables.shift]  # state -> (state below it, cost)
        for state in range(len(tables.shift)):
            for t, to in tables.shift[state].items():
                self._from[to].append((state, self._cost(~t)))
            for n, to in tables.goto[state].items():
                self._from[to].append((state, self._whole[n]))
        self._items = [  # state -> (nonterminal, symbols before the dot, cost of those after it) of its items
            [
                (lhs, dot, sum(self._cost(s) for s in rhs[dot:]))
                for (lhs, rhs), dot in ((tables.rules[r], dot) for r, dot in kernel)
            ]
            for kernel in tables.kernels
        ]

    def goal(self, states: Set[int], depth: int) -> Goal:
        """The goal to have one of these states on top, with so many brackets open."""
        up = [FAR] * len(self._from)
        queue = [(0.0, state) for state in sorted(states)]
        for _, state in queue:
            up[state] = 0.0
        while queue:
            cost, state = heappop(queue)
            if cost > up[state]:
                continue
            for below, more in self._from[state]:
                if cost + more < up[below]:
                    up[below] = cost + more
                    heappush(queue, (cost + more, below))
        return Goal(up, depth)

    def to(self, goal: Goal, stacks: Stacks) -> float:
        """Cost of the text that must at least come before the goal is reached; FAR when it cannot be."""
        return min(self._from_top(goal, top) for top in stacks.tops)

    def _cost(self, symbol: int) -> float:
        return self._whole[symbol] if symbol >= 0 else self._costs.get(~symbol, 1.0)

    def _shortest_texts(self) -> list[float]:
        """nonterminal -> cost of its shortest text."""
        best, changed = [FAR] * len(self._factory.tables.nonterminals), True
        while changed:
            changed = False
            for lhs, rhs in self._factory.tables.rules:
                cost = sum(best[s] if s >= 0 else self._costs.get(~s, 1.0) for s in rhs)
                if cost < best[lhs]:
                    best[lhs], changed = cost, True
        return best

    def _from_top(self, goal: Goal, top: Node) -> float:
        """Dijkstra's algorithm over stacks: completing an item of the top leads to the stack that its rule leaves."""
        goto, known = self._factory.tables.goto, goal.known
        if top in known:
            return known[top]
        best, via = FAR, top
        costs: dict[Node, float] = {top: 0.0}
        came_from: dict[Node, Node] = {}
        queue, order, done = [(0.0, 0, top)], 0, set[Node]()
        while queue and queue[0][0] < best and len(done) < _NODES:
            cost, _, node = heappop(queue)
            if node in done:
                continue
            done.add(node)
            if node in known:
                if cost + known[node] < best:
                    best, via = cost + known[node], node
                continue
            if node.depth <= goal.depth:  # pushing symbols closes nothing
                onward = max(goal.up[node.state], float(goal.depth - node.depth))
                if cost + onward < best:
                    best, via = cost + onward, node
            for lhs, dot, rest in self._items[node.state]:
                reached = cost + rest
                if reached >= best:
                    continue
                uncovered = pop((node,), dot)
                if not uncovered:  # the block ends; what encloses it is not looked at
                    best, via = reached, node
                for below in uncovered:
                    to = goto[below.state].get(lhs)
                    if to is None:
                        continue
                    after = self._factory.on_top(to, below)
                    if reached < costs.get(after, FAR):
                        costs[after] = reached
                        came_from[after] = node
                        order += 1
                        heappush(queue, (reached, order, after))
        # What holds for the top holds for the stacks on the way to the goal.
        self._factory.made += 1
        known[top] = best
        while via is not top:
            known[via] = best - costs[via]
            via = came_from[via]
        return best
