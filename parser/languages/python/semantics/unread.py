"""Trees of functions with unread bodies; see unread_functions.py."""

from __future__ import annotations

Names = frozenset[str]


class Unread:
    """Unread functions, as a tree; size: more than that of any tree in it."""

    __slots__ = ("size",)

    size: int


class Both(Unread):
    """The trees of two runs of statements."""

    __slots__ = ("after", "before")

    def __init__(self, before: Unread, after: Unread) -> None:
        self.size = before.size + after.size
        self.before, self.after = before, after


class Within(Unread):
    """The tree in a scope with its own names."""

    __slots__ = ("bound", "inner")

    def __init__(self, inner: Unread, bound: Names) -> None:
        self.size = inner.size + 1
        self.inner, self.bound = inner, bound


def both(a: Unread | None, b: Unread | None) -> Unread | None:
    """The tree of two runs of statements, each of which may have none."""
    return b if a is None else a if b is None else Both(a, b)


def within(inner: Unread | None, bound: Names) -> Unread | None:
    """The tree in a scope with its own names."""
    return inner if inner is None or not bound else Within(inner, bound)
