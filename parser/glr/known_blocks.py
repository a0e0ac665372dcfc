"""Right contexts over an unknown stack whose innermost block is known: run as after a left context, to the end of the block.

Between two statements of a block, the unknown text in front matters only through the block's column. The rest of the block has mostly
been run from there before (`SuffixContext.block`), and the memo says where the block ends; at the top level, whether the file does.
So a right context costs its first lines and a step for each block around them, however long they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..grammar.lalr import END
from ..lexing.base import LexState
from .gss import GssState
from .layout import Line
from .prefix import Engine
from .suffix import SuffixContext, TokenStream
from .unknown_gss import ConfigurationSet, UnknownGss

_MARGIN = Line(0, 0)
_AT_MARGIN = re.compile(r"^[^\s#)\]}]", re.MULTILINE)
_KNOWN_EVERY = 16
"""Terminals."""


class KnownBlocks:
    """Viability of right contexts in a language with indentation whose lexer does not ask the stacks."""

    def __init__(self, engine: Engine, unknown: UnknownGss) -> None:
        blocks, factory = engine.blocks, engine.factory
        assert blocks is not None
        self._engine, self._unknown, self._body = engine, unknown, blocks.body
        header = _after(engine, factory.start, (blocks.compound, blocks.colon, blocks.newline))
        inside = factory.open_block(header)
        assert inside is not None, "a block opens behind a header"
        self._in_block = _after(engine, inside, (blocks.body, blocks.newline))
        between = unknown.over(unknown.anything, (_MARGIN, self._body, _MARGIN, self._body, _MARGIN))
        assert between is not None
        ((_, self._between),) = between.items
        states = {node.state: list(factory.tables.below[node.state]) for node in self._between}
        self._in_file = {
            state: factory.above(factory.bottom(0), (state,)) for state, below in states.items() if below == [0]
        }
        self._states = {*self._in_file, *(top.state for top in self._in_block.tops)}
        others = [below for state, below in states.items() if state not in self._in_file]
        assert states.keys() == self._states and others == [[top.state for top in inside.tops]], "in a file or a block"

    def foresee(self, whole: SuffixContext, lex: LexState) -> None:
        """Run a text as a file; unless it is one, run each of its ends from a line at the margin, last first. lex: the state at a
        line's beginning."""
        engine, text = self._engine, whole.text
        if whole.accepts_from(whole.run(engine.start.lex), 0, engine.start.stacks, engine.top):
            return
        for line in reversed([*_AT_MARGIN.finditer(text)]):
            engine.ask()
            place = _reached(engine, *whole.tail.place(lex, len(text) - line.start()))
            if place is not None and place[0].tokens[place[1]] == _MARGIN:
                self._ends_file(whole, (place[0], place[1] + 1), self._in_file)

    def is_viable(self, right: SuffixContext, run: TokenStream, index: int, configs: ConfigurationSet | None) -> bool:
        """Whether the terminals from this place in a run end the file after these stacks."""
        engine, over = self._engine, self._unknown.over
        path: list[tuple[TokenStream, tuple[int, ConfigurationSet]]] = []
        result = False
        while configs is not None:
            if (place := _reached(engine, run, index)) is None:
                break
            run, index = place
            token = run.tokens[index]
            if not index % _KNOWN_EVERY or isinstance(token, Line):
                key = index, configs
                cached = run.unknown.get(key)
                if cached is not None:
                    result = cached
                    break
                path.append((run, key))
            if token == END:
                result = self._unknown.ends(configs)
                break
            if isinstance(token, Line):
                behind = self._behind_block(right, run, index, token, configs)
                if isinstance(behind, bool):
                    result = behind
                    break
                if behind is not None:
                    run, index, configs = behind
                    continue
            configs, index = over(configs, (token,)), index + 1
        for passed, key in path:
            passed.unknown[key] = result
        engine.made += len(path)
        return result

    def _behind_block(
        self, right: SuffixContext, run: TokenStream, index: int, line: Line, configs: ConfigurationSet
    ) -> bool | tuple[TokenStream, int, ConfigurationSet | None] | None:
        """The end of the block of this line and the stacks there, or whether the file ends then; None where the block is unknown."""
        over = self._unknown.over
        behind = _reached(self._engine, run, index + 1)
        inside = over(configs, (line,))
        if behind is None or inside is None:
            return False
        if line == _MARGIN:
            states = (node.state for _, nodes in inside.items for node in nodes if not node.depth)
            if self._ends_file(right, behind, states):
                return True
        if not self._is_between(inside):
            next_one, between = (
                behind[0].tokens[behind[1] : behind[1] + 1],
                self._unknown.in_column(line, self._between),
            )
            if over(inside, next_one) is not over(between, next_one):
                return None
            inside = between
        if line == _MARGIN:
            return self._ends_file(right, behind, self._in_file)
        ended = right.block(behind[0], self._in_block, behind[1], line)
        if ended is None or ended[1] is None:
            return ended is not None
        return (ended[1], ended[2], over(inside, (self._body,))) if ended[0] is self._in_block else None

    def _ends_file(self, right: SuffixContext, place: tuple[TokenStream, int], states: Iterable[int]) -> bool:
        """Whether the terminals from a place on end the file, on the between-statements stack of one of these states."""
        stacks = (self._in_file[state] for state in states if state in self._in_file)
        return any(right.accepts_from(*place, stack, self._engine.top) for stack in stacks)

    def _is_between(self, configs: ConfigurationSet) -> bool:
        """Whether these are just the stacks between two statements of a file or block."""
        return len(configs.items) == 1 and all(node.state in self._states for node in configs.items[0][1])


def _reached(engine: Engine, run: TokenStream, index: int) -> tuple[TokenStream, int] | None:
    """The next place with a terminal, in this run or the one it is joined to; None at the end of the text."""
    while index >= len(run.tokens):
        if not run.more(engine):
            if run.link is None:
                return None
            run, index = run.link
    return run, index


def _after(engine: Engine, stacks: GssState, terminals: tuple[int, ...]) -> GssState:
    for terminal in terminals:
        after = engine.factory.advance(stacks, terminal)
        assert after is not None, "these terminals may come"
        stacks = after
    return stacks
