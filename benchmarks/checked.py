"""The quality of tree-sitter's check.

    python -m benchmarks.checked --sources FOLDER [--count 400] [--cost] [--write benchmarks/results/checked.txt]

FOLDER holds folders of projects. At random places the rest of a line, a line, or up to three lines are taken out, and judged unchanged and
with a token deleted, doubled or swapped with the next; other parsers decide which of these are really wrong. Times are processor times.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from suture.parser import language
from suture.parser.checked.grammars import CHECKED, has
from suture.parser.checked.session import CheckedState
from suture.parser.hole import HoleState
from suture.training.editing_places import File

from tests.support.oracle_checked import corrupted, has_judge, is_seen, verdicts

_SMALLEST, _LARGEST, _LARGE = 300, 60_000, 100_000
_END = "<!-- end of the table -->"


def files_of(folder: Path, name: str) -> list[File]:
    """The files of a language in the projects of a folder, of an everyday size."""
    files: list[File] = []
    for project in sorted(path for path in folder.iterdir() if path.is_dir()):
        for path in sorted({path for pattern in CHECKED[name].patterns for path in project.rglob(pattern)}):
            text = path.read_text("utf-8-sig", "replace").replace("\r\n", "\n") if path.is_file() else ""
            if _SMALLEST < len(text) < _LARGEST:
                files.append(File(project.name, path.relative_to(project).as_posix(), text))
    return files


def projects_of(files: Iterable[File]) -> str:
    """The projects of some files."""
    return ", ".join(sorted({file.project.rpartition("+")[2] for file in files}))


@dataclass
class Tally:
    """The counts over the places of a language."""

    broken: int = 0  # files with errors from the beginning
    files: int = 0
    clean: int = 0  # places without an error in the empty hole
    refused: int = 0  # unchanged middles
    judged: list[tuple[bool, bool, bool]] = field(default_factory=list)
    """of each corrupted middle: accepted, accepted without the rules for repairs, right by another parser"""
    times: list[float] = field(default_factory=list)


def middles(files: Sequence[File], rng: random.Random) -> Iterator[tuple[str, str, str]]:
    """Files as left, middle and right, endlessly."""
    while True:
        text = rng.choice(files).text
        lines = text.split("\n")
        number = rng.randrange(len(lines))
        bare = lines[number].strip()
        if len(bare) < 4:
            continue
        start = sum(len(line) + 1 for line in lines[:number]) + len(lines[number]) - len(lines[number].lstrip())
        end = start + len(bare)
        if rng.random() < 0.5:
            start = rng.randrange(start, end - 2)
        if rng.random() < 0.3 and number + 2 < len(lines):
            end = sum(len(line) + 1 for line in lines[: number + 2]) + len(lines[number + 2])
        yield text[:start], text[start:end], text[end:]


def tally(name: str, files: Sequence[File], count: int, seed: int, show: bool = False) -> Tally:
    """Judge a number of places in files of a language that another parser accepts."""
    rng, tally, wrong = random.Random(seed), Tally(), list[tuple[bool, bool, str]]()
    seen: list[tuple[str, str, str, str]] = []
    engine = language(name)
    rights = verdicts(name, [file.text for file in files])
    files = files if rights is None else [file for file, right in zip(files, rights, strict=True) if right]
    for file in files:
        tally.files += 1
        tally.broken += not engine.session().hole(file.text, 0).viable
    for left, middle, right in middles(files, rng):
        changed = corrupted(middle, rng)
        if changed is None or changed == middle:
            continue
        state = engine.session().hole(left + right, len(left)).state
        if not isinstance(state, CheckedState) or not is_seen(name, left, right):
            continue
        tally.clean += not state.place.tree.root_node.has_error
        tally.refused += not state.advance(middle).complete
        begun = time.thread_time()
        accepted = state.advance(changed).complete
        tally.times.append((time.thread_time() - begun) * 1e3)
        tree = state.place.with_text(changed)
        wrong.append((accepted, tree is not None and not tree.root_node.has_error, left + changed + right))
        if show:
            seen.append((left[-60:], middle, changed, right[:30]))
        if len(wrong) == count:
            break
    rights = verdicts(name, [text for *_, text in wrong]) or [None] * len(wrong)
    for (accepted, *_), right, told in zip(wrong, rights, seen, strict=False):
        if right is not None and accepted != right:
            print("    let through:" if accepted else "    refused:", *map(repr, told))
    tally.judged = [(refused, plain, right) for (refused, plain, _), right in zip(wrong, rights, strict=True)]  # type: ignore[misc]
    return tally


def row(name: str, projects: str, total: Tally) -> str:
    """A line of the table."""
    wrong = [case for case in total.judged if case[2] is False]
    right = [case for case in total.judged if case[2] is True]
    times = sorted(total.times)
    is_judged = bool(wrong or right)
    cells = (
        f"{name} ({projects})",
        f"{total.broken} of {total.files}",
        str(total.clean),
        f"{total.refused} of {len(total.judged)}",
        f"{len(wrong)}" if is_judged else "not known",
        f"{sum(case[1] for case in wrong)}"
        if is_judged
        else f"{sum(case[1] for case in total.judged)} of {len(total.judged)}",
        f"{sum(case[0] for case in wrong)}"
        if is_judged
        else f"{sum(case[0] for case in total.judged)} of {len(total.judged)}",
        f"{sum(not case[0] for case in right)} of {len(right)}" if is_judged else "",
        f"{statistics.median(times):.2f}, {times[min(len(times) - 1, len(times) * 99 // 100)]:.0f}",
    )
    return "| " + " | ".join(cells) + " |"


def cost(options: argparse.Namespace) -> str:
    """The table of a check's times in files of 100,000 characters, joined from a language's error-free files."""
    lines = ["| language | checks | p50 ms | p99 ms |", "| --- | --: | --: | --: |"]
    for name in options.languages or CHECKED:
        rng, whole = random.Random(options.seed), ""
        files = files_of(options.sources, name) if has(name) else []
        for file in rng.sample(files, len(files)):
            more = f"{whole}{file.text}\n"
            if len(whole) < _LARGE and is_clean(name, more):
                whole = more
        if len(whole) < _LARGE:
            continue
        session, times = language(name).session(), list[float]()
        for left, middle, right in islice(middles([File(name, name, whole)], rng), options.count):
            state = session.hole(left + right, len(left)).state
            if state is None:
                continue
            for text in (middle, corrupted(middle, rng) or middle):
                begun = time.thread_time()
                fits(state, text)
                times.append((time.thread_time() - begun) * 1e3)
        times.sort()
        cells = name, str(len(times)), f"{statistics.median(times):.2f}", f"{times[len(times) * 99 // 100]:.1f}"
        lines.append("| " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def fits(state: HoleState, text: str) -> bool:
    """Whether a text completes a hole."""
    after = state.advance(text)
    return after is not None and after.complete


def is_clean(name: str, text: str) -> bool:
    """Whether tree-sitter finds no error in a file."""
    state = language(name).session().hole(text, 0).state
    return isinstance(state, CheckedState) and not state.place.tree.root_node.has_error


def measure(options: argparse.Namespace) -> str:
    """The table of all languages with files and a grammar."""
    lines = [
        "| language (projects) | files with errors as they are | holes clean without any text | right middles refused"
        " | corrupted and really wrong | of these let through: no error in the file | the same with the rules"
        " | corrupted and still right, refused | check ms: p50, p99 |",
        "| --- |" + " --: |" * 8,
    ]
    for name in options.languages or CHECKED:
        files = files_of(options.sources, name) if has(name) else []
        if not files:
            continue
        random.Random(options.seed).shuffle(files)
        files = files[: options.files]
        count = options.count if has_judge(name) else options.count // 2
        lines.append(row(name, projects_of(files), tally(name, files, count, options.seed, options.show)))
        print(lines[-1], flush=True)
    return "\n".join(lines)


def write(path: Path, command: str, lines: str) -> None:
    """Put a command's table into its place in a file."""
    begin = f"<!-- table of python -m {command} -->"
    before, _, rest = path.read_text(encoding="utf-8").partition(begin)
    after = rest.partition(_END)[2]
    path.write_text(f"{before}{begin}\n\n{lines}\n\n{_END}{after}", encoding="utf-8")


def main() -> int:
    """Measure, and print or write."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--sources", type=Path, required=True, help="a folder of folders with projects")
    arguments.add_argument("--languages", nargs="+", choices=tuple(CHECKED))
    arguments.add_argument("--count", type=int, default=400, help="places of each language")
    arguments.add_argument("--files", type=int, default=100, help="files of each language, at most")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--cost", action="store_true", help="what a check costs in large files")
    arguments.add_argument("--show", action="store_true", help="print each middle that is judged wrongly")
    arguments.add_argument("--write", type=Path, help="put the table into this file")
    options = arguments.parse_args()
    lines = cost(options) if options.cost else measure(options)
    if options.write:
        write(options.write, "benchmarks.checked --cost" if options.cost else "benchmarks.checked", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
