"""The languages there are, by name and version, and what puts one together."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import PurePath

from .errors import UnknownLanguage
from .hole import Bridging
from .left import Engine, Left
from .lexing import LexState
from .python import language as python
from .right import Right
from .session import Hole, Session

MAX_ENGINE_SIZE = 400_000
"""Interned objects after which a language starts over with an empty engine: some 200 MB."""


@dataclass(frozen=True, eq=False)
class Parts:
    """An engine and what belongs to it."""

    engine: Engine
    bridging: Bridging
    viable_suffix: Callable[[Right, LexState], bool]
    fallback: Callable[[str, int, Left | int, Right, bool], Hole]
    """(text, offset, left context or where it dies, right context, whether that is viable) -> a hole in a part of the text"""


class Language:
    """A language in one version. It and its sessions belong to one thread at a time."""

    def __init__(self, name: str, version: str | None, make: Callable[[], Parts]) -> None:
        self.name = name
        self.version = version
        self._make = make
        self._parts: Parts | None = None

    def parts(self) -> Parts:
        """The current engine; a new one when the old has grown too large."""
        if self._parts is None or self._parts.engine.size > MAX_ENGINE_SIZE:
            self._parts = self._make()
        return self._parts

    def session(self) -> Session:
        """A document that is being edited."""
        return Session(self)

    def hole(self, left: str, right: str) -> Hole:
        """The hole between two texts, once."""
        return Session(self).hole(left + right, len(left))


_PATTERNS = {"python": ("*.py", "*.pyi", "*.pyw", "SConstruct", "SConscript", "wscript")}


def languages() -> tuple[str, ...]:
    """The names of the languages there are."""
    return tuple(_PATTERNS)


@cache
def language(name: str, version: str | None = None) -> Language:
    """A language by name, in its default version unless one is given; the same object for the same arguments."""
    if name != "python":
        raise UnknownLanguage(f"unknown language {name!r}; known: {', '.join(languages())}")
    version = version or python.DEFAULT_VERSION
    if version not in python.VERSIONS:
        raise UnknownLanguage(f"python has no version {version!r} here; known: {', '.join(python.VERSIONS)}")
    return Language(name, version, lambda: python.new_parts(version))


def language_for_path(path: str) -> str | None:
    """The language that a file's name tells, or None."""
    name = PurePath(path).name
    return next((lang for lang, patterns in _PATTERNS.items() if any(fnmatchcase(name, p) for p in patterns)), None)


def freeze_garbage() -> None:
    """Take all that exists out of garbage collection's sight: a full one over a large engine costs hundreds of ms."""
    gc.collect()
    gc.freeze()
