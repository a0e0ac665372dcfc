"""Questions about a logical line in progress: its header's keyword, the names that it reads, the argument that comes next."""

from __future__ import annotations

import pytest
from suture.parser import language
from suture.parser.languages.python.semantics.line_parser import LineParser
from suture.parser.languages.python.semantics.queries import header_word, names_read, owed_names
from suture.parser.languages.python.semantics.tokens import START, lex
from suture.parser.scoping.facts import Call


def _line(text: str) -> LineParser:
    parser = LineParser(0)
    for token in lex(START, text + " ")[0][1:]:
        parser.feed(str(token))
    return parser


@pytest.mark.parametrize(
    "text, word",
    [
        ("if x", "if"), ("elif x", "elif"), ("else", "else"), ("except x", "except"), ("finally", "finally"), ("case x", "case"),
        ("match x", "match"), ("match", ""), ("match (x", ""), ("match = x", ""), ("async with x", "with"), ("async def f(", "def"), ("def f(a, ", "def"), ("if match", "if"),
        ("x if y", ""), ("if x: y", ""), ("x", ""),
    ],
)  # fmt: skip
def test_the_word_of_a_header(text: str, word: str) -> None:
    assert header_word(_line(text)) == word


@pytest.mark.parametrize(
    "text, names",
    [
        ("x = ", ""), ("x.a = y = ", "x"), ("x.a = y", "x"), ("x[i], y = ", "x i"), ("[x for y in f(z) if g(y) for", "x y f z g"),
        ("f(a=b, c", "f b"), ("x.a", "x"), ("for x in y + ", "y"), ("del x.a, y", "x"),
    ],
)  # fmt: skip
def test_names_that_a_line_reads(text: str, names: str) -> None:
    assert names_read(_line(text)) == set(names.split())


@pytest.mark.parametrize(
    "text, names",
    [
        ("print(x + ", "x"), ("print(x not in ", "x"), ("print(x for (a, b)", "x"), ("print(x for a, b in ", "x"), ("print([x for x in y] + ", ""), ("print(a=", ""),
        ("print([x for x in y]", ""), ("print(x(a=y) + ", "x y"), ("x = [y, ", ""), ("print(x for x in f(y) if ", ""),
    ],
)  # fmt: skip
def test_names_that_brackets_owe(text: str, names: str) -> None:
    assert owed_names(_line(text)) - {"print"} == set(names.split())


@pytest.mark.parametrize(
    "text, call",
    [
        ("f(", ("f", "", True)), ("f(a=1, ", ("f", "", False)), ("f(a=1, b ", None), ("f(a ", None), ("f(a.", None), ("f(*a, b=", ("f", "b", False)),
        ("f(a * ", ("f", "", True)), ("f(k=a + ", ("f", "k", True)), ("f(* -", ("f", "*", True)), ("class A(", None), ("*a =", None),
    ],
)  # fmt: skip
def test_the_call_around_an_argument(text: str, call: tuple[str, str, bool] | None) -> None:
    state = language("python").hole(text, "", level="names").state
    assert state is not None
    found = state.facts.call
    assert found == (None if call is None else Call(call[0], (), frozenset(), *call[1:]))
