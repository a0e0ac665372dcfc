"""The distance of stacks from a goal, in characters: the estimate that guides the search for a bridge.

A goal is a set of LR states, one of which has to come on top. From a state, `up` is the cheapest way to one without pops: it pushes
whole symbols, and the shortest texts of symbols are a fixpoint over the rules (Knuth, "A generalization of Dijkstra's algorithm",
1977). From a stack, items are completed first, A -> alpha . beta by the shortest text of beta, and the stack below alpha goes on with
A. Only columns and the code around the innermost block are left out, so the estimate is hardly ever too high.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, Mapping, Sequence, Set
from heapq import heappop, heappush
from itertools import chain, count

from ...common.bounded import BoundedDict
from ..glr.effort import spend
from ..glr.gss import Gss, GssNode, GssState, pop
from ..glr.ruled_gss import RuledGss, StackRules
from .line_prestar import ExposedCells, LinePrestar, StackDemand

INF = 1e6
_CELLS = 3
"""The most pairs of a state and demands below it that are followed for one goal, per state ..."""
_LEAST_CELLS = 3_000
"""... and in small tables."""
_KEPT = 64
"""Goals kept for the next right context with the same beginning."""
_ASK_EVERY = 64
_NODES = 500
"""The most stacks visited for one estimate."""
_DIGITS = 6
"""The digits behind the point of a cost, so that it is the same however it was summed up."""
_NEAR, _FAR = 4.0, 64.0
"""Estimates up to the first are tried first; from the second on only the caller's limit counts."""


class HeuristicGoal:
    """LR states to be reached with so many brackets open, on stacks that satisfy the demands of the next terminals.

    The cost from a state without pops, and the goal's demands below that state, are computed as far as they are asked for, cheapest
    first, by Dijkstra's algorithm from the goal.
    """

    __slots__ = (
        "_bottoms", "_cells", "_costs", "_demands", "_factory", "_order", "_queue", "_seen", "_up", "depth", "exact", "least",
    )  # fmt: skip

    def __init__(
        self,
        factory: Gss,
        states: Iterable[int],
        depth: int,
        demands: LinePrestar,
        costs: Sequence[float],
        bottoms: Sequence[int],
    ) -> None:
        """costs: state -> cost of the cheapest symbol leading to it; bottoms: the states at the bottom of a block."""
        self.depth = depth
        self.exact: dict[GssNode, float] = {}
        self.least: dict[GssNode, float] = {}
        """lower bounds for stacks beyond the limits asked for"""
        self._factory, self._demands, self._costs, self._bottoms = factory, demands, costs, bottoms
        self._cells = max(_LEAST_CELLS, _CELLS * len(costs))
        self._up: list[list[tuple[float, StackDemand]]] = [[] for _ in costs]
        self._order = count()
        self._queue: list[tuple[float, int, int, StackDemand]] = []
        self._seen: set[tuple[int, StackDemand]] = set()
        for state in sorted(states):
            if (below := demands.on(state)).viable:
                self._found(0.0, state, below)

    def fresh(self, limit: float) -> float:
        """The least cost from the beginning of a statement; INF when it is not below the limit."""
        self._extend(limit)
        cheapest = min((cost for state in self._bottoms for cost, _ in self._up[state][:1]), default=self._rest)
        cost = max(float(self.depth), cheapest)
        return cost if cost < limit else INF

    def cost_from(self, node: GssNode, limit: float) -> float:
        """The least cost from a stack without pops; INF when it is not below the limit."""
        missing = float(self.depth - node.depth)
        if missing >= limit:
            return INF
        self._extend(limit)
        like = self._factory.like
        for cost, below in self._up[node.state if like is None else like[node.state]]:
            if cost >= limit:
                break
            if self._demands.admits(below, node.parents):
                return max(cost, missing)
        return max(self._rest, missing) if self._rest < limit else INF

    @property
    def _rest(self) -> float:
        """The least cost of the ways not found yet."""
        return self._queue[0][0] if self._queue else INF

    def _found(self, cost: float, state: int, below: StackDemand) -> None:
        """Note a way from a state, with its demands below. Ways with one more symbol in front wait until they are near enough."""
        ways = self._up[state]
        if ways and ways[-1][1].accepts:  # a way without demands was cheaper
            return
        ways.append((cost, below))
        self._seen.add((state, below))
        self._factory.made += 1
        heappush(self._queue, (cost + self._costs[state], next(self._order), state, below))

    def _extend(self, limit: float) -> None:
        """Find all ways cheaper than the limit; of very many cases only some."""
        queue, seen, demands = self._queue, self._seen, self._demands
        while queue and queue[0][0] < limit and len(seen) <= self._cells:
            cost, order, state, demand = heappop(queue)
            for part, after in demands.under_each(demand, state):
                for under in part:
                    if (under, after) not in seen:
                        self._found(cost, under, after)
            if order % _ASK_EVERY == 0:
                spend()


def _distinct(rows: Iterable[dict[int, int]]) -> Iterator[ItemsView[int, int]]:
    """The entries of each row; a row object that occurs several times is taken once."""
    return (row.items() for row in {id(row): row for row in rows}.values())


class Distances:
    """Distances over one factory's stacks; costs: terminal -> cost of its shortest text."""

    def __init__(self, factory: Gss, costs: Mapping[int, float]) -> None:
        self._factory = factory
        self._costs = costs
        self._steps = 0  # since the last question whether the time is spent
        self.rules = factory.rules if isinstance(factory, RuledGss) else StackRules()
        tables = factory.tables
        self._whole = self._shortest_texts()
        self._leading = [INF] * len(tables.shift)  # state -> cost of the cheapest symbol leading to it
        shifted, gone_to = (set(chain.from_iterable(_distinct(rows))) for rows in (tables.shift, tables.goto))
        for symbol, to in chain(((~t, to) for t, to in shifted), gone_to):
            self._leading[to] = min(self._leading[to], self._cost(symbol))
        self._cells = ExposedCells(tables)
        indent = tables.terminal("INDENT")
        self._goals: BoundedDict[tuple[frozenset[int], int, tuple[int, ...]], HeuristicGoal] = BoundedDict(_KEPT)
        self._bottoms = [0, *(state for state, t in enumerate(tables.accessing) if t == indent and state)]
        items = set(chain.from_iterable(tables.kernels))
        costed = {
            (r, dot): (tables.rules[r][0], dot, sum(map(self._cost, tables.rules[r][1][dot:]))) for r, dot in items
        }
        # state -> (nonterminal, symbols before the dot, cost of those after it) of its items
        self._items = [[costed[item] for item in kernel] for kernel in tables.kernels]

    def goal(self, states: Set[int], depth: int, terminals: Sequence[int] = ()) -> HeuristicGoal:
        """The goal with one of these states on top and so many brackets open, where these terminals can be read."""
        key = frozenset(states), depth, tuple(terminals)
        goal: HeuristicGoal | None = self._goals.get(key)
        if goal is None:
            rules = self.rules
            demands = LinePrestar(self._cells, self._factory.chains, terminals, rules.inserted, rules.before)
            goal = HeuristicGoal(self._factory, states, depth, demands, self._leading, self._bottoms)
            self._goals[key] = goal
        return goal

    def to(self, goal: HeuristicGoal, stacks: GssState, limit: float = INF) -> float:
        """A lower bound for the cost of the text up to the goal; INF when it cannot be reached. A cost at or above the limit may be more."""
        return min(self._from_top(goal, top, limit) for top in stacks.tops)

    def _cost(self, symbol: int) -> float:
        return self._whole[symbol] if symbol >= 0 else self._costs.get(~symbol, 1.0)

    def _shortest_texts(self) -> list[float]:
        """nonterminal -> cost of its shortest text."""
        best, changed = [INF] * len(self._factory.tables.nonterminals), True
        rules = [
            (lhs, sum(self._costs.get(~s, 1.0) for s in rhs if s < 0), [s for s in rhs if s >= 0])
            for lhs, rhs in self._factory.tables.rules
        ]
        while changed:
            changed = False
            for lhs, cost, parts in rules:
                for part in parts:
                    cost += best[part]
                if cost < best[lhs]:
                    best[lhs], changed = cost, True
        return best

    def _from_top(self, goal: HeuristicGoal, top: GssNode, limit: float) -> float:
        """The cost from a top, by ever wider limits, as a search far from the goal takes long."""
        cost = goal.exact.get(top, goal.least.get(top, 0.0))
        while top not in goal.exact and cost < limit:
            within = min(max(_NEAR, 2 * cost), limit) if cost < _FAR else limit
            cost = self._within(goal, top, within)
            if top not in goal.exact:
                cost = goal.least[top] = within
        return cost

    def _within(self, goal: HeuristicGoal, top: GssNode, limit: float) -> float:
        """Dijkstra's algorithm over stacks: completing an item of the top leads to the stack its rule leaves.

        Costs below the limit are kept; others are no answer.
        """
        goto, exact, like = self._factory.tables.goto, goal.exact, self._factory.like
        best, via = limit, top
        costs: dict[GssNode, float] = {top: 0.0}
        came_from: dict[GssNode, GssNode] = {}
        queue, order, done = [(0.0, 0, top)], 0, set[GssNode]()
        while queue and queue[0][0] < best and len(done) < _NODES:
            cost, _, node = heappop(queue)
            if node in done:
                continue
            done.add(node)
            if node in exact:
                if cost + exact[node] < best:
                    best, via = cost + exact[node], node
                continue
            cost_from = goal.cost_from(node, best - cost)
            if cost + cost_from < best:
                best, via = cost + cost_from, node
            for lhs, dot, rest in self._items[node.state if like is None else like[node.state]]:
                reached = cost + rest
                if reached >= best:
                    continue
                uncovered = pop((node,), dot)
                self._steps += 1 + len(uncovered)
                if self._steps >= _ASK_EVERY:
                    self._steps = 0
                    spend()
                if not uncovered:  # the block ends; the code around it does not count
                    fresh = goal.fresh(best - reached)
                    if reached + fresh < best:
                        best, via = reached + fresh, node
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
        if best >= limit < INF:
            return best
        # The cost of the top is known for the stacks on the way to the goal, too.
        self._factory.made += 1
        exact[top] = best = round(best, _DIGITS)
        while via is not top:
            exact[via] = round(best - costs[via], _DIGITS)
            via = came_from[via]
        return best
