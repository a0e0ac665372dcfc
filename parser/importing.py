"""Existing names that a document does not import: their imports, and the places of these.

A language with such names provides an `Importer`. Its offers guess the meaning; whether a text is valid with an import in place is
decided by the hole of the document with the import (`Session.inserted`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike, scandir
from pathlib import Path
from typing import Protocol, TypeVar

from ..common import untrusted
from ..common.bounded import BoundedDict
from ..common.constraint import Stop
from ..common.reach import ANYWHERE, Reach

_MAX_FILES = 40
"""Files read of a folder, the first by name."""
_MAX_BYTES = 200_000
"""Of one of them."""
_MAX_ENTRIES = 2_000

Kept = TypeVar("Kept")


class Imports(Protocol):
    """The modules one file can import, for a language with checked attributes; see `BuiltIn.imports_for`."""

    at_once: bool
    """Whether modules are read at the first request. Else they are unknown until `read`."""

    def want(self, text: str) -> None:
        """Ask for the imports of a text, for the next `read`."""
        ...

    def read(self, seconds: float, stop: Stop | None = None) -> None:
        """Read requested modules that are unknown so far, for about so long.

        A slower module is put aside, and read by a call with `stop` while nobody waits; that asks `stop` often.
        """
        ...


@dataclass(frozen=True, slots=True)
class Insertion:
    """A text to write into a document."""

    at: int
    """characters of the document before it"""
    text: str


def inserted(text: str, insertions: Sequence[Insertion]) -> str:
    """A text with insertions, given in order."""
    parts, done = list[str](), 0
    for insertion in insertions:
        parts += text[done : insertion.at], insertion.text
        done = insertion.at
    return "".join(parts) + text[done:]


def combined(first: Sequence[Insertion], second: Sequence[Insertion]) -> tuple[Insertion, ...]:
    """Two steps as one: insertions into a text, and insertions into the result."""
    result = list(first)
    for later in reversed(second):
        added = 0
        for number, other in enumerate(result):
            begin = other.at + added
            if later.at < begin:
                result.insert(number, Insertion(later.at - added, later.text))
                break
            if later.at <= begin + len(other.text):
                within = later.at - begin
                result[number] = Insertion(other.at, other.text[:within] + later.text + other.text[within:])
                break
            added += len(other.text)
        else:
            result.append(Insertion(later.at - added, later.text))
    return tuple(result)


def length_of(insertions: Sequence[Insertion]) -> int:
    """The number of inserted characters."""
    return sum(len(insertion.text) for insertion in insertions)


@dataclass(frozen=True)
class ImportRequest:
    """A request for the possible imports of a document."""

    text: str
    path: str | PathLike[str] | None = None
    version: str | None = None
    others: Mapping[str, str] = field(default_factory=dict[str, str])
    """path -> text of the language's files being edited"""
    imports: Imports | None = None
    """the importable modules, where the language has such"""
    reach: Reach = ANYWHERE


class Importer(Protocol):
    """A language's knowledge of names not imported."""

    def importable(self, asked: ImportRequest) -> Mapping[str, str]:
        """Name -> the statement importing it, as it would stand alone; of several the most usual one."""
        ...

    def insertions(self, text: str, offset: int, statement: str, asked: ImportRequest) -> tuple[Insertion, ...]:
        """The insertions for a statement's name, placed by the order of the file's imports.

        All are above the offset's line and its statement; () if none is possible.
        """
        ...


class Neighbours:
    """Other files in a document's folder, each read again after a change."""

    def __init__(self, suffix: str) -> None:
        self._suffix = suffix
        self._texts: BoundedDict[Path, tuple[int, int, str]] = BoundedDict(4 * _MAX_FILES)

    def of(self, asked: ImportRequest) -> Iterator[tuple[Path, str]]:
        """Path and text of the files beside a document, as edited or on disk, and of the other edited files."""
        own = None if asked.path is None else Path(asked.path).absolute()
        edited = {Path(path).absolute(): text for path, text in asked.others.items() if path.endswith(self._suffix)}
        edited.pop(own or Path(), None)
        yield from edited.items()
        if own is not None and asked.reach.allows(own.parent):
            for path in self._listed(own.parent):
                text = self._text(path) if path != own and path not in edited and asked.reach.allows(path) else None
                if text is not None:
                    yield path, text

    def _listed(self, folder: Path) -> list[Path]:
        names: list[str] = []
        try:
            with scandir(folder) as entries:
                for number, entry in enumerate(entries):
                    if number == _MAX_ENTRIES:
                        break
                    if entry.name.endswith(self._suffix):
                        names.append(entry.name)
        except OSError:
            return []
        return [folder / name for name in sorted(names)[:_MAX_FILES]]

    def _text(self, path: Path) -> str | None:
        try:
            stat = path.stat()
            cached = self._texts.get(path)
            if cached is None or cached[:2] != (stat.st_mtime_ns, stat.st_size):
                text = untrusted.read_text(path, _MAX_BYTES, "replace")
                cached = self._texts[path] = stat.st_mtime_ns, stat.st_size, text
        except (OSError, ValueError):
            return None
        return cached[2]
