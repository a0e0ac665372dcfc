"""How quickly somebody types, and how long a suggestion may therefore wait: pure functions of times in seconds.

While keys follow each other quickly, a text computed after one of them is outdated by the next. So an automatic request then
waits about as long as the next key usually takes. A slow typist never waits: the work fits between two keys. Nor does the first key
after a rest; if more keys follow, that costs one generation, which the next key stops.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

_REMEMBERED = 12  # intervals: some two words


@dataclass(frozen=True)
class DebounceLimits:
    """Bounds of the wait after a key; they cost latency at each pause, and spare a generation a key."""

    quick_s: float = 0.25  # keys further apart than this are no quick typing
    share: float = 1.2  # of the usual interval: the next key then comes before the wait is over in most cases
    most_s: float = 0.25  # the longest wait, counted from the last key
    rest_s: float = 0.5  # the first key after an interval this long is answered at once
    pause_s: float = 1.5  # an interval this long is a pause and tells nothing of the rhythm
    least_keys: int = 4  # intervals to know before anything is concluded


LIMITS = DebounceLimits()


@dataclass(frozen=True)
class TypingRhythm:
    """The last intervals between keys, and when the last key was typed."""

    intervals_s: tuple[float, ...] = ()
    last_s: float | None = None


def typed(rhythm: TypingRhythm, now_s: float, limits: DebounceLimits = LIMITS) -> TypingRhythm:
    """Give the rhythm after one more key."""
    if rhythm.last_s is None:
        return TypingRhythm(rhythm.intervals_s, now_s)
    interval = now_s - rhythm.last_s
    if not 0 <= interval < limits.pause_s:
        return TypingRhythm((), now_s)  # after a pause the rhythm is a new one
    return TypingRhythm((*rhythm.intervals_s, interval)[-_REMEMBERED:], now_s)


def wait_s(rhythm: TypingRhythm, now_s: float, limits: DebounceLimits = LIMITS) -> float:
    """Give how long a request that comes now should still wait: 0 to `most_s`."""
    if rhythm.last_s is None or len(rhythm.intervals_s) < limits.least_keys:
        return 0.0
    usual = median(rhythm.intervals_s)  # which a single hesitation does not move
    if usual >= limits.quick_s or rhythm.intervals_s[-1] >= limits.rest_s:
        return 0.0
    return max(0.0, min(limits.share * usual, limits.most_s) - (now_s - rhythm.last_s))
