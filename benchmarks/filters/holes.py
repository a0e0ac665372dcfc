"""The holes: HumanEval infilling with its tests, and lines and spans of reserved projects in Python and Go."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path, PurePosixPath

from suture.training.editing_places import File

from benchmarks.constraint import KINDS as CUTS
from benchmarks.constraint import holes as cut
from benchmarks.papers.record import Job
from benchmarks.papers.tasks import Data, infilling
from benchmarks.reserved_files import files_in

HUMAN_EVAL = {"single line": "SingleLine", "multi-line": "MultiLine", "random span": "RandomSpan"}
TOKENS = {"single line": 64, "multi-line": 128, "random span": 96}  # the budget of every arm; elsewhere 48
LANGUAGES = {"Python": ".py", "Go": ".go"}
KINDS = (*HUMAN_EVAL, *(f"{kind}, {language}" for language in LANGUAGES for kind in CUTS))
_MOST_CHARS = 8_000  # of a file


def jobs(kind: str, count: int, seed: int, benchmarks: Path | None, sources: dict[str, Path | None]) -> Iterator[Job]:
    """The first holes of a kind, the same ones for every model."""
    if kind in HUMAN_EVAL:
        for job in islice(infilling(HUMAN_EVAL[kind])(Data(benchmarks=benchmarks), seed), count):
            yield replace(job, row=kind)
        return
    name, _, language = kind.partition(", ")
    folder = sources[language]
    if folder is None:
        raise SystemExit(f"{kind}: say where projects are with --{language.lower()} FOLDER")
    short = tuple(file for file in _files(folder, LANGUAGES[language]) if len(file.text) <= _MOST_CHARS)
    for number, (file, begin, end) in enumerate(cut(short, name, count, seed)):
        yield Job(
            "filters", number, seed, f"{file.project}/{file.path}", kind, file.text[:begin], file.text[begin:end], file.text[end:],
            language=language.lower(), details={"folder": folder},
        )  # fmt: skip


def neighbours(job: Job, most: int) -> list[File]:
    """The other files of a hole's project nearest to it; none for HumanEval's."""
    folder = job.details.get("folder")
    if folder is None:
        return []
    own = PurePosixPath(job.data).parts

    def apart(file: File) -> int:
        parts = (file.project, *PurePosixPath(file.path).parts)
        shared = next(
            (depth for depth, (mine, theirs) in enumerate(zip(own, parts, strict=False)) if mine != theirs), 0
        )
        return len(own) + len(parts) - 2 * shared

    files = _files(folder, LANGUAGES[job.language.title()])
    others = [file for file in files if file.project == own[0] and f"{file.project}/{file.path}" != job.data]
    return sorted(others, key=apart)[:most]


def tokens(kind: str) -> int:
    """The budget of a text."""
    return TOKENS.get(kind, 48)


def one_line(kind: str) -> bool:
    """Whether a text ends with its line, in all arms."""
    return kind not in HUMAN_EVAL and not kind.startswith("spans")


@cache
def _files(folder: Path, suffix: str) -> tuple[File, ...]:
    return tuple(files_in(folder, suffix=suffix))
