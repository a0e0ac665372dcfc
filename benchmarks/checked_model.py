"""A model's suggestions under tree-sitter's check, beside the model alone.

    python -m benchmarks.checked_model --sources FOLDER --model MODEL --answers ANSWERS.jsonl [--count 60] [--write benchmarks/results/checked.txt]

FOLDER holds folders of projects. At places where people pause, in reserved projects if there are enough, the rest of the line is taken out,
and a suggestion is requested: while typing, by key, and raw (the model alone). *Right* and *exact* are those of `benchmarks.places`; *parses*
is another parser's verdict on the file with the suggestion, where it accepts the original file. Each answer is added to ANSWERS.jsonl at
once, so a stopped run resumes.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain, zip_longest
from pathlib import Path

from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.completion.proposing.shown import Suggestion
from suture.lsp_server.completion.proposing.unconstrained import suggest_plain
from suture.lsp_server.settings.spec import Settings
from suture.parser.checked.grammars import CHECKED
from suture.parser.pending import mended
from suture.training.editing_places import EditingPlace, File
from suture.training.reserved import is_reserved

from benchmarks.checked import files_of, projects_of, write
from benchmarks.places import Result, judged
from tests.support.oracle_checked import verdicts

_STOPS = re.compile(r"(?<=[(\[.=,{])[ ]?|\b(?:return|if|while|new|let|throw|echo)[ ]|(?<=::)|^[ \t]+(?=\S)")


@dataclass(frozen=True)
class Answer:
    """The answer at a place."""

    how: str
    """the way it was asked"""
    start: int
    """of the place, in characters"""
    parses: bool | None
    """by another parser; None without one, without a shown text, or where it refuses the original file"""
    result: Result

    @property
    def key(self) -> tuple[str, str, str, int, str]:
        """The identity of its question."""
        return self.result.kind, self.result.project, self.result.path, self.start, self.how


def read_answers(path: Path) -> dict[tuple[str, str, str, int, str], Answer]:
    """The answers of earlier runs."""
    records = (json.loads(line) for line in path.read_text("utf-8").splitlines()) if path.exists() else ()
    answers = (
        Answer(record["how"], record["start"], record["parses"], Result(**record["result"])) for record in records
    )
    return {answer.key: answer for answer in answers}


def stops(name: str, files: Sequence[File], count: int, seed: int) -> list[EditingPlace]:
    """Places where people pause in a line of code: one per file, spread over projects as far as their files go."""
    rng = random.Random(seed)
    by_project: dict[str, list[EditingPlace]] = {}
    for file in rng.sample(files, len(files)):
        places = [
            (line.start() + stop.end(), line.end())
            for line in re.finditer(r"^.*\S.*$", file.text, re.MULTILINE)
            if not line[0].lstrip().startswith(("//", "#", "*", "/*"))
            for stop in _STOPS.finditer(line[0])
            if stop.end() and line[0][stop.end() :].strip()
        ]
        if places:
            start, end = rng.choice(places)
            by_project.setdefault(file.project, []).append(EditingPlace(name, file, start, end, end))
    turns = chain.from_iterable(zip_longest(*by_project.values()))
    return [place for place in turns if place is not None][:count]


class Asker:
    """Requests the suggestion at a place, in each way."""

    def __init__(self, model: str) -> None:
        self.engine = CompletionEngine(Settings(model=model, device="cpu"))
        self.engine.keeper.load()

    def typing(self, place: CursorContext) -> object:
        """As after a pause."""
        return self.engine.suggest(place, lambda: False)

    def by_key(self, place: CursorContext) -> object:
        """As for an invoked request: the first of three."""
        return next(iter(self.engine.alternatives(place, 3, lambda: False)), None)

    def raw(self, place: CursorContext) -> object:
        """The model alone."""
        model = self.engine.keeper.model()
        return suggest_plain(place.cursor, model, self.engine.surroundings.options(place), lambda: False)

    @property
    def ways(self) -> dict[str, Callable[[CursorContext], object]]:
        """By their names in the table."""
        return {"while typing": self.typing, "by key": self.by_key, "raw": self.raw}

    def answer(self, where: EditingPlace, how: str) -> Answer:
        """Ask at a place."""
        text = where.file.text[: where.start] + where.file.text[where.end :]
        place = CursorContext(where.file.path, where.kind, text, where.start, path=None)
        started = time.perf_counter()
        outcome = self.ways[how](place)
        shown = outcome if isinstance(outcome, Suggestion) else None
        result = judged(where, None if shown is None else shown.to_cursor, (time.perf_counter() - started) * 1e3)
        self.engine.sessions.forget(place.document)
        if shown is None:
            return Answer(how, where.start, None, result)
        whole = text[: where.start] + shown.text + mended(text[where.start :], shown.pending)
        rights = verdicts(where.kind, [whole])
        return Answer(how, where.start, None if rights is None else rights[0], result)


def answers(options: argparse.Namespace) -> Iterator[tuple[str, str, list[Answer]]]:
    """For each language its projects, and the answers at its places, from earlier runs or new."""
    earlier, asker = read_answers(options.answers), None
    for name in options.languages:
        files = files_of(options.sources, name)
        reserved = [file for file in files if is_reserved(file.project.rpartition("+")[2])]
        places = stops(name, reserved if len(reserved) >= options.count else files, options.count, options.seed)
        collected: list[Answer] = []
        sound = verdicts(name, [where.file.text for where in places]) or [False] * len(places)
        for where, is_sound in zip(places, sound, strict=True):
            for how in ("while typing", "by key", "raw"):
                answer = earlier.get((name, where.file.project, where.file.path, where.start, how))
                if answer is None and not options.known:
                    asker = asker or Asker(options.model)
                    answer = asker.answer(where, how)
                    with options.answers.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(asdict(answer)) + "\n")
                collected += [] if answer is None else [answer if is_sound else replace(answer, parses=None)]
        yield name, projects_of([where.file for where in places]), collected


def rows(name: str, projects: str, answers: Sequence[Answer]) -> Iterator[str]:
    """The lines of the table for a language."""
    for how in ("while typing", "by key", "raw"):
        each = [answer for answer in answers if answer.how == how]
        shown = [answer for answer in each if answer.result.shown is not None]
        told = [answer.parses for answer in shown if answer.parses is not None]
        cells = (
            f"{name} ({projects}), {how}" if how == "while typing" else f"{name}, {how}",
            f"{len(shown)} of {len(each)}",
            str(sum(answer.result.right for answer in shown)),
            str(sum(answer.result.exact for answer in shown)),
            f"{sum(told)} of {len(told)}" if told else "not known",
        )
        yield "| " + " | ".join(cells) + " |"


def main() -> int:
    """Ask, and print or write."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--sources", type=Path, required=True, help="a folder of folders with projects")
    arguments.add_argument("--model", required=True, help="a folder, a GGUF file or a name, as in the setting")
    arguments.add_argument("--answers", type=Path, required=True, help="where answers are kept")
    arguments.add_argument("--known", action="store_true", help="only count the answers that are there")
    arguments.add_argument("--languages", nargs="+", choices=tuple(CHECKED), default=("rust", "java", "cpp", "bash"))
    arguments.add_argument("--count", type=int, default=60, help="places of each language")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--write", type=Path, help="put the table into this file")
    options = arguments.parse_args()
    lines = [
        "| | shown | right, of shown | exact, of all | parses, of shown in files that do |",
        "| --- |" + " --: |" * 4,
    ]
    for name, projects, collected in answers(options):
        lines += rows(name, projects, collected)
        print("\n".join(lines[-3:]), flush=True)
    if options.write:
        write(options.write, "benchmarks.checked_model", "\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
