"""The start of the middle in a prefix-first prompt, and the beginnings of prompts kept stable while somebody types.

The middle begins some lines above the cursor: these follow the token for the middle, next to the model's text. While lines are added to them,
nothing before that token changes, so its KV cache is reused. An *anchor* is such a beginning of a prompt. It serves until the text behind the
token is too long; then another one is made, in a pause if there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from .vocabulary import Vocabulary

_LINES = 8  # above the cursor's at the beginning of the middle, blank ones not counted
_LEAST = 30  # of their tokens: fewer gain nothing
_CONTEXT = 400  # characters before the middle to find its beginning again
_LONGEST = 16  # characters for each token behind the mark: the tokens of a longer text are not counted
_KEPT = 8  # anchors: for two budgets at some places
_LATE = 3 / 4  # of the most tokens behind the token for the middle: from here on a pause moves the anchor

Shape = tuple[object, ...]
"""The conditions, besides the text, for prompts to begin alike: the template, the budget, the path."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """The beginning of a prompt, up to the token for the middle."""

    shape: Shape
    ids: tuple[int, ...]
    start: int  # the offset of the middle
    above: str  # the text before it, as far as it matters to the anchor
    below: str  # the text behind the cursor
    to_end: bool  # whether `below` ends with the file

    def middle(self, left: str, right: str, longest: int) -> str | None:
        """The text between this beginning and the cursor; None if it exceeds `longest` characters, or no prompt there begins like this."""
        if not right.startswith(self.below) or (self.to_end and len(right) > len(self.below)):
            return None
        first = max(0, len(left) - longest)
        if first <= self.start and left.startswith(self.above, self.start - len(self.above)):
            return left[self.start :]
        if self.start <= len(self.above):
            return None
        start = len(left)  # with lines added or removed above it: searched near the cursor, at ends of lines
        while (start := left.rfind(self.above[-1], max(0, first - 1), start)) >= 0:
            if left.endswith(self.above, 0, start + 1):
                return left[start + 1 :]
        return None


@dataclass(frozen=True, slots=True)
class Anchored:
    """An anchor and the tokens of the text behind it."""

    anchor: Anchor
    tail: Sequence[int]

    @property
    def ids(self) -> list[int]:
        """The prompt, without healing at its end."""
        return [*self.anchor.ids, *self.tail]


@dataclass(slots=True)
class Anchors:
    """The last used anchors of one model. For one thread at a time."""

    _kept: list[Anchor] = field(default_factory=list[Anchor])  # the last used is the last

    def keep(self, anchor: Anchor) -> None:
        """Keep an anchor, as the last used one."""
        self._kept = [*(kept for kept in self._kept if kept != anchor), anchor][-_KEPT:]

    def serving(
        self, shape: Shape, vocabulary: Vocabulary, left: str, right: str, most: int, whole: int, *, pauses: bool
    ) -> Iterator[Anchored]:
        """The usable anchors between two texts: with at most `most` tokens behind the token for the middle, and `whole` in all.

        pauses: nobody waits, so an anchor usable for only a few more lines does not count.
        """
        most = int(most * _LATE) if pauses else most
        for anchor in reversed(self._kept):
            room = min(most, whole - len(anchor.ids))
            middle = anchor.middle(left, right, room * _LONGEST) if anchor.shape == shape and room >= 0 else None
            if middle is not None and len(tail := vocabulary.encode(middle)) <= room:
                yield Anchored(anchor, tail)

    def best(self, serving: Iterator[Anchored], unread: Callable[[Sequence[int]], int]) -> Anchored | None:
        """The anchor with the fewest unread tokens, of equals the longest-serving one; kept as the last used."""
        best = min(serving, key=lambda each: (unread(each.ids), len(each.tail)), default=None)
        if best is not None:
            self.keep(best.anchor)
        return best


def anchor(shape: Shape, ids: Sequence[int], left: str, seen: int, right: str, below: str) -> Anchor:
    """The anchor with these ids: the middle begins behind `left`, whose last `seen` characters are in the prompt, with `below` of `right`."""
    above = left[max(0, len(left) - max(seen, _CONTEXT)) :]
    return Anchor(shape, tuple(ids), len(left), above, below, len(below) == len(right))


def middle_start(vocabulary: Vocabulary, left: str, line: int, most: int) -> int:
    """The offset of a middle of at most `most` tokens: the start of some line above the one at `line`."""
    start, lines, tokens = line, 0, len(vocabulary.pieces(left[line:]))
    while start and (lines < _LINES or tokens < _LEAST):
        above = left.rfind("\n", 0, start - 1) + 1
        tokens += len(vocabulary.pieces(left[above:start]))
        if tokens > most:
            break
        lines += not left[above:start].isspace()
        start = above
    return start
