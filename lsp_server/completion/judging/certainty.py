"""The part of a text to show unasked: the beginning expected to save the most keys, if any.

A short text has to be more probable than a long one (`policy`), and an improbable end is cut off if the beginning alone is worth more. The
unit is the word, since clients accept by word: if nothing else is worth showing and the first words are sure, a text extends to the next
place that keeps the file valid.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from .policy import SURE_WORD, Word, expected_gain, is_surely_begun, is_worth_showing

if TYPE_CHECKING:
    from ....model import Certainty, Completion
    from ....model.decoding.types import Passed

    Believed = Callable[[str, Sequence[Passed]], float]
    """(a text, the places that were passed up to its end) -> the probability that it is typed"""


class Certain(NamedTuple):
    """A completion, or a beginning of one, with the probability that it is typed."""

    completion: Completion
    probability: float
    words: Sequence[Word] = ()
    """its beginnings up to the end of a word or sign, if it is not worth showing without them"""

    @property
    def worth(self) -> float:
        """The keys it saves on average when shown."""
        return expected_gain(self.probability, self.completion.text, self.words)


def certain(
    completion: Completion,
    believed: Believed,
    least: float,
    *,
    sure: float = SURE_WORD,
    goes_on: bool = False,
    refused: Callable[[str], bool] = lambda text: False,
    closing: Callable[[str], str] | None = None,
) -> Certain | None:
    """The beginning of a completion that is worth most, of those typed with the least probability; None if there is none.

    It keeps the file valid; it does not end within a word, behind a comma, or between `self` and its dot; and it says something unless it is
    very probable. A bridge at the end of the completion is no part of it. A less probable one is shown, too, if its first words are sure.

    sure: as for `policy.sure_word`. goes_on: more will be added, so it need not be worth anything by itself. refused: whether a beginning is
    hidden, however probable. closing: returns the closers of a beginning's brackets if they make the file valid, else "". The result may then
    be such an incomplete beginning.
    """
    best = next(iter(certain_parts(completion, believed, least, sure=sure, goes_on=goes_on, refused=refused)), None)
    if closing is None:
        return best
    written = replace(completion, text=completion.written, trail=completion.written_trail, ended="nothing")
    for part in _worth_showing(Steps(written, believed).parts(least, sure, complete=False), goes_on):
        text = part.completion.text
        if best is not None and part.worth <= best.worth:
            break
        if part.probability >= least and (closers := closing(text)):
            if best is not None and best.completion.text == text + closers and 2 * best.probability >= part.probability:
                return best  # the text closes them itself, and probably continues behind them
            trail = tuple(_up_to(written.trail, text))
            begun = replace(part.completion, complete=False, ended=completion.ended, trail=trail)
            return Certain(begun, part.probability, part.words)
    return best


def certain_parts(
    completion: Completion,
    believed: Believed,
    least: float,
    *,
    sure: float = SURE_WORD,
    goes_on: bool = False,
    refused: Callable[[str], bool] = lambda text: False,
) -> list[Certain]:
    """The beginnings of a completion that keep the file valid and have the least probability or begin with sure words, ordered by worth.

    sure, goes_on, refused: as for `certain`.
    """
    parts = Steps(completion, believed).parts(least, sure, complete=True) if completion.complete else iter(())
    return _worth_showing((part for part in parts if not refused(part.completion.text)), goes_on)


def _worth_showing(parts: Iterator[Certain], goes_on: bool) -> list[Certain]:
    worth = (part for part in parts if goes_on or is_worth_showing(part.probability, part.completion.text, part.words))
    return sorted(worth, key=lambda part: (not part.words, part.worth, len(part.completion.text)), reverse=True)


class Steps:
    """The beginnings of a text with their probabilities."""

    def __init__(self, completion: Completion, believed: Believed) -> None:
        self._completion, self._believed = completion, believed
        self._probabilities: dict[int, float] = {}

    def parts(self, least: float, sure: float, *, complete: bool) -> Iterator[Certain]:
        """The beginnings with the least probability, or with sure first words: those that keep the file valid, or the others."""
        from ....model.decoding.termination import breaks_off

        completion, text = self._completion, self._completion.text
        for number, passed in enumerate(completion.trail, 1):
            begun, rest = text[: passed.length], text[passed.length :]
            if passed.complete != complete or breaks_off(begun, rest) or not begun.strip():
                continue
            probability, words = self._probability(number), self._words(number)
            if probability >= least and is_worth_showing(probability, begun):
                words = []  # worth showing as it is
            if probability >= least or is_surely_begun(words, least, sure):
                yield Certain(replace(completion, text=begun, score=None) if rest else completion, probability, words)

    def _words(self, number: int) -> list[Word]:
        """The beginnings of a text that end with a word or a sign before a step."""
        from ....model.decoding.termination import cuts_name

        text, words = self._completion.text, list[Word]()
        for before, passed in enumerate(self._completion.trail[: number - 1], 1):
            begun, rest = text[: passed.length], text[passed.length :]
            if begun.strip() and rest and not cuts_name(begun, rest):
                words.append(Word(len(begun.strip()), self._probability(before)))
        return words

    def _probability(self, number: int) -> float:
        """The probability that the text is typed up to the end of a step."""
        if number not in self._probabilities:
            trail = self._completion.trail[:number]
            self._probabilities[number] = self._believed(self._completion.text[: trail[-1].length], trail)
        return self._probabilities[number]


def probability_of(completion: Completion, believed: Believed) -> float:
    """The probability that a completion will be typed; 0 if nothing is known about it."""
    passed = list(_up_to(completion.trail, completion.text))
    return believed(completion.text, passed) if passed else 0.0


def by_model(model: Certainty) -> Believed:
    """The model's own probabilities; a longer text is not more probable than its beginning."""
    return lambda _, trail: model.probability(min(passed.log_prob for passed in trail))


def _up_to(trail: Sequence[Passed], text: str) -> Iterator[Passed]:
    return (passed for passed in trail if passed.length <= len(text))


def is_bare_name(text: str) -> bool:
    """Whether a text is a bare name. Of 15 shown as the beginning of a statement, at 1,008 places, none was right."""
    word = text.strip()
    return word.isidentifier() and not keyword.iskeyword(word)
