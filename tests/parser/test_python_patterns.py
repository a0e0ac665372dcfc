"""Patterns of `case`, at random: their bindings and errors, by the compiler."""

from __future__ import annotations

import random
import symtable
import warnings

import pytest
from suture.parser.languages.python.semantics.line_reader import read_line
from suture.parser.languages.python.semantics.line_values import Pattern
from suture.parser.languages.python.semantics.tokens import START, lex

_NAMES = ("a", "b", "c", "_", "match", "case", "type", "__debug__", "é")
_LITERALS = (
    *("1", "-1", "1.0", "1+2j", "-1-2j", "0x1", "'a'", "'a' 'b'", "b'a'", "f'{x}'", "'a' f'{x!r}' 'b'"),
    *("None", "True", "False", "'" + "y" * 250 + "'", "'é'", "1_0"),
)


def _pattern(rng: random.Random, depth: int) -> str:
    kind = rng.randrange(9 if depth else 3)
    if kind == 0:
        return rng.choice(_NAMES)
    if kind == 1:
        return rng.choice(_LITERALS)
    if kind == 2:
        return rng.choice(("a.b", "x.y.z", "match.case"))
    if kind in (3, 4):
        return ("({})" if kind == 3 else "[{}]").format(", ".join(_several(rng, depth - 1)))
    if kind == 5:
        return " | ".join(_pattern(rng, depth - 1) for _ in range(rng.randint(2, 3)))
    if kind == 6:
        return f"{_pattern(rng, depth - 1)} as {rng.choice(_NAMES)}"
    if kind == 7:
        named = [f"{rng.choice('abc')}={_pattern(rng, depth - 1)}" for _ in range(rng.randrange(3))]
        return f"{rng.choice(('A', 'a.B'))}({', '.join([*_several(rng, depth - 1), *named])})"
    keys = (rng.choice((rng.choice(_LITERALS), "a.b")) for _ in range(rng.randrange(4)))
    items = [f"{key}: {_pattern(rng, depth - 1)}" for key in keys]
    return "{" + ", ".join([*items, *["**" + rng.choice(_NAMES)][: rng.randrange(2)]]) + "}"


def _several(rng: random.Random, depth: int) -> list[str]:
    return [rng.choice(("", "", "", "*")) + _pattern(rng, depth) for _ in range(rng.randrange(4))]


def _read(pattern: str) -> Pattern:
    line = read_line(lex(START, f"case {pattern}: pass\n")[0])
    assert line is not None and line.header is not None and line.header.pattern is not None
    return line.header.pattern


@pytest.mark.parametrize("seed", range(3))
def test_patterns_bind_and_are_refused_as_the_compiler_does(seed: int) -> None:
    rng = random.Random(seed)
    asked = 0
    while asked < 100:
        pattern = rng.choice((", ".join(_several(rng, 2)) or "a", _pattern(rng, 3)))
        text = f"match x:\n    case {pattern}: pass\n"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                compile(text, "", "exec", 0x400)  # PyCF_ONLY_AST
            except SyntaxError:
                continue
            try:
                compile(text, "", "exec")
                refused = False
            except SyntaxError:
                refused = True
        asked += 1
        found = _read(pattern)
        assert bool(found.errors) == refused, (pattern, found)
        if not refused:
            names = symtable.symtable(text, "", "exec").get_symbols()
            assert set(found.captures) == {one.get_name() for one in names if one.is_assigned()}, pattern
            assert {*found.reads, "x"} == {one.get_name() for one in names if one.is_referenced()}, pattern
