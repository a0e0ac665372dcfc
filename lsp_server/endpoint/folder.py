"""The files of a folder as possible sources of a window."""

from __future__ import annotations

import os
import re
import time
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import nlargest
from pathlib import Path
from threading import Lock

from ...common import untrusted
from ...common.bounded import BoundedBySize, BoundedDict
from ...common.reach import Reach
from ...parser import checkable, language_for_path
from ..context.gitignore import is_ignored
from ..context.secret_names import SECRET_FOLDERS
from ..context.secrets import leads_to_secret, looks_secret
from .window import MIN_SHARED, Joined, Window, join

MAX_FILES = 20_000
MAX_ENTRIES = 200_000
"""The most files and folders visited."""
MAX_FILE_BYTES = 2_000_000
MAX_INDEX_BYTES = 64_000_000
LISTED_S = 10.0
"""Seconds for which a list of files counts as current."""
SEARCH_S = 2.0
"""Seconds for listing and reading files for one window."""
SURE_SHARED = 0.9
"""The share of a window's lines in a recent file that makes a search of others needless."""
MOST_SAMPLED = 32
"""The most lines of a window, the longest ones, looked up in all files."""
_MOST_JOINED = 8
"""The most candidates, the files with most of these lines, to join the window with."""
_LEAST_OF_NAMED = 0.2
"""The least share of a window's lines in the file named by the client."""
_SKIPPED = frozenset(("node_modules", "__pycache__", "site-packages", "dist", "build", "target", "vendor"))
_NAME = re.compile(r"\s*(?:export\s+|[-{,]\s*)?([\w.\"'-]{3,80}\s*[:=])")


class SecretFile(Exception):
    """A window is part of a secret-looking file."""


@dataclass(frozen=True)
class Found:
    """A window's origin: a file, or else files of a kind."""

    joined: Joined | None = None
    suffix: str = ""
    """the suffix of the files sharing most lines with it, else the most frequent one; "" without files"""


class Folder:
    """Finds the files of windows in one folder. Secret-looking files are found, and never given.

    One thread may search while others ask for known files; two never search at once.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._reach = Reach(str(self.root))
        self._listed: tuple[list[Path], frozenset[Path]] = [], frozenset()
        self._listed_s = float("-inf")
        self._recent: BoundedDict[Path, None] = BoundedDict(8)
        self._index: BoundedBySize[Path, tuple[int, array[int]]] = BoundedBySize(
            MAX_INDEX_BYTES, lambda kept: len(kept[1]) * kept[1].itemsize
        )
        self._lock = Lock()  # of recent files

    def known(self, window: Window) -> Joined | None:
        """The file of a window, among those of earlier windows."""
        with self._lock:
            recent = list(reversed(self._recent))
        joined = join(window, self._texts(recent), SURE_SHARED)
        if joined is not None:
            self._note(joined.path)
        return joined

    def named(self, window: Window, name: str) -> Joined | None:
        """A window in the named file; None outside of the folder. A missing file, or one sharing little, is replaced by the window."""
        path = Path(os.path.normpath(self.root / name))
        if leads_to_secret(str(path)):
            raise SecretFile
        if not path.is_relative_to(self.root):
            return None
        joined = join(window, self._texts([path]), _LEAST_OF_NAMED) or Joined(path, window.left, window.right, 0.0)
        self._note(path)
        return joined

    def search(self, window: Window, until_s: float) -> Found:
        """The file with most of a window's lines; raises SecretFile. until_s: the deadline, on the monotonic clock."""
        until_s = min(until_s, time.monotonic() + SEARCH_S)
        paths, secret = self._list(until_s)
        asked = sorted({line for line in window.lines if line.strip()}, key=len, reverse=True)[:MOST_SAMPLED]
        numbers = [hash(line) for line in asked]
        names = [_name(line) for line in asked]
        shares: dict[Path, float] = {}
        for path in paths:
            if time.monotonic() > until_s:
                break
            lines = self._lines(path)
            same = [_has(lines, number) for number in numbers]
            if path in secret:  # of an unfinished line, the name
                same = [is_same or _has(lines, name) for is_same, name in zip(same, names, strict=True)]
            shares[path] = sum(same) / max(1, len(asked))
        likely = [path for path in nlargest(_MOST_JOINED, shares, key=shares.__getitem__) if shares[path] > 0]
        joined = join(window, self._texts(path for path in likely if path not in secret))
        if any(path in secret and shares[path] >= max(MIN_SHARED, joined.shared if joined else 0.0) for path in likely):
            raise SecretFile
        if joined is not None:
            self._note(joined.path)
        kinds, shared = Counter(path.suffix for path in paths if path not in secret), dict[str, float]()
        for path in shares.keys() - secret:
            shared[path.suffix] = shared.get(path.suffix, 0.0) + shares[path]
        return Found(joined, max(kinds, key=lambda kind: (shared.get(kind, 0.0), kinds[kind]), default=""))

    def _note(self, path: Path) -> None:
        with self._lock:
            self._recent.pop(path, None)
            self._recent[path] = None

    def _texts(self, paths: Iterable[Path]) -> Iterator[tuple[Path, str]]:
        for path in paths:
            text = self._read(path)
            if text is not None:
                yield path, text

    def _read(self, path: Path) -> str | None:
        """The text of a file; None for an unreadable or forbidden one: a listed file may be a link by now."""
        try:
            return untrusted.read_text(path, MAX_FILE_BYTES, "replace") if self._reach.allows(path) else None
        except OSError:
            return None

    def _lines(self, path: Path) -> array[int]:
        """Hashes of a file's lines, and of the names in them, sorted."""
        try:
            changed_ns = path.stat().st_mtime_ns
        except OSError:
            return array("q")
        kept = self._index.used(path)
        if kept is None or kept[0] != changed_ns:
            lines = frozenset((self._read(path) or "").split("\n"))
            names = map(_name, lines) if looks_secret(str(path)) else ()
            kept = changed_ns, array("q", sorted({*map(hash, lines), *names}))
            self._index[path] = kept
        return kept[1]

    def _list(self, until_s: float) -> tuple[list[Path], frozenset[Path]]:
        """(secret-looking files, then those of known languages, each the last changed first; the secret-looking ones)"""
        if time.monotonic() - self._listed_s > LISTED_S:
            files = sorted(_walk(self.root, until_s), reverse=True)
            secret = frozenset(path for is_secret, _, path in files if is_secret)
            self._listed = [path for *_, path in files], secret
            self._listed_s = time.monotonic()
        return self._listed


def _name(line: str) -> int:
    """The hash of the name assigned in a line, or else of the line."""
    name = _NAME.match(line)
    return hash(name[1] if name else line)


def _has(numbers: array[int], number: int) -> bool:
    index = bisect_left(numbers, number)
    return index < len(numbers) and numbers[index] == number


def _walk(root: Path, until_s: float) -> Iterator[tuple[bool, int, Path]]:
    """(whether it looks secret, its mtime in ns, path) of the files of known languages, and of secret ones even if git ignores them."""
    count = entries = 0
    ignored: set[str] = set()
    has_rules = any(untrusted.exists(above / ".git") for above in (root, *root.parents))
    for folder, folders, names in os.walk(root):
        here = Path(folder)
        has_rules = has_rules or ".git" in folders or ".git" in names  # ignore rules of a repository
        folders[:] = [
            name
            for name in folders
            if name not in _SKIPPED and (not name.startswith(".") or name.lower() in SECRET_FOLDERS)
        ]
        for name in names:
            entries += 1
            path = here / name
            secret = looks_secret(str(path))
            if not secret and (folder in ignored or (language_for_path(name) is None and checkable("", name) is None)):
                continue
            if path.is_symlink() or not untrusted.is_regular(path) or (not secret and has_rules and is_ignored(path)):
                continue
            try:
                yield secret, path.lstat().st_mtime_ns, path
            except OSError:  # deleted meanwhile
                continue
            count += 1
            if count >= MAX_FILES:
                return
        if entries > MAX_ENTRIES or time.monotonic() > until_s:
            return
        ignored.update(
            str(here / name) for name in folders if folder in ignored or (has_rules and is_ignored(here / name))
        )
