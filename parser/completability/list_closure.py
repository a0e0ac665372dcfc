"""Languages whose files are lists: there a left and a right context connect just where each is viable by itself.

A file is then a beginning, items, and an end (statements, declarations, lines). An *anchor* is an LR state on top whenever items can
come, and again after each of them, with the same stack below it every time. If a text can be completed up to an anchor, it goes with
every right context reached by the beginning of some item from that anchor: the text is completed, a blank keeps the symbols apart,
and the item cut by the right context is begun anew. Both are decided without the other: for the left context along its stacks, for
the right one by GLR from an unknown stack above the anchor.

This finds most pairs that connect, and no others; the rest (a text that has gone on behind the items) is left to prestar.py.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence, Set
from functools import cached_property, partial

from ..glr.gss import GssNode, GssState, pop
from ..glr.prefix import Engine, PrefixState
from ..glr.suffix import SuffixContext
from ..glr.suffix_viability import SuffixParser
from ..grammar.lalr import Tables
from ..lexing.base import LexState, settled
from ..lexing.dfa_lexer import Between, DfaLexer
from .any_text import AnyText
from .context_states import states_by_context

_MAX_ANCHORS = 4
_SEPARATORS = ("\n", " ")


class Anchor:
    """One anchor: an LR state, on stacks of exactly these states from the bottom up to it."""

    def __init__(
        self, engine: Engine, chain: Sequence[int], beneath: Callable[[LexState], Set[int] | None] | None = None
    ) -> None:
        """beneath: the LR states on top in a lexer state, where not all can be."""
        self.engine = engine
        self.chain = chain
        self._level = {state: level for level, state in enumerate(chain)}
        self.suffixes = SuffixParser(engine, {}, above=chain, beneath=beneath)
        self._known: dict[GssNode, bool] = {}

    def reached(self, stacks: GssState) -> bool:
        """Whether a text can be completed from one of these stacks up to the anchor."""
        return any(self._from(top) for top in stacks.tops)

    def _is_below(self, node: GssNode) -> bool:
        """Whether this is the anchor, or a stack it can lie on."""
        level = self._level.get(node.state)
        if level is None:
            return False
        nodes: set[GssNode] = {node}
        while level:
            level -= 1
            nodes = {below for node in nodes for below in node.parents if below.state == self.chain[level]}
        return any(not node.parents for node in nodes)

    def _from(self, top: GssNode) -> bool:
        """Complete the items of cells until the anchor or a state below it is on top."""
        reaches, tables, factory = self._known, self.engine.factory.tables, self.engine.factory
        came_from: dict[GssNode, GssNode | None] = {top: None}
        todo = [top]
        while todo:
            node = todo.pop()
            if reaches.get(node) is False:
                continue
            if reaches.get(node) or self._is_below(node):
                ancestor: GssNode | None = node
                while ancestor is not None:
                    reaches[ancestor] = True
                    ancestor = came_from[ancestor]
                return True
            for rule, dot in tables.kernels[node.state]:
                lhs = tables.rules[rule][0]
                for below in pop((node,), dot):
                    to = tables.goto[below.state].get(lhs)
                    if to is not None:
                        after = factory.on_top(to, below)
                        if after not in came_from:
                            came_from[after] = node
                            todo.append(after)
        reaches.update(dict.fromkeys(came_from, False))
        self.engine.made += len(came_from)
        return False


class ListClosure:
    """The anchors of one engine over a grammar file."""

    def __init__(self, engine: Engine, anytext: AnyText) -> None:
        assert isinstance(engine.lexer, DfaLexer)
        self._engine, self._lexer = engine, engine.lexer
        self._anytext = anytext

    @cached_property
    def anchors(self) -> list[Anchor]:
        """The anchors, with the most possible followers first; none where symbols cannot be kept apart."""
        if self._engine.lines is not None or not separated(self._lexer):
            return []
        beneath = None
        if self._lexer.contexts > 1:
            tops = states_by_context(self._engine.factory.tables, self._lexer)
            if tops is None:
                return []
            beneath = partial(_of_context, self._lexer, tops)
        chains = _chains(self._engine.factory.tables)
        return [Anchor(self._engine, chain, beneath) for chain in chains[:_MAX_ANCHORS]]

    @cached_property
    def entries(self) -> list[LexState]:
        """The lexer states in which some text may meet a right context."""
        starts = self._lexer.between
        return list(dict.fromkeys([*starts, *(s for start in starts for s in self._anytext.way(start).entries)]))

    def follow(self, right: SuffixContext) -> list[Anchor]:
        """The anchors a right context can follow."""
        if right.tail.behind is not None:
            return []
        return [anchor for anchor in self.anchors if anchor.suffixes.viable_from(right, self.entries) is not None]

    @cached_property
    def _anywhere(self) -> SuffixParser:
        return SuffixParser(self._engine, {})

    def refuses(self, right: SuffixContext) -> bool:
        """Whether a right context is the end of no text, as far as a quick look tells. Asked where the language has anchors."""
        if not self.anchors or right.tail.behind is not None:
            return False
        return self._anywhere.viable_from(right, self.entries) is None

    def reaches(self, left: PrefixState, anchors: Sequence[Anchor]) -> bool:
        """Whether the symbol in progress can be ended, and the text be completed up to one of these anchors."""
        return bool(anchors) and any(anchor.reached(stacks) for stacks in self._ended(left) for anchor in anchors)

    def _ended(self, left: PrefixState) -> list[GssState]:
        lex = settled(left.lex)
        if isinstance(lex.symbol, Between):
            return [left.stacks] if not lex.symbol.watched else []
        ends: list[GssState] = []
        for terminal in self._lexer.own_endings(lex):
            after = left.stacks if terminal is None else self._engine.factory.advance(left.stacks, terminal)
            if after is not None:
                ends.append(after)
        return ends


def _of_context(lexer: DfaLexer, tops: Sequence[Set[int]], lex: LexState) -> Set[int]:
    return tops[lexer.context_of(lex)]


def separated(lexer: DfaLexer) -> bool:
    """Whether some blank can stand between any two symbols without becoming part of either."""
    return any(lexer.separates(char) for char in _SEPARATORS)


def _chains(tables: Tables) -> list[list[int]]:
    """The states from the bottom to each anchor; anchors with the most possible followers first."""
    above: list[list[int]] = [[] for _ in tables.below]
    for state, below in enumerate(tables.below):
        for b in below:
            above[b].append(state)
    ways = _shortest_ways(above)
    chains: list[tuple[int, list[int]]] = []
    for state, kernel in enumerate(tables.kernels):
        rules = [tables.rules[rule] for rule, dot in kernel if dot == 1]
        lists = {lhs for lhs, rhs in rules if rhs[0] == lhs}  # N -> N . item, where N leads here
        chain = ways.get(state)
        if chain is None or not any(tables.goto[chain[-2]].get(n) == state for n in lists):
            continue
        inside = _reachable(above, state)
        if inside.isdisjoint(chain[:-1]):
            chains.append((len(inside), chain))
    return [chain for _, chain in sorted(chains, key=lambda item: (-item[0], len(item[1])))]


def _shortest_ways(above: Sequence[Sequence[int]]) -> dict[int, list[int]]:
    """state -> the states from the bottom up to it on a shortest stack, for all but the bottom."""
    ways: dict[int, list[int]] = {0: [0]}
    todo: deque[int] = deque((0,))
    while todo:
        state = todo.popleft()
        for up in above[state]:
            if up not in ways:
                ways[up] = [*ways[state], up]
                todo.append(up)
    return {state: way for state, way in ways.items() if state}


def _reachable(above: Sequence[Sequence[int]], state: int) -> set[int]:
    reachable: set[int] = set()
    todo = list(above[state])
    while todo:
        source = todo.pop()
        if source not in reachable:
            reachable.add(source)
            todo += above[source]
    return reachable
