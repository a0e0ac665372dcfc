"""Sessions in broken files, like an editor's: a file is broken in some places, edited elsewhere, and mended, with either end of lines.

    python -m tests.fuzz.views --language python --minutes 5 --seed 1

In any order of questions, a view hides nothing of a valid file, nothing behind the cursor in its line, and nothing within a line end; and a
text viable in a new session without doubts is viable in the edited one.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from suture.common.line_ends import line_span
from suture.parser import Hole, language

from benchmarks.broken_names import BREAKAGES, TYPESCRIPT, break_elsewhere, is_valid

from ..support.oracle_python import stdlib_sources
from . import go, typescript

_LONGEST = 6_000
_STEPS = 8
LANGUAGES = ("python", "go", "typescript")


def texts(name: str, rng: random.Random) -> Iterator[str]:
    """Valid files of a language, endlessly."""
    while True:
        if name == "python":
            yield from stdlib_sources(rng, 10, _LONGEST)
            continue
        path = rng.choice(go.library() if name == "go" else typescript.sources("ts", (100, _LONGEST)))
        text = path.read_text("utf-8", "replace")
        if 100 < len(text) <= _LONGEST and "\r" not in text:
            yield text


def steps(text: str, name: str, rng: random.Random) -> Iterator[tuple[str, int]]:
    """The steps of breaking, editing and mending a file: (text, cursor)."""
    breakages, versions, end = BREAKAGES.get(name, TYPESCRIPT), [text], "\n"
    offset = rng.randrange(len(text) + 1)
    for _ in range(_STEPS):
        left, right = versions[-1][:offset], versions[-1][offset:]
        action = rng.choice(("break", "break", "mend", "type", "type", "delete", "move", "ends"))
        if action == "break":
            left, right, _ = break_elsewhere(left, right, breakages, 1, rng)
        elif action == "mend":
            left, right = versions[0][: len(left)], versions[0][len(left) :]
        elif action == "type":
            left += rng.choice(("x", "x.", "(", '"', "\n", "if x", "x = ", "return x", "}", ")"))
        elif action == "delete":
            left = left[: -rng.randrange(1, 8)]
        elif action == "ends":
            end = "\r\n" if end == "\n" else "\n"
        versions.append(left + right)
        offset = rng.randrange(len(versions[-1]) + 1) if action == "move" else len(left)
        head = versions[-1][:offset].replace("\n", end)
        yield head + versions[-1][offset:].replace("\n", end), len(head)


def fault(hole: Hole, text: str, offset: int, name: str) -> str:
    """The fault of a hole; "" without one."""
    _, stop = line_span(text, offset)
    before = 0
    for begin, end in hole.hidden:
        if not before <= begin <= end <= len(text):
            return "hidden pieces overlap"
        if begin < stop and end > offset:
            return "the rest of the cursor's line is hidden"
        if any(text[at - 1 : at + 1] == "\r\n" for at in (begin, end)):
            return "a piece ends within the end of a line"
        before = end
    if hole.hidden and is_valid(text, name):
        return "something of a valid file is hidden"
    return ""


def faults(name: str, text: str, rng: random.Random) -> Iterator[tuple[str, str, int]]:
    """(fault, text, cursor) of the steps of one session."""
    session = language(name).session(Path("/nowhere/file"))
    session.doubts = True
    for step, offset in steps(text, name, rng):
        hole = session.hole(step, offset, level="names")
        said = fault(hole, step, offset, name)
        if not said and not hole.viable:
            said = fault(session.mended(hole, step, offset, level="names"), step, offset, name)
        if not said and hole.state is None and language(name).hole(step[:offset], step[offset:]).viable:
            said = "there is no state of a viable text"
        if said:
            yield said, step, offset
        if rng.random() < 0.3:
            session.foresee(step)


def main() -> int:
    """Print the faults; exit status 1 for any."""
    arguments = argparse.ArgumentParser(prog="python -m tests.fuzz.views", description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--language", choices=LANGUAGES, default="python")
    arguments.add_argument("--minutes", type=float, default=5.0)
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    rng, end, sessions, wrong = random.Random(options.seed), time.monotonic() + 60 * options.minutes, 0, 0
    for text in texts(options.language, rng):
        if time.monotonic() > end:
            break
        sessions += 1
        for said, step, offset in faults(options.language, text, rng):
            wrong += 1
            print(f"----- {said}\n{step[max(0, offset - 300) : offset]}<|>{step[offset : offset + 300]}", flush=True)
    print(f"{sessions} sessions, {wrong} faults")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
