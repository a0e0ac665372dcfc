"""From the possible groups to a mask over the vocabulary."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...common.bounded import BoundedDict
from .grouping import ranges

_KEPT_STATES = 16
_KEPT_LAST = 4
"""Masks kept of a lexer state; the nearest one is changed into the next."""
_MOST_CHANGED = 4_096
"""Tokens changed in a mask; with more differences, making it anew takes no longer."""
_BITS = np.uint32(1) << np.arange(32, dtype=np.uint32)


@dataclass(frozen=True, eq=False)
class Spread:
    """The groups of some lexer state over tokens: of_class (classes,), class_of (those tokens,); tokens: None for all of them."""

    of_class: np.ndarray
    class_of: np.ndarray
    count: int
    tokens: np.ndarray | None = None

    def over_classes(self, admitted: int) -> np.ndarray:
        """(classes,) bool; admitted: bits of the groups."""
        bits = np.frombuffer(admitted.to_bytes(self.count // 8 + 1, "little"), dtype=np.uint8)
        return np.unpackbits(bits, bitorder="little").view(bool).take(self.of_class)

    def over_tokens(self, admitted: int, size: int) -> np.ndarray:
        """(size,) bool; admitted: bits of the groups."""
        flags_of = self.over_classes(admitted).take(self.class_of, mode="wrap")  # -1 stands for the last
        if self.tokens is None:
            return flags_of
        mask = np.zeros(size, dtype=bool)
        mask[self.tokens] = flags_of
        return mask


class NearMasks:
    """Makes masks of lexer states sharing the classes of all tokens: one more bracket on the stack changes few bits."""

    def __init__(self, class_of: np.ndarray, classes: int, size: int) -> None:
        """class_of: (tokens,), from 0; size: of a mask, in tokens."""
        self._class_of, self._classes = class_of[:size], classes
        # the groups of the last masks made, and these masks
        self._last: BoundedDict[Spread, deque[tuple[int, np.ndarray]]] = BoundedDict(_KEPT_STATES)

    def mask(self, spread: Spread, admitted: int, make: Callable[[], np.ndarray]) -> np.ndarray:
        """The packed mask of groups, given by their bits; `make` makes it anew."""
        last = self._last.used(spread)
        if last is None:
            last = self._last[spread] = deque(maxlen=_KEPT_LAST)
        nearest = min(last, key=lambda made: (made[0] ^ admitted).bit_count(), default=None)
        changed = None if nearest is None else self._tokens(spread, nearest[0] ^ admitted)
        if nearest is None or changed is None:
            mask = make()
            _ = self._by_class  # made with the first mask, as a part of preparing
        else:
            mask = nearest[1].copy()
            np.bitwise_xor.at(mask.view(np.uint32), changed >> 5, _BITS[changed & 31])
        last.append((admitted, mask))
        return mask

    def _tokens(self, spread: Spread, groups: int) -> np.ndarray | None:
        """The tokens of some groups; None where they are many."""
        tokens, first, counts = self._by_class
        classes = np.flatnonzero(spread.over_classes(groups))
        numbers = counts[classes]
        return tokens[ranges(first[classes], numbers)] if numbers.sum() <= _MOST_CHANGED else None

    @cached_property
    def _by_class(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(the tokens in the order of their classes, the beginning of each class, the size of each)."""
        small = self._class_of.astype(np.uint16 if self._classes <= 1 << 16 else np.int32)  # sorts faster
        counts = np.bincount(small, minlength=self._classes)
        return np.argsort(small, kind="stable").astype(np.int32), np.cumsum(counts) - counts, counts
