"""After suggestions against which the user has typed, the next one has to be more certain."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from suture.lsp_server.completion.asking.refusals import Refusals, Shown, refused_since
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.completion.judging.policy import MOST, raised
from suture.lsp_server.settings.spec import Settings

LAST = Shown("a = 1\nx = \n", 10, "foo(a)", 1)


@pytest.mark.parametrize(
    ("text", "offset", "refused"),
    [
        ("a = 1\nx = \n", 10, 1),  # asked again
        ("a = 1\nx = fo\n", 12, 1),  # typed along
        ("a = 1\nx = fob\n", 13, 2),
        ("a = 1\nx = b\n", 11, 2),
        ("a = 1\nx = foo(a)\n", 16, 0),  # accepted
        ("a = 1\nx = foo(a) + 1\n", 20, 0),
        ("a = 1\nx = \ny\n", 12, 0),  # the next line
        ("a = 1\nx =\n", 9, 0),  # deleted
        ("a = 1\nx = \n", 3, 0),  # elsewhere
        ("b = 2\na = 1\nx = b\n", 17, 0),  # lines above were changed
    ],
)
def test_what_counts_as_refused(text: str, offset: int, refused: int) -> None:
    assert refused_since(LAST, text, offset) == refused


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_an_empty_first_line_is_a_line(end: str) -> None:
    at = len(end)
    assert refused_since(Shown(f"{end}x = ", at + 4, "foo", 1), f"{end}x = b", at + 5) == 2
    assert refused_since(Shown(f"{end}x = ", at + 4, "foo", 1), "x = b", 5) == 0


def test_where_nothing_was_shown_nothing_is_refused() -> None:
    assert refused_since(Shown("x = \n", 4, "", 2), "x = b\n", 5) == 2


@given(st.floats(0, 1), st.integers(0, 20))
def test_the_threshold_rises_within_bounds(certainty: float, refused: int) -> None:
    least = raised(certainty, refused)
    assert certainty <= least <= max(MOST, certainty)
    assert least == certainty if not certainty or not refused else raised(certainty, refused + 1) >= least


def test_the_threshold_rises_by_a_tenth() -> None:
    assert raised(0.0, 3) == 0.0  # a user who wants to see all sees all
    assert [raised(0.3, refused) for refused in (0, 1, 2, 9)] == pytest.approx([0.3, 0.4, 0.5, MOST])


def test_the_engine_asks_for_more_certainty() -> None:
    engine = CompletionEngine(Settings(certainty=0.3))
    place = CursorContext("a", "python", "x = \n", 4)
    assert engine.least_certainty(place) == 0.3
    assert engine.least_certainty(CursorContext("a", "python", "x = \n", 4, refused=2)) == raised(0.3, 2) > 0.4


def test_each_document_has_its_own() -> None:
    refusals = Refusals()
    refusals.note("a", LAST)
    assert refusals.count("a", "a = 1\nx = b\n", 11) == 2
    assert refusals.count("b", "a = 1\nx = b\n", 11) == 0
    refusals.forget("a")
    assert refusals.count("a", "a = 1\nx = b\n", 11) == 0
