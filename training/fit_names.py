"""Fits the gate of the names around the cursor (`name_lm`), on files unseen by the model.

The joint prediction of the model, the document and the n-grams stays fixed; with the names beside it, the numbers maximise the likelihood of
the right answers.
"""

# Some of torch's methods have no types.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from ..model.cache_lm.mixture import Copier
from ..model.name_lm.votes import FEATURES, NameVotes
from ..model.prompting import prompt
from ..model.runtime.base import Model
from ..model.vote_gate import VoteGate
from .evaluate import EvaluationHole

_LONGEST_ANSWER = 40  # tokens
_HIDDEN = 16
_STEPS = 250
_RATE = 0.02
_DECAY = 1e-4


@dataclass(frozen=True, slots=True)
class NamePosition:
    """One token of a right answer, at a position with votes of names."""

    votes: NameVotes
    token: int
    chance: float  # of the token, without the names


def fit_names(
    model: Model, holes: Sequence[EvaluationHole], seed: int = 0, say: Callable[[str], None] = lambda _: None
) -> VoteGate | None:
    """Fit the numbers for a copying model without names; None where no names vote."""
    positions = collect_names(model, holes)
    say(f"fitting how far to trust names on {len(positions)} tokens of {len(holes)} holes")
    return fit_gate(positions, seed, say) if positions else None


def collect_names(model: Model, holes: Sequence[EvaluationHole]) -> list[NamePosition]:
    """The positions of all right answers with votes of names."""
    copier = model.reader
    assert isinstance(copier, Copier), "the model copies"
    positions: list[NamePosition] = []
    for hole in holes:
        asked = prompt.build(model, hole.left, hole.right, budget=model.context_tokens - _LONGEST_ANSWER - 8)
        copier.read(hole.left, hole.right, (), asked.ids, asked.forced)
        answer = list(model.vocabulary.encode(asked.forced.decode(errors="ignore") + hole.middle))[:_LONGEST_ANSWER]
        rows = [model.runtime.prefill(asked.ids), *(model.runtime.rows(answer) if answer else ())]
        for index, row in enumerate(rows):
            votes = copier.name_votes(copier.spelling(answer[:index]), row)
            if not len(votes.tokens):
                continue
            if index < len(answer):
                positions.append(NamePosition(votes, answer[index], float(np.exp(row[answer[index]]))))
            elif len(answer) < _LONGEST_ANSWER:
                chance = float(np.exp(np.logaddexp.reduce(row[copier.ends])))
                positions.append(NamePosition(votes, int(copier.ends[0]), chance))
    return positions


def fit_gate(positions: Sequence[NamePosition], seed: int = 0, say: Callable[[str], None] = lambda _: None) -> VoteGate:
    """The numbers with the greatest likelihood of the positions' tokens."""
    torch.manual_seed(seed)
    owner = torch.repeat_interleave(
        torch.tensor([len(position.votes.tokens) for position in positions])
    )  # (V,) the position
    features = torch.tensor(np.concatenate([position.votes.features for position in positions]), dtype=torch.float32)
    hits = torch.tensor(np.concatenate([position.votes.tokens == position.token for position in positions]))
    chances = torch.tensor([position.chance for position in positions], dtype=torch.float32)
    out = torch.nn.Linear(_HIDDEN, 1)
    with torch.no_grad():
        out.weight.mul_(0.3)
        out.bias.fill_(-3.0)  # at first the names are not trusted
    gate = torch.nn.Sequential(torch.nn.Linear(FEATURES, _HIDDEN), torch.nn.Tanh(), out)
    parameters = list(gate.parameters())
    optimizer = torch.optim.Adam(parameters, lr=_RATE)
    say(f"nats per token without names, where they vote: {-(chances + 1e-12).log().mean().item():.4f}")
    loss = chances.new_zeros(())
    for step in range(_STEPS):
        optimizer.param_groups[0]["lr"] = _RATE * (1 - step / _STEPS)
        weights = gate(features)[:, 0].clamp(max=12).exp()
        right = chances.index_add(0, owner, weights * hits)
        total = torch.ones_like(chances).index_add(0, owner, weights)
        loss = -(right / total + 1e-12).log().mean()
        penalty = torch.stack([(value**2).sum() for value in parameters]).sum()
        optimizer.zero_grad()
        (loss + _DECAY * penalty).backward()
        optimizer.step()
    say(f"nats per token with names: {loss.item():.4f}")
    values = {name: value.detach().double().numpy() for name, value in gate.named_parameters()}
    token = np.append(values["2.weight"][0], values["2.bias"])
    return VoteGate(np.vstack([values["0.weight"].T, values["0.bias"]]), token, token)
