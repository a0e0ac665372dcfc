"""Small sets: most are empty, and Python makes each empty one anew, at 216 bytes.

A document of 400,000 characters has a hundred thousand of them. So all empty sets are one object here, as are most equal small sets.
"""

from __future__ import annotations

from collections.abc import Collection, Set
from functools import lru_cache
from typing import Any, TypeVar

Item = TypeVar("Item")

NONE: frozenset[Any] = frozenset()
"""The empty set."""
_SMALL = 3
_KEPT = 8_000
"""Small sets kept for sharing; some 2 MB."""


def frozen(items: Collection[Item]) -> frozenset[Item]:
    """The set of some items."""
    if not items:
        return NONE
    return _one(frozenset(items)) if len(items) <= _SMALL else frozenset(items)


def union(a: frozenset[Item], b: frozenset[Item]) -> frozenset[Item]:
    """The union of two sets."""
    if not a:
        return b or NONE
    return a | b if b and a is not b else a


def minus(a: frozenset[Item], b: Set[Item]) -> frozenset[Item]:
    """The items of the first set missing in the second."""
    return (a - b if b and not a.isdisjoint(b) else a) or NONE


@lru_cache(maxsize=_KEPT)
def _one(items: frozenset[Any]) -> frozenset[Any]:
    return items
