"""Right contexts run block by block, against the same ones read over unknown stacks to their end."""

from __future__ import annotations

import random

import pytest
from suture.parser.glr.suffix import SuffixContext, SuffixText
from suture.parser.glr.suffix_viability import SuffixParser
from suture.parser.language import language

from ..support.inside import runtime_of
from ..support.oracle_python import stdlib_sources
from ..support.work import calls

_ACCIDENTS = [
    "(",
    ")",
    "]",
    "'",
    '"""',
    "\n",
    ":",
    "    ",
    "  ",
    "\nelse:\n    ",
    "\nexcept:",
    "\n  case x:\n",
    "@",
    "if x:",
    " = ",
]


def _parsers(version: str) -> tuple[SuffixParser, SuffixParser]:
    """Parsers with and without block runs."""
    engine = runtime_of(language("python", version)).engine
    short, long = (SuffixParser(engine, dict(engine.factory.brackets)) for _ in range(2))
    long._blocks = None  # pyright: ignore[reportPrivateUsage]
    return short, long


@pytest.mark.parametrize("version", ["3.8", "3.11", "3.14", "3.15"])
def test_a_right_context_is_viable_just_where_it_is_over_unknown_stacks(version: str) -> None:
    rng, (short, long) = random.Random(version), _parsers(version)
    engine = runtime_of(language("python", version)).engine
    entries = (engine.lexer.clean, engine.lexer.new_line, *engine.lexer.entries())  # type: ignore[attr-defined]
    found: list[bool] = []
    for source in stdlib_sources(rng, 40, 12_000):
        text = source[: rng.randrange(200, 4_000)]
        for _ in range(rng.randrange(4)):
            at = rng.randrange(len(text))
            text = text[:at] + rng.choice(_ACCIDENTS) + text[at + rng.randrange(2) :]
        for _ in range(8):
            right = text[rng.randrange(len(text)) :]
            for entry in rng.sample(entries, 3):
                one, other = (SuffixContext(engine, SuffixText(right), len(right)) for _ in range(2))
                expected = long.viable_from(other, (entry,))
                assert short.viable_from(one, (entry,)) is expected, (entry.symbol, right)
                found.append(expected is not None)
    assert 0.05 < sum(found) / len(found) < 0.9, "both kinds"


def _function(name: str, body: str) -> str:
    return f"    def {name}(self, value):\n        if value:\n            return [{body}]\n        return {body}\n\n"


def test_what_was_run_before_costs_a_step_a_block() -> None:
    """However long the rest of a class and of a file is, and whether it is broken."""
    short, _ = _parsers("3.11")
    engine = runtime_of(language("python")).engine
    work: list[int] = []
    for count in (100, 400):
        functions = "".join(_function(f"f{n}_{count}", f"{n}, value.a{n % 7}(x, {n})") for n in range(count))
        for end in ("", "x = = 1\n"):
            text = f"class A{count}:\n{functions}\nx = {count}\nclass B:\n{functions}{end}"
            tail = SuffixText(text)
            short.foresee("", SuffixContext(engine, tail, len(text)), engine.lexer.clean)  # type: ignore[attr-defined]
            at = text.index("return [", 300)
            right = SuffixContext(engine, tail, len(text) - at)
            made, entry = calls(lambda: short.viable_from(right, (engine.lexer.clean,)))  # noqa: B023  # type: ignore[attr-defined]
            assert (entry is None) == bool(end)
            work.append(made)
    assert max(work) < 4_000, work
    assert max(work[2:]) < 2 * max(work[:2]), work
