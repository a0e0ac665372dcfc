"""The bound on the parser's time for one request: it soon ends work of any kind, and the memos stay right."""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Iterable
from types import FrameType
from typing import Any

import pytest
from suture.parser import Hole, OutOfTime, Session, language, limited
from suture.parser.glr import effort
from suture.parser.languages.go.semantics.reading import Broken, Retold, begin
from suture.parser.languages.python.semantics.contents import Dialect
from suture.parser.languages.python.semantics.reading import START_READING, advanced

from tests.support.hostile import hostile
from tests.support.nestings import nestings
from tests.support.work import calls as calls_of

MOST_CALLS = 60_000
"""Calls of Python functions between two checks for cancellation: a few hundredths of a second."""


def asked(session: Session, left: str, right: str) -> tuple[Hole, list[Any]]:
    """A hole, and a request's questions about it."""
    hole = session.hole(left + right, len(left), level="names")
    found: list[Any] = [hole.fallback]
    if hole.state is not None:
        found.append(hole.state.complete)
        for char in "x)]}\n":
            after = hole.state.advance(char)
            found.append(None if after is None else after.complete)
    return hole, found


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each check takes a thousandth of a second."""
    ticks = itertools.count()
    monkeypatch.setattr(effort, "thread_time", lambda: next(ticks) / 1_000)


@pytest.mark.parametrize("name", ["python", "go", "typescriptreact", "json"])
@pytest.mark.usefixtures("clock")
def test_what_was_cut_short_is_right_when_it_is_asked_again(name: str) -> None:
    grammar, rng, cut_short = language(name), random.Random(1), 0
    for what, left, right in rng.sample([*hostile(name, 150)], 40):
        session = grammar.session()
        for seconds in (0.002, 0.02):
            try:
                with limited(seconds) as left_over:
                    asked(session, left, right)
            except OutOfTime:
                cut_short += 1
                assert left_over.is_spent
        assert asked(session, left, right)[1] == asked(grammar.session(), left, right)[1], what
    assert cut_short > 20


def test_an_engine_is_not_limited_outside(clock: None) -> None:
    with limited(0.0), pytest.raises(OutOfTime):
        language("python").session().hole("x = 1\n" * 500, 3_000)
    assert language("python").session().hole("x = 1\n" * 500, 3_000).viable


@pytest.mark.usefixtures("clock")
def test_a_long_line_takes_time_in_python() -> None:
    dialect = Dialect((3, 12))
    with limited(0.05), pytest.raises(OutOfTime):
        advanced(START_READING, "x = [" + "f(a), " * 5_000, dialect)
    with limited(0.05):
        advanced(START_READING, "x = [" + "f(a), " * 500, dialect)


def test_a_pause_for_other_work_counts_little(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(effort, "thread_time", lambda: now[0])
    with limited(0.5) as left_over:
        for _ in range(40):
            now[0] += 3.0  # of a model
            effort.spend()
    assert not left_over.is_spent


def test_the_last_of_the_time_is_for_whoever_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    now, waits = [0.0], [False]
    monkeypatch.setattr(effort, "thread_time", lambda: now[0])

    def spent(seconds: float) -> None:
        start = now[0]
        while now[0] < start + seconds - 1e-9:
            now[0] += 0.005
            effort.spend()

    with limited(0.8, lambda: waits[0], 0.5) as left_over:
        spent(0.6)
        waits[0] = True
        with pytest.raises(OutOfTime):
            effort.spend()
        assert left_over.is_spent
        with pytest.raises(OutOfTime):
            effort.spend()
    with limited(0.8, lambda: True, 0.5) as left_over:
        spent(0.29)
        assert not left_over.is_spent
        with pytest.raises(OutOfTime):
            spent(0.02)
    with limited(0.8, lambda: False, 0.5):
        spent(0.79)
        with pytest.raises(OutOfTime):
            spent(0.02)


def most_calls(
    name: str, texts: Iterable[tuple[str, str, str]], seconds: float, patch: pytest.MonkeyPatch
) -> dict[str, int]:
    """The most calls between two checks for cancellation in a request about each text, by the kind of request."""
    calls, worst, questions = 0, 0, 0

    def clock() -> float:
        nonlocal calls, worst, questions
        worst, calls, questions = max(worst, calls), 0, questions + 1
        return questions / 1_000

    def called(_: FrameType, event: str, __: object) -> None:
        nonlocal calls
        calls += event == "call"

    patch.setattr(effort, "thread_time", clock)
    # A new engine costs as much work as its grammar is large.
    patch.setattr(sys.modules["suture.parser.language"], "MAX_ENGINE_SIZE", 10**9)
    grammar = language(name)
    for text in ("", "\n)x", "}}"):
        asked(grammar.session(), "\n(" + text, text)
    found: dict[str, int] = {}
    for what, left, right in texts:
        session, calls, worst = grammar.session(), 0, 0
        sys.setprofile(called)
        try:
            with limited(seconds):
                hole = asked(session, left, right)[0]
                if hole.state is not None:
                    hole.state.bridges()
                session.mended(hole, left + right, len(left), level="names")
        except OutOfTime:
            pass
        finally:
            sys.setprofile(None)
        found[what] = max(worst, calls)
    return found


@pytest.mark.parametrize("name", ["python", "go", "typescriptreact", "json"])
def test_long_work_asks_often(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = random.Random(2).sample([*hostile(name, 1_000)], 40)
    found = most_calls(name, texts, 0.3, monkeypatch)
    assert {what: most for what, most in found.items() if most > MOST_CALLS} == {}


@pytest.mark.parametrize("depth", [10, 60, 700, 5_000])
@pytest.mark.parametrize("name", ["python", "go", "typescriptreact", "javascript", "json"])
def test_work_on_nested_texts_asks_often(name: str, depth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a key in the innermost level."""
    rng = random.Random(f"{name} {depth}")
    keys = [(what, left + rng.choice(("", " ", "+", ")", "}")), right) for what, left, right in nestings(name, depth)]
    found = most_calls(name, rng.sample(keys, min(5, len(keys))), rng.choice((0.02, 0.1, 0.3)), monkeypatch)
    assert {what: most for what, most in found.items() if most > MOST_CALLS} == {}


@pytest.mark.parametrize("kept", [False, True])
def test_readings_of_nested_indices_in_go_are_bounded(kept: bool) -> None:
    """Each `A[` may begin an index or type arguments, which doubled the readings: twice the text took four times the work."""
    made = []
    for depth in (500, 1_000):
        text = "var b = " + "A[" * depth + "x" + "]" * depth
        reading = begin("1.22").after("package p\n\nfunc f() {\n")

        def read() -> None:
            with pytest.raises(Broken):
                reading.after_known(text, Retold()) if kept else reading.after(text)  # noqa: B023 - called at once

        made.append(calls_of(read)[0])
    assert made[1] < 3 * made[0], made
    assert len(reading.after("var b = " + "A[" * 40 + "x" + "]" * 40 + "\n").tops) == 1


@pytest.mark.usefixtures("clock")
def test_readings_of_go_ask_for_the_time() -> None:
    """One key in a type nested 700 deep took 6 s, of 0.8."""
    text = "A[" * 30 + "x" + "]" * 30 + ";"
    with limited(0.05), pytest.raises(OutOfTime):
        begin("1.22").after("package p\n\nfunc f() {\n" + text * 50)
    with limited(0.05), pytest.raises(OutOfTime):
        begin("1.22").after("package p\n\nfunc f() {\n").after_known(text * 50, Retold())


def test_the_tokens_of_a_long_line_are_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    calls, most = 0, 0

    def clock() -> float:
        nonlocal calls, most
        most, calls = max(most, calls), 0
        return 0.0

    def called(_: FrameType, event: str, __: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    monkeypatch.setattr(effort, "thread_time", clock)
    for piece in ("pass;", "f(a, 'b') + ", "-", "f'{a}' + "):
        with limited(1.0):
            calls = most = 0
            sys.setprofile(called)
            try:
                advanced(START_READING, piece * (300_000 // len(piece)), Dialect((3, 12)))
            finally:
                sys.setprofile(None)
        assert max(most, calls) < MOST_CALLS, piece
