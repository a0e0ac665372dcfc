"""The memory of the process with the model and the engine: `python -m benchmarks.memory`.

Two parts, each in a process of its own:

lengths      prompts of every length from 16 to 999 tokens, each once; resident memory before and after
editing      an hour of hard editing as fast as the machine goes: one request for each second of it, in documents of up to 400,000
             characters, and a pause every five minutes, in which the process does what the server does then; resident memory as it goes

--requests sets the length of the editing: 3,600 requests are an hour.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.runtime.supervisor import TIDY_LATEST_S
from suture.lsp_server.settings.spec import Settings
from suture.model import load
from suture.parser import freeze_garbage
from suture.parser.language import release_retired

from tests.support.editing import Buffer, Step, files_of_the_library, made_up

LIMIT_MB = 600
IDLE_S = 0.05
"""The idle seconds between two requests: a small part of the rest of each second."""
_SIZES = (
    400_000,
    250_000,
    100_000,
    60_000,
    30_000,
    30_000,
    10_000,
    10_000,
)  # characters of the edited documents


def rss_mb() -> float:
    """The resident memory of this process; nan where the system does not tell."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return float("nan")
    match = re.search(r"VmRSS:\s+(\d+)", status)
    return int(match[1]) / 1024 if match else float("nan")


def lengths(step: int) -> None:
    """Read a prompt of each length."""
    runtime = load(copying=False).runtime
    ids = Random(1).choices(range(300, 7000), k=999)
    before = rss_mb()
    for length in range(16, 1000, step):
        runtime.crop(0)
        runtime.prefill(ids[:length])
    print(f"{len(range(16, 1000, step))} lengths: {before:.0f} MB before, {rss_mb():.0f} MB after", flush=True)


def _spread(values: Sequence[float]) -> str:
    ordered = sorted(values)
    return f"{statistics.median(ordered):.3g} (p99 {ordered[int(0.99 * len(ordered))]:.3g})"


def editing(requests: int, seed: int) -> None:
    """Edit several documents, and ask after each step."""
    random = Random(seed)
    engine = CompletionEngine(Settings(certainty=0.0))
    engine.keeper.load()
    engine.sessions.prepare("python")
    freeze_garbage()
    sources = [path.read_text("utf-8") for path in files_of_the_library(random, 60)]
    opened: list[tuple[str, Buffer, object]] = []
    for number, size in enumerate(_SIZES):
        text = ""
        while len(text) < size:
            text += random.choice(sources)
        buffer = Buffer(text[: text.rindex("\n", 0, size) + 1])
        opened.append((f"/edited/{number}.py", buffer, made_up(buffer, Random(seed + number))))
    before, most = rss_mb(), 0.0
    waits: list[float] = []
    began, here = time.process_time(), opened[0]
    done = 0
    while done < requests:
        here = random.choice(opened) if random.random() < 0.05 else here
        path, buffer, steps = here
        step: Step = next(steps)  # type: ignore[call-overload]
        buffer.apply(step.edits)
        if step.cursor is None:
            continue
        started = time.thread_time()
        engine.suggest(CursorContext(path, "python", buffer.text, step.cursor, path=path), lambda: False)
        waits.append(1e3 * (time.thread_time() - started))
        done += 1
        most = max(most, rss_mb())
        _idle(IDLE_S)
        if done % TIDY_LATEST_S == 0:
            _idle(10)
            engine.keeper.tidy()
        if done % (requests // 12) == 0:
            print(f"  after {done} requests: {rss_mb():.0f} MB, at most {most:.0f}", flush=True)
    spent = time.process_time() - began
    print(
        f"{requests} requests in {spent:.0f} s of processor time: {before:.0f} MB before, {rss_mb():.0f} after, at most {most:.0f}"
    )
    print(
        f"  time of a request on its thread: {_spread(waits)} ms; {'below' if most < LIMIT_MB else 'OVER'} {LIMIT_MB} MB"
    )


def _idle(seconds: float) -> None:
    """Do the server's work between two requests: free retired engines."""
    until = time.perf_counter() + seconds
    release_retired(lambda: time.perf_counter() > until)


def main() -> None:
    """Run the parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="?", choices=("lengths", "editing"), help="one of them alone")
    parser.add_argument("--requests", type=int, default=3600)
    parser.add_argument("--step", type=int, default=1, help="of the lengths")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    if chosen.part == "lengths":
        lengths(chosen.step)
    elif chosen.part == "editing":
        editing(chosen.requests, chosen.seed)
    else:
        for part in ("lengths", "editing"):
            subprocess.run([sys.executable, "-m", "benchmarks.memory", part, *sys.argv[1:]], check=True)


if __name__ == "__main__":
    main()
