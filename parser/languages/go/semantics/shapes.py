"""The shapes of expressions and types, as far as they are known without types: the attributes of their symbols.

An expression is a `str` where it is just a name, else one of these classes or numbers.
"""

from __future__ import annotations

import ast
import re
from enum import Enum
from typing import Any, NamedTuple

OTHER, CALL, PAIR, RECEIVED, VARIABLE, FUNCTION, COMPARED, COMPUTED, ADDRESS = range(9)
"""Anything; a call; one that may give two values (of a map, a type assertion); a receive; no constant; a function; a truth value; a
number or a string; an address."""


class Called(str):
    """A call of a function, or a conversion, by its name."""

    __slots__ = ()


class Pointed(str):
    """A name with a `*` before it."""

    __slots__ = ()


class Literal(str):
    """A constant as written."""

    __slots__ = ()


class Qualified(NamedTuple):
    """A name of another package."""

    package: str
    name: str


class Type(NamedTuple):
    """A type as written."""

    kind: str = ""
    """"name", "qualified", "pointer", "struct", "interface", "map", "list"; "" for others"""
    name: str = ""
    text: str = ""
    """equal for two that are the same type; "" where unknown"""
    inner: Any = None
    """of a pointer: its target; of an array or slice: the type of its elements"""
    fields: tuple[str, ...] = ()
    embedded: tuple[Type, ...] = ()
    """the types of its fields without names; each is named after its type"""
    length: int = -1
    """of an array, where it is written as a number"""
    arguments: int = 0
    """the number of its type arguments"""
    has_plain_arguments: bool = True
    """whether these are names"""
    has_methods: bool = False
    """of an interface: whether it lists methods itself"""
    union: tuple[Term, ...] = ()
    """of an interface: the terms of its elements"""
    constrains: bool = False
    """of an interface: whether one of its elements has several terms, or `~`"""
    holds: tuple[str, ...] = ()
    """names of the types with a value inside this one"""
    behind: tuple[str, ...] = ()
    """names of the types it points to, or has elements of"""


class Term(NamedTuple):
    """A term of a union; tilde: whether `~` stands before it."""

    type: Type
    tilde: bool


class Union(tuple[Term, ...]):
    """The terms of a constraint."""

    @property
    def holds(self) -> tuple[str, ...]:
        """Names of the types in it."""
        return tuple(name for term in self for name in term.type.holds)


class Listed(tuple[Type, ...]):
    """Types in a list."""


class Members(NamedTuple):
    """Fields of a struct, or methods of an interface."""

    names: tuple[str, ...] = ()
    holds: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()
    embedded: tuple[Type, ...] = ()
    union: tuple[Term, ...] = ()
    constrains: bool = False


class Keys(Enum):
    """The keys of a literal."""

    FIELDS = "fields"
    MAP = "of a map"
    LIST = "numbers"
    MAYBE = "one of these"


class Arguments(NamedTuple):
    """Of a call; spread: whether the last one is `x...`."""

    values: tuple[Any, ...]
    spread: bool = False


NOT_CONSTANT = frozenset({PAIR, RECEIVED, VARIABLE, FUNCTION, ADDRESS})
VALUES = frozenset({CALL, RECEIVED, VARIABLE, FUNCTION, COMPARED, COMPUTED, ADDRESS})
"""Shapes of expressions that are no types."""


def is_call(shape: Any) -> bool:
    return shape == CALL or type(shape) is Called


def is_executed(shape: Any) -> bool:
    """Whether such an expression is a statement."""
    return shape in (CALL, RECEIVED) or type(shape) is Called


def is_number(shape: Any) -> bool:
    return type(shape) is Literal and shape.lstrip("-")[0] not in '"`'


def is_string(shape: Any) -> bool:
    return type(shape) is Literal and shape[0] in '"`'


_NUMBER = re.compile(
    r"(-?)(?:0[xX](?P<hex>[0-9a-fA-F]+)|0[bB](?P<bin>[01]+)|0[oO]?(?P<oct>[0-7]+)|(?P<dec>0|[1-9]\d*))"
)


def constant_key(literal: str) -> str | None:
    """Equal for two literals of the same kind and value; None where the value is unknown."""
    first = literal[0]
    if first == "`":
        return "s" + literal[1:-1].replace("\r", "")
    if first == '"' and "\\" not in literal:
        return "s" + literal[1:-1]
    if first in "\"'":
        try:
            return ("s" if first == '"' else "r") + str(ast.literal_eval(literal))
        except (ValueError, SyntaxError):
            return None
    number = _NUMBER.fullmatch(literal.replace("_", ""))
    if number is None:
        return "n" + literal
    sign, digits, base = number[1], number[number.lastgroup or 0], {"hex": 16, "bin": 2, "oct": 8, "dec": 10}
    return f"n{sign}{int(digits, base[number.lastgroup or 'dec'])}"
