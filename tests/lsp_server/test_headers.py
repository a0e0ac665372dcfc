"""A line above a deeper block is the block's header."""

from __future__ import annotations

import ast
import statistics
from pathlib import Path

import pytest
from suture import model, parser
from suture.common.constraint import Constraint
from suture.lsp_server.completion.proposing import filling
from suture.lsp_server.completion.proposing.filling import fill
from suture.lsp_server.completion.proposing.headers import as_header
from suture.parser import Level
from suture.parser.language import traits

LOOP = "def total(numbers):\n    result = 0\n    "
BELOW = "\n        result += number\n    return result\n"


def line(left: str, right: str, level: Level = "syntax") -> Constraint:
    state = parser.language("python").hole(left, right, level=level).state
    assert state is not None
    return as_header(state, left, right, traits("python").headers)


def fits(constraint: Constraint, text: str) -> bool:
    """Whether a line is taken, letter by letter and at once."""
    state: Constraint | None = constraint
    for char in text:
        state = state.advance(char) if state is not None else None
    at_once = constraint.advance(text)
    assert (state is not None and state.complete) == (at_once is not None and at_once.complete)
    return at_once is not None and at_once.complete


@pytest.mark.parametrize(("most_lines", "is_taken"), [(0, False), (2, True)])
def test_of_several_lines_the_first_need_not_be_the_header(most_lines: int, is_taken: bool):
    hole = parser.language("python").hole(LOOP, BELOW)
    assert hole.state is not None
    options = model.Options(language="python", max_lines=most_lines)
    asked = filling._of_line(hole, hole.state, LOOP, BELOW, options, None)
    assert fits(asked, "for number in numbers:")
    assert fits(asked, "seen = 0\n    for number in numbers:") is is_taken


@pytest.mark.parametrize(
    "text",
    [
        "for number in numbers:",
        "while True:",
        "if result: # why not",
        "with lock:",
        "async def f():",
        "class A:",
        "while part := read():",
        "if (a := 1) > 0:",
    ],
)
def test_headers_fit(text: str):
    assert fits(line(LOOP, BELOW), text)


@pytest.mark.parametrize(
    "text",
    [
        "result = 1",
        "# for number in numbers",
        "form = 1",
        "f",
        "iffy()",
        "é = 1",
        "pass",
        '"""Text."""',
        "if result: pass",
        "def f(): return 1",
        "else:",
    ],
)
def test_nothing_else_does(text: str):
    state = line(LOOP, BELOW).advance(text)
    assert state is None or not state.complete
    assert line(LOOP, BELOW).advance(text + "\n") is None


def test_a_line_without_indentation_may_stand_in_the_block_or_be_its_header():
    state = line("def total(numbers):\n    for number in numbers:\n", "\n        print(number)\n")
    assert fits(state, "        result = number")
    assert not fits(state, "    result = number")
    state = line("def total(numbers):\n    result = 0\n", BELOW)
    assert fits(state, "    for number in numbers:") and not fits(state, "    number = 0")
    assert not fits(state, "    # a remark")


def test_blanks_before_the_cursor_are_the_indentation_that_is_meant():
    state = line("def show(pairs):\n    ", "\n        print(key, value)\n")
    assert fits(state, "for key, value in pairs:")
    assert not fits(state, "    key = value") and state.advance("    ") is None


@pytest.mark.parametrize(
    ("left", "right", "text"),
    [
        pytest.param("x = [\n    ", "\n        1, 2]\n", "0,", id="in brackets"),
        pytest.param("def f():\n    ", "\n    return 1\n", "x = 1", id="nothing deeper"),
        pytest.param("if a:\n    b()\n", "\n    c()\n", "    d()", id="in the block"),
        pytest.param("if a:\n    b()\n", "", "c()", id="nothing below"),
        pytest.param("def f():\n    '''Text\n    ", "\n        more.\n    '''\n", "and", id="in a string"),
        pytest.param("if a:\n    b()\n    ", "\n        # deeper, but a remark\n    c()\n", "d()", id="a remark"),
    ],
)
def test_elsewhere_everything_fits_as_before(left: str, right: str, text: str):
    assert fits(line(left, right), text)


@pytest.mark.parametrize(
    ("left", "right", "text"),
    [
        pytest.param("try:\n    a()\nexcept* OSError:\n    b()\n", "\n    c()\n", "except* ValueError:", id="groups"),
        pytest.param("class A:\n    def f(self):\n        b = 1\n        print('''\ntext\n''')\n", "\n            print(b)\n", "        for a in b:", id="a string that ends at the margin"),
        pytest.param("def f(rows):\n    total = 0\n    ", "\n        total += row.price\n    return total\n", "for row in rows:", id="a loop"),
        pytest.param("def f(x):\n    ", "\n        return fn(*args, **kwargs)\n    return wrapper\n", "def wrapper(*args, **kwargs):", id="a function"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("level", ["syntax", "names"])
def test_a_header_may_bind_what_its_block_needs(left: str, right: str, text: str, level: Level):
    state = line(left.replace("def f(x)", "def f(fn)"), right, level)
    after = state.advance(text)
    assert after is not None and after.complete


def test_names_that_begin_like_a_keyword_are_none():
    for text in ("if_x", "for_each(result)", "format"):
        assert line(LOOP, BELOW).advance(text) is None
    assert line("def total(numbers):\n    result = 0\n", BELOW).advance("    number = 0") is None


def test_what_is_asked_for_one_line_is_held_to_it():
    """A model that only ever wants `pass` writes a header if one line is asked for, and else `pass`."""
    loaded = model.load(None, device="cpu")
    left, right = LOOP, BELOW
    place = parser.language("python").hole(left, right, level="names")
    text = fill(place, left, right, loaded, model.Options(max_lines=0, language="python")).text
    assert text.startswith("for ") and text.endswith(":") and "\n" not in text


def test_long_blanks_take_no_time():
    for right in ("\n" + " " * 100_000, ("\n" + " " * 3000) * 40 + "\n        x = 1\n"):
        assert (
            as_header(line("def f():\n    ", "\n    pass\n"), "def f():\n    ", right, traits("python").headers)
            is not None
        )


@pytest.mark.parametrize("level", ["syntax", "names"])
def test_no_header_of_real_code_is_refused(level: Level):
    lines = ast.unparse(ast.parse(Path(statistics.__file__).read_text(encoding="utf-8"))).split("\n")
    depths = [len(text) - len(text.lstrip()) for text in lines]
    headers = [at for at, text in enumerate(lines[:-1]) if text.endswith(":") and depths[at + 1] > depths[at]]
    assert len(headers) > 60
    for at in headers[:: 4 if level == "syntax" else 9]:
        for begun in (depths[at], 0):
            left, right = "\n".join([*lines[:at], lines[at][:begun]]), "\n" + "\n".join(lines[at + 1 :])
            after = line(left, right, level).advance(lines[at][begun:])
            assert after is not None and after.complete, lines[at]


@pytest.mark.parametrize(
    ("name", "text", "chosen"),
    [
        ("python", "def f():\n    x = 1\n|\n", True),
        ("python", "def f():\n    x = 1\n\n|", True),
        ("python", "def f():\n    if x:\n        y = 1\n    |\n", True),
        ("python", "def f():\n    if x:\n        y = 1\n    |\n    z = 1\n", True),
        ("python", "def f():\n    if x:\n        y = 1\n        |\n", True),
        ("python", "def f():\n    |\n", True),
        ("python", "    |", True),
        ("python", "f(a,\n  |\n)\n", True),
        ("python", "f(a,\n|\n)\n", False),  # it may be aligned
        ("python", "def f():\n    g(a,\n    |\n", False),
        ("python", "def f():\n    x = 1\n|\n    y = 1\n", False),  # a line is missing
        ("python", "def f():\n|\n", False),
        ("python", "x = [\n    1,\n|\n]\n", False),
        ("python", "x = 1\n|\n", False),
        ("python", "def f():\n    x = 1\ny = |\n", False),
        ("python", 'def f():\n    """A\n    b\n  |\n    """\n', False),  # a text
        ("go", "package p\n\nfunc f() {\n\tx()\n|\n}\n", True),
        ("go", "package p\n\nfunc f() {\n\t|\n}\n", True),
        ("go", "package p\n\nfunc f() {\n|\n}\n", False),
        ("json", '{\n  "a": {\n    |\n  }\n}\n', True),
        ("json", '{\n  "a": 1,\n|\n}\n', False),
    ],
)
def test_the_column_that_a_person_has_chosen_stands(
    monkeypatch: pytest.MonkeyPatch, name: str, text: str, chosen: bool
) -> None:
    """A text begins with a blank only if it may have to be deeper; nothing else is refused."""
    held: list[Constraint] = []
    monkeypatch.setattr("suture.model.complete", lambda model, constraint, *_, **__: held.append(constraint))
    left, right = text.split("|")
    hole = parser.language(name).hole(left, right)
    assert hole.state is not None
    fill(hole, left, right, object(), model.Options(language=name))  # type: ignore[arg-type]
    fill(hole, left, right, object(), model.Options(language=name, max_lines=0))  # type: ignore[arg-type]
    for constraint in held:
        for said in (" ", "    x", "\t", "x", "}", "\n"):
            after, plain = constraint.advance(said), hole.state.advance(said)
            refused = chosen and said[0] in " \t"
            assert (after is not None) == (plain is not None and not refused)
        assert not chosen or not any(one.startswith((" ", "\t")) for one in constraint.bridges())
