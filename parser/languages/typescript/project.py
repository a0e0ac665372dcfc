"""The names a TypeScript or JavaScript file may read though neither it nor a library declares them.

They are the names declared by the project for all its files (`declare global`, declaration files that are no modules, the packages in
`node_modules/@types`), those declared by test runners in tests, and all names that another file of the project reads and nothing
declares: somebody must. A project lies around the nearest `package.json` or `tsconfig.json`. A large one is read bit by bit, one more
with every question; until it is complete, nothing is known.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from os import PathLike, scandir
from os.path import splitext
from pathlib import Path
from typing import NamedTuple

from ....common import untrusted
from ....common.bounded import BoundedDict
from ....common.reach import ANYWHERE, Reach
from .semantics.document import Document
from .semantics.libraries import TESTING, is_test, library

DIALECTS = {
    ".ts": "ts",
    ".mts": "ts",
    ".cts": "ts",
    ".tsx": "tsx",
    ".js": "js",
    ".jsx": "js",
    ".mjs": "js",
    ".cjs": "js",
}
_ROOTS = ("package.json", "tsconfig.json")
_LEFT_OUT = frozenset(
    ["node_modules", "dist", "build", "out", "coverage", "vendor", "__snapshots__", "bower_components"]
)
_BUNDLED = (".min.js", ".bundle.js")
_MAX_UP = 32
_AROUND = 3
"""Folders around a project searched for declarations for all files."""
_MAX_FILES = 2_000
_MAX_FOLDERS = 2_000
_MAX_BYTES = 400_000  # of one file; larger ones are mostly generated
_AT_ONCE = 150_000
"""Characters read for one question, some 0.1 seconds."""
_KNOWN_S = 5.0
"""Seconds before the list of a project's files is read again."""
_MAX_KEPT = 20_000
_DECLARED = re.compile(
    r"^(?:export[ \t]+)?(?:declare[ \t]+)?(?:abstract[ \t]+|async[ \t]+|const[ \t]+(?=enum))*"
    r"(?:var|let|const|function\*?|class|interface|type|namespace|module|enum)[ \t]+([^\W\d][\w$]*|\$[\w$]*)",
    re.M,
)
_GLOBAL = re.compile(r"^([ \t]*)(?:declare[ \t]+)?global[ \t]*\{", re.M)
_MAX_GLOBALS = 20
"""The most blocks of a file that declare for all files."""
_INDENT = re.compile(r"^[ \t]+", re.M)
_UMD = re.compile(r"^export[ \t]+as[ \t]+namespace[ \t]+([\w$]+)", re.M)
_MODULE = re.compile(r"^(?:import\b(?!\s*\()|export\b)", re.M)


class _File(NamedTuple):
    path: str  # compared and hashed for each of many files, which takes a Path ten times as long
    modified_ns: int
    size: int
    foreign: bool
    """whether it is a link, of another owner than its folder, or outside the project. Else it may be read where the project may."""


_listed: BoundedDict[tuple[Path, Path, Reach], tuple[float, list[_File]]] = BoundedDict(16)
_names: BoundedDict[str, tuple[int, int, frozenset[str]]] = BoundedDict(_MAX_KEPT)
_together: BoundedDict[tuple[Path, Reach, frozenset[str]], tuple[list[_File], frozenset[str]]] = BoundedDict(16)
"""The names of all listed files but a file's own and those under edit."""


def names_elsewhere(
    path: str | PathLike[str] | None, text: str, unsaved: Mapping[str, str], reach: Reach = ANYWHERE
) -> frozenset[str] | None:
    """The names a file may read though neither it nor a library declares them; None while the project is not all read.

    text: the file's own; unsaved: path -> text of the files under edit. reach: the files that may be read.
    """
    if path is None:
        return None
    own = Path(path).absolute()
    root = _root(own, reach)
    if root is None or not reach.allows(root):
        return None
    open_files = {str(Path(name).absolute()): source for name, source in unsaved.items() if _is_source(name)}
    names = _on_disk(_files(root, own, reach), own, reach, frozenset(open_files))
    if names is None:
        return None
    if is_test(own.as_posix()):
        names |= TESTING
    for file, source in open_files.items():
        if file != str(own) and Path(file).is_relative_to(root):
            names |= names_for_all(source, Path(file).name)
    return names


def _is_source(name: str) -> bool:
    return splitext(name)[1] in DIALECTS


def _on_disk(files: list[_File], own: Path, reach: Reach, edited: frozenset[str]) -> frozenset[str] | None:
    """The names of some files but a file's own and those under edit; None while they are not all read."""
    together = _together.get((own, reach, edited))
    if together is not None and together[0] is files:
        return together[1]
    names, room, left_out = set[str](), _AT_ONCE, edited | {str(own)}
    for file in files:
        if file.path in left_out or (file.foreign and not reach.allows(file.path)):
            continue
        cached = _names.get(file.path)
        if cached is None or cached[:2] != (file.modified_ns, file.size):
            if room <= 0:
                return None
            room -= file.size
            cached = _names[file.path] = file.modified_ns, file.size, _read(Path(file.path))
        names |= cached[2]
    _, known = _together[own, reach, edited] = files, frozenset(names)
    return known


def _root(own: Path, reach: Reach) -> Path | None:
    """The folder of the project; None where there is none, or no search is allowed."""
    for folder in list(own.parents)[:_MAX_UP]:
        if not reach.holds(folder):
            break
        if any((folder / name).is_file() for name in _ROOTS):
            return folder
    return own.parent if reach.holds(own.parent) else None


def _files(root: Path, own: Path, reach: Reach) -> list[_File]:
    """The files that may declare names, the nearest first."""
    now_s = time.monotonic()
    cached = _listed.get((root, own.parent, reach))
    if cached is None or now_s - cached[0] >= _KNOWN_S:
        parts = str(own).split(os.sep)
        nearest = sorted(
            (*_walk(root), *_types(root, reach), *_above(root, reach)), key=lambda file: _distance(file, parts)
        )
        kept = nearest[:_MAX_FILES]
        cached = _listed[root, own.parent, reach] = now_s, cached[1] if cached and cached[1] == kept else kept
    return cached[1]


def _distance(file: _File, own: list[str]) -> int:
    if file.path.endswith(".d.ts"):
        return 0
    parts = file.path.split(os.sep)
    common = next((i for i, (a, b) in enumerate(zip(parts, own, strict=False)) if a != b), min(len(parts), len(own)))
    return len(parts) + len(own) - 2 * common


def _walk(root: Path) -> Iterator[_File]:
    """The project's own files."""
    folders, count = [root], 0
    while folders and count < _MAX_FOLDERS:
        folder = folders.pop(0)
        count += 1
        for entry, file in _entries(folder):
            if file is not None:
                yield file
            elif entry not in _LEFT_OUT and entry[0] != ".":
                folders.append(folder / entry)


def _types(root: Path, reach: Reach) -> Iterator[_File]:
    """Declaration files of the packages known to all files."""
    for folder in (root, *list(root.parents)[:_AROUND]):
        types = folder / "node_modules" / "@types"
        if not reach.holds(folder) or not reach.allows(types):
            continue
        for package, file in _entries(types, links=True):
            if file is None and reach.allows(types / package):
                for _, declared in _entries(types / package):
                    if declared is not None and declared.path.endswith(".d.ts"):
                        yield declared._replace(foreign=True)


def _above(root: Path, reach: Reach) -> Iterator[_File]:
    """Declaration files directly in the folders around a package, known to all packages of a repository."""
    for folder in list(root.parents)[:_AROUND]:
        if (root / ".git").exists() or not reach.holds(folder) or not reach.allows(folder):
            break
        root = folder
        for _, file in _entries(folder):
            if file is not None and file.path.endswith(".d.ts"):
                yield file._replace(foreign=True)


def _entries(folder: Path, *, links: bool = False) -> list[tuple[str, _File | None]]:
    """(name, None) for each folder in one, and (name, file) for each usable file; links: include those to folders."""
    listed: list[tuple[str, _File | None]] = []
    try:
        owner = folder.stat().st_uid
        with scandir(folder) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.is_dir(follow_symlinks=links):
                    listed.append((entry.name, None))
                elif _is_source(entry.name) and entry.is_file():
                    stat = entry.stat()
                    if stat.st_size <= _MAX_BYTES and not entry.name.endswith(_BUNDLED):
                        foreign = entry.is_symlink() or stat.st_uid != owner
                        listed.append((entry.name, _File(entry.path, stat.st_mtime_ns, stat.st_size, foreign)))
    except (OSError, ValueError):  # ValueError: an impossible path
        pass
    return listed


def _read(path: Path) -> frozenset[str]:
    try:
        text = untrusted.read_text(path, _MAX_BYTES, "replace")
    except OSError:
        return frozenset()
    return names_for_all(text, path.name)


@lru_cache(maxsize=32)
def names_for_all(text: str, name: str) -> frozenset[str]:
    """The names declared by a file for all files, or read by it though nothing declares them; name: of the file."""
    names: set[str] = set(_UMD.findall(text))
    for begin in islice(_GLOBAL.finditer(text), _MAX_GLOBALS):
        end = text.find(f"\n{begin[1]}}}", begin.end())
        names.update(_DECLARED.findall(_INDENT.sub("", text[begin.end() : end if end >= 0 else len(text)])))
    if _MODULE.search(text) is None:
        names.update(_DECLARED.findall(text))
    if not name.endswith(".d.ts"):
        document = Document(DIALECTS.get(Path(name).suffix, "ts"))
        declared = library()
        for outcome in document.outcomes(document.before(text, 0), 0):
            names.update(read for read, how in outcome.free.items() if not declared.has(read, how))
    return frozenset(names)
