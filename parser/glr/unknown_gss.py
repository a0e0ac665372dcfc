"""Graph-structured stacks over an unknown stack, for right contexts parsed by themselves.

An *open* node stands for every path of the automaton, within one block, to its state, with or without open brackets on the path;
popping through it gives open nodes for all states that may lie below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from ..grammar.lalr import END, Tables
from ..lexing.base import Token, Tokens
from .layout import SAME_BLOCK, TOO_DEEP, Line
from .prefix import Engine
from .ruled_gss import RuledGss, StackRules

_DEPTH_CAP = 4
"""Brackets counted on unknown paths; more than any rule opens, so every closer finds its opener."""
_ANY_COLUMN = 10**6
_MAX_DEDENTS = 100
_DEEP = 20
"""The most successive reductions followed to be sure of a terminal."""
_FEW = 3
"""The most nodes that are first tried one by one."""
_MANY = 50
"""The most nodes for which inserted terminals are decided one by one."""


def _has(depths: int, flag: int) -> bool:
    """Whether depths, as bits, include one without open brackets (flag 0) or one with some (1)."""
    return depths > 1 if flag else bool(depths & 1)


class OpenNode:
    """A cell of a graph-structured stack over open nodes; or an open node, or the bottom of a block opened in B (no parents).

    depth: brackets open on all the paths to it; 1 in an open node stands for any number.
    """

    is_interned = True
    __slots__ = ("depth", "is_open", "kids", "parents", "pops", "pushed", "state")

    def __init__(self, state: int, parents: tuple[OpenNode, ...], depth: int, is_open: bool) -> None:
        self.state = state
        self.parents = parents
        self.depth = depth
        self.is_open = is_open
        self.kids: dict[int, OpenNode] = {}  # nodes with this parent alone
        self.pops: dict[int, tuple[OpenNode, ...]] = {}  # of an open node
        self.pushed: dict[tuple[int, int], frozenset[_Top]] = {}  # of an open node; see `_pushed`


_Nodes = frozenset[OpenNode]
_ITSELF = -1
_Top = tuple[int, OpenNode]
"""(state on top, the node below it), or (_ITSELF, an open node on top)"""
_Tops = dict[tuple[int, int], dict[OpenNode, None]]
"""(state on top, depth of the nodes below it) -> all of these nodes"""


class _Config(NamedTuple):
    """Blocks opened in B, innermost last, as (nodes below INDENT, its columns); below them a block of B's outside.

    columns: that block's columns once B has shown them, else None, with both known to be less than `under`.
    """

    frames: tuple[tuple[_Nodes, Line], ...]
    columns: Line | None
    under: Line


_NOWHERE = Line(0, 0)
_UNKNOWN = _Config((), None, Line(_ANY_COLUMN, _ANY_COLUMN))


class ConfigurationSet:
    """An interned set of configurations, each with its nodes.

    memo: a token -> the set after it; line_memo: a line's tokens -> the set after them. In one dictionary two terminals would be
    equal to a Line with their numbers as columns.
    """

    is_interned = True
    __slots__ = ("items", "line_memo", "memo")

    def __init__(self, items: tuple[tuple[_Config, _Nodes], ...]) -> None:
        self.items = items
        self.memo: dict[Token, ConfigurationSet | None] = {}
        self.line_memo: dict[Tokens, ConfigurationSet | None] = {}


class UnknownGss:
    """Sets of configurations over an engine's tables, advanced by terminals and lines. Interned and memoised, never changed.

    reach: (state, whether brackets are open) of all stacks; anything: any stack.
    """

    def __init__(self, engine: Engine, brackets: dict[int, int], above: Sequence[int] = ()) -> None:
        """above: the LR states all stacks begin with; all but the last of them lie nowhere higher."""
        self._engine = engine
        self._tables: Tables = engine.factory.tables
        self._newline = engine.blocks.newline if engine.blocks is not None else -1
        self._indent, self._dedent = self._tables.terminal("INDENT"), self._tables.terminal("DEDENT")
        self._brackets = brackets
        self._delta = [brackets.get(t, 0) if t >= 0 else 0 for t in self._tables.accessing]
        self._open: dict[tuple[int, int], OpenNode] = {}
        self._roots: dict[int, OpenNode] = {}
        self._widths: dict[tuple[int, int], int] = {}
        self._merged: dict[tuple[int, _Nodes], OpenNode] = {}
        self._max_depth = engine.factory.max_depth
        self._advanced: dict[tuple[_Nodes, int], _Nodes] = {}
        rules = engine.factory.rules if isinstance(engine.factory, RuledGss) else StackRules()
        self._rules, self._inserted, self._before = rules, rules.inserted, rules.before
        self._as_they_are: dict[tuple[_Nodes, int], _Nodes] = {}  # as _advanced, by the tables alone
        self._closed: dict[tuple[_Nodes, _Nodes | None], _Nodes] = {}
        self._sets: dict[frozenset[tuple[_Config, _Nodes]], ConfigurationSet] = {}
        engine.kept += [
            self._open,
            self._roots,
            self._merged,
            self._advanced,
            self._as_they_are,
            self._closed,
            self._sets,
        ]
        self._above, self._bottom = above, above[-1] if above else None
        self._below: list[list[int]] = self._tables.below
        if above:
            inside = {state for state, depths in enumerate(self._reachable()) if depths}
            self._below = [[b for b in below if b in inside] for below in self._tables.below]
            for below, state in pairwise(above):
                self._below[state] = [*dict.fromkeys((*(self._below[state] if state == above[-1] else ()), below))]
        engine.factory.grown += [self._delta, *([self._below] if above else [])]
        reachable = self._reachable()
        self.reach = {(state, flag) for state, depths in enumerate(reachable) for flag in (0, 1) if _has(depths, flag)}
        nodes = frozenset(self._open_node(state, flag) for state, flag in self.reach)
        anything = self._configs({_UNKNOWN: nodes})
        assert anything is not None
        self.anything: ConfigurationSet = anything
        inside = self._configs({_UNKNOWN: frozenset(node for node in nodes if node.depth)})
        outside = self._configs({_UNKNOWN: frozenset(node for node in nodes if not node.depth)})
        # those that hold all stacks to which reductions on theirs lead
        kept = (self.anything, *(() if self._uneven else (inside, outside)))
        self._everything = {nodes for configs in kept if configs and not above for _, nodes in configs.items}

    @cached_property
    def line_starts(self) -> ConfigurationSet:
        """Any stack at the beginning of a line: outside brackets, one whose last logical line has ended."""
        stacks = self.over(self.anything, (Line(1, 1),))
        assert stacks is not None
        tops = {(node.state, min(node.depth, 1)) for _, nodes in stacks.items for node in nodes} | {(0, 0)}
        starts = self._configs({_UNKNOWN: frozenset(self._open_node(*top) for top in tops)})
        assert starts is not None
        return starts

    def in_column(self, line: Line, nodes: _Nodes) -> ConfigurationSet:
        """These nodes as stacks in a block with a first line like this one."""
        configs = self._configs({_Config((), line, _NOWHERE): nodes})
        assert configs is not None
        return configs

    def topped_by(self, states: Set[int]) -> ConfigurationSet | None:
        """Any stack with one of these states on top; None when there is none."""
        nodes = frozenset(self._open_node(state, flag) for state, flag in self.reach if state in states)
        return self._configs({_UNKNOWN: nodes}) if nodes else None

    def _configs(self, configs: dict[_Config, _Nodes]) -> ConfigurationSet | None:
        """The interned set; None when it is empty."""
        if not configs:
            return None
        key = frozenset(configs.items())
        interned = self._sets.get(key)
        if interned is None:
            interned = self._sets[key] = ConfigurationSet(tuple(configs.items()))
            self._engine.made += 1
        return interned

    def over_line(self, configs: ConfigurationSet | None, tokens: Tokens) -> ConfigurationSet | None:
        """As `over`, with the results kept."""
        if configs is None or not tokens:
            return configs
        try:
            return configs.line_memo[tokens]
        except KeyError:
            after = configs.line_memo[tokens] = self.over(configs, tokens)
            return after

    def over(self, configs: ConfigurationSet | None, tokens: Iterable[Token]) -> ConfigurationSet | None:
        """The configurations after terminals and lines; None where none is left."""
        for token in tokens:
            if configs is None:
                return None
            try:
                configs = configs.memo[token]
            except KeyError:
                before = configs
                configs = before.memo[token] = self._step(before, token)
        return configs

    def _step(self, configs: ConfigurationSet, token: Token) -> ConfigurationSet | None:
        self._engine.made += 1
        self._engine.ask()
        if isinstance(token, Line):
            return self._configs(self._start_line(configs, token))
        if len(configs.items) == 1:
            ((config, nodes),) = configs.items
            nodes = self._advance(nodes, token)
            return self._configs({config: nodes}) if nodes else None
        moved = {config: self._advance(nodes, token) for config, nodes in configs.items}
        return self._configs({config: nodes for config, nodes in moved.items() if nodes})

    # -- nodes

    def _is_root(self, state: int) -> bool:
        if self._bottom is not None:
            return state == self._bottom
        return state == 0 or 0 <= self._indent == self._tables.accessing[state]

    def _reachable(self) -> list[int]:
        """state -> the numbers of brackets open there on paths from the bottom of a block, capped, as bits."""
        above: list[list[int]] = [[] for _ in self._tables.below]
        roots = [self._is_root(state) for state in range(len(above))]
        for state, below in enumerate(self._tables.below):
            if not roots[state]:
                for b in below:
                    above[b].append(state)
        depths, every = [int(is_root) for is_root in roots], (1 << (_DEPTH_CAP + 1)) - 1
        todo = [state for state, is_root in enumerate(roots) if is_root]
        while todo:
            here = todo.pop()
            for state in above[here]:
                delta = self._delta[state]
                more = (depths[here] << delta & every) if delta >= 0 else depths[here] >> -delta
                if more & ~depths[state]:
                    depths[state] |= more
                    todo.append(state)
        return depths

    def _open_node(self, state: int, flag: int) -> OpenNode:
        node = self._open.get((state, flag))
        if node is None:
            node = self._open[state, flag] = OpenNode(state, (), flag, True)
        return node

    def _root(self, state: int) -> OpenNode:
        node = self._roots.get(state)
        if node is None:
            node = self._roots[state] = OpenNode(state, (), 0, False)
        return node

    def _node(self, state: int, parents: Iterable[OpenNode]) -> OpenNode:
        """The node of a state on top of others, all of one depth."""
        below = tuple(parents)
        if len(below) == 1:
            node = below[0].kids.get(state)
            if node is None:
                node = below[0].kids[state] = self._new_node(state, below)
            return node
        key = state, frozenset(below)
        node = self._merged.get(key)
        if node is None:
            node = self._merged[key] = self._new_node(state, below)
        return node

    def _new_node(self, state: int, parents: tuple[OpenNode, ...]) -> OpenNode:
        self._engine.made += 1
        return OpenNode(state, parents, parents[0].depth + self._delta[state], False)

    def _pop(self, node: OpenNode, count: int) -> Iterable[OpenNode]:
        """The nodes uncovered by count pops."""
        if not count:
            return (node,)
        if node.is_open:
            return self._pop_open(node, count)
        if count == 1:
            return node.parents
        return self._popped((node,), count)[0]

    def _popped(self, level: Iterable[OpenNode], count: int) -> tuple[dict[OpenNode, None], list[tuple[OpenNode, int]]]:
        """(the nodes uncovered by count pops, the bottoms of blocks met on the way with the pops left there)."""
        uncovered: dict[OpenNode, None] = {}
        bottoms: list[tuple[OpenNode, int]] = []
        while count and level:
            below: dict[OpenNode, None] = {}
            for node in level:
                if node.is_open:
                    uncovered.update(dict.fromkeys(self._pop_open(node, count)))
                elif node.parents:
                    below.update(dict.fromkeys(node.parents))
                else:
                    bottoms.append((node, count))
            level, count = below, count - 1
        if not count:
            uncovered.update(dict.fromkeys(level))
        return uncovered, bottoms

    def _pop_open(self, node: OpenNode, count: int) -> tuple[OpenNode, ...]:
        popped = node.pops.get(count)
        if popped is None:
            paths = {(node.state, 0)}  # (state uncovered, brackets it has open more than node)
            for _ in range(count):
                paths = {(b, rel - self._delta[s]) for s, rel in paths for b in self._below[s]}
            uncovered: dict[OpenNode, None] = {}
            for state, rel in paths:
                for flag in self._flags(node.depth, rel):
                    if self._bottom is not None or (state, flag) in self.reach:
                        uncovered[self._open_node(state, flag)] = None
            popped = node.pops[count] = tuple(uncovered)
        return popped

    @staticmethod
    def _flags(depth: int, rel: int) -> tuple[int, ...]:
        """Whether brackets can be open rel above a node with none (depth 0) or some (1) open."""
        if depth == 0:
            return (int(rel > 0),) if rel >= 0 else ()
        if rel == -1:
            return (0, 1)
        return (1,) if rel >= 0 else ()

    # -- moves

    def ends(self, configs: ConfigurationSet | None) -> bool:
        """Whether the file can end here."""
        return configs is not None and any(self._advance(nodes, END) for _, nodes in configs.items)

    def on(self, state: int, flag: int) -> ConfigurationSet:
        """Stacks with a state on top, brackets open below it or not, otherwise unknown."""
        configs = self._configs({_UNKNOWN: frozenset((self._open_node(state, flag),))})
        assert configs is not None
        return configs

    def _advance(self, nodes: _Nodes, terminal: int) -> _Nodes:
        advanced = self._advanced.get((nodes, terminal))
        if advanced is not None:
            return advanced
        if terminal in self._before:
            result = self._advanced[nodes, terminal] = self._with_insertion(nodes, terminal)
            return result
        return self._as_is(nodes, terminal, self._advanced)

    def _with_insertion(self, nodes: _Nodes, terminal: int) -> _Nodes:
        """The stacks after a terminal, with inserted terminals before it: each node by itself; one that stands for many stacks may go
        both ways."""

        def advance(nodes: _Nodes, terminal: int) -> _Nodes:
            advanced = self._as_they_are.get((nodes, terminal))
            return self._as_is(nodes, terminal, self._as_they_are) if advanced is None else advanced

        shifted: _Nodes = frozenset()
        for part in [nodes] if len(nodes) > _MANY else [frozenset((node,)) for node in nodes]:
            self._engine.ask()
            direct = advance(part, terminal)
            shifted |= direct
            if not direct or not all(self._surely_takes(node, terminal) for node in part):
                ends = frozenset(node for node in part if not self._rules.forbids_insertion(node.state, terminal))
                ended = advance(ends, self._inserted) if ends else ends
                shifted |= advance(ended, terminal) if ended else ended
        return shifted

    def _surely_takes(self, node: OpenNode, terminal: int) -> bool:
        """Whether all stacks of a node take a terminal, whatever lies below the known cells."""
        if not node.parents:
            return terminal in self._tables.shift[node.state]
        return all(self._takes_on(parent, node.state, terminal, _DEEP) for parent in node.parents)

    def _takes_on(self, below: OpenNode, state: int, terminal: int, deep: int) -> bool:
        shifting, reductions = self._engine.factory.chains.after(below.state, state, terminal)
        if shifting:
            return True
        for lhs, length in reductions if deep else ():
            level: Iterable[OpenNode] = (below,)
            for _ in range(length - 1):
                level = () if any(not node.parents for node in level) else {p: None for n in level for p in n.parents}
            tops = [(node, self._tables.goto[node.state].get(lhs)) for node in level]
            if tops and all(to is not None and self._takes_on(node, to, terminal, deep - 1) for node, to in tops):
                return True
        return False

    def _as_is(self, nodes: _Nodes, terminal: int, memo: dict[tuple[_Nodes, int], _Nodes]) -> _Nodes:
        self._engine.made += 1
        if len(nodes) == 1:
            (node,) = nodes
            only = self._advance_only(node, terminal)
            if only is not None:
                memo[nodes, terminal] = only
                return only
        elif len(nodes) <= _FEW and (few := self._advance_few(nodes, terminal)) is not None:
            memo[nodes, terminal] = few
            return few
        if nodes in self._everything:
            result = memo[nodes, terminal] = self._settle(self._shifted(nodes, terminal))
            return result
        shift, reduce, chain = self._tables.shift, self._tables.reduce, self._engine.factory.chains.after
        goto = self._tables.goto
        level: _Tops = {}
        shifted: _Tops = {}
        seen: set[_Top] = set()
        for node in nodes:
            if node.parents:
                seen.update((node.state, parent) for parent in node.parents)
            elif node.is_open:
                seen.add((_ITSELF, node))
            else:
                if terminal in shift[node.state]:
                    shifted.setdefault((shift[node.state][terminal], node.depth), {})[node] = None
                for lhs, length in reduce[node.state].get(terminal, ()):
                    seen.update(self._gone(self._pop(node, length), lhs))
        todo = list(seen)
        while todo:
            state, parent = todo.pop()
            if parent.is_open:  # some thousand of them, each met once: chains would be kept for nothing
                below = state != _ITSELF
                state = state if below else parent.state
                if terminal in shift[state]:
                    if below:
                        level.setdefault((state, parent.depth), {})[parent] = None
                    else:
                        shifted.setdefault((shift[state][terminal], parent.depth), {})[parent] = None
                here = goto[parent.state]
                for lhs, length in reduce[state].get(terminal, ()):
                    count = length - below
                    if count:
                        new = self._pushed(parent, count, lhs) - seen
                        seen |= new
                        todo += new
                    elif lhs in here and (top := (here[lhs], parent)) not in seen:
                        seen.add(top)
                        todo.append(top)
                continue
            shifting, reductions = chain(parent.state, state, terminal)
            for end in shifting:
                level.setdefault((end, parent.depth), {})[parent] = None
            for lhs, length in reductions:
                for top in self._gone(self._pop(parent, length - 1), lhs):
                    if top not in seen:
                        seen.add(top)
                        todo.append(top)
        for (state, _), parents in level.items():
            node = self._any_or_node(state, parents)
            shifted.setdefault((shift[state][terminal], node.depth), {})[node] = None
        result = memo[nodes, terminal] = self._settle(shifted)
        return result

    def _advance_few(self, nodes: _Nodes, terminal: int) -> _Nodes | None:
        """As `_as_is` for a few stacks with one action at each step, each by itself; None where the results have to be merged."""
        results: _Nodes = frozenset()
        tops = set[tuple[int, int]]()
        for node in nodes:
            after = self._advance_only(node, terminal)
            if after is None:
                return None
            results |= after
            for top in after:
                tops.add((top.state, top.depth))
        return results if len(tops) == len(results) else None

    def _advance_only(self, top: OpenNode, terminal: int) -> _Nodes | None:
        """As `_advance_few` for a single stack; None where there are several actions, or the stack's bottom is met."""
        tables, chain = self._tables, self._engine.factory.chains.after
        goto = tables.goto
        state, parents = top.state, top.parents
        if len(parents) != 1:
            return None
        below = parents[0]
        while True:
            shifting, reductions = chain(below.state, state, terminal)
            if not reductions:
                break
            if shifting or len(reductions) > 1:
                return None
            lhs, length = next(iter(reductions))
            for _ in range(length - 1):
                if len(below.parents) != 1:
                    return None
                below = below.parents[0]
            if (to := goto[below.state].get(lhs)) is None:
                return frozenset()
            state = to
        if len(shifting) > 1:
            return None
        end = next(iter(shifting), None)
        if end is None:
            return frozenset()
        state = tables.shift[end][terminal]
        below = self._node(end, (below,))
        while (reduction := tables.default[state]) is not None:
            lhs, length = reduction
            under = below
            while length > 1 and len(under.parents) == 1:
                under, length = under.parents[0], length - 1
            if length > 1 or under.is_open or 0 <= self._dedent == tables.accessing[state]:
                return self._settle({(state, below.depth): {below: None}})
            if (to := goto[under.state].get(lhs)) is None:
                return frozenset()
            state, below = to, under
        node = self._node(state, (below,))
        return frozenset((node,)) if node.depth <= self._max_depth else frozenset()

    def _shifted(self, nodes: _Nodes, terminal: int) -> _Tops:
        """The stacks after a terminal where reductions lead only to other nodes of this set, all open: a stack that takes the
        terminal after some reductions is, after these, one that takes it at once."""
        shifted = _Tops()
        for node in nodes:
            to = self._tables.shift[node.state].get(terminal)
            if to is not None:
                shifted.setdefault((to, node.depth), {})[node] = None
        return shifted

    def _gone(self, uncovered: Iterable[OpenNode], lhs: int) -> list[tuple[int, OpenNode]]:
        """A nonterminal pushed on these nodes: (the state on top, the node below it)."""
        goto = self._tables.goto
        return [(goto[node.state][lhs], node) for node in uncovered if lhs in goto[node.state]]

    def _pushed(self, node: OpenNode, count: int, lhs: int) -> frozenset[_Top]:
        """The tops after pushing a nonterminal count pops below an open node, some hundreds: a set, from which the tops already met
        are subtracted at once. A state on top of all nodes that may lie below it is an open node itself."""
        pushed = node.pushed.get((count, lhs))
        if pushed is None:
            targets = None if self._above or lhs in self._uneven else self._tables.targets[node.state].get((lhs, count))
            if targets is not None:
                flag, reach = node.depth, self.reach
                whole = [(_ITSELF, self._open_node(state, flag)) for state in targets[0] if (state, flag) in reach]
                parts = [(state, self._open_node(u, flag)) for state, u in targets[1] if (u, flag) in reach]
                pushed = frozenset((*whole, *parts))
            else:
                tops = _Tops()
                for state, below in self._gone(self._pop_open(node, count), lhs):
                    tops.setdefault((state, below.depth), {})[below] = None
                pushed = frozenset(self._as_tops(tops))
            node.pushed[count, lhs] = pushed
        return pushed

    def _as_tops(self, tops: _Tops) -> Iterator[_Top]:
        """The tops one by one; an open node for a state on top of all nodes that may lie below it."""
        for (state, _), nodes in tops.items():
            open_node = self._any(state, nodes)
            if open_node is not None:
                yield _ITSELF, open_node
            else:
                yield from ((state, node) for node in nodes)

    def _any(self, state: int, below: Iterable[OpenNode]) -> OpenNode | None:
        """The open node for a state on top of these nodes, all of one depth; None where they are not all that may lie below it."""
        below = tuple(below)
        depth = below[0].depth
        if len(below) != self._width(state, depth) or not all(node.is_open for node in below):
            return None
        return self._open_node(state, depth)

    def _width(self, state: int, depth: int) -> int:
        """The number of open nodes below an open node; 0 where they, or their depths, tell more than the one above."""
        width = self._widths.get((state, depth))
        if width is None:
            tells_more = self._above or self._delta[state] or self._is_root(state)
            width = 0 if tells_more else sum((below, depth) in self.reach for below in self._below[state])
            self._widths[state, depth] = width
        return width

    def _any_or_node(self, state: int, below: Iterable[OpenNode]) -> OpenNode:
        return self._any(state, below) or self._node(state, below)

    @cached_property
    def _uneven(self) -> set[int]:
        """The nonterminals that open or close brackets."""
        rules, brackets = self._tables.rules, self._brackets
        return {lhs for lhs, symbols in rules if sum(brackets.get(~symbol, 0) for symbol in symbols)}

    def _settle(self, shifted: _Tops) -> _Nodes:
        """The nodes after the reductions that need no lookahead."""
        tables, out = self._tables, _Tops()
        todo = [*self._as_tops(shifted)]
        seen = set(todo)
        settled: list[OpenNode] = []
        while todo:
            state, below = todo.pop()
            itself = state == _ITSELF
            state = below.state if itself else state
            reduction = tables.default[state]
            if reduction is None or 0 <= self._dedent == tables.accessing[state]:
                if itself:
                    settled.append(below)
                else:
                    out.setdefault((state, below.depth), {})[below] = None
                continue
            lhs, length = reduction
            count = length - (not itself)
            if below.is_open and count:
                new = self._pushed(below, count, lhs) - seen
            else:
                new = set(self._gone(self._pop(below, count), lhs)) - seen
            seen |= new
            todo += new
        settled += (self._any_or_node(state, parents) for (state, _), parents in out.items())
        return frozenset(node for node in settled if node.depth <= self._max_depth)

    def _close_block(self, nodes: _Nodes, lower: _Nodes | None) -> _Nodes:
        """DEDENT; lower: the nodes below the block's INDENT, None when it opened before B."""
        closed = self._closed.get((nodes, lower))
        if closed is not None:
            return closed
        tables, after = self._tables, _Tops()
        for top in self._advance(nodes, self._dedent):
            reduction = tables.default[top.state]
            assert reduction is not None, "after DEDENT nothing is read"
            lhs, length = reduction
            uncovered, bottoms = self._popped((top,), length)  # through the INDENT: all that may lie below an open node
            for bottom, left in bottoms:
                for low in lower or ():
                    if tables.shift[low.state].get(self._indent) == bottom.state:
                        uncovered.update(dict.fromkeys(self._pop(low, left - 1)))
            for node in uncovered:
                to = tables.goto[node.state].get(lhs)
                if to is not None:
                    after.setdefault((to, node.depth), {})[node] = None
        self._engine.made += 1
        result = self._closed[nodes, lower] = self._settle(after)
        return result

    def _start_line(self, configs: ConfigurationSet, line: Line) -> dict[_Config, _Nodes]:
        out: dict[_Config, _Nodes] = {}

        def add(config: _Config, nodes: _Nodes) -> None:
            if nodes:
                out[config] = out.get(config, frozenset()) | nodes

        for config, nodes in configs.items:
            add(config, frozenset(n for n in nodes if n.depth > 0))
            if line.column == TOO_DEEP:
                continue
            ended = self._advance(frozenset(n for n in nodes if n.depth <= 0), self._newline)
            if line.column == SAME_BLOCK:
                add(config, ended)
                continue
            frames = config.frames
            while ended and frames and line.column < frames[-1][1].column:
                ended, frames = self._close_block(ended, frames[-1][0]), frames[:-1]
            if not ended:
                continue
            popped = len(frames) < len(config.frames)
            inside: _Nodes = frozenset() if popped else self._opened(ended)
            if frames:
                if line == frames[-1][1]:
                    add(config._replace(frames=frames), ended)
                elif _is_deeper(line, frames[-1][1]):
                    add(config._replace(frames=(*frames, (ended, line))), inside)
                continue
            self._outside(config, line, ended, inside, add)
        return out

    def _opened(self, ended: _Nodes) -> _Nodes:
        shift = self._tables.shift
        states = {shift[n.state][self._indent] for n in ended if self._indent in shift[n.state]}
        return frozenset(self._root(state) for state in states)

    def _outside(
        self, config: _Config, line: Line, ended: _Nodes, inside: _Nodes, add: Callable[[_Config, _Nodes], None]
    ) -> None:
        """A line in the block of B's outside, or one that opens a block there or leaves it."""
        columns, under = config.columns, config.under
        if columns is not None:
            if line == columns:
                add(_Config((), columns, under), ended)
            elif _is_deeper(line, columns):
                add(_Config(((ended, line),), columns, under), inside)
            if line.column >= columns.column:
                return
            dedents = min(columns.column - line.column, columns.alt_column - line.alt_column)
        else:
            if _is_deeper(under, line):
                add(_Config((), line, _NOWHERE), ended)
            if _is_deeper(line, _NOWHERE):
                below = Line(min(under.column, line.column), min(under.alt_column, line.alt_column))
                add(_Config(((ended, line),), None, below), inside)
            dedents = min(under.column - line.column, under.alt_column - line.alt_column) - 1
        left: _Nodes = frozenset()
        for _ in range(min(dedents, _MAX_DEDENTS)):
            ended = self._close_block(ended, None)
            if not ended or ended <= left:
                break
            left |= ended
        add(_Config((), line, _NOWHERE), left)


def _is_deeper(line: Line, than: Line) -> bool:
    """Whether a line is further right by both counts of its tabs."""
    return line.column > than.column and line.alt_column > than.alt_column
