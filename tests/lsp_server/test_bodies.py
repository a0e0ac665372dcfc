"""Texts of several lines: the end of their thought, the probability of their being kept, the part shown at the beginning of a body."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.completion.judging import blocks
from suture.lsp_server.completion.judging.acceptance import THRESHOLD
from suture.lsp_server.completion.judging.hidden import Hidden, Reason
from suture.lsp_server.completion.judging.policy import LIKELY_OF_SMALL, Limits
from suture.lsp_server.completion.judging.repetition import cuts
from suture.lsp_server.completion.judging.thoughts import announces_code, ends, is_documented, without_last_comments
from suture.lsp_server.completion.proposing import decision, suggestion
from suture.lsp_server.completion.proposing.editing import Editing
from suture.lsp_server.completion.proposing.placeholders import without_placeholders
from suture.lsp_server.completion.proposing.shown import Suggestion, placed, without_afterthought
from suture.lsp_server.completion.proposing.suggestion import Request
from suture.lsp_server.settings.spec import Settings
from suture.model import Completion, NoConstraint, Options
from suture.model.calibration import Certainty
from suture.model.decoding.types import Passed
from suture.parser.language_runtime import Repeats

from ..support.places import place_at


@pytest.mark.parametrize(
    ("left", "text", "kept"),
    [
        ("def f(a):\n    ", "return a\n\n    # Example usage:\n    print(f(1))", "return a\n\n"),
        ("def f(a):\n    ", "return a\n    # Test the function\n    f(1)", "return a\n"),
        ("def f(a):\n    ", "# Test for zero\n    if a == 0:\n        return 1", None),
        ("def f(a):\n    ", "# Example usage\n    return a", None),  # all of it
        ("def f(a):\n    ", "b = a\n    # usage of memory\n    return b", None),
        ("def f(a):\n    ", "def f(b):\n        return b", ""),
        ("def f(a):\n    ", "def g(b):\n        return b\n    return g(a)", None),
        ("def f(a):\n    if a:\n        ", "return 1\n\n    def f(b):\n        pass", "return 1\n\n"),
        ("def f(a):\n    return a\n\n\n", "def f(b):\n    return b", None),  # beside it, which another rule refuses
        ("function f(a) {\n  ", "return a;\n  // Usage\n  f(1);", "return a;\n"),
        ("func f(a int) int {\n\t", "return a\n\n\t// test cases\n\tf(1)", "return a\n\n"),
    ],
)
def test_where_the_thought_of_a_text_ends(left: str, text: str, kept: str | None) -> None:
    end = next(iter(ends(left, text)), None)
    assert (None if end is None else text[:end]) == kept


@pytest.mark.parametrize(
    ("text", "right", "kept"),
    [
        ("a()\n    b()\n    c()\n    d()", "\n    b()\n    c()\n    e()\n", "a()"),
        ("a()\n    b()\n    c()", "\n    b()\n    d()\n", None),
        ("a()\n    b()", "\n    b()\n    d()\n", "a()"),
    ],
)
def test_a_text_ends_before_the_lines_that_stand_below(text: str, right: str, kept: str | None) -> None:
    end = next(cuts("def f():\n    ", text, right, Repeats()), None)
    assert (None if end is None else text[:end]) == kept


def test_blank_lines_hold_no_blanks() -> None:
    place = place_at("def f(a):\n    |\n")
    assert without_afterthought(place, "b = a\n    \n    return b") == "b = a\n\n    return b"
    assert without_afterthought(place, " \n    return a") == "\n    return a"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a()\n\n    # Then b", "a()"),
        ("a()\n    # Then b\n    b()", "a()\n    # Then b\n    b()"),
        ("# Only this", "# Only this"),
    ],
)
def test_a_text_that_was_cut_ends_with_no_comment(text: str, kept: str) -> None:
    assert without_last_comments(text) == kept


@pytest.mark.parametrize(
    ("text", "announced"),
    [
        ("# Sort them", True),
        ("a = 1\n    # Sort them", True),
        ("# Sort them\n    # by size\n    return", True),
        ("// Sort them\n  return;", False),
        ("# Sort them\n    a.sort()", False),
        ("return", False),
        ("a = 1\n    return", False),
    ],
)
def test_comments_announce_code_that_is_not_there(text: str, announced: bool) -> None:
    assert announces_code(text) is announced


@pytest.mark.parametrize(
    ("left", "text", "may"),
    [
        ("def f(a):\n    ", "# Your code here", False),
        ("def f(a):\n    ", "b = a\n    # TODO: the rest", False),
        ("def f(a):\n    ", "# Implement the function", False),
        ("def f(a):\n    ", "# Implementation of Kadane's algorithm", True),
        ("def f(a):\n    ", "# Sort them by size", True),
        ("def f(a):\n    ", "def f(b):", False),
        ("def f(a):\n    ", "def g(b):", True),
        ("def f(a):\n    # ", "Your code here", False),
    ],
)
def test_nothing_stands_for_code_that_is_to_be_written(left: str, text: str, may: bool) -> None:
    for size in (1, 4, len(text)):  # token by token
        state: Any = without_placeholders(NoConstraint(complete=True), left)
        for start in range(0, len(text), size):
            state = state and state.advance(text[start : start + size])
        after = state and state.advance(" x")
        assert (after is not None) is may


def completion(*lines: tuple[str, float], ended: Any = "model") -> Completion:
    """A text of lines, each with the log probability of the text up to it."""
    text, trail = "", list[Passed]()
    for line, log_prob in lines:
        text += line if not text else "\n    " + line
        trail.append(Passed(len(text), log_prob, True))
    return Completion(text, len(trail), ended, True, 0.0, 0.0, 0.0, trail=tuple(trail))


def test_parts_are_whole_lines_the_longest_first() -> None:
    made = completion(("a()", -0.1), ("b()", -2.0), ("c()", -2.1))
    parts = [part.text for part, _ in blocks.parts(made)]
    assert parts == ["a()\n    b()\n    c()", "a()\n    b()", "a()"]


def test_a_block_that_the_model_is_surer_of_is_likelier_kept() -> None:
    sure, unsure = (completion(("a()", -0.1), ("b()", low)) for low in (-0.2, -6.0))
    probabilities = [next(blocks.parts(one))[1] for one in (sure, unsure)]
    assert 1 > probabilities[0] > probabilities[1] > 0


def test_a_block_needs_as_much_more_as_other_texts_do() -> None:
    assert blocks.least(THRESHOLD, documented=False) == pytest.approx(blocks.LEAST)
    assert blocks.least(0.85, documented=False) > blocks.LEAST > blocks.least(0.1, documented=False)
    assert blocks.least(THRESHOLD, documented=True) == pytest.approx(blocks.LEAST_DOCUMENTED)


@pytest.mark.parametrize(
    ("name", "marked", "sure", "goes_on", "shown"),
    [
        ("go", "package a\n\nfunc f(a int) {\n\t|\n}\n", 0.45, False, "b()"),
        ("go", "package a\n\nfunc f(a int) {\n\t|\n}\n", 0.55, False, "b()\n    c()"),
        ("go", "package a\n\n// f sorts.\nfunc f(a int) {\n\t|\n}\n", 0.45, False, "b()"),
        ("go", "package a\n\nfunc f(a int) {\n\t|\n}\n", 0.45, True, "b()\n    c()"),  # somebody has taken the block
        ("typescript", "function f(a: number) {\n  |\n}\n", 0.45, False, "b()"),
        ("python", "def f(a):\n    |\n", 0.45, False, "b()\n    c()"),
    ],
)
def test_several_lines_in_braces_have_to_be_surer(
    monkeypatch: pytest.MonkeyPatch, name: str, marked: str, sure: float, goes_on: bool, shown: str
) -> None:
    said = completion(("b()", -0.01), ("c()", -0.02))
    monkeypatch.setattr(suggestion, "fill", lambda *_: said)
    monkeypatch.setattr(blocks, "probability", lambda trail: sure if len(trail) > 1 else 0.9)
    model: Any = SimpleNamespace(certainty=Certainty(), reader=None, served=None)
    column = 4 if goes_on else None
    request = Request(model, Options(language=name), Limits(certainty=THRESHOLD, shows="bodies"), column=column)
    assert next(part.text for part in bodies(place_at(marked, name), request)) == shown


@pytest.mark.parametrize(
    ("left", "documented"),
    [
        ('def f(a):\n    """Sort a."""\n    ', True),
        ("def f(a):\n    # Sort a.\n    ", True),
        ("# Sort a.\ndef f(\n    a,\n):\n    ", True),
        ("// f sorts a.\nfunc (b *B) f(a []int) {\n\t", True),
        ("/**\n * Sorts a.\n */\nexport const f = (a: A): A => {\n  ", True),
        ("/** Sorts a. */\nexport function f(a: A): Map<A, B> {\n  ", True),
        ("b = c\n# Sort a.\n", True),
        ("def f(a):\n    ", False),
        ("# Sort a.\ndef f(a):\n    if a:\n        ", False),
        ('class A:\n    """Sorts."""\n\n    def f(a):\n        ', False),
        ("class A:\n    ", False),
    ],
)
def test_a_body_is_documented_by_what_is_said_of_it_alone(left: str, documented: bool) -> None:
    assert is_documented(left) is documented


@pytest.mark.parametrize(
    ("marked", "shows", "ended", "shown", "goes_on"),
    [
        ("def f(a):\n    |\n", "bodies", "model", "b = a\n    return b", None),
        ("def f(a):\n    |\n", "bodies", "length", "b = a\n    return b", 4),
        ("def f(a):\n    |\n", "lines", "model", "", None),
        ("def f(a):\n    b = a\n    |\n", "bodies", "model", "", None),
    ],
)
def test_a_body_is_shown_where_it_begins(
    monkeypatch: pytest.MonkeyPatch, marked: str, shows: Any, ended: str, shown: str, goes_on: int | None
) -> None:
    said = completion(("b = a", -0.01), ("return b", -0.02), ended=ended)
    monkeypatch.setattr(
        suggestion, "fill", lambda *asked: said if asked[4].fullest else Completion("", 0, "nothing", False, 0, 0, 0)
    )
    model: Any = SimpleNamespace(certainty=Certainty(), reader=None, served=None)
    place = place_at(marked)
    request = Request(model, Options(language="python"), Limits(certainty=THRESHOLD, shows=shows))
    found = suggestion.suggest(place.cursor, place.session, request)
    assert (found.text, getattr(found, "column", None)) == (shown, goes_on)


def test_of_a_body_that_is_unsure_only_the_sure_lines_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    said = completion(("b = a", -0.01), ("return b", -9.0), ended="model")
    monkeypatch.setattr(suggestion, "fill", lambda *_: said)
    model: Any = SimpleNamespace(certainty=Certainty(), reader=None, served=None)
    chosen = [probability for _, probability in blocks.parts(said)]
    monkeypatch.setattr(blocks, "least", lambda *_: (chosen[0] + chosen[1]) / 2)
    request = Request(model, Options(language="python"), Limits(certainty=THRESHOLD, shows="bodies"))
    made = bodies(place_at("def f(a):\n    |\n"), request)
    assert [(part.text, part.column) for part in made] == [("b = a", 4)]


@pytest.mark.parametrize(
    ("begun", "rest", "shown"),
    [
        ("b = a.copy", -0.02, "b = a.copy(c, d)"),
        ("b = a.copy", -0.7, "b = a.copy"),
        ("b = a", -0.7, "b = a.copy(c, d)"),
    ],
)
def test_of_a_body_in_one_line_the_worthier_beginning_comes_first(
    monkeypatch: pytest.MonkeyPatch, begun: str, rest: float, shown: str
) -> None:
    whole = "b = a.copy(c, d)"
    trail = (Passed(len(begun), -0.01, True), Passed(len(whole), rest, True))
    said = Completion(whole, 2, "model", True, 0.0, 0.0, 0.0, trail=trail)
    monkeypatch.setattr(suggestion, "fill", lambda *_: said)
    monkeypatch.setattr(blocks, "least", lambda *_: 0.1)
    model: Any = SimpleNamespace(certainty=Certainty(), reader=None, served=None)
    request = Request(model, Options(language="python"), Limits(certainty=THRESHOLD, shows="bodies"))
    texts = suggestion.texts(place_at("def f(a, c, d):\n    |\n"), request)
    first = next(texts)
    assert isinstance(first, Suggestion) and first.text == shown


@pytest.mark.parametrize(
    ("text", "written", "ended", "behind", "column"),
    [
        ("for b in a {\n\t\tc()\n\t}", "for b in a {\n\t\tc()\n\t\td", "earlier", 3, 16),
        ("f(\n    g({\n      a,\n    })\n  )", "f(\n    g({\n      a,\n      b", "earlier", 11, 6),
        ("f(a)", "f(a)\n  b", "earlier", 0, 2),  # nothing was open
        ("if a {\n\t\tb()\n\t}", "if c {", "earlier", 0, 2),  # another text
        ("f(\n    a\n  )", "f(\n    a", "bridge", 0, 2),
    ],
)
def test_the_cursor_stays_before_the_lines_that_close_what_was_cut(
    text: str, written: str, ended: Any, behind: int, column: int
) -> None:
    made = Completion(text, 1, ended, True, 0.0, 0.0, 0.0, written=written)
    for newline in ("\n", "\r\n"):
        said = Suggestion(text.replace("\n", newline), made, True, 0.0, column=2)
        shown = decision._before_closers(place_at(f"a{newline}|"), said)
        lines = shown.text[len(shown.text) - shown.behind :].count("\n")
        assert (shown.behind, shown.column) == (behind + lines * (len(newline) - 1), column)


@pytest.mark.parametrize(("inside", "shown"), [(True, ["for a {\n\t\tb()\n\t}"]), (False, [])])
def test_unasked_no_block_is_shown_closed_in_which_one_could_not_go_on(
    monkeypatch: pytest.MonkeyPatch, inside: bool, shown: list[str]
) -> None:
    text, written = "for a {\n\t\tb()\n\t}", "for a {\n\t\tb()\n\t\tc"
    trail = tuple(Passed(length, -0.01, False) for length in (5, 12, len(written)))
    said = Completion(text, 3, "earlier", True, 0.0, 0.0, 0.0, trail=trail, written=written)
    monkeypatch.setattr(suggestion, "fill", lambda *_: said)
    model: Any = SimpleNamespace(certainty=Certainty(), reader=None, served=None)
    place = place_at("package a\n\nfunc f(a bool) {\n\t|\n}\n", "go")
    request = Request(model, Options(language="go"), Limits(certainty=THRESHOLD, shows="bodies", inside=inside))
    assert [each.text for each in bodies(place, request)] == shown


@pytest.mark.parametrize(
    ("lines", "text"), [(("# b", "c()"), "# b\n    c()"), (("b()", "# c"), "b()"), (("# b",), None)]
)
def test_a_body_does_not_end_with_a_comment_about_what_comes(
    monkeypatch: pytest.MonkeyPatch, lines: tuple[str, ...], text: str | None
) -> None:
    made = completion(*((line, -0.01) for line in lines), ended="length")
    monkeypatch.setattr(suggestion, "fill", lambda *_: made)
    model: Any = SimpleNamespace(certainty=Certainty(), reader=None, served=None)
    request = Request(model, Options(language="python"), Limits(certainty=THRESHOLD, shows="bodies"))
    shown = next(bodies(place_at("def f(a):\n    |\n"), request), None)
    assert (None if shown is None else shown.text) == text


def test_a_text_that_is_asked_for_goes_on_behind_its_block(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a loop it goes on to the function's end; unasked, the loop's body comes first."""
    columns = list[int | None]()

    def filled(*asked: Any) -> list[Completion]:
        columns.append(asked[4].block_column)
        return []

    monkeypatch.setattr(suggestion, "fill_several", filled)
    monkeypatch.setattr(suggestion, "fill", lambda *asked: [*filled(*asked), completion()][0])
    model: Any = SimpleNamespace(certainty=Certainty(), reader=None, served=None)
    place = place_at("def f(a):\n    while a:\n        |\n")
    request = Request(model, Options(language="python", fullest=True), Limits(shows="bodies"))
    suggestion.suggest_several(place.cursor, place.session, request, 3)
    list(bodies(place, replace(request, options=Options(language="python"), limits=Limits(certainty=THRESHOLD))))
    assert columns == [1, 8]


def bodies(place: Editing, request: Request) -> Iterator[Suggestion]:
    """The beginnings of a body shown unasked."""
    case = decision.Case(place, request.model, request.limits, goes_on=request.column is not None)
    return suggestion._bodies(case, request, request.options)


def said(text: str) -> Suggestion:
    return Suggestion(text, Completion(text, 1, "model", True, 0.0, 0.0, 0.0), True, 0.0)


def test_the_fullest_text_comes_before_a_line_that_is_likely() -> None:
    line, body, other = said("a = b"), said("c()\nd()"), said("e()")
    assert placed(line, [body, other], True, 3) == [body, other, line]
    assert placed(line, [other, body], True, 2) == [line, other]
    assert placed(line, [other], False, 3) == [other, line]
    assert placed(line, [], False, 3) == [line]


def test_the_embedded_model_writes_no_comments_and_no_nonsense() -> None:
    engine = CompletionEngine(Settings(device="cpu"))
    prose = CursorContext("a.py", "python", "# This is \nx = 1\n", 10)
    assert engine.suggest(prose, lambda: False) == Hidden(Reason.PROSE)
    assert engine.alternatives(prose, 3, lambda: False) == []
    left = 'def fibonacci(n):\n    """Give the n-th number of Fibonacci."""\n    '
    for _ in range(2):
        nonsense = CursorContext("b.py", "python", left, len(left))
        found = engine.alternatives(nonsense, 3, lambda: False)
        assert all(one.probability >= LIKELY_OF_SMALL for one in found)
        if not found:
            assert len(engine.keeper.notices) == 1 and "suture models" in engine.keeper.notices[0]


def test_the_embedded_model_answers_whoever_asks_behind_return() -> None:
    """However uncertain, and it says so."""
    engine = CompletionEngine(Settings(device="cpu"), patient=True)
    left = "def area(width, height):\n    return "
    found = engine.alternatives(CursorContext("a.py", "python", left + "\n", len(left)), 3, lambda: False)
    assert found and all(set(re.findall(r"\w+", one.text)) <= {"width", "height"} for one in found)
    assert bool(engine.keeper.notices) is all(one.probability < LIKELY_OF_SMALL for one in found)


@pytest.mark.parametrize(
    ("steps", "worth", "shown"),
    [
        ((("return width", -1.5), ("return width / height", -3.5)), 0.05, "return width"),
        ((("return width", -1.5), ("return width / height", -2.5)), 0.05, "return width / height"),
        ((("return width", -1.5), ("return width / height", -3.5)), 0.0, "return width / height"),
        ((("return width", -3.2), ("return width / height", -3.5)), 0.05, None),
        ((("return", -0.5), ("return width / height", -3.5)), 0.05, None),
        ((("width", -0.5), ("width / height", -3.5)), 0.05, None),
        ((("return width.area", -0.5), ("return width.area()", -3.5)), 0.05, None),
    ],
)
def test_of_an_improbable_body_that_is_asked_for_its_probable_beginning_is_shown(
    monkeypatch: pytest.MonkeyPatch, steps: tuple[tuple[str, float], ...], worth: float, shown: str | None
) -> None:
    trail = tuple(Passed(len(text), log_prob, True) for text, log_prob in steps)
    text = steps[-1][0]
    made = Completion(text, len(trail), "model", True, 0.0, 0.0, 0.0, trail=trail, written=text)
    monkeypatch.setattr(suggestion, "fill_several", lambda *_: [made])
    model: Any = SimpleNamespace(certainty=Certainty(), reader=None, served=None)
    request = Request(model, Options(language="python"), Limits(worth=worth))
    place = place_at("def area(width, height):\n    |\n")
    found = suggestion.suggest_several(place.cursor, place.session, request, 3)
    assert [one.text for one in found] == [shown][: shown is not None]
