"""Speculative decoding: tokens computed ahead because they are likely to come next.

A step of a model takes about as long for a few tokens as for one: most of it goes into reading the weights. So a token is computed together
with its probable successors, and where they do follow, their logits are there already (speculative decoding: Leviathan et al. 2023; with
drafts from the text itself: Saxena 2023, prompt lookup decoding). The logits do not depend on the drafts, up to the rounding of sums.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, Protocol, TypeVar

Row = TypeVar("Row")
_Row = TypeVar("_Row", covariant=True)

MOST = 5
"""The most tokens drafted at a step."""


class Stepping(Protocol[_Row]):
    """A `Runtime` with any type for a row of logits."""

    @property
    def limit(self) -> int: ...

    def prefill(self, ids: Sequence[int]) -> _Row: ...

    def step(self, token: int) -> _Row: ...

    def rows(self, ids: Sequence[int]) -> Any: ...

    def crop(self, length: int) -> None: ...


class DraftedSteps(Generic[Row]):
    """Steps of a runtime whose KV cache may be some drafted tokens ahead of the sequence."""

    def __init__(self, inner: Stepping[Row]) -> None:
        self._inner = inner
        self._ahead: list[tuple[int, Row]] = []  # drafted tokens in the cache, and the logits after each
        self._length = 0  # of the sequence

    @property
    def length(self) -> int:
        """The number of tokens in the sequence, without drafts."""
        return self._length

    def prefill(self, ids: Sequence[int]) -> Row:
        """Make `ids` the sequence; the logits after its last token: (size,)."""
        self._ahead.clear()
        logits = self._inner.prefill(ids)
        self._length = len(ids)
        return logits

    def step(self, token: int, likely: Callable[[], Sequence[int]]) -> Row:
        """Append one token; the logits after it: (size,). likely: gives its probable successors; called only where the logits are missing."""
        if self._ahead and self._ahead[0][0] == token:
            logits = self._ahead.pop(0)[1]
        else:
            self.crop(self._length)
            room = self._inner.limit - self._length - 1
            drafted = list(likely())[: max(0, room)]
            if drafted:
                rows = self._inner.rows([token, *drafted])
                logits = rows[0]
                self._ahead = list(zip(drafted, rows[1:], strict=True))
            else:
                logits = self._inner.step(token)
        self._length += 1
        return logits

    def rows(self, ids: Sequence[int]) -> list[Row]:
        """Append tokens; the logits after each of them."""
        self.crop(self._length)
        rows = list(self._inner.rows(ids))
        self._length += len(ids)
        return rows

    def crop(self, length: int) -> None:
        """Forget all but the first `length` tokens, and the drafts."""
        if self._ahead or length < self._length:
            self._ahead.clear()
            self._inner.crop(min(length, self._length))
        self._length = min(length, self._length)


def after_last_two(ids: Sequence[int], earlier: Sequence[int]) -> list[int]:
    """The continuation, in `earlier`, of the last two of `ids`; empty where the two do not occur."""
    last = list(ids[-2:])
    if len(last) == 2:
        for start in range(len(earlier) - 2):
            if list(earlier[start : start + 2]) == last:
                return list(earlier[start + 2 :])
    return []
