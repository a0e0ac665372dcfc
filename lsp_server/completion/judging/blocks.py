"""The probability that a person keeps a block of statements shown unasked.

A block that does the same in other words is as good as the original. So its probability is no product of exact tokens: it is fitted
separately, on functions whose tests say whether a block is right, and on others by the share of its lines in the known solution (`python -m
benchmarks.bodies kept`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import exp
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .acceptance import THRESHOLD, logistic, logit

if TYPE_CHECKING:
    from ....model import Completion
    from ....model.decoding.types import Passed

FILE = Path(__file__).with_name("blocks.json")
_FITTED: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
WEIGHTS: Mapping[str, float] = _FITTED["weights"]
LEAST: float = _FITTED["least"]
"""The least probability of a block to show, where other texts need `THRESHOLD`."""
LEAST_DOCUMENTED: float = _FITTED["least_documented"]
"""The same if a docstring or a comment describes the task: more of the blocks unlike the original then do the same."""

LEAST_IN_BRACES = 0.5
"""The same for several lines of Go or TypeScript, none of them in the fit: of seven shown at 120 places three were less probable, all
wrong."""


def least(certainty: float, documented: bool, in_braces: bool = False) -> float:
    """The probability a block needs where other texts need `certainty`: its own threshold, moved in log odds as far as `certainty` is from
    `THRESHOLD`.

    documented: whether something describes the task. in_braces: whether it is several lines of a language with blocks in braces.
    """
    own = LEAST_IN_BRACES if in_braces else LEAST_DOCUMENTED if documented else LEAST
    return logistic(logit(certainty) - logit(THRESHOLD) + logit(own))


def parts(completion: Completion) -> Iterator[tuple[Completion, float]]:
    """The beginnings of a text, each with the probability that it is kept."""
    for part in beginnings(completion):
        passed = [step for step in completion.trail if step.length <= len(part.text)]
        yield part, probability(passed)


def beginnings(completion: Completion) -> Iterator[Completion]:
    """A text and its beginnings of whole lines that keep the file valid, the longest first."""
    trail, text = completion.trail, completion.text
    closed = completion.written != "" and not completion.written.startswith(text)  # its brackets
    if completion.complete and trail and (closed or trail[-1].length <= len(text)):
        yield completion
    for passed in reversed(trail[:-1]):
        begun, rest = text[: passed.length], text[passed.length :]
        if passed.complete and begun.strip() and (rest.startswith("\n") or begun.endswith("\n")):
            yield replace(completion, text=begun, score=None)


def probability(trail: Sequence[Passed]) -> float:
    """The probability that a text is kept. trail: the places passed up to its end."""
    return logistic(sum(WEIGHTS[name] * value for name, value in facts(trail).items()))


def facts(trail: Sequence[Passed]) -> dict[str, float]:
    """The evidence for a block: the model's probabilities of its least sure token and of the whole block."""
    nats = [0.0, *(passed.log_prob for passed in trail)]
    least_sure = min((after - before for before, after in pairwise(nats)), default=0.0)
    return {"always": 1.0, "least sure token": exp(least_sure), "text": exp(nats[-1])}
