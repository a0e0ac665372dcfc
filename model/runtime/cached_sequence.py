"""The base of our own runtimes: one cached sequence of token ids, and its remainder after an error."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from ..errors import ModelError, OutOfMemory

_Rows = TypeVar("_Rows")

_WORTH = 64  # tokens a sequence has to save to be kept, or restored


@dataclass(frozen=True, slots=True, eq=False)
class Aside:
    """A sequence other than the current one, and a subclass's copy of its keys and values."""

    ids: list[int]
    copied: Any


class KeptSequence:
    """A sequence of token ids, and the room for more."""

    def __init__(self, *, device: str, limit: int, size: int) -> None:
        self._device = device
        self._limit = limit
        self._size = size
        self._sequence: list[int] = []

    @property
    def device(self) -> str:
        """The device: "cpu", "cuda", "mps", "server"."""
        return self._device

    @property
    def limit(self) -> int:
        """The longest sequence, in tokens."""
        return self._limit

    @property
    def size(self) -> int:
        """The number of logits."""
        return self._size

    @property
    def length(self) -> int:
        """The number of tokens in the sequence."""
        return len(self._sequence)


class CachedSequence(KeptSequence, ABC):
    """A runtime whose cache holds one sequence, and copies of some earlier ones; subclasses compute logits, and crop and copy the cache."""

    _out_of_memory: type[BaseException] = MemoryError  # raised when memory runs out
    _most_aside = 0  # the most sequences kept besides the current one

    def __init__(self, *, device: str, limit: int, size: int) -> None:
        super().__init__(device=device, limit=limit, size=size)
        self._aside: list[Aside] = []  # the last one used is the last

    def cached(self, ids: Sequence[int]) -> int:
        """The number of leading ids of `ids` in the cache, or in a kept sequence worth restoring for them."""
        here = shared_length(self._sequence, ids)
        aside = max((shared_length(kept.ids, ids) for kept in self._aside), default=0)
        return aside if aside >= here + _WORTH else here

    def prefill(self, ids: Sequence[int]) -> np.ndarray:
        """Make `ids` the sequence, reusing the cache; the logits after its last token: (size,)."""
        return self._append(self._unread(ids), 1)[0]

    def step(self, token: int) -> np.ndarray:
        """Append one token; the logits after it: (size,)."""
        return self._append((token,), 1)[0]

    def rows(self, ids: Sequence[int]) -> np.ndarray:
        """Append tokens; the logits after each of them: (n, size)."""
        return self._append(ids, len(ids))

    def crop(self, length: int) -> None:
        """Forget all but the first `length` tokens."""
        if length < len(self._sequence):
            self._forget(length)
            del self._sequence[length:]

    def _unread(self, ids: Sequence[int]) -> Sequence[int]:
        """Crop the sequence to the part of `ids` in the cache, without the last one, whose logits are not kept; the rest."""
        here = shared_length(self._sequence, ids)
        kept = max(self._aside, key=lambda kept: shared_length(kept.ids, ids), default=None)
        length = 0 if kept is None else shared_length(kept.ids, ids)
        if here < len(self._sequence) / 2:  # of another place
            self._keep()
        if kept is not None and length >= here + _WORTH:
            self._take(kept.copied, length)
            self._sequence = kept.ids[:length]
            if kept in self._aside:
                self._aside.remove(kept)
                self._aside.append(kept)
        shared = min(shared_length(self._sequence, ids), len(ids) - 1)
        self.crop(shared)
        return ids[shared:]

    def _keep(self) -> None:
        """Copy the sequence, replacing an older version of it, or the least recently used one; do nothing if there is no room."""
        ids = list(self._sequence)
        if len(ids) < _WORTH or not self._most_aside:
            return
        others = [kept for kept in self._aside if 2 * shared_length(kept.ids, ids) <= len(kept.ids)]
        self._aside = others[max(0, len(others) - self._most_aside + 1) :]
        try:
            self._aside.append(Aside(ids, self._copied()))
        except self._out_of_memory:
            self._aside.clear()

    def _copied(self) -> Any:
        """The keys and values of the sequence, in memory of their own."""
        raise NotImplementedError

    def _take(self, copied: Any, length: int) -> None:
        """Put the first tokens of a copy into the cache."""
        raise NotImplementedError

    def _append(self, ids: Sequence[int], keep: int) -> np.ndarray:
        return self._extend(ids, lambda: self._forward(ids, keep))

    def _extend(self, ids: Sequence[int], compute: Callable[[], _Rows]) -> _Rows:
        """Append tokens, by a pass that may fail."""
        if len(self._sequence) + len(ids) > self._limit:
            raise ModelError(f"the prompt is longer than the model's {self._limit} tokens: ask for less context")
        try:
            rows = compute()
        except BaseException as error:
            self._forget(0)  # half a step may be in the cache
            self._sequence = []
            if isinstance(error, self._out_of_memory):
                raise OutOfMemory("the device is out of memory: use a smaller model, or --device cpu") from error
            raise
        self._sequence += ids
        return rows

    @abstractmethod
    def _forward(self, ids: Sequence[int], keep: int) -> np.ndarray:
        """Extend the cache by `ids`; the logits of the last `keep`, in memory of their own: (keep, size) float32."""

    @abstractmethod
    def _forget(self, length: int) -> None:
        """Shorten the cache to `length` tokens, fewer than it has."""


def shared_length(first: list[int], second: Sequence[int]) -> int:
    """The length of two sequences' common prefix; slices are compared, which is faster than single ids."""
    rest, low, high = list(second), 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == rest[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
