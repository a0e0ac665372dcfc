"""No type checker refuses existing names: by programs that are run, and by the rules for a file's assignments."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from suture.lsp_server.types.questions import SENTINEL, wrong_names
from suture.parser.languages.python.assigned import assigned, is_sure
from suture.parser.languages.python.type_server import TY, operand

from ..fuzz.attributes import NONSENSE, Asker, Program, cases, program, truths
from .test_types import REAL, needs_ty


@pytest.fixture(scope="module")
def asker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    asker = Asker(tmp_path_factory.mktemp("programs"), REAL)
    yield asker
    asker.monitor.stop()


@needs_ty
@pytest.mark.parametrize("seed", range(4))
def test_what_exists_when_a_program_runs_is_not_refused(asker: Asker, seed: int) -> None:
    for one, names in cases(40, seed):
        refused = [name for name, is_refused in asker.refused(one, names).items() if is_refused]
        assert not refused, f"{one.kind}\n{one.text}"


@needs_ty
@pytest.mark.parametrize(
    ("marked", "right", "wrong"),
    [
        ("from enum import Enum\nWay = Enum('Way', 'UP DOWN')\nprint(Way.¦)\n", "UP", "LEFT"),
        (
            "from collections import namedtuple\nclass A(namedtuple('A', 'b c')):\n    def f(self):\n        return self.¦\n",
            "b",
            "e",
        ),
        ("def f(ratio: float) -> bool:\n    return ratio.¦\n", "is_integer bit_length", "append"),
        ("class A:\n    a = 1\nclass B:\n    b = 1\ndef f(x: A | B):\n    return x.¦\n", "a b", "append"),
        ("def mark(cls):\n    cls.kept = 1\n    return cls\n@mark\nclass A: ...\nprint(A.¦)\n", "kept", "keeps"),
        ("from typing import TypedDict\nA = TypedDict('A', {'b': int}, ¦)\n", "total=None", ""),
        ("import math\nprint(math.¦)\n", "cos", "cosine"),
        ("x = (\n    'a'.¦\n)\n", "upper", "uper"),
    ],
)
def test_a_name_is_refused_that_ty_says_is_wrong(asker: Asker, marked: str, right: str, wrong: str) -> None:
    left, _, behind = marked.partition("¦")
    one = Program("", left + behind, len(left), ("", ""), "")
    said = asker.refused(one, (*right.split(), *wrong.split()))
    assert said == dict.fromkeys(right.split(), False) | dict.fromkeys(wrong.split(), True)


def test_a_program_has_what_it_gives() -> None:
    for seed in range(60):
        one = program(random.Random(seed))
        assert NONSENSE not in truths(one, random.Random(seed)), one.kind


@pytest.mark.parametrize(
    ("text", "names", "strings", "computes"),
    [
        ("self.a = b.c\n", "a", "", False),
        ("self.a, (x.b, *c) = 1, 2\n", "a b c", "", False),
        ("for self.a in b.c:\n    with d as self.e: ...\n", "a e", "", False),
        ("(self.a,\n self.b) = 1, 2\n", "a b", "", False),
        ("self.a: int\nself.b += 1\n", "a b", "", False),
        ("f(a=1)\ndef b(): ...\nclass c: ...\n", "a b c", "", False),
        ("setattr(x, 'a', 1)\n", "", "a", False),
        ("setattr(x, a, 1)\n", "", "", True),
        ("Enum('A', 'b c')\n", "", "A b c", False),
        ('def f():\n    """a b"""\n    return """c"""\n', "f", "c", False),
        ("# a = 1, it's\nx == y.z\n", "", "", False),
        ("vars(x).update(a=1)\n", "a", "", True),
        ("x.__dict__ |= y\n", "", "", True),
        ("print(vars(x), x.__dict__)\n", "", "", False),
    ],
)
def test_the_names_that_a_text_assigns(text: str, names: str, strings: str, *, computes: bool) -> None:
    found = assigned(text)
    assert found.names >= {*names.split()} and found.strings == {*strings.split()}
    assert found.computes == computes
    assert not found.names & {"y", "z"}


def test_reading_what_a_text_assigns_takes_time_in_proportion() -> None:
    for piece in ("1, 2, ", "a: b: ", "(x, ", "'", '"""', "for a.b, ", "\\", "x[y] ", "f(a, "):
        assert assigned(piece * 20_000) is not None


@pytest.mark.parametrize(
    ("owner", "name", "text", "is_sure_of_it"),
    [
        ("Box", "a", "", True),
        ("Box", "a", "x.a = 1\n", False),
        ("Box", "a", "setattr(x, y, 1)\n", False),
        ("str", "a", "setattr(x, y, 1)\n", True),
        ("Box", "a", "x = locals()[y]\nz = x.__dict__.get(y)\nw = '{y}'.format(**locals())\n", True),
        ("Box", "a", "locals()[y] = 1\n", False),
        ("Box", "a", "names = locals()\n", False),
        ("Box", "a", "names = x.__dict__\n", False),
        ("Box", "a", "z = x.__dict__[y] = 1\n", False),
        ('Literal[", "]', "a", "setattr(x, y, 1)\n", True),
        ("Literal[Way.UP]", "a", "setattr(x, y, 1)\n", False),
        ("Module json", "a", "setattr(x, y, 1)\n", True),
        ("Box", "_a", "", False),
        ("Self@f", "_a", "", True),
        ("_WrappedBuffer", "raw", "", False),
        ("_Box", "raw", "class _Box:\n    pass\n", True),
    ],
)
def test_where_the_word_of_a_checker_counts(owner: str, name: str, text: str, *, is_sure_of_it: bool) -> None:
    assert is_sure(owner, name, assigned(text)) == is_sure_of_it


def test_a_name_is_wrong_of_which_all_is_said_that_is_said_of_nonsense() -> None:
    def item(name: str, message: str, at: int) -> dict[str, object]:
        places = {"start": {"line": 0, "character": at}, "end": {"line": 0, "character": at + 3}}
        return {"code": "a", "message": message.replace("_", f"`{name}`"), "range": places}

    said = frozenset({("a", f"Class `A` has no `{SENTINEL}`"), ("a", f"Class `B` has no `{SENTINEL}`")})
    items = [item("x", "Class `A` has no _", 0), item("x", "Class `B` has no _", 0), item("y", "Class `A` has no _", 9)]
    places = {"x": {"line": 0, "character": 3}, "y": {"line": 0, "character": 12}, "z": {"line": 0, "character": 20}}
    assert wrong_names({"items": items}, TY, said, places) == {"x"}


@pytest.mark.parametrize(("line", "start"), [("x = a", 4), ("f(a, b[0].c()", 5), ("return not x", 11), ("a +", None)])
def test_where_an_operand_begins(line: str, start: int | None) -> None:
    assert operand(line) == start


def test_a_fixed_seed_makes_the_same_programs() -> None:
    assert [one.text for one, _ in cases(30, 5)] == [one.text for one, _ in cases(30, 5)]
