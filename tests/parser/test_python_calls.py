"""Calls with fitting arguments: by hand, and against `inspect.signature(...).bind`."""

import importlib
import inspect
import random
from collections.abc import Iterator, Sequence
from itertools import chain, combinations
from typing import Any

import pytest
from suture.parser import Hole, HoleState, imports_for, language

_IMPORTS = imports_for("python", "3.11", None, at_once=True)
_NAMES = "abcde"


def _hole(left: str, right: str, *, exact: bool = False) -> Hole:
    return language("python", "3.11").hole(left, right, level="names", imports=_IMPORTS, exact=exact)


def _written(hole: Hole, text: str, size: int = 1) -> HoleState | None:
    """The state after a text, written in pieces."""
    state = hole.state
    for at in range(0, len(text), size):
        state = state.advance(text[at : at + size]) if state is not None else None
    return state


def _takes(left: str, text: str, right: str = "\n", *, exact: bool = False, sizes: Sequence[int] = (1, 3, 999)) -> bool:
    found = {
        (after := _written(_hole(left, right, exact=exact), text, size)) is not None and after.complete
        for size in sizes
    }
    assert len(found) == 1, (left[-80:], text, right)
    return found.pop()


_SHOP = """import json
from dataclasses import dataclass, field

@dataclass
class Ticket:
    number: int
    title: str
    tags: list = field(default_factory=list)
    def age(self, now): return 1

class Queue:
    def __init__(self, path, *, limit=3): self.tickets = {}
    def close(self, number): pass
    @staticmethod
    def split(text, /): pass
    @classmethod
    def of(cls, path, limit=1): pass
    def own(self):
        return OWN

class Fast(Queue):
    def close(self, number):
        return SUPER

def every(a, b=1, *more, c, **named): pass
def bare(): pass
q = Queue("")
x = PLACE
"""


@pytest.mark.parametrize(
    ("place", "good", "bad"),
    [
        ("PLACE", "Ticket(1, '') Ticket(1,title='') Ticket(*[1]) Ticket(**{}) Ticket(1,'',[]) Ticket(*[1],title='')",
         "Ticket(1) Ticket(title='') Ticket(1,'',[],2) Ticket(1,number=2,title='') Ticket(1,2,3,4,*[1])"),
        ("PLACE", "Queue('') Queue(path='',limit=2) Fast('') Queue.of('') q.of('',2) Queue.close(q,1) Queue.split('')",
         "Queue() Fast() Queue('',2) Queue(1,path='') Queue.of() q.of(1,2,3) Queue.close(1) Queue.split() q.split(text='')"),
        ("PLACE", "every(1,c=1) every(1,2,3,4,c=1,z=2) every(c=1,a=2) every(*[1],c=1) bare() len([]) sum([],1) print()",
         "every(1) every(c=1) every(1,a=1,c=1) every(*[1]) bare(1) len() len([],1) bare(y for y in [])"),
        ("PLACE", "json.dumps(1) json.dumps(obj=1) [Ticket(1,'').age(2) for y in []] (lambda: Ticket(1,''))",
         "json.dumps() [Ticket(1,'').age() for y in []] (lambda: Ticket(1)) f'{Ticket(1)}' Ticket(1,'').age()"),
        ("OWN", "self.close(1) self.split('') self.of(1) Queue(1) type(self)()", "self.split() self.of()"),
        ("SUPER", "super().close(1) super().__init__('')", "super().close() super().__init__()"),
    ],
)  # fmt: skip
def test_calls_at_a_place(place: str, good: str, bad: str) -> None:
    left, right = _SHOP.split(place)
    left, right = (part.replace("OWN", "1").replace("SUPER", "1").replace("PLACE", "1") for part in (left, right))
    good, bad = (
        texts.replace(", '')", ",'')").replace("lambda: ", "lambda:").replace(" for y in ", "~for~y~in~")
        for texts in (good, bad)
    )
    for texts, taken in ((good, True), (bad, False)):
        for text in texts.split(" "):
            text = text.replace("~", " ")
            assert _takes(left, text, right) is taken, text
            assert _takes(left, text, right, exact=True) is taken, text


@pytest.mark.parametrize(
    ("left", "text", "right", "taken"),
    [
        ("Ticket(", "1", ")\n", False),
        ("Ticket(", "1, ''", ")\n", True),
        ("Ticket(", "1", ", '')\n", True),
        ("Ticket(", "1, 2, 3", ", '')\n", False),
        ("Ticket(1, ", "''", ")\n", True),
        ("Ticket(1, ", "number=''", ")\n", False),
        ("", "Ticket", "(1)\n", False),
        ("", "Ticket", "(1, '')\n", True),
        ("q.cl", "ose", "()\n", False),
        ("Ticket(len(", "q", "))\n", True),  # missing arguments around it are not the text's fault
        ("Ticket(len(", "q), ''", ")\n", True),
        ("Ticket(", "0", ", 1, 2, 3, 4)\n", True),  # it was wrong before
        ("Ticket(\n    1,\n    ", "''", ")\n", True),
        ("Ticket(\n    ", "1,", "\n)\n", True),  # the next line has more
        ("Ticket(\n    ", "1", "\n)\n", False),
        ("Ticket(\n    ", "1,\n    '',", "\n)\n", True),
    ],
)
def test_a_call_may_end_behind_the_place(left: str, text: str, right: str, taken: bool) -> None:
    before = _SHOP.partition("x = PLACE")[0].replace("OWN", "1").replace("SUPER", "1")
    assert _takes(f"{before}x = {left}", text, right) is taken


_OPEN = """
def f(a): pass
class A:
    def __init__(self, a): pass
    def m(self, a): pass
a = A(1)
"""


@pytest.mark.parametrize(
    ("before", "call"),
    [
        ("@wrapped\ndef g(a): pass\n", "g()"),
        ("if f:\n    def g(a): pass\nelse:\n    def g(): pass\n", "g()"),
        ("from unknown import f\n", "f()"),
        ("import functools\n@functools.singledispatch\ndef g(a): pass\n", "g()"),
        ("def staticmethod(a): pass\nclass B:\n    @staticmethod\n    def m(a): pass\n", "B.m()"),
        ("class B(A):\n    def __new__(cls, *a): return 1\n", "B()"),
        ("class B(Unknown):\n    def m(self): pass\n", "B()"),
        ("class M(type): pass\nclass B(A, metaclass=M): pass\n", "B()"),
        ("@wrapped\nclass B(A): pass\n", "B()"),
        ("class B(A):\n    def m(self): pass\n", "a.m()"),  # the object may be one of these
        ("class B(A):\n    def __init_subclass__(cls): pass\nclass C(B): pass\n", "C()"),
        ("A.__init__ = print\n", "A()"),
        ("a.m = print\n", "a.m()"),
        ("setattr(A, '__init__', print)\n", "A()"),
        ("g = wrapped(f)\n", "g()"),
        ("import abc\nclass B(abc.ABC):\n    @abc.abstractmethod\n    def m(self, a): pass\ndef g(b: B):\n    b.m(1, 2)\n", "1"),
        ("class B(A):\n    @classmethod\n    def new(cls):\n        return cls()\n", "1"),
        ("from enum import Enum\nclass B(Enum):\n    one = 1\n    def __init__(self, a, b): pass\n", "B(1)"),
        ("class B(dict): pass\n", "B(1)"),
        ("class B(A):\n    def m(): pass\n", "B(1).m(1)"),
        ("from dataclasses import dataclass\n@dataclass(init=False)\nclass B:\n    a: int\n", "B()"),
        ("from dataclasses import dataclass\n@dataclass\nclass B:\n    if f:\n        a: int\n", "B()"),
        ("from dataclasses import dataclass\n@dataclass\nclass B:\n    a: int = wrapped()\n", "B()"),
        ("from dataclasses import dataclass\n@dataclass\nclass B(Unknown):\n    a: int\n", "B()"),
        ("class B:\n    m = f\n", "B().m()"),
        ("class B:\n    def g(self, a): pass\n    m = g\n", "B().m(1)"),
        ("try:\n    f()\nexcept (TypeError, ValueError):\n    pass\n", "1"),
        ("try:\n    f(1)\nexcept TypeError:\n    f()\n", "1"),
        ("with raises(TypeError):\n    f()\n", "1"),
        ("raises(TypeError, lambda: f())\n", "1"),
        ("class P:\n    def m(self, a): pass\nclass Q(P):\n    def m(self): pass\nclass R:\n    def m(self, a): pass\nclass S(Q, R): pass\n", "S().m()"),
    ],
)  # fmt: skip
def test_what_is_not_certain_refuses_no_call(before: str, call: str) -> None:
    text = f"wrapped = Unknown = raises = print\n{_OPEN}{before}x = {call}\n"
    compile(text, "", "exec")
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):  # each line that has a call, the one in question among them
        if "(" in line:
            begin = len("".join(lines[:number]))
            indent = len(line) - len(line.lstrip())
            left, right = text[: begin + indent], text[begin + len(line) :]
            assert _takes(left, line.strip(), "\n" + right), line


def test_a_text_may_define_anew_what_it_calls() -> None:
    left = "def f(a): pass\n"
    assert _takes(left, "f()\ndef f(): pass\n", exact=True) and not _takes(left, "f()\ndef g(): pass\n", exact=True)


def test_a_bridge_has_what_a_call_lacks() -> None:
    before = _SHOP.partition("x = PLACE")[0].replace("OWN", "1").replace("SUPER", "1")
    for left, right in (
        ("x = Ticket(", ")\n"),
        ("x = Ticket(", "\n"),
        ("x = q.close(", ", 1, 2\n"),
        ("x = [len(", "\ny = 1\n"),
    ):
        state = _hole(before + left, right).state
        assert state is not None
        found = state.bridges()
        assert found and all((after := state.advance(text)) is not None and after.complete for text in found), left
    state = _hole(before + "x = Ticket(", ")\n").state
    after = state.advance("1") if state is not None else None
    assert after is not None and not after.complete
    assert after.bridges() and all(
        (one := after.advance(text)) is not None and one.complete for text in after.bridges()
    )


def test_one_argument_too_many_is_not_even_begun() -> None:
    for text in ("1", "'a", "q", "[", "- ", "not "):
        state = _hole(_SHOP.partition("class Fast")[0].replace("OWN", "1") + "q = 1\nx = Queue(", ")\n").state
        assert state is not None and (state := state.advance("q, ")) is not None and state.advance(text) is None, text
    state = _hole("def f(key): pass\nkind = 1\nf(1, ", ")\n").state
    assert state is not None and state.advance("k") is not None and state.advance("ki") is None


def test_what_a_decorator_stands_before_is_not_what_comes_behind_the_place() -> None:
    left = "class A:\n    def first(self): pass\n    @staticmethod\n    def none(): pass\n    def f(self):\n        "
    right = "\n    def later(self, a): pass\n"
    assert _takes(left, "self.later(1)", right) and not _takes(left, "self.later()", right)
    left = "class A:\n    x = 1\n    @staticmethod\n    def f(a):\n        "
    assert _takes(left, "A.later(1, 2)", right) and not _takes(left, "A.later()", right)
    assert _takes(left, "A.f(1)", right) and not _takes(left, "A.f()", right)


# -- against `bind`


def _parameters(rng: random.Random, first: str = "") -> str:
    """Those of a function, in a random order of kinds."""
    found, names = [first] if first else [], iter(_NAMES)
    has_default = False
    if rng.random() < 0.2:
        found += [next(names), "/"]
    for _ in range(rng.randrange(3)):
        has_default = has_default or rng.random() < 0.4
        found.append(next(names) + "=0" * has_default)
    if rng.random() < 0.4:
        found.append("*more" if rng.random() < 0.4 else "*")
        found.append(next(names) + "=0" * (rng.random() < 0.5))
    if rng.random() < 0.15:
        found.append("**named")
    return ", ".join(found)


def _fields(rng: random.Random, names: Sequence[str]) -> Iterator[str]:
    for name in names:
        has_default = rng.random() < 0.3
        value = rng.choice(["0", "field(default=0)", "field(default_factory=list)", "field(default=0, init=False)"])
        by_keyword = rng.choice(["", "", "field(kw_only=True)"])
        yield f"    {name}: int" + (f" = {value}" if has_default else f" = {by_keyword}" if by_keyword else "")


def _source(rng: random.Random) -> tuple[str, list[str]]:
    """A module, and the callables in it."""
    lines = ["from dataclasses import KW_ONLY, InitVar, dataclass, field", "from typing import ClassVar, NamedTuple"]
    called: list[str] = []
    for number in range(3):
        lines.append(f"def f{number}({_parameters(rng)}): pass")
        called.append(f"f{number}")
    for number in range(2):
        lines += [f"class C{number}:", f"    def __init__({_parameters(rng, 'self')}): pass"]
        lines += [
            f"    def m({_parameters(rng, 'self')}): pass",
            "    @staticmethod",
            f"    def s({_parameters(rng)}): pass",
        ]
        lines += [
            "    @classmethod",
            f"    def c({_parameters(rng, 'cls')}): pass",
            f"class D{number}(C{number}): pass",
        ]
        lines += [f"o{number} = object.__new__(C{number})", f"def g{number}(o: C{number}): pass"]
        called += [f"{name}{number}{method}" for name in "CD" for method in ("", ".m", ".s", ".c")]
    for number in range(3):
        decorator = rng.choice(["@dataclass", "@dataclass", "@dataclass(frozen=True)", "@dataclass(kw_only=True)"])
        base = rng.choice(["", "(T0)", "(T1)"][: number + 1]) if decorator != "@dataclass(frozen=True)" else ""
        lines += [decorator, f"class T{number}{base}:", *_fields(rng, rng.sample(_NAMES, rng.randrange(1, 4)))]
        extra = rng.choice(
            [
                "    pass",
                "    z: ClassVar[int] = 1",
                "    _: KW_ONLY",
                "    y: InitVar[int] = 2",
                "    def z(self): pass",
            ]
        )
        lines += [extra, f"    w{number}: int = 1"]
        called.append(f"T{number}")
    lines += ["class N(NamedTuple):", "    a: int", "    b: int" + " = 1" * (rng.random() < 0.5), "class E: pass"]
    return "\n".join(lines) + "\n", [*called, "N", "E"]


def _made(rng: random.Random) -> tuple[str, list[str], dict[str, Any]]:
    while True:
        text, called = _source(rng)
        namespace: dict[str, Any] = {"__name__": "made"}
        try:
            exec(compile(text, "", "exec", dont_inherit=True), namespace)
        except (TypeError, SyntaxError):
            continue  # a field without a default behind one with a default, a frozen class below one that is not
        return text, called, namespace


def _arguments(rng: random.Random, names: Sequence[str]) -> list[str]:
    found = ["1"] * rng.randrange(4)
    if rng.random() < 0.15:
        found.append("*q")
    found += [f"{name}=1" for name in rng.sample(names, rng.randrange(min(4, len(names) + 1)))]
    if rng.random() < 0.1:
        found.append("**k")
    return found


def _binds(signature: inspect.Signature, arguments: Sequence[str]) -> bool:
    """Whether a call fits, whatever `q` and `k` hold."""
    given = sum(one == "1" for one in arguments)
    named = [one[:-2] for one in arguments if one.endswith("=1")]
    names = [one for one in signature.parameters if one not in named]
    more = range(8) if "*q" in arguments else (0,)
    some = (
        [*chain.from_iterable(combinations(names, size) for size in range(len(names) + 1))]
        if "**k" in arguments
        else [()]
    )
    for count in more:
        for extra in some:
            try:
                signature.bind(*[1] * (given + count), **dict.fromkeys([*named, *extra], 1))
            except TypeError:
                continue
            return True
    return False


def test_calls_are_taken_as_binding_takes_them() -> None:
    rng = random.Random(37)
    taken = refused = 0
    for _ in range(10):
        text, called, namespace = _made(rng)
        left = text + "q = k = 1\nx = "
        for _ in range(30):
            name = rng.choice(called)
            signature = inspect.signature(eval(name, namespace))
            arguments = _arguments(rng, [*signature.parameters][:5] or ["a"])
            binds = _binds(signature, arguments)
            call = f"{name}({', '.join(arguments)})"
            assert _takes(left, call, sizes=(rng.randrange(1, 9),)) is binds, (text, call, signature)
            begin, end = sorted(rng.sample(range(len(name), len(call) + 1), 2))
            begin = min(begin, len(name) + 1)  # the text has a part in the arguments
            if call[begin:end].strip():
                hole = _hole(left + call[:begin], call[end:] + "\n", exact=True)
                assert hole.fallback == "none"
                after = _written(hole, call[begin:end], 2)
                assert (after is not None and after.complete) is binds, (
                    text,
                    call[:begin],
                    call[begin:end],
                    call[end:],
                )
            taken, refused = taken + binds, refused + (not binds)
    assert taken > 70 and refused > 70


_MODULES = "argparse bisect calendar codecs colorsys contextlib copy csv difflib dis fileinput fnmatch fractions getpass glob gzip heapq html json linecache logging mimetypes os.path pathlib pickle platform pprint queue random sched shlex shutil smtplib socketserver statistics string subprocess tarfile tempfile textwrap threading timeit tokenize traceback typing unittest urllib.parse uuid warnings wave weakref zipfile"


def test_calls_of_the_standard_library_are_never_refused_where_they_bind() -> None:
    rng = random.Random(38)
    wrong = refused = 0
    for module in _MODULES.split():
        try:
            found = importlib.import_module(module)
        except ImportError:  # this Python no longer has it
            continue
        public: list[tuple[str, Any]] = []
        for name, value in vars(found).items():
            if name[0] != "_" and callable(value):
                public.append((name, value))
                if inspect.isclass(value) and module != "typing":
                    public += [(f"{name}.{one}", getattr(value, one, None)) for one in vars(value) if one[0] != "_"]
        left = f"import {module}\nx = {module}."
        for name, value in rng.sample(public, min(4, len(public))):
            try:
                signature = inspect.signature(value)
            except (TypeError, ValueError):
                continue
            names = [one.name for one in signature.parameters.values()][:5]
            for _ in range(3):
                arguments = [one for one in _arguments(rng, names or ["a"]) if "*" not in one]
                binds = _binds(signature, arguments)
                takes = _takes(left, f"{name}({', '.join(arguments)})", sizes=(rng.randrange(1, 9),))
                assert takes or not binds, (module, name, arguments, signature)
                wrong, refused = wrong + (not binds), refused + (not takes)
    assert refused > 0.5 * wrong > 25
