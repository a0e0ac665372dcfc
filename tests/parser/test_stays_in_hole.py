"""`stays_in_hole`: cases in which `|` marks the hole, and ast and a count of brackets as oracles."""

from __future__ import annotations

import ast
import io
import random
import tokenize

import pytest
from suture.parser import language

from ..support.inside import state_of
from ..support.oracle_python import parses, stdlib_sources


def check(text: str, middle: str, stays: bool, language_name: str = "python", version: str | None = None) -> None:
    """After the middle, read at once and by characters, the hole is viable, and left or not."""
    left, right = text.split("|")
    state = language(language_name, version).hole(left, right).state
    assert state is not None and state.stays_in_hole
    at_once, by_characters = state.advance(middle), state
    for char in middle:
        after = by_characters.advance(char)
        assert after is not None, (text, middle)
        by_characters = after
    assert at_once == by_characters
    assert (text, middle, by_characters.stays_in_hole) == (text, middle, stays)


@pytest.mark.parametrize(
    ("text", "middle", "stays"),
    [
        ("f(a, |)\n", "b) + g(c", False),
        ("f(a, |)\n", "(b)", True),
        ("f(a, |)\n", "b), f(a, ", False),
        ("f((a, |)\n", "b)", True),  # the hole has to close one bracket
        ("f((a, |)\n", "b)) + (c", False),
        ("f(a, |\n", "b)\ng(c)", True),
        ("x: list[in|\n    a=1,\n)\n", "t] = f(", True),  # a bracket of another kind does not count as closed
        ("f([a, |\n    b)\n", "a], ", True),
        ("f([a, |\n    b)\n", "a]) + (", False),
        ("f(a, |))\n", "g(b", True),
        ("f(a, |))\n", "b) + g((c", False),
        ("x = [\n    (1, 2),\n    (|),\n]\n", "3), (4", False),
    ],
)
def test_brackets(text: str, middle: str, stays: bool) -> None:
    """Brackets closed by the right context must not be closed and opened again."""
    check(text, middle, stays)


@pytest.mark.parametrize(
    ("text", "middle", "stays"),
    [
        ("def f():\n    x\n|    return x\n", "    if y:\n        z\n", True),
        ("def f():\n    x\n|    return x\n", "\ndef g():\n    y\n", False),
        ("def f():\n    x\n|    return x\n", "\ndef g():\n", False),
        ("def f():\n    x\n|y\n", "z\ndef g():\n    pass\n", True),  # nothing on the right continues the body
        ("class A:\n    def f(self):\n        x\n|    def g(self):\n        y\n", "    z = 1\n", True),
        ("class A:\n    def f(self):\n        x\n|    def g(self):\n        y\n", "class B:\n    z = 1\n", False),
        ("def f():\n    x\n|        y\n    z\n", "    if a:\n", True),
        ("def f():\n    x\n|        return y\n    z\n", "    if a:\n", True),
        ("def f():\n    x\n|        return y\n    z\n", "def g():\n    if a:\n", False),
        ("def f():\n    x\n|        y\n    z\n", "def g():\n    if a:\n", False),
        ("def f():\n    x = (|\n    return x\n", "1)\n    y", True),
        ("def f():\n    x = (|\n    return x\n", "1)\ndef g():\n    y", False),
        ("def f():|\n    return x\n", " # comment", True),
        ("def f():|\n    return x\n", "\n    y", True),
        ("def f():|\n    return x\n", "\n    y\ndef g():", False),
        ("def f():|\n    return x\n", " y\ndef g():", False),
        ("if a:|\n    return x\n", " y\nelse:", False),
        ("def f():\n|    return x\n", "    y\ndef g():\n", False),
        ("def f():\n|y\n", "    x\ndef g(): z\n", True),
        ("if x:\n\ty\n|\tz\n", "if a:\n\tb\n", False),
    ],
)
def test_blocks(text: str, middle: str, stays: bool) -> None:
    """Blocks that the right context continues must not be ended."""
    check(text, middle, stays)


@pytest.mark.parametrize(
    ("text", "middle", "stays"),
    [
        ("if a:\n    x\n|else:\n    y\n", "    z\n", True),
        ("if a:\n    x\n|else:\n    y\n", "elif b:\n    z\n", True),
        ("if a:\n    x\n|else:\n    y\n", "if b:\n    z\n", False),
        ("if a:\n    x\n|else:\n    y\n", "(w)\nif b: z\n", False),
        ("def f():\n    x\n|else:\n    y\n", "if b:\n    z\n", True),  # no clause of the left context's statement
        ("try:\n    x\n|else:\n    y\n", "except E:\n    z\n", True),
        ("try:\n    x\n|else:\n    y\n", "except E: z\nwhile w: z\n", False),
        ("try:\n    x\n|except E:\n    y\n", "finally: z\ntry: w\n", False),
        ("if a: x|\nelse: y\n", "\nelif b: z", True),
        ("if a: x|\nelse: y\n", "\nif b: z", False),
        ("for x in y:\n    if z:\n        w\n|    else:\n        v\n", "    u\n    if t: s\n", False),
    ],
)
def test_clauses(text: str, middle: str, stays: bool) -> None:
    """A statement with a clause in the right context must not be ended."""
    check(text, middle, stays)


@pytest.mark.parametrize(
    ("text", "middle", "stays"),
    [
        ("class A:\n    def f(self):\n        x\n\n|\n    def g(self):\n        y\n", "class B(A):", True),
        (
            "class A:\n    def f(self):\n        x\n\n|\n    def g(self):\n        y\n",
            "@d\nclass B(\n    A\n):\n",
            True,
        ),
        ("class A:\n    def f(self):\n        x\n\n|\n    def g(self):\n        y\n", "class B:\n    z = 1\n", False),
        ("class A:\n    def f(self):\n        x\n\n|\n    def g(self):\n        y\n", "def h():\n    z\n", False),
        ("if a:\n    x\n|\n    y\n", "else:", True),
        ("if a:\n    x\n|\n    y\n", "elif b:", True),
        ("if a:\n    x\n|\n    y\n", "else:\n    z", False),
        ("if a:\n    x\n|\n    y\n", "# why\nelse:", False),  # not the first written line
        ("if a:\n    x|\n    y\n", "\nelse:", False),  # in a line that is not empty
        ("if a:\n    x\n|    y\n", "else:\n", True),  # the hole is a whole line
        ("if a:\n    x\n|    y\n", "elif b:\n", True),
        ("if a:\n    x\n|    y\n", "else:\n    z\n", False),
        ("if a:\n    x\n|    y\n", "z\n", False),  # no header
        ("if a:\n    x\n|    y\n", "(z\n", False),
        ("if a:\n    x\n|\n    y\n", "zz", False),
        ("if a:\n    x\n|\n    y\n", "fo", True),  # `for`, but for the rest
        ("if a:\n    x\n|\n    y\n", "form", False),
        ("if a:\n    x\n|\n    y\n", "@", True),
        ("def f():\n    if a:\n        x\n|\n        y\n", "    for b in c:", True),
        ("def f():\n    if a:\n        x\n|\n        y\n    z\n", "    else:", True),
        ("def f():\n    if a:\n        x\n|\n        y\n    z\n", "def g():\n    if b:", False),
        ("def f():\n    if a:\n        x\n|\n    z\n", "def g():", True),
        ("f(\n    a,\n|\n    b)\n", "c)\nif d: (", False),
    ],
)
def test_missing_headers(text: str, middle: str, stays: bool) -> None:
    """On an empty line only the missing header there may adopt a block."""
    check(text, middle, stays)


@pytest.mark.parametrize("version", ["3.11", "3.12"])
@pytest.mark.parametrize(
    ("text", "middle", "stays"),
    [
        ('x = "ab|cd"\n', 'e" + "f', False),
        ('x = "ab|cd"\n', "e + f", True),
        ('x = "|cd"\n', '" + "', False),
        ('x = "ab|\n', 'cd"\ny = "e"', True),
        ('"""ab|\ncd\n"""\n', '"""\nx = """', False),
        ('"""ab|\ncd\n"""\n', '""', True),
        ('x = f"a{b|}"\n', "[c]", True),
        ('x = f"a{b|}"\n', "} {c", False),
        ('x = f"a|b"\n', "{c}", True),
        ('x = f"a|b"\n', 'c" f"', False),
        ("x # a|\n", "b c", True),
    ],
)
def test_strings(text: str, middle: str, stays: bool, version: str) -> None:
    """Neither may a string that the right context ends."""
    check(text, middle, stays, version=version)


@pytest.mark.parametrize(
    ("text", "middle", "stays"),
    [
        ('{"a": [1, |], "b": 2}', "[2], 3", True),
        ('{"a": [1, |], "b": 2}', '2], "c": [3', False),
        ('{"a": [1, |, "b": 2}', "2]", True),
        ('{"a": "x|y", "b": 2}', "z", True),
        ('{"a": "x|y", "b": 2}', '", "c": "', False),
        ('{"a": 12|34}', "56", True),
        ('{"a": [12|, 34]}', '], "b": [', False),
    ],
)
def test_json(text: str, middle: str, stays: bool) -> None:
    """In a language given as a grammar file."""
    check(text, middle, stays, "json")


@pytest.mark.parametrize("end", ["", "\n", "\n\n  ", " // c\n"])
@pytest.mark.parametrize(
    ("text", "middle", "stays"),
    [
        ("f((a) => {\n  g(a);\n  |@})\n", "}, {", False),
        ("f((a) => {\n  g(a);\n  |@})\n", "h({ a });", True),
        ("const a = [1, |@]\n", "b], [c", False),
        ("const a = [1, |@]\n", "[b], c", True),
        ("function f() {\n  if (a) {\n    g();|@}\n}\n", "} else {", False),
    ],
)
def test_closing_brackets_on_another_line(text: str, middle: str, stays: bool, end: str) -> None:
    """In TypeScript they were other terminals than on the same line, and seemed to close nothing."""
    check(text.replace("@", end), middle, stays, "typescript")


def test_leaving_is_for_ever() -> None:
    """Returning to the beginning of the hole is no way back into it, and makes another state."""
    state = state_of(language("python").hole("x = [(a), (", ")]\n").state)
    left = state.advance("), (")
    assert left is not None and left.left is state.left and left != state
    assert not left.stays_in_hole and state.stays_in_hole


def test_against_ast() -> None:
    """A text leaves a block if the right context's first statement ends up in a block begun in the hole, unless the text is the header of
    that block."""
    rng = random.Random(5)
    python, asked, left_holes = language("python"), 0, 0
    for text in stdlib_sources(rng, 12, 12_000):
        lines = text.replace("\t", " " * 8).splitlines(keepends=True)
        for _ in range(12):
            at = rng.randrange(1, len(lines))
            left, right = "".join(lines[:at]), "".join(lines[at:])
            column = len(lines[at]) - len(lines[at].lstrip())
            state = python.hole(left, right).state
            if (
                not lines[at].strip()
                or lines[at].lstrip().startswith(("#", "el", "ex", "fin"))
                or state is None
                or not state.complete
            ):
                continue
            for middle in (_lines(rng, column) for _ in range(12)):
                after = state.advance(middle)
                if after is not None and after.complete:
                    owner, written = _owner(left + middle + right, at + middle.count("\n")), middle.count("\n")
                    expected = owner < at or (owner == at and written == 1)
                    assert (left[-300:], middle, right[:100], after.stays_in_hole) == (
                        *(left[-300:], middle, right[:100]),
                        expected,
                    )
                    asked, left_holes = asked + 1, left_holes + (not expected)
    assert asked > 150 and left_holes > 10


def _lines(rng: random.Random, column: int) -> str:
    """Statements at random columns; the last one may be the header of a block at a column."""
    found, headed = [], False
    for _ in range(rng.randrange(1, 4)):
        at = max(0, rng.choice([column, column, column - 4, column - 4, column - 8, 0])) + 4 * headed
        headed = rng.random() < 0.5
        line = rng.choice(["while x:\n", "def f():\n", "try:\n", "else:\n", "class A:\n"]) if headed else "x = 1\n"
        found.append(" " * at + line)
    return "".join(found)


def _owner(text: str, line: int) -> int:
    """The line on which the clause directly around a line begins (both from 0), -1 for the file."""
    lines = text.splitlines()
    column = len(lines[line]) - len(lines[line].lstrip())
    owner = -1
    for node in ast.walk(ast.parse(text)):
        for _, body in ast.iter_fields(node):
            if isinstance(body, list) and body and isinstance(body[0], ast.stmt) and body[0].col_offset == column:
                if _first_line(body[0]) <= line < max(child.end_lineno or 0 for child in body):
                    owner = _first_line(body[0]) - 1
                    while not lines[owner].strip() or len(lines[owner]) - len(lines[owner].lstrip()) >= column:
                        owner -= 1  # to the header, or its last line
                        if owner < 0:
                            break
    return owner


def _first_line(statement: ast.stmt) -> int:
    decorators = getattr(statement, "decorator_list", ())
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)]) - 1


def test_against_a_count_of_brackets() -> None:
    """The right context's surplus closing brackets match as many brackets of the left context."""
    rng = random.Random(6)
    python, asked, left_holes = language("python"), 0, 0
    for text in stdlib_sources(rng, 25, 6_000):
        places = [i for i, char in enumerate(text) if char in "([{)]},"]
        for at in rng.sample(places, min(8, len(places))):
            left, right = text[: at + 1], text[at + 1 :]
            state = python.hole(left, right).state
            if state is None or not state.complete:
                continue
            for middle in (*_MIDDLES, "".join(rng.choices("x()[],", k=5))):
                after = state.advance(middle)
                if after is not None and after.complete:
                    size = len(left) + len(middle)
                    expected = all(not o < len(left) <= c < size for o, c in _brackets(left + middle + right))
                    assert (left[-60:], middle, right[:60], after.stays_in_hole) == (
                        left[-60:],
                        middle,
                        right[:60],
                        expected,
                    )
                    asked, left_holes = asked + 1, left_holes + (not expected)
    assert asked > 100 and left_holes > 10


_MIDDLES = ("x), (x", "), (", "x) + y(x", "x], [x", "], [", "} | {", "(x)", "[x][0]", "x", "(x), ", ")(", "")


def _brackets(text: str) -> list[tuple[int, int]]:
    """Offsets of matching brackets."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found, opened = [], []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.OP and token.string in "([{":
            opened.append(starts[token.start[0] - 1] + token.start[1])
        elif token.type == tokenize.OP and token.string in ")]}":
            found.append((opened.pop(), starts[token.start[0] - 1] + token.start[1]))
    assert parses(text)
    return found
