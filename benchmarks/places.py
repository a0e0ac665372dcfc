"""The suggestions at places where people pause: behind a bracket, `return`, a dot, an import, a block's header.

    python -m benchmarks.places --sources FOLDER [--model DIR] [--count 100] [--suffixes .ts .tsx .js] [--out RESULTS.jsonl]

FOLDER holds archives (wheels, source distributions, snapshots of repositories) or project folders. Only projects reserved for evaluation
(`suture.training.reserved`) are read, without those in the model's training data according to its card. `--download` gets some such packages
with pip first. At each place the rest of the line (or of the brackets, or the block) is taken out, up to five other files of the project are
open, and the server's own path is asked for a suggestion, as after a pause in typing. With `--suffixes` files of other languages are read,
and the places are those of `benchmarks.writing`, with the rest of the line taken out.

A suggestion is *right* when the original text begins with it, *exact* when it is all of it (of a block: its first line or more whole lines),
has a *right beginning* when its first word or sign is right. *Good characters* are those before the first wrong one. *Saved* is the share of
the removed characters (of a block: of its first line) saved by accepting the right suggestions, at one key for each. `--explicit` makes
invoked requests; `--curve` shows the effect of other thresholds of certainty.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from suture import model
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.completion.judging.certainty import certain
from suture.lsp_server.completion.proposing.decision import judge_at
from suture.lsp_server.completion.proposing.editing import Editing
from suture.lsp_server.completion.proposing.shown import Suggestion, to_show
from suture.lsp_server.errors import TooSlow
from suture.lsp_server.settings.spec import Settings
from suture.training.editing_places import EditingPlace, File, choose

from .broken_names import GO, PYTHON, TYPESCRIPT, break_elsewhere
from .reserved_files import files_in, language_of, lay_out, open_beside, trained_on
from .writing import rests_of_lines

# Reserved projects unseen by the embedded weights in any training run.
DOWNLOADS = (
    *("aiohttp", "asgiref", "authlib", "bandit", "boltons", "cookiecutter", "doit", "dulwich", "dynaconf", "environs"),
    *("faker", "flask-login", "funcy", "gunicorn", "litestar", "locust", "mistune", "moviepy", "mutagen", "netmiko"),
    *("paramiko", "pdm", "prettytable", "pymongo", "rq", "smart-open", "stamina", "stevedore", "supervisor", "xarray"),
)
_THRESHOLDS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
_FIRST_PIECE = re.compile(r"\s*(?:\w+|[^\w\s]+)")


@dataclass(frozen=True)
class Result:
    """The suggestion at a place."""

    kind: str
    project: str
    path: str
    line: int
    before: str  # the line up to the cursor
    wanted: str
    shown: str | None
    right: bool = False
    exact: bool = False
    begins: bool = False
    good: int = 0
    saved: int = 0
    letters: int = 0
    ms: float = 0.0
    cpu_ms: float = 0.0


# -- asking


class Asker:
    """Requests suggestions like the server, with other files of the project open."""

    def __init__(
        self, name: str | None, files: Sequence[File], root: Path, *, inside: bool = True, device: str = "cpu"
    ) -> None:
        self.settings = Settings(model=name, device=device, certainty=None)
        self.inside = inside
        self.engine = CompletionEngine(self.settings)
        self.engine.keeper.load()
        self._root = root
        self._files = files
        self._written: set[str] = set()

    def place(self, where: EditingPlace) -> CursorContext:
        """The cursor in the file without the removed text."""
        file = where.file
        self._write(file.project)
        text = file.text[: where.start] + file.text[where.end :]
        path = self._root / file.project / file.path
        return CursorContext(
            path.as_uri(),
            language_of(file.path),
            text,
            where.start,
            path=path.as_posix(),
            others=open_beside(file, self._files, self._root),
            inside=self.inside,
        )

    def _write(self, project: str) -> None:
        if project not in self._written:
            self._written.add(project)
            lay_out((file for file in self._files if file.project == project), self._root)


def judged(where: EditingPlace, shown: str | None, ms: float = 0.0, cpu_ms: float = 0.0) -> Result:
    """The result of comparing a suggestion with the original text."""
    text, wanted = where.file.text, where.taken
    first_line = text[where.start : where.first]
    line = text.rfind("\n", 0, where.start) + 1
    result = Result(
        where.kind, where.file.project, where.file.path, text.count("\n", 0, where.start) + 1,
        text[line : where.start], wanted, shown, letters=len(first_line.rstrip()), ms=ms, cpu_ms=cpu_ms,
    )  # fmt: skip
    if shown is None or not shown.strip():
        return replace(result, shown=None)
    good = 0
    while good < min(len(shown), len(wanted)) and shown[good] == wanted[good]:
        good += 1
    begun = _FIRST_PIECE.match(wanted)
    rest = wanted[len(shown) :]
    whole = shown.rstrip() == wanted.rstrip() or ("\n" in wanted and good == len(shown) and rest[:1] in ("\n", ""))
    right = good == len(shown) or shown.rstrip() == wanted.rstrip()
    return replace(
        result,
        right=right,
        exact=right and whole,
        begins=begun is not None and good >= len(begun[0]),
        good=good,
        saved=max(0, min(len(shown), result.letters) - 1) if right else 0,
    )


def ask(asker: Asker, where: EditingPlace, explicit: bool) -> Result:
    """Ask once for a place."""
    place = asker.place(where)
    started, cpu = time.perf_counter(), time.thread_time()
    if explicit:
        several = asker.engine.alternatives(place, 3, lambda: False)
        suggestion = several[0] if several else None
    else:
        try:
            suggested = asker.engine.suggest(place, lambda: False)
        except TooSlow:
            suggested = None
        suggestion = suggested if isinstance(suggested, Suggestion) else None
    ms, cpu_ms = (time.perf_counter() - started) * 1e3, (time.thread_time() - cpu) * 1e3
    asker.engine.sessions.forget(place.document)
    return judged(where, None if suggestion is None else suggestion.to_cursor, ms, cpu_ms)


def broken(where: EditingPlace, count: int, seed: int) -> EditingPlace:
    """A place in its file after accidents in other lines, as in `benchmarks.broken_names`."""
    text = where.file.text
    kinds = {"py": PYTHON, "go": GO}.get(where.file.path.rpartition(".")[2], TYPESCRIPT)
    rng = random.Random(f"{seed} {where.file.path} {where.start}")
    left, right, _ = break_elsewhere(text[: where.start], text[where.end :], kinds, count, rng)
    moved, file = len(left) - where.start, replace(where.file, text=left + where.taken + right)
    return replace(where, file=file, start=where.start + moved, first=where.first + moved, end=where.end + moved)


# -- reporting


def summary(results: Sequence[Result]) -> dict[str, float]:
    """The measures of some places."""
    shown = [result for result in results if result.shown is not None]
    right = sum(result.right for result in shown)
    return {
        "places": len(results),
        "shown %": 100 * len(shown) / max(1, len(results)),
        "right % of shown": 100 * right / max(1, len(shown)),
        "exact %": 100 * sum(result.exact for result in results) / max(1, len(results)),
        "begins right %": 100 * sum(result.begins for result in shown) / max(1, len(shown)),
        "good characters": statistics.fmean(result.good for result in shown) if shown else 0.0,
        "characters shown": statistics.fmean(len(result.shown or "") for result in shown) if shown else 0.0,
        "saved %": 100 * sum(result.saved for result in results) / max(1, sum(result.letters for result in results)),
        "ms p50": _quantile([result.ms for result in results], 0.5),
        "ms p95": _quantile([result.ms for result in results], 0.95),
    }


def _quantile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else 0.0


def by_kind(results: Sequence[Result]) -> str:
    """The table of all kinds."""
    kinds = sorted({result.kind for result in results})
    rows = [(kind, summary([result for result in results if result.kind == kind])) for kind in kinds]
    return table([*rows, ("**all**", summary(results))])


def table(rows: Iterable[tuple[str, dict[str, float]]]) -> str:
    """A Markdown table of named rows."""
    lines: list[str] = []
    for name, row in rows:
        if not lines:
            lines = ["| kind | " + " | ".join(row) + " |", "| --- |" + " --: |" * len(row)]
        cells = (
            f"{value:.0f}" if key == "places" or key.startswith("ms") else f"{value:.1f}" for key, value in row.items()
        )
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def curve(asker: Asker, places: Sequence[EditingPlace]) -> str:
    """The suggestions shown at other thresholds, from one generation for each place."""
    loaded = asker.engine.keeper.model()
    asker.engine.keeper.settings = replace(asker.settings, certainty=0.0)
    rows: dict[float, list[Result]] = {least: [] for least in _THRESHOLDS}
    for where in places:
        place = asker.place(where)
        outcome = asker.engine.suggest(place, lambda: False)
        here = asker.engine.sessions.editing(place)
        for least in _THRESHOLDS:
            shown = None
            if isinstance(outcome, Suggestion) and isinstance(here, Editing):
                sure = certain(outcome.completion, judge_at(here, loaded).probability, least) if least else None
                chosen = outcome.completion if not least else sure.completion if sure else None
                shown = chosen and to_show(here, chosen)
            rows[least].append(judged(where, shown.text if isinstance(shown, Suggestion) else None))
        asker.engine.sessions.forget(place.document)
    return table((f"certainty {least:.2f}", summary(results)) for least, results in rows.items())


def download(folder: Path) -> None:
    """Get reserved packages with pip, as wheels, without running any of their code."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "-d", str(folder)]
    for name in DOWNLOADS:
        subprocess.run([*command, name], check=False)


def main() -> int:
    """Print the tables."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--sources", type=Path, help="a folder of archives or projects")
    arguments.add_argument("--download", action="store_true", help="first get packages with pip into that folder")
    arguments.add_argument("--model", default=None, help="a model's folder; the embedded model when not given")
    arguments.add_argument("--count", type=int, default=100, help="places of each kind")
    arguments.add_argument("--kinds", nargs="+", default=None)
    arguments.add_argument("--suffixes", nargs="+", default=[".py"], help="of the files that are read")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--broken", type=int, default=0, help="so many accidents in other lines of the file")
    arguments.add_argument("--part", default="1/1", help="such as 2/3: only the second third of the places")
    arguments.add_argument("--device", default="cpu", help="on which a model of transformers runs")
    arguments.add_argument("--explicit", action="store_true", help="ask as a user does who presses the key")
    arguments.add_argument(
        "--summarize", type=Path, nargs="+", default=(), help="only print the tables of earlier --out"
    )
    arguments.add_argument("--no-snippets", action="store_true", help="the cursor goes to the end of what is accepted")
    arguments.add_argument("--curve", action="store_true", help="also compare thresholds of certainty")
    arguments.add_argument(
        "--out", type=Path, default=None, help="write each place and what was shown as a line of JSON"
    )
    options = arguments.parse_args()
    if options.summarize:
        lines = [line for path in options.summarize for line in path.read_text(encoding="utf-8").splitlines()]
        print(by_kind([Result(**json.loads(line)) for line in lines]))
        return 0
    if options.sources is None:
        arguments.error("--sources is required")
    if options.download:
        download(options.sources)
    card_folder = Path(options.model) if options.model else Path(str(model.__file__)).parent / "embedded"
    seen = trained_on(card_folder)
    files = [file for suffix in options.suffixes for file in files_in(options.sources, seen, suffix)]
    if options.suffixes == [".py"]:
        places = choose(files, options.count, options.seed)
    else:
        places = rests_of_lines(files, options.count, options.seed)
    if options.broken:
        places = [broken(where, options.broken, options.seed) for where in places]
    part, parts = map(int, options.part.split("/"))
    places = [where for where in places if options.kinds is None or where.kind in options.kinds][part - 1 :: parts]
    projects = sorted({where.file.project for where in places})
    print(f"{len(places)} places in {len({where.file for where in places})} files of {', '.join(projects)}\n")
    with tempfile.TemporaryDirectory() as root:
        asker = Asker(options.model, files, Path(root), inside=not options.no_snippets, device=options.device)
        results = []
        for number, where in enumerate(random.Random(0).sample(places, len(places)), start=1):
            results.append(ask(asker, where, options.explicit))
            if options.out:
                with options.out.open("w" if number == 1 else "a", encoding="utf-8") as out:
                    out.write(json.dumps(asdict(results[-1])) + "\n")
        print(by_kind(results), flush=True)
        if options.curve:
            print("\n" + curve(asker, places))
    return 0


if __name__ == "__main__":
    sys.exit(main())
