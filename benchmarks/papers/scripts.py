"""The third paper's experiments: a category of scripts for a game, written by the model alone, with reflection, and held to the API.

The requests are ours (`benchmarks.slua`), since the paper's are not published. A job is a category of six scripts: correct ones join the API
and the prompt of later ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from suture import model

from ..slua import CATEGORIES, MODES, Counted, Writer
from .record import Job
from .tasks import Data

NAME = "slua-category"
SCRIPT_MODES = MODES
_TOKENS = 120  # of a script, by default


def categories(data: Data, seed: int) -> Iterator[Job]:
    """A job for each category, with our own data."""
    for number, (name, _, _) in enumerate(CATEGORIES):
        yield Job(NAME, number, seed, name, "delve", language="slua")


def write_category(job: Job, mode: str, loaded: model.Model, most: int | None) -> dict[str, Any]:
    """Write the scripts of a category in one way, and run the correct ones: counts, and milliseconds by the wall clock."""
    name, effects, talents = CATEGORIES[job.number]
    counted = Counted()
    writer = Writer(mode, counted)
    options = model.Options(max_tokens=most or _TOKENS, temperature=0.7)
    for index, what in enumerate((*effects, *talents)):
        seeded = replace(options, seed=1000 * job.seed + 100 * job.number + index)
        writer.write("effect" if index < len(effects) else "talent", f"{name}: {what}", loaded, seeded)
    return {
        "scripts": counted.scripts, "correct": counted.correct, "tokens": counted.tokens, "model_ms": counted.model_ms,
        "constraint_ms": counted.constraint_ms, "runs": counted.runs, "errors": len(counted.errors), "budgets": counted.budgets,
    }  # fmt: skip
