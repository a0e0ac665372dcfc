"""Connecting: the shortest text found from a state to a valid file.

Best-first search (A*) over the engine's interned states, where equal situations meet and are followed once. A step is a word: the end
of the symbol in progress, or a terminal's example text. Brackets guide the search: the right context closes a known sequence of them,
and outside its own brackets the hole must have exactly these open.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import count

from ...common.constraint import never
from ..glr.effort import spend
from ..glr.prefix import PrefixState
from .heuristic import INF

PREFERENCE = 1e-3
"""Among texts of the same length, words earlier in the list win by this much each."""
WORD = 0.25
"""The cost of each further word besides its characters: of two texts of nearly the same length the plainer one wins."""
DETOUR = 8.0
"""The distance beyond the nearest state at which it suffices to know that a state is far."""
BLANK = 0.05
"""The cost of a character of white space: indentation is long, and free to the reader."""
_ASK_EVERY = 512
"""Characters read between two questions whether the time is spent."""


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """The limits of a search."""

    expansions: int = 40
    """states followed; each costs some 0.3 ms the first time, 0.1 ms again"""
    length: int = 400
    """characters of the text"""


def search(
    start: PrefixState,
    *,
    read: Callable[[PrefixState, str], PrefixState | None],
    accepts: Callable[[PrefixState], bool],
    words: Callable[[PrefixState], Iterable[str]],
    estimate: Callable[[PrefixState, float], float],
    limits: SearchLimits,
    wanted: int = 1,
    weight: float = 1.0,
    stop: Callable[[], bool] = never,
) -> list[str]:
    """Up to `wanted` texts from start to acceptance, shortest first, all with the same number of visible characters; [] for none.

    Shortest by visible characters, then by words, then by white space.
    estimate: a guess of the characters still needed from a state, at most a limit; where it is too high the text may not be the shortest.
    weight: each missing character counts as this many written ones; above 1 the search goes straight for an end, and finds one that
    is not the shortest.
    stop: asked at each state, whether to give up.
    """
    order = count()
    best = {start: 0.0}
    nearest = estimate(start, INF)
    queue: list[tuple[float, int, float, PrefixState, str]] = [(weight * nearest, next(order), 0.0, start, "")]
    texts: list[str] = []
    expanded, characters, most = 0, 0, float("inf")
    while queue and queue[0][0] <= most and expanded < limits.expansions and not stop():
        _, _, spent, state, text = heapq.heappop(queue)
        if spent > best[state]:
            continue
        if accepts(state):
            texts.append(text)
            most = (_visible(texts[0]) + 1) * (1 + WORD)  # with some blanks; a text with one more character costs this
            if len(texts) >= wanted:
                break
        expanded += 1
        for place, word in enumerate(words(state)):
            reached = spent + cost(word) + place * PREFERENCE
            if reached >= most or len(text) + len(word) > limits.length:
                continue
            characters += len(word)
            if characters >= _ASK_EVERY:
                characters = 0
                spend()
            after = _read(state, word, read)
            if after is None or reached >= best.get(after, most):
                continue
            best[after] = reached
            missing = estimate(after, min(nearest + DETOUR, most - reached))
            nearest = min(nearest, missing)
            heapq.heappush(queue, (reached + weight * missing, next(order), reached, after, text + word))
    return [text for text in texts if _visible(text) == _visible(texts[0])]


def cost(word: str) -> float:
    """The cost of a word."""
    visible = _visible(word)
    return WORD + visible + BLANK * (len(word) - visible)


def _visible(text: str) -> int:
    return len("".join(text.split()))


def _read(state: PrefixState, text: str, read: Callable[[PrefixState, str], PrefixState | None]) -> PrefixState | None:
    for char in text:
        after = read(state, char)
        if after is None:
            return None
        state = after
    return state
