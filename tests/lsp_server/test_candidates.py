"""The candidates: the places where each kind speaks, and those where it is silent; and how candidates are shown."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from suture.lsp_server.completion.cursor import Cursor
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.completion.judging.acceptance import Judge, Situation
from suture.lsp_server.completion.proposing import candidates as room
from suture.lsp_server.completion.proposing.candidates import best, candidates, that_fit
from suture.lsp_server.completion.proposing.candidates.around import Candidate
from suture.lsp_server.completion.proposing.candidates.kinds import KINDS
from suture.lsp_server.completion.proposing.candidates.ranking import KINDS as FITTED
from suture.lsp_server.completion.proposing.candidates.ranking import odds, probability
from suture.lsp_server.completion.proposing.shown import Suggestion
from suture.lsp_server.settings.spec import Settings
from suture.model import Certainty
from suture.parser.language import traits
from suture.parser.scoping.facts import Facts

from benchmarks.candidates import rows

from ..support.places import place_at, shown

INIT = "class A:\n    def __init__(self):\n        self.x = 1\n\n"
LISTED = "class Shift:\n    start: int\n    end: int\n    skill: str\n\n\n"
METHOD = "class A:\n    def __init__(self, name, *, size=1, **options):\n        "


SAID: list[tuple[str, str | None, str | None]] = [
    (METHOD + "self.name = |\n", "kept", "name"),
    (METHOD + "self._size: int = |\n", "kept", "size"),
    (METHOD + "self.options = op|\n", "kept", "tions"),
    (
        "class Base:\n    def __init__(self, name, size):\n        pass\n\n\n"
        "class Child(Base):\n    def __init__(self, name, size, color):\n        super().__init__(|)\n",
        "taken by base",
        "name, size",
    ),
    (METHOD + "call(1, size=|)\n", "passed", "size"),
    (METHOD + "call(\n            size=|,\n        )\n", "passed", "size"),
    ("import |\n\nprint(json.dumps(1))\n", "module", "json"),
    ("import js|\n\nprint(json.dumps(1))\n", "module", "on"),
    ("from collections import |\n\nx = OrderedDict(deque())\n", "imported", "OrderedDict, deque"),
    ("from collections import Ord|\n\nx = OrderedDict(deque())\n", "imported", "eredDict, deque"),
    (
        "def area(width, height):\n    pass\n\nfor width, height in rooms:\n    total += area(|)\n",
        "named alike",
        "width, height",
    ),
    ("def area(width, height):\n    pass\n\ndef f(height, width):\n    area(|\n", "named alike", "width, height)"),
    ("def area(width, height):\n    pass\n\ndef f(height, width):\n    area(wid|\n", "named alike", "th, height)"),
    (
        "class A:\n    def b(self, c, d=1):\n        pass\n\n    def e(self):\n        c = 1\n        self.b(|)\n",
        "named alike",
        "c",
    ),
    ("def save(trip, path):\n    pass\n\ndef f():\n    trip = 1\n    save(|)\n", None, None),
    ("def save(trip, path):\n    pass\n\ndef f(path):\n    save(1, |)\n", "others alike", "path"),
    ("def save(trip, *, path):\n    pass\n\ndef f(trip, path):\n    save(|)\n", "named alike", "trip, path=path"),
    ("from a import (\n    b,\n)\n\n\ndef f(|):\n    b(c)\n", "used below", "c"),
    ("A, B = 1, 2\n\n\ndef f(|):\n    c(A, B)\n", "used below", "c"),
    ("class A:\n    def f(|):\n        self.g(*args)\n", "used below", "self, *args"),
    ("class A:\n    def g(|):\n        return b\n", "used below", "self, b"),
    ("class A:\n    @classmethod\n    def g(|):\n        return b\n", "used below", "cls, b"),
    ("class A:\n    @staticmethod\n    def g(|):\n        return b\n", "used below", "b"),
    ("def a():\n    def g(|):\n        return b\n", "used below", "b"),
    ("def f(|):\n    a(b, c)\n", None, None),
    ("def make(n):\n    def add(|):\n        return n + 1\n", None, None),
    ("def make(n):\n    m = n\n\n    def add(|):\n        return k + m\n", "used below", "k"),
    ("class A:\n    def run(self):\n        def done(|):\n            self.end = True\n", None, None),
    ("from a import (\n    b, c as d,\n    e,  # f\n)\n\n\ndef f(|):\n    b(d, e, x)\n", "used below", "x"),
    ("a: int = 1\n\n\ndef f(|):\n    return a + x\n", "used below", "x"),
    ("def f(|):\n    return Other(x, LIMIT, _('a'))\n", "used below", "x"),
    ("class A:\n    def show(|):\n        print(self, *items)\n", "used below", "self, items"),
    (
        "class A:\n    def g(|):\n        match self.a:\n            case [b, *c]:\n                return b, c\n",
        "receiver below",
        "self",
    ),
    (
        "class A:\n    @staticmethod\n    def f(a):\n        pass\n\n    def g(|):\n        return b\n",
        "used below",
        "self, b",
    ),
    ("class A:\n    @property\n    def g(|):\n        return self.f(b)\n", "receiver below", "self"),
    ("class A:\n    @|\n    def __new__(cls):\n", None, None),
    ("class Meta(type):\n    @|\n    def f(cls):\n", None, None),
    ("class A:\n    @|\n    def f(this):\n", None, None),
    (
        "class A:\n    @property\n    def f(self):\n        pass\n\n\nclass B:\n    @|\n    def f(self, a):\n",
        None,
        None,
    ),
    (INIT + "    def g(|):\n        return self.h(\n            b\n        )\n", "used below", "self, b"),
    (
        INIT + "    def g(|):\n        return b\n\n    def h(self):\n        k(\n            b,\n        )\n",
        "used below",
        "self, b",
    ),
    (
        "class A:\n    def f(\n        self,\n        b: int,\n    ):\n        pass\n\n    def g(|):\n        return self.x\n",
        "receiver below",
        "self",
    ),
    ("def make(\n    n: int,\n) -> None:\n    def add(|):\n        return n\n", None, None),
    ("def make(k):\n    n = 0\n    if k:\n        def add(|):\n            return n\n", None, None),
    (
        "def f():\n    seen = []\n\n    class A:\n        def run(|):\n            seen.append(self)\n",
        "receiver below",
        "self",
    ),
    (
        "def make():\n    def a(\n        x,\n    ):\n        return x\n\n    def b(|):\n        return z\n",
        "used below",
        "z",
    ),
    (
        "class A:\n    @property\n    def f(self):\n        pass\n\n    @f.setter\n    def f(self, a):\n        pass\n\n"
        "    @|\n    def f(self):\n",
        None,
        None,
    ),
    (
        INIT + "        k(\n            b,\n            1,\n        )\n\n    def g(|):\n        return self.x * b\n",
        "used below",
        "self, b",
    ),
    ("def a(\n    n,\n):\n    def b():\n        def c(|):\n            return n\n", None, None),
    (
        "class A:\n    def f(\n        self,\n        a,\n    ):\n        pass\n\n    def g(|):\n        return b\n",
        "used below",
        "self, b",
    ),
    ("class A:\n    @|\n    def f(cls):\n", "kind of method", "classmethod"),
    ("class A:\n    @cl|\n    def f(cls, a):\n", "kind of method", "assmethod"),
    ("class A:\n    @|\n    def f(a):\n", "kind of method", "staticmethod"),
    ("class A:\n    @|\n    async def f():\n", "kind of method", "staticmethod"),
    (
        "class A:\n    @property\n    def f(self):\n        pass\n\n    @|\n    def f(self, a):\n",
        "kind of method",
        "f.setter",
    ),
    ("class A:\n    @|\n    def f(self, a):\n", None, None),
    ("class A:\n    @override\n    @|\n    def f(self):\n", None, None),
    ("def a():\n    @|\n    def f(cls):\n", None, None),
    ("@|\ndef f(cls):\n", None, None),
    ("class A:\n    def area(|):\n        return self.width * 2\n", "receiver below", "self"),
    ("class A:\n    def area(|\n        return self.width * 2\n", "receiver below", "self"),
    (
        "class A:\n    def add(|):\n        for n in numbers:\n            self.sum += n\n",
        "used below",
        "self, numbers",
    ),
    ("import os\n\ndef parent(|):\n    return os.path.dirname(path) or LIMIT\n\nLIMIT = 1\n", "used below", "path"),
    (
        "class Size:\n    def __init__(self, w, h=1):\n        self.w = w\n\n\ndef f(w):\n    Size(|)\n",
        "named alike",
        "w",
    ),
    (
        "from dataclasses import dataclass\n\n\n@dataclass\nclass Size:\n    w: int\n    h: int = 1\n\n\ndef f(w):\n    Size(|)\n",
        "named alike",
        "w",
    ),
    (
        "from typing import NamedTuple\n\n\nclass Size(NamedTuple):\n    w: int\n    h: int\n\n\ndef f(w, h):\n    Size(|)\n",
        "named alike",
        "w, h",
    ),
    ("f(\n    a=data['a'],\n    b=data['b'],\n    c=|\n)\n", "analogous", "data['c']"),
    ("x = {\n    'a': self.a.name(),\n    'b': self.b.name(),\n    'c': |\n}\n", "analogous", "self.c.name()"),
    ("self.a = opts.get('a', 1)\nself.b = opts.get('b', 1)\nself.cd = |\n", "analogous", "opts.get('cd', 1)"),
    # silence
    (METHOD + "self.name = name\n        |\n        self.size = size\n", None, None),
    (METHOD + "self.name = name\n        if name:\n            |\n", None, None),
    (METHOD + "self.other = name\n        |\n", None, None),
    (METHOD + "|\n", None, None),
    (METHOD.replace("__init__", "f") + "self.name = name\n        |\n", None, None),
    ("class Size(Base):\n    w: int\n\n\ndef f(w):\n    Size(|)\n", None, None),
    ("class Size:\n    w: int\n\n\ndef f(w):\n    Size(|)\n", None, None),
    ("f(\n    a=data['a'],\n    b=other['b'],\n    c=|\n)\n", None, None),
    ("f(\n    a=data['a'],\n    c=|\n)\n", None, None),
    ("a = f('a')\nb = f('b')\nx.c = |\n", None, None),
    ("def area(|):\n    return width * height\n", None, None),
    ("def area(|):\n    return width *\n", None, None),
    ("def area(|):\n    return 1\n", None, None),
    ("from sizes import *\n\ndef area(|):\n    return width\n", None, None),
    ("def save(trip, path):\n    pass\n\ndef f():\n    path = 1\n    save(|)\n", None, None),
    (
        "def save(trip):\n    pass\n\ndef save(file):\n    pass\n\ndef f(trip):\n    save(|)\n",
        None,
        None,
    ),  # which one?
    ("def save(trip):\n    pass\n\ndef f(trip):\n    other.save(|)\n", None, None),
    ("def walk(node):\n    walk(|)\n", None, None),  # of the same node, without end
    ("def save(trip=1):\n    pass\n\ndef f(trip):\n    save(|)\n", None, None),
    (
        "def save(trip):\n    pass\n\ndef g(trip):\n    pass\n\ndef f():\n    save(|)\n",
        None,
        None,
    ),  # of another function
    (METHOD + "self.other = |\n", None, None),
    (METHOD + "self.name = |(1)\n", None, None),
    (METHOD + "super().other(|)\n", None, None),
    (METHOD + "call(other=|)\n", None, None),
    ("def f(size=|):\n    pass\n", None, None),
    ("def f(size):\n    size=|\n", None, None),
    ("import |\n\nprint(json.dumps(1)\n", "module", "json"),  # a line is broken
    ("import |\n\nprint(numpy.array(1))\n", None, None),  # nobody knows whether it is installed
    ("from elsewhere import |\n\nprint(json.dumps(1))\n", None, None),
    ("from collections import *\nfrom collections import |\n\ndeque()\n", None, None),
    ("x = 1|\n", None, None),
    (LISTED + "f(\n    start=a.start,\n    end=a.end,\n    |\n)\n", "next alike", "skill=a.skill,"),
    (LISTED + "f(\n    start=a.start,\n    end=a.end,\n    sk|\n)\n", "next alike", "ill=a.skill,"),
    (LISTED + "f(\n    start=a.start,\n    end=a.end,\n    other|\n)\n", None, None),
    (LISTED + 'x = {\n    "start": a.start,\n    "end": a.end,\n    |\n}\n', "next alike", '"skill": a.skill,'),
    (LISTED + "f(\n    start=a.start,\n    end=a.end,\n    |\n    skill=a.skill,\n)\n", None, None),
    (LISTED + "f(\n    start=a.start,\n    end=b.end,\n    |\n)\n", None, None),
    (LISTED + "f(\n    end=a.end,\n    start=a.start,\n    |\n)\n", None, None),
    (LISTED + "f(\n    a.end,\n    a.skill,\n    |\n)\n", None, None),  # the last one listed
    (LISTED + "f(\n    a.start,\n    a.end,\n    |\n)\n", "next listed", "a.skill,"),
    (LISTED + 'f(\n    start=int(a["start"]),\n    other=|\n)\n', None, None),
    (LISTED + "f(\n    start=a.start,\n    end=b.end(),\n    |\n)\n", None, None),
    ("def f(x, y, z):\n    return [\n        x,\n        y,\n        |\n    ]\n", "next listed", "z,"),
    ("def f(rooms):\n    size = 1\n    g(rooms, size=|)\n", "passed variable", "size"),
    ("def f(rooms):\n    size = 1\n    g(\n        rooms,\n        size=si|\n    )\n", "passed variable", "ze"),
    ("def area(w, h): ...\n\nx = [area(|) for w, h in rooms]\n", None, None),
    ("def area(w, h): ...\n\nx = [w for w, h in rooms if area(|)]\n", "named alike", "w, h"),
    ("class A:\n    def f(|):\n        self.list = list(max(0, 1))\n", "receiver below", "self"),
    ("from typing import |\n\nx: Any = 1\n", "imported", "Any"),
    ("from math import |\n\nx = ceil(1.5)\n", "imported", "ceil"),
    ("def f(rooms):\n    for size in rooms:\n        g(size=|)\n", "passed variable", "size"),
    ("def f(rooms):\n    g(\n        size=1,\n    )\n    h(size=|)\n", None, None),  # a keyword, no variable
    ("def f(rooms):\n    g(size=|)\n    size = 1\n", None, None),
    ("p.add('--a', args.a)\np.add('--b', args.b)\np.add('--c', |)\n", "analogous", "args.c"),
    ("f(data['a'], a=1)\nf(data['b'], b=1)\nf(data['c'], |\n", "analogous", "c=1)"),
    ("f(data['a'], a=1)\nf(data['b'], c=1)\nf(data['c'], |\n", None, None),
    ("f(data['a'], 1)\nf(data['b'], 1)\nf(data['c'], |\n", None, None),  # the model's to say
    ("f(data['a'], a)\nf(data['b'], b)\nf(data['c'], |]\n", None, None),
    ("# a: a\n# b: b\n# c: |\n", None, None),
    ("|", None, None),
]
FAILED = "func f(a int) ({0}) {{\n\terr := g()\n\tif err != nil {{\n\t\treturn |\n\t}}\n\tpanic(1)\n}}\n"


@pytest.fixture(scope="module")
def engine() -> CompletionEngine:
    return CompletionEngine(Settings(device="cpu"), patient=True)


def said_at(engine: CompletionEngine, text: str, language: str = "python", end: str = "\n") -> list[Candidate]:
    left, right = text.replace("\n", end).split("|")
    engine.sessions.forget("a")  # another document: a broken line would be read as in the last whole text
    place = CursorContext("a", language, left + right, len(left), path="/w/a.py" if language == "python" else None)
    return [one for _, one, _ in that_fit(place.cursor, [], KINDS, lambda: engine.sessions.editing(place))]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(("text", "kind", "said"), SAID)
def test_a_candidate_is_what_is_plainly_meant(
    engine: CompletionEngine, text: str, kind: str | None, said: str | None, end: str
) -> None:
    assert said_at(engine, text, end=end) == ([] if kind is None else [(kind, said)])


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ("int, error", "0, err"),
        ("*T, string, error", 'nil, "", err'),
        ("map[string]int, func(a, b int), error", "nil, nil, err"),
        ("a, b bool, e error", "false, false, err"),
        ("other.Thing, error", None),
        ("[4]int, error", None),
        ("int, int", None),
    ],
)
def test_what_a_failed_function_gives_in_go(engine: CompletionEngine, results: str, said: str | None) -> None:
    found = said_at(engine, "package p\n\ntype T struct{}\n\n" + FAILED.format(results), "go")
    assert [one.text for one in found if one.kind == "failed"] == ([] if said is None else [said])


BLANKS = " " * 100_000


@pytest.mark.parametrize(
    "left",
    [
        "@\n" * 100_000 + "def f():\n    Size(",
        "def f():\n    size = 1\n    size:" + BLANKS + "\n    g(size=",
        "class A:\n    def __init__(self, a):\n        self.a:" + BLANKS + "\n        ",
    ],
    ids=["decorators", "keyword", "kept"],
)
def test_hostile_texts_take_little_time(left: str) -> None:
    started = time.process_time()
    candidates(Cursor.at(left + "\n", len(left)), (), Facts, KINDS)
    assert time.process_time() - started < 1.0


def test_names_are_imported_from_files_that_lie_beside(tmp_path: Path) -> None:
    text = "from .shapes import \n\nprint(area(Square(1)), LIMIT, unknown)\n"
    shapes = "LIMIT = 3\n\n\nclass Square:\n    pass\n\n\ndef area(shape):\n    pass\n"
    engine = CompletionEngine(Settings(device="cpu"))
    path = tmp_path / "main.py"

    for name, code in (("shapes", shapes), ("__init__", "")):
        (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
    place = CursorContext("main", "python", text, 20, path=path.as_posix())
    assert shown(engine.suggest(place, lambda: False)) == "LIMIT, Square, area"


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("import os\nfrom sys import path\n\n\nclass Person:\n    name = 1\n\n\ndef _helper():\n    pass\n", "Person"),
        ("class Guest:\n    pass\n\n\nclass Place:\n    pass\n", None),
        ("LIMIT = 3\n\n\nclass Guest:\n    pass\n", None),
    ],
)
def test_the_only_public_name_of_a_module_is_imported(tmp_path: Path, module: str, said: str | None) -> None:
    (tmp_path / "people.py").write_text(module, encoding="utf-8")
    engine = CompletionEngine(Settings(device="cpu"), patient=True)
    for above, found in (("", said), ("from people import Person\n", None)):
        left = above + "from people import "
        place = CursorContext("main", "python", left + "\n", len(left), path=(tmp_path / "main.py").as_posix())
        fitting = that_fit(place.cursor, [], KINDS, lambda place=place: engine.sessions.editing(place))
        assert [one for _, one, _ in fitting] == ([] if found is None else [("only name", found)])


def test_a_candidate_is_shown_at_once_or_last() -> None:
    engine = CompletionEngine(Settings(device="cpu"))
    sure = METHOD + "self.name = \n"
    place = CursorContext("a", "python", sure, len(sure) - 1)
    heard: list[str] = []
    found = engine.suggest(place, lambda: False, heard.append)
    assert isinstance(found, Suggestion) and found.text == "name" == "".join(heard)
    assert found.completion.tokens == 0  # no model was asked
    assert engine.alternatives(place, 3, lambda: False)[0].text == "name"
    in_text = sure.removesuffix("self.name = \n") + '"""\n        self.name = \n        """\n'
    place = CursorContext("c", "python", in_text, in_text.index("self.name = ") + 12)
    assert engine._fact(place, lambda: engine.sessions.editing(place), engine.keeper.model()) is None


def test_lines_alike_make_candidates_in_other_languages_and_none_in_json() -> None:
    for above, line, said in [
        ("  a: data.a,\n  b: data.b,\n", "  c: ", "data.c"),
        ("  { id: row.id },\n", "  { name: row.", None),
        ("const f = ({ id, start, end }) => {\n  g(id)\n  g(start)\n", "  ", None),
    ]:
        cursor = Cursor.at(above + line + "\n", len(above + line))
        found = candidates(cursor, (), Facts, FITTED[traits("typescript").candidates])
        assert [one.text for one in found] == ([] if said is None else [said])
    assert traits("json").candidates not in FITTED


def test_all_kinds_are_known_and_a_language_has_those_that_were_counted() -> None:
    assert all(kind in KINDS for kinds in FITTED.values() for kind in kinds)
    assert {traits(name).candidates for name in ("python", "go", "typescript")} == FITTED.keys()
    assert all(0 < right < cases for kinds in FITTED.values() for cases, right in kinds.values())


def test_a_candidate_is_more_probable_the_more_often_its_kind_was_right() -> None:
    judge = Judge(Situation("x = ", "\n", "code"), Certainty())
    found = [probability(seen, "name", judge) for seen in ([100, 5], [100, 50], [100, 95])]
    assert found == sorted(found) and found[0] < 0.5 < found[-1] and odds([10, 5]) == 0


def test_the_table_has_a_row_for_each_kind_that_was_fitted() -> None:
    kinds = {kind for fitted in FITTED.values() for kind in fitted}
    assert len(list(rows(FITTED))) == 2 + len(kinds) and any(row.startswith("| kept |") for row in rows(FITTED))


@pytest.mark.parametrize("texts", [("width", "width + height"), ("width + height", "width")])
def test_of_several_candidates_the_one_that_spares_most_is_given(monkeypatch, texts: tuple[str, str]) -> None:
    monkeypatch.setattr(room, "made", lambda around, kinds: (Candidate("kept", text) for text in texts))
    place = place_at("def area(width, height):\n    return |\n")
    model: Any = SimpleNamespace(certainty=Certainty(), reader=None)
    found = best(place.cursor, (), {"kept": (100, 90)}, lambda: place, model)
    assert found is not None and found[1].text == "width + height"
