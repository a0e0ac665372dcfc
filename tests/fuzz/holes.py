"""Holes that are hard to end: their right context demands much of the blocks around it.

Each kind yields (left, right) pairs, many of them viable; `unended` finds the viable ones with no bridge, or a wrong one.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from suture.parser import Hole
from suture.parser.hole import HoleState

from ..support import oracles
from .python import library, tolerated

_CLAUSE = re.compile(r"^[ \t]*(?:elif|else|except|finally|case)\b", re.MULTILINE)
_TYPED = (
    *("x", "1", "'", '"""', "(", "[", "{", ")", "]", "}", ":", ",", ".", "=", "==", "->", "@", "*", "**", "\\\n", "#", "f'", "{"),
    *("if ", "else", "elif ", "for ", " in ", "while ", "try:", "except ", "finally:", "with ", " as ", "match ", "case ", "def f(", "class A"),
    *("lambda ", "async ", "await ", "yield ", "import ", "from ", "return ", "del ", "global x", "pass", "not ", " if ", ":=", "...", ";"),
    *("\n", "\n    ", "\n        ", "\n\t", "\n  ", "\n            ", " ", "\t", "\n\n", ":\n    ", ":\n        ", ":\n\t"),
)  # fmt: skip
_HEADERS = (
    *("if x:", "for x in y:", "while x:", "try:", "with x:", "def f():", "class A:", "match x:", "async def f():", "async with x:"),
    *("elif x:", "else:", "except:", "except E:", "except E as e:", "finally:", "case 1:", "case x if y:", "case _:", "except* E:"),
)  # fmt: skip
_SIMPLE = (
    "x",
    "x = (1,",
    "     2)",
    "return",
    "pass",
    "f(x",
    ")",
    "'''",
    "@d",
    "x; y",
    "# c",
    "x = [",
    "]",
    "y if x",
    "else z",
    "",
    "x = \\",
    "case",
    "match",
)


Pairs = Iterator[tuple[str, str]]


def swallowed(rng: random.Random, count: int, version: str) -> Pairs:
    """Up to 30 lines are missing, and headers with them."""
    for text in library(version, rng, count, 12_000, installed=rng.random() < 0.5):
        for _ in range(4):
            start = rng.randrange(len(text))
            end = start
            for _ in range(rng.randrange(1, 30)):
                end = text.find("\n", end) + 1 or len(text)
            end = rng.choice((end, end, min(len(text), end + rng.randrange(60))))
            yield _reindented(text[:start], rng), _reindented(text[end:], rng)


def clauses(rng: random.Random, count: int, version: str) -> Pairs:
    """The right context begins with a clause, or a little before one."""
    for text in library(version, rng, 3 * count, 12_000, installed=rng.random() < 0.5):
        found = [match.start() for match in _CLAUSE.finditer(text)]
        for place in rng.sample(found, min(4, len(found))):
            end = max(0, place - rng.choice((0, 0, 1, rng.randrange(100))))
            start = max(0, end - rng.randrange(600))
            yield _reindented(text[:start], rng), _reindented(text[end:], rng)


def pairs(rng: random.Random, count: int, version: str) -> Pairs:
    """The end of one file after the beginning of another."""
    texts = list(library(version, rng, 2 * count, 12_000, installed=rng.random() < 0.5))
    for _ in range(4 * count):
        if not texts:
            return
        left, right = rng.choice(texts), rng.choice(texts)
        yield _reindented(left[: rng.randrange(len(left))], rng), _reindented(right[rng.randrange(len(right)) :], rng)


def lines(rng: random.Random, count: int, version: str) -> Pairs:
    """Random headers, clauses and statements at random columns, of spaces and tabs."""
    for _ in range(16 * count):
        text = _lines(rng)
        start = rng.randrange(len(text) + 1)
        other = text if rng.random() < 0.5 else _lines(rng)
        yield text[:start], other[rng.randrange(len(other) + 1) :]


KINDS: dict[str, Callable[[random.Random, int, str], Pairs]] = {
    "swallowed": swallowed,
    "clauses": clauses,
    "pairs": pairs,
    "lines": lines,
}


def _lines(rng: random.Random) -> str:
    """Some lines in a not too unlikely order."""
    unit = rng.choice((" ", "  ", "    ", "    ", "\t", "\t", "        "))
    text, level = "", rng.randrange(4)
    for _ in range(rng.randrange(1, 9)):
        header = rng.random() < 0.6
        if rng.random() < 0.3:
            level = max(0, level - rng.randrange(1, 3))
        indent = (
            unit * level if rng.random() < 0.93 else rng.choice((" ", "\t", "   ", "\t ", " \t")) * rng.randrange(4)
        )
        text += indent + rng.choice(_HEADERS if header else _SIMPLE) + rng.choice(("\n", "\n", "\n", "\n\n", "\r\n"))
        level += header
    return text


def _reindented(text: str, rng: random.Random) -> str:
    """Sometimes with tabs for indentation, or with another unit of it."""
    kind = rng.random()
    if kind < 0.65:
        return text
    unit = "\t" if kind < 0.85 else "  " if kind < 0.93 else "        "
    return re.sub(r"^(?:    )+", lambda match: unit * (len(match[0]) // 4), text, flags=re.MULTILINE)


@dataclass(frozen=True)
class Typed:
    """A hole with viable text typed in."""

    left: str
    typed: str
    right: str
    state: HoleState


def typed_into(left: str, right: str, hole: Hole, rng: random.Random) -> Iterator[Typed]:
    """A viable hole unchanged, and with random symbols, as far as they live."""
    for most in (0, 1, 3, 12):
        text, state = "", hole.state
        for _ in range(most):
            word = rng.choice(_TYPED)
            after = state.advance(word) if state is not None else None
            if after is not None:
                text, state = text + word, after
        if state is not None and (text or not most):
            yield Typed(left, text, right, state)


def unended(version: str, samples: list[Typed]) -> Iterator[tuple[Typed, str | None]]:
    """The samples that end incomplete, by the engine or the interpreter, each with its unfitting bridge."""
    oracle = oracles.find(version)
    assert oracle is not None
    bridges = [next(iter(sample.state.bridges()), None) for sample in samples]
    texts = [s.left + s.typed + (bridge or "") + s.right for s, bridge in zip(samples, bridges, strict=True)]
    for sample, bridge, text, fits in zip(
        samples, bridges, texts, oracle.verdicts([t.removeprefix("\ufeff") for t in texts]), strict=True
    ):
        if bridge is None or (fits is False and not tolerated(version, text, False)):
            yield sample, bridge
