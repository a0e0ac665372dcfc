"""A cached suggestion fits again exactly where it leads to the same file, and the cache is bounded."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from suture.lsp_server.completion.asking import suggestion_cache as module
from suture.lsp_server.completion.asking.suggestion_cache import (
    MAX_PER_DOCUMENT,
    CachedSuggestion,
    SuggestionCache,
    file_after,
    realignments,
    remainder,
)
from suture.parser import language


def split(marked: str) -> tuple[str, int]:
    return marked.replace("|", ""), marked.index("|")


def made(marked: str, suggestion: str) -> CachedSuggestion[None]:
    return CachedSuggestion(*split(marked), suggestion, None)


@pytest.mark.parametrize(
    ("for_text", "suggestion", "now", "rest"),
    [
        ("x = |\n", "foo(a)", "x = |\n", "foo(a)"),  # asked again
        ("x = |\n", "foo(a)", "x = fo|\n", "o(a)"),  # typed along
        ("x = |\n", "foo(a)", "x = foo(a|\n", ")"),
        ("x = |\n", "foo(a)", "x = foo(|)\n", "a"),  # the editor closed the bracket
        ("x = f|\n", "oo(a)", "x = |\n", None),  # deleted text from before
        ("x = |\n", "foo(a)", "x = foo(a)|\n", None),  # all of it is there
        ("x = |\n", "foo(a)", "x = fa|\n", None),  # typed something else
        ("x = |\n", "foo(a)", "y = fo|\n", None),  # edited elsewhere, on the left
        ("x = |\n", "foo(a)", "x = fo|\n\n", None),  # and on the right
        ("x = |\n", "foo(a)", "x = foo(|) \n", None),
        ("x = |)\n", "foo(a)", "x = foo(|))\n", "a"),
        ("if x:|\n", "\n    y = 1", "if x:\n    |\n", "y = 1"),  # the editor indented
        ("x = |\n", "aaa", "x = a|\n", "aa"),
        ("x = |\n", "aaa", "x = |a\n", "aa"),  # the same file all the same
        ("x = 1|\n", "", "x = 1|\n", ""),  # nothing, and still nothing
        ("x = 1|\n", "", "x = 12|\n", None),
    ],
)
def test_what_is_left_of_a_suggestion(for_text, suggestion, now, rest):
    assert remainder(made(for_text, suggestion), *split(now)) == rest


@given(st.data())
def test_what_is_left_leads_to_the_same_file(data):
    """Against the definition, on short texts of few letters, where everything coincides easily."""
    letters = st.text("ab)", max_size=5)
    left, suggestion, right, now = (data.draw(letters) for _ in range(4))
    offset = data.draw(st.integers(0, len(now)))
    remembered = CachedSuggestion(left + right, len(left), suggestion, None)
    rest = remainder(remembered, now, offset)
    file = left + suggestion + right
    missing = len(file) - len(now)
    within = len(left) <= offset and offset + missing <= len(left + suggestion)
    fits = missing > 0 and within and now[:offset] + file[offset : offset + missing] + now[offset:] == file
    if suggestion:
        assert (rest is not None) == fits
        assert rest is None or now[:offset] + rest + now[offset:] == file


@pytest.mark.parametrize(
    ("for_text", "suggestion", "now", "fits"),
    [
        ("x = |\n", "foo(a, (b)).c", "x = foo(|)\n", "a, (b)"),  # the closer is there; the text after it is given up
        ("x = |\n", "f(a) + g(b)", "x = f(|)\n", "a) + g(b"),
        ("x = |\n", "[a, b][0]", "x = [|]\n", "a, b][0"),
        ('x = |\n', '"a" + b', 'x = "|"\n', "a"),
        ('x = |\n', '"""a""" + b', 'x = """|"""\n', "a"),
    ],
)  # fmt: skip
def test_what_the_editor_closed_is_judged_by_the_engine(for_text, suggestion, now, fits):
    text, offset = split(now)
    state = language("python").hole(text[:offset], text[offset:]).state
    assert state is not None
    valid = []
    for candidate in realignments(made(for_text, suggestion), text, offset):
        after = state.advance(candidate)
        if after is not None and after.complete:
            valid.append(candidate)
            ast.parse(text[:offset] + candidate + text[offset:])
    assert valid[0] == fits


@pytest.mark.parametrize(
    "now",
    ["x = foo(| \n", "x = foo(|))))\n", "x = fou(|)\n", "y = foo(|)\n", "x = |)\n", "x = foo(a)(|)\n", "x = foo(|)z\n"],
)
def test_what_the_editor_did_not_close_is_no_repair(now):
    assert list(realignments(made("x = |\n", "foo(a)"), *split(now))) == []


def test_the_newest_that_fits_is_found_and_older_ones_are_kept():
    recall: SuggestionCache[int] = SuggestionCache()
    recall.remember("d", CachedSuggestion("x = \n", 4, "foo", 1))
    recall.remember("d", CachedSuggestion("x = b\n", 5, "ar", 2))
    found = recall.find("d", "x = ba\n", 6)
    assert found is not None and (found[0], found[1].value) == ("r", 2)
    found = recall.find("d", "x = \n", 4)  # deleted again
    assert found is not None and (found[0], found[1].value) == ("foo", 1)
    recall.remember("d", CachedSuggestion("x = \n", 4, "baz", 3))
    found = recall.find("d", "x = \n", 4)
    assert found is not None and found[1].value == 3
    assert recall.find("other", "x = \n", 4) is None
    recall.forget("d")
    assert recall.find("d", "x = \n", 4) is None


def test_a_file_is_the_same_while_its_suggestion_is_typed():
    text, suggestion = "a" * 500 + "x = \n" + "b" * 500, "foo(a)"
    first = file_after(text, 504, suggestion)
    for typed in range(1, 6):
        along = text[:504] + suggestion[:typed] + text[504:]
        assert file_after(along, 504 + typed, suggestion[typed:]) == first
    assert file_after(text, 504, "foo(b)") != first
    assert file_after(text, 505, suggestion) != first


def test_memory_is_bounded(monkeypatch):
    recall: SuggestionCache[None] = SuggestionCache()
    for number in range(3 * MAX_PER_DOCUMENT):
        recall.remember("d", CachedSuggestion("x" * 100, number, "y", None))
        recall.remember("d", CachedSuggestion("x" * 100, number, "y", None))  # the same again takes no place
    assert [entry.offset for entry in recall.of("d")] == list(range(23, 15, -1))
    monkeypatch.setattr(module, "MAX_CHARS", 1000)
    for number in range(20):
        recall.remember(f"d{number}", CachedSuggestion("x" * 300, 0, "y", None))
        assert recall.chars <= 1000
    assert recall.of("d19") and not recall.of("d16")
    recall.remember("full", CachedSuggestion("x" * 400, 0, "y", None))
    assert recall.chars == 1000 and recall.of("d18") and recall.of("d19")
    recall.remember("large", CachedSuggestion("x" * 5000, 0, "y", None))  # the newest stays whatever its size
    assert recall.chars == 5000 and recall.of("large")
