"""The files of a folder that a window may be part of."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ...common import untrusted
from ...common.bounded import BoundedBySize, BoundedDict
from ...parser import checkable, language_for_path
from ..context.gitignore import is_ignored
from ..context.secrets import looks_secret
from .window import Joined, Window, join

MAX_FILES = 20_000
MAX_FILE_BYTES = 2_000_000
MAX_READ_BYTES = 64_000_000
"""Of texts that are kept between requests."""
LISTED_S = 10.0
"""For which a list of files counts as current."""
SEARCH_S = 2.0
"""For which files are read for one window."""
SURE_SHARED = 0.9
"""The share of a window's lines in a file that was edited before, from which on no other file is looked at."""
_SKIPPED = frozenset(("node_modules", "__pycache__", "site-packages", "dist", "build", "target", "vendor"))


class Folder:
    """Finds the files of windows in one folder; used by one thread at a time."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._paths: list[Path] = []
        self._listed_s = float("-inf")
        self._recent: BoundedDict[Path, None] = BoundedDict(8)
        self._texts: BoundedBySize[Path, tuple[int, str]] = BoundedBySize(MAX_READ_BYTES, lambda kept: len(kept[1]))

    def join(self, window: Window) -> Joined | None:
        """The file that a window is part of, with the window in it; None where there is none."""
        recent = list(reversed(self._recent))
        joined = join(window, lambda: self._files(recent), SURE_SHARED)
        if joined is None:
            until_s = time.monotonic() + SEARCH_S
            joined = join(window, lambda: self._files([*recent, *self._listed()], until_s))
        if joined is not None:
            self._recent.pop(joined.path, None)
            self._recent[joined.path] = None
        return joined

    def likely_suffix(self, window: Window) -> str:
        """The suffix of the files that share most lines with a window, of which there are most where none does; "" without files."""
        lines = {line.strip() for line in window.lines if line.strip()}
        counts, shared = Counter(path.suffix for path in self._listed()), Counter[str]()
        for path, text in self._files(self._listed(), time.monotonic() + SEARCH_S):
            shared[path.suffix] += len(lines.intersection(line.strip() for line in text.split("\n")))
        return max(counts, key=lambda suffix: (shared[suffix], counts[suffix]), default="")

    def _files(self, paths: list[Path], until_s: float = float("inf")) -> Iterator[tuple[Path, str]]:
        for path in dict.fromkeys(paths):
            if time.monotonic() > until_s:
                return
            text = self._read(path)
            if text is not None:
                yield path, text

    def _read(self, path: Path) -> str | None:
        try:
            changed_ns = path.stat().st_mtime_ns
            kept = self._texts.used(path)
            if kept is not None and kept[0] == changed_ns:
                return kept[1]
            text = untrusted.read_text(path, MAX_FILE_BYTES, "replace")
        except OSError:
            return None
        self._texts[path] = changed_ns, text
        return text

    def _listed(self) -> list[Path]:
        """Files of languages that are known, those changed last first."""
        now = time.monotonic()
        if now - self._listed_s > LISTED_S:
            self._paths = [path for _, path in sorted(_walk(self.root), reverse=True)]
            self._listed_s = time.monotonic()
        return self._paths


def _walk(root: Path) -> Iterator[tuple[int, Path]]:
    """(time of the last change in ns, path) of the files of known languages that may be read."""
    count = 0
    for folder, folders, names in os.walk(root):
        here = Path(folder)
        folders[:] = [
            name
            for name in folders
            if not name.startswith(".") and name not in _SKIPPED and not is_ignored(here / name)
        ]
        for name in names:
            path = here / name
            if language_for_path(name) is None and checkable("", name) is None:
                continue
            if path.is_symlink() or not untrusted.is_regular(path) or is_ignored(path) or looks_secret(str(path)):
                continue
            try:
                yield path.lstat().st_mtime_ns, path
            except OSError:  # it was deleted meanwhile
                continue
            count += 1
            if count >= MAX_FILES:
                return
