"""How many characters stacks are away from a terminal: the estimate that guides the search of a bridge.

From a node, an item A -> alpha . beta is completed by the shortest text of beta, and what is below alpha goes on with A; or the
terminal comes up within beta. Shortest texts of symbols are a fixpoint over the rules (Knuth, "A generalization of Dijkstra's
algorithm", 1977). Context is forgotten where LALR forgets it, so the estimate is never too high for that reason, and exact in
nearly all cases.
"""

from __future__ import annotations

from collections.abc import Mapping

from .stacks import Node, StackFactory, Stacks

FAR = 10**6
_NODES_DEEP = 300
"""Nested estimates are cut here; what lies below is taken to cost nothing."""


class Distances:
    """Distances over one factory's stacks; costs: terminal -> characters of its shortest text."""

    def __init__(self, factory: StackFactory, costs: Mapping[int, int]) -> None:
        self._factory = factory
        self._tables = factory.tables
        self._costs = costs
        self._whole = self._fixpoint(None)  # nonterminal -> characters of its shortest text
        self._before: dict[int, list[int]] = {}  # terminal -> nonterminal -> characters before the terminal in it
        self._known: dict[tuple[int, Node], int] = {}

    def to(self, terminal: int, stacks: Stacks) -> int:
        """Characters that must at least come before the terminal can; FAR when it never can."""
        return min(self._node(terminal, node, _NODES_DEEP, set()) for node in stacks.tops)

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

    def _node(self, terminal: int, node: Node, depth: int, active: set[Node]) -> int:
        known = self._known.get((terminal, node))
        if known is not None:
            return known
        if not depth or not node.parents:
            return 0
        if node in active:
            return FAR  # a detour over the node itself is no shorter
        active.add(node)
        before = self._before.get(terminal)
        if before is None:
            before = self._before[terminal] = self._fixpoint(terminal)
        tables, best = self._tables, FAR
        for rule, dot in tables.kernels[node.state]:
            lhs, rhs = tables.rules[rule]
            rest = rhs[dot:]
            best = min(best, self._until(terminal, rest, before))
            cost = sum(self._cost(s) for s in rest)
            if cost >= best:
                continue
            for below in _pop(node, dot):
                to = tables.goto[below.state].get(lhs)
                if to is None:
                    continue
                best = min(best, cost + self._node(terminal, self._factory.on_top(to, below), depth - 1, active))
        active.discard(node)
        if best < FAR or not active:
            self._known[terminal, node] = best
        return best


def _pop(node: Node, count: int) -> tuple[Node, ...]:
    level: tuple[Node, ...] = (node,)
    for _ in range(count):
        level = tuple(dict.fromkeys(p for n in level for p in n.parents))
    return level
