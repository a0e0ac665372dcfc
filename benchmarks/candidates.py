"""The precision of each kind of candidate (`lsp_server/completion/proposing/candidates`), to choose the ones to believe.

    python -m benchmarks.candidates collect --sources FOLDER... --out CASES.jsonl [--suffix .py] [--files 10] [--reserved]
    python -m benchmarks.candidates fit CASES.jsonl...
    python -m benchmarks.candidates judge CASES.jsonl...
    python -m benchmarks.candidates table

FOLDER holds archives or project folders, as in `benchmarks.places`. `collect` asks no model: at places of `suture.training.editing_places`
(in other languages than Python, of `benchmarks.writing`) it writes each fitting candidate, and whether the original text begins with it,
instead of with a longer name, call or subscript. Every other place is in a file that ends with the cursor's line, as in writing from top to
bottom. Only unreserved projects are read, or with `--reserved` only reserved ones, for `judge`, which validates the fitted numbers there.
`fit` writes `candidates.json`; `table` prints its numbers.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from suture.lsp_server.completion.cursor import Cursor
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.completion.judging.acceptance import WEIGHTS
from suture.lsp_server.completion.proposing.candidates import candidates, that_fit
from suture.lsp_server.completion.proposing.candidates.kinds import KINDS
from suture.lsp_server.completion.proposing.candidates.ranking import FILE, odds
from suture.lsp_server.completion.proposing.decision import judge_at
from suture.lsp_server.context.cross_file import OtherFile
from suture.lsp_server.settings.spec import Settings
from suture.parser.language import traits
from suture.parser.scoping.facts import Facts
from suture.training.editing_places import EditingPlace, File, spans
from suture.training.fit_acceptance import fit_acceptance, folds, loss, probabilities
from suture.training.reserved import normalized_project

from .reserved_files import files_in, language_of, nearest
from .writing import kind_of

_FEWEST, _LEAST = 10, 0.5
"""The fewest cases of a kept kind, and the least share of right ones."""
_FOLDS = 6
_NEAR = 3_000  # characters on either side of a cursor, to tell whether it may have a candidate
_LONGEST = 30_000  # characters of a file searched for places
_EACH = 6  # places of a kind in a file
_KEYWORD = re.compile(r"\s*\w+=")
_ANNOTATED = re.compile(r"\w+: ")


@dataclass(frozen=True)
class Case:
    """A candidate fitting its place."""

    language: str
    project: str
    kind: str
    text: str
    typed: bool
    below: bool
    facts: Mapping[str, float]
    """for a kind with log odds of 1"""


def cases(place: EditingPlace, *, unfinished: bool = False) -> Iterator[tuple[str, str, str]]:
    """(left, right, the text between): at the place, and behind the name of a keyword argument or an annotated parameter.

    unfinished: only the rest of its line is right of the place.
    """
    text = place.file.text
    left, right, taken = text[: place.start], text[place.end :], place.taken
    if unfinished:
        right = right.partition("\n")[0]
    yield left, right, taken
    name = _KEYWORD.match(taken) if place.kind == "argument" else None
    if name:
        yield left + name[0], right, taken[name.end() :]
    for name in _ANNOTATED.finditer(taken) if place.kind == "parameters" else ():
        yield left + taken[: name.end()], right, taken[name.end() :]


def is_right(said: str, taken: str) -> bool:
    """Whether the removed text begins with the candidate, as a whole."""
    return taken.startswith(said) and not re.match(r"[\w.(\[]", taken[len(said) :])


class Collector:
    """Finds candidates in files."""

    def __init__(self, files: Sequence[File], folders: Mapping[str, Path], kinds: Sequence[str], seed: int) -> None:
        """folders: of projects."""
        self._folders, self._kinds, self._rng = folders, kinds, random.Random(seed)
        self._engine = CompletionEngine(Settings(), patient=True)
        self._engine.keeper.load()
        self._others = lru_cache(4)(lambda file: tuple(self._open(other) for other in nearest(file, files)))

    def _open(self, file: File) -> OtherFile:
        return OtherFile(self._path(file), file.text)

    def _path(self, file: File) -> str:
        return (self._folders.get(file.project, Path("/benchmark") / file.project) / file.path).as_posix()

    def of(self, file: File) -> Iterator[Case]:
        """The candidates in a file."""
        language = language_of(file.path)
        kinds = defaultdict[tuple[object, ...], list[EditingPlace]](list)
        stops = spans(file, self._rng) if language == "python" else _rests(file)
        for place in stops:
            said = _may_say(file.text[: place.start], file.text[place.end :], self._kinds)
            if said is not None:
                kinds[place.kind, said, _KEYWORD.match(place.taken) is not None].append(place)
        for places in kinds.values():
            for number, place in enumerate(self._rng.sample(places, min(_EACH, len(places)))):
                for left, right, taken in cases(place, unfinished=number % 2 > 0):
                    yield from self._at(file, language, left, right, taken)
        self._engine.sessions.forget(self._path(file))

    def _at(self, file: File, language: str, left: str, right: str, taken: str) -> Iterator[Case]:
        path = self._path(file)
        where = CursorContext(path, language, left + right, len(left), path=path, others=self._others(file))
        others = [other.text for other in where.others]
        for editing, candidate, _ in that_fit(
            where.cursor, others, self._kinds, lru_cache(1)(lambda: self._engine.sessions.editing(where))
        ):
            judge = judge_at(editing, self._engine.keeper.model())
            facts = judge.situation.facts(candidate.text, 1.0, judge.usual_share(candidate.text))
            yield Case(
                traits(language).candidates,
                file.project,
                *candidate,
                is_right(candidate.text, taken),
                facts["below"] > 0,
                facts,
            )


def _may_say(left: str, right: str, kinds: Sequence[str]) -> bool | None:
    """Whether a cursor has a candidate without need of facts; None: it has none of any kind."""
    asked: list[bool] = []

    def facts() -> Facts:
        asked.append(True)
        return Facts()

    left, right = left[-_NEAR:], right[:_NEAR]
    candidate = candidates(Cursor.at(left + right, len(left)), (), facts, kinds)
    return bool(candidate) if candidate or asked else None


def _rests(file: File) -> Iterator[EditingPlace]:
    """The places of `benchmarks.writing` except ends of lines, with the rest of the line taken out."""
    text = file.text[:_LONGEST]
    for offset in range(1, len(text)):
        end = text.find("\n", offset)
        kind = kind_of(text, offset) if offset < end else None
        if kind is not None and text[offset:end].strip():
            yield EditingPlace(kind, file, offset, end, end)


def collect(
    folders: Sequence[Path], suffix: str, count: int, kinds: Sequence[str], reserved: bool, seed: int, out: Path
) -> None:
    """Write the candidates of some files of each project as lines of JSON."""
    rng = random.Random(seed)
    files = [file for folder in folders for file in files_in(folder, suffix=suffix, reserved=reserved)]
    homes = {normalized_project(path.name): path for folder in folders for path in folder.iterdir() if path.is_dir()}
    projects: dict[str, list[File]] = defaultdict(list)
    for file in files:
        projects[file.project].append(file)
    chosen = [file for listed in projects.values() for file in rng.sample(listed, min(count, len(listed)))]
    collector = Collector(files, homes, kinds, seed)
    with out.open("w", encoding="utf-8") as lines:
        for file in rng.sample(chosen, len(chosen)):
            for case in collector.of(file):
                lines.write(json.dumps(asdict(case)) + "\n")
            lines.flush()


@dataclass(frozen=True)
class Numbers:
    """Cases as numbers."""

    odds: np.ndarray  # (n,)
    facts: np.ndarray  # (n, facts)
    typed: np.ndarray  # (n,)

    @classmethod
    def of(cls, sample: Sequence[Case], kinds: Mapping[str, Mapping[str, Sequence[int]]]) -> Numbers:
        """kinds: by language and kind, (cases, right ones)."""
        before = np.array([odds(kinds[case.language][case.kind]) for case in sample])
        scaled = [
            [value * (chance if name == "odds if below" else 1.0) for name, value in case.facts.items()]
            for case, chance in zip(sample, before, strict=True)
        ]
        return cls(before, np.array(scaled), np.array([float(case.typed) for case in sample]))


def counted(sample: Sequence[Case]) -> dict[str, dict[str, list[int]]]:
    """By language and kind: the number of cases, and of right ones."""
    kinds: dict[str, dict[str, list[int]]] = defaultdict(dict)
    for case in sample:
        numbers = kinds[case.language].setdefault(case.kind, [0, 0])
        numbers[0] += 1
        numbers[1] += case.typed
    return kinds


def kept(sample: Sequence[Case]) -> list[Case]:
    """The cases of kinds that are frequent and right often enough in their language."""
    kinds = counted(sample)
    good = {(language, kind) for language, listed in kinds.items() for kind, (seen, right) in listed.items()
            if seen >= _FEWEST and right >= _LEAST * seen}  # fmt: skip
    return [case for case in sample if (case.language, case.kind) in good]


def fitted(sample: Sequence[Case]) -> np.ndarray:
    """The weights of the facts: (facts,)."""
    numbers = Numbers.of(sample, counted(sample))
    return fit_acceptance(numbers.odds, numbers.facts, numbers.typed, np.ones(len(sample)))


def fit(sample: Sequence[Case]) -> None:
    """Write candidates.json; print its gain in other projects."""
    left_out = {(case.language, case.kind) for case in sample} - {(case.language, case.kind) for case in kept(sample)}
    for language, kind in sorted(left_out):
        seen, right = counted(sample)[language][kind]
        print(f"left out: {kind} in {language}, {right} of {seen}")
    sample = kept(sample)
    number, guesses = folds([case.project for case in sample], _FOLDS), np.zeros((2, len(sample)))
    for fold in range(_FOLDS):
        others = [case for case, part in zip(sample, number, strict=True) if part != fold]
        own = Numbers.of([case for case, part in zip(sample, number, strict=True) if part == fold], counted(others))
        guesses[0, number == fold] = 1 / (1 + np.exp(-own.odds))
        guesses[1, number == fold] = probabilities(own.odds, own.facts, fitted(others))
    typed, shares = np.array([float(case.typed) for case in sample]), np.ones(len(sample))
    for name, guess in zip(("kind alone", "facts"), guesses, strict=True):
        print(f"{name}: {loss(guess, typed, shares):.4f} nats a text, in other projects")
    weights = {name: round(float(case), 3) for name, case in zip(sample[0].facts, fitted(sample), strict=True)}
    assert weights.keys() == WEIGHTS.keys()
    kinds = {language: dict(sorted(listed.items())) for language, listed in sorted(counted(sample).items())}
    said = {"projects": len({case.project for case in sample}), "kinds": kinds, "weights": weights}
    text = re.sub(r"\[\s+(\d+),\s+(\d+)\s+\]", r"[\1, \2]", json.dumps(said, indent=1))
    FILE.write_text(text + "\n", encoding="utf-8")


def judge(sample: Sequence[Case]) -> None:
    """Print the numbers' validation."""
    read = json.loads(FILE.read_text(encoding="utf-8"))
    sample = [case for case in sample if case.kind in read["kinds"].get(case.language, {})]
    numbers = Numbers.of(sample, read["kinds"])
    weights = np.array([read["weights"][name] for name in sample[0].facts])
    for name, guess in (
        ("kind alone", 1 / (1 + np.exp(-numbers.odds))),
        ("facts", probabilities(numbers.odds, numbers.facts, weights)),
    ):
        print(f"{name}: {loss(guess, numbers.typed, np.ones(len(sample))):.4f} nats a text")
        for low, high in ((0.0, 0.3), (0.3, 0.5), (0.5, 0.6), (0.6, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 1.01)):
            among = (guess >= low) & (guess < high)
            if among.any():
                print(f"  {low:.1f} to {high:.1f}: {numbers.typed[among].mean():.2f} of {among.sum()}")
    print("\n".join(rows(counted(sample))))


def rows(kinds: Mapping[str, Mapping[str, Sequence[int]]]) -> Iterator[str]:
    """The table of some numbers: Markdown."""
    languages = sorted(kinds)
    right_in = " | ".join(f"right in {LANGUAGES.get(language, language)}" for language in languages)
    yield f"| candidate | proposes | {right_in} |"
    yield "| --- | --- |" + " --: |" * len(languages)
    for kind, (_, said) in KINDS.items():
        cells = [kinds[language].get(kind) for language in languages]
        if any(cells):
            shown = (f"{100 * cell[1] / cell[0]:.0f} % of {cell[0]:,}" if cell else "" for cell in cells)
            yield f"| {kind} | {said} | " + " | ".join(shown) + " |"


LANGUAGES = {"python": "Python", "go": "Go", "typescript": "TypeScript"}


def main() -> int:
    """Collect, fit, judge, or print the table."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = arguments.add_subparsers(dest="command", required=True)
    collecting = commands.add_parser("collect")
    collecting.add_argument("--sources", type=Path, nargs="+", required=True, help="folders of archives or projects")
    collecting.add_argument("--suffix", default=".py", help="of the files that are read")
    collecting.add_argument("--files", type=int, default=10, help="of a project")
    collecting.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS), help="of candidates")
    collecting.add_argument("--reserved", action="store_true", help="of reserved projects, and of no others")
    collecting.add_argument("--seed", type=int, default=1)
    collecting.add_argument("--out", type=Path, required=True)
    for name in ("fit", "judge"):
        commands.add_parser(name).add_argument("cases", type=Path, nargs="+")
    commands.add_parser("table")
    given = arguments.parse_args()
    if given.command == "collect":
        collect(given.sources, given.suffix, given.files, given.kinds, given.reserved, given.seed, given.out)
    elif given.command == "table":
        print(*rows(json.loads(FILE.read_text(encoding="utf-8"))["kinds"]), sep="\n")
    else:
        lines = (line for path in given.cases for line in path.read_text(encoding="utf-8").splitlines())
        (fit if given.command == "fit" else judge)([Case(**json.loads(line)) for line in lines])
    return 0


if __name__ == "__main__":
    sys.exit(main())
