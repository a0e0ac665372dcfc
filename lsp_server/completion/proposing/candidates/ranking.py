"""The probability of a candidate: how often its kind was right, corrected by facts of the text and its place.

A logistic regression with the log odds of the kind in its language as offset, on the same facts as for a model's texts
(`judging/acceptance.py`). Both are fitted on projects that are not reserved (`python -m benchmarks.candidates`); a kind's numbers stand
nowhere else.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...judging.acceptance import Judge, logistic

FILE = Path(__file__).with_name("candidates.json")
_FITTED: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
Kinds = Mapping[str, Sequence[int]]
"""Kind of candidate -> the number of cases seen, and of those right."""
KINDS: Mapping[str, Kinds] = _FITTED["kinds"]
"""The kinds per `candidates` of a language's `Traits`."""
WEIGHTS: Mapping[str, float] = _FITTED["weights"]


def odds(seen: Sequence[int]) -> float:
    """The log odds of a kind by its cases, counting one more right and one more wrong."""
    cases, right = seen
    return math.log((right + 1) / (cases - right + 1))


def probability(seen: Sequence[int], text: str, judge: Judge) -> float:
    """The probability that a candidate of a kind with such cases is typed. text: the part to write at the judge's place."""
    before = odds(seen)
    facts = judge.situation.facts(text, before, judge.usual_share(text))
    return logistic(before + sum(weight * facts[name] for name, weight in WEIGHTS.items()))
