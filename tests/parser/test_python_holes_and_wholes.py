"""A file cut anywhere gets the same verdict as a hole with its middle, and as a whole: with `exact=True` a name that the middle reads
undefined is refused, even if the line that reads it binds it for those behind it."""

from __future__ import annotations

import ast
import random
import textwrap
from collections.abc import Iterator

import pytest
from pyflakes import messages
from suture.parser import Level, language

from ..support.oracle_names import strict_reader, undefined

_BINDINGS = (
    "x = {r}",
    "x = 1 + {r}",
    "x: int = {r}",
    "x: {r} = 1",
    "x += {r}",
    "x = y = {r}",
    "x, y = {r}, 1",
    "[x, *y] = {r}",
    "d[x] = {r}",
    "x = {r}; print(x)",
    "print({r}, d, x := 1)",
    "(x := {r})",
    "x = [x for y in {r}]",
    "y = [x for x in {r}]",
    "y = {{x: 1 for x in d if {r}}}",
    "f(x for x in {r})",
    "x = lambda x=1: {r}",
    "y = lambda x={r}: x",
    "x = f'{{{r}}}'",
    "x = f(d, end={r})",
    "x = f(*{r})",
    "x = {r} if d else d",
    "x = {r}[0].y",
    "x = f({r}.y, d.x, x=1)",
    "for x in {r}: pass",
    "for x in f({r}):\n    print(x)",
    "for x, d[{r}] in d:\n    print(x)",
    "while (x := {r}):\n    print(x)",
    "if {r}:\n    x = 1",
    "with {r} as x:\n    print(x)",
    "with f({r}) as x, d as y: pass",
    "def x(y={r}):\n    return y",
    "def y(x={r}):\n    return x",
    "def y(x: {r}):\n    return x",
    "def y(x) -> {r}:\n    return x",
    "def y(d, x: 'int' = {r}, *z): return x",
    "@{r}\ndef x(): ...",
    "class x({r}):\n    y = 1",
    "class y:\n    x = {r}\n    z = x",
    "class y:\n    def x(self, z={r}): return self.x",
    "async def x(y={r}):\n    async with y as x:\n        print(x)",
    "match {r}:\n    case x:\n        print(x)",
    "match d:\n    case x if {r}:\n        print(x)",
    "import x\ny = {r}",
)
_PLACES = (
    "{0}",
    "def g():\n{1}",
    "def g(z):\n    if z:\n{2}",
    "class A:\n{1}",
    "class A:\n    def g(self):\n{2}",
    "for z in d:\n{1}",
    "try:\n{1}except OSError:\n    pass\n",
)
_BEHIND = ("", "print(x)\n", "def h():\n    return x\n", "print(d.x)\n")


def _files(rng: random.Random, count: int) -> Iterator[str]:
    for _ in range(count):
        body = rng.choice(_BINDINGS).format(r=rng.choice(("x", "x", "y", "d", "len"))) + "\n"
        behind = rng.choice(_BEHIND)
        if rng.random() < 0.5:
            body, behind = body + behind, ""
        place = rng.choice(_PLACES).format(body, *(textwrap.indent(body, "    " * depth) for depth in (1, 2)))
        yield f"def f(*_, **__): ...\nd = []\n{place}{behind}"


def _reads_in_vain(text: str) -> list[int]:
    """Offsets of the names that pyflakes finds undefined."""
    starts = [0, *(end + 1 for end, char in enumerate(text) if char == "\n")]
    found = strict_reader(ast.parse(text)).messages
    return [starts[one.lineno - 1] + one.col for one in found if isinstance(one, messages.UndefinedName)]


def _takes(left: str, middle: str, right: str, *, exact: bool = True) -> bool:
    state = language("python").hole(left, right, level="names", exact=exact).state
    after = None if state is None else state.advance(middle)
    return after is not None and after.complete


def disagreement(text: str, begin: int, end: int) -> bool:
    """Whether a hole from `begin` to `end`, filled with its own text, gets a wrong answer."""
    vain = _reads_in_vain(text)
    if any(not begin <= at < end for at in vain):
        return False  # the middle alone is not to blame
    return _takes(text[:begin], text[begin:end], text[end:]) != (not vain)


def _cuts(text: str, rng: random.Random, count: int) -> Iterator[tuple[int, int]]:
    vain = _reads_in_vain(text)
    if vain:
        yield vain[0], vain[-1] + 1
    for _ in range(count):
        begin, end = sorted(rng.choices(range(len(text) + 1), k=2))
        yield begin, end
        if vain:
            yield min(begin, vain[0]), max(vain[-1] + 1, min(end, vain[-1] + 10))


@pytest.mark.parametrize("seed", range(6))
def test_a_hole_gets_the_verdict_of_the_whole_file(seed: int) -> None:
    rng = random.Random(seed)
    judged = 0
    for text in _files(rng, 25):
        if undefined(text) is None or undefined(text) != undefined(text, True):
            continue
        assert _takes("", text, "") == (not undefined(text)), text
        for begin, end in _cuts(text, rng, 3):
            judged += 1
            assert not disagreement(text, begin, end), (text[:begin], text[begin:end], text[end:])
    assert judged > 50


@pytest.mark.parametrize(
    ("left", "middle", "right"),
    [
        ("x = ", "x", "\nprint(x)\n"),
        ("", "x = x", "\nprint(x)\n"),
        ("for i in ", "i", ":\n    print(i)\n"),
        ("def f(a) -> ", "a", ":\n    return a\n"),
    ],
)
def test_no_text_is_made_that_reads_what_its_own_line_binds(left: str, middle: str, right: str) -> None:
    assert not _takes(left, middle, right, exact=False)


@pytest.mark.parametrize(
    ("left", "middle", "right"),
    [
        ("x += ", "x", "\nprint(x)\n"),
        ("try:\n    pass\nexcept ", "e", " as e:\n    print(e)\n"),
        ("def g(f):\n    f(x for x in ", "x", ")\n    return x\n"),
        ("def g():\n    r = [r for s in ", "s", "]\n    return s\n"),
        ("class T:\n    flip = 1\n    def f(self, h):\n        return h(1, ", "flip", ", self.flip)\n"),
    ],
)
def test_what_reads_the_same_name_in_vain_elsewhere_excuses_no_line_that_binds_it(
    left: str, middle: str, right: str
) -> None:
    assert not _takes(left, middle, right)


@pytest.mark.parametrize("level", ["compile", "names"])
@pytest.mark.parametrize("right", ["", ";", "\n", " # why"])
@pytest.mark.parametrize("left", ["from __future__ import braces", "import x\nfrom __future__ import nope"])
def test_an_error_left_of_the_hole_is_said_without_a_text(left: str, right: str, level: Level) -> None:
    state = language("python").hole(left, right, level=level, exact=True).state
    assert state is not None and state.advance("") is not None
    assert not state.complete and state.refusal("")
