"""The spellings of a vocabulary as a byte trie."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

Child = tuple[int, int, int]
"""A byte, and the range of the spellings that go on with it."""


class SpellingTree:
    """The sorted spellings of a vocabulary; those with a common prefix form a range."""

    def __init__(self, bytes_of: Sequence[bytes | None], ids: Iterable[int] | None = None) -> None:
        """bytes_of: by id, None for tokens without text. ids: of the tokens in the tree; None: all."""
        self._bytes_of = bytes_of
        ids = range(len(bytes_of)) if ids is None else sorted(i for i in ids if i < len(bytes_of))
        # Sorted as pairs of spelling and id, a large vocabulary would take twice as long.
        order = sorted((i for i in ids if bytes_of[i]), key=lambda i: bytes_of[i] or b"")
        self._spellings = [bytes_of[i] or b"" for i in order]
        self.ids = np.array(order, dtype=np.int64)
        self.last = max(order, default=-1)
        self.longest = max(map(len, self._spellings), default=0)
        self._children: dict[tuple[int, int], tuple[int, Sequence[Child]]] = {}

    def part(self, ids: Iterable[int]) -> SpellingTree:
        """The subtree of some tokens."""
        return SpellingTree(self._bytes_of, ids)

    def starting_with(self, prefix: bytes) -> tuple[int, int]:
        """The range of the spellings that start with some bytes."""
        low = bisect_left(self._spellings, prefix)
        high = bisect_left(self._spellings, prefix + b"\xff" * 8, low)  # 0xff is in no UTF-8 text
        while high < len(self._spellings) and self._spellings[high].startswith(prefix):
            high += 1  # but perhaps in a vocabulary
        return low, high

    @cached_property
    def places(self) -> dict[bytes, tuple[int, int]]:
        """The range of each spelling in the order: several tokens may share one."""
        places: dict[bytes, tuple[int, int]] = {}
        for index, spelling in enumerate(self._spellings):
            places[spelling] = places.get(spelling, (index, index))[0], index + 1
        return places

    def spelling(self, index: int) -> bytes:
        """The spelling at a place in the order."""
        return self._spellings[index]

    def children(self, low: int, high: int, depth: int) -> tuple[int, Sequence[Child]]:
        """(the first longer spelling, the children), of the spellings with the same first `depth` bytes."""
        cached = self._children.get((low, depth))
        if cached is not None:
            return cached
        index = low
        while index < high and len(self._spellings[index]) == depth:
            index += 1
        first = index
        children: list[Child] = []
        while index < high:
            byte = self._spellings[index][depth]
            end = (
                high
                if byte == 255
                else bisect_left(self._spellings, self._spellings[index][:depth] + bytes((byte + 1,)), index, high)
            )
            children.append((byte, index, end))
            index = end
        cached = self._children[(low, depth)] = first, children
        return cached
