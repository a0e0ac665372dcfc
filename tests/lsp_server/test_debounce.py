"""How long an automatic request waits: as the typing suggests, within the bounds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from suture.lsp_server.completion.asking.debounce import LIMITS, TypingRhythm, typed, wait_s


def after(*times_s: float) -> TypingRhythm:
    """The rhythm after keys at these times."""
    rhythm = TypingRhythm()
    for time_s in times_s:
        rhythm = typed(rhythm, time_s)
    return rhythm


def keys(count: int, interval_s: float) -> list[float]:
    return [number * interval_s for number in range(count)]


@pytest.mark.parametrize(
    ("times_s", "later_s", "waits_s"),
    [
        ([], 0.0, 0.0),  # nothing was typed: a cursor moved
        (keys(3, 0.1), 0.0, 0.0),  # too little is known
        (keys(4, 0.1), 0.0, 0.0),
        (keys(5, 0.1), 0.0, 0.12),
        (keys(8, 0.1), 0.0, 0.12),
        (keys(8, 0.1), 0.05, 0.07),  # the time since the key counts
        (keys(8, 0.1), 0.2, 0.0),
        (keys(8, 0.24), 0.0, 0.25),  # the longest
        ([0.25 * number for number in range(8)], 0.0, 0.0),  # just too slow
        (keys(8, 0.3), 0.0, 0.0),  # slow typing
        ([*keys(8, 0.1), 5.0], 0.0, 0.0),  # the first key after a pause
        ([*keys(8, 0.1), 1.1], 0.0, 0.12),  # a hesitation
        ([*keys(8, 0.1), 1.25], 0.0, 0.0),  # the first key after a rest
        ([*keys(8, 0.1), 1.25, 1.35], 0.0, 0.12),  # which leaves the rhythm as it was
    ],
)
def test_the_wait(times_s, later_s, waits_s):
    now_s = (times_s[-1] if times_s else 0.0) + later_s
    assert wait_s(after(*times_s), now_s) == pytest.approx(waits_s)


def test_a_rest_begins_at_its_limit():
    assert wait_s(TypingRhythm((0.1,) * 7 + (LIMITS.rest_s,), 10.0), 10.0) == 0.0


@given(st.lists(st.floats(0, 3), max_size=40), st.floats(-1, 10))
def test_the_wait_is_bounded_whatever_the_clock_says(intervals_s, later_s):
    rhythm, now_s = TypingRhythm(), 0.0
    for interval_s in intervals_s:
        now_s += interval_s
        rhythm = typed(rhythm, now_s)
    assert 0 <= wait_s(rhythm, now_s + max(later_s, 0)) <= LIMITS.most_s
    assert len(rhythm.intervals_s) <= 12
    assert typed(rhythm, now_s - 1).intervals_s == ()  # a clock that goes back is a new start
