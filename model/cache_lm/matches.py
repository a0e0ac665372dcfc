"""Places of a document like the text before the cursor, and their continuations.

Code repeats itself, and a small model cannot know a project's names; the document does (a cache model: Kuhn and De Mori 1990, Grave et al.
2017; unbounded suffix matches: Liu et al. 2024, infini-gram). The search covers the whole document on both sides of the hole, beyond the
model's window. There is no index: one pass of numpy over 400,000 bytes takes 0.1 ms, and edits are free.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

SHORTEST = 4  # the least agreement in bytes, except near the cursor
NEAR = 3000  # bytes before the cursor, and half as many after it, where the beginning of a word and the text before it suffice
LONGEST = 64  # more agreement adds nothing
MOST = 48  # places examined closely: those with the longest agreement, of equals the nearest
AHEAD = 32  # bytes read after a place
_FIRST_LOOK = 12  # bytes compared at every place; the others only where all of these agree
_CROWD = 1024  # places to choose the best from; for more of them, a longer agreement is required
REACH = 1 << 20  # bytes searched on each side of the hole
NEIGHBOURS = 6  # lines above the hole, and as many below it, not to be merely repeated
_NEIGHBOURHOOD = 2000  # bytes on each side to find them in
_NONE = np.empty(0, np.int64)
_ENDS = b"\r\n \t\0"  # possible texts after a line's last sign
_GAP = b"\0" * AHEAD  # between left and right: no text crosses it

_LINE_END = re.compile(rb"\r\n|\r|\n")
_TELLING = re.compile(rb"[A-Za-z0-9\x80-\xff]")
_END = re.compile(rb"[\r\n\0]")
_WORD_END = re.compile(rb"[A-Za-z0-9_\x80-\xff]*\Z")
# Units of text that tokens do not cross, near enough for any vocabulary.
_PIECE = re.compile(rb"[\r\n]+[ \t]*|[ \t]{2,}| ?[A-Za-z_\x80-\xff]+|[0-9]| ?[^\s\0A-Za-z0-9_\x80-\xff]+|[ \t]|[\f\v]")


@dataclass(frozen=True, slots=True)
class Matches:
    """Places in a document with a possible continuation for here; arrays of shape (n,), best first."""

    ends: np.ndarray  # the ends of the agreement, as offsets in `DocumentIndex.data`
    lengths: np.ndarray  # bytes of agreement, at most LONGEST
    total: int  # the number of places with SHORTEST or more, before the choice of the best


class DocumentIndex:
    """A document with a hole, and other texts, as searchable bytes."""

    def __init__(self, left: str, right: str, others: Sequence[str] = ()) -> None:
        before = left.encode(errors="replace")[-REACH:]
        after = right.encode(errors="replace")[:REACH]
        elsewhere = [text.encode(errors="replace")[:REACH] for text in others]
        # As much room before the first text as is read before a place.
        self.data = _GAP.join((b"", b"", before, after, *elsewhere, b""))
        self.cursor = 2 * len(_GAP) + len(before)
        self.before = before
        self.right = after[:AHEAD]
        *above, self.line = _LINE_END.split(before[-_NEIGHBOURHOOD:])  # the cursor's line, up to the cursor
        self._above = _telling(reversed(above))  # the nearest first
        self._below = _telling(_LINE_END.split(after[:_NEIGHBOURHOOD])[1:])
        self.bytes = np.frombuffer(self.data, np.uint8)
        # The same bytes as 4-byte numbers, at each of the four alignments.
        self._words = [np.frombuffer(self.data, "<u4", (len(self.data) - i) // 4, i) for i in range(4)]

    def matches(self, needle: bytes) -> Matches:
        """The places with the longest agreement with the end of `needle`."""
        ends = self._ends(needle) if len(needle) >= SHORTEST else _NONE
        total = len(ends)
        lengths = self._agreement(ends, needle, _FIRST_LOOK)
        if (longer := lengths == _FIRST_LOOK).any():
            lengths[longer] = self._agreement(ends[longer], needle, LONGEST)
        if total < MOST and needle:
            near = self._near(needle)
            near_lengths = self._agreement(near, needle, SHORTEST)
            word = len(_WORD_END.search(needle[-SHORTEST:])[0])  # type: ignore[index]
            kept = (near_lengths > word) & (near_lengths < SHORTEST)
            ends, lengths = np.concatenate((ends, near[kept])), np.concatenate((lengths, near_lengths[kept]))
        order = np.lexsort((np.abs(ends - self.cursor), -lengths))[:MOST]
        return Matches(ends[order], lengths[order], total)

    def _near(self, needle: bytes) -> np.ndarray:
        """The places of the last byte of `needle` near the cursor."""
        right = self.cursor + len(_GAP)
        before = (
            np.flatnonzero(self.bytes[(start := max(2 * len(_GAP), self.cursor - NEAR)) : self.cursor] == needle[-1])
            + start
            + 1
        )
        after = np.flatnonzero(self.bytes[right : right + NEAR // 2] == needle[-1]) + right + 1
        return np.concatenate((before[before < self.cursor], after))

    def _ends(self, needle: bytes) -> np.ndarray:
        """The ends of the last SHORTEST bytes of `needle`, or of as many more as reduce the places to at most _CROWD."""
        key = np.frombuffer(needle, "<u4", 1, len(needle) - SHORTEST)[0]
        masks = [words == key for words in self._words]
        for back in range(2 * SHORTEST, min(LONGEST, len(needle)) + 1, SHORTEST):
            if sum(map(np.count_nonzero, masks)) <= _CROWD:
                break
            key = np.frombuffer(needle, "<u4", 1, len(needle) - back)[0]
            steps = back // SHORTEST - 1  # words from the one that ends there to the compared one
            longer = [_shifted(words == key, steps) & mask for words, mask in zip(self._words, masks, strict=True)]
            if not any(mask.any() for mask in longer):
                break
            masks = longer
        places = [4 * np.flatnonzero(mask) + (i + SHORTEST) for i, mask in enumerate(masks)]
        ends = np.concatenate(places)
        # The match at the cursor is the needle itself.
        ends = ends[(ends < self.cursor) | (ends >= self.cursor + len(_GAP) + SHORTEST)]
        if len(ends) > _CROWD:
            ends = ends[np.argpartition(np.abs(ends - self.cursor), _CROWD)[:_CROWD]]
        return ends

    def _agreement(self, ends: np.ndarray, needle: bytes, most: int) -> np.ndarray:
        """The number of bytes before each of `ends` that agree with the end of `needle`, up to `most`: (n,)."""
        wanted = np.frombuffer(needle[: -most - 1 : -1], np.uint8)
        places = ends[:, None] - np.arange(1, len(wanted) + 1)
        return np.logical_and.accumulate(self.bytes[places] == wanted, axis=1).sum(axis=1)

    def ahead(self, offset: int) -> bytes:
        """The piece at an offset: a word, a run of signs or of white space; empty at the end of a side."""
        piece = _PIECE.match(self.data, offset, offset + AHEAD)
        return piece[0] if piece else b""

    def line_after(self, offset: int) -> bytes:
        """The text at an offset up to the end of its line or side, of at most AHEAD bytes, without a cut word."""
        text = self.data[offset : offset + AHEAD]
        ended = _END.search(text)
        return text[: ended.start()] if ended else _WORD_END.sub(b"", text)

    def shared_with_right(self, ends: np.ndarray) -> np.ndarray:
        """The number of bytes after each of `ends` that agree with the start of the right context: (n,)."""
        if not self.right:
            return np.zeros(len(ends), dtype=np.int64)
        right = np.frombuffer(self.right, np.uint8)
        places = np.minimum(ends[:, None] + np.arange(len(right)), len(self.bytes) - 1)
        return np.logical_and.accumulate(self.bytes[places] == right, axis=1).sum(axis=1)

    def repeating(self, ends: np.ndarray, written: bytes) -> tuple[np.ndarray, bool]:
        """Whether the text `written` after the cursor, continued as at each of `ends`, repeats a line near the hole.

        (n, 2): the line's nearness, 1 for the next one above or below, 1/2 for the one after, 0 for none; and its share already written, from
        0 to 1. Then whether such a line is already written as a whole.
        """
        *more, line = _LINE_END.split(self.line + written)
        above = [*_telling(reversed(more)), *self._above][:NEIGHBOURS] if more else self._above
        near, already = np.zeros((len(ends), 2)), False
        begun = len(line.lstrip())
        for lines in (above, self._below):
            for number, neighbour in enumerate(lines, start=1):
                if neighbour.startswith(line):
                    rest = neighbour[len(line) :]
                    already = already or not rest
                    part = (1 + begun) / (1 + len(neighbour.lstrip()))
                    for place, end in enumerate(ends.tolist()):
                        if self.data.startswith(rest, end) and self.data[end + len(rest)] in _ENDS:
                            near[place] = np.maximum(near[place], (1 / number, part))
        return near, already


def _telling(lines: Iterable[bytes]) -> list[bytes]:
    """The first lines with a letter or digit; others look the same everywhere."""
    return list(islice((line.rstrip() for line in lines if _TELLING.search(line)), NEIGHBOURS))


def _shifted(mask: np.ndarray, steps: int) -> np.ndarray:
    moved = np.zeros_like(mask)
    moved[steps:] = mask[: len(mask) - steps]
    return moved
