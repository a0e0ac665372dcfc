"""Functions with unread bodies.

The reads and errors of such a function matter only if a text takes away a name that it might read, or somebody asks about the whole file. So
contents carry these functions along, joined into trees, and the trees of a file with and without a text are compared: shared functions that
see the same names stay unread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from heapq import heapify, heappop, heappush

from .....common.words import compiled
from .contents import Both, Content, Names, Unread, Within
from .sets import NONE

_WORD = compiled(r"\.?\w+")
_BOUND_WORD = compiled(r"(?<!\w)(\w+)\s*(?:=(?!=)|[,):]|in\b)|(?:\bas|\bimport|\bdef|\bclass|\bfor|\*)\s+(\w+)")
"""Matches places that seem to bind a name."""


class Function(Unread):
    """An unread function; text: its whole body, and maybe more. read: returns the content of the definition for the scope around it."""

    __slots__ = ("_content", "_free", "_read", "text")

    def __init__(self, text: str, read: Callable[[], Content]) -> None:
        self.size = 1
        self.text = text
        self._read = read
        self._content: Content | None = None
        self._free: Names | None = None

    @property
    def is_read(self) -> bool:
        """Whether the body has been read."""
        return self._content is not None

    def content(self) -> Content:
        """The content of the definition for the scope around it, read once."""
        if self._content is None:
            self._content = self._read()
        return self._content

    def seems_to_read(self) -> Names:
        """The words in the text that nothing in it seems to bind: nearly all names looked up elsewhere, and some words that are not names."""
        if self._free is None:
            bound = {word for pair in _BOUND_WORD.findall(self.text) for word in pair}
            self._free = frozenset(word for word in _WORD.findall(self.text) if word not in bound and word[0] != ".")
        return self._free

    def reads(self, names: Iterable[str]) -> Names:
        """The given names that the function looks up in the scopes around it when it runs."""
        some = frozenset(name for name in names if name in self.text)
        return some & self.content().later if some else NONE


_Node = tuple[int, int, Unread, Names]
"""(-size, its number, a tree, the names bound by scopes around it)"""


def _opened(tree: Unread, bound: Names) -> Iterator[tuple[Unread, Names]]:
    """The parts of a tree."""
    if isinstance(tree, Both):
        yield tree.before, bound
        yield tree.after, bound
    elif isinstance(tree, Within):
        yield tree.inner, bound | tree.bound


def functions(trees: Iterable[Unread], bound: Names = NONE) -> Iterator[tuple[Function, Names]]:
    """The functions in trees, each with the names bound by scopes around it."""
    todo = [(tree, bound) for tree in trees]
    while todo:
        tree, around = todo.pop()
        if isinstance(tree, Function):
            yield tree, around
        else:
            todo += _opened(tree, around)


def compared(trees: Iterable[Unread], before: Iterable[Unread]) -> Iterator[tuple[Unread, Names, Names | None]]:
    """The trees of one version of a file: (tree, the names bound by scopes around it, those in the other version).

    A part of both versions is yielded as one tree, as large as possible. Parts of the first alone are yielded as single functions, with None.
    """
    number = 0

    def heap(trees: Iterable[Unread]) -> list[_Node]:
        nodes = [(-tree.size, index, tree, NONE) for index, tree in enumerate(trees)]
        heapify(nodes)
        return nodes

    def push(nodes: list[_Node], tree: Unread, bound: Names) -> None:
        nonlocal number
        number -= 1
        for inner, around in _opened(tree, bound):
            number -= 1
            heappush(nodes, (-inner.size, number, inner, around))

    mine, others = heap(trees), heap(before)
    alike: dict[int, tuple[Unread, Names]] = {}  # the other version's trees of one size
    size = 0
    while mine:
        negative, _, tree, bound = heappop(mine)
        if negative != size:
            for other, around in alike.values():
                push(others, other, around)
            alike, size = {}, negative
        while others and others[0][0] <= negative:
            other_size, _, other, around = heappop(others)
            if other_size == negative:
                alike[id(other)] = other, around
            else:
                push(others, other, around)
        counterpart = alike.pop(id(tree), None)
        if counterpart is not None:
            yield tree, bound, counterpart[1]
        elif isinstance(tree, Function):
            yield tree, bound, None
        else:
            push(mine, tree, bound)
