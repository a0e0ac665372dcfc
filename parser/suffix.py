"""Is a right context B a viable suffix: does some text Z exist such that Z + B is a valid file?

GLR from an unknown stack. An *open* node stands for every path of the automaton, within one block, that ends in its state, with
or without brackets open on it; popping through it gives open nodes for all states that may lie below. Together with A being
a viable prefix this decides completability in languages whose files are closed under concatenation with a newline between, as
Python's are: A can be closed into a file, and B opened from one.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from .blocks import SAME_BLOCK, Line
from .lalr import END, Tables
from .left import Engine
from .lexing import LexState, Token, Tokens
from .right import ANY_TEXT, BUCKET, Right, going_on, next_piece

_DEPTH_CAP = 4
"""Brackets counted on unknown paths; more than any rule opens, so that every closer finds its opener."""
_ANY_COLUMN = 10**6
_MAX_DEDENTS = 100
_KNOWN_EVERY = 8
"""What is known of a place is kept at line ends, where the distance to the end is a multiple of this."""
_ASK_EVERY = 64
_LOOK = 5
"""Terminals of B that decide which states it can start from ..."""
_LOOK_AFTER_LINE = 2
"""... fewer when a line has ended and this many have come after it."""
_ENOUGH = 8
"""Terminals of a broken B that parse when it is entered in one state: there is no need to try others."""


class _Node:
    """A cell of a graph-structured stack over open nodes; or an open node, or the bottom of a block opened in B (no parents).

    depth: brackets open on all the paths to it; an open node stands for any number of them by 1.
    """

    is_interned = True
    __slots__ = ("depth", "is_open", "kids", "parents", "pops", "state")

    def __init__(self, state: int, parents: tuple[_Node, ...], depth: int, is_open: bool) -> None:
        self.state = state
        self.parents = parents
        self.depth = depth
        self.is_open = is_open
        self.kids: dict[int, _Node] = {}  # those with this parent alone
        self.pops: dict[int, tuple[_Node, ...]] = {}  # of an open node


_Nodes = frozenset[_Node]
_Tops = dict[tuple[int, int], dict[_Node, None]]
"""(state on top, depth of the nodes below it) -> these nodes, all of them complete"""


class _Config(NamedTuple):
    """Blocks opened in B, innermost last, as (nodes below INDENT, column); below them a block of B's outside.

    column: that block's column where B has shown it, else None and known to be less than `under`.
    """

    frames: tuple[tuple[_Nodes, int], ...]
    column: int | None
    under: int


_UNKNOWN = _Config((), None, _ANY_COLUMN)


class _Configs:
    """An interned set of configurations, each with the nodes it has come to; memo: a token, or those of a line -> the set after."""

    is_interned = True
    __slots__ = ("items", "memo")

    def __init__(self, items: tuple[tuple[_Config, _Nodes], ...]) -> None:
        self.items = items
        self.memo: dict[Token | Tokens, _Configs | None] = {}


class SuffixParser:
    """GLR from an unknown stack over an engine's tables."""

    def __init__(self, engine: Engine, brackets: dict[int, int]) -> None:
        assert engine.blocks is not None
        self._engine = engine
        self._tables: Tables = engine.factory.tables
        self._newline = engine.blocks.newline
        self._indent, self._dedent = self._tables.terminal("INDENT"), self._tables.terminal("DEDENT")
        self._delta = [brackets.get(t, 0) if t >= 0 else 0 for t in self._tables.accessing]
        self._open: dict[tuple[int, int], _Node] = {}
        self._roots: dict[int, _Node] = {}
        self._merged: dict[tuple[int, _Nodes], _Node] = {}
        self._max_depth = engine.factory.max_depth
        self._advanced: dict[tuple[_Nodes, int], _Nodes] = {}
        self._closed: dict[tuple[_Nodes, _Nodes | None], _Nodes] = {}
        self._sets: dict[frozenset[tuple[_Config, _Nodes]], _Configs] = {}
        engine.kept += [self._open, self._roots, self._merged, self._advanced, self._closed, self._sets]
        reachable = self._reachable()
        self._reach = {(state, min(depth, 1)) for state, depth in reachable}
        nodes = frozenset(self._open_node(state, flag) for state, flag in self._reach)
        anything = self._configs({_UNKNOWN: nodes})
        assert anything is not None
        self._anything: _Configs = anything
        self._inside = self._configs({_UNKNOWN: frozenset(node for node in nodes if node.depth)})

    def viable_from(self, right: Right, entries: Iterable[LexState]) -> LexState | None:
        """The first of these lexer states in which B can be entered so that it is viable.

        Entered at the beginning of a line, B's first Line says nothing of Z's end.
        """
        lexer, text = self._engine.lexer, right.tail.text
        begin = len(text) - right.length
        end, _ = next_piece(text, begin)
        tried: dict[LexState, list[Tokens]] = {}  # state after the first piece -> its terminals
        for entry in dict.fromkeys(entries):
            lex, tokens = lexer.step_text(entry, text[begin:end])
            if lex is None:
                continue
            skip_line = entry.kind.startswith("line")
            if skip_line and tokens:
                tokens, skip_line = tokens[1:], False
            if not skip_line:
                before = tried.setdefault(lex, [])
                if any(_follows(known, tokens) for known in before):
                    continue
                before.append(tokens)
            if self._viable(right, lex, tokens, end, skip_line):
                return entry
        return None

    def begins(self, right: Right, lex: LexState, count: int) -> bool:
        """Can B be entered in a lexer state, as far as its first `count` terminals tell?"""
        tokens = tuple(islice(right.run(lex).all_tokens(self._engine), count))
        ends = END in tokens
        whole = ends or len(tokens) == count or tokens[-1:] == (ANY_TEXT,)
        if not ends and tokens[-1:] == (ANY_TEXT,):
            tokens = tokens[:-1]
        configs = self._over(self._anything, tokens[lex.kind.startswith("line") : -1 if ends else None])
        if configs is None or not ends:
            return configs is not None and whole
        return any(self._advance(nodes, END) for _, nodes in configs.items)

    def _viable(self, right: Right, lex: LexState, tokens: Tokens, at: int, skip_line: bool) -> bool:
        """Go on at an offset of the tail, after these terminals.

        What is found is kept with the tail, by distance to the end: other ways there, and other right contexts, meet it.
        """
        engine, lexer, text = self._engine, self._engine.lexer, right.tail.text
        size, pieces, result = len(text), 0, False
        configs = self._over(self._anything, tokens)
        path: list[tuple[dict[tuple[int, LexState, _Configs], bool], tuple[int, LexState, _Configs]]] = []
        while configs is not None:
            if not skip_line and (not pieces or (size - at) % _KNOWN_EVERY == 0):
                known, key = right.tail.viable.setdefault((size - at) // BUCKET, {}), (size - at, lex, configs)
                if key in known:
                    result = known[key]
                    break
                path.append((known, key))
            if at == size:
                tokens = lexer.finish(lex) or ()
                configs = self._over(configs, tokens[skip_line:-1]) if tokens else None
                result = configs is not None and any(self._advance(nodes, END) for _, nodes in configs.items)
                break
            loop = lexer.loop(lex)
            begin = at if loop is None else loop.match(text, at).end()  # type: ignore[union-attr]
            at, is_line = next_piece(text, begin)
            after, tokens = (lexer.step_line if is_line else lexer.step_text)(lex, text[begin:at])
            if after is None:
                break
            lex = after
            if tokens and skip_line:
                tokens, skip_line = tokens[1:], False
            configs = (self._over_line if is_line else self._over)(configs, tokens)
            pieces += 1
            if pieces % _ASK_EVERY == 0:
                engine.ask()
        for known, key in path:
            known[key] = result
        return result

    def longest_beginning(self, text: str, entries: Iterable[LexState], depth: int) -> tuple[int, int]:
        """(length of a beginning of a text that is viable with any text after it, brackets open at its end).

        It ends with the last logical line before the place where the rest dies; or else in the brackets, `depth` of them, that are
        open before the text, where it gets as far in them. Of the beginnings from the entries the longest counts, but for those
        after an entry that goes a good way (_ENOUGH).
        """
        best = 0, 0
        for entry in dict.fromkeys(entries):
            end, terminals, _ = self._beginning(text, entry, self._anything, 0)
            if end > best[0]:
                best = end, 0
            if depth and self._inside is not None:
                within, more, net = self._beginning(text, entry, self._inside, depth)
                if within >= max(best[0], 1) and net > 0:
                    best, terminals = (within, net), max(terminals, more)
            if terminals >= _ENOUGH:
                break
        return best

    def _beginning(self, text: str, lex: LexState, configs: _Configs | None, depth: int) -> tuple[int, int, int]:
        """(length, terminals, brackets open at the end), where the end is in brackets if `depth` are open before the text."""
        lexer, brackets = self._engine.lexer, self._engine.factory.brackets
        at = pieces = count = 0
        end = 0, 0, 0
        while at < len(text):
            begin = at
            at, is_line = next_piece(text, begin)
            after, tokens = (lexer.step_line if is_line else lexer.step_text)(lex, text[begin:at])
            if after is None:
                break
            lex, configs = after, (self._over_line if is_line else self._over)(configs, tokens)
            if configs is None:
                break
            count += len(tokens)
            if depth:
                depth += sum(brackets.get(token, 0) for token in tokens if isinstance(token, int))
                if depth <= 0:
                    break
            last = lexer.finish(lex) if text[at - 1] == "\n" else None
            if last:
                reached = configs if depth else self._over(configs, going_on(last)[:-1])
                if reached is not None and any(
                    (n.depth > 0) == (depth > 0) for _, nodes in reached.items for n in nodes
                ):
                    end = at, count, depth
            pieces += 1
            if pieces % _ASK_EVERY == 0:
                self._engine.ask()
        return end

    def survivors(self, right: Right, lex: LexState) -> frozenset[int]:
        """The LR states that shift B's first terminal and with which on top its first logical line, and what comes next,
        can be parsed on some stack."""
        tokens: list[Token] = []
        for token in right.run(lex).all_tokens(self._engine):
            if token == ANY_TEXT:
                break
            tokens.append(token)
            lines = sum(isinstance(t, Line) for t in tokens)
            if len(tokens) == _LOOK or (lines and not any(isinstance(t, Line) for t in tokens[-_LOOK_AFTER_LINE:])):
                break
        outside = self._newline if tokens and isinstance(tokens[0], Line) else next(iter(tokens), END)
        inside = next((t for t in tokens if not isinstance(t, Line)), END)
        alive: set[int] = set()
        for state, flag in self._reach:
            if state not in alive and (inside if flag else outside) in self._tables.shift[state]:
                self._engine.ask()
                start = self._configs({_UNKNOWN: frozenset((self._open_node(state, flag),))})
                if self._over(start, tokens) is not None:
                    alive.add(state)
        return frozenset(alive)

    def _configs(self, found: dict[_Config, _Nodes]) -> _Configs | None:
        """The interned set; None when it is empty."""
        if not found:
            return None
        key = frozenset(found.items())
        known = self._sets.get(key)
        if known is None:
            known = self._sets[key] = _Configs(tuple(found.items()))
            self._engine.made += 1
        return known

    def _over_line(self, configs: _Configs | None, tokens: Tokens) -> _Configs | None:
        """As `_over`, kept."""
        if configs is None or not tokens:
            return configs
        try:
            return configs.memo[tokens]
        except KeyError:
            after = configs.memo[tokens] = self._over(configs, tokens)
            return after

    def _over(self, configs: _Configs | None, tokens: Iterable[Token]) -> _Configs | None:
        for token in tokens:
            if configs is None:
                return None
            try:
                configs = configs.memo[token]
            except KeyError:
                before = configs
                configs = before.memo[token] = self._step(before, token)
        return configs

    def _step(self, configs: _Configs, token: Token) -> _Configs | None:
        self._engine.made += 1
        if isinstance(token, Line):
            return self._configs(self._start_line(configs, token.column))
        moved = {config: self._advance(nodes, token) for config, nodes in configs.items}
        return self._configs({config: nodes for config, nodes in moved.items() if nodes})

    # -- unknown stacks

    def _is_root(self, state: int) -> bool:
        return state == 0 or self._tables.accessing[state] == self._indent

    def _reachable(self) -> set[tuple[int, int]]:
        """(state, brackets open) on paths from the bottom of a block, brackets capped."""
        above: list[list[int]] = [[] for _ in self._tables.below]
        for state, below in enumerate(self._tables.below):
            for b in below:
                above[b].append(state)
        found: set[tuple[int, int]] = set()
        todo = [(state, 0) for state in range(len(above)) if self._is_root(state)]
        while todo:
            at = todo.pop()
            if at in found:
                continue
            found.add(at)
            for state in above[at[0]]:
                depth = at[1] + self._delta[state]
                if not self._is_root(state) and 0 <= depth <= _DEPTH_CAP:
                    todo.append((state, depth))
        return found

    def _open_node(self, state: int, flag: int) -> _Node:
        node = self._open.get((state, flag))
        if node is None:
            node = self._open[state, flag] = _Node(state, (), flag, True)
        return node

    def _root(self, state: int) -> _Node:
        node = self._roots.get(state)
        if node is None:
            node = self._roots[state] = _Node(state, (), 0, False)
        return node

    def _node(self, state: int, parents: Iterable[_Node]) -> _Node:
        """The node of a state on top of others, which have one depth."""
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

    def _new_node(self, state: int, parents: tuple[_Node, ...]) -> _Node:
        self._engine.made += 1
        return _Node(state, parents, parents[0].depth + self._delta[state], False)

    def _pop(self, node: _Node, count: int) -> Iterable[_Node]:
        """The nodes that count pops uncover."""
        if not count:
            return (node,)
        if node.is_open:
            return self._pop_open(node, count)
        if count == 1:
            return node.parents
        return self._popped((node,), count)[0]

    def _popped(self, level: Iterable[_Node], count: int) -> tuple[dict[_Node, None], list[tuple[_Node, int]]]:
        """(the nodes that count pops uncover, bottoms of blocks met on the way with the pops left there)."""
        found: dict[_Node, None] = {}
        bottoms: list[tuple[_Node, int]] = []
        while count and level:
            below: dict[_Node, None] = {}
            for node in level:
                if node.is_open:
                    found.update(dict.fromkeys(self._pop_open(node, count)))
                elif node.parents:
                    below.update(dict.fromkeys(node.parents))
                else:
                    bottoms.append((node, count))
            level, count = below, count - 1
        if not count:
            found.update(dict.fromkeys(level))
        return found, bottoms

    def _pop_open(self, node: _Node, count: int) -> tuple[_Node, ...]:
        known = node.pops.get(count)
        if known is None:
            paths = {(node.state, 0)}  # (state uncovered, brackets it has open more than node)
            for _ in range(count):
                paths = {(b, rel - self._delta[s]) for s, rel in paths for b in self._tables.below[s]}
            found: dict[_Node, None] = {}
            for state, rel in paths:
                for flag in self._flags(node.depth, rel):
                    if (state, flag) in self._reach:
                        found[self._open_node(state, flag)] = None
            known = node.pops[count] = tuple(found)
        return known

    @staticmethod
    def _flags(depth: int, rel: int) -> tuple[int, ...]:
        """Whether brackets are open rel above a node that has none (depth 0) or some (1) open."""
        if depth == 0:
            return (int(rel > 0),) if rel >= 0 else ()
        if rel == -1:
            return (0, 1)
        return (1,) if rel >= 0 else ()

    # -- moves

    def _advance(self, nodes: _Nodes, terminal: int) -> _Nodes:
        known = self._advanced.get((nodes, terminal))
        if known is not None:
            return known
        shift, reduce = self._tables.shift, self._tables.reduce
        level: _Tops = {}
        todo: list[tuple[int, _Node]] = []
        shifted: _Tops = {}
        for node in nodes:
            if node.parents:
                tops = level.setdefault((node.state, node.parents[0].depth), {})
                new = [parent for parent in node.parents if parent not in tops]
                tops.update(dict.fromkeys(new))
                if terminal in reduce[node.state]:
                    todo += [(node.state, parent) for parent in new]
                continue
            to = shift[node.state].get(terminal)
            if to is not None:
                shifted.setdefault((to, node.depth), {})[node] = None
            for lhs, length in reduce[node.state].get(terminal, ()):
                self._go(self._pop(node, length), lhs, terminal, level, todo)
        while todo:
            state, parent = todo.pop()
            for lhs, length in reduce[state][terminal]:
                self._go(self._pop(parent, length - 1), lhs, terminal, level, todo)
        for (state, _), parents in level.items():
            to = shift[state].get(terminal)
            if to is not None:
                node = self._node(state, parents)
                shifted.setdefault((to, node.depth), {})[node] = None
        self._engine.made += 1
        result = self._advanced[nodes, terminal] = self._settle(shifted)
        return result

    def _go(
        self, uncovered: Iterable[_Node], lhs: int, terminal: int, level: _Tops, todo: list[tuple[int, _Node]]
    ) -> None:
        """Push a nonterminal on these nodes."""
        goto, reduce = self._tables.goto, self._tables.reduce
        for node in uncovered:
            to = goto[node.state].get(lhs)
            if to is not None:
                tops = level.setdefault((to, node.depth), {})
                if node not in tops:
                    tops[node] = None
                    if terminal in reduce[to]:
                        todo.append((to, node))

    def _settle(self, shifted: _Tops) -> _Nodes:
        """The nodes after the reductions that need no lookahead."""
        tables, out = self._tables, _Tops()
        todo = [(state, node) for (state, _), nodes in shifted.items() for node in nodes]
        seen = set(todo)
        while todo:
            state, below = todo.pop()
            reduction = tables.default[state]
            if reduction is None or tables.accessing[state] == self._dedent:
                out.setdefault((state, below.depth), {})[below] = None
                continue
            for node in self._pop(below, reduction[1] - 1):
                to = tables.goto[node.state].get(reduction[0])
                if to is not None and (to, node) not in seen:
                    seen.add((to, node))
                    todo.append((to, node))
        nodes = (self._node(state, parents) for (state, _), parents in out.items())
        return frozenset(node for node in nodes if node.depth <= self._max_depth)

    def _close_block(self, nodes: _Nodes, lower: _Nodes | None) -> _Nodes:
        """DEDENT; lower: the nodes below the block's INDENT, None when it opened before B."""
        known = self._closed.get((nodes, lower))
        if known is not None:
            return known
        tables, after = self._tables, _Tops()
        for top in self._advance(nodes, self._dedent):
            lhs, length = tables.default[top.state]  # type: ignore[misc]
            found, bottoms = self._popped((top,), length)  # through the INDENT: all that may lie below an open node
            for bottom, left in bottoms:
                for low in lower or ():
                    if tables.shift[low.state].get(self._indent) == bottom.state:
                        found.update(dict.fromkeys(self._pop(low, left - 1)))
            for node in found:
                to = tables.goto[node.state].get(lhs)
                if to is not None:
                    after.setdefault((to, node.depth), {})[node] = None
        self._engine.made += 1
        result = self._closed[nodes, lower] = self._settle(after)
        return result

    def _start_line(self, configs: _Configs, column: int) -> dict[_Config, _Nodes]:
        out: dict[_Config, _Nodes] = {}

        def add(config: _Config, nodes: _Nodes) -> None:
            if nodes:
                out[config] = out.get(config, frozenset()) | nodes

        for config, nodes in configs.items:
            add(config, frozenset(n for n in nodes if n.depth > 0))
            ended = self._advance(frozenset(n for n in nodes if n.depth <= 0), self._newline)
            if column == SAME_BLOCK:
                add(config, ended)
                continue
            frames = config.frames
            while ended and frames and column < frames[-1][1]:
                ended, frames = self._close_block(ended, frames[-1][0]), frames[:-1]
            if not ended:
                continue
            popped = len(frames) < len(config.frames)
            inside = frozenset() if popped else self._opened(ended)
            if frames:
                if column == frames[-1][1]:
                    add(_Config(frames, config.column, config.under), ended)
                elif column > frames[-1][1]:
                    add(_Config((*frames, (ended, column)), config.column, config.under), inside)
                continue
            self._outside(config, column, ended, inside, add)
        return out

    def _opened(self, ended: _Nodes) -> _Nodes:
        shift = self._tables.shift
        states = {shift[n.state][self._indent] for n in ended if self._indent in shift[n.state]}
        return frozenset(self._root(state) for state in states)

    def _outside(self, config: _Config, column: int, ended: _Nodes, inside: _Nodes, add) -> None:  # type: ignore[no-untyped-def]
        """A line in the block of B's outside, or one that opens a block in it, or leaves it."""
        if config.column is not None:
            if column == config.column:
                add(_Config((), config.column, config.under), ended)
                return
            if column > config.column:
                add(_Config(((ended, column),), config.column, config.under), inside)
                return
            dedents = config.column - column
        else:
            if column < config.under:
                add(_Config((), column, 0), ended)
            if column > 0:
                add(_Config(((ended, column),), None, min(config.under, column)), inside)
            dedents = min(config.under - 1 - column, _MAX_DEDENTS)
        left: _Nodes = frozenset()
        for _ in range(min(dedents, _MAX_DEDENTS)):
            ended = self._close_block(ended, None)
            if not ended or ended <= left:
                break
            left |= ended
        add(_Config((), column, 0), left)


def _follows(known: Tokens, tokens: Tokens) -> bool:
    """Are these the known terminals with others before them? Then they are viable only where the known ones are:
    an unknown stack is any, those after the others too."""
    first = len(tokens) - len(known)
    return first >= 0 and tokens[first:] == known and not any(isinstance(token, Line) for token in tokens[:first])
