"""How probable a candidate is: how often its kind was right, corrected by facts of the text and its place.

A logistic regression whose offset is the log odds of the kind in its language, on the facts that a model's texts are judged by, too
(`judging/acceptance.py`). Both are fitted on projects that are not reserved (`python -m benchmarks.candidates`); no number of a kind stands elsewhere.
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
"""By kind of candidate: how many cases were seen, and how many of them were right."""
KINDS: Mapping[str, Kinds] = _FITTED["kinds"]
"""The kinds that hold, by the `candidates` of a language's `Traits`."""
WEIGHTS: Mapping[str, float] = _FITTED["weights"]


def odds(seen: Sequence[int]) -> float:
    """The log odds of a kind by its cases, as if one more had been right and one wrong."""
    cases, right = seen
    return math.log((right + 1) / (cases - right + 1))


def probability(seen: Sequence[int], text: str, judge: Judge) -> float:
    """That a candidate is typed of a kind with such cases. text: its part to be written at the judge's place."""
    before = odds(seen)
    facts = judge.situation.facts(text, before, judge.usual_share(text))
    return logistic(before + sum(weight * facts[name] for name, weight in WEIGHTS.items()))
