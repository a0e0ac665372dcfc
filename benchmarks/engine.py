"""Times of the engine on Python files of growing size, beside `ast.parse` and the prototype: `python -m benchmarks.engine`.

Each size is one text, put together from standard library files. Times are of the thread (other processes do not count, the
clock itself costs some 0.3 microseconds); each tool runs in a process of its own. "elsewhere" inserts a character at a random
place, which mostly breaks the file; "membership" is asked after each character of the text behind the cursor.
The prototype (a folder, --prototype or SUTURE_PROTOTYPE) knows no sessions: what it has nothing to put beside stays empty.
"""

from __future__ import annotations

import argparse
import ast
import gc
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from suture.parser import Language, freeze_garbage
from suture.parser.languages.python.language import DEFAULT_VERSION, new_runtime

from tests.support.oracle_python import parses, stdlib_sources

SIZES = (2_000, 20_000, 100_000, 400_000)
PROTOTYPE = Path(__file__).parent.parent.parent / "shared" / "prototype"
_COLD = 3
"""Times that a file is opened with an empty engine."""
_TYPED = "value = f(x"
Times = dict[str, list[float]]


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


class Clock:
    """Times in microseconds by what was done, and the pauses of garbage collection."""

    def __init__(self) -> None:
        self.times: Times = {}
        self._pause = 0.0
        gc.callbacks.append(self._collected)

    def __call__(self, name: str, work: Callable[[], Any]) -> Any:
        start = time.thread_time()
        result = work()
        self.times.setdefault(name, []).append((time.thread_time() - start) * 1e6)
        return result

    def _collected(self, phase: str, _: object) -> None:
        if phase == "start":
            self._pause = time.thread_time()
        else:
            self.times.setdefault("pause of garbage collection", []).append((time.thread_time() - self._pause) * 1e6)


def resident() -> float:
    """Megabytes of memory in use."""
    pages = Path("/proc/self/statm")
    return int(pages.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6 if pages.exists() else 0.0


def of_suture(text: str, rounds: int, rng: random.Random, clock: Clock) -> float:
    """Measure this engine; megabytes that one opened document takes."""
    freeze_garbage()
    used = 0.0
    for _ in range(_COLD):
        language = Language("python", DEFAULT_VERSION, lambda: new_runtime(DEFAULT_VERSION))
        language.hole("", "")
        before, session, cursor = resident(), language.session(), len(text) // 2
        clock("open: left context", lambda s=session, c=cursor: s.hole(text[:c], c))
        clock("open: right context", lambda s=session, c=cursor: s.hole(text, c))
        used = used or resident() - before
    for _ in range(rounds):
        cursor = rng.randrange(len(text) - 60)
        clock("cursor jump", lambda at=cursor: session.hole(text, at))
        typed = text
        for i, char in enumerate(_TYPED):
            typed = typed[: cursor + i] + char + typed[cursor + i :]
            clock("keystroke at the cursor", lambda at=cursor + i + 1, now=typed: session.hole(now, at))
        state = session.hole(text, cursor).state
        if state is None:
            continue
        token = state
        for at in range(cursor, cursor + 40):
            state = clock("character", lambda s=state, c=text[at]: s.advance(c))
            clock("membership", lambda s=state: s.complete)
        for at in range(cursor, cursor + 40, 4):
            token = clock("4-character token", lambda s=token, t=text[at : at + 4]: s.advance(t))
        clock("bridge", lambda s=state: s.bridges())
        for name, place in (("above", rng.randrange(cursor + 1)), ("below", rng.randrange(cursor, len(text)))):
            edited = text[:place] + "x" + text[place:]
            clock(f"edit elsewhere, {name}", lambda t=edited, at=cursor + (name == "above"): session.hole(t, at))
            clock("and back again", lambda at=cursor: session.hole(text, at))
    return used


def of_prototype(text: str, rounds: int, rng: random.Random, clock: Clock, folder: Path) -> float:
    """Measure the prototype in a folder."""
    sys.path.insert(0, str(folder))
    import quotient as q  # type: ignore[import-not-found]

    used = 0.0
    for _ in range(_COLD):
        q.reset()
        before, cursor = resident(), len(text) // 2
        left = clock("open: left context", lambda c=cursor: q.read_bulk(text[:c]))
        right = clock("open: right context", lambda c=cursor, s=left: _prepared(q.SuffixContext(text[c:]), s))
        used = used or resident() - before
    for _ in range(rounds):
        cursor = rng.randrange(len(text) - 60)
        token = state = q.read_bulk(text[:cursor])
        right = q.SuffixContext(text[cursor:])
        right.member(state)
        for at in range(cursor, cursor + 40):
            state = clock("character", lambda s=state, c=text[at]: q.read(s, c))
            clock("membership", lambda s=state, r=right: r.member(s))
        for at in range(cursor, cursor + 40, 4):
            token = clock("4-character token", lambda s=token, t=text[at : at + 4]: _read(q, s, t))
    return used


def _prepared(right: Any, state: Any) -> Any:
    right.member(state)
    return right


def _read(q: Any, state: Any, text: str) -> Any:
    for char in text:
        state = q.read(state, char)
    return state


def of_ast(text: str, rounds: int, clock: Clock) -> None:
    """Measure what checking by parsing the whole again would cost for each character."""
    for _ in range(min(rounds, 5)):
        clock("membership", lambda: ast.parse(text))


def measured(tool: str, size: int, rounds: int, seed: int, prototype: Path) -> dict[str, Any]:
    """Times and memory of one tool at one size, in this process."""
    text = text_of(size, random.Random(seed)).replace("\r\n", "\n").replace("\r", "\n")
    rng, clock, memory = random.Random(seed), Clock(), 0.0
    if tool == "suture":
        memory = of_suture(text, rounds, rng, clock)
    elif tool == "prototype":
        memory = of_prototype(text, rounds, rng, clock, prototype)
    else:
        of_ast(text, rounds, clock)
    return {"characters": len(text), "times": clock.times, "memory": memory}


def _cell(values: list[float] | None, what: Callable[[list[float]], float]) -> str:
    return f"{what(values) / 1e3:10.4f}" if values else " " * 10


def _p99(values: list[float]) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * 0.99))]


def show(found: dict[str, dict[str, Any]]) -> None:
    """A table of one size."""
    print(f"\n{found['suture']['characters']:,} characters, milliseconds (median, p99)\n")
    print("| " + " " * 28 + "".join(f" | {tool:^22}" for tool in found) + " | times |")
    print("| " + "-" * 28 + " | ---------: | --------: " * len(found) + "| ----: |")
    for name in dict.fromkeys(name for tool in found.values() for name in tool["times"]):
        cells = [
            f" | {_cell(tool['times'].get(name), statistics.median)} | {_cell(tool['times'].get(name), _p99)}"
            for tool in found.values()
        ]
        print(f"| {name:28}{''.join(cells)} | {len(found['suture']['times'].get(name, ())):5} |")
    print(
        f"| {'memory, MB':28}"
        + "".join(f" | {tool['memory']:10.1f} | {'':10}" for tool in found.values())
        + " |       |"
    )


def main() -> int:
    """Print a table a size."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    arguments.add_argument("--rounds", type=int, default=20)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    folder = Path(os.environ.get("SUTURE_PROTOTYPE", PROTOTYPE))
    arguments.add_argument(
        "--prototype", type=Path, default=folder, help="folder of the prototype; skipped when absent"
    )
    arguments.add_argument("--tool", help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.tool:
        print(json.dumps(measured(options.tool, options.sizes[0], options.rounds, options.seed, options.prototype)))
        return 0
    tools = ["suture", "prototype", "ast"]
    if not (options.prototype / "quotient.py").exists():
        print("the prototype is not there, and left out")
        tools.remove("prototype")
    for size in options.sizes:
        command = [sys.executable, "-m", "benchmarks.engine", "--sizes", str(size), "--rounds", str(options.rounds)]
        command += ["--seed", str(options.seed), "--prototype", str(options.prototype.absolute()), "--tool"]
        runs = {tool: subprocess.run([*command, tool], capture_output=True, text=True, check=True) for tool in tools}
        show({tool: json.loads(run.stdout.splitlines()[-1]) for tool, run in runs.items()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
