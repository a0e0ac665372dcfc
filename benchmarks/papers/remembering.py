"""A runtime with a cache of its last sequence's rows, so that two modes with the same beginning cost the model one pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from suture.model.runtime.base import Runtime


@dataclass
class RememberingRuntime:
    """Answers from its cache while a sequence is a prefix of the longest one since the last divergence."""

    inner: Runtime
    _known: list[int] = field(default_factory=list)
    _rows: dict[int, np.ndarray] = field(default_factory=dict)  # length of the sequence: its logits
    _length: int = 0

    @property
    def device(self) -> str:
        return self.inner.device

    @property
    def limit(self) -> int:
        return self.inner.limit

    @property
    def size(self) -> int:
        return self.inner.size

    @property
    def length(self) -> int:
        return self._length

    def cached(self, ids: Sequence[int]) -> int:
        return len(ids) if self._remembers(ids) else self.inner.cached(ids)

    def prefill(self, ids: Sequence[int]) -> np.ndarray:
        if not self._remembers(ids):
            self._keep(list(ids), self.inner.prefill(ids))
        self._length = len(ids)
        return self._rows[len(ids)].copy()

    def step(self, token: int) -> np.ndarray:
        ids = [*self._known[: self._length], token]
        if not self._remembers(ids):
            in_step = self.inner.length == self._length and self.inner.cached(ids) == self._length
            self._keep(ids, self.inner.step(token) if in_step else self.inner.prefill(ids))
        self._length = len(ids)
        return self._rows[len(ids)].copy()

    def rows(self, ids: Sequence[int]) -> np.ndarray:
        return np.stack([self.step(token) for token in ids])

    def crop(self, length: int) -> None:
        self._length = min(length, self._length)

    def _remembers(self, ids: Sequence[int]) -> bool:
        return len(ids) in self._rows and self._known[: len(ids)] == list(ids)

    def _keep(self, ids: list[int], row: np.ndarray) -> None:
        same = next((i for i, (a, b) in enumerate(zip(ids, self._known, strict=False)) if a != b), None)
        shared = min(len(ids), len(self._known)) if same is None else same
        self._rows = {length: kept for length, kept in self._rows.items() if length <= shared}
        self._known = ids
        self._rows[len(ids)] = row
