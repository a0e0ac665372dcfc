"""Keys in a broken file beside the same keys in the file unbroken: `python -m benchmarks.broken_keys --sizes 24000 416000`.

A few lines of a valid file are taken out and typed again, key by key, with an editor's indentation; the file is valid, or broken in one or
two other places, near the cursor or far. Each key asks for the hole at level "names" and for the pending closers behind it, like the server;
now and then a pause reads the text ahead. Times are of the thread.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Iterator

from suture.parser import Session, freeze_garbage, language
from suture.parser.language import release_retired

from .broken import PYTHON
from .broken_names import PYTHON as PYTHON_KINDS
from .broken_names import break_elsewhere
from .engine import p99, text_of

Times = dict[str, list[float]]
_MOST_LINES = 4
_PAUSE_EVERY = 12
"""The mean number of keys between two pauses."""


def typed(text: str, rng: random.Random) -> tuple[str, str, str]:
    """A valid text in three parts: above some lines, the lines, and below."""
    lines = text.splitlines(keepends=True)
    while True:
        row = rng.randrange(2, len(lines) - _MOST_LINES - 2)
        count = rng.randrange(1, _MOST_LINES + 1)
        middle = "".join(lines[row : row + count])
        if middle.strip() and len(middle) < 300:
            return "".join(lines[:row]), middle, "".join(lines[row + count :])


def keys(middle: str) -> Iterator[tuple[str, str]]:
    """(the row, the beginning typed so far) after each key; an editor indents the next line."""
    done = ""
    while done != middle:
        char = middle[len(done)]
        row = "key"
        if char in "\n" or not done or done.endswith("\n"):
            rest = middle[len(done) + (char == "\n") :]
            char = ("\n" if char == "\n" else "") + rest[: len(rest) - len(rest.lstrip(" \t"))]
            row = "new line"
        if not char:
            char = middle[len(done)]
            row = "key"
        done += char
        if done.endswith("\n") and done == middle:
            return
        yield row, done


def type_in(
    session: Session, parts: tuple[str, str, str], rng: random.Random, times: Times, pauses: list[float]
) -> None:
    """Type the lines between two contexts."""
    above, middle, below = parts
    _pause(session, above + "\n" + below, pauses)
    first = True
    for row, beginning in keys(middle):
        text, offset = above + beginning + "\n" + below, len(above + beginning)
        started = time.thread_time()
        hole = session.hole(text, offset, level="names")
        session.mended(hole, text, offset, level="names")
        times.setdefault("first" if first else row, []).append((time.thread_time() - started) * 1e3)
        first = False
        if not rng.randrange(_PAUSE_EVERY):
            _pause(session, text, pauses)


def _pause(session: Session, text: str, pauses: list[float]) -> None:
    started = time.thread_time()
    release_retired(lambda: False)
    session.foresee(text)
    pauses.append((time.thread_time() - started) * 1e3)


def main() -> int:
    """Print a table for each size."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--sizes", type=int, nargs="*", default=[24_000, 416_000])
    arguments.add_argument("--rounds", type=int, default=20)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--slow", type=float, default=0, help="name keys that take more milliseconds")
    options = arguments.parse_args()
    kinds = {**PYTHON_KINDS, **PYTHON}
    for size in options.sizes:
        rng = random.Random(options.seed)
        text = text_of(size, rng)
        freeze_garbage()
        sessions = [language("python").session() for _ in range(3)]
        for session in sessions:
            session.doubts = True  # as an editor's
        times = [Times() for _ in range(3)]
        pauses = [list[float]() for _ in range(3)]
        for number in range(options.rounds):
            above, middle, below = typed(text, rng)
            seed = rng.random()
            for broken, session in enumerate(sessions):
                left, right, used = break_elsewhere(above + "\n", "\n" + below, kinds, broken, random.Random(seed))
                before = {row: len(each) for row, each in times[broken].items()}
                type_in(session, (left[:-1], middle, right[1:]), random.Random(seed), times[broken], pauses[broken])
                slow = [
                    t for row, each in times[broken].items() for t in each[before.get(row, 0) :] if t > options.slow
                ]
                if options.slow and slow:
                    print(f"round {number} {used}: {' '.join(f'{t:.0f}' for t in slow)}", flush=True)
        print(f"{len(text):,} characters{'':10}{'valid':>22}{'one broken':>22}{'two broken':>22}   ms: median, p99")
        for row in ("key", "new line", "first", "all", "pause"):
            line = f"{row:30}"
            for each, pause in zip(times, pauses, strict=True):
                values = (
                    pause
                    if row == "pause"
                    else [duration for some in each.values() for duration in some]
                    if row == "all"
                    else each.get(row, [0.0])
                )
                line += f"{statistics.median(values):12.2f}{p99(values):10.2f}"
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
