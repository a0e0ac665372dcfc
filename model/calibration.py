"""The probability that a user types a text, from the model's probability of it.

The model's probability is corrected by two numbers (calibration: Platt 1999), fitted on lines taken out of files unseen by the model and
typed again (`training.fit_calibration`). They are kept beside its weights, together with the probability below which a suggestion is better
not shown unasked. Without such numbers a model's own probability is used, and its suggestions are always shown, unless the user wants it
otherwise.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path

from ..common import untrusted
from .errors import ModelError, first_line

FILE = "certainty.json"  # in a model's folder
_MAX_BYTES = 100_000
_NEARLY = 1e-9  # the distance kept from 0 and 1, which have no odds


@dataclass(frozen=True, slots=True)
class Certainty:
    """The fitted numbers of a model."""

    slope: float = 1.0  # of the logarithm of the odds
    bias: float = 0.0
    threshold: float = 0.0  # least probability of a text worth showing; 0: any

    def probability(self, log_prob: float) -> float:
        """The probability that a text is typed, from the model's log probability of it in nats."""
        raw = min(max(math.exp(min(log_prob, 0.0)), _NEARLY), 1 - _NEARLY)
        return 1 / (1 + math.exp(-self.slope * math.log(raw / (1 - raw)) - self.bias))

    def least_log_prob(self, probability: float) -> float:
        """The log probability in nats below which no text reaches a probability; minus infinity if all do."""
        if probability <= self.probability(-math.inf):
            return -math.inf
        if probability >= 1:
            return 0.0
        odds = (math.log(probability / (1 - probability)) - self.bias) / self.slope
        return -math.log1p(math.exp(-odds)) - _NEARLY

    def save(self, path: Path) -> None:
        """Write the numbers as JSON."""
        path.write_text(json.dumps(asdict(self)) + "\n", encoding="utf-8")


def load_certainty(folder: Path) -> Certainty:
    """The numbers in a model's folder; if there are none, those that change nothing."""
    path = folder / FILE
    if not untrusted.exists(path):
        return Certainty()
    try:
        values = untrusted.read_json(path, _MAX_BYTES)
        certainty = Certainty(*(float(values[name]) for name in ("slope", "bias", "threshold")))
        if not (math.isfinite(certainty.bias) and 0 < certainty.slope < 100 and 0 <= certainty.threshold <= 1):
            raise ValueError("numbers out of range")
    except (OSError, ValueError, KeyError, TypeError, OverflowError) as error:
        raise ModelError(f"{path.name} cannot be used ({first_line(error)}): download it again") from error
    return certainty
