"""Where a document already says what is being typed: places that look like the text before the cursor, and what follows them.

Code repeats itself, and a small model cannot know a project's names; the document does (a cache model: Kuhn and De Mori 1990,
Grave et al. 2017; unbounded suffix matches: Liu et al. 2024, infini-gram). The whole document is searched, not only the model's
window, and both sides of the hole. There is no index: one pass of numpy over 400,000 bytes takes 0.1 ms, an edit costs nothing.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

SHORTEST = 4  # bytes that must agree
LONGEST = 64  # more agreement than this tells nothing more
MOST = 48  # places that are looked at closely: those that agree most, of equals the nearest
AHEAD = 32  # bytes looked at after a place
_CROWD = 1024  # places among which the best are looked for; where there are more, longer agreement is asked for
REACH = 1 << 20  # bytes searched on each side of the hole
_NONE = np.empty(0, np.int64)
_GAP = b"\0" * AHEAD  # between left and right: no text runs over it

# The units that no token crosses, near enough for any vocabulary.
_PIECE = re.compile(rb"[\r\n]+[ \t]*|[ \t]{2,}| ?[A-Za-z_\x80-\xff]+|[0-9]| ?[^\s\0A-Za-z0-9_\x80-\xff]+|[ \t]|[\f\v]")


@dataclass(frozen=True, slots=True)
class Matches:
    """Places in a document after which it may go on as here; arrays of shape (n,), best first."""

    ends: np.ndarray  # offsets in `Haystack.data` where the agreement ends
    lengths: np.ndarray  # bytes that agree, from SHORTEST to LONGEST
    total: int  # how many places there were before the best were taken


class Haystack:
    """A document with a hole, and other texts, as bytes to be searched."""

    def __init__(self, left: str, right: str, others: Sequence[str] = ()) -> None:
        before = left.encode(errors="replace")[-REACH:]
        after = right.encode(errors="replace")[:REACH]
        elsewhere = [text.encode(errors="replace")[:REACH] for text in others]
        self.data = _GAP.join((before, after, *elsewhere, b""))
        self.cursor = len(before)
        self.before = before
        self.right = after[:AHEAD]
        self.bytes = np.frombuffer(self.data, np.uint8)
        # The same bytes as numbers of four, from each of the four alignments.
        self._words = [np.frombuffer(self.data, "<u4", (len(self.data) - i) // 4, i) for i in range(4)]

    def matches(self, needle: bytes) -> Matches:
        """The places that agree best with the end of `needle`."""
        ends = self._ends(needle) if len(needle) >= SHORTEST else _NONE
        if not len(ends):
            return Matches(_NONE, _NONE, 0)
        lengths = self._agreement(ends, needle)
        order = np.lexsort((np.abs(ends - self.cursor), -lengths))[:MOST]
        return Matches(ends[order], lengths[order], len(ends))

    def _ends(self, needle: bytes) -> np.ndarray:
        """Where the last SHORTEST bytes of `needle` end, or as many more as leave a number of places worth looking at."""
        key = np.frombuffer(needle, "<u4", 1, len(needle) - SHORTEST)[0]
        masks = [words == key for words in self._words]
        for back in range(2 * SHORTEST, min(LONGEST, len(needle)) + 1, SHORTEST):
            if sum(map(np.count_nonzero, masks)) <= _CROWD:
                break
            key = np.frombuffer(needle, "<u4", 1, len(needle) - back)[0]
            steps = back // SHORTEST - 1  # words from the one that ends there to the one that is compared
            longer = [_shifted(words == key, steps) & mask for words, mask in zip(self._words, masks, strict=True)]
            if not any(mask.any() for mask in longer):
                break
            masks = longer
        found = [4 * np.flatnonzero(mask) + (i + SHORTEST) for i, mask in enumerate(masks)]
        ends = np.concatenate(found)
        # What ends at the cursor is the needle itself.
        ends = ends[(ends < self.cursor) | (ends >= self.cursor + len(_GAP) + SHORTEST)]
        if len(ends) > _CROWD:
            ends = ends[np.argpartition(np.abs(ends - self.cursor), _CROWD)[:_CROWD]]
        return ends

    def _agreement(self, ends: np.ndarray, needle: bytes) -> np.ndarray:
        """How many bytes before each of `ends` are those at the end of `needle`."""
        lengths = np.full(len(ends), SHORTEST)
        alive = np.arange(len(ends))
        for back in range(SHORTEST + 1, min(LONGEST, len(needle)) + 1):
            at = ends[alive] - back
            alive = alive[(at >= 0) & (self.bytes[at] == needle[-back])]
            if not len(alive):
                break
            lengths[alive] = back
        return lengths

    def ahead(self, at: int) -> bytes:
        """The piece that stands at an offset: a word, a run of signs or of white space; empty at the end of a side."""
        piece = _PIECE.match(self.data, at, at + AHEAD)
        return piece[0] if piece else b""

    def shared_with_right(self, ends: np.ndarray) -> np.ndarray:
        """How many bytes after each of `ends` are those with which the right context starts: (n,)."""
        if not self.right:
            return np.zeros(len(ends), dtype=np.int64)
        right = np.frombuffer(self.right, np.uint8)
        places = np.minimum(ends[:, None] + np.arange(len(right)), len(self.bytes) - 1)
        return np.logical_and.accumulate(self.bytes[places] == right, axis=1).sum(axis=1)


def _shifted(mask: np.ndarray, steps: int) -> np.ndarray:
    moved = np.zeros_like(mask)
    moved[steps:] = mask[: len(mask) - steps]
    return moved
