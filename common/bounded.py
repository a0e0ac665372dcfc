"""Bounded dictionaries."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class BoundedDict(OrderedDict[Key, Value]):
    """Keeps at most `most` entries: a new one evicts the oldest, or with `used` at each look-up, the least recently used (LRU)."""

    def __init__(self, most: int, dropped: Callable[[Value], object] | None = None) -> None:
        """`dropped` is called with each evicted value."""
        super().__init__()
        self.most = most
        self.dropped = dropped

    def __setitem__(self, key: Key, value: Value) -> None:
        super().__setitem__(key, value)
        if len(self) > self.most:
            _, oldest = self.popitem(last=False)
            if self.dropped is not None:
                self.dropped(oldest)

    def used(self, key: Key) -> Value | None:
        """The value of a key, from now on the newest; None without one."""
        if key not in self:
            return None
        self.move_to_end(key)
        return self[key]


class BoundedBySize(Generic[Key, Value]):
    """Keeps values up to a total size: the least recently used ones are evicted first, the newest never."""

    def __init__(self, most: int, size: Callable[[Value], int]) -> None:
        """`size` must give a kept value's size unchanged."""
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._most, self._size, self._total = most, size, 0

    def __len__(self) -> int:
        return len(self._values)

    def __setitem__(self, key: Key, value: Value) -> None:
        if key in self._values:
            self._total -= self._size(self._values.pop(key))
        self._values[key] = value
        self._total += self._size(value)
        while self._total > self._most and len(self._values) > 1:
            self._total -= self._size(self._values.popitem(last=False)[1])

    def used(self, key: Key) -> Value | None:
        """The value of a key, from now on the newest; None without one."""
        if key not in self._values:
            return None
        self._values.move_to_end(key)
        return self._values[key]
