"""How probable it is that a person keeps a block of statements that nobody has asked for.

A block that does the same in other words is as good as the one that somebody wrote. So its probability is no product of exact tokens: it is fitted for
itself, on functions whose tests say whether a block is right, and by how many of its lines the known solution has
(`python -m benchmarks.bodies kept`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .acceptance import THRESHOLD

if TYPE_CHECKING:
    from ....model import Completion
    from ....model.decoding.types import Passed

FILE = Path(__file__).with_name("blocks.json")
_FITTED: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
WEIGHTS: Mapping[str, float] = _FITTED["weights"]
LEAST: float = _FITTED["least"]
"""Probability from which on a block is shown, where other texts are shown from `THRESHOLD` on."""
_NEARLY = 1e-4


def least(certainty: float) -> float:
    """The probability that a block needs where other texts need this one: as far from `LEAST` in log odds."""
    return _probability(_log_odds(certainty) - _log_odds(THRESHOLD) + _log_odds(LEAST))


def parts(completion: Completion) -> Iterator[tuple[Completion, float]]:
    """A text and its beginnings that are whole lines and with which the file is valid, the longest first, and how probable it is that each is kept."""
    trail, text = completion.trail, completion.text
    if completion.complete and trail and trail[-1].length <= len(text):
        yield completion, probability(text, trail)
    for number in range(len(trail) - 1, 0, -1):
        passed = trail[number - 1]
        begun, rest = text[: passed.length], text[passed.length :]
        if passed.complete and begun.strip() and (rest.startswith("\n") or begun.endswith("\n")):
            yield replace(completion, text=begun, score=None), probability(begun, trail[:number])


def probability(text: str, trail: Sequence[Passed]) -> float:
    """The probability that a text is kept. trail: the places passed up to its end."""
    return _probability(sum(WEIGHTS[name] * value for name, value in facts(text, trail).items()))


def facts(text: str, trail: Sequence[Passed]) -> dict[str, float]:
    """The features of a block."""
    lines = len([line for line in text.split("\n") if line.strip()])
    nats = trail[-1].log_prob if trail else 0.0
    return {"always": 1.0, "nats a token": nats / max(1, len(trail)), "lines": math.log(max(1, lines))}


def _log_odds(probability: float) -> float:
    probability = min(max(probability, _NEARLY), 1 - _NEARLY)
    return math.log(probability / (1 - probability))


def _probability(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds))
