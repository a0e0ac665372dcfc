"""Run an experiment: jobs missing in the results, one after another, until there are enough or the time is over."""

from __future__ import annotations

import platform
import resource
import subprocess
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from suture import model, parser
from suture.common.constraint import Constraint
from suture.model.decoding.types import Mode

from .measure import MEASUREMENTS
from .record import Job, Record, append, file_of, read
from .remembering import RememberingRuntime
from .score import verdict
from .scripts import NAME as SCRIPTS
from .scripts import SCRIPT_MODES, categories, write_category
from .tasks import FILLINGS, Data, Filling, Make

MODES = ("unconstrained", "checked", "constrained", "constrained-leaving", "shipped")
"""constrained-leaving: the text may close brackets and blocks around the cursor; shipped: all of the product's defaults, with copying."""


@dataclass(frozen=True)
class Only:
    """Several samples of some programs, instead of one of each: the first ones of a set, in the order of the jobs."""

    row: str  # the set
    problems: int
    samples: int

    def has(self, job: Job) -> bool:
        details = job.details
        return job.row == self.row and details["problem"] < self.problems and details["sample"] < self.samples


@dataclass(frozen=True)
class Run:
    """The options of a run."""

    name: str
    model: str | None
    jobs: int
    out: Path
    data: Data
    seed: int = 1
    modes: tuple[str, ...] = ()
    shard: int = 0
    shards: int = 1
    minutes: float = float("inf")
    threads: int | None = None
    max_tokens: int | None = None
    lanes: int = 1  # jobs at a time; their times are not kept
    mixed: bool = False  # whether copies and n-grams are mixed in in all modes, under a name of its own
    only: Only | None = None


def run(asked: Run, loaded: model.Model | None = None) -> int:
    """Add the missing records to the results; return their number. `loaded`: an already loaded model."""
    deadline = time.monotonic() + asked.minutes * 60
    asked.out.mkdir(parents=True, exist_ok=True)
    if asked.name in MEASUREMENTS:
        return _measure(asked, deadline)
    if loaded is None:
        # Modes with copying add it.
        loaded = model.load(asked.model, threads=asked.threads, copying=False)
    if asked.name == SCRIPTS:
        return _write_scripts(asked, deadline, loaded)
    filling, served = FILLINGS[asked.name], loaded.served is not None
    name = _named(loaded, asked)
    path = file_of(asked.out, asked.name, name, asked.shard)
    todo = _missing(asked, deadline, filling.jobs, asked.modes or filling.modes, name)
    added = 0

    def work(bare: model.Model, copying: model.Model, item: tuple[Job, tuple[str, ...]]) -> None:
        nonlocal added
        chosen = copying if asked.mixed else _remembering(bare)
        records = list(_filled(filling, *item, chosen, copying, asked))
        append(path, records)
        added += len(records)

    mixes = (asked.mixed or "shipped" in asked.modes) and not served
    copying = _with_copying(loaded) if mixes else loaded
    if asked.lanes > 1:
        from .lanes import in_lanes

        in_lanes(loaded, copying, asked.lanes, todo, work)
    else:
        for item in todo:
            work(loaded, copying, item)
    return added


def _measure(asked: Run, deadline: float) -> int:
    path, added = file_of(asked.out, asked.name, "none", asked.shard), 0
    measurement = MEASUREMENTS[asked.name]
    for job, (mode,) in _missing(asked, deadline, measurement.jobs, ("measured",), "none"):
        append(path, [_record(job, "none", mode) | {"values": measurement.measure(job)}])
        added += 1
    return added


def _write_scripts(asked: Run, deadline: float, loaded: model.Model) -> int:
    name, added = _name(loaded), 0
    path = file_of(asked.out, asked.name, name, asked.shard)
    for job, modes in _missing(asked, deadline, categories, asked.modes or SCRIPT_MODES, name):
        for mode in modes:
            values = write_category(job, mode, loaded, asked.max_tokens)
            append(path, [_record(job, name, mode) | {"values": values}])
            added += 1
    return added


def _missing(
    asked: Run, deadline: float, make: Make, modes: tuple[str, ...], name: str
) -> Iterator[tuple[Job, tuple[str, ...]]]:
    """The requested jobs, with their modes without a record."""
    done = {(record["job"], record["mode"]) for record in read(asked.out, f"{asked.name}.{name}.*.jsonl")}
    for job in make(asked.data, asked.seed):
        if (asked.only is None and job.number >= asked.jobs) or time.monotonic() > deadline:
            return
        if asked.only is not None and not asked.only.has(job):
            continue
        if job.number % asked.shards == asked.shard:
            missing = tuple(mode for mode in modes if (job.id, mode) not in done)
            if missing:
                yield job, missing


def _filled(
    filling: Filling, job: Job, modes: tuple[str, ...], bare: model.Model, copying: model.Model, asked: Run
) -> Iterator[Record]:
    name = _named(bare, asked)
    language = parser.language(job.language, _version() if job.language == "python" else None)
    before = time.perf_counter()
    hole = language.hole(job.left, job.right)
    opened = (time.perf_counter() - before) * 1e3
    if not hole.viable or hole.state is None:
        for mode in modes:  # a prompt that begins no valid file: impossible to complete
            yield _record(job, name, mode) | {"ended": "refused", "error": "context", "valid": False}
        return
    shared = False
    for mode in modes:
        options = _options(filling, job, mode, asked)
        chosen = copying if mode == "shipped" else bare
        text, done = _stopped(chosen, hole.state, job, options, filling)
        same_beginning = shared and mode == "checked"
        shared = mode == "unconstrained" and bare.served is None and not asked.mixed
        after = hole.state.advance(text)
        record = _record(job, name, mode) | verdict(job, text, filling.programs)
        yield record | {
            "options": _told(options), "text": text, "tokens": done.tokens if done else None,
            "ended": done.ended if done else "stop", "complete": after is not None and after.complete,
            "ms": {} if asked.lanes > 1 else {
                "open": opened,
                "model": None if done is None or same_beginning else done.model_ms,
                "constraint": done.constraint_ms if done else None,
            },
            "values": {"stays": None if after is None else after.stays_in_hole, "true_stays": _true_stays(hole.state, job)},
        }  # fmt: skip


def _stopped(
    loaded: model.Model, state: Constraint, job: Job, options: model.Options, filling: Filling
) -> tuple[str, model.Completion | None]:
    """The text up to the experiment's stop, and the completion, or None where the stop was reached."""
    before = job.details.get("before", "")
    text = ""

    class Stopped(Exception):
        pass

    def look(piece: str) -> None:
        nonlocal text
        text += piece
        if filling.stop is not None and filling.stop.search(text):
            raise Stopped

    try:
        done = model.complete(loaded, state, before + job.left, job.right, options, on_text=look)
    except Stopped:
        done = None
    text = done.text if done is not None else text
    match = filling.stop.search(text) if filling.stop is not None else None
    return (text[: match.start()] if match else text), done


def _options(filling: Filling, job: Job, mode: str, asked: Run) -> model.Options:
    if mode == "shipped":
        return model.Options(language=job.language)
    kinds: dict[str, Mode] = {"unconstrained": "unconstrained", "checked": "checked"}
    return model.Options(
        mode=kinds.get(mode, "constrained"), max_tokens=asked.max_tokens or filling.max_tokens,
        copying=asked.mixed, language=job.language if asked.mixed else None,
        stay_in_hole=mode != "constrained-leaving",
        temperature=filling.temperature, top_p=filling.top_p, seed=job.number if filling.temperature else None,
    )  # fmt: skip


def _told(options: model.Options) -> dict[str, Any]:
    """The options that differ from the defaults."""
    plain = asdict(model.Options())
    return {key: value for key, value in asdict(options).items() if value != plain[key]}


def _true_stays(state: Constraint, job: Job) -> bool | None:
    after = state.advance(job.middle) if job.middle else None
    return None if after is None else after.stays_in_hole


def _remembering(loaded: model.Model) -> model.Model:
    """A model whose second mode is free where it agrees with the first; a server caches by itself."""
    if loaded.served is not None:
        return loaded
    return replace(loaded, runtime=RememberingRuntime(loaded.runtime))


def _with_copying(loaded: model.Model) -> model.Model:
    return model.load(None if loaded.name == "embedded" else loaded.name)


def _named(loaded: model.Model, asked: Run) -> str:
    return _name(loaded) + (" with n-grams" if asked.mixed else "")


def _name(loaded: model.Model) -> str:
    return Path(loaded.name).stem


def _record(job: Job, name: str, mode: str) -> Record:
    return {
        "job": job.id, "experiment": job.experiment, "data": job.data, "row": job.row, "cut": list(job.cut),
        "seed": job.seed, "model": name, "mode": mode, "options": {}, "text": "", "ended": None, "tokens": None,
        "valid": None, "complete": None, "error": None, "exact": None, "similarity": None, "tests": None, "ms": {},
        "values": {}, "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024), "commit": _commit(),
        "machine": _machine(), "time": datetime.now(UTC).isoformat(timespec="seconds"),
    }  # fmt: skip


def _version() -> str:
    return ".".join(platform.python_version_tuple()[:2])


@cache
def _commit() -> str:
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


@cache
def _machine() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
        return f"{len(names)} cores, {names[0]}"
    except (OSError, IndexError):
        return platform.processor() or platform.machine()
