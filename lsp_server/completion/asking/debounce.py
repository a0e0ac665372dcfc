"""The debounce: how long a suggestion waits for a user's typing speed; pure functions of times in seconds.

During quick typing the next key outdates a text computed after the last one. So an automatic request waits about as long as the next key
usually takes. A slow typist never waits: the work fits between two keys. Nor does the first key after a rest; if more keys follow, that costs
one generation, stopped by the next key.
"""

from __future__ import annotations

from dataclasses import dataclass

_REMEMBERED = 12  # intervals: about two words


@dataclass(frozen=True)
class DebounceLimits:
    """Bounds of the wait after a key; they cost latency at each pause, and save a generation per key."""

    quick_s: float = 0.25  # keys further apart are not quick typing
    share: float = 1.2  # of the usual interval: the next key then usually comes before the wait ends
    most_s: float = 0.25  # the longest wait, counted from the last key
    rest_s: float = 0.5  # the first key after so long an interval is answered at once
    pause_s: float = 1.5  # so long an interval is a pause and shows nothing of the rhythm
    least_keys: int = 4  # intervals to know before drawing conclusions


LIMITS = DebounceLimits()


@dataclass(frozen=True)
class TypingRhythm:
    """The last intervals between keys, and the time of the last key."""

    intervals_s: tuple[float, ...] = ()
    last_s: float | None = None


def typed(rhythm: TypingRhythm, now_s: float, limits: DebounceLimits = LIMITS) -> TypingRhythm:
    """Return the rhythm after one more key."""
    if rhythm.last_s is None:
        return TypingRhythm(rhythm.intervals_s, now_s)
    interval = now_s - rhythm.last_s
    if not 0 <= interval < limits.pause_s:
        return TypingRhythm((), now_s)  # a new rhythm begins after a pause
    return TypingRhythm((*rhythm.intervals_s, interval)[-_REMEMBERED:], now_s)


def wait_s(rhythm: TypingRhythm, now_s: float, limits: DebounceLimits = LIMITS) -> float:
    """Return how long a request that arrives now should still wait: 0 to `most_s`."""
    if rhythm.last_s is None or len(rhythm.intervals_s) < limits.least_keys:
        return 0.0
    ordered = sorted(rhythm.intervals_s)
    usual = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2  # unmoved by a single hesitation
    if usual >= limits.quick_s or rhythm.intervals_s[-1] >= limits.rest_s:
        return 0.0
    return max(0.0, min(limits.share * usual, limits.most_s) - (now_s - rhythm.last_s))
