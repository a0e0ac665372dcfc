"""The logits at one place: a device returns the best at once, and the others if the best decide nothing."""

from __future__ import annotations

import numpy as np

from ..runtime.short_row import ShortRow
from .sampling import top_tokens
from .scoring import logsumexp


class Row:
    """The logits at one place; those of neither text nor ends are minus infinity.

    It answers as if all of them were present.
    """

    __slots__ = ("_asked", "_rest", "_silent", "_total", "floor", "logits")

    def __init__(self, logits: np.ndarray) -> None:
        """logits: all of them, (size,) float32."""
        self.logits = logits  # minus infinity, too, for absent ones
        self.floor = -np.inf  # the most an absent token has
        self._total: float | None = None
        self._rest: ShortRow | None = None

    @classmethod
    def short(cls, told: ShortRow, size: int, silent: np.ndarray) -> Row:
        """The row of a device's best tokens."""
        row = cls(np.full(size, -np.inf, np.float32))
        row.logits[told.tokens] = told.logits
        row.floor, row._total = told.floor, told.total
        row._rest, row._silent, row._asked = told, silent, set[int]()
        if told.floor == -np.inf:
            row._rest = None
        elif not row.decides(float(row.logits.max())):
            row.all()
        return row

    def decides(self, logit: float) -> bool:
        """Whether all tokens with at least this logit are present."""
        return self._rest is None or logit > self.floor

    @property
    def is_whole(self) -> bool:
        """Whether all are present."""
        return self._rest is None

    def all(self) -> np.ndarray:
        """All of them: (size,)."""
        if self._rest is not None:
            self.logits, self._rest, self.floor = self._rest.whole(), None, -np.inf
            self.logits[self._silent] = -np.inf
        return self.logits

    def of(self, tokens: np.ndarray) -> np.ndarray:
        """The logits of some tokens: (n,)."""
        if self._rest is not None:
            asked = [token for token in tokens[self.logits[tokens] == -np.inf].tolist() if token not in self._asked]
            if asked:
                self.logits[asked] = self._rest.of(np.array(asked))
                self._asked.update(asked)
        return self.logits[tokens]

    @property
    def best(self) -> int:
        """The most probable token."""
        return int(self.logits.argmax())

    @property
    def total(self) -> float:
        """The logarithm of the sum of their exponentials."""
        if self._total is None:
            self._total = logsumexp(self.logits)
        return self._total

    def logit(self, token: int) -> float:
        """The logit of a token."""
        return float(self.logits[token] if self._rest is None else self.of(np.array([token]))[0])

    def log_prob(self, token: int) -> float:
        """The log probability of a token."""
        return self.logit(token) - self.total

    def log_prob_of(self, tokens: np.ndarray) -> float:
        """The log probability of all of `tokens` together; minus infinity of none."""
        logits = self.of(tokens)
        return logsumexp(logits) - self.total if np.isfinite(logits).any() else -np.inf

    def top(self, count: int) -> list[int]:
        """See `top_tokens`."""
        tokens = top_tokens(self.logits, count)
        if len(tokens) == count and self.decides(float(self.logits[tokens[-1]])):
            return tokens
        return top_tokens(self.all(), count)
