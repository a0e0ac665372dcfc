"""Runs programs whose objects get attributes in every way Python has: no attribute that exists afterwards may be refused.

    python -m tests.fuzz.attributes [--count 5000] [--seed 1] [--program CHECKER]

A program is a way to give an attribute, below some classes, behind some decorator, read through some expression. It prints each refused true
name, and the number of places that refuse a nonexistent name.
"""

from __future__ import annotations

import argparse
import keyword
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from suture.common.reach import Reach
from suture.lsp_server.types.monitor import Monitor
from suture.parser import imports_for, language

NONSENSE = "frobnicated_widget"
_IMPORTS = """\
import abc, collections, dataclasses, enum, functools, types, typing
from collections import namedtuple
from dataclasses import dataclass, field, make_dataclass
from enum import Enum, Flag, IntEnum, IntFlag, StrEnum, auto
from typing import Any, ClassVar, Generic, NamedTuple, Optional, Protocol, Self, TypedDict, TypeVar, Union
"""

# A way: the class `Base` with an attribute NAME (and OTHER), in a runnable program; {0} and {1} are these names.
_CLASSES = {
    "init": "class Base:\n    def __init__(self):\n        self.{0} = 1\n        self.{1}: int = 2\n",
    "body": "class Base:\n    {0} = 1\n    {1}: int = 2\n",
    "method": "class Base:\n    def {0}(self):\n        return 1\n\n    @property\n    def {1}(self) -> int:\n        return 2\n",
    "kinds": "class Base:\n    @staticmethod\n    def {0}():\n        return 1\n\n    @classmethod\n    def {1}(cls):\n        return 2\n",
    "cached": "class Base:\n    @functools.cached_property\n    def {0}(self):\n        return 1\n\n    {1} = functools.partialmethod(print, 1)\n",
    "other method": "class Base:\n    def __init__(self):\n        self.open()\n\n    def open(self):\n        self.{0}, (self.{1}, *_) = 1, (2, 3)\n",
    "loop target": "class Base:\n    def __init__(self):\n        for self.{0} in (1, 2):\n            self.{1} = 3\n",
    "with target": "class Base:\n    def __init__(self):\n        with open(__file__) as self.{0}:\n            self.{1} = 3\n",
    "slots": "class Base:\n    __slots__ = ('{0}', '{1}')\n\n    def __init__(self):\n        self.{0} = self.{1} = 1\n",
    "setattr": "class Base:\n    def __init__(self):\n        setattr(self, '{0}', 1)\n        object.__setattr__(self, '{1}', 2)\n",
    "setattr of words": "class Base:\n    def __init__(self):\n        for word in '{0} {1}'.split():\n            setattr(self, word, 1)\n",
    "setattr computed": "class Base:\n    def __init__(self):\n        for word in ('{0}'[:1], '{1}'[:1]):\n            setattr(self, {{'{0}'[0]: '{0}'[0] + '{0}'[1:], '{1}'[0]: '{1}'[0] + '{1}'[1:]}}[word], 1)\n",
    "dict": "class Base:\n    def __init__(self):\n        self.__dict__['{0}'] = 1\n        vars(self)['{1}'] = 2\n",
    "dict update": "class Base:\n    def __init__(self):\n        self.__dict__.update({0}=1)\n        self.__dict__.update({{'{1}': 2}})\n",
    "dict of arguments": "class Base:\n    def __init__(self, **given):\n        self.__dict__.update(given)\n\n    @classmethod\n    def make(cls):\n        return cls(**dict({0}=1, {1}=2))\n",
    "dict of locals": "class Base:\n    def __init__(self, {0}=1, {1}=2):\n        self.__dict__.update(locals())\n",
    "dict replaced": "class Base:\n    def __init__(self):\n        self.__dict__ = {{'{0}': 1, '{1}': 2}}\n",
    "getattr": "class Base:\n    def __getattr__(self, name):\n        if name in ('{0}', '{1}'):\n            return 1\n        raise AttributeError(name)\n",
    "getattribute": "class Base:\n    def __getattribute__(self, name):\n        return 1 if name in ('{0}', '{1}') else object.__getattribute__(self, name)\n",
    "descriptor": "class Field:\n    def __set_name__(self, owner, name):\n        owner.{1} = name\n\n    def __get__(self, one, owner=None):\n        return 1\n\n\nclass Base:\n    {0} = Field()\n",
    "init_subclass": "class Root:\n    def __init_subclass__(cls):\n        cls.{0} = 1\n        setattr(cls, '{1}', 2)\n\n\nclass Base(Root):\n    pass\n",
    "metaclass": "class Meta(type):\n    def __new__(mcs, name, bases, space):\n        space['{0}'] = 1\n        made = super().__new__(mcs, name, bases, space)\n        made.{1} = 2\n        return made\n\n\nclass Base(metaclass=Meta):\n    pass\n",
    "metaclass prepare": "class Meta(type):\n    @classmethod\n    def __prepare__(mcs, name, bases):\n        return {{'{0}': 1, '{1}': 2}}\n\n\nclass Base(metaclass=Meta):\n    pass\n",
    "class decorator": "def mark(cls):\n    cls.{0} = 1\n    cls.{1} = lambda self: 2\n    return cls\n\n\n@mark\nclass Base:\n    pass\n",
    "class decorator with arguments": "def mark(**more):\n    def give(cls):\n        for key, value in more.items():\n            setattr(cls, key, value)\n        return cls\n    return give\n\n\n@mark({0}=1, {1}=2)\nclass Base:\n    pass\n",
    "function of the file": "class Base:\n    pass\n\n\ndef give(thing):\n    thing.{0} = 1\n    thing.{1} = 2\n\n\ngive(Base)\n",
    "from outside": "class Base:\n    pass\n\n\nBase.{0} = 1\nBase.{1} = property(lambda self: 2)\n",
    "patched": "class Base:\n    pass\n\n\nfor key, value in (('{0}', 1), ('{1}', 2)):\n    setattr(Base, key, value)\n",
    "type": "Base = type('Base', (), {{'{0}': 1, '{1}': 2}})\n",
    "type of a dict": "space = dict({0}=1)\nspace['{1}'] = 2\nBase = type('Base', (object,), space)\n",
    "new_class": "Base = types.new_class('Base', (), {{}}, lambda space: space.update({0}=1, {1}=2))\n",
    "exec": "class Base:\n    exec('{0} = 1; {1} = 2')\n",
    "locals": "class Base:\n    locals()['{0}'] = 1\n    for word in ['{1}']:\n        locals()[word] = 2\n",
    "new": "class Base:\n    def __new__(cls):\n        made = super().__new__(cls)\n        made.{0} = 1\n        made.__dict__ |= {{'{1}': 2}}\n        return made\n",
    "nested": "class Base:\n    class {0}:\n        pass\n\n    import abc as {1}\n",
    "condition": "class Base:\n    if typing:\n        {0} = 1\n    else:\n        missing = 2\n    try:\n        {1} = 1\n    except NameError:\n        pass\n",
    "dataclass": "@dataclass\nclass Base:\n    {0}: int = 1\n    {1}: list[int] = field(default_factory=list)\n",
    "dataclass post": "@dataclass\nclass Base:\n    {0}: int = 1\n\n    def __post_init__(self):\n        self.{1} = self.{0}\n",
    "make_dataclass": "Base = make_dataclass('Base', [('{0}', int, 1), ('{1}', int, 2)])\n",
    "replaced by a wrapper": "def wrap(cls):\n    class Wrapped(cls):\n        {0} = 1\n\n        def {1}(self):\n            return 2\n    return Wrapped\n\n\n@wrap\nclass Base:\n    pass\n",
    "generic": "T = TypeVar('T')\n\n\nclass Base(Generic[T]):\n    def __init__(self):\n        self.{0} = 1\n\n    def {1}(self) -> T: ...\n",
    "protocol": "class Shape(Protocol):\n    {0}: int\n\n\nclass Base(Shape):\n    {0} = 1\n\n    def {1}(self):\n        return 2\n",
    "abstract": "class Root(abc.ABC):\n    @property\n    @abc.abstractmethod\n    def {0}(self): ...\n\n\nclass Base(Root):\n    {0} = 1\n    {1} = 2\n",
    "list": "class Base(list):\n    def __init__(self):\n        super().__init__()\n        self.{0} = 1\n        self.__setattr__('{1}', 2)\n",
    "user dict": "class Base(collections.UserDict):\n    {0} = 1\n\n    def {1}(self):\n        return self.data\n",
}
_OBJECTS = {  # whole objects, never base classes
    "enum": "class Base(Enum):\n    {0} = 1\n    {1} = 2\n\n\nthing = Base\n",
    "enum member": "class Base(Enum):\n    {0} = 1\n\n    @property\n    def {1}(self):\n        return 2\n\n\nthing = Base.{0}\n",
    "enum with values": "class Base(Enum):\n    A = (1, 2)\n\n    def __init__(self, first, second):\n        self.{0} = first\n        self.{1} = second\n\n\nthing = Base.A\n",
    "enum with new": "class Base(Enum):\n    A = 'a', 1\n\n    def __new__(cls, label, size):\n        made = object.__new__(cls)\n        made._value_ = label\n        made.{0} = size\n        made.{1} = size\n        return made\n\n\nthing = Base.A\n",
    "enum of words": "thing = Enum('Base', '{0} {1}')\n",
    "enum of a list": "thing = IntEnum('Base', ['{0}', '{1}'])\n",
    "enum of a dict": "thing = StrEnum('Base', {{'{0}': 'a', '{1}': 'b'}})\n",
    "enum of tuples": "thing = Flag('Base', [('{0}', 1), ('{1}', 2)])\n",
    "enum of names": "NAMES = ['{0}', '{1}']\nthing = Enum('Base', NAMES)\n",
    "enum of commas": "thing = enum.Enum(value='Base', names='{0}, {1}')\n",
    "flag": "class Base(Flag):\n    {0} = auto()\n    {1} = auto()\n\n\nthing = Base.{0} | Base.{1}\n",
    "int flag": "class Base(IntFlag):\n    {0} = auto()\n    {1} = auto()\n\n\nthing = Base\n",
    "namedtuple": "Base = namedtuple('Base', '{0} {1}')\nthing = Base(1, 2)\n",
    "namedtuple of a list": "Base = namedtuple('Base', ['{0}', '{1}'], defaults=(1, 2))\nthing = Base()\n",
    "namedtuple of names": "FIELDS = '{0}', '{1}'\nBase = collections.namedtuple('Base', FIELDS)\nthing = Base(1, 2)\n",
    "namedtuple below": "class Base(namedtuple('Base', '{0} {1}')):\n    def total(self):\n        return 1\n\n\nthing = Base(1, 2)\n",
    "namedtuple below below": "Point = namedtuple('Point', '{0} {1}')\n\n\nclass Base(Point):\n    pass\n\n\nclass More(Base):\n    pass\n\n\nthing = More(1, 2)\n",
    "typed namedtuple": "class Base(NamedTuple):\n    {0}: int\n    {1}: str = ''\n\n\nthing = Base(1)\n",
    "namedtuple call": "Base = NamedTuple('Base', [('{0}', int), ('{1}', int)])\nthing = Base(1, 2)\n",
    "namespace": "thing = types.SimpleNamespace({0}=1, {1}=2)\n",
    "function": "def thing():\n    thing.{0} = 1\n\n\nthing.{1} = 2\nthing()\n",
    "wrapped function": "def count(function):\n    @functools.wraps(function)\n    def inner():\n        return function()\n    inner.{0} = 1\n    inner.{1} = 2\n    return inner\n\n\n@count\ndef thing():\n    pass\n",
    "cached function": "@functools.lru_cache\ndef thing():\n    pass\n\n\nthing.{0} = thing.{1} = 1\n",
    "partial": "thing = functools.partial(print)\nthing.{0} = 1\nthing.__dict__['{1}'] = 2\n",
    "module": "thing = types.ModuleType('thing')\nthing.{0} = 1\nvars(thing).update({1}=2)\n",
    "self module": "import sys\n\n{0} = 1\nglobals()['{1}'] = 2\nthing = sys.modules[__name__]\n",
    "float": "def thing_of(number: float) -> float:\n    return number\n\n\n{0} = {1} = 1\nthing = thing_of(1.5)\n",
    "complex": "def thing_of(number: complex) -> complex:\n    return number\n\n\n{0} = {1} = 1\nthing = thing_of(1j)\n",
    "whole float": "def thing_of(number: float) -> float:\n    return number\n\n\n{0} = {1} = 1\nthing = thing_of(3)\n",
    "exception": "class Base(Exception):\n    def __init__(self, {0}):\n        super().__init__({0})\n        self.{0} = {0}\n\n\nthing = Base(1)\nthing.{1} = 2\n",
    "typed dict": "Base = TypedDict('Base', {{'{0}': int, '{1}': int}}, total=False)\nthing = Base({0}=1, {1}=2)\n",
    "typed dict class": "class Base(TypedDict, total=False):\n    {0}: int\n    {1}: int\n\n\nthing: Base = {{'{0}': 1}}\n",
}
_CALLS = {  # callables with the arguments {0} and {1}
    "function": "def thing({0}=1, *, {1}=2): ...\n",
    "any": "def thing(**rest): ...\n",
    "handed on": "def inner({0}=1, {1}=2): ...\n\n\ndef thing(*all, **rest):\n    return inner(*all, **rest)\n",
    "wrapped": "def wrap(function):\n    @functools.wraps(function)\n    def inner({1}=1, **rest):\n        return function(**rest)\n    return inner\n\n\n@wrap\ndef thing({0}=1): ...\n",
    "replaced": "def wrap(function):\n    return lambda {0}=1, {1}=2: None\n\n\n@wrap\ndef thing(): ...\n",
    "partial": "def inner({0}=1, {1}=2): ...\n\n\nthing = functools.partial(inner, {0}=1)\n",
    "class": "class thing:\n    def __init__(self, {0}=1, {1}=2): ...\n",
    "new": "class thing:\n    def __new__(cls, {0}=1, **rest):\n        return super().__new__(cls)\n",
    "metaclass": "class Meta(type):\n    def __call__(cls, {0}=1, {1}=2): ...\n\n\nclass thing(metaclass=Meta): ...\n",
    "callable": "class Base:\n    def __call__(self, {0}=1, {1}=2): ...\n\n\nthing = Base()\n",
    "dataclass": "@dataclass\nclass Root:\n    {0}: int = 1\n\n\n@dataclass(kw_only=True)\nclass thing(Root):\n    {1}: int = 1\n",
    "dataclass of a decorator": "def data(cls):\n    return dataclass(cls)\n\n\n@data\nclass thing:\n    {0}: int = 1\n    {1}: int = 1\n",
    "make_dataclass": "thing = make_dataclass('thing', [('{0}', int, 1), ('{1}', int, 2)])\n",
    "namedtuple": "thing = namedtuple('thing', '{0} {1}', defaults=(1, 2))\n",
    "namedtuple below": "class thing(namedtuple('Base', ['{0}', '{1}'], defaults=(1, 2))): ...\n",
    "typed namedtuple": "class thing(NamedTuple):\n    {0}: int = 1\n    {1}: int = 2\n",
    "typed dict": "thing = TypedDict('thing', {{'{0}': int, '{1}': int}}, total=False)\n",
    "typed dict class": "class thing(TypedDict, total=False):\n    {0}: int\n    {1}: int\n",
    "type": "def start(self, {0}=1, {1}=2): ...\n\n\nthing = type('thing', (), {{'__init__': start}})\n",
    "given init": "class thing: ...\n\n\ndef start(self, {0}=1, {1}=2): ...\n\n\nthing.__init__ = start\n",
    "class decorator": "def give(cls):\n    def start(self, {0}=1, {1}=2): ...\n    setattr(cls, '__init__', start)\n    return cls\n\n\n@give\nclass thing: ...\n",
    "namespace": "thing = types.SimpleNamespace\n",
    "dict": "thing = dict\n",
    "replace": "def thing(**rest):\n    return dataclasses.replace(Base(), **rest)\n\n\n@dataclass\nclass Base:\n    {0}: int = 1\n    {1}: int = 1\n",
}
_RELATIONS = {
    "alone": "Made = Base\n",
    "below": "class Made(Base):\n    pass\n",
    "below below": "class Middle(Base):\n    extra = 1\n\n\nclass Made(Middle):\n    def more(self) -> None: ...\n",
    "mixed": "class Beside:\n    beside = 1\n\n\nclass Made(Beside, Base):\n    pass\n",
    "mixed before": "class Before:\n    def before(self): ...\n\n\nclass Made(Base, Before):\n    pass\n",
}
_DECORATORS = {
    "none": "",
    "same": "def same(cls):\n    return cls\n\n\nMade = same(Made)\n",
    "typed": "K = TypeVar('K')\n\n\ndef same(cls: type[K]) -> type[K]:\n    return cls\n\n\nMade = same(Made)\n",
}
# An expression with the attribute at ¦, in a program that calls its own definitions.
_READS = {
    "instance": "thing = {make}\nprint(thing.¦)\n",
    "call": "print({make}.¦)\n",
    "annotated": "def use(thing: Made) -> object:\n    return thing.¦\n",
    "optional": "def use(thing: Optional[Made]) -> object:\n    return thing.¦\n",
    "or none": "def use(thing: 'Made | None' = None) -> object:\n    return thing.¦\n",
    "union": "class Another:\n    another = 1\n\n\ndef use(thing: Union[Made, Another]) -> object:\n    return thing.¦\n",
    "any": "def use(thing: Any) -> object:\n    return thing.¦\n",
    "plain": "def use(thing):\n    return thing.¦\n",
    "base annotated": "def use(thing: Base) -> object:\n    return thing.¦\n",
    "method": "class Last(Made):\n    def use(self):\n        return self.¦\n",
    "class method": "class Last(Made):\n    @classmethod\n    def use(cls):\n        return [cls().¦]\n",
    "self type": "class Last(Made):\n    def again(self) -> Self:\n        return self\n\n\ndef use(last: Last):\n    return last.again().¦\n",
    "super": "class Last(Made):\n    def use(self):\n        return super().¦\n",
    "element": "def use(things: list[Made]):\n    return [thing.¦ for thing in things]\n",
    "narrowed": "def use(thing: object):\n    if isinstance(thing, Made):\n        print(thing.¦)\n",
    "walrus": "if (thing := {make}):\n    print(f'{{thing.¦}}')\n",
    "closure": "def use(thing: Made):\n    return lambda: (1, thing.¦)\n",
    "argument": "def use(thing: Made):\n    print(1, key(thing.¦), 2)\n",
    "argument begun": "def use(thing: Made):\n    print(1, thing.¦\n",
}
_SUPER = "class Lowest(Made):\n    def above(self):\n        return super()\n\n\nthing = Lowest().above()\n"
_NAMES = [
    "alpha",
    "bravo",
    "Cargo",
    "delta_x",
    "echo2",
    "FOXTROT",
    "golf",
    "hotel",
    "india_",
    "juliet",
    "kilo",
    "lima",
    "mike_n",
    "Nova",
    "oscar",
    "papa",
]


@dataclass(frozen=True)
class Program:
    """A program with a place, the names it gives the object there, and the kinds of its parts."""

    kind: str
    text: str
    offset: int
    given: tuple[str, str]
    run: str
    """the same, with the object left in `thing`"""

    @property
    def is_call(self) -> bool:
        """Whether it is called there, so that the names are arguments."""
        return self.kind.startswith("call, ")


def program(rng: random.Random) -> Program:
    """A program at random."""
    first, second = rng.sample(_NAMES, 2)
    if rng.random() < 0.15:
        way = rng.choice([*_CALLS])
        before = _CALLS[way].format(first, second)
        return _placed(
            f"call, {way}",
            before,
            rng.choice(["thing(¦)\n", "print(1, thing(¦))\n", f"x = thing({second}=2, ¦)\n"]),
            (first, second),
            before,
        )
    if rng.random() < 0.3:
        way = rng.choice([*_OBJECTS])
        before, read = (
            _OBJECTS[way].format(first, second),
            rng.choice(["print(thing.¦)\n", "print([1, thing.¦], 2)\n", "x = thing.¦\n"]),
        )
        return _placed(way, before, read, (first, second), before)
    way, relation, decorator, how = (rng.choice([*some]) for some in (_CLASSES, _RELATIONS, _DECORATORS, _READS))
    before = "\n\n".join((_CLASSES[way].format(first, second), _RELATIONS[relation], _DECORATORS[decorator]))
    make = "Made.make()" if way == "dict of arguments" else "Made()"
    read = _READS[how].replace("{make}", make).replace("{{", "{").replace("}}", "}")
    made = _SUPER if how == "super" else f"thing = {make}\n"
    return _placed(f"{way}, {relation}, {decorator}, {how}", before, f"\n\n{read}", (first, second), before + made)


def _placed(kind: str, before: str, read: str, given: tuple[str, str], run: str) -> Program:
    left, _, right = f"{_IMPORTS}\n\n{before}{read}".partition("¦")
    return Program(kind, left + right, len(left), given, f"{_IMPORTS}\n\n{run}")


def truths(one: Program, rng: random.Random) -> tuple[str, ...]:
    """The attributes that exist after a program's run: those it gives, and some others."""
    module = ModuleType("generated")
    module.__file__ = __file__
    sys.modules["generated"] = module
    try:
        exec(compile(one.run, "<generated>", "exec"), module.__dict__)
    finally:
        del sys.modules["generated"]
    thing: Any = module.__dict__["thing"]
    if one.is_call:
        given = one.given if f"({one.given[1]}=2, " not in one.text else one.given[:1]
        return tuple(name for name in given if _takes(thing, name))
    plain = sorted(
        name for name in _dir(thing) if name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("_")
    )
    names = (*one.given, *rng.sample(plain, min(3, len(plain))))
    return tuple(dict.fromkeys(name for name in names if _has(thing, name)))


def _dir(thing: Any) -> list[str]:
    return [*object.__dir__(thing)] if not isinstance(thing, type) else dir(thing)


def _has(thing: Any, name: str) -> bool:
    try:
        getattr(thing, name)
    except Exception:
        return False
    return True


def _takes(thing: Any, name: str) -> bool:
    try:
        thing(**{name: 1})
    except TypeError:
        return False
    return True


class Asker:
    """Asks the engine about programs in a folder."""

    def __init__(self, root: Path, checker: str | None = None) -> None:
        self.root, self.checker, self.monitor = root, checker, Monitor()

    def refused(self, one: Program, names: tuple[str, ...]) -> dict[str, bool]:
        """name -> whether the program's place refuses it."""
        path, reach = self.root / "program.py", Reach(str(self.root), True)
        session = language("python").session(str(path), str(self.root))
        session.level = "names"
        session.imports = imports_for("python", None, str(path), at_once=True, reach=reach)
        question = self.monitor.question(
            "python", str(path), session, one.text, one.offset, reach=reach, program=self.checker
        )
        if question is not None:
            question.done.wait(60)
        session.allowed = question
        state = session.hole(one.text, one.offset).state
        assert state is not None, one.text
        is_begun = one.kind.endswith("begun")

        def is_refused(name: str) -> bool:
            after = state.advance(f"{name}=1" if one.is_call else name)
            return after is None or (after.advance(" ") is None if is_begun else not after.complete)

        return {name: is_refused(name) for name in names}


def cases(count: int, seed: int) -> Iterator[tuple[Program, tuple[str, ...]]]:
    """Programs with at least `count` truths in all."""
    rng = random.Random(seed)
    while count > 0:
        one = program(rng)
        names = truths(one, rng)
        count -= len(names)
        yield one, names


def main(arguments: list[str]) -> int:
    """Print the refused truths, and a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program")
    options = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        asker = Asker(Path(folder), options.program)
        for one, names in cases(options.count, options.seed):
            refused = asker.refused(one, (*names, NONSENSE))
            counts["places"] += 1
            counts["nonsense"] += refused.pop(NONSENSE)
            counts["truths"] += len(refused)
            for name in (name for name in refused if refused[name]):
                counts["refused"] += 1
                print(f"refused: {name} ({one.kind})", flush=True)
        asker.monitor.stop()
    print(
        f"{counts['truths']} truths at {counts['places']} places: {counts['refused']} refused; nonsense at {counts['nonsense']}"
    )
    return min(1, counts["refused"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
