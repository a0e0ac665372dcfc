"""Which files a repository ignores, by its .gitignore files and .git/info/exclude.

git itself is not asked: what it runs is configured in the repository (hooks, file system monitors), which may not be trusted. A
user's global excludes are therefore not known here. See gitignore(5) for the rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

_MAX_BYTES = 256_000  # of one file of patterns

# (what the path below the folder must look like, does it name folders only, does it take back what came before)
Rule = tuple[re.Pattern[str], bool, bool]


def is_ignored(path: Path) -> bool:
    """Does the repository that a file is in ignore it? A file in no repository is not ignored."""
    root = _repository_of(path.parent)
    if root is None:
        return False
    parts = path.relative_to(root).parts
    if ".git" in parts:
        return True
    # A file in an ignored folder cannot be taken back.
    return any(_decided(root, parts[:depth], depth < len(parts)) for depth in range(1, len(parts) + 1))


def _decided(root: Path, parts: Sequence[str], is_folder: bool) -> bool:
    """What the last rule says that fits a path; files of deeper folders come later."""
    ignored = False
    for depth in range(len(parts)):
        folder = root.joinpath(*parts[:depth])
        below = "/".join(parts[depth:])
        rules = [*_rules_of(root / ".git" / "info" / "exclude")] if depth == 0 else []
        for expression, folders_only, negated in (*rules, *_rules_of(folder / ".gitignore")):
            if (is_folder or not folders_only) and expression.fullmatch(below):
                ignored = not negated
    return ignored


def _repository_of(folder: Path) -> Path | None:
    return next((parent for parent in (folder, *folder.parents) if (parent / ".git").exists()), None)


def _rules_of(path: Path) -> tuple[Rule, ...]:
    try:
        status = path.stat()
    except OSError:
        return ()
    return _read_rules(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=256)
def _read_rules(path: Path, changed_ns: int, size: int) -> tuple[Rule, ...]:
    try:
        with path.open("rb") as file:
            text = file.read(_MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return ()
    return tuple(rules_in(text))


def rules_in(text: str) -> Iterator[Rule]:
    """Read a file of patterns."""
    for line in text.removeprefix("\ufeff").split("\n"):
        pattern = line.removesuffix("\r")
        while pattern.endswith(" ") and not pattern.endswith("\\ "):
            pattern = pattern[:-1]
        if not pattern or pattern.startswith("#"):
            continue
        negated = pattern.startswith("!")
        pattern = pattern[negated:]
        folders_only = pattern.endswith("/")
        pattern = pattern.rstrip("/")
        anchored = "/" in pattern
        pattern = pattern.removeprefix("/")
        if not pattern:
            continue
        # A backslash takes the next character for itself.
        pieces = re.split(r"\\(.)", pattern)
        body = "".join(re.escape(piece) if odd % 2 else glob_expression(piece) for odd, piece in enumerate(pieces))
        try:
            yield re.compile(("" if anchored else "(?:.*/)?") + body, re.DOTALL), folders_only, negated
        except re.error:  # a set such as [z-a]
            continue


def glob_expression(pattern: str) -> str:
    """Give a glob of several parts as a regular expression: `*` and `?` stay within a part, `**` is any number of parts."""
    parts: list[str] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        if pattern.startswith("**/", at) and (at == 0 or pattern[at - 1] == "/"):
            parts.append("(?:.*/)?")
            at += 3
        elif pattern.startswith("**", at):
            parts.append(".*")
            at += 2
        elif char == "[" and (end := pattern.find("]", at + 2)) > 0:
            inside = pattern[at + 1 : end].replace("\\", "\\\\").replace("[", "\\[")
            parts.append("(?!/)[" + ("^" + inside[1:] if inside[0] in "!^" else inside) + "]")
            at = end + 1
        else:
            parts.append({"*": "[^/]*", "?": "[^/]"}.get(char) or re.escape(char))
            at += 1
    return "".join(parts)
