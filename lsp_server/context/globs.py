"""Patterns for files, as in .gitignore: `*.min.py`, `generated/`, `/build/**`, `**/vendor/*.py`.

A stranger's workspace may bring patterns, so none may take long: parts of a path are matched by `fnmatch`, without backtracking, and `**` by
following all places at once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import translate
from functools import lru_cache
from pathlib import PurePath

MAX_PATTERN = 1_000
"""The most characters of a pattern: `fnmatch` searches the end of each `[`."""


@dataclass(frozen=True)
class Glob:
    """A parsed pattern: an expression for each part of a path, None for `**`."""

    parts: tuple[re.Pattern[str] | None, ...]
    folders_only: bool

    def fits(self, path: Sequence[str]) -> bool:
        """Whether a path, in parts, matches as a whole."""
        places = {0}  # possible numbers of consumed parts of the path
        for number, part in enumerate(self.parts):
            if part is not None:
                places = {index + 1 for index in places if index < len(path) and part.match(path[index])}
            elif places:
                inside = number == len(self.parts) - 1  # the files in a folder, without the folder itself
                places = set(range(min(places) + inside, len(path) + 1))
        return len(path) in places


@lru_cache(maxsize=4096)
def any_matches(patterns: tuple[str, ...], path: str, folder: str | None = None) -> bool:
    """Whether a pattern matches a file or a folder around it. Patterns with a slash count from `folder`; those longer than MAX_PATTERN match
    nothing."""
    whole = PurePath(path).as_posix().strip("/")
    if folder is not None:
        base = PurePath(folder).as_posix().strip("/")
        if whole == base or whole.startswith(base + "/"):
            whole = whole[len(base) + 1 :]
    parts = whole.split("/")
    for pattern in patterns:
        if len(pattern) > MAX_PATTERN:
            continue
        glob = glob_of(pattern.strip().replace("\\", "/"))
        ends = range(1, len(parts) + (not glob.folders_only))
        if any(glob.fits(parts[:end]) for end in ends):
            return True
    return False


@lru_cache(maxsize=1024)
def glob_of(pattern: str) -> Glob:
    """Parse a pattern; a backslash escapes the next character."""
    folders_only = pattern.endswith("/")
    pattern = pattern.rstrip("/")
    anchored = "/" in pattern
    parts = [part for part in pattern.split("/") if part]
    if not anchored:
        parts.insert(0, "**")
    return Glob(tuple(None if part == "**" else _expression(part) for part in parts), folders_only)


def _expression(part: str) -> re.Pattern[str]:
    plain = re.sub(r"\\(.)", lambda escaped: f"[{escaped[1]}]" if escaped[1] in "*?[" else escaped[1], part)
    return re.compile(translate(plain.replace("[^", "[!")))
