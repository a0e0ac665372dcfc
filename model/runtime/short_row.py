"""The protocols for rows of logits left on a device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np


class ShortRow(Protocol):
    """A row of logits on a device: its best are here, the others are copied on demand."""

    tokens: np.ndarray  # those here
    logits: np.ndarray  # theirs, float32
    floor: float  # the most of any other token; minus infinity: no other token has any
    total: float  # the logarithm of the sum of the exponentials of all logits

    def of(self, tokens: np.ndarray) -> np.ndarray:
        """The logits of some tokens: (n,) float32."""
        ...

    def whole(self) -> np.ndarray:
        """All logits, including those of silent tokens: (size,) float32, the caller's own."""
        ...


@runtime_checkable
class ShortRows(Protocol):
    """A runtime that can leave rows on its device. Silent tokens, neither text nor end, are in no `ShortRow`."""

    def prefill_short(self, ids: Sequence[int]) -> ShortRow:
        """See `Runtime.prefill`."""
        ...

    def step_short(self, token: int) -> ShortRow:
        """See `Runtime.step`."""
        ...
