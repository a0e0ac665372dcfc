"""Models' latencies in an editor, each with the same keystrokes, in one run: `python -m benchmarks.served MODEL...`.

MODEL is `embedded`, a GGUF file, a folder in safetensors (run by torch), an address, or `infill:FILE`: llama.cpp's own `/infill` with that
file, asked like llama.vim, without Suture. At each place of files of the standard library three things are timed:

  jump     the cursor is set into a line of a new file: nothing is cached
  pause    a letter other than the suggested one is typed there, and somebody waits
  along    a letter of the suggestion is typed

First text and whole suggestion are wall-clock milliseconds, p50 and p95; processor milliseconds are those of this process and of a child with
llama.cpp, meaningful even on a busy machine. Between jump and pause a slowly reading model reads the rest of its context, as in the server
while nobody types (`--no-pause`: without time for that).
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from suture.lsp_server.completion.asking.scheduler import CompletionScheduler
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.runtime.backend import Backend
from suture.lsp_server.settings.spec import Settings
from suture.model.runtime.served.child import Child, ChildSettings, usable_threads
from suture.model.runtime.served.transport import Transport

from tests.support.oracle_python import stdlib_sources

_INFILL = "infill:"
_LINES_BEFORE, _LINES_AFTER = 256, 64  # of the file, sent by llama.vim


@dataclass(frozen=True)
class Place:
    """A line of a file, to type from a place in it on."""

    text: str  # without the rest of the line
    offset: int
    rest: str  # of the line


@dataclass
class Times:
    """The milliseconds of one kind of keystroke."""

    first: list[float] = field(default_factory=list)
    first_cpu: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)


def places(count: int, seed: int) -> Iterator[Place]:
    """Places within lines of code, each in another file."""
    rng = random.Random(seed)
    for text in stdlib_sources(rng, count * 2, 60_000):
        lines = text.splitlines(keepends=True)
        good = [
            i for i, line in enumerate(lines) if i > 30 and len(line.strip()) > 24 and not line.strip().startswith("#")
        ]
        if not good:
            continue
        line = rng.choice(good)
        start = sum(map(len, lines[:line]))
        body = lines[line].rstrip("\n")
        offset = start + len(body) - len(body.lstrip()) + rng.randrange(4, 12)
        end = start + len(body)
        yield Place(text[:offset] + text[end:], offset, text[offset:end])


class Clock:
    """Milliseconds of the clock and of the processor since its creation; `process`: a computing child."""

    def __init__(self, process: int | None) -> None:
        self._process = process
        self._cpu = self._spent()
        self.began = time.perf_counter()
        self.first: float | None = None
        self.first_cpu = 0.0

    def hear(self, piece: str) -> None:
        """Note the arrival of text."""
        if self.first is None and piece:
            self.first = (time.perf_counter() - self.began) * 1e3
            self.first_cpu = self._spent() - self._cpu

    def note(self, times: Times) -> None:
        """Note the end of the timed work."""
        times.whole.append((time.perf_counter() - self.began) * 1e3)
        times.cpu.append(self._spent() - self._cpu)
        if self.first is not None:
            times.first.append(self.first)
            times.first_cpu.append(self.first_cpu)

    def _spent(self) -> float:
        child = 0.0
        if self._process is not None and Path("/proc").is_dir():
            fields = Path(f"/proc/{self._process}/stat").read_text().rsplit(")", 1)[1].split()
            child = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return (time.process_time() + child) * 1e3


def measure(
    name: str, chosen: Sequence[Place], pause: bool, threads: int | None, certainty: float
) -> tuple[str, dict[str, Times]]:
    """Time a model's keystrokes."""
    settings = Settings(
        model=None if name == "embedded" else name, device="cpu", threads=threads, certainty=certainty, ahead=False
    )
    engine = CompletionEngine(settings)
    engine.keeper.load()
    loaded = engine.keeper.model()
    process: int | None = getattr(getattr(getattr(loaded.runtime, "dialect", None), "child", None), "process_id", None)
    kinds = {kind: Times() for kind in ("jump", "pause", "along")}
    for number, place in enumerate(chosen):
        cursor_at = partial(_cursor, number, settings)
        _timed(engine, cursor_at(place.text, place.offset), kinds["jump"], process)
        if pause and engine.keeper.works_ahead:
            engine.read_ahead(cursor_at(place.text, place.offset), _never)
        typed = place.text[: place.offset] + place.rest[:1] + place.text[place.offset :]
        _timed(engine, cursor_at(typed, place.offset + 1), kinds["pause"], process)
        asyncio.run(_along(engine, cursor_at(typed, place.offset + 1), kinds["along"], process))
        engine.sessions.forget(f"file:///{number}.py")
    described = loaded.description
    engine.unload()
    return described, kinds


def _never() -> bool:
    return False


def _cursor(number: int, settings: Settings, text: str, offset: int) -> CursorContext:
    return CursorContext(f"file:///{number}.py", "python", text, offset, settings=settings)


def _timed(engine: CompletionEngine, place: CursorContext, times: Times, process: int | None) -> None:
    clock = Clock(process)
    engine.suggest(place, _never, clock.hear)
    clock.note(times)


async def _along(engine: CompletionEngine, place: CursorContext, times: Times, process: int | None) -> None:
    """Type three letters of the suggestion, answered by the server's own path."""
    backend = Backend()
    backend.engine = engine
    scheduler = CompletionScheduler(backend)
    shown = await scheduler.ask(place)
    text = shown.suggestions[0].text if shown.suggestions else ""
    for count in range(1, min(4, len(text))):
        typed = place.text[: place.offset] + text[:count] + place.text[place.offset :]
        after = CursorContext(place.document, "python", typed, place.offset + count, settings=place.settings)
        clock = Clock(process)
        scheduler.edited(place.document, partial(str, typed))
        answer = await scheduler.ask(after)
        clock.hear("".join(one.text for one in answer.suggestions))
        clock.note(times)
    scheduler.give_up()
    backend.stop()
    await asyncio.to_thread(backend.worker.join, 60.0)  # keep the model exclusive


def infill(path: Path, chosen: Sequence[Place], threads: int | None) -> tuple[str, dict[str, Times]]:
    """Time llama.cpp's own completion of a middle."""
    child = Child(ChildSettings(path.resolve(), 8192, usable_threads(threads), gpu_layers=0, batch=1024))
    child.start()
    transport = Transport(child.address, key=child.key, patience_s=600.0)
    kinds = {kind: Times() for kind in ("jump", "pause")}
    for place in chosen:
        for count, kind in enumerate(kinds):
            left = place.text[: place.offset] + place.rest[:count]
            before, after = left.splitlines(keepends=True), place.text[place.offset :].splitlines(keepends=True)
            body: dict[str, Any] = {
                "input_prefix": "".join(before[-_LINES_BEFORE - 1 : -1]),
                "prompt": before[-1],
                "input_suffix": "".join(after[: _LINES_AFTER + 1]),
                "n_predict": 64,
                "t_max_predict_ms": 1000,
                "n_indent": len(before[-1]) - len(before[-1].lstrip()),
                "top_k": 40,
                "top_p": 0.99,
                "samplers": ["top_k", "top_p", "infill"],
                "cache_prompt": True,
                "stream": True,
            }
            clock = Clock(child.process_id)
            stream = transport.stream("/infill", body)
            while (event := stream.next()) is not None:
                clock.hear(event.get("content", ""))
                if event.get("stop") or "\n" in event.get("content", ""):  # one line, as for Suture
                    break
            clock.note(kinds[kind])
            stream.close()
    transport.close()
    child.stop()
    return f"llama.cpp's /infill with {child.settings.threads} threads, without Suture", kinds


def table(rows: Sequence[tuple[str, dict[str, Times]]]) -> str:
    """A Markdown table."""
    lines = ["| model | key | first text p50 | p95 | processor p50 | p95 | whole p50 | p95 | processor p50 | p95 | n |"]
    lines.append("| --- | --- |" + " --: |" * 9)
    for name, kinds in rows:
        for kind, times in kinds.items():
            measured = (times.first, times.first_cpu, times.whole, times.cpu)
            cells = [*(cell for values in measured for cell in _spread(values)), str(len(times.whole))]
            lines.append(f"| {name} | {kind} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _spread(values: Sequence[float]) -> tuple[str, str]:
    if not values:
        return ("-", "-")
    ordered = sorted(values)
    middle, most = statistics.median(ordered), ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    return (f"{middle:.0f}", f"{most:.0f}") if middle >= 10 else (f"{middle:.1f}", f"{most:.1f}")


def main() -> int:
    """Print one table."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("models", nargs="*", default=["embedded"], metavar="MODEL")
    arguments.add_argument("--places", type=int, default=12)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--threads", type=int, default=None)
    arguments.add_argument("--certainty", type=float, default=0.0, help="the server's setting; 0: everything is shown")
    arguments.add_argument("--no-pause", action="store_true", help="leave no time to read ahead")
    options = arguments.parse_args()
    chosen = list(places(options.places, options.seed))[: options.places]
    rows: list[tuple[str, dict[str, Times]]] = []
    for name in options.models:
        time_it: Callable[[], tuple[str, dict[str, Times]]] = (
            partial(infill, Path(name.removeprefix(_INFILL)), chosen, options.threads)
            if name.startswith(_INFILL)
            else partial(measure, name, chosen, not options.no_pause, options.threads, options.certainty)
        )
        described, kinds = time_it()
        short = Path(name.removeprefix(_INFILL)).name
        rows.append((f"/infill {short}" if name.startswith(_INFILL) else short, kinds))
        load_1 = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
        print(f"{name}: {described}; load average {load_1}", flush=True)
        print(table(rows[-1:]) + "\n", flush=True)
    print(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
