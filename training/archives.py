"""Files of packages in their distributed form: wheels, source distributions, snapshots of repositories.

Nothing is unpacked to disk and nothing is run: a source distribution's `setup.py` is a file like any other.
"""

from __future__ import annotations

import io
import re
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from email.parser import HeaderParser
from pathlib import Path, PurePosixPath

from ..common.line_ends import with_line_feeds
from .licences import licence_of_text, permissive_licence

SUFFIXES = (".whl", ".tar.gz", ".tgz")
_VERSION = re.compile(r"-v?\d[\w.+!]*$")
_LICENCE_FILE = re.compile(r"^(?:licen[cs]e|copying)(?:[-.]\w+)*$", re.IGNORECASE)
_MAX_FILE_BYTES = 1 << 20


@dataclass(frozen=True)
class Archive:
    """The facts of a distribution before its files are used: its project, the licence if it is permissive, its files."""

    project: str
    licence: str | None
    files: tuple[tuple[str, str], ...]  # (path in the archive without its top folder, text)


def archives_in(folder: Path) -> Iterator[Path]:
    """The wheels, source distributions and snapshots in a folder, by name."""
    yield from sorted(path for path in folder.iterdir() if path.name.endswith(SUFFIXES) and path.is_file())


def project_of(path: Path) -> str:
    """The project's name, from the archive's file name: `owner+name.tar.gz` for a repository."""
    if path.name.endswith(".whl"):
        return path.name.split("-", 1)[0]
    stem = re.sub(r"\.(?:tar\.gz|tgz)$", "", path.name)
    return _VERSION.sub("", stem.rsplit("+", 1)[-1])


def read_archive(path: Path, suffix: str | tuple[str, ...] = ".py") -> Archive:
    """Read an archive's files of one kind; a damaged one has no files and no licence."""
    try:
        members = dict(_wheel(path, suffix) if path.name.endswith(".whl") else _tar(path, suffix))
    except (OSError, EOFError, ValueError, zipfile.BadZipFile, tarfile.TarError, NotImplementedError):
        return Archive(project_of(path), None, ())
    files: list[tuple[str, str]] = []
    for name, data in sorted(members.items()):
        if name.endswith(suffix):
            try:
                # The corpus has only "\n" as line end.
                text = with_line_feeds(data.decode("utf-8-sig"))
            except UnicodeDecodeError:
                continue
            files.append((name, text))
    return Archive(project_of(path), _licence(members), tuple(files))


def _licence(members: dict[str, bytes]) -> str | None:
    """The licence in the metadata, else the one of the top-level licence file."""
    for name, data in members.items():
        if name == "PKG-INFO" or re.fullmatch(r"[^/]+\.dist-info/METADATA", name):
            headers: Message = HeaderParser().parsestr(data.decode("utf-8", "replace"))
            if headers.get("License-Expression") or headers.get("License") or "License ::" in str(headers.items()):
                return permissive_licence(headers)
    texts = [data for name, data in members.items() if "/" not in name and _LICENCE_FILE.match(name)]
    # Several licence files are several licences: each must be permissive.
    licences = [licence_of_text(data.decode("utf-8", "replace")) for data in texts]
    return " AND ".join(dict.fromkeys(filter(None, licences))) if licences and all(licences) else None


def _wheel(path: Path, suffix: str | tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            if is_wanted(info.filename, suffix) and info.file_size <= _MAX_FILE_BYTES:
                yield info.filename, archive.read(info)


def _tar(path: Path, suffix: str | tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    with path.open("rb") as file, tarfile.open(fileobj=io.BufferedReader(file), mode="r|gz") as archive:
        for info in archive:
            name = "/".join(PurePosixPath(info.name).parts[1:])
            if info.isfile() and info.size <= _MAX_FILE_BYTES and is_wanted(name, suffix):
                data = archive.extractfile(info)
                if data is not None:
                    yield name, data.read()


def is_wanted(name: str, suffix: str | tuple[str, ...]) -> bool:
    """Whether a file of an archive, by its path without the top folder, is of a kind or names the licence."""
    last = name.rsplit("/", 1)[-1]
    return (
        name.endswith(suffix)
        or last in ("METADATA", "PKG-INFO")
        or ("/" not in name and bool(_LICENCE_FILE.match(name)))
    )
