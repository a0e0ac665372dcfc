"""The memory of the process that runs the model and the engine: `python -m benchmarks.memory`.

Three parts, each in processes of its own:

lengths      prompts of every length from 16 to 999 tokens, each once; resident memory before and after, as it is and with rows
             of products that are not rounded up (`row_bucket`)
rounding     the same prompts with rounded rows and without, alternately: the largest difference of a logit beside that of
             float32, how often the most probable token is another one, processor time, and the texts suggested in real holes
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

import numpy as np
from suture.lsp_server.completion.pipeline import CompletionEngine, CursorContext
from suture.lsp_server.completion.suggestion import suggest
from suture.lsp_server.runtime.supervisor import TIDY_LATEST_S
from suture.lsp_server.settings.spec import Settings
from suture.model import Options, load
from suture.model.runtime import llama
from suture.parser import freeze_garbage, language
from suture.parser.language import release_retired

from tests.support.editing import Buffer, Step, files_of_the_library, made_up

LIMIT_MB = 600
IDLE_S = 0.05
"""Seconds between two requests in which the server has nothing else to do: a small part of what is left of each second."""
_SIZES = (
    400_000,
    250_000,
    100_000,
    60_000,
    30_000,
    30_000,
    10_000,
    10_000,
)  # characters of the documents that are edited


def rss_mb() -> float:
    """The resident memory of this process; nan where the system does not say."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return float("nan")
    found = re.search(r"VmRSS:\s+(\d+)", status)
    return int(found[1]) / 1024 if found else float("nan")


def unrounded(rows: int) -> int:
    """The number of rows as it is."""
    return rows


def lengths(rounded: bool, step: int) -> None:
    """Read a prompt of each length."""
    if not rounded:
        llama.row_bucket = unrounded
    runtime = load(copying=False).runtime
    ids = Random(1).choices(range(300, 7000), k=999)
    before = rss_mb()
    for length in range(16, 1000, step):
        runtime.crop(0)
        runtime.prefill(ids[:length])
    how = "rounded up" if rounded else "as they are"
    print(
        f"{len(range(16, 1000, step))} lengths, rows {how}: {before:.0f} MB before, {rss_mb():.0f} MB after", flush=True
    )


def rounding(holes: int) -> None:
    """Compare rounded rows with those that are not."""
    random = Random(2)
    model = load(copying=False)
    exact = load(copying=False, dtype="float32").runtime
    runtime = model.runtime
    bucket = llama.row_bucket
    text = "".join(path.read_text("utf-8") for path in files_of_the_library(random, 6))
    ids = model.vocabulary.encode(text[:200_000])
    off, beside, other, times = [], [], 0, {True: [], False: []}
    shapes = [(random.randrange(0, 700), random.randrange(16, 300)) for _ in range(300)]
    for past, new in shapes:
        start = random.randrange(len(ids) - 1000)
        prompt = ids[start : start + past + new]
        logits: dict[bool, np.ndarray] = {}
        for rounded in random.sample((True, False), 2):
            llama.row_bucket = bucket if rounded else unrounded
            runtime.crop(0)
            if past:
                runtime.prefill(prompt[:past])
            began = time.process_time()
            logits[rounded] = runtime.prefill(prompt)
            times[rounded].append(1e3 * (time.process_time() - began))
        exact.crop(0)
        true = exact.prefill(prompt)
        off.append(float(np.abs(logits[True] - logits[False]).max()))
        beside.append(float(np.abs(logits[False] - true).max()))
        other += int(logits[True].argmax() != logits[False].argmax())
    print(f"{len(shapes)} prompts of 16 to 299 new tokens after up to 700 that are cached")
    print(f"  a logit differs by at most {_spread(off)}; from float32, unrounded: {_spread(beside)}")
    print(f"  the most probable token is another one in {other}")
    for rounded, measured in times.items():
        print(f"  processor time, {'rounded' if rounded else 'as they are'}: {_spread(measured)} ms")
    texts: dict[bool, list[str]] = {}
    places = [(path.read_text("utf-8"), random.random()) for path in files_of_the_library(random, holes)]
    mixed = load()
    for rounded in (True, False):
        llama.row_bucket = bucket if rounded else unrounded
        texts[rounded] = []
        session = language("python").session()
        for text, share in places:
            offset = int(share * len(text))
            found = suggest(text, offset, session, mixed, Options(), lambda: False)
            texts[rounded].append("" if found is None else found.text)
    same = sum(map(str.__eq__, texts[True], texts[False]))
    print(f"  {same} of {len(places)} suggestions in the standard library are the same text", flush=True)


def _spread(values: Sequence[float]) -> str:
    ordered = sorted(values)
    return f"{statistics.median(ordered):.3g} (p99 {ordered[int(0.99 * len(ordered))]:.3g})"


def editing(requests: int, seed: int) -> None:
    """Edit several documents, and ask after each step."""
    random = Random(seed)
    engine = CompletionEngine(Settings(certainty=0.0))
    engine.load()
    engine.prepare("python")
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
            engine.tidy()
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
    """Do what the server does between two requests: it takes apart what is not used any more."""
    until = time.perf_counter() + seconds
    release_retired(lambda: time.perf_counter() > until)


def main() -> None:
    """Run the parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="?", choices=("lengths", "rounding", "editing"), help="one of them alone")
    parser.add_argument("--requests", type=int, default=3600)
    parser.add_argument("--step", type=int, default=1, help="of the lengths")
    parser.add_argument("--holes", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--unrounded", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.part == "lengths":
        lengths(not chosen.unrounded, chosen.step)
    elif chosen.part == "rounding":
        rounding(chosen.holes)
    elif chosen.part == "editing":
        editing(chosen.requests, chosen.seed)
    else:
        for more in (["lengths"], ["lengths", "--unrounded"], ["rounding"], ["editing"]):
            subprocess.run([sys.executable, "-m", "benchmarks.memory", *more, *sys.argv[1:]], check=True)


if __name__ == "__main__":
    main()
