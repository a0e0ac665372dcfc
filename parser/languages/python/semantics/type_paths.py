"""Annotations as paths: what a container holds, and which of several types something has.

A path is a tuple of strings (syntax.py). In an annotation a subscript is one of them, with what stands in it: `dict[str, a.B]` is
("dict", "[str,a.B]"), and what cannot be said is "?". `A | None` is the one string "|A|None". In other expressions a subscript is "[]",
a slice "[:]", an element that a loop takes "[*]", its item at a position "[#0]", and what a `with` binds "[with]".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

Path = tuple[str, ...]

INDEX, SLICE, ELEMENT, ENTERED = "[]", "[:]", "[*]", "[with]"
_MOST = 400
"""Characters of an annotation in a string."""
_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*|\.\.\.")


def item(position: int) -> str:
    """The part of a path for the item at a position."""
    return f"[#{position}]"


def position_of(part: str) -> int | None:
    """The position that a part of a path asks for; None where it is something else."""
    return int(part[2:-1]) if part[:2] == "[#" else None


def encoded(path: Path | None) -> str:
    """A path of an annotation as one string."""
    if path is None:
        return "?"
    text = "".join(part if not number or part[0] in "[(" else f".{part}" for number, part in enumerate(path))
    return text.removeprefix("|")


def subscript(arguments: Iterable[Path | None]) -> str:
    """The part of a path for a subscript in an annotation."""
    return f"[{','.join(map(encoded, arguments))}]"


def either(paths: Iterable[Path | None]) -> Path | None:
    """One type or another."""
    parts = [encoded(path) for path in paths]
    return None if "?" in parts else ("|" + "|".join(parts),)


def names_in(path: Path) -> frozenset[str]:
    """The names that an annotation looks up."""
    return frozenset(_NAME.findall(encoded(path)))


@lru_cache(maxsize=4096)
def arguments_of(part: str) -> tuple[Path | None, ...]:
    """What stands in the subscript of an annotation."""
    return tuple(map(_decoded, _split(part[1:-1], ",")))


@lru_cache(maxsize=1024)
def alternatives_of(part: str) -> tuple[Path | None, ...]:
    """The types of which something has one."""
    return tuple(map(_decoded, _split(part[1:], "|")))


def read(text: str) -> Path | None:
    """The path of an annotation in a string; None where it is something else."""
    return _decoded("".join(text.split())) if len(text) <= _MOST else None


def _split(text: str, mark: str) -> list[str]:
    parts: list[str] = []
    depth = begin = 0
    for at, char in enumerate(text):
        if char == "[":
            depth += 1
        elif char == "]":
            depth -= 1
        elif char == mark and not depth:
            parts.append(text[begin:at])
            begin = at + 1
    return [*parts, text[begin:]]


def _decoded(text: str) -> Path | None:
    types = _split(text, "|")
    if len(types) > 1:
        return either(map(_decoded, types))
    name = _DOTTED.match(text)
    if name is None:
        return None
    rest = text[name.end() :]
    path = (name[0],) if name[0] == "..." else tuple(name[0].split("."))
    if not rest:
        return path
    if rest[0] != "[" or rest[-1] != "]" or len(rest) < 3:
        return None
    return (*path, subscript(map(_decoded, _split(rest[1:-1].rstrip(","), ","))))
