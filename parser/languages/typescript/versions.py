"""The TypeScript version of a file: of the package installed around it, else the one requested by its package.json."""

from __future__ import annotations

import re
from functools import lru_cache
from os import PathLike
from pathlib import Path
from stat import S_ISREG

from ....common import untrusted
from ....common.json_types import is_object
from ....common.reach import ANYWHERE, Reach

VERSIONS = ("5.9", "6.0", "7.0")
DEFAULT_VERSION = VERSIONS[-1]
_INSTALLED = Path("node_modules", "typescript", "package.json")
_MAX_FOLDERS = 32
_MAX_BYTES = 1 << 20
_RELEASE = re.compile(r"[\s^~=v]{0,16}(\d{1,3})(?:\.|\s|\Z)")
"""of a range such as "^5.9.3", which admits no other major version"""


def version_for(path: str | PathLike[str] | None, reach: Reach = ANYWHERE) -> str:
    """One of VERSIONS; the newest where no readable file states one. Older ones count as the first, newer ones as the last."""
    for folder in () if path is None else list(Path(path).absolute().parents)[:_MAX_FOLDERS]:
        if not reach.holds(folder):
            break
        for file in (folder / _INSTALLED, folder / "package.json"):
            try:
                status = file.stat()
            except (OSError, ValueError):  # ValueError: an impossible path
                continue
            if S_ISREG(status.st_mode) and reach.allows(file) and status.st_size <= _MAX_BYTES:
                stated = _stated(file, status.st_mtime_ns, status.st_size)
                if stated is not None:
                    return stated
    return DEFAULT_VERSION


@lru_cache(maxsize=256)
def _stated(file: Path, mtime_ns: int, size: int) -> str | None:
    """The version stated by a package.json; the time and size belong to the text read."""
    try:
        package = untrusted.read_json(file, _MAX_BYTES)
    except OSError:
        return None
    if not is_object(package):
        return None
    if file.match(str(_INSTALLED)):
        version = package.get("version")
        return named(version) if isinstance(version, str) else None
    for key in ("devDependencies", "dependencies"):
        packages = package.get(key)
        asked = packages.get("typescript") if is_object(packages) else None
        if isinstance(asked, str):
            return named(asked) or DEFAULT_VERSION
    return None


def named(text: str) -> str | None:
    """The version named by a setting or a range, or the nearest there is; None where it names none."""
    release = _RELEASE.match(text)
    if release is None:
        return None
    majors = [major_of(version) for version in VERSIONS]
    return VERSIONS[majors.index(min(max(int(release[1]), majors[0]), majors[-1]))]


def major_of(version: str) -> int:
    """The first number of a version."""
    return int(version.split(".")[0])
