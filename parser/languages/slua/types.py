"""The types of sLua: number, boolean, string, tables by name, and functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

NUMBER, BOOLEAN, STRING, VOID = "number", "boolean", "string", "void"
PRIMITIVES = frozenset((NUMBER, BOOLEAN, STRING))


@dataclass(frozen=True, slots=True)
class Func:
    """A function type; the names of its parameters are for messages only."""

    params: tuple[Type, ...]
    result: str
    names: tuple[str, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.params))}) -> {self.result}"


Type = str | Func
"""A primitive, `void`, or the name of a record or class; else a function."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a record or class."""

    type: Type
    mutable: bool = False
    optional: bool = False
    static: bool = False
    """a function of a class without the object as its first argument"""
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A record, which scripts may construct, or a class, whose objects only the host has."""

    name: str
    fields: Mapping[str, Field]
    is_record: bool
    doc: str = ""

    def __hash__(self) -> int:
        return hash(self.name)

    def readable(self) -> dict[str, Field]:
        """The readable fields: an optional one may be missing."""
        return {name: field for name, field in self.fields.items() if not field.optional}

    def required(self) -> frozenset[str]:
        """The fields required in a constructor."""
        return frozenset(name for name, field in self.fields.items() if not field.optional)
