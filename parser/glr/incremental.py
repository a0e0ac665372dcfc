"""The readings of a left context, kept at line ends, so that an edit costs what lies around it.

Behind an edit the readings are kept aside by their distance to the end: as soon as one comes up again at its place, all that
follow it hold again.
"""

from __future__ import annotations

from bisect import bisect_right

from ..lexing.base import LONGEST_LINE
from .prefix import Engine, PrefixState, Raw
from .text_diff import common_prefix, common_suffix

_SEGMENT = 2048
"""A reading is kept at each line end, and within longer lines where the distance to the end is a multiple of this."""
_ASK_EVERY = 32


class PrefixText:
    """The readings of a text from its beginning, kept at line ends."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        start = engine.start
        self._offsets: list[int] = [0]
        self._readings: list[Raw] = [(start.lex, start.frame, start.stacks)]
        self._later: list[int] = []  # distances to the end of readings before the last edits, ascending ...
        self._later_readings: list[Raw] = []  # ... and these
        self._dead: int | None = None
        self._text = ""
        self.characters_read = 0  # for tests of the work done

    def change(self, text: str, shared: tuple[int, int] | None = None) -> None:
        """The text is now this one. shared: how many characters the last one and it share at the front and at the end, where that is known."""
        old, self._text = self._text, text
        common = common_prefix(old, text) if shared is None else shared[0]
        if common == len(old) and self._dead is None:
            return
        keep = bisect_right(self._offsets, common)
        if self._dead is not None and self._dead >= common:
            self._dead = None
        end = 0
        if keep < len(self._offsets) or self._later:
            end = common_suffix(old, text) if shared is None else shared[1]
        end = min(end, len(old) - common, len(text) - common)
        del self._later[(still := bisect_right(self._later, end)) :], self._later_readings[still:]
        if keep == len(self._offsets):
            return
        first = max(keep, bisect_right(self._offsets, len(old) - end - 1))
        if len(self._offsets) - first > len(self._later):
            self._later = [len(old) - offset for offset in reversed(self._offsets[first:])]
            self._later_readings = self._readings[first:][::-1]
        del self._offsets[keep:], self._readings[keep:]

    def read(self, offset: int) -> PrefixState | int:
        """The text up to offset: as a Left, or the offset of the first character after which nothing can follow."""
        if self._dead is not None and self._dead < offset:
            return self._dead
        at = bisect_right(self._offsets, offset) - 1
        position, raw = self._offsets[at], self._readings[at]
        text, engine = self._text, self._engine
        while position < offset:
            newline = text.find("\n", position, min(position + _SEGMENT, offset))
            end = newline + 1 if newline >= 0 else min(position + 1 + (len(text) - position - 1) % _SEGMENT, offset)
            self.characters_read += end - position
            short = newline >= 0 and end - position <= LONGEST_LINE
            after = (engine.read_line if short else engine.read_raw)(raw, text[position:end])
            if after is None:
                self._dead = self._find_death(position, raw, end)
                return self._dead
            position, raw = end, after
            if position <= self._offsets[-1] or not (newline >= 0 or (len(text) - position) % _SEGMENT == 0):
                continue
            self._offsets.append(position)
            self._readings.append(raw)
            engine.made += 1
            if self._later and self._meets_later():
                at = bisect_right(self._offsets, offset) - 1
                position, raw = self._offsets[at], self._readings[at]
            elif len(self._offsets) % _ASK_EVERY == 0:
                engine.ask()
        left = engine.settle(raw)
        return left if left is not None else self._find_death(self._offsets[at], self._readings[at], offset)

    def _meets_later(self) -> bool:
        """Is the last reading one that was there before the edit? Then so are those behind it again."""
        later, readings, size = self._later, self._later_readings, len(self._text)
        distance = size - self._offsets[-1]
        while later and later[-1] > distance:
            del later[-1], readings[-1]
        if not later or later[-1] != distance or readings[-1] != self._readings[-1]:
            return False
        self._offsets += [size - d for d in later[-2::-1]]
        self._readings += readings[-2::-1]
        self._later, self._later_readings = [], []
        return True

    def _find_death(self, position: int, raw: Raw, end: int) -> int:
        """Where exactly a reading that failed before end lost its viability."""
        left = self._engine.left(*raw)
        while position < end:
            after = self._engine.read(left, self._text[position])
            if after is None:
                return position
            left, position = after, position + 1
            if position % _ASK_EVERY == 0:
                self._engine.ask()
        return max(position - 1, 0)
