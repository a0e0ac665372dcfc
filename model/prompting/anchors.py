"""Where the middle of a prefix-first prompt begins, and which beginnings of prompts stay while somebody types.

The middle begins some lines above the cursor: these stand behind the token for the middle, next to the text that the model writes, and while lines are
added to them nothing before that token changes, so that none of it is read again. An *anchor* is such a beginning of a prompt. It serves
until the text behind the token is too long; then another one is made, in a pause where there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from .vocabulary import Vocabulary

_LINES = 8  # above the cursor's with which the middle begins, blank ones not counted
_LEAST = 30  # tokens of them: fewer gain nothing
_CONTEXT = 400  # characters before the middle by which its beginning is found again
_LONGEST = 16  # characters for each token behind the mark: a longer text is not read to count its tokens
_KEPT = 8  # anchors: those of two budgets at some places
_LATE = 3 / 4  # of the tokens that may stand behind the token for the middle: from here on a pause moves the anchor

Shape = tuple[object, ...]
"""What prompts must have in common besides the text to begin alike: the template, the budget, the path."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """The beginning of a prompt, up to the token for the middle."""

    shape: Shape
    ids: tuple[int, ...]
    start: int  # the offset of the middle
    above: str  # the text before it, as far as the anchor depends on it
    below: str  # that behind the cursor
    to_end: bool  # `below` ends where the file does

    def middle(self, left: str, right: str, longest: int) -> str | None:
        """The text between this beginning and the cursor; None where it has more than so many characters, or this is no beginning of a prompt there."""
        if not right.startswith(self.below) or (self.to_end and len(right) > len(self.below)):
            return None
        first = max(0, len(left) - longest)
        if first <= self.start and left.startswith(self.above, self.start - len(self.above)):
            return left[self.start :]
        if self.start <= len(self.above):
            return None
        start = len(left)  # lines were added, or removed, above it: looked for near the cursor, at ends of lines
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
        """The prompt, with nothing of its end taken back."""
        return [*self.anchor.ids, *self.tail]


@dataclass(slots=True)
class Anchors:
    """The anchors of one model that were used last. Used by one thread at a time."""

    _kept: list[Anchor] = field(default_factory=list[Anchor])  # the last one used is the last

    def keep(self, anchor: Anchor) -> None:
        """Remember an anchor, as the one that was used last."""
        self._kept = [*(kept for kept in self._kept if kept != anchor), anchor][-_KEPT:]

    def serving(
        self, shape: Shape, vocabulary: Vocabulary, left: str, right: str, most: int, whole: int, *, pauses: bool
    ) -> Iterator[Anchored]:
        """The anchors that serve between two texts: with at most so many tokens behind the token for the middle, and so many in `whole`.

        pauses: nobody waits, so that one that serves for a few more lines only is none.
        """
        most = int(most * _LATE) if pauses else most
        for anchor in reversed(self._kept):
            room = min(most, whole - len(anchor.ids))
            middle = anchor.middle(left, right, room * _LONGEST) if anchor.shape == shape and room >= 0 else None
            if middle is not None and len(tail := vocabulary.encode(middle)) <= room:
                yield Anchored(anchor, tail)

    def best(self, serving: Iterator[Anchored], unread: Callable[[Sequence[int]], int]) -> Anchored | None:
        """The one of which the model has the fewest tokens to read, then the one that serves longest; remembered as the one that was used last."""
        best = min(serving, key=lambda each: (unread(each.ids), len(each.tail)), default=None)
        if best is not None:
            self.keep(best.anchor)
        return best


def anchor(shape: Shape, ids: Sequence[int], left: str, seen: int, right: str, below: str) -> Anchor:
    """The anchor with these ids, where the middle begins behind `left`, of which the prompt shows so many characters, and `below` of `right`."""
    above = left[max(0, len(left) - max(seen, _CONTEXT)) :]
    return Anchor(shape, tuple(ids), len(left), above, below, len(below) == len(right))


def middle_start(vocabulary: Vocabulary, left: str, line: int, most: int) -> int:
    """The offset at which a middle begins, of at most so many tokens: that of some line above the one that begins at `line`."""
    start, lines, tokens = line, 0, len(vocabulary.pieces(left[line:]))
    while start and (lines < _LINES or tokens < _LEAST):
        above = left.rfind("\n", 0, start - 1) + 1
        tokens += len(vocabulary.pieces(left[above:start]))
        if tokens > most:
            break
        lines += not left[above:start].isspace()
        start = above
    return start
