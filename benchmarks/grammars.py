"""Users' grammar files: the cost of a hole, a keystroke and a bridge, at random cuts of a text in each.

    python -m benchmarks.grammars [--holes 100] [--seed 1] [--folder FOLDER] [NAME ...]

The grammars and texts are those of tests/data/grammars, or NAME.lark and NAME.txt of another folder. Processor time of the thread; the engine meets each text for the first time
and garbage collection is off.
"""

from __future__ import annotations

import argparse
import gc
import random
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from suture.parser import load_language
from suture.parser.engine_runtime import EngineRuntime

_FOLDER = Path(__file__).parents[1] / "tests" / "data" / "grammars"


def _p99(values: Sequence[float]) -> float:
    return sorted(values)[min(len(values) - 1, len(values) * 99 // 100)]


def main() -> int:
    """Print a row for each grammar."""
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.grammars")
    arguments.add_argument("names", nargs="*")
    arguments.add_argument("--holes", type=int, default=100)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--folder", type=Path, default=_FOLDER)
    options = arguments.parse_args()
    gc.disable()
    print(
        "| grammar | states | first hole, ms | hole: median, p99 | keystroke: median, p99 | bridge: median, p99 | without one |"
    )
    print("| --- | --: | --: | --: | --: | --: | --: |")
    for path in sorted(options.folder.glob("*.lark")):
        if options.names and path.stem not in options.names:
            continue
        _measure(path, options.holes, random.Random(options.seed))
    return 0


def _measure(path: Path, count: int, rng: random.Random) -> None:
    text = path.with_suffix(".txt").read_text(encoding="utf-8")
    language = load_language(path.stem, path)
    runtime = language.runtime()
    assert isinstance(runtime, EngineRuntime)
    states = len(runtime.engine.factory.tables.shift)
    session = language.session()
    holes: list[float] = []
    keys: list[float] = []
    bridges: list[float] = []
    missing = 0
    for _ in range(count):
        begin = rng.randrange(len(text))
        end = min(len(text), begin + rng.randrange(1, 60))
        start = time.thread_time()
        state = session.hole(text[:begin] + text[end:], begin).state
        holes.append((time.thread_time() - start) * 1e3)
        assert state is not None
        start = time.thread_time()
        missing += not state.bridges()
        bridges.append((time.thread_time() - start) * 1e3)
        for char in text[begin:end]:
            start = time.thread_time()
            after = state.advance(char)
            keys.append((time.thread_time() - start) * 1e3)
            assert after is not None
            state = after
    cells = (f"{statistics.median(values):.2f}, {_p99(values):.1f}" for values in (holes, keys, bridges))
    print(f"| {path.stem} | {states} | {holes[0]:.0f} | {' | '.join(cells)} | {missing} of {count} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
