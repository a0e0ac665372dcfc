"""Interned graph-structured stacks: the memory of a GLR parser as a value.

A *node* is a cell of a stack: an LR state and all nodes that may lie below it (none: the bottom). *Stacks* is the set of live tops.
Both are hash-consed, so equal stacks are one object and `advance` can be memoised on it; parsing real code is then mostly dictionary
look-ups. (Tomita, "Efficient parsing for natural language", 1986, without mutation.)

A stack segment ends at the INDENT of the innermost open block: the bottom node is the state after INDENT, and the parse around the
block lies elsewhere (see layout.py). The parse inside a block does not depend on the outer one, so one memo serves all blocks.

Nothing here is ever changed after it is made, except memos. Not thread-safe: one engine belongs to one thread at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from ..grammar.lalr import Tables
from .unit_chains import UnitChains


class GssNode:
    """One cell; depth counts the brackets open on the way to it (equal on all paths)."""

    is_interned = True
    __slots__ = ("depth", "kids", "parents", "state")

    def __init__(self, state: int, parents: tuple[GssNode, ...], depth: int) -> None:
        self.state = state
        self.parents = parents
        self.depth = depth
        self.kids: dict[int, GssNode] = {}


class GssState:
    """An interned set of tops; memo: terminal -> the stacks after it, or None where no stack takes it."""

    is_interned = True
    __slots__ = ("closed", "depth", "memo", "opened", "tops")

    def __init__(self, tops: tuple[GssNode, ...]) -> None:
        self.tops = tops
        self.depth = tops[0].depth
        self.memo: dict[int, GssState | None] = {}
        self.opened: GssState | bool | None = False  # after INDENT; False: not computed
        self.closed: dict[
            GssState, GssState | None
        ] = {}  # the stacks below the block's INDENT -> those after its DEDENT


class Gss:
    """The stacks over one set of tables; `made` counts nodes and sets, the measure of its memory."""

    like: list[int] | None = None
    """For the copy of a state, its original in the tables; for an original, itself. None where no states are copied. See ruled_gss.py."""

    def __init__(self, tables: Tables, brackets: Mapping[int, int], max_depth: int, indent: int, dedent: int) -> None:
        """brackets: terminal -> +1 (opens) or -1 (closes); indent, dedent: terminals, -1 when there are no blocks."""
        self.tables = tables
        self.brackets = brackets
        self.chains = UnitChains(tables)
        self.made = 0
        self._delta = [brackets.get(t, 0) if t >= 0 else 0 for t in tables.accessing]
        self.max_depth = max_depth
        self._indent, self._dedent = indent, dedent
        self._roots: dict[int, GssNode] = {}
        self._merged: dict[tuple[int, frozenset[GssNode]], GssNode] = {}
        self._sets: dict[GssNode | frozenset[GssNode], GssState] = {}
        # A block is closed by popping through the bottom of its segment, which needs the rule to be known at DEDENT.
        is_dedent = [t == dedent and t >= 0 for t in tables.accessing]
        assert all(tables.default[q] is not None for q, flag in enumerate(is_dedent) if flag)
        self._settles = [None if flag else reduction for reduction, flag in zip(tables.default, is_dedent, strict=True)]
        """state -> the reduction that needs no lookahead"""
        self.grown: list[list[Any]] = []
        """lists indexed by state, kept beside the tables and extended with them when states are added"""
        self._goto = tables.goto
        start = self._stacks({0: ()})
        assert start is not None
        self.start: GssState = start

    @property
    def interned(self) -> list[dict[Any, Any]]:
        """All interned objects, to take them apart."""
        return [self._roots, self._merged, self._sets, self.chains.memo]

    def _root(self, state: int) -> GssNode:
        node = self._roots.get(state)
        if node is None:
            node = self._roots[state] = GssNode(state, (), 0)
            self.made += 1
        return node

    def _node(self, state: int, parents: Iterable[GssNode]) -> GssNode:
        parents = tuple(parents)
        if len(parents) == 1:
            parent = parents[0]
            node = parent.kids.get(state)
            if node is None:
                node = parent.kids[state] = GssNode(state, parents, parent.depth + self._delta[state])
                self.made += 1
            return node
        if not parents:
            return self._root(state)
        key = state, frozenset(parents)
        node = self._merged.get(key)
        if node is None:
            node = self._merged[key] = GssNode(state, parents, parents[0].depth + self._delta[state])
            self.made += 1
        return node

    def bottom(self, state: int) -> GssNode:
        """The node of a state with nothing below it."""
        return self._root(state)

    def on_top(self, state: int, below: GssNode) -> GssNode:
        """The node of a state directly on top of another."""
        return self._node(state, (below,))

    def above(self, node: GssNode, states: Sequence[int]) -> GssState:
        """The stacks of one top: a cell, with more states pushed on it."""
        for state in states:
            node = self._node(state, (node,))
        stacks = self._stacks({node.state: node.parents})
        assert stacks is not None
        return stacks

    def _stacks(self, tops: Mapping[int, Iterable[GssNode]]) -> GssState | None:
        """The interned set of the tops given as state -> parents."""
        if not tops:
            return None
        nodes = tuple(self._node(state, parents) for state, parents in tops.items())
        key = nodes[0] if len(nodes) == 1 else frozenset(nodes)
        stacks = self._sets.get(key)
        if stacks is None:
            stacks = self._sets[key] = GssState(nodes)
            self.made += 1
        return stacks

    def _stack(self, state: int, below: GssNode) -> GssState:
        """As `_stacks`, of one top on one node."""
        node = below.kids.get(state)
        if node is None:
            node = below.kids[state] = GssNode(state, (below,), below.depth + self._delta[state])
            self.made += 1
        stacks = self._sets.get(node)
        if stacks is None:
            stacks = self._sets[node] = GssState((node,))
            self.made += 1
        return stacks

    def advance(self, stacks: GssState, terminal: int) -> GssState | None:
        """The stacks after a terminal; None where no stack takes it."""
        try:
            return stacks.memo[terminal]
        except KeyError:
            pass
        after = self._shift(stacks, terminal)
        if after is not None and after.depth > self.max_depth:
            after = None
        stacks.memo[terminal] = after
        return after

    def _shift(self, stacks: GssState, terminal: int) -> GssState | None:
        """Perform all reductions for the terminal ahead, shift it, then perform the reductions that need no lookahead."""
        if len(stacks.tops) == 1:
            only = self._shift_only(stacks.tops[0], terminal)
            if only is not False:
                return only
        return self._shift_all(stacks, terminal)

    def _shift_all(self, stacks: GssState, terminal: int) -> GssState | None:
        tables = self.tables
        chain, goto = self.chains.after, tables.goto
        level: dict[
            int, dict[GssNode, None]
        ] = {}  # state on top that shifts -> the nodes below it, all of them complete
        todo = [(top.state, parent) for top in stacks.tops for parent in top.parents]
        seen = set(todo)
        bottoms = [n for n in stacks.tops if not n.parents]
        while todo:
            state, parent = todo.pop()
            shifting, reductions = chain(parent.state, state, terminal)
            for end in shifting:
                level.setdefault(end, {})[parent] = None
            for lhs, length in reductions:
                for node in pop((parent,), length - 1):
                    to = goto[node.state].get(lhs)
                    if to is not None and (to, node) not in seen:
                        seen.add((to, node))
                        todo.append((to, node))
        shifted: dict[int, list[GssNode]] = {}
        for state, parents in level.items():
            shifted.setdefault(tables.shift[state][terminal], []).append(self._node(state, parents))
        for node in bottoms:
            to = tables.shift[node.state].get(terminal)
            if to is not None:
                shifted.setdefault(to, []).append(node)
        return self._stacks(self._settle(shifted))

    def _shift_only(self, top: GssNode, terminal: int) -> GssState | Literal[False] | None:
        """As `_shift_all` for a single stack with one action at each step; False where there are several."""
        chains, goto = self.chains, self._goto
        memo, states, terminals = chains.memo, chains.states, chains.terminals
        state, parents = top.state, top.parents
        if len(parents) != 1:
            return False
        below = parents[0]
        while True:
            # As chains.after, without the call: most time is spent here when a file is read for the first time.
            chain = memo.get((below.state * states + state) * terminals + terminal)
            shifting, reductions = chain or chains.after(below.state, state, terminal)
            if not reductions:
                break
            if shifting or len(reductions) > 1:
                return False
            lhs, length = next(iter(reductions))
            while length > 1:
                parents, length = below.parents, length - 1
                if len(parents) != 1:
                    return False
                below = parents[0]
            if (to := goto[below.state].get(lhs)) is None:
                return None
            state = to
        if len(shifting) != 1:
            return False if shifting else None
        end = shifting[0]
        state = self.tables.shift[end][terminal]
        node = below.kids.get(end)
        below = self._node(end, (below,)) if node is None else node
        default = self._settles
        while (reduction := default[state]) is not None:
            lhs, length = reduction
            under = below
            while length > 1:
                parents, length = under.parents, length - 1
                if len(parents) != 1:
                    return self._stacks(self._settle({state: (below,)}))
                under = parents[0]
            if (to := goto[under.state].get(lhs)) is None:
                return None
            state, below = to, under
        return self._stack(state, below)

    def _settle(self, tops: Mapping[int, Iterable[GssNode]]) -> Mapping[int, Iterable[GssNode]]:
        """Perform the reductions that need no lookahead, so that equal futures have equal stacks at once."""
        default, goto = self._settles, self.tables.goto
        for state in tops:
            if default[state] is not None:
                break
        else:
            return tops
        settled: dict[int, list[GssNode]] = {}
        todo = [(state, node) for state, nodes in tops.items() for node in nodes]
        seen = set(todo)
        while todo:
            state, below = todo.pop()
            reduction = default[state]
            if reduction is None:
                settled.setdefault(state, []).append(below)
                continue
            lhs, length = reduction
            for node in pop((below,), length - 1):
                to = goto[node.state].get(lhs)
                if to is not None and (to, node) not in seen:
                    seen.add((to, node))
                    todo.append((to, node))
        return settled

    def open_block(self, stacks: GssState) -> GssState | None:
        """The bottom of a new segment: the states after INDENT; None where no block can open."""
        if stacks.opened is False:
            shift = self.tables.shift
            states = {to for n in stacks.tops if (to := shift[n.state].get(self._indent)) is not None}
            stacks.opened = self._stacks(dict.fromkeys(sorted(states), ()))
        assert stacks.opened is None or isinstance(stacks.opened, GssState)
        return stacks.opened

    def must_open(self, stacks: GssState) -> bool:
        """Whether a block has to open, as nothing but INDENT can come."""
        shift, reduce = self.tables.shift, self.tables.reduce
        return all(shift[top.state].keys() <= {self._indent} and not reduce[top.state] for top in stacks.tops)

    def close_block(self, stacks: GssState, lower: GssState) -> GssState | None:
        """The outer segment's stacks after DEDENT; stacks: those inside the block; lower: those below its INDENT."""
        try:
            return stacks.closed[lower]
        except KeyError:
            pass
        tables = self.tables
        after: dict[int, dict[GssNode, None]] = {}
        ended = self.advance(stacks, self._dedent)
        for top in ended.tops if ended is not None else ():
            reduction = tables.default[top.state]
            assert reduction is not None, "after DEDENT nothing is read"
            lhs, length = reduction
            for bottom, left in _to_bottom(top, length):
                for node in lower.tops:
                    if tables.shift[node.state].get(self._indent) != bottom.state:
                        continue
                    for below in pop((node,), left):
                        to = tables.goto[below.state].get(lhs)
                        if to is not None:
                            after.setdefault(to, {})[below] = None
        result = stacks.closed[lower] = self._stacks(self._settle(after))
        return result


def pop(nodes: tuple[GssNode, ...], count: int) -> tuple[GssNode, ...]:
    """The nodes uncovered by count pops."""
    for _ in range(count):
        if len(nodes) == 1:
            nodes = nodes[0].parents
        else:
            nodes = tuple(dict.fromkeys(p for n in nodes for p in n.parents))
    return nodes


def _to_bottom(top: GssNode, length: int) -> list[tuple[GssNode, int]]:
    """(bottom of the segment, symbols still to pop below INDENT) when length symbols are popped through it."""
    bottoms: list[tuple[GssNode, int]] = []
    level = (top,)
    while level and length > 0:
        bottoms += [(n, length - 1) for n in level if not n.parents]
        level, length = pop(level, 1), length - 1
    return bottoms
