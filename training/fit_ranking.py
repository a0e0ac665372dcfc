"""Fits what speaks for a text beside its score (`reranking`), on files that the model has not seen.

The numbers are those of a softmax over the texts of each place under which the exact one is most probable (a conditional logit,
McFadden 1974), held near zero. `python -m benchmarks.ranking` collects the texts, since what may be written at a place is a parser's to say.
"""

# Some of torch's methods have no types.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from ..model.reranking.features import FEATURES
from ..model.reranking.ranker import Ranker

_DECAY = 20.0  # of a weight for a feature of which the spread within a place is 1
_FREE = FEATURES.index("score")  # hardly held back: it is what the others correct
_FREE_SHARE = 0.02
_LEAST_SPREAD = 1e-3
_STEPS = 100


@dataclass(frozen=True, slots=True)
class Choice:
    """The texts of one place."""

    features: np.ndarray  # (n, FEATURES)
    exact: np.ndarray  # (n,) bool: which of them is what somebody wrote


def fit_ranking(choices: Sequence[Choice]) -> Ranker:
    """The numbers for some places; raises ValueError where no place has an exact text and another one."""
    told = [choice for choice in choices if choice.exact.any() and not choice.exact.all()]
    if not told:
        raise ValueError("no place has both an exact text and another one")
    spread = np.sqrt(np.mean(np.vstack([one.features - one.features.mean(0) for one in told]) ** 2, 0)) + _LEAST_SPREAD
    most = max(len(one.exact) for one in told)
    features = torch.zeros(len(told), most, len(FEATURES), dtype=torch.float64)
    absent = torch.ones(len(told), most, dtype=torch.bool)
    wrong = torch.ones(len(told), most, dtype=torch.bool)
    for row, one in enumerate(told):
        count = len(one.exact)
        features[row, :count] = torch.tensor(one.features / spread)
        absent[row, :count] = False
        wrong[row, :count] = torch.tensor(~one.exact)
    weights = torch.zeros(len(FEATURES), dtype=torch.float64, requires_grad=True)
    decay = torch.full((len(FEATURES),), _DECAY, dtype=torch.float64)
    decay[_FREE] *= _FREE_SHARE
    optimizer = torch.optim.LBFGS([weights], max_iter=_STEPS, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        values = (features @ weights).masked_fill(absent, -torch.inf)
        right = torch.logsumexp(values.masked_fill(wrong, -torch.inf), 1)
        loss = (torch.logsumexp(values, 1) - right).sum() + (decay * weights**2).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return Ranker(weights.detach().numpy() / spread)
