"""Files that are kept for the next time in a folder of the user's, of which there are a few at most."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from platformdirs import user_cache_dir


def cache_folder() -> Path:
    """The folder of files that can be made again."""
    return Path(user_cache_dir("suture", appauthor=False))


def make_private(folder: Path) -> None:
    """Make a folder, with those above it, for its user alone; that of the caches is closed where others may enter it. Raises OSError."""
    for missing in reversed([each for each in (folder, *folder.parents) if not each.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)
    own = cache_folder()
    if os.name == "posix" and folder.is_relative_to(own):
        status = own.stat()
        if status.st_uid == os.getuid() and status.st_mode & 0o077:
            own.chmod(0o700)


def write(path: Path, content: bytes, most: int, pattern: str = "*", beside: str = "") -> None:
    """Write a file such that nobody reads half of one, if the folder can be written; the oldest are removed.

    most: files in the folder that fit a pattern. beside: the suffix of the companion that is removed with each.
    """
    try:
        make_private(path.parent)
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
        files = sorted(path.parent.glob(pattern), key=lambda file: file.stat().st_mtime, reverse=True)
        for file in files[most:]:
            file.unlink(missing_ok=True)
            if beside:
                file.with_suffix(beside).unlink(missing_ok=True)
    except OSError:
        pass
