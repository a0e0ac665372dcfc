"""Chooses among texts for a place by a fitted linear function of how each stands in the file (`features`).

The model's score alone cannot tell which of two texts that it finds nearly as likely is right. The numbers are those of a softmax
over the texts of a place, under which the right one is most probable (`training.fit_ranking`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...common import untrusted
from ..errors import ModelError, first_line
from .features import ADDED, FEATURES, Candidate, Place

FILE = "ranking.json"  # in a model's folder
LOOKS = 4
"""Texts that are compared."""
MARGIN = 1.0
"""Score that a text may lack to the first one; with less it is hardly ever chosen, and not written to its end."""
_LARGEST = 1000.0
_MAX_BYTES = 100_000


@dataclass(frozen=True, slots=True)
class Ranker:
    """How much each feature weighs."""

    weights: np.ndarray  # (FEATURES,)

    def values(self, left: str, right: str, candidates: Sequence[Candidate]) -> list[float]:
        """The worth of each of some texts of one line between two contexts; only their differences mean something."""
        place = Place(left, right)
        return [float(place.features(candidate) @ self.weights) for candidate in candidates]

    def save(self, path: Path) -> None:
        """Write the numbers as JSON, rounded to four digits."""
        values = {name: round(float(weight), 4) for name, weight in zip(FEATURES, self.weights, strict=True)}
        path.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")


def load_ranker(path: Path) -> Ranker:
    """The numbers in a JSON file; raises ModelError where one is missing or out of range."""
    try:
        values = untrusted.read_json(path, _MAX_BYTES)
        weights = [float(values.get(name, 0.0) if name in ADDED else values[name]) for name in FEATURES]
        if not all(math.isfinite(weight) and abs(weight) <= _LARGEST for weight in weights):
            raise ValueError("numbers out of range")
    except (OSError, ValueError, KeyError, TypeError, OverflowError) as error:
        raise ModelError(f"{path.name} cannot be used ({first_line(error)}): download it again") from error
    return Ranker(np.array(weights))
