"""Views of broken files: the hidden pieces, their stand-ins, and the names still judged."""

from __future__ import annotations

import itertools
import random
import re
import sys
from collections import Counter
from pathlib import Path

import pytest
from suture.parser import language
from suture.parser.view import Edit, Hidden, View
from suture.parser.views import MOST_READ, Views

from benchmarks import broken_names

from ..fuzz import headers, views
from ..support import oracle_go
from ..support.oracle_python import parses, stdlib_sources


def test_offsets_are_mapped_both_ways() -> None:
    """The beginning of a hidden piece stands for all of it; everything else keeps its place."""
    rng = random.Random(1)
    for _ in range(300):
        text = "".join(rng.choice("ab\n") for _ in range(40))
        cuts = sorted(rng.sample(range(41), 6))
        pieces = [Hidden(cuts[i], cuts[i + 1], "x" * rng.randrange(4)) for i in (0, 2, 4)]
        view = View.of(text, rng.randrange(41), pieces)
        for offset in range(41):
            within = any(piece.start < offset < piece.end for piece in pieces)
            assert view.outside(view.inside(offset)) == offset or within or any(offset in piece[:2] for piece in pieces)
            if not within and offset not in cuts and offset < 40:
                assert view.text[view.inside(offset)] == text[offset]


def test_edits_of_a_view_are_pieces_of_the_document() -> None:
    """After any edits the view's text is their result, and is made only of its pieces of the document."""
    rng = random.Random(2)
    for _ in range(300):
        text = "".join(rng.choice("ab\n") for _ in range(30))
        view, expected = View.of(text, 15), text
        for _ in range(4):
            start, end = sorted(rng.randrange(len(expected) + 1) for _ in range(2))
            put = "x" * rng.randrange(3)
            view = view.edited(Edit(start, end, put, 1.0))
            expected = expected[:start] + put + expected[end:]
            assert view.text == expected
            assert View.of(text, 15, view.hidden).text == expected
            assert all(a.end <= b.start for a, b in zip(view.hidden, view.hidden[1:], strict=False))


WORKS = {
    "a header without a block": "def g():\n    if x:\n    return 1\n",
    "an open call": "total = compute(1,\nother = 2\n",
    "half a line": "value = \nother = 2\n",
    "half an import": "from os import\nother = 2\n",
    "a try without a clause": "def g():\n    try:\n        x = 1\n    return x\n",
    "a bracket too many": "other = f(1))\n",
    "a quote": "other = 'abc\n",
    "a header that is broken": "def g(x:\n    return x\n",
    "a class that is broken": "class A(:\n    x = 1\n",
    "a column": "other = 1\n   deeper = 2\n",
    "a conflict": "<<<<<<< HEAD\nother = 1\n=======\nother = 2\n>>>>>>> branch\n",
    "a template": "{% if x %}\nother = 1\n{% endif %}\n",
    "a notebook's magic": "%matplotlib inline\n!ls\nother = 1\n",
    "an old statement": "print 'abc'\nother = 1\n",
    "a decorator": "@decorated\nother = 1\n",
}
"""Places broken the way people break them."""
VALID = "import os\n\n\ndef total(prices):\n    known = os.name\n    return |\n\n\nlast = total([])\n"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("side", ["above", "below", "both"])
@pytest.mark.parametrize("work", list(WORKS))
def test_names_and_attributes_are_judged_in_a_broken_file(work: str, side: str, end: str) -> None:
    """As in the unbroken file: an undefined name is refused, a bound one accepted."""
    left, right = VALID.split("|")
    left = WORKS[work] + "\n\n" + left if side != "below" else left
    right = right + "\n\n" + WORKS[work] if side != "above" else right
    left, right = left.replace("\n", end), right.replace("\n", end)
    hole = language("python").session().hole(left + right, len(left), level="names")
    assert hole.state is not None and not parses(left + "known" + right)

    def takes(text: str) -> bool:
        assert hole.state is not None
        after = hole.state.advance(text)
        return after is not None and after.complete

    assert takes("known") and takes("prices") and takes("total(prices)")
    assert not takes("zqx") and not takes("known.append(zqx)")
    assert hole.viable or hole.hidden


def test_what_a_hidden_line_binds_is_bound() -> None:
    """An unreadable line still tells its names."""
    left, right = "import os\nresult = compute(1 2)\nself.count = 1 2\nfrom a import b, c as d e\n\n\nx = ", "\n"
    hole = language("python").session().hole(left + right, len(left), level="names")
    assert hole.state is not None and len(hole.hidden) == 3
    for name in ("result", "b", "d"):
        after = hole.state.advance(name)
        assert after is not None and after.complete, name


def test_a_view_stays_while_a_line_is_typed_and_goes_when_the_file_is_mended() -> None:
    """The hidden pieces move with the text; nothing is hidden any more once nothing is broken."""
    session = language("python").session()
    left, right = "x = f(1 2)\n\n\ndef g(a):\n    ", "\n\n\ny = = 3\n"
    for typed in ("", "r", "re", "return", "return a", "return a\n    ", "return a\n    z"):
        hole = session.hole(left + typed + right, len(left + typed), level="names")
        assert [(left + typed + right)[begin:end] for begin, end in hole.hidden] == ["x = f(1 2)", "y = = 3"], typed
    whole = left.replace("1 2", "1, 2") + typed + right.replace("= =", "=")
    assert session.hole(whole, len(whole) - 8).viable


@pytest.mark.parametrize("doubts", [False, True])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_what_is_mended_is_not_hidden_when_another_line_breaks(end: str, doubts: bool) -> None:
    """Between the two the file was whole, so the search begins anew."""
    session = language("python").session()
    session.doubts = doubts
    text = "x = [\n    (1,\n     |),\n    2]\n\n\ndef g(a):\n    return a\n\n\nc = g(1)\n".replace("\n", end)
    left, right = text.split("|")
    assert session.hole(left + "def f(x):" + right, len(left) + 9).hidden
    whole = left + "3" + right
    place = whole.index("a" + end + end)
    assert session.hole(whole, place).hidden == ()
    broken = whole.replace("c =", "c = =")
    hole = session.hole(broken, place, level="names")
    assert [broken[begin:stop] for begin, stop in hole.hidden] == ["c = = g(1)"]


@pytest.mark.parametrize(("before", "after"), [("\n", "\r\n"), ("\r\n", "\n")])
def test_a_view_stays_when_the_ends_of_lines_change(before: str, after: str) -> None:
    """No hidden or added piece ends up within a line end."""
    session, text = language("python").session(), "class A:\n    @|\n    def f(cls):\n"
    for end in (before, after):
        left, right = text.replace("\n", end).split("|")
        hole = session.hole(left + right, len(left), level="names")
        assert hole.hidden == ((len(left + right) - len(end),) * 2,)
        assert hole.state is not None and (state := hole.state.advance("classmethod")) is not None and state.complete


STRAY = {
    "quotes behind a header": 'def f(a):\n    x = compute(1)\n    if x:"""\n        y = g(1)\n    z = |\n\n\ndef g(b):\n    """Say it."""\n    return b\n',
    "quotes behind a line": "def f(a):\n    x = compute(1)'''\n    y = g(1)\n    z = |\n\n\ndef g(b):\n    '''Say it.'''\n    return b\n",
    "quotes below": 'x = compute(1)\nz = (|)\nif x:"""\n    y = f(1)\n',
    "a call above": "x = 1\ncmd = co(\ncmd.clean(x)\n\nfor f in (|, x):\n    print(f)\n",
    "a tuple above": "x = 1\nfor a, b in (\n        (1, f(\n        (2, |),\n        (3, 4)):\n    print(a)\n",
    "a block without its header": "def g():\n    pass\n\n\nd\n    match = <> 3\n    x = 1\n    return |\n",
}
"""Places that a text might mend, but only by closing a string of code or a bracket that ends above by layout."""


@pytest.mark.parametrize("text", STRAY.values(), ids=list(STRAY))
def test_what_layout_ends_above_is_not_left_for_a_text_to_close(text: str) -> None:
    """The quotes are hidden, or the bracket closed, so that names are judged in the intended code."""
    left, right = text.split("|")
    session = language("python").session()
    session.doubts = True
    hole = session.hole(left + right, len(left), level="names")
    assert hole.state is not None and hole.hidden and hole.state.region == "code"
    for name, is_taken in (("x", True), ("zqx", False)):
        after = hole.state.advance(name)
        assert (after is not None and after.complete) is is_taken, name


@pytest.mark.parametrize(
    "begun", ['"""Say what\n    this does', '"""\n    One: two\n    three', "r'''Of (a, b)\n    some"]
)
def test_a_string_that_is_begun_stays_one(begun: str) -> None:
    """A docstring without its end is prose in progress, not superfluous quotes."""
    left, right = f"def f(a):\n    {begun} ", "\n\n\nx = 1\n"
    session = language("python").session()
    session.doubts = True
    hole = session.hole(left + right, len(left), level="names")
    assert hole.state is not None and hole.viable and hole.state.region == "string"


def test_keys_in_a_broken_file_look_for_no_view(monkeypatch: pytest.MonkeyPatch) -> None:
    """One search finds it, and it stays while other lines are written; a pause searches again, and its result stays, too."""
    monkeypatch.setattr(
        sys.modules["suture.parser.language"], "MAX_ENGINE_SIZE", 10**9
    )  # or a new engine reads everything again
    searched = list[int]()
    search = Views._search
    monkeypatch.setattr(Views, "_search", lambda self, start, most: searched.append(most) or search(self, start, most))  # type: ignore[misc]
    session, left, right = language("python").session(), "x = f(1 2)\n\n\nu = 1\n", "\n\n\nv = 2\ny = = 3\n"
    lines = "def g(a):\n    total = 0\n    for i in a:\n        total += i\n    return total"
    for end in range(len(lines) + 1):
        hole = session.hole(left + lines[:end] + right, len(left) + end, level="names")
        assert len(hole.hidden) == 2, lines[:end]
    assert searched == [MOST_READ]
    session.foresee(left + lines + right)
    assert searched == [MOST_READ] * 2
    session.hole(left + lines + "s" + right, len(left + lines) + 1)
    assert len(searched) == 2


@pytest.mark.parametrize(
    "text",
    [
        "package p\n\nfunc f(a int) {\n\tfor a > 0 {\n\t\tif a > 1 {\n\t\t|use()\n\t\t}\n\t}\n}\n",
        "// One\n| two three.\n\npackage p\n\nvar x = 1\n",
    ],
    ids=["a whole file of odd layout", "the beginning of a line above the package clause"],
)
def test_nothing_is_hidden_where_nothing_is_broken_but_the_cursors_line(text: str) -> None:
    left, right = text.split("|")
    session = language("go").session()
    session.doubts = True
    hole = session.hole(left + right, len(left), level="names")
    assert hole.viable and not hole.hidden


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("begun", "below", "middle"),
    [
        ("__all__ = ", '    "first",\n    "second",\n)', "("),
        ("values = ", '    "first": 1,\n    "second": 2,\n}', "{"),
        ("def ", "    first,\n    second=None,\n):\n    pass", "g("),
        ("    return ", "        key=len,\n        reverse=True,\n    )", "sorted(value, "),
        ("from os import ", "    path,\n    sep,\n)", "("),
    ],
)
def test_the_lines_of_a_bracket_are_not_hidden_that_the_cursors_line_lacks(
    begun: str, below: str, middle: str, end: str
) -> None:
    head = "def f(value):\n" if begun.startswith(" ") else ""
    left, right = f"{head}{begun}".replace("\n", end), f"\n{below}\n\n\nmatch = <> 3\nother = 4\n".replace("\n", end)
    hole = language("python").session().hole(left + right, len(left), level="syntax")
    assert [(left + right)[begin:stop].strip() for begin, stop in hole.hidden] == ["match = <> 3"]
    after = None if hole.state is None else hole.state.advance(middle)
    assert after is not None and after.complete


LACKING_A_HEADER = [
    ("python", "¦def f(a):¦\n    b = 1\n    return b\n", "other = <> 3"),
    ("python", "de¦f f(¦\n    a,\n    b,\n) -> int:\n    return a\n", "other = <> 3"),
    ("python", "@f\n¦class A(B):¦\n    a = 1\n", "other = <> 3"),
    ("python", "¦try:¦\n    f()\nexcept E:\n    g()\n", "other = <> 3"),
    ("python", "try:\n    f()\n¦except E:¦\n    g()\n", "other = <> 3"),
    ("python", "i¦f a:¦\n    f()\nelse:\n    g()\n", "other = <> 3"),
    ("python", "¦match a:¦\n    case 1:\n        f()\n", "other = <> 3"),
    ("python", "match a:\n    ¦case 1:¦\n        f()\n        g()\n    case 2:\n        pass\n", "other = <> 3"),
    ("go", "package p\n\n¦func f(a int) {¦\n\tg(a)\n}\n", "var x = = 3"),
    ("go", "package p\n\n¦type T struct {¦\n\ta int\n}\n", "var x = = 3"),
    ("go", 'package p\n\nimpor¦t (¦\n\t"os"\n)\n', "var x = = 3"),
    ("go", "package p\n\nfunc f() {\n\t¦if a {¦\n\t\tg()\n\t} else {\n\t\th()\n\t}\n}\n", "var x = = 3"),
    ("go", "package p\n\nfunc f() {\n\tg¦(T{¦\n\t\ta: 1,\n\t\tb: 2,\n\t})\n}\n", "var x = = 3"),
    ("go", "package p\n\nfunc f() {\n\t¦defer func() {¦\n\t\tg()\n\t}()\n}\n", "var x = = 3"),
    ("typescript", '¦describe("a", () => {¦\n  f();\n  g();\n});\n', "const x = = 3;"),
    ("typescript", "¦interface A {¦\n  a: string;\n  b(): void;\n}\n", "const x = = 3;"),
    ("typescript", "¦export class A {¦\n  a = 1;\n  constructor(private b: B) {}\n}\n", "const x = = 3;"),
    ("typescript", "¦import {¦\n  a,\n  b,\n} from 'c';\n", "const x = = 3;"),
    ("typescript", "function ¦f(¦\n  a: string,\n): void {\n  g(a);\n}\n", "const x = = 3;"),
    ("typescript", "class A {\n  ¦f() {¦\n    this.g();\n  }\n\n  g() {}\n}\n", "const x = = 3;"),
]
"""¦header¦ is cut from above its block or list; the last line is broken."""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(("name", "marked", "broken"), LACKING_A_HEADER)
def test_a_block_is_not_hidden_whose_header_the_cursors_line_lacks(
    name: str, marked: str, broken: str, end: str
) -> None:
    left, middle, right = marked.replace("\n", end).split("¦")
    right = f"{right}{end}{broken}{end}"
    hole = language(name).session().hole(left + right, len(left), level="syntax")
    assert hole.hidden and hole.hidden[0][0] >= len(left + right) - len(broken + end)
    after = None if hole.state is None else hole.state.advance(middle)
    assert after is not None and after.complete


def test_headers_of_the_library_are_taken_beside_a_broken_line() -> None:
    rng = random.Random(1)
    cuts = [cut for text in stdlib_sources(rng, 24, 6_000) for cut in headers.cuts(text, "python", rng)]
    faults = [cut for cut in cuts if headers.fault("python", cut)]
    assert len(cuts) > 40 and len(faults) <= len(cuts) // 20, faults


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_bracket_is_closed_where_its_lines_end(end: str) -> None:
    """Behind the last of several lines deeper than its own."""
    left, right = "def g(\n    a,\n    b\n    return a\n\n\nlast = ".replace("\n", end), end
    hole = language("python").session().hole(left + right, len(left), level="names")
    assert [left[:begin].rpartition("\n")[2] for begin, _ in hole.hidden] == ["    b"]


@pytest.mark.parametrize("name", views.LANGUAGES)
def test_sessions_in_files_that_are_broken_edited_and_mended(name: str) -> None:
    if name == "go" and oracle_go.goroot() is None:
        pytest.skip("Go's files are not here")
    rng = random.Random(4)
    for text in itertools.islice(views.texts(name, rng), 6):
        assert [*views.faults(name, text, rng)] == []


@pytest.mark.parametrize("count", [1, 2])
def test_the_unbroken_file_says_which_names_are_taken(count: int) -> None:
    """Files broken in every way people break them, in one or two places: true names are accepted, wrong ones refused."""
    rng, path, said = random.Random(count), Path("/nowhere/file.py"), Counter[str]()
    for text in stdlib_sources(rng, 5, 4_000):
        for begin, end, _ in broken_names.places(text, "python", path, rng, 1):
            for kind, breakage in broken_names.PYTHON.items():
                name = text[begin:end]
                left, right, used = broken_names.break_elsewhere(text[:begin], text[end:], {kind: breakage}, count, rng)
                stands = re.search(rf"\b{name}\b", left) or re.search(rf"\b{name}\b", right)
                if not used or not stands or broken_names.is_valid(left + name + right, "python"):
                    continue
                state = broken_names.hole_at(left, right, "python", path).state
                said["all"] += 1
                said["true"] += broken_names.taken(state, name)
                said["refused"] += not broken_names.taken(state, broken_names.WRONG)
    assert said["all"] > 20
    assert said["true"] >= 0.9 * said["all"] and said["refused"] >= 0.95 * said["all"], said
