"""What Python's conventions suggest: each rule where it speaks, and where it keeps silent."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from suture.lsp_server.completion.engine.pipeline import CompletionEngine, CursorContext
from suture.lsp_server.completion.proposing import conventions
from suture.lsp_server.completion.proposing.conventions import PROBABILITIES, RULES, SPOKEN, calls, conventional, loops
from suture.lsp_server.completion.proposing.suggestion import Suggestion
from suture.lsp_server.context.cross_file import OtherFile
from suture.lsp_server.settings.spec import Settings
from suture.parser.language import traits

from ..support.places import shown

ERRORS = "class WindowError(RoomError):\n    pass\n\n\nclass DoorError(RoomError):\n    pass\n\n\n"
METHODS = (
    "class A:\n    def one(self, request):\n        pass\n\n    def two(self, request{}):\n        pass\n\n"
    "    async def three(self, request) -> None:\n        pass\n\n"
)
INIT = "class A:\n    def __init__(self):\n        self.x = 1\n\n"
AREA = "class Box:\n    def __init__(self, x=0, width: int = 1, *, height: int):\n        pass\n\n\ndef f(width, height):\n"
BODY = "):\n        pass\n"
LEVELS = """class Level(enum.IntEnum):
    LOW = 1
    MIDDLE = 2
    HIGH = 3
    HIGHEST = 4

    def other(self):
        x = 1

"""
COMMANDS = "commands.add_parser('add')\ncommands.add_parser('list', help='all')\n"
FUNCTIONS = "def total(rides: list[Ride]) -> float:\n    pass\n\n\ndef after(rides: list[Ride], day: date) -> float:\n    pass\n\n\n"
FILLED = "def f(a) -> {}:  # why\n    rows = {}\n    for b in a:\n        rows += b\n"
IF_MAIN = 'if __name__ == "__main__":\n'
LISTED = "class Shift:\n    start: int\n    end: int\n    skill: str\n\n\n"
RAISES = "def test():\n    with pytest.raises(OSError):\n        f()\n"
METHOD = "class A:\n    def __init__(self, name, *, size=1, **options):\n        "


SAID: list[tuple[str, str | None, str | None]] = [
    ("def f(a):\n    total = a + 1\n    return |\n", "returned", "total"),
    ("def f(a):\n    total = a + 1\n    return to|\n", "returned", "tal"),
    ("def f(a):\n    rows.append(a)\n    return |\n", "returned", "rows"),
    ("def f(a):\n    rows = []\n    for b in a:\n        rows.append(b)\n    return |\n", "collected", "rows"),
    (FILLED.format("list[int]", "[]") + "    return |\n", "as annotated", "rows"),
    (FILLED.format("'typing.Dict[str, int]'", "{}") + "    return r|\n", "as annotated", "ows"),
    (FILLED.format("int", "0") + "    return |\n", "as annotated", "rows"),
    (FILLED.format("Any", "[]") + "    return |\n", "collected", "rows"),
    (FILLED.format("Report", "None") + "    return |\n", "collected", "rows"),
    (FILLED.format("str", "[]") + "    return |\n", None, None),
    (FILLED.format("Report", "[]") + "    return |\n", None, None),
    ("def f(a) -> str:\n    rows = [a, a]\n    return |\n", None, None),
    ("def f(a) -> Report:\n    rows = {}\n    rows[a] = 1\n    return |\n", None, None),
    ("def f(a) -> list[int]:\n    rows = [a, a]\n    return |\n", "returned", "rows"),
    (METHOD + "self.name = |\n", "kept", "name"),
    (METHOD + "self._size: int = |\n", "kept", "size"),
    (METHOD + "self.options = op|\n", "kept", "tions"),
    (METHOD + "super().__init__(|)\n", "handed up", "name, size=size, **options"),
    (METHOD + "super().__init__(|\n", "handed up", "name, size=size, **options)"),
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
    (METHODS.format("") + "    def four(|" + BODY, "same signature", "self, request"),
    (METHODS.format("") + "    def four(self, re|" + BODY, "same signature", "quest"),
    (METHODS.format(", key") + "    def four(|" + BODY, "begun signature", "self, request"),
    (
        METHODS.format("").replace("self, request)", "self)", 1) + "    def four(|" + BODY,
        "begun signature",
        "self, request",
    ),
    (
        "class A:\n    def a(self):\n        pass\n\n    def b(self, x):\n        pass\n\n    def c(|" + BODY,
        "receiver",
        "self",
    ),
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
    ("def f(rooms):\n    for room in |:\n        pass\n", "plural", "rooms"),
    ("def f(entries):\n    return [x for entry in |]\n", "plural", "entries"),
    (FUNCTIONS + "def longest(|)", "begun alike", "rides: list[Ride]"),
    (FUNCTIONS + "def longest(rid|)", "begun alike", "es: list[Ride]"),
    ("def f(*, a):\n    pass\n\n\ndef g(*, b):\n    pass\n\n\ndef h(|)", None, None),
    ("def f(a, *, b):\n    pass\n\n\ndef g(a, *, c):\n    pass\n\n\ndef h(|)", "begun alike", "a"),
    ("def f(a, b=','):\n    pass\n\n\ndef g(a, b=',', c=1):\n    pass\n\n\ndef h(|)", "begun alike", "a"),
    (FUNCTIONS.replace("rides: list[Ride],", "rides,") + "def longest(|)", None, None),
    (COMMANDS + "if args.command == 'add':\n    f()\nelif |\n", "next case", "args.command == 'list'"),
    (COMMANDS + "if args.command == 'add':\n    f()\nelif args|\n", "next case", ".command == 'list'"),
    (COMMANDS + "if args.command == 'list':\n    f()\nelif |\n", None, None),
    (COMMANDS + "if args.command == 'add' and x:\n    f()\nelif |\n", None, None),
    (
        "for x in ('a', 'b', 'c'):\n    if x == 'a':\n        if y:\n            f()\n    elif x == 'b':\n        g()\n    elif |\n",
        "next case",
        "x == 'c'",
    ),
    (COMMANDS + "if args.command == 'add':\n    f()\nelif |\nelif args.command == 'list':\n    f()\n", None, None),
    (LEVELS + "if level is Level.LOW:\n    f()\nelif |\n", "next case", "level is Level.MIDDLE"),
    (LEVELS + "if level is Level.LOW:\n    f()\nelif other is Level.HIGH:\n    f()\nelif |\n", None, None),
    (AREA + "    box = Box(\n        width=width,\n        |\n    )\n", "next keyword", "height=height,"),
    (AREA + "    box = Box(\n        width=1,\n        hei|\n    )\n", "next keyword", "ght=height,"),
    (AREA + "    box = Box(width=2 * size, |)\n", "next keyword", "height=height"),
    (AREA + "    box = Box(x, width=width, |\n", "next keyword", "height=height"),
    (AREA + "    box = Box(\n        width=width,\n        height=height,\n        |\n    )\n", None, None),
    (AREA + "    box = Box(\n        width=width,\n        |\n        height=height,\n    )\n", None, None),
    (AREA + "    box = Box(\n        width=-width,\n        |\n    )\n", None, None),
    (AREA + "    box = Box(\n        width=f(\n            width,\n        ),\n        |\n    )\n", None, None),
    (AREA + "    box = Bag(\n        width=width,\n        |\n    )\n", None, None),
    (
        AREA + "    box = Box(\n        width=row['width'],\n        |\n    )\n",
        "next keyword alike",
        "height=row['height'],",
    ),
    (AREA + "    box = Box(width=args.width, |)\n", "next keyword alike", "height=args.height"),
    (AREA + "    box = Box(width=int(args.width), |)\n", "next keyword alike", "height=int(args.height)"),
    (AREA.replace("height: int", "height: str") + "    box = Box(width=int(args.width), |)\n", None, None),
    (AREA + "    box = Box(width=args.size, |)\n", "next keyword", "height=height"),
    ("from a import (\n    b,\n)\n\n\ndef f(|):\n    b(c)\n", "used below", "c"),
    ("A, B = 1, 2\n\n\ndef f(|):\n    c(A, B)\n", "used below", "c"),
    ("class A:\n    def f(|):\n        self.g(*args)\n", "used below", "self, *args"),
    ("class A:\n    def f(|):\n        self.g(x, *args, **kwargs)\n", "several below", "self, x, *args, **kwargs"),
    (
        "class A:\n    def f(self, a: int):\n        pass\n\n    def g(|):\n        self.h(b, c)\n",
        "several below",
        "self, b",
    ),
    (
        "class A:\n    def f(self, a):\n        pass\n\n    def g(|):\n        self.h(b, c)\n",
        "several below",
        "self, b, c",
    ),
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
    (
        "class A:\n    def f(self, a: int) -> int:\n        pass\n\n    def g(self) -> int:\n        pass\n\n"
        "    def h(|):\n        self.x(b, c)\n",
        "several below",
        "self, b",
    ),
    (
        AREA.replace("width: int = 1", "width=1,  # (a+)+b **c\n        y=2") + "    box = Box(width=args.width, |)\n",
        "next keyword alike",
        "y=args.y",
    ),
    (
        AREA + "    box = Box(\n        width=width,  # w\n        # h\n        |\n    )\n",
        "next keyword",
        "height=height,",
    ),
    (AREA + "    box = Box(width=row.get('width'), |)\n", "next keyword alike", "height=row.get('height')"),
    (AREA + "    def Box(width=width, |):\n", None, None),
    ("def f(a, b):\n    return f(a=a, |)\n", None, None),
    ("try:\n    print(x)\nexcept |\n", None, None),
    ("try:\n    y = next(x, None)\nexcept |\n", None, None),
    ("try:\n    y = next(iter(x))\nexcept |\n", "caught", "StopIteration"),
    ("try:\n    y = int(x.strip())\nexcept |\n", "caught", "ValueError"),
    ("try:\n    y = rows[-1]\nexcept |\n", None, None),
    ("try:\n    y = rows[i]\nexcept |\n", None, None),
    ("try:\n    rows: list[int]\nexcept |\n", None, None),
    ("try:\n    run('''\n        from rooms\n    ''')\nexcept |\n", None, None),
    ("import os, sys\n\nprint('error: x', |)\n", "to stderr", "file=sys.stderr"),
    ("import sys, os\n\nprint('error: x', |)\n", "to stderr", "file=sys.stderr"),
    ("import sys as s\n\nprint('error: x', |)\n", None, None),
    ("import sys.path\n\nprint('error: x', |)\n", None, None),
    ("import sys\n\nprint('Error:', |)\n", None, None),
    ("class A:\n    @|\n    def __repr__(self):\n", None, None),
    ("class TestA:\n    @|\n    def room(self):\n", None, None),
    ("class A:\n    @|\n    async def f(self):\n", None, None),
    ("class A:\n    @|\n    def f(self) -> None:\n", None, None),
    ("class A:\n    @|\n    def __new__(cls):\n", None, None),
    ("class Meta(type):\n    @|\n    def f(cls):\n", None, None),
    ("class A:\n    @|\n    def f(this):\n", None, None),
    (
        "class A:\n    @property\n    def f(self):\n        pass\n\n\nclass B:\n    @|\n    def f(self, a):\n",
        None,
        None,
    ),
    (
        INIT + "    def g(|):\n        return self.h(\n            b,\n            c,\n        )\n",
        "several below",
        "self, b, c",
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
    ("def load(path, mode):\n    pass\n\n\ndef f(path, mode):\n    myself.load(path=path, |)\n", None, None),
    (
        AREA.replace("height: int", "height: str") + "    box = Box(width=args.width, |)\n",
        "next keyword alike",
        "height=args.height",
    ),
    (
        AREA.replace("f(width, height)", "f(width)") + "    height = 2\n    box = Box(width=width, |)\n",
        "next keyword",
        "height=height",
    ),
    (AREA.replace("f(width, height)", "f(width)") + "    box = Box(width=width, |)\n", None, None),
    (AREA + "    box = Box(height=1, width=width, |)\n", None, None),
    (
        "@dataclass\nclass P:\n    a: int\n    _: KW_ONLY\n    b: int = field(init=False)\n    c: int\n\n\ndef f(a, b, c):\n    P(a=a, |)\n",
        "next keyword",
        "c=c",
    ),
    ("with a:\n    import os\nexcept |\n", None, None),
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
    ("class A:\n    @|\n    def f(\n        self,\n    ):\n", None, None),
    (
        "class A:\n    @property\n    def f(self):\n        pass\n\n    @|\n    def f(self, a):\n",
        "kind of method",
        "f.setter",
    ),
    ("class A:\n    @|\n    def f(self, a):\n", None, None),
    ("class A:\n    @|\n    def f(self):\n", "property", "property"),
    ("class A:\n    @override\n    @|\n    def f(self):\n", None, None),
    ("def a():\n    @|\n    def f(cls):\n", None, None),
    ("@|\ndef f(cls):\n", None, None),
    ("try:\n    import toml\nexcept |\n", "imports tried", "ImportError"),
    ("try:\n    from a import b\n    C = True\nexcept Imp|:\n    C = False\n", "imports tried", "ortError"),
    ("try:\n    f()\nexcept ImportError:\n    pass\nexcept |\n", None, None),
    ("import os\nexcept |\n", None, None),
    ("def f(a):\n    try:\n        return a['key']\n    except |\n", "caught", "KeyError"),
    ("def f(a):\n    try:\n        return a[1:2]\n    except |\n", None, None),
    ("try:\n    # why\n    day = datetime.strptime(a, b)\n\nexcept |\n", "caught", "ValueError"),
    ("try:\n    number = int(text)\nexcept |\n", "caught", "ValueError"),
    ("try:\n    number = g(int(text), 1)\nexcept |\n", None, None),
    ("try:\n    f()\n    subprocess.run(a, check=True)\nexcept |\n", "caught", "subprocess.CalledProcessError"),
    ("try:\n    first = next(lines)\n    f(first)\nexcept |\n", None, None),
    ("import sys\n\nprint(f'error: {e}', |)\n", "to stderr", "file=sys.stderr"),
    ("import sys\n\nprint('Usage: a', |\n", "to stderr", "file=sys.stderr)"),
    ("import sys\n\nprint('total: a', |)\n", None, None),
    ("print('error: a', |)\n", None, None),
    ("import re\n\n\nclass RoomError|\n", "error base", "(Exception)"),
    ("class RoomError(|\n", "error base", "Exception"),
    ("from rooms import (\n    RoomError,\n)\n\n\nclass DoorError(|\n", None, None),
    ("class RoomError(|):\n", "error base", "Exception"),
    ("class RoomError(Exc|)\n", "error base", "eption"),
    ("class A(Error):\n    pass\n\n\nclass RoomError(|\n", None, None),
    ("from rooms import RoomError\n\n\nclass DoorError(|\n", None, None),
    (ERRORS + "class WallError(|\n", "error base", "RoomError"),
    (ERRORS.replace("DoorError(RoomError)", "DoorError(ValueError)") + "class WallError(|\n", None, None),
    ("class Room(|\n", None, None),
    (
        "class A:\n    def f(self, name):\n        self.people = []\n        for person in |\n",
        "plural",
        "self.people",
    ),
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
    (
        "class House:\n    def __init__(self):\n        self.rooms = []\n\n\ndef f(house):\n    for room in |\n",
        "plural of",
        "house.rooms",
    ),
    ("def f(a):\n    print(a.rooms)\n    for room in |\n", "plural of", "a.rooms"),
    (
        "class House:\n    def rooms(self):\n        return []\n\n\ndef f(house):\n    for room in |\n",
        "plural of",
        "house.rooms()",
    ),
    (
        "class House:\n    @property\n    def rooms(self):\n        return []\n\n\ndef f(house):\n    for room in |\n",
        "plural of",
        "house.rooms",
    ),
    ("def run_add(store, options):\n    pass\n\n\ndef run_top(|)\n", "sibling", "store, options"),
    ("def test_add(store, options):\n    pass\n\n\ndef test_top(|)\n", "test above", "store, options"),
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
    ("def f(a, b):\n    print(a.rooms, b.rooms)\n    for room in |\n", None, None),
    (
        "def run_add(store):\n    pass\n\n\ndef run_add_all(store, all):\n    pass\n\n\ndef run_top(|)\n",
        "begun alike",
        "store",
    ),
    ("def test_add(store, options):\n    pass\n\n\ndef other(|)\n", None, None),
    ("@mark.parametrize('a', [1])\ndef test_add(a):\n    pass\n\n\ndef test_top(|)\n", None, None),
    ("def test_add():\n    pass\n\n\ndef test_top(|)\n", None, None),
    ("def area(|):\n    return width * height\n", None, None),  # in which order?
    ("def area(|):\n    return width *\n", None, None),
    ("def area(|):\n    return 1\n", None, None),
    ("from sizes import *\n\ndef area(|):\n    return width\n", None, None),
    ("def f(rooms):\n    for chair in |:\n        pass\n", None, None),
    ("class A:\n    def f(self):\n        self.rooms()\n        for room in |\n", None, None),
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
    (METHODS.format("") + "    @staticmethod\n    def four(|" + BODY, None, None),
    (METHODS.format("") + "    def four(|x" + BODY, None, None),
    (METHODS.format("") + "class B:\n    def four(|" + BODY, None, None),
    (METHODS.format("") + "    four(|)\n", None, None),
    ("def f(a):\n    if a:\n        total = 1\n    return |\n", None, None),
    ("def f(a):\n    total == 1\n    return |\n", None, None),
    ("def f(a):\n    total = 1\n    return |x\n", None, None),
    ("def f(a):\n    total = 1\n    return x|\n", None, None),
    (METHOD + "self.other = |\n", None, None),
    (METHOD + "self.name = |(1)\n", None, None),
    (METHOD + "super().other(|)\n", None, None),
    (METHOD + "call(other=|)\n", None, None),
    ("class E(ValueError):\n    def __init__(self, name):\n        super().__init__(|)\n", None, None),
    ("def f(size=|):\n    pass\n", None, None),
    ("def f(size):\n    size=|\n", None, None),
    ("import |\n\nprint(json.dumps(1)\n", None, None),  # the file cannot be read
    ("import |\n\nprint(numpy.array(1))\n", None, None),  # nobody knows whether it is installed
    ("from elsewhere import |\n\nprint(json.dumps(1))\n", None, None),
    ("from collections import *\nfrom collections import |\n\ndeque()\n", None, None),
    ("x = 1|\n", None, None),
    ("class A:\n    rooms: list[Room] = field(|)\n", "default factory", "default_factory=list"),
    ("class A:\n    rooms: Dict[str, Room] = dataclasses.field(de|\n", "default factory", "fault_factory=dict)"),
    ("class A:\n    rooms: Optional[list[Room]] = field(|)\n", None, None),
    ("class A:\n    rooms: list[Room] or None = field(|)\n", None, None),
    ("class A:\n    rooms: tuple[Room, ...] = field(|)\n", None, None),
    ("def f(rooms):\n    room = Room()\n    rooms.append(|)\n", "member", "room"),
    ("def f(self, room):\n    if room.size:\n        self._rooms.add(|\n", "member", "room)"),
    ("def f(self, room):\n    if size:\n        log()\n        self.rooms.add(|)\n", None, None),
    (
        "def f(other):\n    for room in other:\n        pass\n\n\ndef g(rooms, room):\n    rooms.append(|)\n",
        "member",
        "room",
    ),
    ("def f(rooms, other):\n    for room in other:\n        rooms.append(|)\n", None, None),
    ("def f(rooms):\n    room = Room()\n    rooms.insert(|)\n", None, None),
    (LEVELS + "use(Level.HIGHEST)\nuse(Level.HIGH)\nuse(Level.|)\n", "next member", "MIDDLE"),
    (
        LEVELS + "def f(n):\n    if n > 9:\n        return Level.HIGHEST\n    if n > 8:\n        return Level.|\n",
        "next member",
        "HIGH",
    ),
    (
        LEVELS + "def f(n):\n    if n > 9:\n        return Level.HIGH\n    if n > 8:\n        return Level.|\n",
        None,
        None,
    ),
    (
        LEVELS + "def f(n):\n    if n > 9:\n        return Level.HIGHEST\n    if n > 8:\n        return |\n",
        "next member",
        "Level.HIGH",
    ),
    (
        LEVELS + "def f(n):\n    if n > 9:\n        return Level.HIGHEST\n    if n > 8:\n        return Le|\n",
        "next member",
        "vel.HIGH",
    ),
    (
        LEVELS + "def f(n):\n    if n > 9:\n        return Level.HIGHEST\n    if n > 8:\n        return Level|\n",
        "next member",
        ".HIGH",
    ),
    (LEVELS + "def f(n):\n    if n > 9:\n        return Other.HIGHEST\n    if n > 8:\n        return |\n", None, None),
    (LEVELS + "def f():\n    return Level.HIGHEST\n\ndef g():\n    return |\n", None, None),
    (LEVELS + "use(Level.HIGHEST)\nuse(Level|)\n", "next member", ".HIGH"),
    (LEVELS + "def f():\n    return Level.LOW\n\ndef g():\n    return Level.|\n", None, None),
    (LEVELS + "use(Level.HIGHEST)\nuse(Level.LOW)\nuse(Level.|)\n", None, None),
    (LEVELS + "use(Level.HIGH)\nuse(Level.LOW)\nuse(Level.MIDDLE)\nuse(Level.|)\n", "next member", "HIGHEST"),
    (LEVELS + "use(Level.LOW)\nuse(Level.UNKNOWN)\nuse(Level.|)\n", None, None),
    (LEVELS + "use(Level.LOW)\nothers(Level.|)\n", None, None),
    ("def main():\n    pass\n\n\n" + IF_MAIN + "    |\n", "main", "main()"),
    ("def main(argv=None, *more) -> None:\n    return\n\n\n" + IF_MAIN + "    ma|\n", "main", "in()"),
    ("import asyncio\n\nasync def main():\n    pass\n\n\n" + IF_MAIN + "    |\n", "main", "asyncio.run(main())"),
    ("import sys\n\ndef main() -> bool:\n    return True\n\n\n" + IF_MAIN + "    |\n", None, None),
    ("import sys\n\ndef main():\n    return run()\n\n\n" + IF_MAIN + "    |\n", None, None),
    ("import sys\n\ndef main() -> int:\n    return 0\n\n\n" + IF_MAIN + "    |\n", "exits", "sys.exit(main())"),
    ("import sys\n\ndef main(argv=None):\n    return 0\n\n\n" + IF_MAIN + "    s|\n", "exits", "ys.exit(main())"),
    ("def main() -> int:\n    return 0\n\n\n" + IF_MAIN + "    |\n", "exits", "raise SystemExit(main())"),
    ("async def main():\n    pass\n\n\n" + IF_MAIN + "    |\n", None, None),
    ("def main(argv):\n    pass\n\n\n" + IF_MAIN + "    |\n", None, None),
    ("def main():\n    return 1\n\n\n" + IF_MAIN + "    |\n", None, None),
    ("def main():\n    pass\n\n\n" + IF_MAIN + "    |\n    main()\n", None, None),
    ("def main():\n    pass\n\n\n" + IF_MAIN + "    setup()\n    |\n", None, None),
    (RAISES + "    with pytest.raises(|):\n        pass\n", "raised above", "OSError"),
    (RAISES + "    with pytest.raises(OS|):\n        pass\n", "raised above", "Error"),
    (
        RAISES + "    with pytest.raises(KeyError):\n        f()\n    with pytest.raises(|):\n        pass\n",
        None,
        None,
    ),
    ("def test():\n    with pytest.raises(|):\n        pass\n", None, None),
    (LISTED + "f(\n    start=a.start,\n    end=a.end,\n    |\n)\n", "next alike", "skill=a.skill,"),
    (LISTED + "f(\n    start=a.start,\n    end=a.end,\n    sk|\n)\n", "next alike", "ill=a.skill,"),
    (LISTED + "f(\n    start=a.start,\n    end=a.end,\n    other|\n)\n", None, None),
    (LISTED + 'x = {\n    "start": a.start,\n    "end": a.end,\n    |\n}\n', "next alike", '"skill": a.skill,'),
    (LISTED + "f(\n    start=a.start,\n    end=a.end,\n    |\n    skill=a.skill,\n)\n", None, None),
    (LISTED + "f(\n    start=a.start,\n    end=b.end,\n    |\n)\n", None, None),
    (LISTED + "f(\n    end=a.end,\n    start=a.start,\n    |\n)\n", None, None),
    (LISTED + "f(\n    a.end,\n    a.skill,\n    |\n)\n", None, None),  # the last that is listed
    (LISTED + "f(\n    a.start,\n    a.end,\n    |\n)\n", "next listed", "a.skill,"),
    (LISTED + 'f(\n    id=a["id"],\n    start=int(a["start"]),\n    end=|\n)\n', "analogous once", 'int(a["end"])'),
    (LISTED + 'f(\n    start=int(a["start"]),\n    end=|\n)\n', "analogous once", 'int(a["end"])'),
    (LISTED + 'f(\n    start=int(a["start"]),\n    end=int(a["|"])\n)\n', "analogous once", "end"),
    (LISTED + 'f(\n    start=int(a["start"]),\n    other=|\n)\n', None, None),
    (LISTED + 'f(\n    start=int(start["start"], a, a),\n    end=|\n)\n', None, None),  # two names
    (LISTED + "f(\n    start=a.start,\n    end=a.end(),\n    |\n)\n", "next begun", "skill=a.skill"),
    (LISTED + "f(\n    start=a.start,\n    end=b.end(),\n    |\n)\n", None, None),
    ("def f(x, y, z):\n    return [\n        x,\n        y,\n        |\n    ]\n", "next listed", "z,"),
    ("def f(rooms):\n    size = 1\n    g(rooms, size=|)\n", "passed variable", "size"),
    ("def f(rooms):\n    for size in rooms:\n        g(size=|)\n", "passed variable", "size"),
    ("def f(rooms):\n    g(\n        size=1,\n    )\n    h(size=|)\n", None, None),  # a keyword, no variable
    ("def f(rooms):\n    g(size=|)\n    size = 1\n", None, None),
    (
        "def f(size: Optional[int] = 1): ...\n\n\ndef g(a, size: |):\n    pass\n",
        "annotated before",
        "Optional[int]",
    ),
    ("def f(size: list[int]): ...\n\n\ndef g(a: str, size: l|):\n    pass\n", "annotated before", "ist[int]"),
    ("def f(size: int): ...\n\n\ndef g(size: str): ...\n\n\ndef h(size: |): ...\n", "annotated before", "str"),
    ("def f(sizes: int): ...\n\n\ndef g(size: |): ...\n", None, None),
    ("def f(size: int): ...\n\n\nsize: |\n", None, None),
    ("from shop import Item, BigRoom\n\n\ndef f(big_room: |):\n    pass\n", "annotated as named", "BigRoom"),
    ("class Room: ...\n\n\ndef f(a: int, room: |):\n    pass\n", "annotated as named", "Room"),
    ("class Rooms: ...\n\n\ndef f(room: |):\n    pass\n", None, None),
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
    house = "class House:\r\n    def rooms(self):\r\n        return []\r\n"
    found = conventional("def f(house):\n    for room in ", "\n", [("/w/house.py", house)])
    assert found is not None and (found.rule, found.text) == ("plural of", "house.rooms()")


NAMES = ", ".join(f"x{number}" for number in range(10_000))
BLANKS = " " * 100_000


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("@\n" * 100_000 + "def f():\n    Size(", "\n"),
        (f"def f():\n    for {NAMES} in y:\n        for room in ", "\n" + "class Other:\n" * 8000),
        ("def f():\n    size = 1\n    size:" + BLANKS + "\n    g(size=", "\n"),
        ("def f():\n    x = 1\n    x:" + BLANKS + "\n    x.append(1)\n    return ", "\n"),
        ("class A:\n    def __init__(self, a):\n        self.a:" + BLANKS + "\n        ", "\n"),
        ("def f(" + "x:a[," * 40_000 + "x: ", "\n"),
    ],
    ids=["decorators", "names and classes", "keyword", "returned", "kept", "annotated"],
)
def test_hostile_texts_take_little_time(left: str, right: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conventions, "MAX_ABOVE", 10**6)
    for room in (calls, loops):
        monkeypatch.setattr(room, "MAX_CHARS", 10**6)
    started = time.process_time()
    conventional(left, right)
    assert time.process_time() - started < 4.0


def test_every_rule_has_a_probability_that_was_counted() -> None:
    assert set(PROBABILITIES) == set(RULES)
    assert all(0 < value < 1 for value in PROBABILITIES.values())


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
    unsure = "def f(a):\n    total = a + 1\n    return \n"
    several = engine.alternatives(CursorContext("b", "python", unsure, len(unsure) - 1), 3, lambda: False)
    assert "total" in [one.text for one in several]
    in_text = 'def f(a):\n    """\n    total = a\n    return \n    """\n'
    place = CursorContext("c", "python", in_text, in_text.index("return ") + 7)
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
    assert found is None or (found.rule, found.probability) == ("only name", PROBABILITIES["only name"])


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


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("class Entry: ...\n\n\nclass BigLedger: ...\n", "BigLedger"),
        ("import json\n\nLIMIT = 1\n\n\nclass BigLedger: ...\n", "BigLedger"),
        ("class Entry: ...\n\n\nclass Ledger: ...\n", None),
        ("class Entry: ...\n\n\nclass BigLedgers: ...\n", None),
        ("class BigLedger: ...\n" + "".join(f"def f{n}(): ...\n" for n in range(4)), None),
    ],
)
def test_the_class_that_is_called_as_its_module_is_imported(module: str, said: str | None) -> None:
    others = [("/w/big_ledger.py", module)]
    found = conventional("from big_ledger import ", "\n", others)
    assert (None if found is None else found.text) == said
    assert conventional("from x import BigLedger\nfrom big_ledger import ", "\n", others) is None


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("class BadReading: ...\n\n\nclass Reading: ...\n", "Reading"),
        ("class Readings: ...\n\n\nclass Reading: ...\n", "Readings"),
        ("class Reading: ...\n" + "".join(f"def f{n}(): ...\n" for n in range(4)), None),
    ],
)
def test_the_class_of_which_a_module_is_called_as_the_plural_is_imported(module: str, said: str | None) -> None:
    found = conventional("from .readings import ", "\n", [("/w/readings.py", module)])
    assert (None if found is None else (found.rule, found.text)) == (said and ("namesake", said))


def test_what_is_imported_already_is_not_proposed_again() -> None:
    others = [("/w/people.py", "class Person:\n    pass\n")]
    assert conventional("from people import Person\nfrom people import ", "\n", others) is None


def test_parameters_of_functions_in_open_files_are_known() -> None:
    others = [("/w/store.py", "def save(trip: Trip, path: Path) -> None:\n    pass\n")]
    found = conventional("from store import save\n\n\ndef f(path, trip):\n    save(", ")\n", others)
    assert found is not None and (found.rule, found.text) == ("named alike", "trip, path")


def test_a_loop_at_the_end_of_a_file_gets_its_colon() -> None:
    engine = CompletionEngine(Settings(device="cpu"))
    text = "def total(rooms):\n    for room in \n"
    found = engine._conventional(CursorContext("a", "python", text, len(text) - 1), lambda: False)
    assert found is not None and found.said.text == "rooms:"


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
    assert traits("json").conventions not in SPOKEN and SPOKEN[traits("python").conventions] is PROBABILITIES
    assert all(rule in RULES for spoken in SPOKEN.values() for rule in spoken)
