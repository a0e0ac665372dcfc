"""What Python's conventions suggest: each rule where it speaks, and where it keeps silent."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from suture.lsp_server.completion.engine.pipeline import CompletionEngine, CursorContext
from suture.lsp_server.completion.proposing import conventions
from suture.lsp_server.completion.proposing.conventions import RULES, SPOKEN, calls, conventional
from suture.lsp_server.completion.proposing.shown import Suggestion
from suture.lsp_server.context.cross_file import OtherFile
from suture.lsp_server.settings.spec import Settings
from suture.parser.language import traits

from ..support.places import shown

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
    ("def save(trip, path):\n    pass\n\ndef f():\n    trip = 1\n    save(|)\n", "first alike", "trip"),
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
    ("a: int\n\n\ndef f(|):\n    return a + x\n", "used below", "x"),
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
    ("@dataclass\nclass Size:\n    w: int\n    h: int = 1\n\n\ndef f(w):\n    Size(|)\n", "named alike", "w"),
    ("class Size(NamedTuple):\n    w: int\n    h: int\n\n\ndef f(w, h):\n    Size(|)\n", "named alike", "w, h"),
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
    ("def area(|):\n    return width * height\n", None, None),  # in which order?
    ("def area(|):\n    return width *\n", None, None),
    ("def area(|):\n    return 1\n", None, None),
    ("from sizes import *\n\ndef area(|):\n    return width\n", None, None),
    ("def save(trip, path):\n    pass\n\ndef f():\n    path = 1\n    save(|)\n", None, None),
    (
        "def save(trip):\n    pass\n\ndef save(trip):\n    pass\n\ndef f(trip):\n    save(|)\n",
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
    ("import |\n\nprint(json.dumps(1)\n", None, None),  # the file cannot be read
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
    (LISTED + "f(\n    a.end,\n    a.skill,\n    |\n)\n", None, None),  # the last that is listed
    (LISTED + "f(\n    a.start,\n    a.end,\n    |\n)\n", "next listed", "a.skill,"),
    (LISTED + 'f(\n    start=int(a["start"]),\n    other=|\n)\n', None, None),
    (LISTED + "f(\n    start=a.start,\n    end=b.end(),\n    |\n)\n", None, None),
    ("def f(x, y, z):\n    return [\n        x,\n        y,\n        |\n    ]\n", "next listed", "z,"),
    ("def f(rooms):\n    size = 1\n    g(rooms, size=|)\n", "passed variable", "size"),
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


@pytest.mark.parametrize(("text", "rule", "said"), SAID)
def test_a_rule_says_what_is_plainly_meant(text: str, rule: str | None, said: str | None) -> None:
    left, right = text.split("|")
    found = conventional(left, right)
    assert (rule, said) == (None, None) if found is None else (found.rule, found.text) == (rule, said)


@pytest.mark.parametrize("end", ["\r\n", "\r"])
@pytest.mark.parametrize(
    ("text", "rule", "said"),
    [
        *SAID,
        (
            "class Base:\n    def f(self, a): ...\n\n\nclass B(Base):\n    def f(self, a, b):\n        super().f(|)\n",
            "taken by base",
            "a",
        ),
    ],
)
def test_line_ends_of_other_systems_make_no_difference(text: str, rule: str | None, said: str | None, end: str) -> None:
    left, right = text.replace("\n", end).split("|")
    found = conventional(left, right)
    assert (rule, said) == ((None, None) if found is None else (found.rule, found.text))


def test_line_ends_of_other_files_make_no_difference() -> None:
    base = "class Base:\r\n    def f(self, a): ...\r\n"
    found = conventional("class B(Base):\n    def f(self, a, b):\n        super().f(", ")\n", [("/w/base.py", base)])
    assert found is not None and (found.rule, found.text) == ("taken by base", "a")


BLANKS = " " * 100_000


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("@\n" * 100_000 + "def f():\n    Size(", "\n"),
        ("def f():\n    size = 1\n    size:" + BLANKS + "\n    g(size=", "\n"),
        ("class A:\n    def __init__(self, a):\n        self.a:" + BLANKS + "\n        ", "\n"),
    ],
    ids=["decorators", "keyword", "kept"],
)
def test_hostile_texts_take_little_time(left: str, right: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conventions, "MAX_ABOVE", 10**6)
    monkeypatch.setattr(calls, "MAX_CHARS", 10**6)
    started = time.process_time()
    conventional(left, right)
    assert time.process_time() - started < 4.0


def test_names_are_imported_from_files_that_are_open_or_lie_beside(tmp_path: Path) -> None:
    text = "from .shapes import \n\nprint(area(Square(1)), LIMIT, unknown)\n"
    shapes = "LIMIT = 3\n\n\nclass Square:\n    pass\n\n\ndef area(shape):\n    pass\n"
    engine = CompletionEngine(Settings(device="cpu"))
    path = tmp_path / "main.py"

    def said(*others: OtherFile) -> str | None:
        place = CursorContext("main", "python", text, 20, path=path.as_posix(), others=others)
        return shown(engine.suggest(place, lambda: False))

    assert said(OtherFile((tmp_path / "shapes.py").as_posix(), shapes)) == "LIMIT, Square, area"
    (tmp_path / "shapes.py").write_text(shapes, encoding="utf-8")
    assert said() == "LIMIT, Square, area"


def test_a_convention_is_shown_at_once_or_last() -> None:
    engine = CompletionEngine(Settings(device="cpu"))
    sure = METHOD + "self.name = \n"
    place = CursorContext("a", "python", sure, len(sure) - 1)
    heard: list[str] = []
    found = engine.suggest(place, lambda: False, heard.append)
    assert isinstance(found, Suggestion) and found.text == "name" == "".join(heard)
    assert found.completion.tokens == 0  # no model was asked
    assert engine.alternatives(place, 3, lambda: False)[0].text == "name"
    unsure, shapes = "from shapes import \n", "def area(): ...\n\n\ndef report():\n    area()\n"
    place = CursorContext("b", "python", unsure, len(unsure) - 1, others=(OtherFile("/w/shapes.py", shapes),))
    assert "report" in [one.text for one in engine.alternatives(place, 3, lambda: False)]
    in_text = sure.removesuffix("self.name = \n") + '"""\n        self.name = \n        """\n'
    place = CursorContext("c", "python", in_text, in_text.index("self.name = ") + 12)
    assert engine._conventional(place, lambda: False) is None


@pytest.mark.parametrize(
    ("path", "module", "said"),
    [
        ("/w/people.py", "class Person:\n    name = 1\n\n\ndef _helper():\n    pass\n", "Person"),
        ("/w/people.py", "class Guest:\n    pass\n\n\nclass Place:\n    pass\n", None),
        ("/w/people.py", "LIMIT = 3\n\n\nclass Guest:\n    pass\n", None),
        ("/w/people/__init__.py", "class Person:\n    pass\n", None),  # where modules are imported, too
        ("/w/places.py", "class Person:\n    pass\n", None),
    ],
)
def test_the_only_public_name_of_a_module_is_imported(path: str, module: str, said: str | None) -> None:
    found = conventional("from people import ", "\n", [(path, module)])
    assert (None if found is None else found.text) == said
    assert found is None or (found.rule, found.probability) == ("only name", SPOKEN["all"]["only name"])


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("def area(): ...\n\n\ndef report():\n    area()\n", "report"),
        ("LIMIT = 1\n\n\ndef area(): ...\n\n\ndef report():\n    area()\n", "report"),
        ("def area(): ...\n\n\ndef report(): ...\n", None),
        ("def area(): ...\n\n\ndef report():\n    area()\n\n\n" + "def f(): ...\n" * 11 + "f()\n", None),
    ],
)
def test_the_only_name_that_a_module_does_not_use_itself_is_imported(module: str, said: str | None) -> None:
    found = conventional("from shapes import ", "\n", [("/w/shapes.py", module)])
    assert (None if found is None else (found.rule, found.text)) == (said and ("only unused", said))


def test_what_is_imported_already_is_not_proposed_again() -> None:
    others = [("/w/people.py", "class Person:\n    pass\n")]
    assert conventional("from people import Person\nfrom people import ", "\n", others) is None


def test_parameters_of_functions_in_open_files_are_known() -> None:
    others = [("/w/store.py", "def save(trip: Trip, path: Path) -> None:\n    pass\n")]
    found = conventional("from store import save\n\n\ndef f(path, trip):\n    save(", ")\n", others)
    assert found is not None and (found.rule, found.text) == ("named alike", "trip, path")


@pytest.mark.parametrize(
    ("above", "line", "said"),
    [
        ("  a: data.a,\n  b: data.b,\n", "  c: ", "data.c"),
        ("  { id: row.id },\n", "  { name: row.", None),
        ("const f = ({ id, start, end }) => {\n  g(id)\n  g(start)\n", "  ", None),
        ("def f():\n    return x\n", "if __name__ == '__main__':\n    ", None),
    ],
)
def test_what_lines_alike_go_on_with_holds_in_other_languages(above: str, line: str, said: str | None) -> None:
    found = conventional(above + line, "\n", spoken=SPOKEN[traits("typescript").conventions])
    assert (None if found is None else found.text) == said


def test_what_is_said_of_json_is_not_asked() -> None:
    assert traits("json").conventions not in SPOKEN and SPOKEN[traits("python").conventions] is SPOKEN["all"]
    assert all(rule in RULES for spoken in SPOKEN.values() for rule in spoken)
