"""The operands before the current token of a logical line, which may become targets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from .type_paths import LONGEST_PATH, Path, item

DUNDER_DEBUG = "__debug__"


class Attribute(NamedTuple):
    """An attribute, read or a target; base: the name of its owner, "" for any other expression."""

    base: str
    name: str


class Group(NamedTuple):
    """A display in parentheses or square brackets, which may still become a target."""

    elements: Elements
    is_parenthesized: bool
    """whether this is a single element in parentheses"""


class Mark:
    """A kind of operand before the current token, if nothing else about it matters."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


SINGLE = Mark("SINGLE")  # an attribute or a subscript: a target that binds no name
SPREAD_SUBSCRIPT = Mark("SPREAD_SUBSCRIPT")  # a subscript with a star in its tuple
DEBUG = Mark("DEBUG")  # the attribute __debug__, which must not be assigned
VALUE = Mark("VALUE")  # no target
TEXT = Mark("TEXT")  # a plain string, in parentheses or not
SPREAD = Mark("SPREAD")  # a tuple with a star in it

Operand = str | Attribute | Group | Mark | None
"""The operand before the current token: a name, a possible target, or a mark; None: there is none."""
Elements = tuple[Any, ...]
"""Operands between commas, each behind whether it has a star; where lines are read whole, before the operations of its own parts."""


def unwrapped(operand: Operand) -> Operand:
    """The operand without the parentheses around it."""
    while isinstance(operand, Group) and operand.is_parenthesized:
        operand = operand.elements[0][1]
    return operand


def target_names(elements: Elements) -> Iterator[str]:
    """The names among targets."""
    for element in elements:
        operand = element[1]
        if isinstance(operand, str):
            yield operand
        elif isinstance(operand, Group):
            yield from target_names(operand.elements)


def parts_of(elements: Elements, comma: bool, path: Path) -> Iterator[tuple[str, Path]]:
    """The names among targets, each with its value; path: the unpacked value, or that of the only target."""
    if len(path) > LONGEST_PATH or any(element[0] for element in elements):
        return
    for number, element in enumerate(elements):
        operand, value = element[1], path if len(elements) == 1 and not comma else (*path, item(number))
        if isinstance(operand, str):
            yield operand, value
        elif isinstance(operand, Group):
            yield from parts_of(operand.elements, not operand.is_parenthesized, value)
