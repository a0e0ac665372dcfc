"""Operations: what a line does to names, in order.

One is a tuple with its kind first; content_builder.py and facts.py take them. Several are ("all", ...), nested as it comes; none is None. Some
kinds hold others, which run in a scope of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

Operations = Any
"""None, one operation, or ("all", ...) with several operations in order."""
_PARTS = {"annotation": (1,), "variable annotation": (1,), "type bound": (1,), "alias": (2,), "lambda": (2, 3)}
"""The positions of the operations within an operation, by its kind; see also `changed`."""
_SHORT = 12
"""The most parts to copy for one more."""


def both(a: Operations, b: Operations) -> Operations:
    """The operations of two parts, in order."""
    if a is None:
        return b
    if b is None:
        return a
    if a[0] == "all" and len(a) < _SHORT:
        return (*a, b)
    return "all", a, b


def together(*parts: Operations) -> Operations:
    """The operations of several parts, in order."""
    kept = [part for part in parts if part is not None]
    return ("all", *kept) if len(kept) > 1 else kept[0] if kept else None


def each(operations: Operations) -> list[Any]:
    """The operations, in order."""
    if operations is None:
        return []
    if operations[0] != "all":
        return [operations]
    flat: list[Any] = []
    todo = [*operations[:0:-1]]
    while todo:
        operation = todo.pop()
        if operation[0] == "all":
            todo += operation[:0:-1]
        else:
            flat.append(operation)
    return flat


def inner(operation: Any) -> list[Operations]:
    """The operations within an operation."""
    parts: list[Operations] = []
    changed(operation, parts.append)
    return parts


def within(operations: Operations) -> Iterator[Any]:
    """The operations, and those within them."""
    todo = each(operations)
    while todo:
        operation = todo.pop()
        yield operation
        todo += (part for parts in inner(operation) for part in each(parts))


def changed(operation: Any, change: Callable[[Operations], Operations]) -> Any:
    """The operation with changed operations within it."""
    if operation[0] == "comp":
        _, kind, element, gens = operation
        clauses = ((is_async, *map(change, parts), unpacked) for is_async, *parts, unpacked in gens)
        return "comp", kind, change(element), tuple(clauses)
    parts = _PARTS.get(operation[0])
    if parts is None:
        return operation
    return tuple(change(part) if number in parts else part for number, part in enumerate(operation))
