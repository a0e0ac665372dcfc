"""`suture bench`: the speed of this machine with this model, on a built-in sample of Python."""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from ...common.terminal import say
from .arguments import natural, positive

PARTS = ("engine", "decoding", "latency")

_BLOCK = '''
class Shelf{n}:
    """Things with a name and a number."""

    def __init__(self, things=(), limit: int = {n}):
        self.things = {{name: count for name, count in things}}
        self.limit = limit

    def add(self, name: str, count: int = 1) -> int:
        total = self.things.get(name, 0) + count
        if total > self.limit:
            raise ValueError(f"{{name}}: {{total}} is more than {{self.limit}}")
        self.things[name] = total
        return total

    def most(self, among=None):
        for name, count in sorted(self.things.items(), key=lambda pair: (-pair[1], pair[0])):
            if among is None or name in among:
                return {{"name": name, "count": count, "share": count / max(1, sum(self.things.values()))}}
        return None

'''
_WALKED = 40
"""Characters typed, and masks made, from each place on."""


@dataclass(frozen=True)
class Row:
    """One timed operation."""

    part: str
    what: str
    unit: str
    median: float
    p99: float
    worst: float
    count: int


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    bench = commands.add_parser(
        "bench",
        help="time the parser, masks and suggestions on this machine",
        description="Time the parser, token masks and suggestions on this machine, with your model.",
    )
    bench.add_argument("part", nargs="?", choices=PARTS, help="one part alone (default: all)")
    bench.add_argument("--model", metavar="PATH", help="a model's folder or name (default: the active one)")
    bench.add_argument("--device", help="auto, cpu, cuda or mps (default: as in the settings)")
    bench.add_argument("--places", type=positive, default=20, metavar="N", help="number of random places (default: 20)")
    bench.add_argument(
        "--blocks", type=positive, default=20, metavar="N", help="size of the sample file, in classes (default: 20)"
    )
    bench.add_argument("--seed", type=natural, default=1, metavar="N", help="of the random places (default: 1)")
    bench.add_argument("--json", action="store_true", help="print one object a line")
    bench.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print a row for each timed operation."""
    from ...model import load
    from ...parser import freeze_garbage
    from ..settings.sources import own_settings

    text = "".join(_BLOCK.format(n=n) for n in range(1, options.blocks + 1))
    parts = PARTS if options.part is None else (options.part,)
    own, model = own_settings(), None
    if parts != ("engine",):
        model = load(options.model or own.model, device=options.device or own.device, offline=own.offline)
    freeze_garbage()
    if not options.json:
        say(f"{len(text):,} characters of Python" + (f"; {model.description or model.name}" if model else ""))
        say(f"\n{'':52}{'median':>10}{'p99':>10}{'worst':>10}{'count':>8}")
    timed: dict[str, Callable[[], Iterator[Row]]] = {
        "engine": lambda: _engine(text, options.places, options.seed),
        "decoding": lambda: _decoding(text, options.places, options.seed, model),
        "latency": lambda: _latency(text, options.places, options.seed, model),
    }
    for part in parts:
        for row in timed[part]():
            if options.json:
                say(json.dumps(asdict(row)), flush=True)
            else:
                title = f"{row.part:10}{row.what} ({row.unit})"
                say(f"{title:52}{row.median:10.3f}{row.p99:10.3f}{row.worst:10.3f}{row.count:8}", flush=True)
    return 0


def _row(part: str, what: str, unit: str, seconds: list[float]) -> Iterator[Row]:
    """The row of some times, in "us" or "ms"; none without times."""
    if seconds:
        ordered = [round(value * (1e6 if unit == "us" else 1e3), 4) for value in sorted(seconds)]
        last = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
        yield Row(part, what, unit, ordered[len(ordered) // 2], last, ordered[-1], len(ordered))


def _timed(into: list[float], work: Callable[[], Any]) -> Any:
    start = time.perf_counter()
    result = work()
    into.append(time.perf_counter() - start)
    return result


def _places(text: str, count: int, seed: int) -> list[int]:
    rng = random.Random(seed)
    return [rng.randrange(len(text) - _WALKED) for _ in range(count)]


def _engine(text: str, count: int, seed: int) -> Iterator[Row]:
    """The parser's times, without a model."""
    from ...parser import language

    session = language("python").session()
    opening: list[float] = []
    _timed(opening, lambda: session.hole(text, len(text) // 2))
    hole: list[float] = []
    key: list[float] = []
    character: list[float] = []
    for offset in _places(text, count, seed):
        state = _timed(hole, lambda offset=offset: session.hole(text, offset)).state
        typed = text[:offset] + "x" + text[offset:]
        _timed(key, lambda offset=offset, typed=typed: session.hole(typed, offset + 1))
        for char in text[offset : offset + _WALKED]:
            state = _timed(character, lambda state=state, char=char: state.advance(char))
            if state is None:
                break
    yield from _row("engine", "first hole of the process", "ms", opening)
    yield from _row("engine", "hole at another place", "ms", hole)
    yield from _row("engine", "hole after a key", "ms", key)
    yield from _row("engine", "check of a character", "us", character)


def _decoding(text: str, count: int, seed: int, model: Any) -> Iterator[Row]:
    """The times of masks: all possible next tokens of the model's vocabulary at once."""
    from ...model import TokenMasks
    from ...parser import language

    session = language("python").session()
    masks = TokenMasks.for_model(model)
    prepared: list[float] = []
    start = session.hole(text, 0).state
    assert start is not None
    _timed(prepared, lambda: masks.prepare(start))
    mask: list[float] = []
    for offset in _places(text, count, seed):
        state = session.hole(text, offset).state
        for char in text[offset : offset + _WALKED]:
            if state is None:
                break
            _timed(mask, lambda state=state: masks.bitmask(state))
            state = state.advance(char)
    yield from _row("decoding", "masks prepared, or loaded from the cache", "ms", prepared)
    yield from _row("decoding", "mask", "ms", mask)


def _latency(text: str, count: int, seed: int, model: Any) -> Iterator[Row]:
    """The times of the model, and of suggestions as in an editor, for the cut-out middle of a line."""
    from ...model import Options
    from ...parser import language
    from ..completion.cursor import Cursor
    from ..completion.proposing.shown import Suggestion
    from ..completion.proposing.suggestion import Request, suggest

    runtime = model.runtime
    length = min(1000, runtime.limit // 2)
    ids = (model.vocabulary.encode(text) * (1 + length))[:length]
    prefill: list[float] = []
    step: list[float] = []
    for number in range(4):
        runtime.crop(0)
        _timed(prefill, lambda: runtime.prefill(ids))
        for token in ids[: 8 if number else 2]:  # the first round warms up
            _timed(step, lambda token=token: runtime.step(token))
        if not number:
            prefill, step = [], []
    runtime.crop(0)
    yield from _row("latency", "model: 1,000 tokens of prompt", "ms", [value * 1000 / length for value in prefill])
    yield from _row("latency", "model: step", "ms", step)
    session, request = language("python").session(), Request(model, Options())
    total: list[float] = []
    constraint: list[float] = []
    for offset in _places(text, count, seed):
        end = min(max(text.find("\n", offset), offset), offset + 30)
        holed = text[:offset] + text[end:]
        made = _timed(total, lambda offset=offset, h=holed: suggest(Cursor.at(h, offset), session, request))
        if isinstance(made, Suggestion):
            constraint.append(made.completion.constraint_ms / 1e3)
    yield from _row("latency", "first suggestion in the sample", "ms", total[:1])
    yield from _row("latency", "whole suggestion, at another place", "ms", total[1:])
    yield from _row("latency", "the constraint's part of it", "ms", constraint[1:])
