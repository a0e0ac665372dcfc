"""Files to cut holes in: of reserved projects unseen by the embedded model."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from suture import model
from suture.training.archives import archives_in, read_archive
from suture.training.corpus import is_everyday_code
from suture.training.reserved import is_reserved, normalized_project

from ..reserved_files import trained_on

LONGEST = 50_000  # characters of a file


@cache
def unseen_files(folder: Path) -> tuple[tuple[str, str], ...]:
    """(project/path, text) of valid Python files, each text once, in an order determined by their names and texts alone.

    The projects are those in the folder's archives reserved for evaluation, without the ones on the embedded model's card, so that all models
    get the same holes.
    """
    seen = trained_on(Path(str(model.__file__)).parent / "embedded")
    unseen: dict[str, tuple[str, str]] = {}
    for path in archives_in(folder):
        archive = read_archive(path)
        project = normalized_project(archive.project)
        if is_reserved(project) and project not in seen:
            for name, text in archive.files:
                if len(text) <= LONGEST:
                    unseen.setdefault(text, (f"{project}/{name}", text))
    ordered = sorted(unseen.values(), key=lambda file: hashlib.sha256("\0".join(file).encode()).digest())
    return tuple(ordered)


def everyday_files(folder: Path) -> Iterator[tuple[str, str]]:
    """The files that look written by a person, and parse."""
    return (file for file in unseen_files(folder) if is_everyday_code(file[1]))
