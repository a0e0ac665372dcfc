"""The imports of a Go file, and the names of their packages in it.

Without a name in the import, a package has the name declared by its own files. In the standard library it is the last element of the
path; elsewhere it mostly is, and it counts as known where the file reads that name. Otherwise the name is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from .messages import redeclared
from .universe import STANDARD

_TOKEN = re.compile(r'//[^\n]*|/\*(?s:.*?)\*/|"(?:[^"\\\n]|\\.)*"|`[^`]*`|[^\W\d]\w*|[().;{}\n]')
_INVALID = re.compile(r"""[!"#$%&'()*,:;<=>?\[\\\]^`{|}\ufffd\s\x00-\x1f\x7f]""")
_VERSION = re.compile(r"v\d+")
_SUFFIX = re.compile(r"\.v\d+$")


@dataclass(frozen=True)
class Import:
    """One import; name: None where only the package's files tell it."""

    name: str | None
    path: str

    def likely(self) -> tuple[str, ...]:
        """The likely names of a package without a known one."""
        elements = [element for element in self.path.split("/") if element]
        if len(elements) > 1 and _VERSION.fullmatch(elements[-1]):
            elements.pop()
        last = _SUFFIX.sub("", elements[-1]) if elements else ""
        candidates = (
            last,
            last.removeprefix("go-"),
            last.removesuffix("-go"),
            last.removesuffix(".go"),
            last.replace("-", ""),
            last.replace("-", "_"),
            last.rpartition("-")[2],
        )
        return tuple(dict.fromkeys(name for name in candidates if name.isidentifier()))


def imports_of(text: str) -> tuple[Import, ...]:
    """The imports at the beginning of a file."""
    imports: list[Import] = []
    name, importing, grouped = None, False, False
    for m in _TOKEN.finditer(text):
        token = m[0]
        first = token[0]
        if first == "/":
            continue
        if not importing:
            if token == "import":
                importing, grouped, name = True, False, None
            elif token in ("func", "type", "var", "const"):
                break
        elif token == "(":
            grouped = True
        elif token == ")":
            importing = False
        elif first in '"`':
            path = token[1:-1]
            imports.append(Import(name if name is not None else known_name(path), path))
            name, importing = None, grouped
        elif first not in ";\n":
            name = token
    return tuple(imports)


def known_name(path: str) -> str | None:
    """The name of the package at a path, where it is certain."""
    elements = path.split("/")
    if elements[0] not in STANDARD and path != "C":
        return None
    if len(elements) > 1 and _VERSION.fullmatch(elements[-1]):
        elements.pop()
    return elements[-1]


@dataclass(frozen=True)
class Imported:
    """The meaning of a file's imports for its names."""

    names: frozenset[str]
    """the names of packages"""
    certain: tuple[tuple[str, str], ...]
    """(name, path) of the certain ones"""
    unknown: bool
    """whether some package has an unknown name"""
    spread: bool
    """whether one brings all its names (`import . "x"`)"""
    errors: frozenset[str]

    @cached_property
    def packages(self) -> frozenset[str]:
        """The certain names."""
        return frozenset(name for name, _ in self.certain)


def meaning(imports: tuple[Import, ...], is_read: Callable[[str], bool]) -> Imported:
    """The meaning of imports; is_read: whether the file reads a name, before a point."""
    names: set[str] = set()
    certain: list[tuple[str, str]] = []
    errors: set[str] = set()
    nameless: set[str] = set()  # paths
    unknown = spread = False
    for imported in imports:
        if _INVALID.search(imported.path) or not imported.path:
            errors.add(f'invalid import path: "{imported.path}"')
        if imported.name == ".":
            spread = True
        elif imported.name is None:
            if imported.path in nameless:  # whatever the package's name is
                errors.add(f'"{imported.path}" imported twice')
            nameless.add(imported.path)
            read = [name for name in imported.likely() if name not in names and is_read(name)]
            names.update(read[:1])
            unknown = unknown or not read
        elif imported.name != "_":
            if imported.name in {name for name, _ in certain}:
                errors.add(redeclared(imported.name))
            names.add(imported.name)
            certain.append((imported.name, imported.path))
    return Imported(frozenset(names), tuple(certain), unknown, spread, frozenset(errors))
