"""The texts worth showing among the fitting ones."""

from __future__ import annotations

import pytest
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.completion.judging.hidden import Hidden, Reason
from suture.lsp_server.completion.judging.selection import (
    is_filler,
    line_is_broken,
    without_hiding,
)
from suture.lsp_server.completion.proposing import suggestion
from suture.lsp_server.completion.proposing.editing import begins_body, opens_block, opens_statement, shaped, unfit_at
from suture.lsp_server.completion.proposing.shown import Suggestion, by_size, different
from suture.lsp_server.settings.spec import Settings
from suture.model import Completion, Options
from suture.model.decoding.types import Passed
from suture.parser import language

from ..support.places import place_at


@pytest.mark.parametrize(
    ("text", "said", "shown"),
    [
        ("x = f(|y + z)\n", "1)  # ", ""),
        ("x = a |+ b\n", "# ", ""),
        ("x = |  # why\n", "1", "1"),
        ("x = |  # why\n", "1  # because", "1  # because"),  # a comment in a comment
        ("x = a|\n", "  # why", "  # why"),  # nothing stands behind it
        ("x = |\ny = 1'''\n", "'''", ""),  # a string around the next line
        ("x = f(|', c)\n", "'a", "'a"),  # a string ended by the user's own quote
        ("x = |\n", "'# no comment'", "'# no comment'"),
        ("x = 'a | b'\n", "# c", "# c"),
        ('f(|"a")\n', "'b', ", "'b', "),
    ],
)
def test_code_behind_the_cursor_stays_code(text: str, said: str, shown: str) -> None:
    left, right = text.split("|")
    hole = language("python").hole(left, right)
    assert hole.state is not None
    after = hole.state.advance(said)
    assert after is not None and after.complete, "the grammar alone would let it through"
    assert without_hiding(said, right, hole) == shown


def completion(text: str, ended: str, written: int) -> Completion:
    return Completion(text, 1, ended, True, 0.0, 0.0, 0.0, trail=(Passed(written, -1.0, False),))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "ended", "written", "filler"),
    [
        ("f(a", "model", 2, False),
        ("f(a)", "bridge", 3, False),
        ("f(a) if b:", "bridge", 4, True),
        ("f(a)#", "bridge", 4, True),
        ("returnx", "bridge", 6, True),
        ("self):(", "bridge", 4, True),
        ("a):\n    (", "bridge", 1, True),
        ("a, (", "bridge", 3, False),
        ("if a:", "bridge", 4, False),  # the model wrote all but the colon
    ],
)
def test_a_bridge_with_words_or_comments_is_a_filler(text: str, ended: str, written: int, filler: bool) -> None:
    assert is_filler(completion(text, ended, written)) is filler


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("x = 1\ny = a b(c.|\nz = 1\n", True),
        ("x = 1\ny = |\nz = 1\n", False),
        ("x = 2 3\ny = |\nz = 1\n", False),  # another line is
        ("x = 2 3\n|\nz = 1\n", False),
    ],
)
def test_a_line_that_is_broken_already_is_known(text: str, broken: bool) -> None:
    place = place_at(text)
    assert line_is_broken(place.cursor, place.hole, place.session, lambda: False) is broken


def test_nothing_is_shown_unasked_in_a_line_that_is_broken_already() -> None:
    engine = CompletionEngine(Settings(device="cpu", certainty=0.01))
    text = "import os\n\nhome = os.environ get(os.\n"
    found = engine.suggest(CursorContext("a", "python", text, len(text) - 1), lambda: False)
    assert found == Hidden(Reason.BROKEN_LINE)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("def f(a):\n    |\n", 6),
        ("x = f(\n    |\n)\n", 6),
        ("def f(a):\n    b = a\n    |\n", 0),
        ("import os\n|\n", 0),
        ("|\n", 6),
    ],
)
def test_a_block_is_offered_unasked_where_one_opens(text: str, lines: int) -> None:
    place = place_at(text)
    assert shaped(Options(), place, unasked=True).max_lines == lines
    assert shaped(Options(), place).max_lines == 6
    assert opens_block(place.cursor) is (lines > 0)


def test_something_else_is_looked_for_unless_the_text_is_the_next_line() -> None:
    place = place_at("a()\n|\nb()\n")
    assert not suggestion._may_be_replaced(place, Hidden(Reason.REPEATS, "b()"), True)
    assert suggestion._may_be_replaced(place, Hidden(Reason.REPEATS, "a()"), True)


def said(text: str) -> Suggestion:
    return Suggestion(text, completion(text, "model", 0), True, 0.0)


def test_whole_lines_come_before_single_words() -> None:
    several = [said("a"), said("f(a)"), said("b")]
    assert [each.text for each in by_size(several, to_line_end=True)] == ["f(a)", "a", "b"]
    assert by_size(several, to_line_end=False) == several


@pytest.mark.parametrize(
    ("marked", "statement"),
    [
        ("|", True),
        ("def f():\n    |\n", True),
        ("def f():\r\n    a = 1\r\n\r\n    |", True),
        ("x = |", False),
        ("f(\n    |\n)", False),
        ("f(\n    a,  # first\n    |\n)", False),
        ("x = (\n    a\n    + b or\n    |\n)", False),
        ("x = a + \\\n    |\n", False),
        ("x = (\n    a if b else\n    |\n)", False),
        ("if a:\n    b()\nelse:\n    |\n", True),
        ("# ------\n|\n", True),
        ("|  # why\n", True),
        ("| = 1\n", False),
        ("def f():\n    |.append(1)\n", False),
        ("f(\n    a,\n    # note\n    |\n)", False),
        ("x = [\n    a\n    |\n]", False),
        ("x = '''\n|\n'''\n", False),
    ],
)
def test_an_empty_line_begins_a_statement(marked: str, statement: bool) -> None:
    assert opens_statement(place_at(marked)) is statement


def test_where_the_likeliest_text_stands_nearby_its_beginning_or_another_is_shown() -> None:
    """The line above is likeliest, and is not offered again; a beginning with `self.items` is nearly certain."""
    text = (
        "class Stack:\n    def __init__(self):\n        self.items = []\n\n"
        "    def push(self, item):\n        self.it|\n\n    def pop(self):\n        return self.items.pop()\n"
    )
    left, right = text.split("|")
    place = CursorContext("a", "python", left + right, len(left), options={"looks_ms": 60_000})
    found = CompletionEngine(Settings(device="cpu")).suggest(place, lambda: False)
    assert isinstance(found, Suggestion) and found.text.startswith("ems") and found.text != "ems = []"


@pytest.mark.parametrize(
    ("name", "marked", "text", "unfit"),
    [
        ("python", "for a in |\n", "self.a:a", True),
        ("python", "if x|\n", ": y", True),
        ("python", "if x:|\n", " y", True),
        ("python", "if x|\n", ": return", False),
        ("python", "if x|\n", ": y()", False),
        ("python", "x|\n", ": y", False),
        ("python", "if x[|]:\n    y\n", "a:b", False),
        ("python", "while f(lambda|)\n", " x: x", False),
        ("python", "def f(|\n", "a: int", False),
        ("python", "|\n", "a", True),
        ("python", "table = |\nx = 1\n", "{", True),
        ("python", "table = |\nx = 1\n", "f(", True),
        ("python", "table = |\n", "{", False),
        ("python", "table = |\n    1: 2\n}\n", "{", False),
        ("python", "table = |\n}\n", "{", False),
        ("python", "table = |\nx = 1\n", "{}", False),
        ("python", "table = f(|)\nx = 1\n", "(", False),
        ("go", "package p\n\nfunc f() {\n\tif true |\n\tf()\n}\n", "{", False),
        ("go", "package p\n\nfunc f() {\n\tg|\n\tf()\n}\n", "(", True),
    ],
)
def test_what_is_never_shown_unasked(name: str, marked: str, text: str, unfit: bool) -> None:
    assert unfit_at(place_at(marked, name))(text) is unfit


@pytest.mark.parametrize(
    ("name", "marked", "body"),
    [
        ("python", "def f(a):\n    |\n", True),
        ("python", "def f(a):\n    |", True),
        ("python", 'def f(a):\n    """What it does.\n\n    >>> f(1)\n    """\n    |\n', True),
        ("python", "def f(a):\n    r'''What it does.'''\n    |\n\n\nx = 1\n", True),
        ("python", "def f(a):\n    x = '''text'''\n    |\n", False),
        ("python", "class A:\n    def f(self):\n        |\n\n    def g(self):\n        pass\n", True),
        ("python", "def f(a):\n    |\n    return a\n", False),  # it has statements
        ("python", "if a:\n    |\nelse:\n    pass\n", True),
        ("python", "try:\n    |\n", True),
        ("python", "for a in b:\n    |\nprint(a)\n", True),
        ("python", "def test_adds():\n    |\n", True),
        ("python", "def f(a):\n    # the largest of them\n    |\n", True),
        ("python", "def f(a):\n    # the largest of them\n    |\n    return b\n", True),
        ("python", "def f(a):\n    # the largest of them\n    |\n        return b\n", False),  # a header is missing
        ("python", "f(\n    # the first\n    |\n)\n", False),
        ("python", "x = (\n    a\n    # note\n    |\n)\n", False),
        ("python", "def f(a):\n    a = 1\n    |\n", False),
        ("python", "x = |\n", False),
        ("python", "|\n", False),
        ("python", "# what comes\n|", True),
        ("go", "package p\n\nfunc f(a int) int {\n\t|\n}\n", True),
        ("go", "package p\n\nfunc f(a int) int {\n\tfor {\n\t\t|\n\t}\n}\n", True),
        ("go", "package p\n\nfunc f(a int) int {\n\t|\n\treturn a\n}\n", False),
        ("go", "package p\n\nfunc f(a int) int {\n\t// twice\n\t|\n\treturn a\n}\n", True),
        ("typescript", "function f(a: number) {\n  |\n}\n", True),
        ("json", "{\n  |\n}\n", False),
    ],
)
def test_where_several_statements_are_written_unasked(name: str, marked: str, body: bool) -> None:
    assert begins_body(place_at(marked, name)) is body


@pytest.mark.parametrize(
    ("marked", "text", "written", "unfit"),
    [
        ("return |\n", "sum", "sum(a)", True),
        ("return |\n", "sum", "sum", False),
        ("x = |\n", "not", "not a", True),
        ("x = |\n", "a", "a + b", True),
        ("f(|)\n", "a", "a, b", False),
        ("x = a.|\n", "append", "append(b)", False),
        ("x = su|\n", "m", "m(a)", False),
        ("import |\n", "os", "os as o", False),
        ("x = |\n", '""', '""', True),
        ("x = |\n", "a", "a\ny = b", False),
        ("def f():\n    |\n", "return", "return []", True),
        ("def f():\n    |\n", "return", "return\n", False),
        ("def f():\n    |\n", "pass", "pass", False),
        ("def f():\n    |\n", "raise", "raise ValueError", True),
        ("def f():\n    |\n", "await", "await f()", True),
    ],
)
def test_a_single_word_of_an_expression_is_not_shown_unasked(marked: str, text: str, written: str, unfit: bool) -> None:
    assert unfit_at(place_at(marked), written)(text) is unfit


def test_of_texts_that_do_the_same_the_fullest_is_kept() -> None:
    texts = ["a = 'x'", "b()", 'a = "x"\nc()', "# so\nb()", "d"]
    assert [each.text for each in different(map(said, texts), "#")] == ['a = "x"\nc()', "b()", "d"]
