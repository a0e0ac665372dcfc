"""Patterns for files, as in .gitignore: `*.min.py`, `generated/`, `/build/**`, `**/vendor/*.py`."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import PurePath


def any_matches(patterns: tuple[str, ...], path: str, folder: str | None = None) -> bool:
    """Does a pattern match a file, or a folder that it is in? Patterns with a slash count from `folder`."""
    parts = PurePath(path).as_posix().strip("/")
    if folder is not None:
        base = PurePath(folder).as_posix().strip("/")
        if parts == base or parts.startswith(base + "/"):
            parts = parts[len(base) + 1 :]
    return any(_compiled(pattern).fullmatch(parts) is not None for pattern in patterns)


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    text = pattern.strip().replace("\\", "/")
    folder_only = text.endswith("/")
    text = text.rstrip("/")
    anchored = "/" in text
    text = text.removeprefix("/")
    out = "" if anchored else "(?:.*/)?"
    at = 0
    while at < len(text):
        if text.startswith("**/", at):
            out, at = out + "(?:.*/)?", at + 3
        elif text.startswith("**", at):
            out, at = out + ".*", at + 2
        elif text[at] == "*":
            out, at = out + "[^/]*", at + 1
        elif text[at] == "?":
            out, at = out + "[^/]", at + 1
        elif text[at] == "[" and (end := text.find("]", at + 2)) > 0:
            inside = text[at + 1 : end].replace("\\", r"\\").replace("[", r"\[")
            inside = "^" + inside[1:] if inside[0] in "!^" else inside
            out, at = f"{out}[{inside}]", end + 1
        else:
            out, at = out + re.escape(text[at]), at + 1
    # What is in a folder that matches, matches too.
    try:
        return re.compile(out + ("/.*" if folder_only else "(?:/.*)?"), re.DOTALL)
    except re.error:  # such as [z-a]: it matches nothing
        return re.compile(r"(?!)")
