"""Existing attributes, keyword arguments and imports: by hand, and the facts against a syntax tree."""

import ast
import importlib
import json
import random
import re
import subprocess
import sys
import time
from itertools import count
from pathlib import Path

import pytest
from suture.parser import Hole, Imports, imports_for, language
from suture.parser.languages.python.semantics import modules as modules_module
from suture.parser.languages.python.semantics.contents import Dialect
from suture.parser.languages.python.semantics.facts import Class, Gathered
from suture.parser.languages.python.semantics.lines import parse_file
from suture.parser.languages.python.semantics.modules import builtin_functions, facts_of, library_names, modules_for

from ..support.facts_by_ast import read_source
from ..support.oracle_python import stdlib_sources
from ..support.oracles import interpreter

_CART = """import json
from collections import abc
from dataclasses import dataclass, field
from typing import NamedTuple

class Base:
    kind = ""
    def __init__(self, owner, *, limit=3):
        self.owner, self.limit = owner, limit

@dataclass
class Item:
    name: str
    price: int = 0

class Point(NamedTuple):
    left: int
    top: int

class Cart(Base):
    items: list[Item] = []
    def add(self, item: Item, *, times: int = 1) -> "Cart":
        return self
    @property
    def first(self) -> Item:
        return self.items[0]
    def total(self):
        later = self.
        SELF
    def reset(self):
        self.seen = None

cart = Cart("me")

def use(item: Item, other):
    USE
    cart.add(item)
"""


def _hole(marked: str, imports: Imports | None = None) -> Hole:
    left, right = marked.split("|")
    imports = imports or imports_for("python", "3.11", None, at_once=True)
    return language("python", "3.11").hole(left, right, level="names", imports=imports)


def _takes(hole: Hole, text: str) -> bool:
    """Whether a text, written character by character, completes the hole."""
    state = hole.state
    for char in text:
        state = state.advance(char) if state is not None else None
    return state is not None and state.complete


def _in(place: str, marked: str) -> str:
    text = _CART.replace("        later = self.\n", "").replace(place, marked)
    return text.replace("SELF", "pass").replace("USE", "pass")


@pytest.mark.parametrize(
    "place, marked, good, bad",
    [
        ("SELF", "return self.|", ["add", "total()", "owner", "limit", "kind", "items.append(1)", "seen", "first.name", "__class__", "_Cart__x"], ["totl", "total_price()", "items.push(1)", "first.nam"]),
        ("SELF", "|", ["self.new = 1", "self.new: int = 1", "self.new, x = 1, 2", "self.new = 1; self.new", "for self.new in []: pass"], ["self.new", "self.new()", "self.new += 1", "self.new.x = 1", "x = self.new"]),
        ("SELF", "self.ne|()", [], ["w", "w2"]),
        ("SELF", "def inner(a=self): return self.|", ["owner"], ["ownr"]),
        ("SELF", "self = other(self); self.|", ["anything"], []),
        ("SELF", "return super().|", ["owner", "kind"], ["ownr"]),
        ("USE", "return item.|", ["name", "price", "name.upper()", "__eq__"], ["prize", "name.uppr()"]),
        ("USE", "return [item.| for item in other]", ["anything"], []),
        ("USE", "return cart.add(item).add(item).|", ["total()", "first.price"], ["sum()", "first.prize"]),
        ("USE", "return other.|", ["anything", "at.all()"], []),
        ("USE", "return json.|", ["dumps(1)", "decoder.JSONDecoder"], ["dump_s(1)", "decode"]),
        ("USE", "return abc.|", ["Sequence"], ["Sequenze"]),
        ("USE", "return cart.add(item, |)", ["times=2"], ["time=2", "name=''", "item=1"]),
        ("USE", "return Item(|)", ["name='', price=1", "'', 1"], ["nam=''", "cost=1"]),
        ("USE", "return Cart(|)", ["owner=1, limit=2"], ["limits=2"]),
        ("USE", "return Point(|)", ["left=1, top=2"], ["bottom=2"]),
        ("USE", "from json import |", ["dumps", "loads as x, dumps", "decoder"], ["dunks", "loads, lods"]),
        ("USE", "import os, sys, math\n    return os.|", ["getcwd()", "path.join('a')", "startfile('')", "O_RDONLY"], ["getcw()", "path.jion('a')", "getcwd.x ()[0]; os.x"]),
        ("USE", "import sys\n    return sys.|", ["argv", "_MEIPASS", "__name__"], ["args"]),
        ("USE", "from math import |", ["sin, cos"], ["sinus"]),
        ("USE", "from unittest import |", ["TestCase", "mock", "IsolatedAsyncioTestCase"], ["TestsCase"]),
        ("USE", "[].|", ["append(1)"], ["push(1)"]),
        ("USE", "''.|", ["join([])"], ["joint([])"]),
        ("USE", "if isinstance(item, Other):\n        item.|", ["anything"], []) ,
        ("USE", "try:\n        json.|\n    except AttributeError:\n        pass", ["anything"], []),
        ("USE", "print(item.price, item.|, item.name)", ["name"], ["nam"]),
        ("USE", "item.new = item.|", ["name"], ["nam"]),
        ("USE", "|", ["other.nam = item.name", "del item.nam, item.name"], ["other.nam = item.nam", "other.at.nam = item.nam", "other.nam: int = item.nam", "for other.nam in item.nam: pass"]),
        ("USE", "@other.xfail()\n    def test():\n        cart.add(item, |)", ["time=2"], []),
        ("USE", "with open('') as file:\n        item.|", ["name"], ["nam"]),
    ],
)  # fmt: skip
def test_what_exists_at_a_place(place: str, marked: str, good: list[str], bad: list[str]) -> None:
    text = _in(place, marked)
    if "Other" in marked:
        text += "class Other: pass\n"
    hole = _hole(text)
    for one in good:
        assert _takes(hole, one), one
    plain = language("python", "3.11").hole(*text.split("|"), level="names")
    for one in bad:
        assert _takes(plain, one) or marked.startswith("self.ne"), one
        assert not _takes(hole, one), one


@pytest.mark.parametrize(
    "text",
    [
        "class A(Unknown):\n    def f(self):\n        self.|\n",
        "class A:\n    def __getattr__(self, name): ...\n    def f(self):\n        self.|\n",
        "class A(metaclass=Meta):\n    def f(self):\n        self.|\n",
        "@attrs.define\nclass A:\n    def f(self):\n        self.|\n",
        "class A:\n    def f(self, **kw):\n        for k in kw: setattr(self, k, kw[k])\n    def g(self):\n        self.|\n",
        "class A:\n    def f(self, **kw):\n        self.__dict__.update(kw)\n    def g(self):\n        self.|\n",
        "class A:\n    def f(self):\n        return self.given_by_subclasses\n    def g(self):\n        self.|\n",
        "class A:\n    def f(self):\n        super().g()\n    def g(self):\n        self.|\n",
        "class A:\n    def f(self):\n        self.|\nclass B(A):\n    anything = 1\n",
        "class A:\n    def f(self):\n        self.|\na = A()\na.anything = 1\n",
        "class A:\n    @staticmethod\n    def f(self):\n        self.|\n",
        "class A:\n    pass\nif 1:\n    a = A()\nelse:\n    a = None\na.|\n",
        "class A:\n    pass\na = A()\ndef f():\n    global a\n    a = 1\na.|\n",
        "class A:\n    def __new__(cls): return 1\na = A()\na.|\n",
        "import json\njson.anything = 1\njson.|\n",
        "import json\njson.anything\njson.|\n",
        "import sys, json\nif sys.version_info > (3, 99):\n    json.|\n",
        "import os.path\nimport unknown\nunknown.|\n",
        "import enum\nclass E(enum.Enum):\n    a = 1\nE.a.|\n",
        "import enum\nclass E(enum.IntEnum):\n    a: int = 1\nE.a.|\n",
        "import enum\nclass E(enum.Enum):\n    _ignore_ = ['one']\n    for one in 'ab': vars()[one] = one\nE.|\n",
        "import enum\nclass E(enum.Enum):\n    locals()['any' + 'thing'] = 1\nE.|\n",
        "import enum\nE = enum.Enum('E', 'anything')\nE.|\n",
        "import enum\nclass M(enum.EnumMeta): ...\nclass E(enum.Enum, metaclass=M):\n    a = 1\nE.|\n",
        "def a(**kw): pass\na(|=1)\n",
        "@wrapped\ndef a(): pass\na(|=1)\n",
        "from somewhere import *\nclass A: pass\nclass B(A):\n    def f(self):\n        other.|\n",
        "from elsewhere import |\n",
        "import sys, math\nif sys.version_info > (3, 99):\n    math.|\n",
        "import os\nos.environ.|\n",
        "class A: ...\ndef f(a: A):\n    print(a.first, a.|, 1)\n",  # the line itself uses attributes missing in A
        "class A: ...\ndef f(a: A):\n    print(\n        a.|,\n        a.last,\n    )\n",
        "class A: ...\na = A()\nwith raises(AttributeError):\n    a.|\n",
        "class A: ...\na = A()\nwith raises(AttributeError): a.|\n",
        "class A: ...\nclass B:\n    def test(self):\n        with self.assertRaises(AttributeError) as error:\n            A().|\n",
        "class A: ...\n@XFAIL\ndef f(a: A):\n    a.|\n",
        "import asyncio\nasyncio.subprocess.|\n",  # the submodule, although a module it stars imports another
    ],
)
def test_what_is_not_certain_refuses_nothing(text: str) -> None:
    text = text.replace("Unknown", "Exception_").replace("wrapped", "print_")
    left, right = text.split("|")
    word = "anything"
    typed = left + word + right
    names = {node.id for node in ast.walk(ast.parse(typed)) if isinstance(node, ast.Name)}
    unbound = {"Exception_", "print_", "Meta", "attrs", "other", "raises", "XFAIL"}
    known = "".join(f"{name} = None\n" for name in sorted(names & unbound))
    assert _takes(_hole(known + text), word)


_ENUMS = """from enum import Enum, Flag, IntEnum, auto, unique
import enum

@unique
class Colour(Enum):
    RED = auto()
    DARK_RED = auto()
    def __init__(self, number):
        self.number = number
    @classmethod
    def first(cls):
        return cls.RED

class Level(IntEnum):
    LOW = 1
    @property
    def title(self) -> str:
        return self.name.title()

class Right(enum.Flag):
    READ = 1

def use(colour: Colour, level: Level):
    USE
"""


@pytest.mark.parametrize(
    "marked, good, bad",
    [
        ("Colour.|", ["RED", "DARK_RED.value", "first()", "__members__", "_member_map_", "mro()"], ["Red", "BLUE"]),
        ("Colour[''].|", ["RED", "name"], ["nam"]),
        ("colour.|", ["name", "value", "number", "RED"], ["named", "BLUE"]),
        ("level.|", ["name", "title.upper()", "bit_length()"], ["titel", "title.uper()"]),
        ("Level.LOW.|", ["name", "value", "bit_length()"], []),
        ("Level(1).|", ["name", "LOW"], ["low"]),
        ("Right.|", ["READ", "READ.name"], ["Read"]),
    ],
)  # fmt: skip
def test_members_of_enumerations(marked: str, good: list[str], bad: list[str]) -> None:
    hole = _hole(_ENUMS.replace("USE", marked))
    for one in good:
        assert _takes(hole, one), one
    for one in bad:
        assert not _takes(hole, one), one


def test_what_the_user_has_typed_may_exist() -> None:
    hole = _hole("class A:\n    def __init__(self):\n        self.owner = 1\n        print(self.qu|)\n")
    assert _takes(hole, "ality") and not _takes(_hole("class A:\n    def f(self):\n        print(self.|)\n"), "quality")


@pytest.mark.parametrize("owner", ["self", "super()", "json", "self.first"])
def test_a_missing_method_is_refused_at_the_parenthesis(owner: str) -> None:
    state = _hole(_in("SELF", "|")).state
    assert state is not None
    before = state.advance(f"{owner}.missing")
    assert before is not None and before.advance("(") is None


def test_no_way_around_a_known_attribute() -> None:
    left, right = "class A:\n    def f(self):\n        print(self.", ")\n"
    for text in ("\n", " # x\nf", "_I"):
        assert language("python").hole(left, right, level="names").state.advance(text) is not None  # type: ignore[union-attr]
        state = _hole(left + "|" + right).state
        assert state is not None and state.advance(text) is None
    assert _takes(_hole(left + "|" + right), "_A__private")


def test_lines_before_a_dot_are_no_way_around() -> None:
    state = _hole("import json\n|\n").state
    assert state is not None and state.advance("x = 1\njson.") is not None
    assert state.advance("x = 1\njson.\n") is None


def test_bridges_have_attributes_that_exist() -> None:
    hole = _hole("class A:\n    def __init__(self):\n        self.owner = 1\n        print(self.|)\n")
    assert hole.state is not None
    found = hole.state.bridges()
    assert found and all(_takes(hole, text) for text in found)


def test_a_text_may_ask_for_the_type_behind_the_attribute() -> None:
    left, right = "class A: ...\n\ndef f(a: A, b: str | None):\n    return ", "\n"
    imports = imports_for("python", "3.11", None, at_once=True)
    for text, taken in (
        ("b.first if isinstance(b, A) else b", True),
        ("[a.first, hasattr(a, 'first')]", True),
        ("b.first if b else a", False),
    ):
        hole = language("python", "3.11").hole(left, right, level="names", imports=imports, exact=True)
        assert _takes(hole, text) is taken, text


def test_prose_behind_the_text_may_look_like_headers() -> None:
    """The text may stop between lines or in the string, so the text behind it is also read as code."""
    left = 'def f(node):\n    if node.x is None:\n        raise RuntimeError(\n            "m'
    text = 'x"\n        )\n    return node.y\n\n\nclass Node:\n    """Doc.\n'
    right = '    """\n    for subscripts.  Like for :class:`Name` `ctx` specifies if the tuple\n    """\n'
    session = language("python").session()
    session.imports = imports_for("python", None, None, at_once=True)
    hole = session.hole(left + right, len(left), level="names", exact=True)
    state = hole.state
    for piece in re.findall(r" ?\w{1,6}|\s+|\W", text):
        assert state is not None
        state = state.advance(piece)
    assert state is not None


def test_why_and_what_instead() -> None:
    state = _hole(_in("USE", "return item.|")).state
    assert state is not None
    assert state.attributes() is not None and "price" in (state.attributes() or ())
    for letter in "pri":
        state = state.advance(letter)
        assert state is not None
    assert state.refusal("s") == "'Item' has nothing that starts with 'pris'" and "price" in state.possible("s")
    after = state.advance("ce")
    assert after is not None and after.refusal("") is None
    assert state.refusal("") == "'Item' has no attribute 'pri'"


def _project(folder: Path) -> Path:
    (folder / ".git").mkdir()
    package = folder / "shop"
    package.mkdir()
    (package / "__init__.py").write_text("from .cart import Cart\n")
    (package / "cart.py").write_text(
        "from .base import *\nclass Cart(Base):\n    def add(self, item): self.items = [item]\n"
    )
    (package / "base.py").write_text("class Base:\n    owner = 1\n")
    (package / "broken.so").write_text("")
    (package / "dynamic.py").write_text("globals()['x'] = 1\ny = 1\n")
    return package / "main.py"


def test_modules_of_the_project(tmp_path: Path) -> None:
    imports = imports_for("python", "3.11", _project(tmp_path), at_once=True)
    hole = _hole("from .cart import Cart\nfrom . import cart\nimport shop\ndef f(c: Cart):\n    return |\n", imports)
    for text in (
        "c.owner",
        "c.items",
        "c.add(item=1)",
        "cart.Cart().owner",
        "cart.Base",
        "shop.Cart().add",
        "shop.base",
        "shop.broken",
    ):
        assert _takes(hole, text), text
    for text in ("c.ownr", "c.add(itm=1)", "cart.Base2", "cart.Cart().ownr", "shop.Kart"):
        assert not _takes(hole, text), text
    hole = _hole("from .|\n", imports)
    for text in ("cart import Cart, Base", "dynamic import z", "broken import z", " import cart, base"):
        assert _takes(hole, text), text
    for text in ("cart import Kart", " import carts"):
        assert not _takes(hole, text), text


def test_modules_are_unknown_until_they_are_read(tmp_path: Path) -> None:
    path = _project(tmp_path)
    modules = modules_for(path, (3, 11))
    marked = "from .cart import Cart\nc = Cart()\nc.|(1)\n"
    assert _takes(_hole(marked, modules), "anything")
    for _ in range(3):  # the imports of a module are requested after reading it
        modules.read(10)
        _hole(marked, modules).state.advance("x(")  # type: ignore[union-attr]
    assert not _takes(_hole(marked, modules), "anything") and _takes(_hole(marked, modules), "add")
    modules = modules_for(path, (3, 11))
    modules.want("import json\nfrom .cart import (Cart)\nfrom . import base\n")
    modules.read(10)
    assert all(modules.get(name) is not None for name in ("json", "shop.cart", "shop"))


def test_a_module_that_takes_longer_than_there_is_time_is_put_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "large.py").write_text("x = 1\n" * 10_000)
    (tmp_path / "small.py").write_text("y = 1\n")
    clock = count()
    monkeypatch.setattr(modules_module, "monotonic", lambda: next(clock) / 100)
    modules = modules_for(tmp_path / "a.py", (3, 11))

    def known() -> list[bool]:
        modules.want("import large, small\nimport small\n")
        return [modules.get(name) is not None for name in ("large", "small")]

    assert known() == [False, False]
    modules.read(0.5)
    assert known() == [False, False]
    modules.read(10)  # the large one is not tried again while somebody waits
    assert known() == [False, True]
    stops = iter([False] * 20)
    modules.read(10, lambda: next(stops, True))
    assert known() == [False, True]
    modules.read(0.5, lambda: False)  # nobody waits: reading continues to its end
    assert known() == [True, True]


def test_a_module_that_has_changed_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    path.write_text("x = 1\n")
    before = facts_of(path)
    path.write_text("yy = 1\n")
    after = facts_of(path)
    assert before is not None and "x" in before.made and after is not None and set(after.made) == {"yy"}
    path.unlink()
    assert facts_of(path) is None


def test_modules_that_cannot_be_read_are_unknown(tmp_path: Path) -> None:
    (tmp_path / "large.py").write_text("x = 1\n" * 200_000)
    (tmp_path / "odd.py").write_bytes(b"\xff\xfe\x00x = 1\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "json.py").write_text("mine = 1\n")
    modules = modules_for(tmp_path / "main.py", (3, 11), at_once=True)
    assert all(modules.get(name) is None for name in ("large", "folder", "absent", "a" * 3000, "json", "..x"))
    start_s = time.monotonic()
    assert modules.get(".".join("a" * 100)) is None and time.monotonic() - start_s < 60


def test_of_a_folder_with_very_many_files_nothing_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "package").mkdir()
    for name in ("__init__", "one", "two", "three", "four"):
        (tmp_path / "package" / f"{name}.py").write_text("x = 1\n")
    monkeypatch.setattr(sys.modules[modules_for.__module__], "_MAX_ENTRIES", 3)
    modules = modules_for(tmp_path / "main.py", (3, 11), at_once=True)
    assert modules.get("package") is None and modules.get("package.one") is None
    assert _takes(_hole("from package import |\n", modules), "absent")


def test_a_module_of_the_project_hides_a_listed_one(tmp_path: Path) -> None:
    (tmp_path / "math.py").write_text("mine = 1\n")
    modules = modules_for(tmp_path / "main.py", (3, 11), at_once=True)
    found = modules.get("math")
    assert found is not None and set(found.facts.made) == {"mine"}
    listed = modules.get("time")
    assert listed is not None and "monotonic" in listed.facts.made


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="the list was written with 3.8 to 3.13")
def test_listed_names_are_those_of_this_python() -> None:
    for module, names in library_names().items():
        if module in sys.builtin_module_names:
            have = {name for name in dir(importlib.import_module(module)) if not name.startswith("__")}
            assert have <= names, module


def _comparable(found: Gathered) -> dict[str, object]:
    """The facts without those that only one of the readers finds."""
    made = {
        name: (one.arguments, one.decorators, _comparable(one.body)) if one.__class__ is Class else one
        for name, one in found.made.items()
        if one is not None and (one.__class__ is not tuple or one[-1] not in (None, ("#str",)))
    }
    return {
        "made": made,
        "names": frozenset(found.made),
        "stores": frozenset(found.stores),
        "own": frozenset(found.own),
        "mentions": found.mentions,
        "own mentions": found.own_mentions,
        "patched": found.patched,
        "own patched": found.own_patched,
        "fields": found.fields,
    }


def test_facts_are_those_of_the_syntax_tree() -> None:
    rng = random.Random(7)
    for text in stdlib_sources(rng, 12):
        content, tree = parse_file(text, Dialect((3, 11))), read_source(text)
        assert content.facts is not None and tree is not None
        assert _comparable(content.facts.gathered()) == _comparable(tree.facts)


def test_what_the_text_itself_may_catch_is_taken_where_states_are_exact() -> None:
    imports = imports_for("python", "3.11", None, at_once=True)
    for exact in (True, False):
        state = language("python", "3.11").hole("", "", level="names", imports=imports, exact=exact).state
        assert state is not None
        state = state.advance("try:\n    from urllib import urlopen")
        assert (state is not None) is exact
        if state is not None:
            after = state.advance("\nexcept ImportError:\n    pass\n")
            assert after is not None and after.complete


@pytest.mark.parametrize(
    "middle, right, taken",
    [
        ("self.later()\n\n    def later(self):\n        pass\n", "", True),
        ("self.later()\n\n    def late", "r(self):\n        pass\n", True),
        ("print(self.later)\n        self.later = 1\n", "", True),
        ("self.later()\n\n    later = print\n", "", True),
        ("self.later()\n\n    def other(self):\n        pass\n", "", False),
        ("self.later()\n        return self.later == 1\n", "", False),
    ],
)
def test_attributes_that_the_text_brings_in_further_down(middle: str, right: str, taken: bool) -> None:
    imports = imports_for("python", "3.11", None, at_once=True)
    hole = language("python", "3.11").hole(
        "class A:\n    def f(self):\n        ", right, level="names", imports=imports, exact=True
    )
    state = hole.state
    for char in middle:
        state = state.advance(char) if state is not None else None
    assert state is not None and state.complete is taken
    assert (
        (after := hole.state) is not None and (after := after.advance(middle)) is not None and after.complete is taken
    )
    plain = language("python", "3.11").hole(
        "class A:\n    def f(self):\n        ", right, level="names", imports=imports
    )
    assert plain.state is not None and plain.state.advance(middle) is None


@pytest.mark.parametrize("behind", ["def new(self): ...", "async def new(self): ...", "new = 2"])
def test_attributes_that_the_statement_behind_the_cursor_brings_in(behind: str) -> None:
    hole = _hole(f"class A:\n    old = 1\n\n    |{behind}\n")
    assert _takes(hole, "def f(self):\n        return self.new\n\n    ")
    assert not _takes(hole, "def f(self):\n        return self.news\n\n    ")


def test_slots_are_attributes_of_their_class() -> None:
    imports = imports_for("python", "3.11", None, at_once=True)
    left = "class Point:\n    __slots__ = 'x', 'y'\n\nprint(Point."
    state = language("python", "3.11").hole(left, ")\n", level="names", imports=imports).state
    assert state is not None and (after := state.advance("x")) is not None and after.complete


@pytest.mark.parametrize(
    ("marked", "text", "taken"),
    [
        ("x = [3, 1]\ny = |\n", "sorted(x, reverse=True)", True),
        ("x = [3, 1]\ny = |\n", "sorted(x, reversed=True)", False),
        ("x = [3, 1]\ny = |\n", "enumerate(x, start=1)", True),
        ("x = [3, 1]\ny = |\n", "enumerate(x=None)", False),
        ("x = [3, 1]\ny = |\n", "len(x=x)", False),
        ("x = [3, 1]\ny = |\n", "dict(x=x)", True),
        ("x = [3, 1]\ny = |\n", "print(x, **dict(end=''))", True),
        ("def print(*a, color):\n    pass\n|\n", "print(1, color=2)", True),
        ("from click import *\n|\n", "print(1, color=2)", True),
        ("def f(open):\n    return |\n", "open(colour=2)", True),
        ("try:\n    pass\nexcept TypeError:\n    pass\n|\n", "print(1, color=2)", False),
        ("try:\n    |\nexcept TypeError:\n    pass\n", "print(1, color=2)", True),
    ],
)
def test_keyword_arguments_of_built_in_functions(marked: str, text: str, taken: bool) -> None:
    assert _takes(_hole(marked), text) is taken


@pytest.mark.parametrize("version", ["3.11", "3.12"])
@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(
    ("left", "text", "right", "taken"),
    [
        ("", "[A.zzz]", "", False),
        ("", "(A.zzz)", "", False),
        ("", "{A.zzz, 1}", "", False),
        ("", "{1: A.zzz}", "", False),
        ("", "[[A.zzz], 1]", "", False),
        ("", "[A.gone(1)]", "", False),
        ("", "[A().new(nope=1)]", "", False),
        ("", "[A.zzz if x else 1, 2]", "", False),
        ("", "[lambda: A.zzz]", "", False),
        ("", "[A.zzz for y in x]", "", False),
        ("", "f'{A.zzz}'", "", False),
        ("", "[f'{A.zzz}']", "", False),
        ("", "[A.one, A().new(), a.one]", "", True),
        ("", "[a.zzz for a in x]", "", True),
        ("", "[(a.zzz, [a.zzz]) for y in x for a in y]", "", True),
        ("", "{a.zzz: 1 for a in x}", "", True),
        ("", "[a.zzz]", "", False),
        ("[", "A.zzz", "]", False),
        ("[", "A.zzz", ", 1]", False),
        ("[", "a.zzz", " for a in x]", True),
        ("[", "a.zzz", " for b in x]", False),
        ("[", "A.on", "e]", True),
        ("[", "A.on", "f]", False),
        ("[a.zzz ", "for a in x", "]", True),
    ],
)
def test_attributes_in_displays(left: str, text: str, right: str, taken: bool, exact: bool, version: str) -> None:
    before = "x = [3]\nclass A:\n    one = 1\n    def new(self): return A()\na = A()\ny = " + left
    session = language("python", version).session()
    session.imports = imports_for("python", version, None, at_once=True)
    state = session.hole(before + right + "\n", len(before), level="names", exact=exact).state
    for char in text:
        state = state.advance(char) if state is not None else None
    assert (state is not None and state.complete) is taken


def test_attributes_of_an_own_object_in_displays() -> None:
    left = "class A:\n    one = 1\n    def f(self):\n        return "
    for text, taken in (("[self.one]", True), ("[self.zzz]", False), ("{q: self.zzz for q in ()}", False)):
        for exact in (True, False):
            session = language("python", "3.11").session()
            session.imports = imports_for("python", "3.11", None, at_once=True)
            state = session.hole(left + "\n", len(left), level="names", exact=exact).state
            assert state is not None
            after = state.advance(text)
            assert (after is not None and after.complete) is taken, (text, exact)


def test_what_a_generator_in_a_call_binds_is_taken() -> None:
    """Whatever the name is outside; generated text is judged by that."""
    left = "class A:\n    one = 1\na = A()\n"
    session = language("python", "3.11").session()
    session.imports = imports_for("python", "3.11", None, at_once=True)
    state = session.hole(left, len(left), level="names", exact=True).state
    assert state is not None and (after := state.advance("sum(a.zzz for a in [])\n")) is not None and after.complete


_SIGNATURES = """
import builtins, inspect, json
found = {}
for name, value in vars(builtins).items():
    refuses = False
    try:
        value(**{"no_such": 1})
    except TypeError as error:
        refuses = True
    except BaseException:
        pass
    try:
        found_here = inspect.signature(value).parameters.values()
        kinds = [(one.name, one.kind.name, one.default is not one.empty) for one in found_here]
    except (TypeError, ValueError):
        kinds = None
    if callable(value) and name not in ("exit", "quit", "help", "license", "credits", "copyright"):
        found[name] = [refuses, kinds]
print(json.dumps(found))
"""


@pytest.mark.parametrize("version", ["3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14", "3.15"])
def test_arguments_of_built_in_functions_are_those_of_python(version: str) -> None:
    executable = interpreter(version)
    if executable is None:
        pytest.skip(f"no Python {version} here")
    run = subprocess.run([executable, "-I", "-c", _SIGNATURES], capture_output=True, text=True, check=True)
    for name, (refuses, kinds) in json.loads(run.stdout).items():
        function = builtin_functions().get(name)
        assert function is None or refuses, name
        if function is None or kinds is None:
            continue
        assert all(kind != "VAR_KEYWORD" for _, kind, _ in kinds), name
        known = {one.name for one in function.signature if one.kind in ("", "=")}
        assert {one for one, kind, _ in kinds if kind in ("KEYWORD_ONLY", "POSITIONAL_OR_KEYWORD")} <= known, name
        required = sum(not one.default for one in function.signature if one.kind in ("", "/"))
        assert required <= sum(not default for _, kind, default in kinds if kind.startswith("POSITIONAL")), name
        if all(one.kind != "*" for one in function.signature):
            assert all(kind != "VAR_POSITIONAL" for _, kind, _ in kinds), name
            most = sum(one.kind in ("", "/") for one in function.signature)
            assert most >= sum(kind.startswith("POSITIONAL") for _, kind, _ in kinds), name
