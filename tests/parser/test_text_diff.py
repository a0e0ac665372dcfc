"""The changed part of a text, against a comparison of each character."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest
from suture.parser.conflicts import Unmarked, conflicts
from suture.parser.glr import text_diff
from suture.parser.glr.text_diff import common_prefix, common_suffix
from suture.parser.language import language
from suture.parser.languages.python.mending import last_triple_quotes

from ..support.inside import session_of
from ..support.oracle_python import stdlib_sources


def edited(alphabet: str, rng: random.Random, size: int) -> Iterator[str]:
    """Texts of a few letters: each is the last one after a small edit, or a new one."""
    text = ""
    for _ in range(20_000):
        yield text
        at = rng.randrange(len(text) + 1)
        text = text[:at] + "".join(rng.choices(alphabet, k=rng.randrange(3))) + text[at + rng.randrange(3) :]
        if rng.random() < 0.1 or len(text) > size:
            text = "".join(rng.choices(alphabet, k=rng.randrange(size)))


@pytest.mark.parametrize("at_once", [1, 3, 16_384])
def test_what_texts_share(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_diff, "_AT_ONCE", at_once)
    before = ""
    for text in edited("ab", random.Random(1), 25):
        size = min(len(before), len(text))
        assert common_prefix(before, text) == next((n for n in range(size) if before[n] != text[n]), size)
        assert common_suffix(before, text) == next((n for n in range(size) if before[~n] != text[~n]), size)
        before = text


def test_the_last_triple_quotes_are_those_found_from_the_beginning() -> None:
    rng = random.Random(2)
    for text in edited("\"\"\"'''x", rng, 18):
        end = rng.randrange(len(text) + 2)
        assert last_triple_quotes(text, end) == [match.start() for match in re.finditer("\"\"\"|'''", text[:end])][-2:]


def test_markers_of_conflicts_are_never_missed() -> None:
    """Whatever was edited before, a text with markers is read as a whole."""
    rng, unmarked, seen = random.Random(3), Unmarked(), 0
    kept = 0
    for text in edited("<====\n", rng, 40):
        offset = rng.randrange(len(text) + 1)
        holds = unmarked.holds(text, offset)
        assert holds or "=" * 7 in text or "<" * 7 in text
        assert not holds or not conflicts(text, offset)
        seen += not holds
        kept += holds and "=" * 7 in text
    assert seen > 200 and kept > 200


def test_a_session_with_edits_anywhere_is_as_a_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Edits repeat the text beside them, so that both ends share the same characters."""
    monkeypatch.setattr(text_diff, "_AT_ONCE", 64)
    rng, python = random.Random(4), language("python")
    text = stdlib_sources(rng, 1, 4_000)[0]
    session = session_of(python.session())
    for _ in range(60):
        at = rng.randrange(1, len(text))
        piece = text[at : at + rng.choice((1, 1, 4, 40))] * rng.choice((0, 1, 2, 3))
        text = text[:at] + piece + text[at + rng.choice((0, 0, 1, 5)) :]
        cursor = rng.choice((at, at + len(piece), rng.randrange(len(text))))
        session.renewed_view(text, cursor)  # as in a pause: until then a view stays while it holds
        hole, fresh = session.hole(text, cursor), python.renewed().session().hole(text, cursor)
        assert hole.fallback == fresh.fallback
        for typed in ("", "x", ")", "\n", "def f():"):
            one, other = (state and state.advance(typed) for state in (hole.state, fresh.state))
            assert (one and one.complete) == (other and other.complete)
