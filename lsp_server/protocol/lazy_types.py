"""The import of the protocol's types: each of the 550 classes is completed by attrs when it is first used.

attrs compiles the methods of every class at its definition, in a quarter of a second and 20 MB altogether; a session uses some sixty classes.
Other libraries see the original `attrs.define`, and classes defined meanwhile in other threads work as well.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
import threading
from collections.abc import Callable
from typing import Any

import attrs

_TYPES = "lsprotocol.types"
_lock = threading.RLock()


class _Fields:
    """The fields of a class, resolved at their first use."""

    def __init__(self, cls: type, complete: Callable[[], None]):
        self._cls, self._complete = cls, complete

    def __get__(self, instance: object, owner: type) -> Any:
        self._complete()
        if vars(self._cls)["__attrs_attrs__"] is self:  # attrs is resolving them now
            raise AttributeError
        return owner.__attrs_attrs__  # type: ignore[attr-defined]


def import_types() -> None:
    """Import the protocol's types, if nobody has yet."""
    if _TYPES in sys.modules:
        return
    define = attrs.define
    with _lock:
        attrs.define = _define_late  # type: ignore[assignment]
        try:
            importlib.import_module(_TYPES)
        finally:
            attrs.define = define  # type: ignore[assignment]
    with contextlib.suppress(ImportError):  # another release, without lazy resolution
        hooks: Any = importlib.import_module("lsprotocol._hooks")
        hooks._resolved_forward_references = True  # each class resolves its own references


def _define_late(cls: type | None = None, define: Callable[..., Any] = attrs.define, **options: Any) -> Any:
    """Like `attrs.define`, but without slots; at the first use of the class, unless it has options."""
    if cls is None or options:
        return define(cls, **options)
    done = False

    def complete() -> None:
        nonlocal done
        with _lock:
            if not done:
                done = True
                attrs.resolve_types(define(cls, slots=False, init=True))

    def first(self: Any, *args: Any, **kwargs: Any) -> None:
        complete()
        cls.__init__(self, *args, **kwargs)

    cls.__init__ = first
    cls.__attrs_attrs__ = _Fields(cls, complete)  # type: ignore[attr-defined]
    return cls
