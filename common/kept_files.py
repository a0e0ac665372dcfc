"""Files that are kept for the next time in a folder of the user's, of which there are a few at most."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write(path: Path, content: bytes, most: int, pattern: str = "*", beside: str = "") -> None:
    """Write a file such that nobody reads half of one, if the folder can be written; the oldest are removed.

    most: files in the folder that fit a pattern. beside: the suffix of what belongs to each and is removed with it.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
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
