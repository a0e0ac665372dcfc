"""The values of the constructs in a logical line, and the operations in them.

Of most the third part has the operations (operations.py) of what they read:
- An expression is None (a constant without anything), a name whose role is still open, or (operand, path, operations). A list of expressions
  has the operand SEVERAL and its elements, linked, as a fourth part; an expression behind a star has STARRED, its own operand and the
  operations before this one's read. The elements of targets are (whether there is a star, operand, operations).
- Other lists, as of arguments, are (parts, the signs that matter in them, operations); see `joined`.

A name that is missing, put in where a line lacks one, is "".
"""

from __future__ import annotations

from typing import Any

from ..line_values import COMPILED, FORBIDDEN, TELLS_VERSION
from ..messages import ASSIGNS_DEBUG
from ..operations import Operations, both, together
from ..targets import DEBUG, DUNDER_DEBUG, VALUE, Attribute, Elements, Group, Mark, parts_of
from ..type_paths import Path

Value = Any
"""Of an expression; see above."""
SEVERAL = Mark("SEVERAL")
STARRED = Mark("STARRED")
VERSIONS = ("fact", "versions")


def read(value: Value) -> Operations:
    """The operations of an expression that is read."""
    if value.__class__ is str:
        if value in TELLS_VERSION:
            return "all", VERSIONS, ("use", value)
        return ("use", value) if value else None
    return value if value is None else value[2]


def path_of(value: Value) -> Path | None:
    """The path of an expression, if it has one."""
    if value.__class__ is str:
        return (value,) if value else None
    return value if value is None else value[1]


def constant(operations: Operations, path: Path | None = None) -> Value:
    """An expression that is no target."""
    return None if operations is None and path is None else (VALUE, path, operations)


def all_of(*operations: Operations) -> Value:
    """An expression or a statement that does all these."""
    return constant(together(*operations))


# -- lists, and targets


def one(value: Any) -> Any:
    """A list with one part, without operations."""
    return (value,), "", None


def joined(before: Any, comma: str, last: Any) -> Any:
    """A list with the parts of two."""
    return before[0] + last[0], before[1] + last[1], both(before[2], last[2])


def element_of(value: Value) -> tuple[bool, Any, Operations]:
    """An element of a list: whether it has a star, its operand, its operations."""
    if value.__class__ is str:
        return False, value, None
    if value is None:
        return False, VALUE, None
    return (True, value[3], value[4]) if value[0] is STARRED else (False, value[0], value[2])


def is_list(value: Value) -> bool:
    """Whether there is a comma."""
    return value.__class__ is tuple and value[0] is SEVERAL


def elements_of(value: Value) -> Elements:
    """The elements of a list, or the only one."""
    if not is_list(value):
        return (element_of(value),)
    elements: list[Any] = []
    link = value[3]
    while link is not None:
        elements.append(link[1])
        link = link[0]
    return tuple(reversed(elements))


def bind(elements: Elements, *, top: bool, comma: bool = False) -> Operations:
    """Bind targets in order, each after its own reads. top: outside of brackets, where a lone star is an error without a comma."""
    stars = sum(element[0] for element in elements)
    operations: Operations = None
    if stars > 1:
        operations = ("error", "multiple starred expressions in assignment", COMPILED)
    elif stars and top and not comma:
        operations = ("error", "starred assignment target must be in a list or tuple", COMPILED)
    for _, operand, reads in elements:
        if operand.__class__ is str:
            operations = both(operations, both(VERSIONS if operand in TELLS_VERSION else None, bind_name(operand)))
        elif operand.__class__ is Group:
            operations = both(operations, bind(operand.elements, top=operand.is_parenthesized))
        else:
            stored = store(operand, None) if operand.__class__ is Attribute else checked(operand)
            operations = both(both(operations, reads), stored)
    return operations


def bind_name(name: str, kind: str = "bind") -> Operations:
    return both(checked(name), (kind, name)) if name else None


def checked(target: Any) -> Operations:
    """The error of assigning to a forbidden name or attribute."""
    return ("error", ASSIGNS_DEBUG, FORBIDDEN) if target == DUNDER_DEBUG or target is DEBUG else None


def store(target: Attribute, value: Any) -> Operations:
    """Assign an attribute; value: see ("fact", "made") in facts.py."""
    return ("fact", "store", target.base, target.name, value) if target.name else None


def made_of(elements: Elements, comma: bool, path: Path | None) -> Operations:
    """The values of targets; path: the unpacked value, or that of the only target."""
    if path is None:
        return None
    parts = parts_of(elements, comma, path)
    return together(*(("fact", "made", name, ("value", part)) for name, part in parts if name))
