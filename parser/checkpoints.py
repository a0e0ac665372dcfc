"""The readings of a left context, kept at line ends, so that an edit costs what lies between it and the cursor."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from .left import Engine, Left, Raw, StopReading
from .texts import common_prefix

_SEGMENT = 2048
"""A reading is kept at each line end, and within longer lines every so many characters."""


class LeftText:
    """The readings of a text from its beginning, kept at line ends."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        start = engine.start
        self._offsets: list[int] = [0]
        self._readings: list[Raw] = [(start.lex, start.frame, start.stacks)]
        self._dead: int | None = None
        self._text = ""
        self.characters_read = 0  # for tests of the work done

    def change(self, text: str) -> None:
        """The text is now this one."""
        common = common_prefix(self._text, text)
        if common < len(self._text) or self._dead is not None:
            keep = bisect_right(self._offsets, common)
            del self._offsets[keep:], self._readings[keep:]
            if self._dead is not None and self._dead >= common:
                self._dead = None
        self._text = text

    def read(self, offset: int, stop: Callable[[], bool] | None = None) -> Left | int:
        """The text up to offset: as a Left, or the offset of the first character after which nothing can follow."""
        if self._dead is not None and self._dead < offset:
            return self._dead
        at = bisect_right(self._offsets, offset) - 1
        position, raw = self._offsets[at], self._readings[at]
        text = self._text
        while position < offset:
            newline = text.find("\n", position, min(position + _SEGMENT, offset))
            end = newline + 1 if newline >= 0 else min(position + _SEGMENT, offset)
            self.characters_read += end - position
            after = self._engine.read_raw(raw, text[position:end])
            if after is None:
                self._dead = self._find_death(position, raw, end)
                return self._dead
            position, raw = end, after
            if position > self._offsets[-1] and (newline >= 0 or position - self._offsets[-1] >= _SEGMENT):
                self._offsets.append(position)
                self._readings.append(raw)
                if stop is not None and len(self._offsets) % 64 == 0 and stop():
                    raise StopReading
        left = self._engine.settle(raw)
        return left if left is not None else self._find_death(self._offsets[at], self._readings[at], offset)

    def _find_death(self, position: int, raw: Raw, end: int) -> int:
        """Where exactly a reading that failed before end lost its viability."""
        left = self._engine.left(*raw)
        while position < end:
            after = self._engine.read(left, self._text[position])
            if after is None:
                return position
            left, position = after, position + 1
        return max(position - 1, 0)
