"""Running over the text in brackets, in the languages of grammar files, whatever lies around them.

In some parser states no item can be complete before a closing bracket, so their cell survives every text up to the next unmatched
one. On top of such a cell stacks are run over terminals as usual (a look-up each), however long the text in the brackets is; only the
effect of the closing bracket depends on the cells below.
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
"""In place of a column in keys of a run's memo; the other column is the number of open brackets."""


class Brackets:
    """Summaries of the text between matched brackets, for the grammar of one engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @cached_property
    def balanced(self) -> frozenset[int]:
        """The nonterminals whose texts all have balanced brackets."""
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
        """The states whose cell stays until a bracket closes that was open when it was made, and the bottom state."""
        tables = self._engine.factory.tables
        inside = {
            state
            for state, kernel in enumerate(tables.kernels)
            if kernel
            and all(self._closes(tables.rules[rule][1][dot:], self.balanced) == "closed" for rule, dot in kernel)
        }
        return frozenset(inside | {0})

    def _closes(self, symbols: tuple[int, ...], balanced: frozenset[int] | set[int]) -> str | None:
        """None: the brackets are balanced; "closed": they are, up to an unmatched closing one; else "unknown"."""
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
        """The stacks from a cell of a state upwards."""
        factory = self._engine.factory
        return factory.above(factory.bottom(state), pushed)

    def run(self, stacks: GssState, run: TokenStream, index: int) -> tuple[GssState, TokenStream, int] | None:
        """Take terminals up to a closing bracket unmatched in these stacks; (stacks, run, its index), None where the stacks die.

        At the end of the text, too, the last terminal is left.
        """
        engine = self._engine
        advance, delta = engine.factory.advance, engine.factory.brackets
        tokens = run.tokens
        result: Result = None
        depth = 0  # counted here: where a nonterminal is not balanced, nodes do not have it
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
