"""Ending well: of the places passed, the best one at which the hole is complete, or else the shortest bridge.

A point is where the generated text is whole characters. `choose_earlier` ranks the complete ones by the model's own
probability of ending there; `choose_bridge` looks from the last point back for texts that connect to the right context, and
takes of the shortest the one that is most probable under the model.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from .constraint import Constraint
from .driver import Clock, Driver
from .runtime import Model

_PATIENCE_S = 1.0  # after it only the first point is tried
_SCORED = 4  # bridges of the same length that are compared; each costs the model a pass


@dataclass(slots=True)
class Point:
    """A place in the text where it could end or be bridged."""

    state: Constraint
    text: str
    tokens: int  # of the text
    ids: int  # the model's sequence up to here, in ids
    complete: bool
    end: float = -np.inf  # the model's log probability of ending here


def choose_earlier(points: Sequence[Point]) -> Point | None:
    """The complete point with text at which the model would most probably end; the later one of equals."""
    candidates = [point for point in points if point.complete and point.text]
    return max(candidates, key=lambda point: (point.end, point.tokens), default=None)


def choose_bridge(points: Sequence[Point], driver: Driver, clock: Clock) -> tuple[Point, str] | None:
    """A point and the text that completes the hole from there, from as late a point as one is found."""
    started = perf_counter()
    for index in _backwards(len(points)):
        if driver.cancelled() or (index and perf_counter() - started > _PATIENCE_S):
            continue
        point = points[index]
        with clock.running():
            bridges = _joining(point)
        if bridges:
            with driver.clock.running():
                return point, most_probable(bridges, driver.sequence[: point.ids], driver.model)
    return None


def _joining(point: Point) -> list[str]:
    """The shortest bridges from a point; none where nothing is missing."""
    known = () if point.complete else point.state.bridges()
    shortest = [text for text in known if len(text) == min(map(len, known))]
    return [text for text in shortest if (after := point.state.advance(text)) is not None and after.complete]


def most_probable(texts: Sequence[str], sequence: Sequence[int], model: Model) -> str:
    """The text that the model would most probably write after `sequence`, of at most the first few."""
    texts = texts[:_SCORED]
    if len(texts) == 1:
        return texts[0]
    first = log_softmax(model.runtime.prefill(sequence))
    return max(texts, key=lambda text: _score(model.vocabulary.encode(text), first, len(sequence), model))


def _score(ids: Sequence[int], first: np.ndarray, length: int, model: Model) -> float:
    score = float(first[ids[0]]) if ids else 0.0
    if len(ids) > 1 and length + len(ids) <= model.runtime.limit:
        rows = model.runtime.rows(ids[:-1])
        model.runtime.crop(length)
        score += sum(float(log_softmax(row)[i]) for row, i in zip(rows, ids[1:], strict=True))
    return score


def log_softmax(logits: np.ndarray) -> np.ndarray:
    """Log probabilities: (size,)."""
    shifted = logits - logits.max()
    return shifted - np.log(np.exp(shifted).sum())


def log_mass(logits: np.ndarray, tokens: np.ndarray) -> float:
    """The log probability of all of `tokens` together."""
    top = logits.max()
    return float(np.log(np.exp(logits[tokens] - top).sum() / np.exp(logits - top).sum() + 1e-300))


def _backwards(count: int) -> list[int]:
    """All indices: the last, back in doubling strides to the first, and then what is left, from the first on."""
    order: list[int] = []
    index, stride = count - 1, 1
    while index > 0:
        order.append(index)
        index, stride = index - stride, stride * 2
    return list(dict.fromkeys([*order, *range(count)]))
