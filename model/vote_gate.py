"""The gate: the weight of a vote for the next token, by a small fitted network, kept beside a model's weights as JSON.

The voters are the open document (`cache_lm`) and an n-gram model (`ngram_lm`), each with features and numbers of its own.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..common import untrusted
from .errors import ModelError, first_line

_HIGHEST = 12.0  # log weight of a vote
_MAX_BYTES = 1_000_000
_MAX_WIDTH = 512  # of the hidden layer, computed for each vote at each of the model's steps


@dataclass(frozen=True, slots=True)
class VoteGate:
    """A network with one hidden layer, of H units."""

    hidden: np.ndarray  # (features + 1, H); the last row is the bias
    token: np.ndarray  # (H + 1,): the log weight of a vote for a token
    end: np.ndarray  # the same for a vote for the end

    def weights(self, features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The weights of votes for tokens and for the end, from features (n, features): twice (n,)."""
        hidden = self._hidden(features)
        return _weights(hidden, self.token), _weights(hidden, self.end)

    def token_weights(self, features: np.ndarray) -> np.ndarray:
        """The weights of votes for tokens alone: (n,)."""
        return _weights(self._hidden(features), self.token)

    def _hidden(self, features: np.ndarray) -> np.ndarray:
        return np.tanh(features @ self.hidden[:-1] + self.hidden[-1])

    def arrays(self) -> dict[str, np.ndarray]:
        """The numbers by name."""
        return {"hidden": self.hidden, "token": self.token, "end": self.end}

    def save(self, path: Path) -> None:
        """Write the numbers as JSON, rounded to four digits."""
        values = {name: np.round(array, 4).tolist() for name, array in self.arrays().items()}
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(values) + "\n", encoding="utf-8")


def _weights(hidden: np.ndarray, last: np.ndarray) -> np.ndarray:
    return np.exp(np.minimum(hidden @ last[:-1] + last[-1], _HIGHEST))


def read_gate(
    path: Path, features: int, more: Mapping[str, int] | None = None, older: Collection[int] = ()
) -> dict[str, np.ndarray]:
    """The numbers in a JSON file: those of a VoteGate for so many features, and `more` vectors (name to length).

    older: numbers of features of gates fitted before others were added behind them; such gates ignore the later ones. Raises ModelError if
    one is missing, has another size or is not finite.
    """
    try:
        values = untrusted.read_json(path, _MAX_BYTES)
        vectors = dict(more or {})
        arrays = {name: np.array(values[name], dtype=np.float64) for name in ("hidden", "token", "end", *vectors)}
        fitted, width = arrays["hidden"].shape[0] - 1, arrays["hidden"].shape[1]
        if fitted in older:
            arrays["hidden"] = np.insert(arrays["hidden"], [fitted] * (features - fitted), 0.0, axis=0)
        shapes = {"hidden": (features + 1, width), "token": (width + 1,), "end": (width + 1,)}
        shapes |= {name: (length,) for name, length in vectors.items()}
        wrong = [name for name, array in arrays.items() if array.shape != shapes[name] or not np.isfinite(array).all()]
        if wrong or width > _MAX_WIDTH:
            raise ValueError(f"{', '.join(wrong) or 'hidden'} of the wrong size, or not finite")
    except (OSError, ValueError, KeyError, TypeError, IndexError, OverflowError) as error:
        raise ModelError(f"{path.name} cannot be used ({first_line(error)}): download it again") from error
    return arrays
