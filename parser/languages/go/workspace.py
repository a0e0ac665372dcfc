"""The Go version of a file: from the `go` line in the nearest go.mod."""

from __future__ import annotations

import re
from functools import lru_cache
from os import PathLike
from pathlib import Path
from stat import S_ISREG

from ....common import untrusted
from ....common.reach import ANYWHERE, Reach

VERSIONS = ("1.22", "1.23", "1.24", "1.25", "1.26", "1.27")
DEFAULT_VERSION = "1.24"
_MAX_FOLDERS = 32
_MAX_BYTES = 1 << 20
_GO = re.compile(r"^go[ \t]+1\.(\d{1,3})(?![\d])", re.M)


def version_for(path: str | PathLike[str] | None, reach: Reach = ANYWHERE) -> str:
    """One of VERSIONS; the default where no readable go.mod states one. Older ones count as the first, newer ones as the last."""
    folders = () if path is None else list(Path(path).absolute().parents)[:_MAX_FOLDERS]
    for folder in folders:
        if not reach.holds(folder):
            break
        file = folder / "go.mod"
        try:
            status = file.stat()
        except (OSError, ValueError):  # ValueError: an impossible path
            continue
        if S_ISREG(status.st_mode) and reach.allows(file) and status.st_size <= _MAX_BYTES:
            return _stated(file, status.st_mtime_ns, status.st_size)
    return DEFAULT_VERSION


@lru_cache(maxsize=64)
def _stated(file: Path, mtime_ns: int, size: int) -> str:
    """The version stated by a go.mod; the time and size belong to the text read."""
    try:
        text = untrusted.read_text(file, _MAX_BYTES, "replace")
    except OSError:
        return DEFAULT_VERSION
    statement = _GO.search(text)
    return DEFAULT_VERSION if statement is None else _nearest(int(statement[1]))


def named(text: str) -> str | None:
    """The version named by a setting, or the nearest there is; None where it names none."""
    version = re.match(r"(?:go)?1\.(\d{1,3})(?!\d)", text)
    return None if version is None else _nearest(int(version[1]))


def _nearest(minor: int) -> str:
    first, last = (int(version.split(".")[1]) for version in (VERSIONS[0], VERSIONS[-1]))
    return f"1.{min(max(minor, first), last)}"
