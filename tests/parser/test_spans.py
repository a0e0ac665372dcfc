"""A piece cut from a valid file: nothing is broken, so nothing is hidden, and the cut text is accepted."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from suture.parser import language

from benchmarks.broken_names import is_valid

from ..fuzz import edited
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
"""¦piece¦ is cut. There, or below, the text closes brackets or blocks opened by lines above."""
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
BEGINNINGS = {
    "a header from the indentation": (
        "javascript",
        "d(1, () => {\n  g();\n ¦ d(2, () => {¦\n    f();\n  });\n});\n",
    ),
    "a header and its block": (
        "go",
        'package p\n\nfunc f(a []string) {\n\tfor _, b := range a {\n\t\tif c, d := a[b¦]; d {\n\t\t\tg(c)¦\n\t\t}\n\t}\n\n\t// with "more"\n\tif a[1] != 0 {\n\t\tg(a)\n\t}\n}\n',
    ),
    "a header's first bracket": ("javascript", 'd(1, () => {\n  d¦(¦"a", () => {\n    f();\n  });\n  f();\n});\n'),
    "two headers": (
        "go",
        "package p\n\nfunc f() {\n\tvar cs = []C{\n\t\t{\n\t\t\tname: 1,\n\t\t\twh¦en: K{\n\t\t\t\tV: func(c int) int {\n\t\t\t\t\treturn 0¦\n\t\t\t\t},\n\t\t\t},\n\t\t},\n\t\t{\n\t\t\tname: 2,\n\t\t\twhen: K{\n\t\t\t\tV: nil,\n\t\t\t},\n\t\t},\n\t}\n\t_ = cs\n}\n",
    ),
    "a header above a string at the margin": (
        "typescript",
        "d(1, () => {\n  ¦d(2, () => {¦\n    f(`a {\n}\nb`);\n  });\n  f();\n});\n",
    ),
    "generic arguments": (
        "typescript",
        "export function f() {\n  const m = new ¦Map<¦\n    string,\n    number\n  >();\n  return m;\n}\n",
    ),
    "an element": (
        "typescriptreact",
        "export const a = (\n  <A>\n   ¦ <B>\n      <D />¦\n      <C>\n        x\n      </C>\n    </B>\n  </A>\n);\n",
    ),
    "a tag": (
        "typescriptreact",
        "export const a = (b: B) => (\n  <A>\n    ¦<form\n      c={1}¦\n      action={async () => {\n        await b.c();\n      }}\n    >\n      <B />\n    </form>\n  </A>\n);\n",
    ),
    "an element's name": (
        "typescriptreact",
        "export const a = (\n  <A>\n    <f¦orm¦\n      c={1}\n    >\n      x\n    </form>\n  </A>\n);\n",
    ),
    "the beginning of a tag": (
        "typescriptreact",
        'export const a = (\n  <A>\n¦    <B ¦c="d">\n      x\n    </B>\n  </A>\n);\n',
    ),
    "quotes": ("python", 'class A:\n  ¦  """¦\n    Say that.\n    """\n\n    def f(self):\n        """Say it."""\n'),
    "a header and quotes": ("python", 'a = 1\n¦def f():\n    """¦\n    Say that.\n    """\n    return a\n'),
    "a pattern's end and a block": (
        "typescript",
        "export const f = ({\n  a,\n¦}: B) => {\n  g();¦\n\n  const c = a;\n\n  return h({\n    d: (e) => {\n      g();\n    },\n  });\n};\n",
    ),
    "a function behind an object": (
        "javascript",
        'const d = 1\n\nd("a", { b: ¦1 }, async (c) => {¦\n  c.f(1)\n\n  await c.d("e", async (c) => {\n    c.f(2)\n  })\n})\n\nd("g", (c) => {\n  f()\n})\n',
    ),
    "a call closed behind an argument": (
        "go",
        'package p\n\nfunc f(t T) {\n\ta := g(t)\n\n¦\ta.b("c",¦\n\t\tnil,\n\t\th(1),\n\t\t"x")\n}\n\nfunc k() {\n}\n',
    ),
    "a header above labels": (
        "go",
        "package p\n\nfunc f(a int) {\n\tg()\n\t¦switch a {¦\n\tcase 1:\n\t\tg()\n\tdefault:\n\t\tg()\n\t}\n}\n\nfunc g() {\n}\n",
    ),
    "a header and the first label": (
        "go",
        "package p\n\nfunc f(a chan int) {\n\tfor {\n\t\t¦select {\n\t\tcase <-a:¦\n\t\t\tg()\n\t\tdefault:\n\t\t\tg()\n\t\t}\n\t}\n}\n\nfunc g() {\n}\n",
    ),
    "a label": (
        "javascript",
        "function f(a) {\n  switch (a) {\n  case 1:\n    g();\n  ¦case 2:¦\n    f();\n  default:\n    g();\n  }\n}\n",
    ),
    "a comment": ("javascript", "f();\n¦/**¦\n * Say that.\n */\nexport function f() {\n  return 1;\n}\n"),
}
"""The text begins something that a line below ends."""
MARKUP = {
    "a tag's last sign": (
        "typescriptreact",
        "export const a = (\n  <A>\n    <B\n      c={1}\n  ¦  >¦\n      <C />\n    </B>\n  </A>\n);\n\nexport const b = 1;\n",
    ),
    "a tag's end": (
        "typescriptreact",
        'export const a = (\n  <Long>\n    <LongName\n      b="c"\n    ¦/>¦\n  </Long>\n);\n\nexport const b = 1;\n',
    ),
    "a tag's end in its line": (
        "typescriptreact",
        'export const a = (\n  <Long>\n    <LongName b="c" ¦/>¦\n    <B />\n  </Long>\n);\n\nexport const b = 1;\n',
    ),
    "an element's end": (
        "typescriptreact",
        "export const a = (\n  <LongerThanItsLetters>\n    <B />\n  ¦</LongerThanItsLetters>¦\n);\n\nexport const b = 1;\n",
    ),
    "an element's last sign": (
        "typescriptreact",
        "export const a = (\n  <A>\n    <Long>\n      <B />\n    </Long¦>¦\n  </A>\n);\n\nexport const b = 1;\n",
    ),
    "attributes spread": (
        "typescriptreact",
        "export const a = (props: P) => {\n  return (\n    <B¦C {...¦props} d={props.e ? f : g} />\n  );\n};\n\nexport default a;\n",
    ),
    "a part of an element's name": (
        "typescriptreact",
        "export const a = (\n  <A>\n    <B>\n      <Drop¦downTrigge¦r>\n        <C />\n      </DropdownTrigger>\n    </B>\n  </A>\n);\n",
    ),
    "an attribute's bracket": (
        "typescriptreact",
        "export const a = () => {\n  const F = () => (\n    <form>\n      <input b¦={2¦} />\n    </form>\n  )\n\n  return <F />\n}\n",
    ),
    "an attribute's quote": (
        "typescriptreact",
        'export const a = (\n  <A>\n    <B c¦="d¦ e">\n      x\n    </B>\n    <B c="d" />\n  </A>\n);\n',
    ),
    "an attribute": (
        "typescriptreact",
        "export const a = (\n  <A>\n    <B ¦c='d¦ e'>\n      x\n    </B>\n    <B c='d' />\n  </A>\n);\n",
    ),
    "a bracket": (
        "typescriptreact",
        'function S({ b, ...props }: P) {\n  return (\n    <div\n      className="g"\n      data-size={b}\n    >\n      <select\n        className="c"\n        ¦{¦...props}\n      />\n      <I\n        l="C"\n      />\n    </div>\n  )\n}\n',
    ),
    "a key": (
        "javascript",
        'export default {\n  a: {\n    "b": "off",\n    "c/d¦-e": "off",¦\n    "f/g": "off",\n  },\n};\n',
    ),
}
"""The text ends a tag, an element or a string of its line."""
JOINED = {
    "two words": (
        "typescript",
        'export const a = {\n  b: "c",\n};\n\nexpor¦t d¦efault function f({\n  b,\n}: {\n  b: string;\n}) {\n  return b;\n}\n',
    ),
    "a word of a header": ("javascript", 'd("a", fu¦nc¦tion(){\n  f();\n})\n\nf();\n'),
    "a string and a word": ("javascript", 'd("a¦", fu¦nction(){\n  f();\n})\n\nf();\n'),
    "a key of a value": (
        "typescript",
        "export const a: A = {\n  b1: { c: 'd', e: 'f' },\n  b¦2: { c:¦ 'd', e: 'f' },\n  b3: { c: 'd', e: 'f' },\n};\n\nexport const g = a;\n",
    ),
    "the value of a key": ("javascript", 'const a = {\n  b: "c",\n  d¦e: "f¦/g",\n  h: "i",\n};\n\nf(a);\n'),
}
"""The rest of the line continues behind the cursor, and words join it."""
TYPED = {
    "an argument that is no word": ("typescript", "const a = f(g('A'¦) || '')¦\n  if (!a) {\n    h();\n  }\n"),
    "a call behind a block": (
        "typescript",
        "f((a, b) => {\n  g([a, b]);\n¦}, { c: 1 });\n¦\nconst d = 1;\n",
    ),
}
"""The text closes brackets and opens others."""
BROKEN_BELOW = {
    "a docstring": (
        "python",
        'class A:\n    a: int\n    """\n    The a of the A.\n  ¦  """¦\n\n    b: int\n    """\n    The b.\n    """\n\n    c: int\n    """C."""\n',
    ),
    "a docstring in a line": (
        "python",
        'class A:\n    a: int\n    """The a.¦"""¦\n\n    b: int\n    """\n    The b.\n    """\n\n    c: int\n    """C."""\n',
    ),
    "a call before a bracket too many": (
        "python",
        "def f(a):\n    x = g(a¦)¦\n    return x\n\n\ndef h():\n    y = )\n    return y\n",
    ),
    "a call before an open bracket": (
        "python",
        "def f(a):\n    x = g(a¦)¦\n    return x\n\n\ndef h():\n    return 1\n    y = [1,\n",
    ),
    "a block of TypeScript": (
        "typescript",
        "function f(a) {\n  if (a) {\n    g(a);\n  ¦}¦\n  return x;\n}\n\nfunction h() {\n  const y = );\n  return y;\n}\n",
    ),
    "a block of Go": (
        "go",
        "package p\n\nfunc f(a int) {\n\tif a > 0 {\n\t\tg(a)\n\t¦}¦\n\tg(1)\n}\n\nfunc h() {\n\ty := )\n\tg(y)\n}\n",
    ),
    "a call of Go": (
        "go",
        "package p\n\nfunc f(a int) {\n\tg(a¦)¦\n\tg(1)\n}\n\nfunc h() {\n\ty := )\n\tg(y)\n}\n",
    ),
}
"""Seen from other lines, something else is at fault than from where the piece was; below, something may be broken besides."""
VALID = {**CLOSED_BY_THE_LINE, **IN_THE_LINE, **BEGINNINGS, **MARKUP, **JOINED}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("name", "marked"), VALID.values(), ids=list(VALID))
def test_nothing_is_hidden_where_a_piece_was_cut(name: str, marked: str, end: str) -> None:
    if name == "go" and end == "\r":
        end = "\n\r\n"  # in Go such a sign ends no line
    left, piece, right = marked.replace("\n", end).split("¦")
    text = left + piece + right
    assert is_valid(text, name)
    assert fault(name, text, Cut("", len(left), len(left + piece)), Path("/nowhere/file")) == ""


@pytest.mark.parametrize("check", [edited.faults, edited.split], ids=["edited elsewhere", "typed"])
@pytest.mark.parametrize(("name", "marked"), [*VALID.values(), *TYPED.values()], ids=[*VALID, *TYPED])
def test_a_session_judges_a_cut_alike_after_edits(
    check: Callable[[str, str, Cut, random.Random], Iterable[str]], name: str, marked: str
) -> None:
    left, piece, right = marked.split("¦")
    assert not list(check(name, left + piece + right, Cut("", len(left), len(left + piece)), random.Random(7)))


@pytest.mark.parametrize(("name", "marked"), BROKEN_BELOW.values(), ids=list(BROKEN_BELOW))
def test_a_session_that_was_elsewhere_hides_what_a_new_one_does(name: str, marked: str) -> None:
    left, _, right = marked.split("¦")
    fresh = edited.mended_hole(edited.new_session(name), left, right)
    for line in range(marked.count("\n")):
        session = edited.new_session(name)
        session.hole(left + right, len("".join((left + right).splitlines(keepends=True)[:line])), level="syntax")
        assert edited.mended_hole(session, left, right).hidden == fresh.hidden, line


@pytest.mark.parametrize(
    ("name", "marked"),
    [
        ("go", "package p\n\n¦x\n¦func a() {\n\t¦b(1)\n}\n\nfunc f() {\n\tg(1¦)¦\n\tg(2)\n}\n\nfunc g(a int) {\n}\n"),
        (
            "python",
            "¦x = = 1\n¦def b(a):\n    ¦b(1)\n\n\ndef f(a):\n    g(a¦)¦\n    return a\n\n\ndef g(a):\n    return 1\n",
        ),
    ],
    ids=["Go", "Python"],
)
def test_a_cut_is_not_closed_behind_a_jump_from_between_two_changes(name: str, marked: str) -> None:
    """The text was valid, and something was written above the cut since."""
    first, written, middle, behind, piece, right = marked.split("¦")
    session = edited.new_session(name)
    session.hole(first + middle + behind + piece + right, 0, level="syntax")
    session.hole(first + middle + behind + right, len(first + middle + behind), level="syntax")
    left = first + written + middle + behind
    session.hole(left + right, len(left) - len(behind), level="syntax")
    hole = edited.mended_hole(session, left, right)
    assert hole.hidden == ((len(first), len(first + written) - 1),)


@pytest.mark.parametrize(
    "marked",
    [
        "function f() {\n  if (a) {\n    g();\n    ¦\n  }\n}\n}\n",
        "f(1, () => {\n  g();\nx = ¦y\nconst b = 1;\n\nexport function g() {\n  return 1;\n}\n",
    ],
    ids=["a bracket too many below a whole block", "a block that a statement follows"],
)
def test_what_lacks_elsewhere_is_not_the_lines(marked: str) -> None:
    left, right = marked.split("¦")
    session = language("typescript").session()
    session.doubts = True
    assert session.hole(left + right, len(left), level="syntax").hidden
