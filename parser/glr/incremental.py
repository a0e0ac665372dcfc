"""The readings of a left context, kept at line ends, so that an edit costs no more than the lines around it.

Readings behind an edit are set aside by their distance to the end: once one of them comes up again at its place, all later ones are
valid again.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from functools import partial

from ..lexing.base import LONGEST_LINE, LexState
from .prefix import Engine, PrefixState, Raw
from .text_diff import common_prefix, common_suffix

_SEGMENT = 2048
"""A reading is kept at each line end, and within longer lines at multiples of this distance to the end."""
_ASK_EVERY = 32
_BLOCK = re.compile(r"\n(?=[^\s#)\]}])")
"""Before an unindented line."""
_LONGEST_BLOCK = 131_072
"""The most characters between two such lines, for their readings to be shared."""


class PrefixText:
    """The readings of a text from its beginning, kept at line ends."""

    def __init__(self, engine: Engine, start: Raw | None = None) -> None:
        """start: the state before the text; None: that of a file's start."""
        self._engine = engine
        self._offsets: list[int] = [0]
        self._readings: list[Raw] = [start or (engine.start.lex, engine.start.frame, engine.start.stacks)]
        self._later: list[int] = []  # distances to the end of readings before the last edits, ascending ...
        self._later_readings: list[Raw] = []  # ... and these
        self._dead: int | None = None
        self._text = ""
        self._counted = 0  # readings among the engine's objects
        self.characters_read = 0  # for tests of the work done

    def change(self, text: str, shared: tuple[int, int] | None = None) -> None:
        """Replace the text. shared: how many characters the old and the new text share at the front and at the end, where known."""
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

    def copy(self) -> PrefixText:
        """A copy with the same text and readings."""
        other = PrefixText(self._engine)
        other._offsets, other._readings, other._text, other._dead = (
            [*self._offsets],
            [*self._readings],
            self._text,
            self._dead,
        )
        return other

    def first_with(self, lex: LexState) -> int:
        """The first offset with a reading from which on the lexer stays in this state; behind the last reading where it reached the
        state later."""
        index = len(self._readings)
        while index and self._readings[index - 1][0] is lex:
            index -= 1
        return self._offsets[index] if index < len(self._offsets) else self._offsets[-1] + 1

    def read(self, offset: int) -> PrefixState | int:
        """The PrefixState after the text up to offset, or the offset of the first character after which nothing can follow."""
        if self._dead is not None and self._dead < offset:
            return self._dead
        index = bisect_right(self._offsets, offset) - 1
        position, raw = self._offsets[index], self._readings[index]
        text, engine = self._text, self._engine
        block: tuple[int, int, int, Raw] | None = (
            None  # being read: its beginning and end, the readings before it, and the last of these
        )
        while position < offset:
            if block is None and (end := self._end_of_block(position, offset)):
                readings = engine.blocks_read.used((raw, text[position:end]))
                if readings is not None:
                    self._offsets += [position + length for length in readings[0]]
                    self._readings += readings[1]
                    if self._later:
                        self._meets_later()
                    index = bisect_right(self._offsets, offset) - 1
                    position, raw = self._offsets[index], self._readings[index]
                    engine.ask()
                    continue
                block = position, end, len(self._offsets), raw
            newline = text.find("\n", position, min(position + _SEGMENT, offset))
            end = newline + 1 if newline >= 0 else min(position + 1 + (len(text) - position - 1) % _SEGMENT, offset)
            self.characters_read += end - position
            short = newline >= 0 and end - position <= LONGEST_LINE
            after = (engine.read_line if short else engine.read_raw)(raw, text[position:end])
            if after is None:
                self._count()
                self._dead = self._find_death(position, end)
                return self._dead
            position, raw = end, after
            if position <= self._offsets[-1] or not (newline >= 0 or (len(text) - position) % _SEGMENT == 0):
                continue
            self._offsets.append(position)
            self._readings.append(raw)
            if block is not None and position >= block[1]:
                self._keep_block(*block)
                block = None
            if self._later and self._meets_later():
                index = bisect_right(self._offsets, offset) - 1
                position, raw, block = self._offsets[index], self._readings[index], None
            elif len(self._offsets) % _ASK_EVERY == 0:
                self._count()
                engine.ask()
        self._count()
        left = engine.settle(raw)
        return left if left is not None else self._find_death(position, offset)

    def _end_of_block(self, begin: int, offset: int) -> int:
        """The end of the block beginning at an offset, the place of the last reading; 0 where none begins or it ends behind `offset`."""
        if begin != self._offsets[-1] or (begin and _BLOCK.match(self._text, begin - 1) is None):
            return 0
        after = _BLOCK.search(self._text, begin, min(offset + 1, begin + _LONGEST_BLOCK))
        return 0 if after is None else after.end()

    def _keep_block(self, begin: int, end: int, first: int, before: Raw) -> None:
        """Share a block's readings with other texts, wherever the block stands in them."""
        lengths = array("I", [offset - begin for offset in self._offsets[first:]])
        if self._offsets[-1] == end:
            self._engine.blocks_read[before, self._text[begin:end]] = lengths, self._readings[first:]

    def _count(self) -> None:
        """Count the kept readings among the engine's objects, four to one, and drop the released ones from the count."""
        kept = (len(self._offsets) + len(self._later)) // 4
        self._engine.made += kept - self._counted
        self._counted = kept

    def _meets_later(self) -> bool:
        """Whether the last reading was there before the edit; if so, take back those behind it."""
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

    def _find_death(self, last: int, end: int) -> int:
        """The offset where a reading that failed between the offsets last and end lost its viability.

        A symbol of several lines that fits nowhere is found out when it ends, so the offset may lie before last.
        """
        engine = self._engine
        before = bisect_right(self._offsets, last)
        if before > 1 and _dies(engine, self._readings[before - 1]):
            before = bisect_left(self._readings, True, 1, before - 1, key=partial(_dies, engine))
            end = self._offsets[before]
        position, raw = self._offsets[before - 1], self._readings[before - 1]
        readings: list[Raw] = []
        for char in self._text[position:end]:
            after = engine.read_raw(raw, char)
            if after is None:
                break
            raw = after
            readings.append(raw)
            if len(readings) % _ASK_EVERY == 0:
                engine.ask()
        died = bisect_left(readings, True, key=partial(_dies, engine))
        return min(position + died, max(end - 1, 0))


def _dies(engine: Engine, raw: Raw) -> bool:
    """Whether a reading cannot go on because the symbol in progress fits nowhere."""
    return not engine.viable(raw[0], raw[2])
