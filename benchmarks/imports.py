"""Names with their imports: the suggestions at the first use of a name without its import.

    python -m benchmarks.imports --sources FOLDER [--model DIR] [--count 400] [--typed 0]

FOLDER is as for `benchmarks.places`. A file of a reserved project is written up to the first use of a name imported at its top, without that
import; then `--typed` letters of the name. A suggestion with an import is *right* when the file goes on with its text, *same* when the import
is the file's own, too, in its *place* when this restores the original file up to there. Without an import it is *other*: right or not.
`--curve` shows the effect of other thresholds.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from suture import model
from suture.lsp_server.completion.judging import policy
from suture.lsp_server.completion.judging.hidden import Hidden
from suture.parser.importing import inserted
from suture.parser.languages.python.import_lines import ImportLine, read_top, statement_of
from suture.training.editing_places import EditingPlace, File

from .places import Asker
from .reserved_files import files_in, trained_on

_THRESHOLDS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True)
class Use:
    """The first use of a name, in a file without its import."""

    file: File
    name: str
    statement: str
    left: str
    whole: str
    """the file up to there with the import"""
    rest: str
    """the file's continuation"""


@dataclass(frozen=True)
class Result:
    """The suggestion at a use."""

    path: str
    name: str
    shown: str
    imports: tuple[str, ...]
    right: bool
    same: bool
    in_place: bool
    probability: float
    ms: float


def uses(file: File, typed: int) -> Iterator[Use]:
    """The first uses of names imported alone in a statement, one below another."""
    text = file.text
    try:
        names = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)]
    except (SyntaxError, ValueError, RecursionError):
        return
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for line in read_top(text, len(text)).lines:
        import_of = _alone(text, line)
        if import_of is None:
            continue
        name, statement = import_of
        used = [node for node in names if node.id == name]
        if not used or not text.isascii():
            continue
        first = min(starts[node.lineno - 1] + node.col_offset for node in used)
        if first > line.end:
            offset = first + min(typed, len(name) - 1)
            left = text[: line.begin] + text[line.end : offset]
            yield Use(file, name, statement, left, text[:offset], text[offset:])


def _alone(text: str, line: ImportLine) -> tuple[str, str] | None:
    """(the name bound by an import, the statement), for a single name."""
    if line.is_from:
        member = line.members[0] if len(line.members) == 1 else None
        return None if member is None else (member.here, statement_of(line.module, member.name, member.here))
    words = text[line.begin : line.end].split()
    if len(words) == 2 and "." not in words[1] and "," not in words[1]:
        return words[1], f"import {words[1]}"
    return (words[3], " ".join(words)) if len(words) == 4 and words[2] == "as" else None


def ask(asker: Asker, use: Use, where: EditingPlace, on: bool) -> Result:
    """Make an automatic request at a place."""
    place = replace(asker.place(where), text=use.left, offset=len(use.left), imports=on)
    started = time.perf_counter()
    outcome = asker.engine.suggest(place, lambda: False)
    ms = (time.perf_counter() - started) * 1e3
    asker.engine.sessions.forget(place.document)
    if isinstance(outcome, Hidden):
        return Result(use.file.path, use.name, "", (), False, False, False, 0.0, ms)
    shown = outcome.to_cursor
    in_place = bool(outcome.edits) and inserted(use.left, outcome.edits) == use.whole
    same = outcome.imports == (use.statement,)
    return Result(
        use.file.path,
        use.name,
        shown,
        outcome.imports,
        use.rest.startswith(shown),
        same,
        in_place,
        outcome.probability,
        ms,
    )


def summary(results: Sequence[Result]) -> str:
    """The results in a line."""
    needy = [result for result in results if result.imports]
    other = [result for result in results if result.shown and not result.imports]
    counts = Counter(
        right=sum(result.right for result in needy),
        same=sum(result.right and result.same for result in needy),
        place=sum(result.in_place for result in needy),
    )
    times = sorted(result.ms for result in results)
    return (
        f"{len(results)} places: {len(needy)} with an import, {counts['right']} right, {counts['same']} with the same import, "
        f"{counts['place']} in its place; {len(other)} others, {sum(result.right for result in other)} right; "
        f"ms p50 {times[len(times) // 2]:.0f}, p95 {times[int(len(times) * 0.95)]:.0f}"
    )


def main() -> int:
    """Print the suggestions with imports and without."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--sources", type=Path, required=True, help="a folder of archives or projects")
    arguments.add_argument("--model", default=None, help="a model's folder; the embedded model when not given")
    arguments.add_argument("--count", type=int, default=400)
    arguments.add_argument("--typed", type=int, default=0, help="letters of the name that are written")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--without", action="store_true", help="also ask without imports")
    arguments.add_argument("--curve", action="store_true", help="what other thresholds would do")
    arguments.add_argument("--json", type=Path, default=None, help="write what was shown at each place")
    options = arguments.parse_args()
    card = Path(options.model) if options.model else Path(str(model.__file__)).parent / "embedded"
    files = files_in(options.sources, trained_on(card))
    all_uses = [use for file in files for use in uses(file, options.typed)]
    chosen = random.Random(options.seed).sample(all_uses, min(options.count, len(all_uses)))
    if options.curve:
        policy.WITH_IMPORT = min(_THRESHOLDS)
    with tempfile.TemporaryDirectory() as root:
        asker = Asker(options.model, files, Path(root))
        for on in (True, False) if options.without else (True,):
            results = [ask(asker, use, EditingPlace("import", use.file, 0, 0, 0), on) for use in chosen]
            print(f"imports {'on' if on else 'off'}: {summary(results)}", flush=True)
            if on and options.curve:
                for least in _THRESHOLDS:
                    kept = [result for result in results if result.imports and result.probability >= least]
                    right = sum(result.right for result in kept)
                    print(f"  from {least}: {len(kept)} with an import, {right} right")
            if on and options.json:
                options.json.write_text(
                    json.dumps([asdict(result) for result in results], indent=1) + "\n", encoding="utf-8"
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
