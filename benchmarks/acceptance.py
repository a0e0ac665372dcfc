"""The quality of predicting which texts get typed (`lsp_server/completion/judging/acceptance.py`), and the effect of showing more or fewer.

    python -m benchmarks.acceptance collect --sources FOLDER... --out TEXTS.jsonl [--reserved] [--model MODEL] [--count 400] [--seed 1]
    python -m benchmarks.acceptance fit TEXTS.jsonl... --out lsp_server/completion/judging/acceptance.json
    python -m benchmarks.acceptance curve TEXTS.jsonl...

`collect` asks at the places of `benchmarks.writing`, or with `--finished` at those of `benchmarks.places`, and writes for each the showable
beginnings of the model's text, and the file's continuation. It resumes after interruptions. With `--reserved` it takes only reserved
projects, else none of them, and none seen by the model. `fit` prints the result of weights fitted on other projects (six folds), and fits on
all. `curve` prints right and wrong for several thresholds, by the model alone and by these weights.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from suture import model
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.completion.engine.silence import unanswered
from suture.lsp_server.completion.judging import acceptance
from suture.lsp_server.completion.judging.acceptance import Judge, Situation, log_odds
from suture.lsp_server.completion.judging.closing import closing_in
from suture.lsp_server.completion.judging.policy import expected_gain, is_worth_showing
from suture.lsp_server.completion.proposing import decision
from suture.lsp_server.completion.proposing.editing import Editing, unfit_at
from suture.lsp_server.settings.spec import Settings
from suture.model.decoding.types import Passed
from suture.training.editing_places import File
from suture.training.editing_places import choose as editing_places
from suture.training.fit_acceptance import fit_acceptance, folds, loss, probabilities

from .keystrokes import Editor
from .reserved_files import files_in, trained_on
from .writing import EDITORS, Stop, choose, is_short, judged, place_in, rests_of_lines

_FOLDS = 6
_WANTED = 600  # characters of the file's continuation
FINISHED = "finished"  # in the place of an editor
_THRESHOLDS = (0.12, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7)


@dataclass(frozen=True)
class Place:
    """A place, the showable beginnings of texts there, and the file's continuation."""

    project: str
    language: str
    kind: str
    editor: str
    left: str
    right: str
    region: str
    wanted: str
    texts: tuple[tuple[str, float, float], ...]
    """each with the model's log odds, and whether it is usual by n-grams"""

    @property
    def situation(self) -> Situation:
        """The situation for judging its texts."""
        return Situation(self.left, self.right, self.region)


class _Recorder:
    """Stands in for a judge, and records the judged texts."""

    def __init__(self, judge_at: Callable[..., Judge]) -> None:
        self._judge_at = judge_at
        self.situation: Situation | None = None
        self.texts: dict[str, tuple[float, float]] = {}

    def __call__(self, place: Editing, loaded: model.Model) -> Any:
        judge = self._judge_at(place, loaded)
        if self.situation not in (None, judge.situation):  # of a block below a header
            return judge
        self.situation = judge.situation
        unfit, closing = unfit_at(place), closing_in(place.hole)

        class Noting:
            @staticmethod
            def probability(text: str, trail: Sequence[Passed]) -> float:
                if text.strip() and not unfit(text) if trail[-1].complete else closing(text):
                    self.texts[text] = log_odds(trail, loaded.certainty), judge.usual_share(text)
                return judge.probability(text, trail)

        return Noting


Asked = tuple[str, str, File, int, CursorContext]
"""The kind of place, editor, file, stop in it, and the cursor to ask about."""


def collect(asked: Iterable[Asked], settings: Settings, out: Path) -> None:
    """Append each place as a line of JSON."""
    engine = CompletionEngine(settings, patient=True)
    judge_at = decision.judge_at
    done = len(out.read_text("utf-8").splitlines()) if out.exists() else 0
    with out.open("a", encoding="utf-8") as lines:
        for kind, editor, file, offset, cursor in islice(asked, done, None):
            recorder = decision.judge_at = _Recorder(judge_at)
            if unanswered(cursor) is None:
                engine.suggest(cursor, lambda: False)
            engine.sessions.forget(cursor.document)
            left = cursor.text[: cursor.offset]
            situation = recorder.situation or Situation(left, "", "code")
            place = Place(
                file.project, cursor.language, kind, editor, left, situation.right[:_WANTED], situation.region,
                file.text[offset : offset + _WANTED], tuple((text, *said) for text, said in recorder.texts.items()),
            )  # fmt: skip
            lines.write(json.dumps(asdict(place)) + "\n")
            lines.flush()
    decision.judge_at = judge_at


def written(stops: Sequence[Stop], settings: Settings) -> Iterator[Asked]:
    """Each place in both editors, in their state at the stop."""
    for name in EDITORS:
        editor, typed = Editor("", ""), None
        for stop in stops:
            if stop.file is not typed:
                editor, typed = Editor("", "", closes=name == "closed"), stop.file
            while len(editor.left) < stop.at:
                editor.type(stop.file.text[len(editor.left) :])
            if len(editor.left) == stop.at:  # else the cursor has moved down to an existing bracket
                yield stop.kind, name, stop.file, stop.at, place_in(editor, stop.file, settings)


def finished(files: Sequence[File], count: int, seed: int, settings: Settings) -> Iterator[Asked]:
    """Equally many places of each kind in finished files, without the rest of the line, or without the text between brackets."""
    python = [file for file in files if file.path.endswith(".py")]
    others = [file for file in files if not file.path.endswith(".py")]
    for where in editing_places(python, count, seed) + rests_of_lines(others, count, seed):
        editor = Editor(where.file.text[: where.start], where.file.text[where.end :])
        yield where.kind, FINISHED, where.file, where.start, place_in(editor, where.file, settings)


def read(path: Path) -> Iterator[Place]:
    """The places of a file."""
    for line in path.read_text("utf-8").splitlines():
        row: dict[str, Any] = json.loads(line)
        yield replace(Place(**row), texts=tuple(map(tuple, row["texts"])))


@dataclass(frozen=True)
class Texts:
    """All texts of some places as numbers."""

    odds: np.ndarray  # (n,)
    facts: np.ndarray  # (n, facts)
    typed: np.ndarray  # (n,)
    shares: np.ndarray  # (n,): each of a place's many texts counts less
    projects: tuple[str, ...]
    names: tuple[str, ...]
    """of the facts"""

    @classmethod
    def of(cls, situations: Sequence[Place]) -> Texts:
        """The texts of some places."""
        given = [(place, *text) for place in situations for text in place.texts]
        facts = [place.situation.facts(text, odds, usual) for place, text, odds, usual in given]
        return cls(
            np.array([odds for _, _, odds, _ in given]),
            np.array([list(place.values()) for place in facts]),
            np.array([float(judged(text, place.wanted) == "right") for place, text, *_ in given]),
            np.array([len(place.texts) ** -0.5 for place, *_ in given]),
            tuple(place.project for place, *_ in given),
            tuple(facts[0]),
        )


def cross_validated(texts: Texts) -> np.ndarray:
    """The probability of each text by weights fitted on other projects: (n,)."""
    number, estimates = folds(texts.projects, _FOLDS), np.zeros(len(texts.odds))
    for fold in range(_FOLDS):
        others, own = number != fold, number == fold
        weights = fit_acceptance(texts.odds[others], texts.facts[others], texts.typed[others], texts.shares[others])
        estimates[own] = probabilities(texts.odds[own], texts.facts[own], weights)
    return estimates


def curve(situations: Sequence[Place], alone: np.ndarray, corrected: np.ndarray) -> str:
    """Markdown: outcomes by threshold, showing the most valuable beginning at each place."""
    lines = ["| shown from | by | right | begun | wrong | padded | letters right |", "| --- | --- |" + " --: |" * 5]
    for least in _THRESHOLDS:
        for by, believed in (("model", alone), ("facts", corrected)):
            counts, saved, first = Counter[str](), 0, 0
            for place in situations:
                texts = [text for text, *_ in place.texts]
                chosen = _shown(texts, believed[first : first + len(texts)].tolist(), least)
                outcome = judged(chosen, place.wanted)
                counts[outcome] += 1
                saved += len(chosen.strip()) if outcome == "right" else 0
                first += len(texts)
            cells = " | ".join(str(counts[name]) for name in ("right", "begun", "wrong", "padded"))
            lines.append(f"| {least:.2f} | {by} | {cells} | {saved} |")
    return "\n".join(lines)


def _shown(texts: Sequence[str], believed: Sequence[float], least: float) -> str:
    worth = [
        (expected_gain(probability, text), len(text), text)
        for text, probability in zip(texts, believed, strict=True)
        if probability >= least and is_worth_showing(probability, text)
    ]
    return max(worth, default=(0.0, 0, ""))[2]


def main() -> int:
    """Collect, fit or compare."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = arguments.add_subparsers(dest="command", required=True)
    collecting = commands.add_parser("collect")
    collecting.add_argument("--sources", type=Path, nargs="+", required=True, help="folders of archives or projects")
    collecting.add_argument("--suffixes", nargs="+", default=[".py", ".go", ".json", ".ts"])
    collecting.add_argument("--reserved", action="store_true", help="of reserved projects, and of no others")
    collecting.add_argument("--finished", action="store_true", help="in finished files, so many places of each kind")
    collecting.add_argument(
        "--model", default=None, help="a model's folder or GGUF file; the embedded one if not given"
    )
    collecting.add_argument("--count", type=int, default=400)
    collecting.add_argument("--seed", type=int, default=1)
    collecting.add_argument("--out", type=Path, required=True)
    for name in ("fit", "curve"):
        command = commands.add_parser(name)
        command.add_argument("texts", type=Path, nargs="+")
        if name == "fit":
            command.add_argument("--out", type=Path, required=True)
    given = arguments.parse_args()
    if given.command == "collect":
        card = Path(given.model) if given.model else Path(str(model.__file__)).parent / "embedded"
        seen = trained_on(card)
        files = [
            file
            for folder in given.sources
            for suffix in given.suffixes
            for file in files_in(folder, seen, suffix, reserved=given.reserved)
        ]
        settings = Settings(model=given.model)
        if given.finished:
            asked = finished(files, given.count, given.seed, settings)
        else:
            asked = written(choose(list(filter(is_short, files)), given.count, given.seed), settings)
        collect(asked, settings, given.out)
        return 0
    situations = [place for path in given.texts for place in read(path)]
    texts = Texts.of(situations)
    alone = 1 / (1 + np.exp(-texts.odds))
    if given.command == "curve":
        weights = np.array([acceptance.WEIGHTS[name] for name in texts.names])
        print(curve(situations, alone, probabilities(texts.odds, texts.facts, weights)))
        return 0
    corrected = cross_validated(texts)
    print(f"nats a text: {loss(alone, texts.typed, texts.shares):.4f} by the model alone, "
          f"{loss(corrected, texts.typed, texts.shares):.4f} with the facts, in other projects\n")  # fmt: skip
    print(curve(situations, alone, corrected))
    weights = fit_acceptance(texts.odds, texts.facts, texts.typed, texts.shares)
    said = {
        "places": len(situations),
        "texts": len(texts.odds),
        "projects": len({place.project for place in situations}),
        "threshold": acceptance.THRESHOLD,
        "usual": round(float(np.mean(texts.facts[:, texts.names.index("usual")])), 3),
        "weights": {name: round(float(weight), 3) for name, weight in zip(texts.names, weights, strict=True)},
    }
    given.out.write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
