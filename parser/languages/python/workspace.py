"""The version of Python that a file is written in, from what lies around it: `version_for`.

It reads pyproject.toml, setup.cfg, setup.py and .python-version in the file's folder and those above, up to the first that says
something, or to the root of the repository. What they say means is in versions.py.
"""

from __future__ import annotations

import configparser
import re
from functools import lru_cache
from os import PathLike
from pathlib import Path
from stat import S_ISREG

from . import versions
from .language import DEFAULT_VERSION

_MAX_FOLDERS = 32
_MAX_BYTES = 1 << 20
_SETUP = re.compile(r"""\bpython_requires\s*=\s*["']([^"']*)["']""")
_ROOTS = (".git", ".hg")


def version_for(
    path: str | PathLike[str] | None,
    text: str | None = None,
    interpreter: str | None = None,
    *,
    offset: int | None = None,
    default: str = DEFAULT_VERSION,
) -> str:
    """The version to read a file as, one of VERSIONS.

    path: of the file or of a folder, existing or not; None for a buffer without one. text: the buffer's, which raises the version
    where it uses newer syntax; with an offset it need not be complete there. interpreter: the editor's, as "3.12.1".
    In this order: what the project requires (its lowest version), .python-version, the interpreter, the default.
    The files are read again only when they have changed (some 20 microseconds for each folder to see that); text, when it is
    another one, costs some milliseconds for each version tried: give it when a buffer is opened or saved, not at each keystroke.
    """
    requirement, python_version = (None, None) if path is None else _around(Path(path))
    version = versions.choose(requirement, python_version, interpreter, default)
    return version if text is None else _raised(text, version, offset)


@lru_cache(maxsize=16)
def _raised(text: str, version: str, offset: int | None) -> str:
    return versions.raise_for(text, version, offset)


def _around(path: Path) -> tuple[str | None, str | None]:
    """(what the project requires, text of .python-version), each None where nothing says it."""
    required: str | None = None
    pinned: str | None = None
    folders = [path, *path.absolute().parents] if path.is_dir() else list(path.absolute().parents)
    for folder in folders[:_MAX_FOLDERS]:
        for name, reader in _READERS.items():
            if required is None:
                required = _read(folder / name, reader)
        if pinned is None:
            pinned = _read(folder / ".python-version", "text")
        if required is not None or any((folder / root).exists() for root in _ROOTS):
            break
    return required, pinned


def _read(path: Path, reader: str) -> str | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    if not S_ISREG(stat.st_mode) or stat.st_size > _MAX_BYTES:  # a link to a device has no size, and no end
        return None
    return _parsed(path, reader, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=256)
def _parsed(path: Path, reader: str, mtime_ns: int, size: int) -> str | None:
    """What a file says, by how it is read; the time and size are there to forget what is no longer true."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    if reader == "toml":
        return versions.requirement(text)
    if reader == "cfg":
        return _of_setup_cfg(text)
    if reader == "py":
        found = _SETUP.search(text)
        return found[1] if found and found[1].strip() else None
    return text if versions.release(text) is not None else None


_READERS = {"pyproject.toml": "toml", "setup.cfg": "cfg", "setup.py": "py"}


def _of_setup_cfg(text: str) -> str | None:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return None
    return parser.get("options", "python_requires", fallback="").strip() or None
