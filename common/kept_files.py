"""A bounded number of files kept for later in a folder of the user's."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from platformdirs import user_cache_dir


def cache_folder() -> Path:
    """The folder of reproducible files."""
    return Path(user_cache_dir("suture", appauthor=False))


def make_private(folder: Path) -> None:
    """Create a folder and its parents with access for the user alone; a cache folder open to others is closed. Raises OSError."""
    for missing in reversed([each for each in (folder, *folder.parents) if not each.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)
    own = cache_folder()
    if os.name == "posix" and folder.is_relative_to(own):
        status = own.stat()
        if status.st_uid == os.getuid() and status.st_mode & 0o077:
            own.chmod(0o700)


def write(path: Path, content: bytes, most: int, pattern: str = "*", beside: str = "") -> None:
    """Write a file atomically, if the folder is writable; the oldest files are removed.

    most: the number of files in the folder matching a pattern. beside: the suffix of the companion removed with each.
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
