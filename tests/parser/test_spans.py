"""A piece cut from a valid file: nothing is broken, so nothing is hidden, and what stood there is taken."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.broken_names import is_valid

from ..fuzz.spans import Cut, fault

CLOSED_BY_THE_LINE = {
    "a block in its column": (
        "go",
        "package p\n\nfunc f(a int) {\n\tif a > 0 {\n\t\treturn\n\t¦}¦\n\n\tg(a)\n}\n\nfunc g(a int) {\n}\n",
    ),
    "a block at the margin": ("go", "package p\n\ntype T struct {\n\ta int\n¦}¦\n\nfunc f() {\n\tg()\n}\n"),
    "a list at the margin": ("go", 'package p\n\nimport (\n\t"os"\n¦)¦\n\nfunc f() {\n\tos.Exit(1)\n}\n'),
    "an empty block": ("go", "package p\n\ntype T struct {\n¦}¦\n\nfunc f() {\n\tg()\n}\n"),
    "a block of one line": ("go", "package p\n\nfunc f() {\n\t¦g()\n}\n¦\nfunc g() {\n\tf()\n}\n"),
    "the end of a block": ("go", "package p\n\nfunc f(a int) {\n\tif a > 0 {\n\t\tg¦(1)\n\t}¦\n}\n"),
    "the end of a block before more": (
        "go",
        "package p\n\nfunc f(a int) {\n\tif a > 0 {\n\t\tg¦(1)\n\t}¦\n\n\tg(a)\n\tg(2)\n}\n",
    ),
    "a call": ("typescript", "f(1, () => {\n  g();\n¦});¦\n\nexport function g() {\n  return 1;\n}\n"),
}
"""¦piece¦: what stands between is cut. The text closes there, or below, what lines above have opened."""
IN_THE_LINE = {
    "a bracket opened": (
        "go",
        "package p\n\nfunc f(a int) {\n\ta = 1\n\tg¦(¦a)\n\ta = 2\n\tg(a)\n}\n\nfunc g(a int) {}\n",
    ),
    "a bracket opened of two": ("go", "package p\n\nfunc f(a A) int {\n\treturn a.b¦(¦).c(a)\n}\n"),
    "a bracket closed before a block": (
        "go",
        "package p\n\nfunc f(a ...any¦)¦ {\n\tg(a)\n}\n\nfunc g(a ...any) {\n\tf(a)\n}\n",
    ),
    "a condition": ("go", "package p\n\nfunc f(a A) {\n\tif !a.b(¦)¦ {\n\t\ta.c()\n\t}\n\ta.d()\n}\n"),
}
"""The text opens or closes a bracket of its own line."""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("name", "marked"), [pytest.param(*one, id=key) for key, one in {**CLOSED_BY_THE_LINE, **IN_THE_LINE}.items()]
)
def test_nothing_is_hidden_where_a_piece_was_cut(name: str, marked: str, end: str) -> None:
    left, piece, right = marked.replace("\n", end).split("¦")
    text = left + piece + right
    assert is_valid(text, name)
    assert fault(name, text, Cut("", len(left), len(left + piece)), Path("/nowhere/file")) == ""
