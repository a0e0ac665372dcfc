"""Rows of logits left on their device: the best are copied, and others on demand.

A row of 150,000 logits is 600 KB, and searching it takes longer than a GPU needs for a token. A constraint mostly takes one of the best
tokens; more are copied on demand, so nothing depends on the number copied (`decoding.row`).
"""

from collections import deque
from collections.abc import Sequence
from weakref import ref

import numpy as np

from .torch_runtime import TorchRuntime, torch

_BEST = 256  # tokens copied of each row
_MOST_ROWS = 32  # on the device; older ones still in use are copied completely


class DeviceRow:
    """See `ShortRow`."""

    def __init__(self, row: torch.Tensor, silent: torch.Tensor, here: np.ndarray, tokens: np.ndarray) -> None:
        """here: the logits of `tokens`, the total, the floor."""
        self.tokens, self.logits = tokens, here[:-2]
        self.total, self.floor = float(here[-2]), float(here[-1])
        self._row: torch.Tensor | np.ndarray = row
        self._silent = silent

    def of(self, tokens: np.ndarray) -> np.ndarray:
        """See `ShortRow`."""
        chosen = torch.from_numpy(tokens)  # pyright: ignore[reportUnknownMemberType]
        row = self._row if isinstance(self._row, torch.Tensor) else torch.from_numpy(self._row)  # pyright: ignore[reportUnknownMemberType]
        told = row[chosen.to(row.device)].float().cpu()
        return told.masked_fill(self._silent[chosen.to(self._silent.device)].cpu(), -torch.inf).numpy()

    def whole(self) -> np.ndarray:
        """See `ShortRow`."""
        return self._row.copy() if isinstance(self._row, np.ndarray) else self._row.float().cpu().numpy()

    def leave(self) -> None:
        """Copy all of it, and free its memory on the device."""
        self._row = self.whole()


class OnDevice:
    """A torch runtime whose rows of logits are `DeviceRow`s."""

    def __init__(self, inner: TorchRuntime, silent: Sequence[int], ends: Sequence[int]) -> None:
        """silent: tokens in no row; ends: tokens whose logits are copied of each row."""
        self.device, self.limit, self.size = inner.device, inner.limit, inner.size
        self._inner = inner
        place = inner.place
        self._silent = torch.zeros(inner.size, dtype=torch.bool, device=place)
        self._silent[torch.tensor(silent, dtype=torch.long, device=place)] = True
        self._ends = torch.tensor(ends, dtype=torch.long, device=place)
        self._alive: deque[ref[DeviceRow]] = deque()

    @property
    def length(self) -> int:
        """The number of tokens in the sequence."""
        return self._inner.length

    def cached(self, ids: Sequence[int]) -> int:
        """The number of leading ids of `ids` in the cache."""
        return self._inner.cached(ids)

    def prefill(self, ids: Sequence[int]) -> DeviceRow:
        """Make `ids` the sequence; the row after its last token."""
        return self._inner.prefill_on(ids, self._copied)[0]

    def step(self, token: int) -> DeviceRow:
        """Append one token; the row after it."""
        return self._inner.append_on((token,), 1, self._copied)[0]

    def rows(self, ids: Sequence[int]) -> list[DeviceRow]:
        """Append tokens; the row after each of them."""
        return self._inner.append_on(ids, len(ids), self._copied)

    def crop(self, length: int) -> None:
        """Forget all but the first `length` tokens."""
        self._inner.crop(length)

    def _copied(self, logits: torch.Tensor) -> list[DeviceRow]:
        spoken = logits.masked_fill(self._silent, -torch.inf)
        best, tokens = torch.topk(spoken, min(_BEST, self.size))  # (n, 256)
        total = spoken.float().logsumexp(-1, keepdim=True)
        floor = best[:, -1:] if self.size > _BEST else torch.full_like(best[:, -1:], -torch.inf)
        here = torch.cat([best.float(), logits[:, self._ends].float(), total, floor.float()], -1)
        ends = self._ends.expand(len(logits), -1)
        named = torch.cat([tokens, ends], -1).int().view(torch.float32)  # one copy then brings all
        told = torch.cat([here, named], -1).cpu().numpy()
        rows: list[DeviceRow] = []
        for index, row in enumerate(logits):
            rows.append(
                DeviceRow(row, self._silent, told[index, : here.shape[1]], told[index, here.shape[1] :].view(np.int32))
            )
        self._alive += map(ref, rows)
        while len(self._alive) > _MOST_ROWS:
            oldest = self._alive.popleft()()
            if oldest is not None:
                oldest.leave()
        return rows
