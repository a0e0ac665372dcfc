"""Garbage collection without long pauses.

A full collection looks at every object there is, which takes hundreds of milliseconds over a large engine. So all existing objects are frozen
(`gc.freeze`), and later every FREEZE_EVERY newly interned ones; a collection looks only at newer objects. The price: a frozen object is freed
only when nothing refers to it, never as part of a cycle. An engine grown too large is therefore taken apart, a little at a time.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator
from typing import Any

FREEZE_EVERY = 1_000
"""Interned objects; some 0.8 ms of collection."""
_AT_ONCE = 1_000
"""Objects taken apart in one step, 1 ms or so."""
_CONTAINERS: tuple[type, ...] = (tuple, list, set, frozenset)
_FOLLOWED: tuple[type, ...] = (dict, *_CONTAINERS)

freezing = False
"""whether someone has asked for it, by `freeze_garbage`"""


def freeze_garbage() -> None:
    """Hide all existing objects from the garbage collector, and from now on the objects interned by engines, too.

    For a process that keeps its engines: cycles of other objects that are garbage when an engine grows are collected first.
    """
    global freezing
    freezing = True
    freeze()


def freeze() -> None:
    """Collect the objects since the last time, and freeze the rest."""
    gc.collect()
    gc.freeze()


def trim() -> None:
    """Give freed memory back to the system, where the C library keeps it (glibc)."""
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError):
        pass  # another C library


def release_incrementally(roots: Iterable[object]) -> Iterator[None]:
    """Empty these dictionaries and those reached through interned objects (of classes marked `is_interned`), a little at each step."""
    todo: list[Any] = list(roots)
    steps = 0
    slots = _Slots()
    while todo:
        thing = todo.pop()
        if isinstance(thing, dict):
            members: Iterable[Any] = [*thing, *thing.values()]
            thing.clear()
        elif names := slots[type(thing)]:
            values = [getattr(thing, name) for name in names]
            todo += [value for value in values if isinstance(value, dict) and value]  # once: then it is empty
            members = ()
        else:
            members = thing
        if members:
            todo += [value for value in members if slots[type(value)] is not None]
        steps += 1
        if steps % _AT_ONCE == 0:
            yield


class _Slots(dict[type, tuple[str, ...] | None]):
    """The attributes of interned objects, by class; () for containers; None: nothing to follow."""

    def __missing__(self, kind: type) -> tuple[str, ...] | None:
        containers = () if issubclass(kind, _FOLLOWED) else None
        slots = (name for base in kind.__mro__ for name in getattr(base, "__slots__", ()))
        self[kind] = names = tuple(slots) if getattr(kind, "is_interned", False) else containers
        return names
