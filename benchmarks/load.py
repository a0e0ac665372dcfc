"""Many completions through llama.cpp's server, by one client or by many at once, each checked: `python -m benchmarks.load`.

Ends of lines are taken out of files of the standard library; each client is a process of its own, like each editor, with its own share of the
places. Requests are for greedy text of up to 16 tokens with 200 tokens of context. A shown text is *valid* if `compile()` accepts the file
with it. `--compare` asks the same model in process, in float32, and counts equal texts. The model is the embedded one in float32, or a GGUF
file. Times are wall-clock times, from a client's request to its whole text; processor times are the server's alone.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from suture import parser
from suture.model import Options, complete, load
from suture.model.loading.find import EMBEDDED
from suture.model.runtime.served.child import Child, ChildSettings, usable_threads
from suture.model.runtime.served.options import ServerOptions

from tests.support.gguf_files import embedded_gguf
from tests.support.oracle_python import stdlib_sources

_KEY = "SUTURE_BENCHMARK_KEY"
_EACH = 10  # places of one file
_LONGEST = 6_000  # characters of a file
_SLOT = 1024  # tokens of the server's cache for each client


@dataclass(frozen=True)
class Place:
    """A hole, opened before anything is timed."""

    left: str
    right: str
    state: Any


@dataclass(frozen=True)
class Answer:
    """The answer at a place."""

    text: str | None
    valid: bool
    ms: float
    drafts: int


def places(count: int, seed: int) -> list[Place]:
    """Ends of lines, ten of each file."""
    rng = random.Random(seed)
    places: list[Place] = []
    for text in stdlib_sources(rng, count // 4 + 4, _LONGEST):
        session = parser.language("python").session()
        session.level = "compile"
        lines = text.splitlines(keepends=True)
        good = [i for i, line in enumerate(lines) if len(line.strip()) > 8 and not line.lstrip().startswith("#")]
        for line in rng.sample(good, min(_EACH, len(good))):
            start, body = sum(map(len, lines[:line])), lines[line].rstrip("\r\n")
            offset = start + rng.randrange(len(body) - len(body.lstrip()) + 1, len(body))
            left, right = text[:offset], text[start + len(body) :]
            state = session.hole(left + right, offset).state
            if state is not None and _compiles(text):
                places.append(Place(left, right, state))
            if len(places) == count:
                return places
    return places


def _compiles(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "x", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


def ask(model: Any, chosen: Sequence[Place]) -> list[Answer]:
    """Complete places one after the other."""
    options = Options(max_tokens=16, max_lines=0, context_tokens=200, copying=False)
    answers: list[Answer] = []
    for place in chosen:
        before = model.runtime.counts.drafts if model.served is not None else 0
        began = time.perf_counter()
        done = complete(model, place.state, place.left, place.right, options)
        took = (time.perf_counter() - began) * 1e3
        drafts = model.runtime.counts.drafts - before if model.served is not None else 0
        text = done.text if done.complete else None  # a text that does not connect is not shown
        answers.append(Answer(text, text is None or _compiles(place.left + text + place.right), took, drafts))
    return answers


def _client(
    address: str, own: dict[str, Any], chosen: Sequence[Place], ready: Any, go: Any, answers: Any, number: int
) -> None:
    model = load(
        f"{address}/v1",
        template=own.get("template"),
        order=own.get("order"),
        server=ServerOptions(key_env=_KEY, tokenizer=own.get("tokenizer")),
    )
    ready.release()
    go.wait()
    answers.put((number, ask(model, chosen)))


def together(child: Child, own: dict[str, Any], chosen: Sequence[Place], clients: int) -> tuple[list[Answer], float]:
    """Share places among clients that start together: the answers in the order of the places, and the seconds for all."""
    context = multiprocessing.get_context("fork")  # the parser's state is shared
    ready, go, answers = context.Semaphore(0), context.Event(), context.Queue()
    processes = [
        context.Process(
            target=_client, args=(child.address, own, chosen[number::clients], ready, go, answers, number), daemon=True
        )
        for number in range(clients)
    ]
    for process in processes:
        process.start()
    for _ in processes:
        if not ready.acquire(timeout=300):
            raise SystemExit("a client did not get ready")
    began = time.perf_counter()
    go.set()
    shares = dict(answers.get(timeout=3600) for _ in processes)
    took = time.perf_counter() - began
    for process in processes:
        process.join()
    results: list[Answer | None] = [None] * len(chosen)
    for number, share in shares.items():
        results[number::clients] = share
    return [answer for answer in results if answer is not None], took


def _cpu_s(process: int | None) -> float:
    if process is None or not Path("/proc").is_dir():
        return float("nan")
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> int:
    """Print a row for each number of clients; exit status 1 for any invalid text."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--completions", type=int, default=1000)
    arguments.add_argument("--clients", type=int, nargs="+", default=[1])
    arguments.add_argument("--model", type=Path, default=None, help="a GGUF file; the embedded model when not given")
    arguments.add_argument("--compare", action="store_true", help="with the embedded model in process")
    arguments.add_argument("--threads", type=int, default=None)
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    chosen = places(options.completions, options.seed)
    wrong = 0
    print(
        "| clients | asked | shown | valid | a second | p50 ms | p95 ms | processor of the server, ms each | drafts each |"
    )
    print("| --: | --: | --: | --: | --: | --: | --: | --: | --: |", flush=True)
    texts: list[str | None] = []
    with tempfile.TemporaryDirectory() as folder:
        path = options.model or embedded_gguf(Path(folder) / "embedded-f32.gguf")
        own = {} if options.model else {"template": "suture", "order": "spm", "tokenizer": str(EMBEDDED)}
        for clients in options.clients:
            settings = ChildSettings(path, _SLOT * clients, usable_threads(options.threads), 0, slots=clients)
            child = Child(settings)
            child.start()
            os.environ[_KEY] = child.key
            before = _cpu_s(child.process_id)
            answers, took = together(child, own, chosen, clients)
            spent = (_cpu_s(child.process_id) - before) * 1e3 / len(answers)
            child.stop()
            texts = texts or [answer.text for answer in answers]
            valid = sum(answer.valid for answer in answers)
            wrong += len(answers) - valid
            quantiles = statistics.quantiles([answer.ms for answer in answers], n=20, method="inclusive")
            shown = sum(answer.text is not None for answer in answers)
            row = (
                clients,
                len(answers),
                shown,
                valid - (len(answers) - shown),
                f"{len(answers) / took:.1f}",
                f"{quantiles[9]:.0f}",
                f"{quantiles[-1]:.0f}",
                f"{spent:.0f}",
            )
            print(f"| {' | '.join(map(str, row))} | {statistics.fmean(a.drafts for a in answers):.1f} |", flush=True)
    if options.compare:
        here = [answer.text for answer in ask(load(dtype="float32", copying=False, threads=1), chosen)]
        same = sum(theirs == own_text for theirs, own_text in zip(texts, here, strict=True))
        print(f"\n{same} of {len(texts)} texts equal those of the model in process")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
