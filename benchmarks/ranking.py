"""How often the ranker chooses the exact text among several (`model/reranking`): hole by hole, beside the choice of two texts by score.

    python -m benchmarks.ranking collect --sources FOLDER --out TEXTS.jsonl [--reserved] [--rests 500] [--lines 300] [--places 70]
    python -m benchmarks.ranking fit TEXTS.jsonl --out model/embedded/ranking.json
    python -m benchmarks.ranking compare TEXTS.jsonl

`collect` cuts holes of one line out of the projects in FOLDER (archives or folders): rests of lines, whole lines, and places where people stop. It
writes the texts for each, as the embedded model writes them at level `names` in single files. It can be interrupted and goes on
where it was. Of reserved projects it takes only those, with `--reserved`, else none. `fit` prints what other projects' numbers choose
in each project (six folds), and then fits on all. `compare` uses the numbers that the model has.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from suture import model, parser
from suture.lsp_server.completion.proposing.filling import fill, fill_several
from suture.lsp_server.completion.proposing.suggestion import LOOKS
from suture.model.reranking.features import FEATURES, Candidate, Place
from suture.model.reranking.ranker import LOOKS as RANKED_LOOKS
from suture.model.reranking.ranker import MARGIN, Ranker
from suture.training.archives import archives_in, read_archive
from suture.training.corpus import is_everyday_code
from suture.training.editing_places import File, choose
from suture.training.evaluate import line_holes, whole_line_holes
from suture.training.fit_ranking import Choice, fit_ranking
from suture.training.reserved import is_reserved, normalized_project

from .names import sign_test

KINDS = ("argument", "assertion", "assignment", "attribute", "condition", "end of line", "last line", "return")
_FOLDS = 6
_SHORTEST, _LONGEST = 800, 60_000
_OPTIONS = model.Options(max_lines=0, looks=LOOKS, looks_ms=60_000, language="python", reranking=False)


class Hole(NamedTuple):
    """A hole, what stood there, and where it is from."""

    kind: str
    project: str
    left: str
    middle: str
    right: str


class Texts(NamedTuple):
    """The texts for a hole."""

    kind: str
    project: str
    before: bool  # is the text exact that the score chooses of two?
    features: np.ndarray  # (n, FEATURES)
    exact: np.ndarray  # (n,) bool


def holes_in(folder: Path, rests: int, lines: int, places: int, seed: int, *, reserved: bool) -> list[Hole]:
    """Rests of lines and whole lines, as many of each project, and places of each kind, in an order of their own."""
    files = [file for file in _files(folder) if is_reserved(file.project) == reserved]
    files = [file for file in files if _SHORTEST < len(file.text) < _LONGEST and is_everyday_code(file.text)]
    projects = sorted({file.project for file in files})
    found: list[Hole] = []
    for project in projects:
        texts = [file.text for file in files if file.project == project]
        for hole in line_holes(texts, -(-rests // len(projects)), seed):
            found.append(Hole("rest of line", project, hole.left, hole.middle, hole.right))
        for hole in whole_line_holes(texts, -(-lines // len(projects)), seed):
            found.append(Hole("line", project, hole.left, hole.middle, hole.right))
    for at in choose(files, places, seed) if places else ():
        if at.kind in KINDS and "\n" not in at.taken:
            text = at.file.text
            found.append(Hole(at.kind, at.file.project, text[: at.start], at.taken, text[at.end :]))
    random.Random(seed).shuffle(found)
    return found


def _files(folder: Path) -> Iterator[File]:
    for path in archives_in(folder):
        archive = read_archive(path)
        project = normalized_project(archive.project)
        yield from (File(project, name, text) for name, text in archive.files)
    for path in sorted(path for path in folder.iterdir() if path.is_dir()):
        for one in sorted(path.rglob("*.py")):
            text = one.read_text("utf-8", "replace").replace("\r\n", "\n")
            yield File(normalized_project(path.name), one.relative_to(path).as_posix(), text)


def collect(holes: Sequence[Hole], out: Path) -> None:
    """Write the texts for each hole as a line of JSON, behind those that are there."""
    loaded, python = model.load(None), parser.language("python")
    done = len(out.read_text("utf-8").splitlines()) if out.exists() else 0
    with out.open("a", encoding="utf-8") as lines:
        for hole in holes[done:]:
            place = python.hole(hole.left, hole.right, level="names")
            before = fill(place, hole.left, hole.right, loaded, _OPTIONS)
            several = fill_several(place, hole.left, hole.right, loaded, _OPTIONS, RANKED_LOOKS)
            candidates = [
                Candidate(one.text, one.tokens, one.score, one.ended == "earlier")
                for one in several
                if one.complete and one.text.strip() and one.score is not None
            ]
            row = {**hole._asdict(), "before": before.text, "texts": [list(_values(one)) for one in candidates]}
            lines.write(json.dumps(row) + "\n")
            lines.flush()


def _values(candidate: Candidate) -> tuple[str, int, float, bool]:
    return candidate.text, candidate.tokens, candidate.score, candidate.cut_back


def read(path: Path) -> list[Texts]:
    """The texts of a file, of which those are left out that are too improbable to be compared."""
    found: list[Texts] = []
    for line in path.read_text("utf-8").splitlines():
        row: dict[str, Any] = json.loads(line)
        candidates = [Candidate(*values) for values in row["texts"]]
        least = max((one.score for one in candidates), default=0.0) - MARGIN
        candidates = [one for one in candidates if one.score >= least]
        place, wanted = Place(row["left"], row["right"]), row["middle"].strip()
        features = np.array([place.features(one) for one in candidates]).reshape(-1, len(FEATURES))
        exact = np.array([one.text.strip() == wanted for one in candidates], dtype=bool)
        found.append(Texts(row["kind"], row["project"], row["before"].strip() == wanted, features, exact))
    return found


def chosen(ranker: Ranker, texts: Texts) -> bool:
    """Whether the ranker's choice is exact."""
    return bool(len(texts.exact)) and bool(texts.exact[int((texts.features @ ranker.weights).argmax())])


def cross_validated(texts: Sequence[Texts], seed: int = 0) -> list[bool]:
    """Whether the choice is exact by numbers that were fitted on other projects."""
    projects = sorted({one.project for one in texts})
    random.Random(seed).shuffle(projects)
    fold = {project: at % _FOLDS for at, project in enumerate(projects)}
    rankers = [fitted([one for one in texts if fold[one.project] != number]) for number in range(_FOLDS)]
    return [chosen(rankers[fold[one.project]], one) for one in texts]


def fitted(texts: Sequence[Texts]) -> Ranker:
    """The numbers for some texts."""
    return fit_ranking([Choice(one.features, one.exact) for one in texts if len(one.exact)])


def report(texts: Sequence[Texts], after: Sequence[bool]) -> str:
    """The table of all kinds."""
    lines = [f"{'':14}{'holes':>6}{'before':>8}{'now':>7}{'best':>7}  gained and lost"]
    for kind in (*sorted({one.kind for one in texts}), "all"):
        rows = [(one, now) for one, now in zip(texts, after, strict=True) if kind in (one.kind, "all")]
        gained = sum(now and not one.before for one, now in rows)
        lost = sum(one.before and not now for one, now in rows)
        shares = (
            np.mean(share) for share in zip(*((one.before, now, one.exact.any()) for one, now in rows), strict=True)
        )
        cells = "".join(f"{100 * share:7.1f}" for share in shares)
        lines.append(f"{kind:14}{len(rows):6} {cells}  +{gained} -{lost}, p = {sign_test(gained, lost):.4f}")
    return "\n".join(lines)


def main() -> int:
    """Collect, fit or compare."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = arguments.add_subparsers(dest="command", required=True)
    collecting = commands.add_parser("collect")
    collecting.add_argument("--sources", type=Path, required=True)
    collecting.add_argument("--out", type=Path, required=True)
    collecting.add_argument("--rests", type=int, default=500, help="of lines, in all projects together")
    collecting.add_argument("--lines", type=int, default=300, help="whole ones, likewise")
    collecting.add_argument("--places", type=int, default=70, help="of each kind")
    collecting.add_argument("--reserved", action="store_true", help="of reserved projects, and of no others")
    collecting.add_argument("--seed", type=int, default=1)
    fitting = commands.add_parser("fit")
    fitting.add_argument("texts", type=Path)
    fitting.add_argument("--out", type=Path, required=True)
    comparing = commands.add_parser("compare")
    comparing.add_argument("texts", type=Path)
    given = arguments.parse_args()
    if given.command == "collect":
        asked = given.sources, given.rests, given.lines, given.places, given.seed
        collect(holes_in(*asked, reserved=given.reserved), given.out)
        return 0
    texts = read(given.texts)
    if given.command == "fit":
        print(report(texts, cross_validated(texts)))
        fitted(texts).save(given.out)
        return 0
    ranker = model.load(None).ranker
    assert ranker is not None, "the embedded model has a ranker"
    print(report(texts, [chosen(ranker, one) for one in texts]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
