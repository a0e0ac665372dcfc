"""Whole bodies of functions, judged by their tests: the cursor in an empty body below a signature and docstring, or halfway through one.

    python -m benchmarks.bodies record --data FOLDER --model MODEL --out RECORDS.jsonl [--half fit] [--sets HumanEval MBPP Go MBGP TypeScript MBTSP documented function class block] [--count 40]
    python -m benchmarks.bodies judge RECORDS.jsonl... [--data FOLDER]
    python -m benchmarks.bodies kept RECORDS.jsonl... [--data FOLDER]

FOLDER holds the functions and their tests (`problems.py`). `record` asks the server's own path at each place, in these ways:

  unasked  as after a pause in typing; *with Tab*: with the rest behind it, too
  asked    as with the editor's key after a pause: up to three texts (--texts)
  asked-at-once  the same without a pause
  asked-on as with the editor's key, again and again until the text ends
  raw      the model alone, with the marks of its family for the middle, cut where the function ends
  left     the same with only the text before the cursor
  chat     the same as the beginning of an answer, of instruction-tuned weights
  raw-path, left-path   the same behind the file's path, in the family's form

It resumes after interruptions. `judge` runs the tests of each program in a child with limits of time and memory and prints each way's pass
rate; the lines kept are those of a text also in the solution, in this order. `kept` fits the probability of keeping a block
(`lsp_server/completion/judging/blocks.py`). Problems with an even number are for measuring, those with an odd one for fitting.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import numpy as np
from suture.common.constraint import NoConstraint
from suture.lsp_server.completion.asking.scheduler import accepted
from suture.lsp_server.completion.engine import surroundings
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.completion.judging import blocks
from suture.lsp_server.completion.judging.thoughts import is_documented
from suture.lsp_server.completion.proposing.shown import Suggestion
from suture.lsp_server.settings.spec import Settings
from suture.model import Completion, Options, complete
from suture.model.decoding.types import Passed
from suture.model.prompting import fim_template
from suture.model.prompting.chat import chat_template
from suture.parser.importing import inserted, length_of
from suture.training.fit_acceptance import fit_acceptance, folds, loss, probabilities

from tests.support import oracle_go

from .problems import CUTS, HALVES, SETS, SUFFIXES, WRITTEN, Problem, is_solved, passes, problems
from .recorded import NotRecorded, Recorded, ask_all, recorded_model

WAYS = ("unasked", "asked", "asked-at-once", "asked-on", "raw", "left", "chat", "raw-path", "left-path")
_MOST_CHARS = 2_000
_FOR_EVER_MS = 1e9
_FOLDS = 6
_RAW_TOKENS, _RAW_LINES = 200, 30


@dataclass(frozen=True)
class Record:
    """The texts of one way at one place."""

    problem: str
    cut: str
    way: str
    texts: tuple[str, ...]
    ms: float
    trail: tuple[tuple[int, float, bool], ...] = ()
    """of the first text: characters, log probability, validity"""
    ended: Any = ""
    """the reason for its end"""
    probability: float = 0.0
    hidden: str = ""
    passed: tuple[bool, ...] = ()


def body_alone(problem: Problem, text: str) -> str:
    """The function's part of a text."""
    lines = (problem.indent + text).split("\n")
    outside = next((at for at, line in enumerate(lines) if at and line.strip() and not line[0].isspace()), len(lines))
    return "\n".join(lines[:outside])[len(problem.indent) :]


class Asker:
    """Asks a model at places, in every way."""

    def __init__(self, options: argparse.Namespace) -> None:
        given = {
            "model": options.model,
            "device": "cpu",
            "threads": options.threads,
            "ahead": False,
            "context_tokens": options.context,
        }
        self._settings = Settings(**{**given, **json.loads(options.settings)})
        self._texts: int = options.texts
        self._folder = tempfile.TemporaryDirectory()
        if options.patient:
            surroundings.ASKED_MS = _FOR_EVER_MS
        self._engine = CompletionEngine(self._settings, patient=True)
        self._recorded: Recorded | None = None
        if options.rows is not None:
            model, self._recorded = recorded_model(Path(options.model), options.rows, options.context)
            self._engine.keeper._model = model  # pyright: ignore[reportPrivateUsage]
        self._engine.keeper.load()

    def _seconds(self) -> float:
        return time.perf_counter() if self._recorded is None else self._recorded.seconds

    def ask(self, problem: Problem, way: str) -> Record:
        """The texts of a way."""
        suffix, own = SUFFIXES[problem.language], problem.language != "python"
        place = CursorContext(
            f"file:///{problem.name}.{suffix}", problem.language, problem.left + problem.right, len(problem.left),
            path=f"{self._folder.name}/{problem.name}/main.{suffix}" if own else None,  # alone in its package
            settings=self._settings, inside=True, imports=own,
        )  # fmt: skip
        self._forget()
        begun = self._seconds()
        record = Record(problem.name, problem.cut, way, (), 0.0)
        if way in ("asked", "asked-at-once"):
            if way == "asked":
                self._pause(place)
            begun = self._seconds()
            several = self._engine.alternatives(place, self._texts, _never)
            ended = several[0].completion.ended if several else ""
            texts = tuple(one.text for one in several)
            record = replace(record, texts=texts, trail=_trail(several[:1]), ended=ended)
        elif way == "asked-on":
            record = replace(record, texts=(self._on(place),))
        elif way == "unasked":
            record = self._unasked(place, record)
            begun += record.ms / 1e3
        else:
            record = replace(record, texts=(self._raw(problem, way),))
        self._engine.sessions.forget(place.document)
        return replace(record, ms=(self._seconds() - begun) * 1e3)

    def _pause(self, place: CursorContext) -> None:
        """Do the work of a server in a pause: the first statements, their continuation, and texts for a later invoked request."""
        first = self._engine.suggest(place, _never)
        if isinstance(first, Suggestion) and first.column is not None:
            self._engine.suggest(_taken(place, first), _never)
        self._engine.read_ahead(place, _never)

    def _forget(self) -> None:
        """Forget everything read so far."""
        served = self._engine.keeper.model().served
        if served is not None and self._recorded is not None:
            served._rows.clear()  # pyright: ignore[reportPrivateUsage]
            self._recorded.forget()

    def _unasked(self, place: CursorContext, record: Record) -> Record:
        """The first text, and all further ones when each is accepted; `ms`: the times of the later ones."""
        first = self._engine.suggest(place, _never)
        later = self._seconds()
        if not isinstance(first, Suggestion):
            return replace(record, hidden=first.reason.name)
        joined, closers, shown = "", "", first
        while isinstance(shown, Suggestion) and len(joined) < _MOST_CHARS:
            joined, closers = joined + shown.to_cursor, shown.text[len(shown.to_cursor) :]
            place = _taken(place, shown)
            shown = self._engine.suggest(place, _never) if shown.column is not None else None
        return replace(
            record, texts=(first.text, joined + closers), probability=first.probability, trail=_trail([first]),
            ms=(self._seconds() - later) * 1e3,
        )  # fmt: skip

    def _on(self, place: CursorContext) -> str:
        """The first text, and the further ones when each is accepted and the user asks again."""
        text, column = "", 0
        while column is not None and len(text) < _MOST_CHARS:
            several = self._engine.alternatives(place, 1, _never)
            if not several:
                break
            text, column = text + several[0].to_cursor, several[0].column
            place = _taken(place, several[0])
        return text

    def _raw(self, problem: Problem, way: str) -> str:
        model = self._engine.keeper.model()
        template = model.template
        if way == "chat":
            template = chat_template(model.vocabulary, template, problem.language) or template
        elif way.startswith("left"):
            template = fim_template.detect(model.vocabulary.ids, family="left", ends=template.ends)
        path = f"src/utils.{SUFFIXES[problem.language]}" if way.endswith("-path") else None
        if path is not None:
            template = replace(template, parts=(*model.template.opener, *template.parts))
        model = replace(model, template=template)
        options = Options("unconstrained", max_tokens=_RAW_TOKENS, language=problem.language, path=path)
        text = ""

        def too_much() -> bool:
            return text.count("\n") > _RAW_LINES or body_alone(problem, text) != text

        def heard(piece: str) -> None:
            nonlocal text
            text += piece

        done = complete(
            model, NoConstraint(complete=False), problem.left, problem.right, options, cancelled=too_much, on_text=heard
        )
        return body_alone(problem, done.text)

    def close(self) -> None:
        """End the model."""
        self._engine.unload()
        self._folder.cleanup()


def _never() -> bool:
    return False


def _taken(place: CursorContext, suggestion: Suggestion) -> CursorContext:
    """The cursor's place after an accepted suggestion, with its imports written."""
    text, offset = inserted(place.text, suggestion.edits), place.offset + length_of(suggestion.edits)
    return accepted(replace(place, text=text, offset=offset), suggestion)


def _trail(found: Sequence[Suggestion]) -> tuple[tuple[int, float, bool], ...]:
    return tuple((one.length, one.log_prob, one.complete) for said in found for one in said.completion.trail)


def record(options: argparse.Namespace) -> int:
    """Ask the model at all unrecorded places, while there is time."""
    until = time.monotonic() + options.seconds
    missing = _recorded(options, until)
    while missing and options.threads and time.monotonic() < until:
        print(f"the model is asked at {len(missing)} places", file=sys.stderr, flush=True)
        model, _ = recorded_model(Path(options.model), options.rows, options.context)
        if not ask_all(model, options.rows, missing, options.threads, until):
            break
        missing = _recorded(options, until)
    if missing:
        print(f"{len(missing)} places are missing: run it again", file=sys.stderr)
    return 0


def _recorded(options: argparse.Namespace, until: float) -> list[NotRecorded]:
    """Record the answers available; return the missing ones."""
    out = Path(options.out)
    done = {(one.problem, one.cut, one.way) for one in read([out])} if out.exists() else set()
    asker = Asker(options)
    missing: dict[tuple[int, ...], NotRecorded] = {}
    with out.open("a", encoding="utf-8") as file:
        for problem in problems(options.data, options.sets, options.half, options.count):
            if problem.cut not in options.cuts or time.monotonic() > until:
                continue
            if problem.cut.startswith("half") and not is_solved(problem):
                continue
            for way in options.ways:
                if (problem.name, problem.cut, way) in done:
                    continue
                try:
                    print(json.dumps(asdict(asker.ask(problem, way))), file=file, flush=True)
                except NotRecorded as lacks:
                    missing[lacks.ids] = lacks
    asker.close()
    return list(missing.values())


def read(paths: Iterable[Path]) -> Iterator[Record]:
    """The records of some files."""
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines():
            found = json.loads(line)
            lists = {name: tuple(map(_tupled, found[name])) for name in ("texts", "trail", "passed")}
            yield Record(**{**found, **lists})


def _tupled(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def judged(data: Path, paths: Sequence[Path]) -> list[tuple[Problem, Record]]:
    """The records with the outcome of their tests, also kept in the files."""
    every = [one for half in HALVES for one in problems(data, [*SETS, *WRITTEN], half, 10_000)]
    by_name = {(one.name, one.cut): one for one in every}
    verdicts: dict[tuple[str, str], bool] = {}

    def verdict(problem: Problem, text: str) -> bool:
        key = problem.left, text
        if key not in verdicts:
            verdicts[key] = passes(problem, text)
        return verdicts[key]

    found: list[tuple[Problem, Record]] = []
    with ThreadPoolExecutor(2) as pool:
        for path in paths:
            records = list(read([path]))
            for one in records:
                if one.passed:
                    problem = by_name[one.problem, one.cut]
                    verdicts.update({(problem.left, text): ok for text, ok in zip(one.texts, one.passed, strict=True)})

            def judge(one: Record) -> Record:
                problem = by_name[one.problem, one.cut]
                return one if one.passed else replace(one, passed=tuple(verdict(problem, text) for text in one.texts))

            records = list(pool.map(judge, records))
            path.write_text("".join(json.dumps(asdict(one)) + "\n" for one in records), encoding="utf-8")
            found += [(by_name[one.problem, one.cut], one) for one in records]
    return found


def lines_kept(text: str, solution: str) -> float | None:
    """The share of a text's lines in the solution, in the same order; None where either is empty."""
    lines, wanted = ([line.strip() for line in one.split("\n") if line.strip()] for one in (text, solution))
    if not lines or not wanted:
        return None
    blocks = SequenceMatcher(None, lines, wanted, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) / len(lines)


@dataclass(frozen=True)
class Part:
    """The first whole lines of a requested text, or all of it."""

    problem: str
    documented: bool
    facts: dict[str, float]
    lines: int
    kept: float
    """1 where the tests pass with the text, else the share of these lines in the solution"""


def parts_of(problem: Problem, one: Record) -> Iterator[Part]:
    """The parts of the first text, the longest first."""
    text = one.texts[0] if one.texts else ""
    trail = tuple(Passed(*passed) for passed in one.trail if passed[0] <= len(text))
    made = Completion(text, len(trail), one.ended, True, 0.0, 0.0, 0.0, trail=trail)
    for part in blocks.beginnings(made):
        passed = [each for each in trail if each.length <= len(part.text)]
        told = blocks.facts(passed)
        kept = max(float(any(one.passed[:1])), lines_kept(part.text, problem.rest) or 0.0)
        yield Part(one.problem, is_documented(problem.left), told, len(part.text.strip().split("\n")), kept)


def fit(found: Sequence[tuple[Problem, Record]]) -> dict[str, Any]:
    """Weights for `blocks`, and the effect of several thresholds, by weights fitted on other problems."""
    places = [
        parts for problem, one in found if one.way.startswith("asked") and (parts := list(parts_of(problem, one)))
    ]
    every = [part for parts in places for part in parts]
    names = list(every[0].facts)
    matrix = np.array([[part.facts[name] for name in names] for part in every])
    kept = np.array([part.kept for part in every])
    shares = np.array([1 / len(parts) for parts in places for _ in parts])
    none = np.zeros(len(every))
    fold = folds([part.problem for part in every], _FOLDS)
    guesses = none.copy()
    for number in range(_FOLDS):
        train, test = fold != number, fold == number
        weights = fit_acceptance(none[train], matrix[train], kept[train], shares[train])
        guesses[test] = probabilities(none[test], matrix[test], weights)
    print(f"{len(places)} places, {len(every)} parts; nats {loss(guesses, (kept >= 0.5).astype(float), shares):.3f}")
    print("| least | documented | places | shown | several lines | lines kept | passes or all lines kept |")
    print("| --: | --- | --: | --: | --: | --: | --: |")
    ends = np.cumsum([len(parts) for parts in places])[:-1]
    guessed = list(zip(places, np.split(guesses, ends), strict=True))
    for documented in (True, False):
        of_kind = [each for each in guessed if each[0][0].documented is documented]
        for least in (0.25, 0.3, 0.32, 0.35, 0.4, 0.45, 0.5):
            sure = ([part for part, guess in zip(*each, strict=True) if guess >= least][:1] for each in of_kind)
            shown = [part for parts in sure for part in parts]
            several = sum(part.lines > 1 for part in shown)
            mean = sum(part.kept for part in shown) / max(1, len(shown))
            right = sum(part.kept == 1 for part in shown)
            cells = (least, documented, len(of_kind), len(shown), several, f"{mean:.2f}", right)
            print(f"| {' | '.join(map(str, cells))} |")
    weights = fit_acceptance(none, matrix, kept, shares)
    return {
        "places": len(places),
        "weights": {name: round(float(weight), 4) for name, weight in zip(names, weights, strict=True)},
    }


def table(found: Sequence[tuple[Problem, Record]]) -> str:
    """The pass rates of each way, as Markdown."""
    rows: dict[tuple[str, str, str], list[tuple[Problem, Record]]] = defaultdict(list)
    for problem, one in found:
        rows[problem.name.partition("/")[0], problem.cut, one.way].append((problem, one))
    lines = [
        "| problems | missing | asked how | places | shown | several lines | first passes | any passes | with Tab | lines kept | ms p50 | p95 |"
    ]
    lines.append("| --- | --- | --- |" + " --: |" * 9)
    for (name, cut, way), answers in sorted(rows.items(), key=lambda row: (row[0][:2], WAYS.index(row[0][2]))):
        counts = Counter[str]()
        for _, one in answers:
            shown = [text for text in one.texts if text.strip()]
            counts["shown"] += bool(shown)
            counts["several"] += bool(shown) and "\n" in shown[0].strip()
            counts["first"] += any(one.passed[:1])
            counts["tab"] += any(one.passed[1:2])
            counts["any"] += any(one.passed)
        kept = [
            share
            for problem, one in answers
            for text in one.texts[:1]
            if (share := lines_kept(text, problem.rest)) is not None
        ]
        ms = sorted(one.ms for _, one in answers)
        unasked = way == "unasked"
        cells = [
            name, cut, way, len(answers), counts["shown"], counts["several"], counts["first"],
            counts["any"] if way in ("asked", "asked-at-once") else "", counts["tab"] if unasked else "",
            f"{statistics.mean(kept):.2f}" if kept else "", f"{statistics.median(ms):,.0f}", f"{ms[int(0.95 * (len(ms) - 1))]:,.0f}",
        ]  # fmt: skip
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def main() -> int:
    """Record or judge."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("command", choices=("record", "judge", "kept"))
    arguments.add_argument("records", nargs="*", type=Path)
    arguments.add_argument("--data", type=Path, default=Path("../shared/data"))
    arguments.add_argument("--model", default=None)
    arguments.add_argument("--out", default="bodies.jsonl")
    arguments.add_argument(
        "--rows",
        type=Path,
        default=None,
        help="where answers of the model are kept, a GGUF file; time is then counted in tokens, and --threads 0 asks for none",
    )
    arguments.add_argument("--half", choices=HALVES, default="measure")
    arguments.add_argument("--sets", nargs="*", choices=[*SETS, *WRITTEN], default=["HumanEval"])
    arguments.add_argument("--cuts", nargs="*", choices=CUTS, default=["whole", "half"])
    arguments.add_argument("--ways", nargs="*", choices=WAYS, default=list(WAYS))
    arguments.add_argument("--count", type=int, default=40, help="problems of each set")
    arguments.add_argument("--texts", type=int, default=3, help="that are asked for")
    arguments.add_argument(
        "--patient", action="store_true", help="let what is asked for be written to its end, as for `kept`"
    )
    arguments.add_argument("--threads", type=int, default=2)
    arguments.add_argument("--context", type=int, default=2048, help="tokens of the text around that the model reads")
    arguments.add_argument("--least", type=float, default=0.4, help="probability from which on a block is shown")
    arguments.add_argument("--least-documented", type=float, default=0.32, help="the same of one that is documented")
    arguments.add_argument("--seconds", type=float, default=540.0, help="after which no other place is begun")
    arguments.add_argument("--settings", default="{}", help="of the server, as JSON")
    options = arguments.parse_args()
    if options.command == "record":
        return record(options)
    if oracle_go.goroot() is None:
        print("Go's toolchain is missing: programs in Go count as failed", file=sys.stderr)
    found = judged(options.data, options.records)
    if options.command == "judge":
        print(table(found))
        return 0
    fitted = {**fit(found), "least": options.least, "least_documented": options.least_documented}
    blocks.FILE.write_text(json.dumps(fitted, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
