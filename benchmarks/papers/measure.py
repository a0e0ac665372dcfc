"""Experiments without a model: what the engine costs, and how often it disagrees with an oracle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .record import Job
from .tasks import Make


@dataclass(frozen=True)
class Measurement:
    """An experiment that only the engine takes part in."""

    name: str
    jobs: Make
    measure: Callable[[Job], dict[str, Any]]


MEASUREMENTS: dict[str, Measurement] = {}
