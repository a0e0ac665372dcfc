"""The names declared in the other files of a Go package.

The files are those of the same package in the same folder; tests count only for tests. Build constraints do not count: a name may
come from any file.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import lru_cache
from os import PathLike, scandir
from pathlib import Path
from typing import NamedTuple

from ....common import untrusted
from ....common.bounded import BoundedDict
from ....common.possessive import compiled
from ....common.reach import ANYWHERE, Reach
from .semantics.declarations import before, declaration
from .workspace import version_for

_MAX_FILES = 2_000
_MAX_CHARS = 16_000_000
_MAX_BYTES = 4_000_000  # of one of them
_KNOWN_S = 2.0
"""Seconds before the list of a folder's files is read again."""
_MAX_FOLDERS = 64
_MAX_KEPT = 4_000
_CLAUSE = compiled(r"\s*+(?:(?://[^\n]*+|/\*(?s:.*?)\*/)\s*+)*+package\s++([^\W\d]\w*+)")


class _File(NamedTuple):
    path: Path
    modified_ns: int
    size: int
    foreign: bool
    """whether it is a link, or of another owner than its folder. Else it may be read where the folder may."""


_files: BoundedDict[Path, tuple[float, tuple[_File, ...] | None]] = BoundedDict(_MAX_FOLDERS)
_names: BoundedDict[Path, tuple[int, int, str | None, frozenset[str]]] = BoundedDict(_MAX_KEPT)


def names_elsewhere(
    path: str | PathLike[str] | None, text: str, unsaved: Mapping[str, str], reach: Reach = ANYWHERE
) -> frozenset[str] | None:
    """The names declared in the other files of a file's package; None where they cannot all be read.

    text: the file's own; unsaved: path -> text of the files under edit. reach: the files that may be read.
    """
    if path is None:
        return None
    own = Path(path).absolute()
    files = _listed(own.parent) if reach.allows(own.parent) else None
    if files is None:
        return None
    clause, version = package_name(text), version_for(own, reach)
    is_test = own.name.endswith("_test.go")
    open_files = {Path(name).absolute(): source for name, source in unsaved.items() if name.endswith(".go")}
    names: set[str] = set()
    for file, modified, size, foreign in files:
        if file == own or file in open_files or (file.name.endswith("_test.go") and not is_test):
            continue
        declared = _declared(file, modified, size, version) if not foreign or reach.allows(file) else None
        if declared is None:
            return None
        if declared[0] == clause:
            names |= declared[1]
    for file, source in open_files.items():
        if file != own and file.parent == own.parent and package_name(source) == clause:
            if is_test or not file.name.endswith("_test.go"):
                names |= declared_names(source, version)
    return frozenset(names)


def package_name(text: str) -> str | None:
    """The package of a file."""
    clause = _CLAUSE.match(text.removeprefix("\ufeff"))
    return None if clause is None else clause[1]


@lru_cache(maxsize=16)
def declared_names(text: str, version: str) -> frozenset[str]:
    """The names declared by a file at package level."""
    source = text + "\nfunc _() {}\n"
    declarations, begin = before(source, len(source), version)
    return frozenset(
        name for part in (*declarations, declaration(source[begin:], version)) for name, _ in part.declared
    )


def _listed(folder: Path) -> tuple[_File, ...] | None:
    """A folder's Go files; None where there are too many."""
    now_s = time.monotonic()
    cached = _files.get(folder)
    if cached is not None and now_s - cached[0] < _KNOWN_S:
        return cached[1]
    sources: list[_File] | None = []
    room = _MAX_CHARS
    try:
        owner = folder.stat().st_uid
        with scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(".go") and entry.name[0] not in "._" and entry.is_file():
                    stat = entry.stat()
                    room -= stat.st_size
                    foreign = entry.is_symlink() or stat.st_uid != owner
                    sources.append(_File(folder / entry.name, stat.st_mtime_ns, stat.st_size, foreign))
                    if room < 0 or len(sources) > _MAX_FILES:
                        sources = None
                        break
    except OSError:
        sources = None
    listed = None if sources is None else tuple(sources)
    _files[folder] = now_s, listed
    return listed


def _declared(file: Path, modified: int, size: int, version: str) -> tuple[str | None, frozenset[str]] | None:
    cached = _names.get(file)
    if cached is None or cached[:2] != (modified, size):
        try:
            text = untrusted.read_text(file, _MAX_BYTES, "replace")
        except OSError:
            return None
        cached = _names[file] = modified, size, package_name(text), declared_names(text, version)
    return cached[2], cached[3]
