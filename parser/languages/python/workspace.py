"""The version of Python for a file, from the files around it: `version_for`.

It reads pyproject.toml, setup.cfg, setup.py and .python-version in the file's folder and those above, up to the first requirement, or to the
root of the repository. versions.py interprets it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from os import PathLike
from pathlib import Path

from ....common import untrusted
from ....common.reach import ANYWHERE, Reach
from . import versions
from .versions import DEFAULT_VERSION

_MAX_FOLDERS = 32
_MAX_BYTES = 256_000
_SETUP = re.compile(r"""\bpython_requires\s*+=\s*+["']([^"'\n]{0,200}+)["']""")
_OPTION = re.compile(r"python_requires[ \t]*+[=:]")
ROOTS = (".git", ".hg")


def version_for(path: str | PathLike[str] | None, reach: Reach = ANYWHERE, *, default: str = DEFAULT_VERSION) -> str:
    """The version to read a file as, one of VERSIONS.

    path: of the file or a folder, existing or not; None for a buffer without a path. In this order: the project's requirement (its lowest
    version), .python-version, the default. `reach` limits the files read; unchanged ones are not read again (some 20 microseconds for each
    folder to see that).
    """
    requirement, python_version = (None, None) if path is None else _around(Path(path), reach)
    return versions.choose(requirement, python_version, default)


def problems_around(path: str | PathLike[str]) -> list[str]:
    """The faults of files that would tell the version for a path, one line each; such files are left out."""
    problems: list[str] = []
    for folder, owners in _folders(Path(path)):
        for name in (*_READERS, ".python-version"):
            try:
                text = untrusted.read_text(folder / name, _MAX_BYTES, "replace", owners)
                if name == "pyproject.toml":
                    untrusted.parse_toml(text)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                problems.append(f"{folder / name}: {error.strerror or error}; it is left out")
    return [*problems, *filter(None, [unknown_around(path)])]


def unknown_around(path: str | PathLike[str], reach: Reach = ANYWHERE) -> str:
    """A warning where the files around a path name a version newer than those known here; else ""."""
    required, pinned = _around(Path(path), reach)
    newer = versions.unknown(required if required is not None else pinned or "")
    if newer is None:
        return ""
    return f"Python {newer} is newer than those known here; it is read as {versions.VERSIONS[-1]}"


def _around(path: Path, reach: Reach) -> tuple[str | None, str | None]:
    """(the project's requirement, text of .python-version), None for each that is missing."""
    required: str | None = None
    pinned: str | None = None
    for folder, owners in _folders(path):
        if not reach.holds(folder):
            break
        for name, reader in _READERS.items():
            if required is None and reach.allows(folder / name):
                required = _read(folder / name, reader, owners)
        if pinned is None and reach.allows(folder / ".python-version"):
            pinned = _read(folder / ".python-version", "text", owners)
        if required is not None:
            break
    return required, pinned


def _folders(path: Path) -> Iterator[tuple[Path, frozenset[int] | None]]:
    """The folders from a path up to the root of its repository, and the permitted owners of files there.

    Another user of the machine may own a folder above the opened one: /tmp, or a mounted disk.
    """
    folders = [path, *path.absolute().parents] if untrusted.is_folder(path) else list(path.absolute().parents)
    owners = untrusted.trusted_owners(folders[0]) if folders else None
    return ((folder, owners) for folder in up_to_repository(folders))


def up_to_repository(folders: Sequence[Path]) -> Iterator[Path]:
    """The given folders, innermost first, up to the root of a repository; the first few without one."""
    for folder in folders[:_MAX_FOLDERS]:
        yield folder
        if any(untrusted.exists(folder / root) for root in ROOTS):
            return


def _read(path: Path, reader: str, owners: frozenset[int] | None) -> str | None:
    try:
        stat = path.stat()
    except (OSError, ValueError):
        return None
    return _parsed(path, reader, owners, (stat.st_mtime_ns, stat.st_size, stat.st_uid))


@lru_cache(maxsize=256)
def _parsed(path: Path, reader: str, owners: frozenset[int] | None, stamp: tuple[int, ...]) -> str | None:
    """A file's contents, by the way to read it; the stamp is there to forget old ones."""
    try:
        text = untrusted.read_text(path, _MAX_BYTES, "replace", owners)
    except OSError:
        return None
    if reader == "toml":
        return versions.requirement(text)
    if reader == "cfg":
        return _of_setup_cfg(text)
    if reader == "py":
        match = _SETUP.search(text)
        return match[1] if match and match[1].strip() else None
    return text if versions.release(text) is not None else None


_READERS = {"pyproject.toml": "toml", "setup.cfg": "cfg", "setup.py": "py"}


def _of_setup_cfg(text: str) -> str | None:
    """python_requires of [options]; read by hand, since the regular expressions of configparser take quadratic time on long lines."""
    section, value = "", None
    for line in text.split("\n"):
        if line.startswith("["):
            section, value = line.strip(), None
        elif section != "[options]":
            continue
        elif value is not None and line[:1] in (" ", "\t") and line.strip():
            value.append(line.strip())
        elif value is not None:
            break
        elif option := _OPTION.match(line):
            value = [line[option.end() :].strip()]
    return "\n".join(value or ()).strip() or None
