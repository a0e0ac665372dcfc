"""Valid files from which one piece is cut, as when it is to be written anew: nothing is broken, so nothing is hidden, and the piece is taken.

python -m tests.fuzz.spans --language go --sources FOLDER --places 600 --seed 1
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from suture.common.line_ends import line_span
from suture.parser import language

from benchmarks.broken_names import is_valid, sources, taken

LANGUAGES = ("python", "go", "typescript", "typescriptreact", "javascript")
_LONGEST = 12_000
_LONGEST_PIECE = 12
_MOST_LINES = 4
_MOST_CUT = 300
_CLOSERS = re.compile(r"(?:/?>|[)\]}]+|\"\"\"|'''|`)[;,]?")
_OPENERS = re.compile(r"[(\[{<]|\"\"\"|'''|`")


class Cut(NamedTuple):
    """A piece of a text, from start to end, that is cut; kind: see CUTS."""

    kind: str
    start: int
    end: int


def _rest(text: str, at: int, rng: random.Random) -> tuple[int, int]:
    """The rest of a line."""
    return at, line_span(text, at)[1]


def _line(text: str, at: int, rng: random.Random) -> tuple[int, int]:
    """A line, with none of its indentation, or with some."""
    start, end = line_span(text, at)
    body = end - len(text[start:end].lstrip())
    return rng.choice((body, body, rng.randint(start, body))), end


def _piece(text: str, at: int, rng: random.Random) -> tuple[int, int]:
    """Some characters of a line."""
    end = line_span(text, at)[1]
    return at, min(end, at + rng.randint(1, _LONGEST_PIECE))


def _from(pattern: re.Pattern[str]) -> Callable[[str, int, random.Random], tuple[int, int]]:
    """The first piece of a pattern behind a place, alone or with the rest of its line."""

    def cut(text: str, at: int, rng: random.Random) -> tuple[int, int]:
        match = pattern.search(text, at)
        if match is None:
            return at, at
        return match.start(), rng.choice((match.end(), line_span(text, match.end())[1]))

    return cut


def _lines(text: str, at: int, rng: random.Random) -> tuple[int, int]:
    """Some lines, the first from a place in it or from its beginning."""
    start, end = rng.choice((_rest, _line))(text, at, rng)
    for _ in range(rng.randrange(1, _MOST_LINES)):
        end = line_span(text, min(len(text), end + 1))[1]
    return start, end


CUTS: dict[str, Callable[[str, int, random.Random], tuple[int, int]]] = {
    "rest": _rest,
    "line": _line,
    "piece": _piece,
    "closers": _from(_CLOSERS),
    "openers": _from(_OPENERS),
    "lines": _lines,
}


def cuts(text: str, rng: random.Random) -> Iterator[Cut]:
    """A cut of each kind, where the place that is drawn has one."""
    for kind, cut in CUTS.items():
        start, end = cut(text, rng.randrange(len(text)), rng)
        if text[start:end].strip() and end - start <= _MOST_CUT:
            yield Cut(kind, start, end)


def fault(name: str, text: str, cut: Cut, path: Path = Path("/nowhere/file")) -> str:
    """What is wrong with the hole that a cut leaves; "" where nothing is."""
    left, piece, right = text[: cut.start], text[cut.start : cut.end], text[cut.end :]
    session = language(name).session(path)
    session.doubts = True  # as an editor's
    found = session.hole(left + right, len(left), level="syntax")
    if found.hidden:
        return "hidden"
    if not found.viable:
        return "dead"
    hole = session.mended(found, left + right, len(left), level="syntax")
    if hole.hidden:
        return "hidden with closers"
    return "" if taken(hole.state, piece) else "refused"


def main() -> int:
    """Print the faults, and how many places of each kind have one."""
    arguments = argparse.ArgumentParser(prog="python -m tests.fuzz.spans", description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--language", choices=LANGUAGES, default="python")
    arguments.add_argument("--sources", help="a folder of valid files; Python's library unless given")
    arguments.add_argument("--places", type=int, default=600)
    arguments.add_argument("--longest", type=int, default=_LONGEST)
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    rng, counts = random.Random(options.seed), Counter[tuple[str, str]]()
    for text, path in sources(options, rng):
        if counts.total() >= options.places:
            break
        for cut in cuts(text, rng) if is_valid(text, options.language) else ():
            said = fault(options.language, text, cut, path)
            counts[cut.kind, said] += 1
            if said:
                left, piece, right = text[: cut.start], text[cut.start : cut.end], text[cut.end :]
                print(f"----- {said} {cut} {path}\n{left[-300:]}<<<{piece}>>>{right[:300]}", flush=True)
    faults = sorted({said for _, said in counts if said})
    print(f"{'':10}{'places':>8}", *(f"{said:>20}" for said in faults))
    for kind in (*CUTS, ""):
        row = Counter[str]()
        for (one, said), count in counts.items():
            row[said] += count if one == kind or not kind else 0
        print(f"{kind or 'all':10}{row.total():8}", *(f"{row[said]:20}" for said in faults))
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
