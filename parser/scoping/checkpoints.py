"""Checkpoints in the reading of a text under edit: after an edit, reading resumes from the last one before it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

R = TypeVar("R")
Steps = Iterator[tuple[int, R, bool]]
"""Reads on: (the offset reached, the reading there, whether it may be kept)."""

_STRIDE = 2_000
"""Characters between two kept readings, where any place will do."""


def _always(position: int, reading: object) -> bool:
    return True


class Checkpoints(Generic[R]):
    """The kept readings by their offsets; the first one is that of no text."""

    def __init__(self, start: R) -> None:
        self._offsets = [0]
        self._readings = [start]

    def last(self, offset: int, holds: Callable[[int, R], bool] = _always) -> tuple[int, R]:
        """(offset, reading) of the last valid one up to an offset; the first one always holds."""
        index = bisect_right(self._offsets, offset) - 1
        while index > 0 and not holds(self._offsets[index], self._readings[index]):
            index -= 1
        return self._offsets[index], self._readings[index]

    def cut(self, offset: int) -> None:
        """Drop all readings behind an offset."""
        keep = bisect_right(self._offsets, offset)
        del self._offsets[keep:], self._readings[keep:]

    def read(self, offset: int, steps: Callable[[int, R], Steps[R]], holds: Callable[[int, R], bool] = _always) -> R:
        """The reading at the offset reached by the steps; holds: see `last`."""
        begin, first = self.last(offset, holds)
        reading = first
        for position, reading, may_keep in steps(begin, first):
            if may_keep and position > self._offsets[-1]:
                self._offsets.append(position)
                self._readings.append(reading)
        return reading


def strides(
    text: str, offset: int, advanced: Callable[[R, str], R], ask: Callable[[], None] | None
) -> Callable[[int, R], Steps[R]]:
    """Read a text up to an offset in strides of one length; ask: called after each, may raise Cancelled."""

    def steps(position: int, reading: R) -> Steps[R]:
        while position < offset:
            begin, position = position, min(position + _STRIDE, offset)
            reading = advanced(reading, text[begin:position])
            yield position, reading, True
            if ask is not None:
                ask()

    return steps
