"""The files ignored by a repository, by its .gitignore files and .git/info/exclude.

git itself is not asked: it runs programs configured in the repository (hooks, file system monitors), and the repository may be untrusted. So
a user's global excludes are unknown here. See gitignore(5) for the rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from stat import S_ISREG

from ...common import untrusted
from .globs import MAX_PATTERN, Glob, glob_of

_MAX_BYTES = 256_000  # of a file of patterns; a longer one is skipped
_MAX_PATTERNS = 2_000  # read of a file

# (a pattern for the path below the folder, whether it is negated)
Rule = tuple[Glob, bool]


def is_ignored(path: Path) -> bool:
    """Whether a file's repository ignores it; False outside of repositories."""
    root = next((parent for parent in path.parents if untrusted.exists(parent / ".git")), None)
    if root is None:
        return False
    parts = path.relative_to(root).parts
    if ".git" in parts:
        return True
    # No negated rule re-includes a file in an ignored folder.
    return any(_decided(root, parts[:depth], depth < len(parts)) for depth in range(1, len(parts) + 1))


def _decided(root: Path, parts: Sequence[str], is_folder: bool) -> bool:
    """The verdict of the last matching rule; rules of deeper folders come later."""
    ignored = False
    for depth in range(len(parts)):
        folder = root.joinpath(*parts[:depth])
        rules = [*_rules_of(root / ".git" / "info" / "exclude")] if depth == 0 else []
        for glob, negated in (*rules, *_rules_of(folder / ".gitignore")):
            if (is_folder or not glob.folders_only) and glob.fits(parts[depth:]):
                ignored = not negated
    return ignored


def _rules_of(path: Path) -> tuple[Rule, ...]:
    try:
        status = path.stat()
    except OSError:
        return ()
    if not S_ISREG(status.st_mode):
        return ()
    return _read_rules(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=256)
def _read_rules(path: Path, changed_ns: int, size: int) -> tuple[Rule, ...]:
    try:
        text = untrusted.read_text(path, _MAX_BYTES, "replace")
    except OSError:
        return ()
    return tuple(islice(rules_in(text), _MAX_PATTERNS))


def rules_in(text: str) -> Iterator[Rule]:
    """Parse a file of patterns."""
    for line in text.removeprefix("\ufeff").split("\n"):
        pattern = line.removesuffix("\r")
        while pattern.endswith(" ") and not pattern.endswith("\\ "):
            pattern = pattern[:-1]
        if not pattern or pattern.startswith("#") or len(pattern) > MAX_PATTERN:
            continue
        negated = pattern.startswith("!")
        pattern = pattern[negated:]
        if pattern.strip("/"):
            yield glob_of(pattern), negated
