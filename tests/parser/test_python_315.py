"""Python 3.15: lazy imports, and stars in comprehensions, crossed with their possible places; its own compiler judges."""

from __future__ import annotations

import random
from itertools import product

import pytest
from suture.parser import language
from suture.parser.languages.python.import_lines import place
from suture.parser.languages.python.semantics import members

from ..support import oracles

_IMPORTS = (
    "lazy import a",
    "lazy import a.b as c, d",
    "lazy from a import b",
    "lazy from ..a import (b, c as d,)",
    "lazy from a import *",
    "lazy from __future__ import annotations",
    "lazy from .__future__ import annotations",
    "x; lazy import a",
    "lazy; import a",
    "lazy = 1",
    "lazy(x)",
    "lazy import lazy; lazy.x",
)
_PLACES = (
    "{}\n",
    "if x: {}\n",
    "if x:\n    y\nelif z:\n    {}\n",
    "for x in y:\n    {}\nelse:\n    {}\n",
    "while x:\n    y\nelse:\n    {}\n",
    "with x:\n    {}\n",
    "match x:\n    case y:\n        {}\n",
    "def f():\n    {}\n",
    "def f(): {}\n",
    "async def f():\n    with x:\n        {}\n",
    "class A:\n    {}\n",
    "class A:\n    x\n    if y:\n        {}\n",
    "class A:\n    def f(self):\n        {}\n",
    "try:\n    {}\nexcept E:\n    x\n",
    "try: {}\nfinally: x\n",
    "try:\n    x\nexcept E:\n    {}\n",
    "try:\n    x\nexcept* E:\n    {}\n",
    "try:\n    x\nexcept E:\n    y\nelse:\n    {}\n",
    "try:\n    x\nexcept E:\n    y\nelse:\n    if z:\n        {}\nfinally:\n    w\n",
    "try:\n    x\nfinally:\n    {}\n",
    "try:\n    x\nfinally:\n    y\n{}\n",
    "if x:\n    try:\n        y\n    except E:\n        z\n    {}\n",
    "try:\n    for x in y:\n        z\n    else:\n        {}\nfinally:\n    w\n",
    "try:\n    def f():\n        x\n    {}\nfinally:\n    y\n",
    "x\n{}\nfrom __future__ import annotations\n",
    "from __future__ import annotations\n{}\n",
)
_BRACKETS = (
    "[*{} {}]",
    "{{*{} {}}}",
    "(*{} {})",
    "f(*{} {})",
    "{{**{} {}}}",
    "[**{} {}]",
    "f(**{} {})",
    "f(a, *{} {})",
    "[a, *{} {}]",
)
_OPERANDS = (
    *("x", "x.y", "x[0]", "x()", "x | y", "x ** y", "-x", "(x, y)", "[*x for x in y]", "{**x for x in y}", "'s'"),
    *(
        "x or y",
        "not x",
        "x < y",
        "x in y",
        "x if y else z",
        "lambda: x",
        "(lambda: x)",
        "x := y",
        "(x := y)",
        "(w := y)",
        "x, y",
    ),
    *("await x", "(await x)", "await x or y", "(yield)", "yield x", "*x", "x for x in y", "x: y", "None", "lazy"),
)
_CLAUSES = (
    *("for x in y", "for q in z if q for w in q", "async for q in z", "for q in z, a", "for *q, w in z", "for q in *z"),
    *(
        "for q in z if lambda: q",
        "for q in (w := z)",
        "for q in z if (w := q)",
        "for w in z",
        "if q",
        "for q.a in z",
        "for q in z if await q",
    ),
)
_AROUND = (
    "{}\n",
    "def g():\n    return {}\n",
    "async def g():\n    return {}\n",
    "class A:\n    b = {}\n",
    "lambda: {}\n",
    "async def g():\n    lambda: {}\n",
    "type X = {}\n",
    "a: {} = 1\n",
    "{} = a\n",
    "{}[0] = a\n",
    "f'{{{}}}'\n",
    "class A({}): pass\n",
    "a[{}]\n",
    "def f(a={}): pass\n",
    "for a in {}: pass\n",
    "with {} as a: pass\n",
)
_PATTERNS = (
    "+1",
    "+1.5",
    "+1j",
    "+1 - 2j",
    "+1j + 2",
    "++1",
    "+x",
    "+'a'",
    "+(1)",
    "+None",
    "+1 + 2",
    "+",
    "1 + +2j",
    "-1",
    "+0x1f",
)
_CASES = ("{}", "{} | 2", "[{}, *_]", "{{{}: x}}", "{{{}: x, 1: y}}", "A({})", "A(b={})", "{} as x", "{} if x", "({})", "{{**{}}}", "-1 | {}")  # fmt: skip


def _imports() -> list[str]:
    return [place.replace("{}", text) for place, text in product(_PLACES, _IMPORTS)]


def _stars() -> list[str]:
    elements = [bracket.format(*parts) for bracket, *parts in product(_BRACKETS, _OPERANDS, _CLAUSES)]
    return [around.format(element) for around, element in product(_AROUND, elements)]


def _patterns() -> list[str]:
    return [f"match z:\n    case {case.format(pattern)}: pass\n" for case, pattern in product(_CASES, _PATTERNS)]


@pytest.mark.parametrize(("texts", "count"), [(_imports(), 150), (_stars(), 400), (_patterns(), 100)])
def test_the_compiler_agrees(texts: list[str], count: int) -> None:
    """A random part of each text is written into a hole."""
    rng = random.Random(315)
    texts = rng.sample(texts, count)
    truths = oracles.compiler("3.15").parse(texts)
    assert {True, False} <= set(truths)
    wrong = []
    for text, valid in zip(texts, truths, strict=True):
        begin = rng.randrange(len(text))
        end = rng.randrange(begin, len(text)) + 1
        hole = language("python", "3.15").hole(text[:begin], text[end:], level="compile", exact=True)
        state = hole.state.advance(text[begin:end]) if hole.viable and hole.state is not None else None
        if valid != (state is not None and state.complete):
            wrong.append((text, begin, end, valid))
    assert wrong == []


def _defined(left: str, middle: str, right: str = "\n", version: str = "3.15") -> bool:
    hole = language("python", version).hole(left, right, level="names", exact=True)
    state = hole.state.advance(middle) if hole.state is not None else None
    return state is not None and state.complete


@pytest.mark.parametrize(
    ("left", "name", "binds"),
    [
        ("lazy import json as j\nx = ", "j", True),
        ("lazy import json as j\nx = ", "json", False),
        ("lazy import os.path\nx = ", "os", True),
        ("lazy from json import dumps as d, loads\nx = ", "loads", True),
        ("lazy from json import dumps as d, loads\nx = ", "dumps", False),
        ("lazy import json\nx = ", "lazy", False),
        ("z = [[1]]\nx = [*", "q", False),
    ],
)
def test_names_that_a_lazy_import_binds(left: str, name: str, binds: bool) -> None:
    assert _defined(left, name, "]\n" if "[*" in left else "\n") == binds


def test_a_star_in_brackets_waits_for_its_for() -> None:
    """The name behind the star is undefined until the `for` binds it."""
    for left in ("print(*", "x = (*"):
        assert _defined(left, "q for q in [[1]])")
        assert not _defined(left, "q for p in [[1]])")
    assert _defined("x = [*", "q for q in [[1]]]") and not _defined("x = [*", "q]")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lazy import json\n\nx\n", "import re\n\nlazy import json\n\nx\n"),
        ("import abc\nlazy import json\n\nx\n", "import abc\nimport re\nlazy import json\n\nx\n"),
        ("lazy from re import A\n\nx\n", "import re\n\nlazy from re import A\n\nx\n"),
    ],
)
def test_imports_that_are_added_are_usual_ones(text: str, expected: str) -> None:
    (insertion,) = place(text, text.index("x"), "import re", lambda module: 0, "\n")
    written = text[: insertion.at] + insertion.text + text[insertion.at :]
    assert written == expected


@pytest.mark.parametrize("name", ["frozendict", "sentinel", "ImportCycleError", "__lazy_import__"])
def test_new_built_in_names(name: str) -> None:
    assert _defined("x = ", name)
    assert not _defined("x = ", name, version="3.14")


@pytest.mark.parametrize("kind", ["float", "complex"])
def test_numbers_have_the_attributes_of_every_version(kind: str) -> None:
    assert {"from_number", "is_integer", "bit_length"} <= members._of_builtin(kind)
