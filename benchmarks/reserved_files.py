"""The everyday code of projects reserved for evaluation, and a project's files as an editor sees them: on disk, some of them open."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

from suture import parser
from suture.lsp_server.context.cross_file import OtherFile
from suture.training.archives import archives_in, read_archive
from suture.training.corpus import is_everyday_code, looks_written
from suture.training.editing_places import File
from suture.training.repository_corpus import KINDS
from suture.training.reserved import is_reserved, normalized_project

_MAX_OTHERS = 5  # open documents beside the one with the cursor


def files_in(
    folder: Path, seen: frozenset[str] = frozenset(), suffix: str = ".py", *, reserved: bool = True
) -> list[File]:
    """The everyday code of the reserved projects in a folder, or of the others, except those in `seen`: files of one kind."""
    files: list[File] = []
    for path in archives_in(folder):
        archive = read_archive(path, suffix)
        files += _usable(normalized_project(archive.project), archive.files, seen, reserved)
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not path.name.startswith("."):
            texts = ((path_in.relative_to(path).as_posix(), path_in) for path_in in sorted(path.rglob(f"*{suffix}")))
            read = [
                (name, path_in.read_text("utf-8", "replace").replace("\r\n", "\n"))
                for name, path_in in texts
                if path_in.is_file()
            ]
            files += _usable(normalized_project(path.name), read, seen, reserved)
    return files


def _usable(project: str, texts: Iterable[tuple[str, str]], seen: frozenset[str], reserved: bool) -> list[File]:
    if is_reserved(project) != reserved or project in seen:
        return []
    return [File(project, path, text) for path, text in texts if _is_usable(path, text)]


def _is_usable(path: str, text: str) -> bool:
    if path.endswith(".py"):
        return is_everyday_code(text)
    kind = next((kind for kind in KINDS.values() if path.endswith(kind.suffixes)), None)
    return (kind is None or kind.is_wanted(path)) and looks_written(text)


def trained_on(folder: Path) -> frozenset[str]:
    """The projects in a model's training data, by its card and the list of its data beside it."""
    card, data = (folder / name for name in ("README.md", "data.tsv"))
    listed = card.read_text(encoding="utf-8").split("### Trained on")[1:] if card.is_file() else []
    tables = (part.partition("\n### ")[0] for part in listed)
    names = [name for table in tables for name in re.findall(r"^\| ([\w.-]+) \|", table, re.MULTILINE)]
    if data.is_file():
        rows = (line.split("\t") for line in data.read_text(encoding="utf-8").splitlines())
        names += [project for use, project, *_ in rows if use.startswith("trained")]
    return frozenset(map(normalized_project, names))


def language_of(path: str) -> str:
    """The language of a file by its name; "" for none."""
    return parser.language_for_path(path) or ""


def nearest(file: File, files: Sequence[File]) -> list[File]:
    """The files of the project nearest by folder, the ones likely to be open."""
    here = PurePosixPath(file.path).parts[:-1]

    def far(other: File) -> tuple[int, str]:
        there = PurePosixPath(other.path).parts[:-1]
        common = sum(1 for mine, its in zip(here, there, strict=False) if mine == its)
        return len(here) + len(there) - 2 * common, other.path

    same = (other for other in files if other.project == file.project and other.path != file.path)
    return sorted(same, key=far)[:_MAX_OTHERS]


def lay_out(files: Iterable[File], root: Path) -> None:
    """Write files, since imported modules are searched on disk."""
    for file in files:
        path = root / file.project / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8")


def open_beside(file: File, files: Sequence[File], root: Path) -> tuple[OtherFile, ...]:
    """The documents open beside a file."""
    return tuple(OtherFile((root / near.project / near.path).as_posix(), near.text) for near in nearest(file, files))
