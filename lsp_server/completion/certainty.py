"""How much of a text is shown unasked: the beginning that is expected to spare the most keys, if it spares any.

Accepting a suggestion spares its letters but one key. Reading one that is wrong costs time, and a long one more of it. So a beginning
is worth P * (n - 1) - (1 - P) * cost(n) keys, where P is the probability that its n letters are typed: a short text has to be
more probable than a long one, and what goes on improbably is cut off where less is worth more.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ...model import Certainty, Completion
    from ...model.decoding.types import Passed

SURE = 0.8
"""Probability from which on a text is shown unasked that says next to nothing: it is read in the time in which it is typed."""
_READING, _READING_A_LETTER = 1.0, 0.15
"""Keys that could be typed while a wrong text is read."""


def expected_gain(probability: float, text: str, more: int = 0) -> float:
    """The keys that showing a text spares on average; below zero it is better not shown. more: letters that it brings besides."""
    letters = len(text.strip()) + more
    return probability * (letters - 1) - (1 - probability) * (_READING + _READING_A_LETTER * letters)


def is_worth_showing(probability: float, text: str, more: int = 0) -> bool:
    """Whether a text that is typed with a probability is worth a look unasked."""
    return probability >= SURE or (expected_gain(probability, text, more) >= 0 and is_informative(text))


def certain(
    completion: Completion,
    model: Certainty,
    least: float,
    *,
    goes_on: bool = False,
    refused: Callable[[str], bool] = lambda text: False,
    closing: Callable[[str], str] | None = None,
) -> Completion | None:
    """As much of a completion as is worth most, of what is typed with the least probability; None: nothing.

    It ends where the file is valid, and not within a word, behind a comma, or between `self` and its dot, and says something unless
    it is very probable. Where a bridge ends it, the bridge is no part of it.

    goes_on: something will be added to it, so that it need not be worth anything by itself. refused: tells which beginnings are
    not shown however probable they are. closing: gives what closes the brackets of a beginning where the file is valid with it, else "". Then what is given can
    be such a beginning, which is not complete.
    """
    best = _best(_beginnings(completion, completion.text, completion.trail, model, least, goes_on, refused=refused))
    if closing is None:
        return None if best is None else _cut(completion, best)
    written = _beginnings(
        completion, completion.written, completion.written_trail, model, least, goes_on, complete=False
    )
    for one in sorted(written, key=lambda one: one.gain, reverse=True):
        if best is not None and one.gain <= best.gain:
            break
        if closing(one.text):
            return replace(
                completion, text=one.text, complete=False, score=None, trail=_up_to(completion.written_trail, one.text)
            )
    return None if best is None else _cut(completion, best)


def certain_ends(
    completion: Completion, model: Certainty, least: float, *, refused: Callable[[str], bool] = lambda text: False
) -> list[int]:
    """Where a completion may end, in characters, so that what is shown is typed with the least probability: what is worth most first.

    refused: as for `certain`.
    """
    found = _beginnings(completion, completion.text, completion.trail, model, least, refused=refused)
    return [len(one.text) for one in sorted(found, key=lambda one: (one.gain, len(one.text)), reverse=True)]


class _Beginning(NamedTuple):
    text: str
    gain: float


def _best(beginnings: Iterable[_Beginning]) -> _Beginning | None:
    return max(beginnings, key=lambda one: (one.gain, len(one.text)), default=None)


def _cut(completion: Completion, beginning: _Beginning) -> Completion:
    whole = len(beginning.text) == len(completion.text)
    return completion if whole else replace(completion, text=beginning.text, score=None)


def _up_to(trail: Sequence[Passed], text: str) -> tuple[Passed, ...]:
    return tuple(passed for passed in trail if passed.length <= len(text))


def _beginnings(
    completion: Completion,
    text: str,
    trail: Sequence[Passed],
    model: Certainty,
    least: float,
    goes_on: bool = False,
    *,
    complete: bool = True,
    refused: Callable[[str], bool] = lambda text: False,
) -> list[_Beginning]:
    """The beginnings of a text that are worth showing; those at which the file is valid, or the others."""
    from ...model.decoding.termination import breaks_off

    found: list[_Beginning] = []
    probability = 1.0
    for passed in trail if completion.complete or not complete else ():
        # What goes on with a text is not more probable than the text.
        probability = min(probability, model.probability(passed.log_prob))
        if probability < least:
            break
        begun, rest = text[: passed.length], text[passed.length :]
        if passed.complete != complete or breaks_off(begun, rest) or (complete and refused(begun)):
            continue
        if goes_on or is_worth_showing(probability, begun):
            found.append(_Beginning(begun, expected_gain(probability, begun)))
    return found


def probability_of(completion: Completion, model: Certainty) -> float:
    """The probability, by the model's own reckoning, that a completion is what will be typed."""
    passed = [one for one in completion.trail if one.length <= len(completion.text)]
    return model.probability(min((one.log_prob for one in passed), default=0.0)) if passed else 0.0


def is_informative(text: str) -> bool:
    """Whether a text is worth a look: more than one sign, and not only signs such as a colon or closing brackets."""
    return len(text.strip()) > 1 and any(map(str.isalnum, text))


def is_bare_name(text: str) -> bool:
    """Whether a text is a name and nothing else. Of 15 that were shown as the beginning of a statement, at 1,008 places, none was right."""
    word = text.strip()
    return word.isidentifier() and not keyword.iskeyword(word)
