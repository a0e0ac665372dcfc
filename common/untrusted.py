"""Untrusted files, read within bounds of time and memory.

A repository, a model's folder or a folder above the workspace can hold anything under any name: a link to an endless device, a pipe without a
writer, a file of a gigabyte, JSON nested a million deep. So every foreign file is opened here: only regular files are read, never more than
the caller's limit, and each fault is one exception with one line.
"""

from __future__ import annotations

import io
import json
import os
import re
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .line_ends import with_line_feeds
from .possessive import compiled

MAX_KEY_PARTS = 16
"""The most parts of a dotted key in TOML: tomllib takes cubic time in their number."""

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # do not wait for a pipe put in the file's place
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_CHUNK = 1 << 20


class UntrustedFileError(OSError):
    """A refused or malformed file; the text says why, without the path."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.strerror = reason


def read_bytes(path: str | os.PathLike[str], max_bytes: int, owners: frozenset[int] | None = None) -> bytes:
    """Read a regular file of at most `max_bytes`; raises OSError, as UntrustedFileError for a refused file.

    owners: user ids, to one of which the file must belong; None: it may be anybody's.
    """
    with opened(path, max_bytes, owners) as file:
        chunks: list[bytes] = []
        room = max_bytes + 1  # a file may grow meanwhile, or report no size
        while room > 0 and (chunk := file.read(min(room, _CHUNK))):
            chunks.append(chunk)
            room -= len(chunk)
    if room <= 0:
        raise UntrustedFileError(_too_large(max_bytes))
    return b"".join(chunks)


@contextmanager
def opened(
    path: str | os.PathLike[str], max_bytes: int, owners: frozenset[int] | None = None
) -> Generator[io.FileIO, None, None]:
    """Open a regular file of at most `max_bytes` for reading; raises OSError, as UntrustedFileError for a refused file."""
    try:
        _check(os.stat(path), max_bytes, owners)  # opening a device may already do something
        descriptor = os.open(path, _FLAGS)
    except ValueError as error:  # a null character in the path
        raise UntrustedFileError(str(error)) from None
    with io.FileIO(descriptor) as file:
        _check(os.fstat(descriptor), max_bytes, owners)
        yield file


def read_text(
    path: str | os.PathLike[str], max_bytes: int, errors: str = "strict", owners: frozenset[int] | None = None
) -> str:
    """Read a regular file of UTF-8, line ends as "\\n"; raises OSError, as UntrustedFileError where it is not text."""
    try:
        text = read_bytes(path, max_bytes, owners).decode("utf-8", errors)
    except UnicodeDecodeError as error:
        raise UntrustedFileError(f"it is not UTF-8 text (byte {error.start})") from None
    return with_line_feeds(text)


def read_json(path: str | os.PathLike[str], max_bytes: int) -> Any:
    """Read JSON from a regular file; raises OSError, as UntrustedFileError where it is not JSON."""
    return parse_json(read_text(path, max_bytes))


def parse_json(text: str | bytes) -> Any:
    """Parse JSON, possibly nested too deep or with numbers of any length; raises UntrustedFileError."""
    try:
        return json.loads(text)
    except RecursionError:
        raise UntrustedFileError("it is nested too deep") from None
    except ValueError as error:
        raise UntrustedFileError(f"it is not JSON: {error}") from None


def parse_toml(text: str) -> dict[str, Any]:
    """Parse TOML in linear time; raises UntrustedFileError."""
    import tomllib

    plain = _STRING_OR_COMMENT.sub("", text)
    # Outside of strings and comments, a word with many dots is a key.
    if any(part.count(".") >= MAX_KEY_PARTS for part in _BETWEEN_KEYS.split(plain)):
        raise UntrustedFileError(f"it is not TOML that anybody writes: a key has more than {MAX_KEY_PARTS} parts")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise UntrustedFileError("it is nested too deep") from None
    except ValueError as error:  # TOMLDecodeError, or a number of too many digits
        raise UntrustedFileError(f"it is not TOML: {error}") from None


# Possessive, and matching without an end, too, so that no character is read twice.
_STRING_OR_COMMENT = compiled(
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:""")?+'
    r"|'''(?:[^']|'(?!''))*+(?:''')?+"
    r'|"(?:[^"\\\n]|\\.)*+"?+'
    r"|'[^'\n]*+'?+"
    r"|\#[^\n]*+",
    re.DOTALL,
)
_BETWEEN_KEYS = re.compile(r"[\n=,\[\]{}]")


def exists(path: str | os.PathLike[str]) -> bool:
    """Whether anything visible is at a path. Unlike Path.exists, never raises."""
    try:
        os.stat(path)
    except (OSError, ValueError):
        return False
    return True


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Whether a visible folder is at a path. Never raises."""
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def is_regular(path: str | os.PathLike[str]) -> bool:
    """Whether a visible regular file, or a link to one, is at a path. Never raises."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def trusted_owners(folder: Path) -> frozenset[int] | None:
    """The users whose files above a folder may be read: this one, the administrator, and the folder's owner.

    None, for anybody, where files have no owners.
    """
    if not hasattr(os, "getuid"):
        return None
    owners = {os.getuid(), 0}
    try:
        owners.add(os.stat(folder).st_uid)
    except (OSError, ValueError):
        pass
    return frozenset(owners)


def _check(status: os.stat_result, max_bytes: int, owners: frozenset[int] | None) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise UntrustedFileError("it is not a regular file")
    if status.st_size > max_bytes:
        raise UntrustedFileError(_too_large(max_bytes))
    if owners is not None and status.st_uid not in owners:
        raise UntrustedFileError("it belongs to another user")


def _too_large(max_bytes: int) -> str:
    size = f"{max_bytes // 1_000_000} MB" if max_bytes >= 1_000_000 else f"{max_bytes // 1000} kB"
    return f"it is larger than {size}"
