"""Dictionaries that cannot grow without bound."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class BoundedDict(OrderedDict[Key, Value]):
    """Keeps so many entries: a new one drops the oldest. With `used` at each look-up that is the one least recently used."""

    def __init__(self, most: int, dropped: Callable[[Value], object] | None = None) -> None:
        """`dropped` is called with each value that has to go."""
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
        """The value of a key, which counts as the newest from now on; None where there is none."""
        if key not in self:
            return None
        self.move_to_end(key)
        return self[key]
