"""The existence of names, against pyflakes and by hand."""

import ast
import random
import unicodedata

import pytest
from pyflakes import checker, messages
from suture.parser import Hole, imports_for, language
from suture.parser.languages.python.lexer.identifiers import may_continue
from suture.parser.languages.python.semantics.contents import Dialect
from suture.parser.languages.python.semantics.lines import parse_file
from suture.parser.languages.python.semantics.sets import NONE, frozen, minus, union
from suture.parser.languages.python.semantics.state import PythonState

from ..support.inside import runtime_of
from ..support.oracle_python import parses, stdlib_sources


def _hole(marked: str, level: str = "names") -> Hole:
    left, right = marked.split("|")
    return language("python").hole(left, right, level=level)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "marked, good, bad",
    [
        ("import os\ndef f(path):\n    return |\n", ["os", "path", "len", "f", "[a for a in path]"], ["pth", "[a for b in path]"]),
        ("def f():\n    return |\nlater = 1\n", ["later", "f"], ["latex"]),
        ("print(|)\nlater = 1\n", ["1", "len", "end=''"], ["later"]),
        ("class A:\n    attribute = 1\n    def f(self):\n        return |\n", ["self", "A", "__class__"], ["attribute"]),
        ("class A:\n    attribute = 1\n    other = |\n", ["attribute"], ["A", "other"]),
        ("x = [|]\n", ["a for a in ''", "(a, b) for a in '' for b in a"], ["a", "a for b in ''", "a, b"]),
        ("def f(a):\n    g = lambda b: |\n", ["a", "b", "a + b"], ["c"]),
        ("|\n", ["x = 1", "x: int = 1", "for x in '': x", "import x", "def x(): return x", "with open('') as x: x"], ["x", "x += 1", "x.y = 1", "x()", "x: y"]),
        ("try:\n    pass\nexcept OSError as error:\n    print(|)\n", ["error"], ["err"]),
        ("try:\n    pass\nexcept OSError as error:\n    pass\nprint(|)\n", ["1"], ["error"]),
        ("from os import *\nprint(|)\n", ["getcwd", "anything"], []),
        ("|\nfrom os import *\n", ["1", "def f(): return anything"], ["anything"]),
        ("def f():\n    return |\nfrom os import *\n", ["anything"], []),
        ("try:\n    |\nexcept NameError:\n    pass\n", ["unicode"], []),
        ("x = 1\ndel x\nprint(|)\n", ["1"], ["x"]),
        ("def f():\n    global g\n    g = 1\ndef h():\n    return |\n", ["g"], []),
        ("if (m := 1) and |:\n    pass\n", ["m"], ["n"]),
        ("match 1:\n    case [a, *b] if |:\n        pass\n", ["a", "b"], ["c"]),
        # a name bound only by the rest of a loop is missing in its first round
        ("while True:\n    if 0:\n        print(|)\n    last = 1\n", ["len"], ["last", "lost"]),
        ("last = 0\nwhile True:\n    if 0:\n        print(|)\n    last = 1\n", ["last"], ["lost"]),
        ("def f(a):\n    print(f'{|}')\n", ["a", "a!r:>3"], ["b"]),
        ("x = 1\n|\nprint(x)\n", ["pass", "x = 2"], ["del x"]),
    ],
)  # fmt: skip
def test_names_at_a_place(marked: str, good: list[str], bad: list[str]) -> None:
    hole = _hole(marked)
    assert hole.state is not None
    for text in good:
        state = hole.state.advance(text)
        assert state is not None and state.complete, text
    for text in bad:
        assert language("python").hole(*marked.split("|")).state.advance(text).complete, text  # type: ignore[union-attr]
        state = hole.state.advance(text)
        assert state is None or not state.complete, text


_LATE = "from __future__ import annotations\n"


@pytest.mark.parametrize(
    "left, middle, right, exists",
    [
        (_LATE, "def f(x: list[B], y: B = None) -> dict[str, B]: ...\n", "class B: pass\n", True),
        (_LATE + "class A:\n    ", "def f(self) -> A: ...\n", "\n", True),
        (_LATE + "class A:\n    T = int\n    ", "x: T\n", "\n", True),
        (_LATE + "class A:\n    ", "x: T\n", "    T = int\n", True),
        (_LATE + "class A:\n    ", "def f(self): return T\n", "    T = int\n", False),
        (_LATE, "def f(x: B = B): ...\n", "class B: pass\n", False),
        (_LATE, "def f(x: Zed): ...\n", "class B: pass\n", False),
        (_LATE + "class A:\n    T = int\n\n", "def f(x: T): ...\n", "\n", False),
        ("", "class A:\n    x: B\n", "class B: pass\n", False),
        ("", _LATE + "class A:\n    x: B\n", "class B: pass\n", True),
        ("from __future__ import ", "annotations", "\nclass A:\n    x: B\nclass B: pass\n", True),
        ("from __future__ import (\n    annotations)\nclass A:\n    ", "x: B", "\nclass B: pass\n", True),
    ],
)
def test_annotations_that_are_not_evaluated(left: str, middle: str, right: str, exists: bool) -> None:
    """They see later bindings, even if the text itself contains the import that delays them."""
    state = language("python").hole(left, right, level="names").state
    for char in middle:
        state = state.advance(char) if state is not None else None
    assert (state is not None and state.complete) is exists


def test_an_identifier_that_leads_to_no_name_is_refused_at_once() -> None:
    state = _hole("def total(prices):\n    return sum(prices) + |\n").state
    assert state is not None
    assert state.advance("pri") is not None
    assert state.advance("prj") is None
    assert state.refusal("prj") == "name 'prj' is not defined"


def test_what_is_undefined_already_refuses_nothing() -> None:
    state = _hole("def f(a):\n    return missing + |\n\nprint(gone)\n").state
    assert state is not None
    after = state.advance("a")
    assert after is not None and after.complete


def test_bridges_bring_in_no_name() -> None:
    for marked in (
        "def f(a):\n    return (|\n",
        "def f(a):\n    for |:\n        break\n",
        "if |:\n    pass\n",
        "|(1)\n",
        # a loop for `break`, a function for `return`, a coroutine for `await`
        "items = []\nif items:\n    pass|        try:\n            pass\n        except OSError:\n            break\n",
        "items = []\nif items:\n    pass|        try:\n            return items\n        except OSError:\n            pass\n",
        "async def f(a):\n    return a\n\n|    await f(1)\n",
        # the rest of an undefined name
        '"""Text."""\n|rest\n\nx = 1\n',
        "class A:\n    def first(sel|ond(self):\n        return self.value\n",
        "class A:\n    def f(self):\n        tag|_value in self:\n            pass\n",
        # names removed by the hole
        "def f(items):\n    ret|given = items\n        return [given, index] + items\n",
    ):
        state = _hole(marked).state
        assert state is not None
        bridges = state.bridges()
        assert bridges, marked
        for bridge in bridges:
            after = state.advance(bridge)
            assert after is not None and after.complete, (marked, bridge)


def undefined(text: str) -> set[str]:
    """The names that pyflakes finds undefined."""
    found = checker.Checker(ast.parse(text)).messages
    return {str(one.message_args[0]) for one in found if isinstance(one, messages.UndefinedName)}


def test_true_middles_and_names_put_in_their_place_against_pyflakes() -> None:
    rng = random.Random(151)
    asked = refused = 0
    for text in stdlib_sources(rng, 14, 25_000):
        words = [node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)]
        if undefined(text) or not words:
            continue
        session = language("python").session()
        lines = text.splitlines(keepends=True)
        for _ in range(4):
            number = rng.randrange(len(lines))
            begin = sum(map(len, lines[:number]))
            end = begin + len(lines[number])
            hole = session.hole(text[:begin] + text[end:], begin, level="names", exact=True)
            assert hole.state is not None and hole.viable
            state = hole.state.advance(text[begin:end])
            assert state is not None and state.complete, text[begin:end]
            names = [node for node in words if node in text[begin:end]]
            if not names:
                continue
            other = text[begin:end].replace(rng.choice(names), rng.choice((*words, "zzz")))
            whole = text[:begin] + other + text[end:]
            if not parses(whole) or not parses(text[:begin] + text[end:]):
                continue
            try:
                compile(whole, "<text>", "exec", dont_inherit=True)
            except SyntaxError:
                continue
            new = undefined(whole) - undefined(text[:begin] + text[end:])
            state = hole.state.advance(other)
            asked += 1
            refused += bool(new)
            assert bool(new) != (state is not None and state.complete), (other, new)
    assert asked > 15 and refused > 2


@pytest.mark.parametrize(
    "left, middle, right",
    [
        ("", 'x: "Item" = None', "\nclass Item: pass\n"),
        ("", 'x: "Itme" = None', "\nclass Item: pass\n"),
        ("def f(x: ", '"Item"', "): ...\nclass Item: pass\n"),
        ("def f(x: ", '"Itme"', "): ...\nclass Item: pass\n"),
        ("def f(x: list[", '"Item"', "]): ...\nclass Item: pass\n"),
        ("def f(x: list[", '"Itme"', "]): ...\nclass Item: pass\n"),
        ("from typing import Literal\ndef f(x: Literal[", '"anything"', "]): ...\n"),
        ("class A:\n    def f(self) -> ", '"A"', ": ...\n"),
        ("class A:\n    def f(self) -> ", '"B"', ": ...\n"),
        ("class A:\n    T = int\n    def f(self) -> ", '"T | None"', ": ...\n"),
        ("def f() -> ", '"dict[str, Itme]"', ": ...\n"),
        ("import os\ndef f() -> ", '"os.PathLike[str]"', ": ...\n"),
        ("def f() -> ", '"f"', ": ...\n"),
        ("def f(x: int) -> ", '"x"', ": ...\n"),
        ("x = ", '"anything goes"', "\n"),
        ("def f(x: ", 'dict(name="Some words")', "): ...\n"),
        ("def f(x: ", '"tuple[(int, Itme)]"', "): ...\n"),
        ("def f(x: 'It", "em'", "): ...\nclass Item: pass\n"),
        (_LATE + "def f(x: ", '"Item"', "): ...\nclass Item: pass\n"),
        (_LATE + "def f(x: ", '"Itme"', "): ...\nclass Item: pass\n"),
        ("class Runner: pass\ndef f(x: ", '"Runner"', "): ...\n"),  # it begins and ends with letters of prefixes
        ("class User: pass\ndef f(x: ", "r'''User'''", "): ...\n"),
        ("class unne: pass\ndef f(x: ", '"Runner"', "): ...\n"),
    ],
)
def test_string_annotations_against_pyflakes(left: str, middle: str, right: str) -> None:
    def undefined(text: str) -> set[object]:
        found = checker.Checker(ast.parse(text)).messages
        return {one.message_args[0] for one in found if isinstance(one, messages.UndefinedName)}

    state = language("python").hole(left, right, level="names").state
    for char in middle:
        state = state.advance(char) if state is not None else None
    assert (state is not None and state.complete) is (not undefined(left + middle + right))
    assert language("python").hole(left, right).state.advance(middle).complete  # type: ignore[union-attr]


def test_sets_that_hold_nothing_are_one_object() -> None:
    """A file of 400,000 characters has a hundred thousand of them, at 216 bytes each."""
    checked = 0

    def look(content: object) -> None:
        nonlocal checked
        for name in getattr(content, "_fields", None) or getattr(type(content), "__slots__"):  # noqa: B009
            value = getattr(content, name)
            if isinstance(value, frozenset) and not value:
                checked += 1
                assert value is NONE, name

    for text in stdlib_sources(random.Random(6), 4):
        if parses(text):
            content = parse_file(text, Dialect((3, 12)))
            look(content)
            assert content.facts is not None
            look(content.facts.gathered())
    for line in ("x = y\n", "def f(a): return b\n", "for x in y: break\n", "del x\n"):
        look(parse_file(line, Dialect((3, 12))))
    assert checked > 50
    assert minus(frozenset("a"), {"a"}) is NONE and union(NONE, NONE) is NONE and frozen([]) is NONE


def test_the_words_that_may_come_are_known_where_others_are_refused_or_doubtful() -> None:
    imports = imports_for("python", "3.11", None, at_once=True)
    header = "class A:\n    one = 1\n    def two(self):\n        self.ONLY\na = A()\n"
    for marked, known in (
        ("a.|\n", True),
        ("x = a.|\n", True),
        ("print(a.|)\n", True),
        ("b.|\n", False),
        ("a|\n", False),
        ("from os import |\n", False),
    ):
        left, right = (header.replace("self.ONLY", "pass") + marked).split("|")
        state = language("python", "3.11").hole(left, right, level="names", imports=imports).state
        words = state.next_words if state is not None else None
        assert (words is not None and {"one", "two"} <= words) is known, marked
    left, right = header.replace("ONLY", "|").split("|")
    state = language("python", "3.11").hole(left, right, level="names", imports=imports).state
    assert state is not None and state.next_words is None  # a method may give its object new attributes


@pytest.mark.parametrize(
    ("marked", "text", "doubtful"),
    [
        ("x = |\n", "datetime", True),
        ("x = |\n", "da", True),
        ("x = |\n", "pri", False),  # print
        ("x = |\n", "datetime = 1", False),
        ("x = y = |\n", "datetime", True),
        ("x = |\n", "[date", False),  # the element of a comprehension
        ("|\n", "datetime", False),  # a target
        ("x = f(|)\n", "datetime", False),  # a keyword argument
        ("class A:\n    def f(self):\n        x = self.|\n", "new", True),
        ("class A:\n    def f(self):\n        self.|\n", "new", False),
        ("def f(x=|): ...\n", "prin", False),
        ("class A:\n    one = 1\na = A()\na.|\n", "new", True),
        ("class A:\n    one = 1\na = A()\na.|\n", "on", False),
        # An unknown variable is mostly an instance of its namesake class.
        ("class BigBox:\n    one = 1\ndef f(big_box):\n    g(big_box.|)\n", "new", True),
        ("class BigBox:\n    one = 1\ndef f(big_box):\n    g(big_box.|)\n", "on", False),
        ("class BigBox(Base):\n    one = 1\ndef f(big_box):\n    g(big_box.|)\n", "new", False),
        ("class BigBox:\n    one = 1\ndef f(box):\n    g(box.|)\n", "new", False),
        ("class BigBox:\n    one = 1\nbig_box = ''\nx = [big_box.|]\n", "strip", False),
    ],
)
def test_a_word_that_probably_exists_nowhere_is_doubtful(marked: str, text: str, doubtful: bool) -> None:
    imports = imports_for("python", "3.11", None, at_once=True)
    state = language("python", "3.11").hole(*marked.split("|"), level="names", imports=imports).state
    after = state.advance(text) if state is not None else None
    assert after is not None and after.doubtful is doubtful
    plain = language("python", "3.11").hole(*marked.split("|")).state
    assert plain is not None and (after := plain.advance(text)) is not None and not after.doubtful


@pytest.mark.parametrize(
    "text",
    ["{x for y in z: w}\n", "[{x for y in z: w} for a in b]\n", "f(a[x for y in z: w])\n", "(x for y in z: w)\n"],
)
def test_what_is_no_python_says_nothing(text: str) -> None:
    assert parse_file(text, Dialect((3, 12))).size == 1


def _taken(left: str, middle: str, right: str, *, exact: bool) -> bool:
    state = language("python").hole(left, right, level="names", exact=exact).state
    for char in middle:
        state = state.advance(char) if state is not None else None
    return state is not None and state.complete


@pytest.mark.parametrize(
    "left, middle",
    [
        ("y = [x for x in xs if (m := x) ", "if m]"),
        ("y = [x for x in xs if (m := x) for z in ", "m]"),
        ("y = {x for x in xs if x if (m := x) if ", "x in m}"),
    ],
)
@pytest.mark.parametrize("taken", (False, True))
def test_the_clauses_before_the_cursor_bind_names(left: str, middle: str, taken: bool) -> None:
    left = left if taken else left.replace("m :=", "n :=")
    assert _taken("xs = []\n" + left, middle, "\n", exact=False) is taken


@pytest.mark.parametrize(
    "left, middle, right, generated",
    [
        # bound behind its reader, in the text itself or with the rest of a word behind it
        ("def f():\n    ", "return g()\n\ndef g():\n    return 1\n", "", False),
        ("def f():\n    ", "return g_of()\n\ndef g", "_of():\n    return 1\n", False),
        ("class A:\n    def f(self):\n        ", "return B()\n\nclass B:\n    pass\n", "", False),
        ("f = lambda: ", "g()\n\ndef g():\n    pass\n", "", False),
        ("def f(x: ", "'B'): ...\n\nclass B: ...\n", "", False),
        # caught in the text itself
        ("try:\n    ", "unicode\nexcept NameError:\n    pass\n", "", False),
        ("try:\n    uni", "code\nexcept NameError:\n    pass\n", "", False),
        # read after everything is bound
        ("f = lambda a: ", "a + later", "\nlater = 1\n", True),
        ("f = [lambda: (a for a in ", "later", ")]\nlater = 1\n", True),
        # undefined elsewhere: no new one
        ("def f():\n    return gone\n", "print(gone)\n", "", True),
        ("", "def g():\n    return gone\n", "def f():\n    return gone\n", True),
        ("print(gone)\nif 1:\n", "    print(gone)", "\n", True),
        # read only by code below: a text may bind it
        ("if 1:\n", "    print(gone)", "\nelif gone:\n    pass\n", False),
        ("class A:\n    def f(self):\n        if 1:\n", "            pass\n", "        elif 2:\n            pass\n    def g(self) -> 'Gone': ...\n", True),
        ("def f(\n", "    a) -> 'Gone':\n", '    """Text.\n\n    More.\n    """\ndef g(a) -> "Gone":\n    """Text."""\n', True),
        # strings that begin or end behind the place
        ('class A:\n    """Text\n', '    """\n    def f(self, a: "A"):\n', '        """More.\n\n        """\n\nclass B(A):\n    """Text."""\n', True),
        ('class A:\n    """Text\n', '    """\n    def f(self, a: "B"):\n', '        """More.\n\n        """\n\nclass B(A):\n    """Text."""\n', True),
        ("class A:\n", '    def f(self, a: "B"):\n        """Text\n', '        """\n\nclass B(A):\n    """Text."""\n', True),
        ("class A:\n    def f(self):\n        pass\n ", " ", "      pass\n\n    def g(self):\n        class B:\n            B\n\n    def h(self):\n        print('\"\"\"')\n\nx = 1\n", True),
        ("class A:\n", "    def f(self, a: 'B'):\n        '''Text\n", "        '''\n\nclass B(A):\n    pass\n", True),
        # without the text a header is missing, so lines are indented deeper than their apparent block
        ("class A:\n", "    def f(self, a):\n", "        return a\n\n    def g(self): ...\n\ndef h():\n    return gone\n", True),
        ("if 1:\n    pass\nelse:\n", "    def f(a):\n", "        return a\n\n    def g(): ...\n\ndef h():\n    return gone\n", True),
        ("class A:\n    def f(self): ...\n", "    def g(self, a):\n", "        return a\n\nprint(gone)\n", True),
        # names bound by a function's lines are not bound in the file
        ("def f():\n    return gone\n\ndef g(a) -> None:\n", "    ", "'Text.'\n    gone = a\n\nx = 1\n", True),
        ("class A:\n", "    def f(self, a):\n", "        return a\n\n    def g(self): return gone\n\n    x = 1\n", True),
        ("class A:\n", "    def f(self, a):\n        b = a\n", "        return b\n\n    x = gone\n", True),
        ("", "class A(gone.B):\n", "    def f(self):\n        return gone\n", False),
        ("import unittest\n\n", "class A:\n", "    x = 1\n    def f(self):\n        return gone\n", True),
        ("x = 1\n", "table = {\n    1: gone,\n", "    2: x,\n    3: gone,\n}\n", False),
        ("def f(a):\n    x = a\n\n", "def g(b):\n    print(gone)\n", "    y = b\n    return gone(b)\n", False),
        # it may be the header that is missing, or something else
        ("", "def f(a):\n", "    a = 1\n    return a + gone\n", False),
        ("def f(a):\n    return a\n\n", "def g(b):\n", "    def h(): return gone\n    return b\n", True),
    ],
)  # fmt: skip
def test_true_middles_that_read_what_is_bound_or_missing_elsewhere(
    left: str, middle: str, right: str, generated: bool
) -> None:
    """Exact states accept them all; generated text reads no name that only later text could bind."""
    assert _taken(left, middle, right, exact=True)
    assert _taken(left, middle, right, exact=False) is generated


@pytest.mark.parametrize(
    "left, middle, right",
    [
        ("def f():\n    ", "return g()\n\ndef h():\n    return 1\n", ""),
        ("try:\n    ", "unicode\nexcept ValueError:\n    pass\n", ""),
        ("def f():\n    gone = 1\n    return gone\n", "def g(): return gone\n", ""),
        ("def f():\n    return gone\n", "print(lost)\n", ""),
        ("if 1:\n", "    print(gone)", "\nelif 2:\n    pass\n"),
        ("", "g()\n", "def g(): ...\n"),
        ("", "def f(a=gone):\n", "    return a\n"),
        ("x = 1\n", "del x\nif 1:\n", "    pass\n    print(x)\n"),
        ("def f(gone):\n    print(gone)\n", "class A(gone):\n", "    pass\n"),
        ("", "table = {\n    1: gone,\n", "    2: 3,\n    'gone': 4,\n}\n"),
    ],
)
def test_what_no_text_binds_is_refused(left: str, middle: str, right: str) -> None:
    assert not _taken(left, middle, right, exact=True) and not _taken(left, middle, right, exact=False)


_ORDER = "def f(*_, **__): ...\nd = {}\nb = 1\n"


@pytest.mark.parametrize(
    ("text", "taken", "generated"),
    [
        # a condition is evaluated before the operand on its left
        ('y = m["a"] if (m := f()) else b', True, False),
        ("y = (m, b) if (m := b) else m", True, False),
        ("y = b, m + m(3)[m] if (m := f()) else b", True, False),
        ("y = [m if (m := f()) else b]", True, True),  # a `for` might bind it
        ("y = b if m else (m := 1)", False, False),
        ("y = m if b else b if (m := 2) else b", False, False),
        ("y = b if b else m if (m := 2) else m", True, False),
        ("y = f(m) + (b if (m := b) else b)", False, False),
        # the value of `:=` before its name
        ("(m := m)", False, False),
        ("(m := lambda: m)", True, True),
        ("print(m := f(), m)", True, True),
        ("print([m := f(), m, (n := m), n])", True, True),
        ("print(m, m := f())", False, False),
        ("while m := f(): print(m)", True, True),
        ("f(m := [k for k in d], m)", True, True),
        ("y = lambda: (m, m := 1)", False, False),
        ("y = lambda: (m := 1, m)", True, True),
        # conditions of comprehensions before the element
        ("y = [m for x in d if (m := f(x))]", True, True),
        ("y = {m: 1 for x in d if (m := f(x))}", True, True),
        ("y = [x for x in d if (m := m)]", False, False),
        ("y = [x for x in d if m if (m := x)]", False, False),
        ("y = [x for x in d if (m := x)], m", True, True),
        # the value of an assignment before its targets, which are bound from left to right
        ("m = d[m] = 3", True, False),
        ("d[m] = m = 3", False, False),
        ("d[m] = (m := 3)", True, False),
        ("for m, d[m] in f(): pass", True, True),
        ("with f() as (m, d[m]): pass", True, True),
        ("with f(m) as m: pass", False, False),
        ("m, d[m] = f()", True, True),
        ("d[m], m = f()", False, False),
        ("y = [m for m, d[m] in f()]", True, True),
        ("m = m + 1", False, False),
    ],
)
def test_the_order_of_evaluation(text: str, taken: bool, generated: bool) -> None:
    found = checker.Checker(ast.parse(_ORDER + text)).messages
    assert any(isinstance(one, messages.UndefinedName) for one in found) is not taken
    assert _taken(_ORDER, text, "\n", exact=True) is taken
    assert _taken(_ORDER, text, "\n", exact=False) is generated
    for end in range(0, len(text), 4) if taken else ():
        assert _taken(_ORDER, text[:end], text[end:] + "\n", exact=True), text[:end]


@pytest.mark.parametrize("middle", ["m[1]", "m", 'm["a"] + m'])
def test_a_name_that_a_condition_behind_the_cursor_binds(middle: str) -> None:
    right = " if (m := f()) else b\n"
    assert _taken(_ORDER + "y = ", middle, right, exact=False)
    assert _taken(_ORDER + "y = " + middle[0], middle[1:], right, exact=False)
    assert not _taken(_ORDER + "y = ", middle, " if (other := f()) else b\n", exact=False)


def test_brackets_that_read_a_name_end_in_the_for_that_binds_it() -> None:
    state = language("python").hole(_ORDER + "y = f(\n    [item.", ",\n    key=b,\n)\n", level="names").state
    assert state is not None and state.bridges()
    for text in ("name", "name for ", "name for other in f(d", "name for other in d if other  # why"):
        after = state.advance(text)
        assert after is not None
        bridges = after.bridges()
        assert bridges, text
        for bridge in bridges:
            whole = after.advance(bridge)
            assert whole is not None and whole.complete, text
    for text, doubtful in (("name for o", True), ("name for i", False), ("name for item, o", False), ("name f", False)):
        after = state.advance(text)
        assert after is not None and after.doubtful is doubtful, text


@pytest.mark.parametrize("exact", [True, False])
def test_a_header_that_is_begun_keeps_the_lines_below_it(exact: bool) -> None:
    left, right = "def f(): ...\ndef g", "\n    print(*values)\n"
    assert _taken(left, "_of(*values):", right, exact=exact)
    assert _taken(left, "_of(): ...\nfor values in f():", right, exact=exact)
    assert _taken(left, "_of(): ...\nif f():", right, exact=exact) is exact


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("table = {", True),
        ("if 1: {", True),
        ("def g(self): {", False),
        ("1\n{", False),
        ("def g(self, first=first, second=second): {", True),
    ],
)
def test_no_text_puts_the_lines_below_where_they_see_no_name_of_their_class(text: str, taken: bool) -> None:
    left = "class A:\n    def first(self): ...\n\n    def second(self):\n        return 1\n\n    "
    right = "\n        1: first,\n        'two words': second,\n    }\n"
    assert _taken(left, text, right, exact=False) is taken


def test_names_may_hold_any_character_that_python_takes() -> None:
    """One of each kind of character, and of each block of Unicode: whole names are found, and their beginnings are other names."""
    for version in ("3.8", "3.11", "3.13"):
        numbers = tuple(map(int, version.split(".")))
        kinds: dict[object, str] = {}
        for code in [*range(0x80, 0xD800), *range(0xE000, 0x110000)]:
            char = chr(code)
            if may_continue(char, numbers) and unicodedata.normalize("NFKC", char) == char:
                kinds.setdefault((unicodedata.category(char), code >> 11), char)
                if not char.isalnum():
                    kinds.setdefault((unicodedata.category(char), char.isidentifier(), code >> 8), char)
        assert len(kinds) > 150
        for char in [*kinds.values(), *("\xb7\u0387\u1369\u19da" + "\u30fb" * (version == "3.13"))]:
            name = unicodedata.normalize("NFKC", f"a{char}b")
            if len(name) == 3:
                _check_name(name, version)


def _check_name(name: str, version: str) -> None:
    for text, taken in (
        (f"x = {name}\n", True),
        (f"{name}\n", True),
        (f"x = {name[:2]}\n", False),
        (f"{name}c\n", False),
    ):
        for exact in (True, False):
            state = language("python", version).hole(f"{name} = 1\n", "", level="names", exact=exact).state
            after = state.advance(text) if state is not None else None
            assert (after is not None and after.complete) is taken, (text, version, exact)
    state = language("python", version).hole(f"{name} = 1\nx = {name[:1]}", f"{name[2:]}\n", level="names").state
    assert state is not None and (after := state.advance(name[1])) is not None and after.complete


def test_the_class_around_is_seen_in_classes_alone() -> None:
    for left, taken in (("", False), ("def f():\n    ", False), ("class A:\n    def f(self):\n        ", True)):
        state = language("python").hole(left, "\n", level="names").state
        assert state is not None
        assert ((after := state.advance("print(__class__)")) is not None and after.complete) is taken


def test_a_generator_in_a_field_binds_nothing_behind_it() -> None:
    text = "x = []\nf'{i for i in x}'\n"
    state = language("python", "3.11").hole(text, "", level="names").state
    assert state is not None and state.advance("print(i)\n") is None and state.advance("print(x)\n") is not None


def test_what_asks_to_stop_a_search_for_bridges_is_asked_in_no_other_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other work does not expect to be cancelled."""
    state = language("python").hole("x = f(zzq", " for a in b\n", level="names").state
    assert isinstance(state, PythonState)
    engine, advance, asked = runtime_of(language("python")).engine, PythonState.advance, 0

    def advanced(self: PythonState, text: str) -> PythonState | None:
        nonlocal asked
        asked += 1
        assert engine.stop is None
        return advance(self, text)

    monkeypatch.setattr(PythonState, "advance", advanced)
    assert state.bridges(lambda: False)
    assert asked > 2


_SCOPES = ("{}", "if 1:\n    {}", "def f():\n    {}", "class C:\n    {}", "def f():\n    def g():\n        {}")


@pytest.mark.parametrize("outer", _SCOPES)
@pytest.mark.parametrize("read", ["; print(x)", "; (lambda: x)", "\ndef h(): x", "\nclass D: x"])
def test_global_binds_nothing_at_module_level(outer: str, read: str) -> None:
    """Against pyflakes."""
    indent = "\n" + " " * (outer.find("{}") - outer.rfind("\n") - 1)
    for text in (
        outer.replace("{}", "global x" + read.replace("\n", indent)),
        outer.replace("{}", "global x") + read.replace("; ", "\n"),
    ):
        assert _taken("", text + "\n", "", exact=True) == (not undefined(text)), text


@pytest.mark.parametrize("scope", ["def f(x):", "def f(*x):", "def f():\n    x = 1", "class C:\n    x = 1"])
@pytest.mark.parametrize("gone", ["del x", "with f: del x", "for f in (): del x", "if f: del x", "x = del_ = 1; del x"])
@pytest.mark.parametrize(
    "read",
    ["x", "[f for f in x]", "f = lambda: x", "with f: x", "with f:\n        x = 1\n    x", "del x"],
)
def test_what_is_deleted_is_not_there_against_pyflakes(scope: str, gone: str, read: str) -> None:
    for text in (f"{scope}\n    {gone}\n    {read}\n", f"{scope}\n    with f:\n        {gone}\n    {read}\n"):
        assert _taken("f = 1\n", text, "", exact=True) == (not undefined("f = 1\n" + text)), text


@pytest.mark.parametrize("version", ["3.8", "3.11", "3.14", "3.15"])
@pytest.mark.parametrize("text", ["nope.x", "nope()", "list[nope,", "metaclass=nope.x"])
def test_no_generator_binds_the_names_of_bases(version: str, text: str) -> None:
    """A class accepts no generator as an argument, a call does."""
    assert language("python", version).hole("class A(", "): pass\n", level="names").state.advance(text) is None  # type: ignore[union-attr]
    assert language("python", version).hole("A(", ")\n", level="names").state.advance("[nope.") is not None  # type: ignore[union-attr]


@pytest.mark.parametrize("left", ["x = cell.", "x = f[1, cell.", "if cell."])
def test_a_name_before_a_point_is_not_the_texts(left: str) -> None:
    """Its user has written it, and may still write an import of it."""
    before = f"def f(): ...\n{left.removesuffix('cell.')}"
    own, others = (language("python").hole(text, "\n", level="names").state for text in (before, f"{before}cell."))
    assert others is not None and others.advance("zeros") is not None
    assert own is not None and own.advance("cell.zeros") is None


BOARD, BELOW = "def f(board):\n    ", "\n    return ok\n"


@pytest.mark.parametrize(
    ("left", "text", "right", "complete"),
    [
        (BOARD + "ok = all(all(cell != ", "board[0]))", BELOW, False),
        (BOARD + "ok = all(all(cell != ", "board[0] for cell in board))", BELOW, True),
        (BOARD + "ok = all(all(cell != ", '"" for row in board for cell in row))', BELOW, True),
        (BOARD + "ok = all(all(cell != ", '"" for row in board for other in row))', BELOW, False),
        (BOARD + "ok = [cell * ", "2]", BELOW, False),
        (BOARD + "ok = [cell * ", "2 for cell in board]", BELOW, True),
        (BOARD + "ok = {cell: ", "1}", BELOW, False),
        (BOARD + "ok = {cell: ", "1 for cell in board}", BELOW, True),
        (BOARD + "ok = sum(cell.x for row in board if ", "row)", BELOW, False),
        (BOARD + "ok = sum(cell.x for row in board ", "for cell in row)", BELOW, True),
        (BOARD + "ok = [cell.x for row in board if ", "(cell := row)]", BELOW, True),
        # something else binds it, or nothing in the statement can
        (BOARD + "ok = all(cell == ", "1", " for cell in board)\n    return ok\n", True),
        (BOARD + "cell = 1\n    ok = all(cell != ", "board)", BELOW, True),
        ("from a import *\n" + BOARD + "ok = all(cell != ", "board)", BELOW, True),
        (BOARD + "ok = print(cell, ", "board)", BELOW, True),
        (BOARD + "print(cell)\n    ok = all(cell != ", "board)", BELOW, True),
        (BOARD + "ok = cell + ", "1", BELOW, True),
        (BOARD + "ok = all(board != ", "board)", BELOW, True),
        # an import that is not written yet binds it
        (BOARD + "ok = [np.zeros(", "3)]", BELOW, True),
        (BOARD + "ok = any(Cell(", "board))", BELOW, True),
        (BOARD + "ok = all(cell != ", "board)", BELOW + "\n\ndef g():\n    return cell.x\n", True),
        (BOARD + "ok = [cell.", "x]", BELOW, False),
        (BOARD + "ok = [cell.", "x for cell in board]", BELOW, True),
    ],
)
def test_the_cursors_statement_binds_what_it_reads(left: str, text: str, right: str, complete: bool) -> None:
    """Names that only a later `for` in the open brackets, or a `:=`, can bind."""
    state = language("python").hole(left, right, level="names").state
    after = None if state is None else state.advance(text)
    assert (after is not None and after.complete) is complete
    assert state is not None and all(state.advance(bridge).complete for bridge in state.bridges())  # type: ignore[union-attr]


TASK = "def f(task):\n    "


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("tomorrow = 1", True),
        ("for tomorrow in task: pass", True),
        ("tomorrow = task; print(tomorrow)", True),
        ("x = 1", True),
        ("x = tomorrow", False),
        ("print(tomorrow)", False),
        ("x = lambda: tomorrow", False),
        ("x = tomorrow.year", False),
        ("task.tomorrow = 1", True),
        ("print(tomorrow=task)", True),
    ],
)
def test_a_name_that_only_code_below_reads_may_be_bound(text: str, complete: bool) -> None:
    state = language("python").hole(TASK, "\n    task.move(tomorrow)\n", level="names").state
    after = None if state is None else state.advance(text)
    assert (after is not None and after.complete) is complete
    read_above = language("python").hole(TASK + "print(tomorrow)\n    ", "\n    task.move(tomorrow)\n", level="names")
    after = None if read_above.state is None else read_above.state.advance(text)
    assert after is not None and after.complete, "it is missing anyway"


@pytest.mark.parametrize("begun", ["info.", "", "1 + ", "[", "g(info."])
@pytest.mark.parametrize(
    "rest", ["", ", b=below(1)", ",\n        b=below(1),\n    ", ",\n        b=below(missing),\n    "]
)
@pytest.mark.parametrize("target", ["", "x = ", "return "])
def test_the_rest_of_a_statement_may_read_what_is_defined_below(begun: str, rest: str, target: str) -> None:
    closers = "".join({"[": "]", "(": ")"}.get(char, "") for char in reversed(begun))
    left, right = (
        f"def f(info):\n    {target}g(a={begun}",
        f"{closers}{rest})\n\n\ndef below(x):\n    return x\n\n\ndef g(*x): ...\n",
    )
    state = language("python").hole(left, right, level="names").state
    after = None if state is None else state.advance("info")
    assert after is not None and after.complete


@pytest.mark.parametrize("word", ["if", "while"])
@pytest.mark.parametrize("name", ["task", "later", "new"])
@pytest.mark.parametrize("body", ["return later", "pass"])
def test_a_name_before_a_walrus_is_bound(word: str, name: str, body: str) -> None:
    left, right = "def f(task):\n    ", f" := task.get(1):\n        {body}\n    return task\n"
    state = language("python").hole(left, right, level="names").state
    after = None if state is None else state.advance(f"{word} {name}")
    assert after is not None and after.complete


def test_a_condition_may_begin_with_a_name_that_it_binds_for_code_below() -> None:
    state = language("python").hole(TASK, "\n        task.move(tomorrow)\n", level="names").state
    for piece in ("if", " tomo", "rrow", " := task.next:"):
        state = None if state is None else state.advance(piece)
    assert state is not None and state.complete
