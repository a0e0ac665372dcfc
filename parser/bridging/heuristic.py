"""How far stacks are from a goal, in characters: the estimate that guides the search of a bridge.

A goal is a set of LR states that are to come up on top. From a state, `up` is the cheapest way to one that pops nothing: it pushes
whole symbols, and the shortest texts of symbols are a fixpoint over the rules (Knuth, "A generalization of Dijkstra's algorithm",
1977). From a stack, items are completed first, A -> alpha . beta by the shortest text of beta, and what is below alpha goes
on with A. Only columns and what encloses the innermost block are left out, so the estimate is hardly ever too high.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from heapq import heappop, heappush
from itertools import count

from ...common.bounded import BoundedDict
from ..glr.effort import spend
from ..glr.gss import Gss, GssNode, GssState, pop
from ..glr.ruled_gss import RuledGss, StackRules
from .line_prestar import LinePrestar, StackDemand

INF = 1e6
_CELLS = 3
"""Pairs of a state and what is demanded below it that are looked at for one goal, for each state ..."""
_LEAST_CELLS = 3_000
"""... and in small tables."""
_KEPT = 64
"""Goals that are kept for the next right context that begins in the same way."""
_ASK_EVERY = 64
_NODES = 500
"""Stacks looked at for one estimate."""


class HeuristicGoal:
    """LR states to be reached with so many brackets open, on stacks that satisfy the demands of what follows.

    up: state -> (cost without popping, what the goal then demands below that state), cheapest first.
    """

    __slots__ = ("demands", "depth", "fresh", "known", "like", "up")

    def __init__(
        self,
        up: list[list[tuple[float, StackDemand]]],
        depth: int,
        demands: LinePrestar,
        bottoms: Iterable[int],
        like: Callable[[int], int] | None,
    ) -> None:
        """bottoms: the states at the bottom of a block; like: see Gss."""
        self.up = up
        self.like = like
        self.depth = depth
        self.demands = demands
        self.fresh = max(float(depth), min(cost for state in bottoms for cost, _ in up[state][:1] or [(INF, None)]))
        """What it costs at least from the beginning of a statement."""
        self.known: dict[GssNode, float] = {}

    def cost_from(self, node: GssNode, limit: float) -> float:
        """What it costs at least from a stack without popping; FAR when that is no less than the limit."""
        missing = float(self.depth - node.depth)
        for cost, below in self.up[node.state if self.like is None else self.like(node.state)]:
            if max(cost, missing) >= limit:
                break
            if self.demands.admits(below, node.parents):
                return max(cost, missing)
        return INF


class Distances:
    """Distances over one factory's stacks; costs: terminal -> cost of its shortest text."""

    def __init__(self, factory: Gss, costs: Mapping[int, float]) -> None:
        self._factory = factory
        self._costs = costs
        self.rules = factory.rules if isinstance(factory, RuledGss) else StackRules()
        tables = factory.tables
        self._whole = self._shortest_texts()
        self._from: list[list[tuple[int, float]]] = [[] for _ in tables.shift]  # state -> (state below it, cost)
        for state in range(len(tables.shift)):
            for t, to in tables.shift[state].items():
                self._from[to].append((state, self._cost(~t)))
            for n, to in tables.goto[state].items():
                self._from[to].append((state, self._whole[n]))
        self._cells = max(_LEAST_CELLS, _CELLS * len(tables.shift))
        indent = tables.terminal("INDENT")
        self._goals: BoundedDict[tuple[frozenset[int], int, tuple[int, ...]], HeuristicGoal] = BoundedDict(_KEPT)
        self._bottoms = [0, *(state for state, t in enumerate(tables.accessing) if t == indent and state)]
        self._items = [  # state -> (nonterminal, symbols before the dot, cost of those after it) of its items
            [
                (lhs, dot, sum(self._cost(s) for s in rhs[dot:]))
                for (lhs, rhs), dot in ((tables.rules[r], dot) for r, dot in kernel)
            ]
            for kernel in tables.kernels
        ]

    def goal(self, states: Set[int], depth: int, terminals: Sequence[int] = ()) -> HeuristicGoal:
        """The goal to have one of these states on top, with so many brackets open, where these terminals can be read.

        Where that takes too long, as many of them as it can be told for.
        """
        key = frozenset(states), depth, tuple(terminals)
        found: HeuristicGoal | None = self._goals.get(key)
        if found is None:
            found = self._goals[key] = self._new_goal(states, depth, terminals)
        return found

    def _new_goal(self, states: Set[int], depth: int, terminals: Sequence[int]) -> HeuristicGoal:
        while True:
            demands = LinePrestar(self._factory.tables, terminals, self.rules.inserted, self.rules.before)
            up = self._upwards(states, demands)
            if up is not None:
                return HeuristicGoal(up, depth, demands, self._bottoms, self._factory.like)
            terminals = terminals[: len(terminals) // 3]

    def _upwards(self, states: Set[int], demands: LinePrestar) -> list[list[tuple[float, StackDemand]]] | None:
        """See HeuristicGoal; None when there are too many cases."""
        up: list[list[tuple[float, StackDemand]]] = [[] for _ in self._from]
        order = count()
        queue = [(0.0, next(order), state, below) for state in sorted(states) if (below := demands.on(state)).viable]
        seen: set[tuple[int, StackDemand]] = set()
        while queue:
            cost, _, state, below = heappop(queue)
            found = up[state]
            if (state, below) in seen or (found and found[-1][1].accepts):  # what accepts anything was cheaper
                continue
            seen.add((state, below))
            found.append((cost, below))
            self._factory.made += 1
            if len(seen) > self._cells:
                return None
            if len(seen) % _ASK_EVERY == 0:
                spend()
            known = below.next
            for under, more in self._from[state]:
                after = below if below.accepts else known.get(under) or demands.under(below, under)
                if after.viable and (under, after) not in seen:
                    heappush(queue, (cost + more, next(order), under, after))
        return up

    def to(self, goal: HeuristicGoal, stacks: GssState) -> float:
        """Cost of the text that must at least come before the goal is reached; FAR when it cannot be."""
        return min(self._from_top(goal, top) for top in stacks.tops)

    def _cost(self, symbol: int) -> float:
        return self._whole[symbol] if symbol >= 0 else self._costs.get(~symbol, 1.0)

    def _shortest_texts(self) -> list[float]:
        """nonterminal -> cost of its shortest text."""
        best, changed = [INF] * len(self._factory.tables.nonterminals), True
        while changed:
            changed = False
            for lhs, rhs in self._factory.tables.rules:
                cost = sum(best[s] if s >= 0 else self._costs.get(~s, 1.0) for s in rhs)
                if cost < best[lhs]:
                    best[lhs], changed = cost, True
        return best

    def _from_top(self, goal: HeuristicGoal, top: GssNode) -> float:
        """Dijkstra's algorithm over stacks: completing an item of the top leads to the stack that its rule leaves."""
        goto, known, like = self._factory.tables.goto, goal.known, self._factory.like
        if top in known:
            return known[top]
        best, via = INF, top
        costs: dict[GssNode, float] = {top: 0.0}
        came_from: dict[GssNode, GssNode] = {}
        queue, order, done = [(0.0, 0, top)], 0, set[GssNode]()
        while queue and queue[0][0] < best and len(done) < _NODES:
            cost, _, node = heappop(queue)
            if node in done:
                continue
            done.add(node)
            if node in known:
                if cost + known[node] < best:
                    best, via = cost + known[node], node
                continue
            cost_from = goal.cost_from(node, best - cost)
            if cost + cost_from < best:
                best, via = cost + cost_from, node
            if len(done) % _ASK_EVERY == 0:
                spend()
            for lhs, dot, rest in self._items[node.state if like is None else like(node.state)]:
                reached = cost + rest
                if reached >= best:
                    continue
                uncovered = pop((node,), dot)
                if not uncovered and reached + goal.fresh < best:  # the block ends; what encloses it is not looked at
                    best, via = reached + goal.fresh, node
                for below in uncovered:
                    to = goto[below.state].get(lhs)
                    if to is None:
                        continue
                    after = self._factory.on_top(to, below)
                    if reached < costs.get(after, INF):
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
