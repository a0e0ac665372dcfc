"""A constraint beside the common filters, on one model: `python -m benchmarks.filters run --benchmarks DATA --model FILE`.

Each hole is filled once freely, and each filter is applied to that text: *cut to a parse* (the longest beginning with a parsing file),
*tree-sitter* (withheld where its tree has more errors than without the text), *brackets* (up to the first unmatched closing bracket),
*checked* (cut where the file parses and the model would most probably end). The same model then writes under the constraint, at three levels.
All arms have the same prompt, context and token budget.

At a temperature all texts are sampled, with two more arms: *rejected* is sampled again, up to `--draws` times, until the file parses;
*checked, redrawn*, until it parses with a meaningful beginning. *rows* and *ms* are those of all draws.

*Shown* is any nonempty text, *exact* the original one except for white space at its ends, *pass@1* a text passing HumanEval's tests; *rows*
are the tokens the model was run for, *ms* their cost when first computed, with the constraint's time.

Rows of a served model are cached under `--out`, so that another run, or another version of the decoding, computes only new ones; those of a
model in this process are cached for the arms of a hole. The texts go to `LABEL.texts.jsonl`, and with the oracles' verdicts, possibly from
another machine, to `LABEL.jsonl`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

from suture.model.errors import ServerUnavailable
from suture.model.runtime.served.runtime import ServedRuntime

from benchmarks.papers.record import Job

from .arms import Writer, judged
from .asking import ORDERS, Asking, load
from .holes import KINDS, jobs
from .report import report
from .rows import RememberingDialect, RowStore


def run(asked: argparse.Namespace) -> None:
    """Fill the missing holes, and judge the unjudged ones."""
    loaded = load(asked.model, asked.device, asked.threads, asked.order)
    print(loaded.description, file=sys.stderr)
    runtime, dialect = loaded.runtime, None
    if isinstance(runtime, ServedRuntime):
        dialect = RememberingDialect(runtime.dialect, RowStore(asked.out / "rows.sqlite"), loaded.name)
        runtime.dialect = dialect
    asking = Asking(asked.context, asked.right_lines, asked.others, asked.temperature, asked.draws, asked.sample)
    writer, until = Writer(loaded, dialect, asking), time.monotonic() + asked.minutes * 60
    name = asked.label or Path(loaded.name).stem
    texts, results = asked.out / f"{name}.texts.jsonl", asked.out / f"{name}.jsonl"
    try:
        written = {(item["kind"], item["number"]): item for item in read(texts)}
        judgements = {(item["kind"], item["number"]) for item in read(results)}
        for kind, job in _in_turn(asked):
            record = written.get((kind, job.number))
            if record is None:
                if time.monotonic() > until:
                    continue
                try:
                    record = {"kind": kind, "number": job.number, "data": job.data, "arms": writer.fill(job)}
                except ServerUnavailable as problem:  # on a crowded machine; another run fills it
                    print(f"{kind} {job.number}: {problem}", file=sys.stderr)
                    continue
                _append(texts, record)
            if not asked.unjudged and (kind, job.number) not in judgements:
                _append(results, record | {"middle": job.middle, "arms": judged(job, record["arms"])})
    finally:
        if loaded.served is not None:
            loaded.served.close()


def _in_turn(asked: argparse.Namespace) -> Iterator[tuple[str, Job]]:
    """The holes, one of each kind in turn, so that an aborted run has some of each."""
    for several in zip_longest(*(_of_kind(kind, asked) for kind in asked.kinds)):
        yield from (item for item in several if item is not None and item[1].number >= asked.first)


def _of_kind(kind: str, asked: argparse.Namespace) -> Iterator[tuple[str, Job]]:
    sources = {"Python": asked.python, "Go": asked.go}
    for job in jobs(kind, asked.count, asked.seed, asked.benchmarks, sources):
        yield kind, job


def _append(path: Path, record: dict[str, Any]) -> None:
    with path.open("a", encoding="utf-8") as out:
        out.write(json.dumps(record) + "\n")


def read(path: Path) -> list[dict[str, Any]]:
    """The records so far; of a hole filled by two runs, the first counts."""
    if not path.exists():
        return []
    records: dict[tuple[str, int], dict[str, Any]] = {}
    for record in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        records.setdefault((record["kind"], record["number"]), record)
    return list(records.values())


def main() -> int:
    """Run, or print the tables of a run."""
    arguments = argparse.ArgumentParser(
        prog="python -m benchmarks.filters", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = arguments.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run", help="fill holes that are not filled yet")
    running.add_argument("--model", default=None, help="a folder or GGUF file; the embedded model when not given")
    running.add_argument("--out", type=Path, default=Path("build/filters"))
    running.add_argument("--label", default="", help="the name of the results' file; the model's when not given")
    running.add_argument("--benchmarks", type=Path, default=None, help="the folder with human-eval-infilling in it")
    running.add_argument(
        "--python", type=Path, default=None, help="reserved projects in Python, as in benchmarks.places"
    )
    running.add_argument("--go", type=Path, default=None, help="reserved projects in Go")
    running.add_argument("--kinds", nargs="+", default=list(KINDS), choices=KINDS)
    running.add_argument("--count", type=int, default=100, help="holes of each kind")
    running.add_argument("--first", type=int, default=0, help="the first hole's number")
    running.add_argument("--context", type=int, default=1024, help="tokens of left and right context together")
    running.add_argument("--right-lines", type=int, help="of the right context, that the prompt shows, at most")
    running.add_argument("--others", action="store_true", help="show pieces of the project's other files")
    running.add_argument("--order", choices=ORDERS, help="of the prompt; the model's own when not given")
    running.add_argument("--temperature", type=float, default=0.0, help="draw texts: two arms more, below")
    running.add_argument("--draws", type=int, default=4, help="of a rejected text, at most")
    running.add_argument("--sample", type=int, default=0, help="a number for each text that is drawn in a hole")
    running.add_argument("--seed", type=int, default=1, help="which holes")
    running.add_argument("--minutes", type=float, default=float("inf"), help="begin no hole after this time")
    running.add_argument("--device", default="cpu")
    running.add_argument("--unjudged", action="store_true", help="only fill holes; another run judges what is written")
    running.add_argument("--threads", type=int, default=None)
    reporting = commands.add_parser("report", help="print the tables")
    reporting.add_argument("results", type=Path, nargs="+", help="files of results")
    asked = arguments.parse_args()
    if asked.command == "run":
        asked.out.mkdir(parents=True, exist_ok=True)
        run(asked)
    else:
        for path in asked.results:
            print(f"\n# {path.stem}\n\n{report(read(path))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
