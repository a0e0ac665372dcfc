"""Unknown stacks: the shortcuts against explicit stacks, and against no shortcuts."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest
from suture.parser.glr.gss import Gss
from suture.parser.glr.layout import Line
from suture.parser.glr.prefix import Engine
from suture.parser.glr.suffix import SuffixContext, SuffixText
from suture.parser.glr.unknown_gss import ConfigurationSet, OpenNode, UnknownGss
from suture.parser.grammar import lalr
from suture.parser.grammar.lalr import Tables
from suture.parser.grammar.loader import Grammar
from suture.parser.language import language
from suture.parser.lexing.base import Token

from ..support.inside import runtime_of
from ..support.work import calls
from .typescript_samples import SAMPLES

_OPENS = {"(": 1, "[": 1, ")": -1, "]": -1}
_HEIGHT = 9
"""States of the explicit stacks."""

GRAMMARS = {
    "sums": "s: s ; e / s: e / e: e + t / e: t / t: ( e ) / t: n / t: n ( e , e )",
    "brackets in the middle": "s: a / s: s a / a: k ( x ) ; / a: [ x ] k / x: n / x: a / x: x . n",
    "nonterminals that open and close": "s: s b / s: b / b: o e c / e: e n / e: n / e: b / o: ( / o: k ( / c: ) / c: ) ;",
    "one terminal, several ways": "s: s a / s: a / a: p / a: q ; / p: n / q: n / q: n n / p: ( a n )",
}


def tables_of(rules: str) -> Tables:
    """Tables for rules in one line."""
    written = [rule.split(":") for rule in rules.split(" / ")]
    return lalr.build(Grammar("s", tuple((lhs.strip(), tuple(rhs.split())) for lhs, rhs in written), {}))


def stacks_of(tables: Tables, brackets: dict[int, int]) -> Iterator[tuple[int, ...]]:
    """All stacks up to a height that close no bracket opened elsewhere."""
    todo: list[tuple[tuple[int, ...], int]] = [((0,), 0)]
    while todo:
        stack, depth = todo.pop()
        yield stack
        for below_to in (tables.shift[stack[-1]], tables.goto[stack[-1]]) if len(stack) < _HEIGHT else ():
            for to in below_to.values():
                deeper = depth + brackets.get(tables.accessing[to], 0)
                if deeper >= 0:
                    todo.append(((*stack, to), deeper))


def after(tables: Tables, stacks: set[tuple[int, ...]], terminal: int) -> set[tuple[int, ...]]:
    """The stacks after a terminal, computed one at a time like an LR parser."""
    todo, seen, shifted = list(stacks), set(stacks), set[tuple[int, ...]]()
    while todo:
        stack = todo.pop()
        if terminal in tables.shift[stack[-1]]:
            shifted.add((*stack, tables.shift[stack[-1]][terminal]))
        for lhs, length in tables.reduce[stack[-1]].get(terminal, ()):
            rest = stack[:-length]
            if rest and lhs in tables.goto[rest[-1]] and (new := (*rest, tables.goto[rest[-1]][lhs])) not in seen:
                seen.add(new)
                todo.append(new)
    return shifted


def tops(configs: ConfigurationSet | None) -> set[tuple[int, int]]:
    """(state on top, whether brackets are open)."""
    return {(node.state, min(node.depth, 1)) for _, nodes in (configs.items if configs else ()) for node in nodes}


class LongWay(UnknownGss):
    """Every reduction is done, on every stack by itself."""

    def _width(self, state: int, depth: int) -> int:
        return 0

    def _advance_only(self, top: OpenNode, terminal: int) -> None:
        return None

    def _step(self, configs: ConfigurationSet, token: Token) -> ConfigurationSet | None:
        self._everything.clear()
        return super()._step(configs, token)


@pytest.mark.parametrize("name", GRAMMARS)
def test_stacks_that_are_written_out_agree(name: str) -> None:
    """Up to three terminals may come on an unknown stack exactly if they may on some explicit stack."""
    tables = tables_of(GRAMMARS[name])
    brackets = {tables.terminal(text): change for text, change in _OPENS.items() if tables.terminal(text) >= 0}
    engine = Engine(cast(Any, SimpleNamespace(start=None, made=0)), Gss(tables, brackets, 200, -1, -1), None)
    unknown = UnknownGss(engine, brackets)
    assert bool(unknown._uneven) == ("open" in name)  # pyright: ignore[reportPrivateUsage]
    written = set(stacks_of(tables, brackets))
    terminals = range(1, len(tables.terminals))

    def compare(configs: ConfigurationSet | None, stacks: set[tuple[int, ...]], more: int, path: Sequence[str]) -> None:
        assert (configs is not None) == bool(stacks), path
        for terminal in terminals if more and configs is not None else ():
            further = after(tables, stacks, terminal)
            compare(unknown.over(configs, (terminal,)), further, more - 1, [*path, tables.terminals[terminal]])

    compare(unknown.anything, written, 3, [])


@pytest.mark.parametrize("name", ["python", "go", "typescriptreact", "json"])
def test_the_short_ways_lead_to_the_same_stacks(name: str) -> None:
    """After each first terminal, and some that follow it, the same states are on top as after every reduction."""
    engine = runtime_of(language(name)).engine
    brackets, tables, rng = dict(engine.factory.brackets), engine.factory.tables, random.Random(1)
    short, long = UnknownGss(engine, brackets), LongWay(engine, brackets)
    starts = ["anything", *(["line_starts"] if engine.blocks is not None else [])]
    everything: list[Token] = [*range(len(tables.terminals)), *([Line(4, 4), Line(0, 0)] if engine.blocks else [])]
    for start in starts:
        for first in everything:
            one, other = getattr(short, start), getattr(long, start)
            for token in (first, *rng.choices(everything, k=3)):
                one, other = short.over(one, (token,)), long.over(other, (token,))
                assert tops(one) == tops(other), (start, token)


@pytest.mark.parametrize("name", ["javascript", "typescriptreact"])
def test_texts_lead_to_the_same_stacks_from_each_state(name: str) -> None:
    """The same behind each terminal of a text, for stacks with a common state on top."""
    engine, rng = runtime_of(language(name)).engine, random.Random(2)
    brackets = dict(engine.factory.brackets)
    short, long = UnknownGss(engine, brackets), LongWay(engine, brackets)
    text = SAMPLES["tsx" if "type" in name else "js"]
    tokens = [*SuffixContext(engine, SuffixText(text), len(text)).run(engine.lexer.start).all_tokens(engine)][:-1]
    read = 0
    for at in rng.sample(range(len(tokens)), 12):
        states = [top for top in short.reach if tokens[at] in engine.factory.tables.shift[top[0]]]
        for top in rng.sample(sorted(states), min(len(states), 8)):
            one, other = short.on(*top), long.on(*top)
            for token in tokens[at : at + 60]:
                one, other = short.over(one, (token,)), long.over(other, (token,))
                assert tops(one) == tops(other), (top, at, token)
                read += one is not None
    assert read > 200


def test_a_first_terminal_costs_little() -> None:
    """No reduction is done on any of the thousand possible states on top, and none of those below is visited one by one."""
    engine = runtime_of(language("python")).engine
    stacks = UnknownGss(engine, dict(engine.factory.brackets))
    terminal = engine.factory.tables.terminal
    made, found = calls(
        lambda: [stacks.over(stacks.anything, (t,)) for t in range(len(engine.factory.tables.terminals))]
    )
    assert sum(configs is not None for configs in found) > 90
    assert made / len(found) < 2 * len(stacks.reach), "each state is asked for its shift, and few for more"
    made, _ = calls(lambda: stacks.over(stacks.anything, (terminal("NAME"), terminal("RPAR"), terminal("COLON"))))
    assert made < 100_000
