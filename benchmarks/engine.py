"""Times of the engine on Python files of growing size: `python -m benchmarks.engine`.

Each size is one text, put together from standard library files (functions and classes of several, one after another). Beside it,
what CPython's own parser needs for the whole text: what a check by parsing again would cost for each character.
"""

from __future__ import annotations

import argparse
import ast
import random
import statistics
import sys
import time
from collections.abc import Callable

from suture.parser import freeze_garbage, language

from tests.oracle_python import parses, stdlib_sources

SIZES = (2_000, 20_000, 100_000, 400_000)


def text_of(size: int, rng: random.Random) -> str:
    """A valid file of about this many characters."""
    parts: list[str] = []
    for source in stdlib_sources(rng, 400, 60_000):
        if "from __future__" not in source and sum(map(len, parts)) < size:
            parts.append(source[: max(2_000, size)])
            while not parses("\n".join(parts)):
                cut = parts[-1].rfind("\n\n\n", 0, len(parts[-1]) - 1)
                if cut <= 0:
                    parts.pop()
                    break
                parts[-1] = parts[-1][: cut + 1]
    return "\n".join(parts)


def timed(work: Callable[[], object], into: list[float]) -> object:
    """What work gives; its time in microseconds is added to a list."""
    start = time.perf_counter()
    result = work()
    into.append((time.perf_counter() - start) * 1e6)
    return result


def measure(size: int, rounds: int, seed: int) -> dict[str, list[float]]:
    """Microseconds by what was done."""
    rng = random.Random(seed)
    text = text_of(size, rng)
    times: dict[str, list[float]] = {}
    keep = times.setdefault
    for _ in range(3):
        timed(lambda: ast.parse(text), keep("ast.parse of the whole", []))
    python = language("python")
    session = python.session()
    cursor = rng.randrange(len(text))
    timed(lambda: session.hole(text, cursor), keep("open, both contexts", []))
    freeze_garbage()
    for _ in range(rounds):
        cursor = rng.randrange(len(text) - 60)
        timed(lambda at=cursor: session.hole(text, at), keep("cursor jump", []))
        typed = text
        for i, char in enumerate("value = f(x"):
            typed = typed[: cursor + i] + char + typed[cursor + i :]
            timed(lambda at=cursor + i + 1, now=typed: session.hole(now, at), keep("keystroke at the cursor", []))
        state = session.hole(text, cursor).state
        if state is None:
            continue
        for at in range(cursor, cursor + 40, 4):
            piece = text[at : at + 4]
            after = timed(lambda s=state, p=piece: s.advance(p), keep("4-character token", []))
            assert after is not None
            timed(lambda s=after: s.complete, keep("may it end here", []))
            state = after
        timed(lambda s=state: s.bridges(), keep("bridge", []))
        elsewhere = rng.randrange(len(text))
        edited = text[:elsewhere] + "x" + text[elsewhere:]
        timed(lambda now=edited, at=cursor: session.hole(now, at), keep("edit elsewhere", []))
        session.hole(text, cursor)
    return times


def main() -> int:
    """Print a table a size."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    arguments.add_argument("--rounds", type=int, default=20)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    options = arguments.parse_args()
    for size in options.sizes:
        times = measure(size, options.rounds, options.seed)
        print(f"\n{size:,} characters, milliseconds\n")
        print(f"| {'':26} |    median |       p99 |   times |\n| {'-' * 26} | --------: | --------: | ------: |")
        for name, values in times.items():
            last = sorted(values)[min(len(values) - 1, int(len(values) * 0.99))]
            print(f"| {name:26} | {statistics.median(values) / 1e3:9.4f} | {last / 1e3:9.3f} | {len(values):7} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
