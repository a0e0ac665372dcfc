"""Running over the text in brackets, in the languages of grammar files, whatever lies around them.

In some states of the parser any text up to the next closing bracket that is not opened behind them leaves their cell alone, since no
item of theirs can be complete before. On top of such a cell stacks are run over terminals as usual (a look-up each), however long
the text in the brackets is; only the effect of the closing bracket depends on the cells below.
"""

from __future__ import annotations

from functools import cached_property

from ..glr.gss import GssState
from ..glr.layout import Line
from ..glr.prefix import Engine
from ..glr.suffix import ANY_TEXT, Key, Result, TokenStream, remember
from ..grammar.lalr import END

_MEMO_EVERY = 16
_HERE = -1
"""In place of a column in keys of a run's memo; of the other stand the brackets open."""


class Brackets:
    """Summaries of the text between matched brackets, for the grammar of one engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @cached_property
    def balanced(self) -> frozenset[int]:
        """The nonterminals all of whose texts have their brackets balanced."""
        tables = self._engine.factory.tables
        balanced = set(range(len(tables.nonterminals)))
        while True:
            unbalanced = {
                lhs for lhs, rhs in tables.rules if lhs in balanced and self._closes(rhs, balanced) is not None
            }
            if not unbalanced:
                return frozenset(balanced)
            balanced -= unbalanced

    @cached_property
    def states(self) -> frozenset[int]:
        """Those whose cell stays until a bracket closes that was open when it was made, and that at the bottom of all."""
        tables = self._engine.factory.tables
        inside = {
            state
            for state, kernel in enumerate(tables.kernels)
            if kernel
            and all(self._closes(tables.rules[rule][1][dot:], self.balanced) == "closed" for rule, dot in kernel)
        }
        return frozenset(inside | {0})

    def _closes(self, symbols: tuple[int, ...], balanced: frozenset[int] | set[int]) -> str | None:
        """None: the brackets are balanced; "closed": up to a closing bracket without an opening one they are; else "unknown"."""
        delta, depth = self._engine.factory.brackets, 0
        for symbol in symbols:
            if symbol >= 0:
                if symbol not in balanced:
                    return "unknown"
                continue
            depth += delta.get(~symbol, 0)
            if depth < 0:
                return "closed"
        return "unknown" if depth else None

    def above(self, state: int, *pushed: int) -> GssState:
        """The stacks that are known from a cell of a state on."""
        factory = self._engine.factory
        return factory.above(factory.bottom(state), pushed)

    def run(self, stacks: GssState, run: TokenStream, index: int) -> tuple[GssState, TokenStream, int] | None:
        """Take terminals until a bracket closes that is not open in these stacks; (stacks, run, index of it), None where it dies.

        At the end of the text, too, the last terminal is left.
        """
        engine = self._engine
        advance, delta = engine.factory.advance, engine.factory.brackets
        tokens = run.tokens
        result: Result = None
        depth = 0  # counted here: where a nonterminal is not balanced, nodes do not tell it
        path: list[tuple[TokenStream, Key]] = []
        while True:
            try:
                token = tokens[index]
            except IndexError:
                if not run.more(engine):
                    if run.link is None:
                        break
                    run, index = run.link
                    tokens = run.tokens
                continue
            if not index % _MEMO_EVERY:
                key = stacks, index, depth, _HERE
                if key in run.memo:
                    result = run.recall(key)
                    break
                path.append((run, key))
                engine.ask()
            assert type(token) is not Line, "a grammar file's language has no lines"
            nested = depth + delta.get(token, 0)
            if nested < 0 or token in (ANY_TEXT, END):
                result = stacks, run, index
                break
            try:
                after = stacks.memo[token]
            except KeyError:
                after = advance(stacks, token)
            if after is None:
                break
            stacks, depth = after, nested
            index += 1
        remember(path, result)
        engine.made += len(path)
        if result is None:
            return None
        after, stream, index = result
        assert after is not None and stream is not None, "only blocks accept"
        return after, stream, index
