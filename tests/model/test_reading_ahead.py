"""A slow model's context: a short one while somebody waits, the whole one once read in a pause; with a counting server."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from suture.model import Model, Options, complete, load
from suture.model.decoding.api import read_ahead
from suture.model.errors import Cancelled
from suture.model.runtime.served.dialect import Drafted
from suture.model.runtime.served.reading import ReadingSpeed
from suture.model.runtime.served.runtime import ServedRuntime
from suture.parser import language

LEFT = "".join(f"value_{n} = compute({n}, 'some text')\n" for n in range(40)) + "total = "
RIGHT = "\n" + "".join(f"print(value_{n})\n" for n in range(40))


class Ended:
    """A draft of the immediate end of the text."""

    def __init__(self, end: int) -> None:
        self._left = [Drafted(end, {end: -0.1, 99: -4.0})] * 3

    def next(self, cancelled: object) -> Drafted | None:
        return self._left.pop() if self._left else None

    def close(self) -> None:
        self._left.clear()


class Counting:
    """A server's dialect that notes the prompts to read."""

    name = "counting"

    def __init__(self, end: int) -> None:
        self.end = end
        self.drafted: list[tuple[int, ...]] = []
        self.read_to: list[tuple[int, ...]] = []

    def draft(self, ids: Sequence[int], tokens: int, around: object = None) -> Ended:
        self.drafted.append(tuple(ids))
        self.draft_of_late = Ended(self.end)
        return self.draft_of_late

    def among(self, ids: Sequence[int], allowed: Sequence[int] | None, cancelled: object) -> Mapping[int, float]:
        assert not self.draft_of_late._left, "the draft is closed before anything else is asked"
        return dict.fromkeys((allowed or ())[:50], -1.0)

    def score(self, ids: Sequence[int], text: Sequence[int], cancelled: object) -> float | None:
        return None

    def read(self, ids: Sequence[int], cancelled: object) -> float:
        self.read_to.append(tuple(ids))
        return 0.0

    def recover(self, problem: object) -> None:
        pass

    def close(self) -> None:
        pass


@pytest.fixture(scope="module")
def embedded() -> Model:
    return load(copying=False)


def slow(embedded: Model) -> tuple[Model, Counting]:
    dialect = Counting(embedded.template.ends[0])
    runtime = ServedRuntime(dialect, size=embedded.runtime.size, limit=2048, reading=ReadingSpeed(14.5, wanted=800))
    return replace(embedded, runtime=runtime, served=runtime), dialect


def fill(model: Model, left: str = LEFT, **more: int) -> None:
    state = language("python").hole(left, RIGHT).state
    assert state is not None
    complete(model, state, left, RIGHT, Options(max_tokens=4, bridge_ms=50, **more))  # type: ignore[arg-type]


def test_after_a_jump_little_is_read_and_after_a_pause_all(embedded: Model) -> None:
    model, dialect = slow(embedded)
    fill(model)
    assert len(dialect.drafted[0]) < 130
    read_ahead(model, LEFT, RIGHT, Options(), lambda: False)
    assert len(dialect.read_to[-1]) > 600
    steps = [len(ids) for ids in dialect.read_to]
    assert max(b - a for a, b in pairwise(steps)) <= 16
    before = len(dialect.drafted)
    fill(model, LEFT + "sum")  # a few letters later
    assert len(dialect.drafted[before]) > 600


def test_a_draft_that_is_refused_is_closed_before_the_server_is_asked_for_more(embedded: Model) -> None:
    model, dialect = slow(embedded)
    model.runtime.prefill([5, 6, 7])
    assert dialect.draft_of_late._left
    assert model.served is not None
    model.served.among([7, 8])
    model.runtime.prefill([5, 6])
    model.served.best_of([5, 6], [[7], [8]])
    assert not dialect.draft_of_late._left


def test_a_question_that_the_server_is_not_asked_is_no_answer_of_it(embedded: Model) -> None:
    model, dialect = slow(embedded)
    assert model.served is not None
    model.served.best_of([5, 6], [[7], [8]])  # this dialect cannot say it
    assert model.served.counts.answers == 0
    read_ahead(model, LEFT, RIGHT, Options(), lambda: False)
    assert model.served.counts.answers == len(dialect.read_to) > 0


def test_what_is_read_once_is_not_read_ahead_again(embedded: Model) -> None:
    model, dialect = slow(embedded)
    read_ahead(model, LEFT, RIGHT, Options(), lambda: False)
    count = len(dialect.read_to)
    read_ahead(model, LEFT, RIGHT, Options(), lambda: False)
    assert len(dialect.read_to) == count


def test_reading_goes_on_where_it_was_stopped(embedded: Model) -> None:
    model, dialect = slow(embedded)
    asked = iter([False] * 20 + [True] * 2)
    read_ahead(model, LEFT, RIGHT, Options(), lambda: next(asked))
    stopped = len(dialect.read_to[-1])
    fill(model)  # the short prompt, between
    read_ahead(model, LEFT, RIGHT, Options(), lambda: False)
    assert len(dialect.read_to[20]) > stopped
    assert all(len(ids) > stopped for ids in dialect.read_to[20:])


def test_who_says_how_much_context_gets_it(embedded: Model) -> None:
    model, dialect = slow(embedded)
    fill(model, context_tokens=600)
    assert len(dialect.drafted[0]) > 400


def test_a_runtime_that_is_stopped_says_so(embedded: Model) -> None:
    model, _ = slow(embedded)
    assert model.served is not None
    with pytest.raises(Cancelled):
        model.served.read_ahead(list(range(300)), lambda: True)


@pytest.mark.parametrize(
    ("speed_ms", "wanted", "whole", "first"),
    [
        (0.05, None, 2048, None),  # a GPU: all at once
        (8.0, None, 1536, 192),
        (14.5, None, 1024, 96),
        (60.0, None, 384, 96),
        (8.0, 150, 150, None),  # as the user says
        (8.0, 1000, 1000, 192),
    ],
)
def test_contexts_by_the_speed_of_reading(speed_ms: float, wanted: int | None, whole: int, first: int | None) -> None:
    reading = ReadingSpeed(speed_ms, wanted)
    assert (reading.whole, reading.first) == (whole, first)


def test_a_machine_that_was_busy_at_first_gets_a_larger_context_and_keeps_it() -> None:
    reading = ReadingSpeed(40.0)
    assert (reading.whole, reading.first) == (384, 96)
    reading.note(0.0)  # not told
    for _ in range(40):
        reading.note(7.0)
    assert (reading.whole, reading.first) == (2048, 192)
    for _ in range(40):
        reading.note(40.0)
    assert (reading.whole, reading.first) == (2048, 96)
