"""A beginning of a call fits with its closers, and the cursor stays inside."""

import ast
import math
import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types
from suture import parser
from suture.lsp_server.completion.asking.suggestion_cache import CachedSuggestion, behind_rest, remainder
from suture.lsp_server.completion.cursor import Cursor
from suture.lsp_server.completion.engine import pipeline
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.completion.judging.closing import closers_of, closing_in
from suture.lsp_server.completion.judging.hidden import Hidden
from suture.lsp_server.completion.judging.policy import Limits
from suture.lsp_server.completion.proposing import suggestion
from suture.lsp_server.completion.proposing.shown import Suggestion
from suture.lsp_server.completion.proposing.suggestion import Request
from suture.lsp_server.handlers.inline import snippet
from suture.lsp_server.settings.spec import Settings
from suture.model import Certainty, Completion, Options
from suture.model.decoding.types import Passed

from ..support.places import place_at


@pytest.mark.parametrize(
    ("text", "closers"),
    [
        ("area(width", ")"),
        ("f([g(1), {2", "}])"),
        ('f("a(', '")'),
        ("f('it\\'s", "')"),
        ("f('it\\'s'", ")"),
        ("area(width)", ""),
        ("area", ""),
        ("a) + f(", ""),  # it closes a bracket it has not opened
        ("f(1]", ""),
    ],
)
def test_what_closes_a_text(text: str, closers: str) -> None:
    assert closers_of(text) == closers


def _nested(one: st.SearchStrategy[str]) -> list[st.SearchStrategy[str]]:
    return [
        one.map("({})".format), one.map("[{}]".format), st.tuples(one, one).map("f({0[0]}, {0[1]})".format)
    ]  # fmt: skip


@given(
    st.recursive(st.sampled_from(["x", "'a'", '"("', "1"]), lambda one: st.one_of(*_nested(one)), max_leaves=8),
    st.data(),
)
def test_every_beginning_of_an_expression_is_closed(text: str, data: st.DataObject) -> None:
    """Closed, the beginning has as many brackets of each kind as it opens, outside of strings."""
    begun = text[: data.draw(st.integers(0, len(text)))]
    whole = begun + closers_of(begun)
    if closers_of(begun) or not re.search(r"[(\[{\"']", begun):
        outside = re.sub(r"'[^']*'|\"[^\"]*\"", "", whole)
        assert all(outside.count(a) == outside.count(b) for a, b in ("()", "[]", "{}"))
        assert "'" not in outside and '"' not in outside


@pytest.mark.parametrize(
    ("left", "begun", "right", "closers"),
    [
        ("x = ", "f(1", "\n", ")"),
        ("x = g(", "f(1", ")\n", ")"),  # the editor has closed another one
        ("x = ", "f('a b", "\n", "')"),
        ("x = ", "f(1,", "\n", ""),  # nobody stops behind a comma
        ("x = ", "f(1 +", "\n", ""),
        ("x = ", "f(for", "\n", ""),  # not valid so
        ("x = ", "f(\n    1", "\n", ""),
        ("# ", "f(1", "\n", ")"),
    ],
)
def test_what_closes_a_beginning_makes_the_file_valid(left: str, begun: str, right: str, closers: str) -> None:
    assert closing_in(parser.language("python").hole(left, right))(begun) == closers
    if closers:
        ast.parse(left + begun + closers + right)


@pytest.mark.parametrize(
    ("now", "rest", "behind"),
    [
        ("x = |\n", "area(width)", 1),
        ("x = area|\n", "(width)", 1),
        ("x = area(|)\n", "width", 0),  # the editor has closed it: the cursor stays before that
        ("x = area(width|\n", ")", 1),
    ],
)
def test_what_is_typed_along_keeps_where_the_cursor_goes(now: str, rest: str, behind: int) -> None:
    remembered = CachedSuggestion("x = \n", 4, "area(width)", None)
    offset = now.index("|")
    assert remainder(remembered, now.replace("|", ""), offset) == rest
    assert behind_rest(remembered, offset, rest, 1) == behind


@pytest.mark.parametrize(
    ("text", "behind", "value"),
    [("area(width)", 1, "area(width$0)"), ("f('$1}\\\\')", 2, "f('\\$1\\}\\\\\\\\$0')"), ("{'a'}", 1, "{'a'$0\\}")],
)
def test_a_snippet_says_where_the_cursor_goes(text: str, behind: int, value: str) -> None:
    assert snippet(text, behind) == types.StringValue(value)
    assert re.sub(r"\\(.)", r"\1", value.replace("$0", "", 1)) == text


LEFT = """\
import unittest


class TestArea(unittest.TestCase):
    def test_square(self):
        shape = Square(3)
        self.assertEqual(shape.area(), 9)

    def test_circle(self):
        shape = Circle(2)
        self"""


def test_the_beginning_of_a_call_is_shown_to_clients_that_can_go_on_in_it() -> None:
    engine = CompletionEngine(Settings(), patient=True)
    place = CursorContext("a", "python", LEFT + "\n", len(LEFT), options={"looks_ms": 60_000}, inside=True)
    found = engine.suggest(place, lambda: False)
    assert isinstance(found, Suggestion) and found.behind == 1 and found.to_cursor + ")" == found.text
    assert found.text.startswith(".assertEqual(")
    ast.parse(LEFT + found.text + "\n")
    plain = engine.suggest(CursorContext("a", "python", LEFT + "\n", len(LEFT)), lambda: False)
    assert isinstance(plain, Hidden) or plain.behind == 0


@pytest.mark.parametrize(
    ("right", "shown", "behind"), [("\n", "area(width)", 1), ("\nx = area(width)\n", "area.width", 0)]
)
def test_where_a_beginning_of_a_call_says_nothing_new_another_is_shown(
    monkeypatch: pytest.MonkeyPatch, right: str, shown: str, behind: int
) -> None:
    passed = tuple(Passed(length, -0.05, False) for length in (5, 10))
    whole = Completion("area.width", 3, "model", True, 0.0, 0.0, 0.0, trail=(Passed(10, -0.5, True),))
    made = replace(whole, written="area(width", written_trail=passed)
    monkeypatch.setattr(suggestion, "fill", lambda *_: made)
    model: Any = SimpleNamespace(certainty=Certainty(threshold=0.1), reader=None)
    session = parser.language("python").session(None)
    cursor = Cursor.at("x = " + right, 4)
    found = suggestion.suggest(cursor, session, Request(model, Options(), Limits(certainty=0.1, inside=True)))
    assert isinstance(found, Suggestion) and (found.text, found.behind) == (shown, behind)


@pytest.mark.parametrize(("score", "behind"), [(-0.3, 0), (-1.5, 1)])
def test_the_cursor_goes_behind_what_the_text_itself_probably_closes(
    monkeypatch: pytest.MonkeyPatch, score: float, behind: int
) -> None:
    begun, closed = Passed(10, -0.05, False), Passed(11, -0.05 + score, True)
    made = Completion("area(width)", 3, "model", True, 0.0, 0.0, 0.0, trail=(begun, closed))
    made = replace(made, written=made.text, written_trail=made.trail)
    monkeypatch.setattr(suggestion, "fill", lambda *_: made)
    model: Any = SimpleNamespace(certainty=Certainty(threshold=0.1), reader=None)
    request = Request(model, Options(), Limits(certainty=0.1, inside=True))
    found = suggestion.suggest(Cursor.at("x = \n", 4), parser.language("python").session(None), request)
    assert isinstance(found, Suggestion) and (found.text, found.behind) == ("area(width)", behind)


def test_what_closes_a_beginning_spares_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule's text of six letters is worth more than five letters and a bracket of which the model is equally certain."""

    def said(text: str, behind: int) -> Suggestion:
        made = Completion(text, 2, "model", True, 0.0, 0.0, 0.0, trail=(Passed(5, math.log(0.6), True),))
        return Suggestion(text, made, True, 0.0, 0.6, behind=behind)

    engine = CompletionEngine(Settings(certainty=0.1))
    model = SimpleNamespace(name="own", certainty=Certainty(), reader=None)
    monkeypatch.setattr(engine.keeper, "ask", lambda ask: ask(model))
    monkeypatch.setattr(engine, "_hidden", lambda *_: None)
    monkeypatch.setattr(engine, "least_certainty", lambda *_: 0.1)
    monkeypatch.setattr(engine.surroundings, "options", lambda *_: Options())
    known = place_at("x = |\n"), said("widths", 0)
    monkeypatch.setattr(engine, "_fact", lambda *_: known)
    place = CursorContext("a", "python", "x = \n", 4, inside=True)
    for behind, shown in [(0, "f(wid)"), (1, "widths")]:
        monkeypatch.setattr(pipeline, "suggestions", lambda *_, behind=behind, **__: iter([said("f(wid)", behind)]))
        found = engine.suggest(place, lambda: False)
        assert isinstance(found, Suggestion) and found.text == shown
