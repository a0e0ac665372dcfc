"""The cost, or gain, of the constraint for a model: `python -m benchmarks.constraint --sources FOLDER --model MODEL`.

In files of held-out projects an end of a line, a whole line or a span of up to 80 characters is taken out, and the model writes it greedily
twice from the same prompt: constrained, and unconstrained, where only the first line counts (in a span everything, up to the model's end).
*Exact* is the original text, *valid* a parsing file, *blank* nothing or white space alone, *similar* the ratio of difflib's matcher, in
percent. `--out` records each hole as a line of JSON, and recorded holes are not asked again.

`--orders` asks a third time where a prefix-first prompt would have the cursor's line behind the token for the middle: with that line in the
prefix. For a model behind a server, each text's cost in requests and received tokens is recorded.
"""

from __future__ import annotations

import argparse
import difflib
import json
import random
import statistics
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from suture import model, parser
from suture.model.decoding.types import Mode
from suture.model.runtime.served.runtime import Counts, ServedRuntime
from suture.training.editing_places import File

from benchmarks.places import table
from benchmarks.reserved_files import files_in

KINDS = ("ends of lines", "whole lines", "spans")
_MOST_CHARS = 8_000  # of a file
WAYS: tuple[Mode, ...] = ("constrained", "unconstrained")
LINE_IN_PREFIX = "constrained, line in the prefix"


def holes(files: Sequence[File], kind: str, count: int, seed: int) -> Iterator[tuple[File, int, int]]:
    """Files, with the span to take out: equally many of each project."""
    rng = random.Random(f"{seed} {kind}")
    projects = sorted({file.project for file in files})
    while count:
        project = rng.choice(projects)
        file = rng.choice([candidate for candidate in files if candidate.project == project])
        lines = file.text.splitlines(keepends=True)
        line = rng.randrange(len(lines))
        body = lines[line].rstrip("\r\n")
        start = sum(map(len, lines[:line]))
        indented = len(body) - len(body.lstrip())
        if len(body.strip()) < 6 or body.strip().startswith(("#", "//")):
            continue
        begin, end = start, start + len(body)
        if kind == "ends of lines":
            begin += rng.randrange(indented + 1, len(body) - 1)
        elif kind == "spans":
            begin += rng.randrange(indented, len(body))
            end = min(len(file.text) - 1, begin + rng.randrange(8, 81))
        if file.text[begin:end].strip():
            count -= 1
            yield file, begin, end


def ways(loaded: model.Model, kind: str, orders: bool) -> Iterator[tuple[str, model.Model, Mode]]:
    """The ways to fill a hole: a name, the model, the mode."""
    for mode in WAYS:
        yield mode, loaded, mode
    if orders and loaded.line_last and kind != "whole lines":  # without a typed part
        yield LINE_IN_PREFIX, replace(loaded, line_last=False), "constrained"


def fill(loaded: model.Model, left: str, right: str, kind: str, mode: Mode, context: int) -> dict[str, Any]:
    """A model's text for a hole, and its cost to a server."""
    session = parser.language("python").session()
    session.level = "names"  # as an editor's
    state = session.hole(left + right, len(left)).state
    if state is None:
        return {"text": ""}
    runtime = loaded.runtime
    if isinstance(runtime, ServedRuntime):
        runtime.counts = Counts()
    so_far: list[str] = []

    def line_is_over() -> bool:
        return mode == "unconstrained" and kind != "spans" and "\n" in "".join(so_far)

    most = 0 if kind != "spans" else None
    options = model.Options(mode=mode, max_tokens=40, max_lines=most, context_tokens=context, copying=False)
    completion = model.complete(loaded, state, left, right, options, cancelled=line_is_over, on_text=so_far.append)
    text = completion.text.split("\n")[0] if kind != "spans" and mode == "unconstrained" else completion.text
    if mode == "constrained" and not completion.complete:  # it is not shown
        text = ""
    cost = asdict(runtime.counts) if isinstance(runtime, ServedRuntime) else {}
    return {"text": text, "ended": completion.ended, "tokens": completion.tokens, **cost}


def judged(left: str, wanted: str, right: str, text: str) -> dict[str, float]:
    """A text beside the removed one, in percent."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(left + text + right, "x", "exec", dont_inherit=True)
        valid = True
    except (SyntaxError, ValueError):
        valid = False
    # The header of a block may be followed by the shortest body where nothing else can be its body.
    mine, true = text.strip("\n").split("\n")[0].strip() if "\n" not in wanted else text.strip(), wanted.strip()
    return {
        "exact": 100.0 * (mine == true),
        "valid": 100.0 * valid,
        "blank": 100.0 * (not mine),
        "similar": 100.0 * difflib.SequenceMatcher(None, mine, true, autojunk=False).ratio(),
    }


def report(noted: Sequence[dict[str, Any]]) -> str:
    """A table of all kinds and ways."""
    rows: list[tuple[str, dict[str, float]]] = []
    for kind in KINDS:
        for way in dict.fromkeys(way for record in noted for way in record["ways"]):
            of_kind = [record["ways"][way] for record in noted if record["kind"] == kind and way in record["ways"]]
            if not of_kind:
                continue
            row: dict[str, float] = {"places": len(of_kind)}
            for name in ("exact", "valid", "blank", "similar"):
                row[f"{name} %"] = statistics.fmean(record[name] for record in of_kind)
            served = [record["drafts"] + record["among"] + record["scored"] for record in of_kind if "drafts" in record]
            if served:
                row |= {"requests": statistics.fmean(served), "p95": sorted(served)[int(0.95 * len(served))]}
            rows.append((f"{kind}, {way}", row))
    return table(rows)


def main() -> int:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument(
        "--sources", type=Path, required=True, help="a folder of archives or projects, as in benchmarks.places"
    )
    arguments.add_argument("--model", default=None)
    arguments.add_argument("--count", type=int, default=100, help="holes of each kind")
    arguments.add_argument("--kinds", nargs="+", default=list(KINDS), choices=KINDS)
    arguments.add_argument("--context", type=int, default=400, help="tokens")
    arguments.add_argument("--threads", type=int, default=None)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--orders", action="store_true", help="also with the cursor's line in the prefix")
    arguments.add_argument("--out", type=Path, default=None)
    options = arguments.parse_args()
    noted: dict[tuple[str, int], dict[str, Any]] = {}
    if options.out is not None and options.out.exists():
        lines = options.out.read_text(encoding="utf-8").splitlines()
        noted = {(record["kind"], record["number"]): record for record in map(json.loads, lines)}
    files = [file for file in files_in(options.sources) if len(file.text) <= _MOST_CHARS]
    loaded = model.load(options.model, device="cpu", threads=options.threads, copying=False)
    print(loaded.description, file=sys.stderr)
    for kind in options.kinds:
        for number, (file, begin, end) in enumerate(holes(files, kind, options.count, options.seed)):
            if (kind, number) in noted:
                continue
            left, wanted, right = file.text[:begin], file.text[begin:end], file.text[end:]
            outcomes: dict[str, dict[str, Any]] = {}
            for way, asked, mode in ways(loaded, kind, options.orders):
                outcomes[way] = fill(asked, left, right, kind, mode, options.context)
                outcomes[way] |= judged(left, wanted, right, outcomes[way]["text"])
            noted[kind, number] = {"kind": kind, "number": number, "project": file.project, "path": file.path,
                                   "wanted": wanted, "ways": outcomes}  # fmt: skip
            if options.out is not None:
                with options.out.open("a", encoding="utf-8") as out:
                    out.write(json.dumps(noted[kind, number]) + "\n")
    if loaded.served is not None:
        loaded.served.close()
    print(report(list(noted.values())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
