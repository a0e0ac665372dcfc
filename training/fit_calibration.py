"""Fits the calibration of a model's probability of a text (`certainty`), on files unseen by the model.

In lines typed up to some character, and at places where people pause (`editing_places`), in whole files and in files cut off below, the model
writes the rest; each beginning of its text is right or wrong. The two numbers come from a logistic regression of this on the model's log odds
(Platt 1999). No grammar is involved: it chooses among texts, without changing the model's probability of each.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import numpy as np

from ..common.constraint import NoConstraint
from ..model.calibration import Certainty
from ..model.decoding.api import complete
from ..model.decoding.types import Options
from ..model.runtime.base import Model
from .editing_places import KINDS, File, choose
from .evaluate import EvaluationHole, while_written, whole_line_holes

PLACES = 700
THRESHOLD = 0.12  # the least to show a text, if it is worth reading (`lsp_server/completion/judging/certainty.py`)
_WRITTEN_SHARE = 0.25  # of the places are in files being written from top to bottom
_LOOKS = 2  # as in the server
_PATIENCE_MS = 60_000  # so that a busy machine does not change the answers
_LEAST = 1e-6
_CERTAIN = 30.0  # the most nats of odds: beyond, a probability is 0 or 1


def fit_certainty(
    model: Model, texts: Sequence[str], seed: int = 0, say: Callable[[str], None] = lambda _: None, places: int = PLACES
) -> Certainty:
    """Fit the numbers for a model in its final form, with its copies."""
    odds: list[float] = []
    right: list[bool] = []
    options = Options(max_lines=0, looks=_LOOKS, looks_ms=_PATIENCE_MS)
    half = places // 2
    stops = choose([File("", str(number), text) for number, text in enumerate(texts)], -(-half // KINDS), seed)
    stopped = [EvaluationHole(stop.file.text[: stop.start], stop.taken, stop.file.text[stop.end :]) for stop in stops]
    rng = random.Random(seed)
    for place in [*places_in_lines(texts, places - half, seed), *stopped]:
        hole = while_written(place, rng) if rng.random() < _WRITTEN_SHARE else place
        completion = complete(model, NoConstraint(), hole.left, hole.right, options)
        blank = hole.left.endswith((" ", "\t"))  # further blanks behind it are left out
        for passed in completion.trail:
            begun = completion.text[: passed.length]
            raw = float(np.clip(np.exp(passed.log_prob), _LEAST, 1 - _LEAST))
            odds.append(np.log(raw / (1 - raw)))
            right.append(hole.middle.startswith((begun, begun.lstrip() if blank else begun)))
    slope, bias = logistic(odds, right)
    say(f"fitted certainty on {len(odds)} beginnings at {places} places: slope {slope}, bias {bias}")
    return Certainty(slope, bias, THRESHOLD)


def places_in_lines(texts: Sequence[str], count: int, seed: int) -> list[EvaluationHole]:
    """Lines of code typed up to a character, drawn uniformly."""
    rng = random.Random(seed)
    lines = [
        hole
        for hole in whole_line_holes(texts, 2 * count, seed)
        if 8 <= len(hole.middle) <= 100 and not hole.middle.startswith((" ", "\t"))
    ]
    if not lines:
        return []
    chosen = rng.choices(lines, weights=[len(hole.middle) for hole in lines], k=count)
    cuts = [rng.randrange(len(hole.middle)) for hole in chosen]
    return [
        EvaluationHole(hole.left + hole.middle[:cut], hole.middle[cut:], hole.right)
        for hole, cut in zip(chosen, cuts, strict=True)
    ]


def logistic(odds: Sequence[float], right: Sequence[bool]) -> tuple[float, float]:
    """The slope and bias of log odds with the greatest likelihood of the answers; the identity without data."""
    weights = np.array([1.0, 0.0])
    if len(set(right)) < 2:
        return 1.0, 0.0
    inputs = np.column_stack([odds, np.ones(len(odds))])
    ridge = 1e-3 * np.eye(2)  # with perfectly separable odds, the slope would grow without bound
    for _ in range(30):  # Newton's method
        guess = 1 / (1 + np.exp(-np.clip(inputs @ weights, -_CERTAIN, _CERTAIN)))
        hessian = (inputs * (guess * (1 - guess))[:, None]).T @ inputs + ridge
        weights -= np.linalg.solve(hessian, inputs.T @ (guess - np.array(right)) + ridge @ weights)
    return round(float(weights[0]), 3), round(float(weights[1]), 3)
