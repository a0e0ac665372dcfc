"""The cost of static semantics at the first look at a file: the first hole of each file, its original text, and its end.

    python -m benchmarks.first_hole [--files 40] [--runs 5]

Files of the running Python's standard library (8 to 60 kB, or --longest), the hole from the middle of a line in the middle to its end. Each
level has a process of its own: a first pass reads the files as the first documents, and a second one knows their lines from other documents.
Processor time, of all files together, the least of the runs; garbage collection is off.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
import sysconfig
import time
from collections.abc import Sequence
from pathlib import Path

from suture import parser
from suture.parser import LEVELS, Level


def places(count: int, longest: int = 60_000) -> list[tuple[str, int]]:
    """Texts, each with the offset of a cursor."""
    folder = Path(sysconfig.get_paths()["stdlib"])
    places: list[tuple[str, int]] = []
    for path in sorted(folder.glob("*.py")):
        if 8_000 < path.stat().st_size < longest and len(places) < count:
            text = path.read_text(encoding="utf-8")
            lines = text.splitlines(keepends=True)
            number = len(lines) // 2
            while number + 1 < len(lines) and not lines[number].strip():
                number += 1
            places.append((text, sum(map(len, lines[:number])) + len(lines[number]) // 2))
    return places


def taken_ms(where: Sequence[tuple[str, int]], level: Level) -> float:
    """Milliseconds for the first hole of each file, the rest of the line in it, and whether that is complete."""
    python = parser.language("python", f"{sys.version_info[0]}.{sys.version_info[1]}")
    start = time.process_time()
    for text, offset in where:
        end = text.index("\n", offset)
        state = python.session().hole(text[:offset] + text[end:], offset, level=level).state
        if state is not None and (after := state.advance(text[offset:end])) is not None:
            after.complete  # noqa: B018 (asked for its time)
    return (time.process_time() - start) * 1e3


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--files", type=int, default=40)
    arguments.add_argument("--longest", type=int, default=60_000, help="characters of a file")
    arguments.add_argument("--runs", type=int, default=5, help="of each level, in turn")
    arguments.add_argument("--level", choices=LEVELS, default=None, help="only this one, as JSON")
    options = arguments.parse_args()
    if options.level is not None:
        where = places(options.files, options.longest)
        parser.language("python").hole("x = 1\n", "", level=options.level)
        gc.disable()
        print(json.dumps([taken_ms(where, options.level) for _ in range(2)]))
        return
    print(f"{'level':10}{'first ms':>10}{'ratio':>8}{'again ms':>10}{'ratio':>8}")
    times: dict[Level, list[list[float]]] = {level: [] for level in LEVELS}
    for _ in range(options.runs):
        for level in LEVELS:
            command = [sys.executable, "-m", "benchmarks.first_hole", "--files", str(options.files)]
            command += ["--longest", str(options.longest), "--level", level]
            answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            times[level].append(json.loads(answer))
    base: list[float] = []
    for level, runs in times.items():
        first, again = (min(run[index] for run in runs) for index in range(2))
        base = base or [first, again]
        print(f"{level:10}{first:10.0f}{first / base[0]:8.2f}{again:10.0f}{again / base[1]:8.2f}")


if __name__ == "__main__":
    main()
