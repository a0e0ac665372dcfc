"""The policy of showing texts: the thresholds of their probability, each in one place, and their worth.

Accepting a suggestion of n letters saves n - 1 keys. Reading a wrong one costs time, and a long one costs more. So a text is worth P * (n -
1) - (1 - P) * cost(n) keys, with P the probability that its n letters are typed (`acceptance`, for blocks `blocks`): a short text has to be
more probable than a long one. Of a text that goes wrong, the right words before are accepted, with a key each: they are worth their letters.
`acceptance.THRESHOLD` and those of `blocks` are fitted, and stand beside their weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, NamedTuple

from .acceptance import THRESHOLD

SURE = 0.8
"""The least probability of a candidate shown without asking the model."""
SURE_OF_LITTLE = 0.8
"""The least probability of a text that says next to nothing: it saves hardly more than reading it costs. From 0.9 on texts would save a
little more on balance, and one right text in ten would be hidden (benchmarks/results/README.md)."""
SURE_WORD = 0.8
"""The least probability of first words and signs that let a text be shown however improbable its end, if they have `LEAST_BEGUN` letters. In
five windows of reserved projects typed with a 0.5B, 0.75 shows as many right and wrong texts, and saves 412 keys by word instead of 410."""
SURE_WORD_OF_SMALL = 0.9
"""The same for the embedded model. In nine windows 135 texts are right, 69 wrong, and 880 keys are saved by word; with 0.75 it is 134, 73 and
890."""
LEAST_BEGUN = 3
WITH_IMPORT = 0.5
"""The least probability of a text with an import that is shown unasked, or comes first for a user who asks."""
WITH_IMPORT_ASKED = 0.2
"""The least probability of such a text for a user who asks."""
CANDIDATE_FIRST = 0.5
"""The least probability of a candidate that comes first for a user who asks."""
WRITTEN = 0.12
"""The model's least own probability to write more of a text unasked: other features seldom make a less probable one probable."""
WORTH_A_LOOK = 0.03
"""The model's least own probability of a text as an alternative to the first."""
LIKELY_OF_SMALL = 0.05
"""The embedded model's least own probability of a text: at 36 places in bodies of functions none of 25 less probable ones was right."""
RAISED = 0.1
"""The rise of the least probability with each suggestion refused in the line."""
MOST = 0.85
"""The highest threshold."""
_READING, _READING_A_LETTER = 2.0, 0.3
"""The keys typed in the time of reading a wrong text, and a letter of it."""


Shows = Literal["copies", "lines", "bodies"]
"""Copies from the document, and names; also a line; also several statements at a body's beginning."""


@dataclass(frozen=True)
class Limits:
    """The limits for showing a request's texts."""

    certainty: float = 0.0
    """the least probability that a text is typed; 0: the user asks, and sees everything"""
    worth: float = 0.0
    """the model's least own probability of a body for a user who asks"""
    shows: Shows = "lines"
    """how much of the model's text to show unasked"""
    sure_word: float = SURE_WORD
    """the probability of first words that lets an uncertain text be shown unasked, where whole texts need `THRESHOLD`"""
    inside: bool = False
    """whether a suggestion may end with the closers of its brackets, with the cursor before them (`Suggestion.behind`)"""

    @property
    def unasked(self) -> bool:
        """Whether nobody has asked: a text then has to be certain enough."""
        return self.certainty > 0


def with_import(limits: Limits, asked: bool) -> Limits:
    """The limits for texts with an import. asked: whether the user asks."""
    return replace(limits, certainty=WITH_IMPORT_ASKED if asked else max(limits.certainty, WITH_IMPORT))


def least_probability(chosen: float | None, judged: bool | None, refused: int) -> float:
    """The least probability of a text shown unasked, after so many refusals in its line.

    chosen: the user's own; 0 shows everything. judged: whether the model's probabilities can be trusted; if not, all texts are shown; None:
    it is not loaded yet, and nothing is certain enough.
    """
    if chosen is None:
        chosen = 1.0 if judged is None else THRESHOLD if judged else 0.0
    return raised(chosen, refused)


def raised(certainty: float, refused: int) -> float:
    """The least probability of a shown text after so many refusals; 0, which shows everything, is kept."""
    return min(max(MOST, certainty), certainty + RAISED * refused) if certainty > 0 else certainty


class Word(NamedTuple):
    """The beginning of a text up to the end of a word or sign."""

    letters: int
    probability: float


def sure_word(least: float, sure: float = SURE_WORD) -> float:
    """The least probability of a text's first words if whole texts need `least`: as far above the usual one as `least` is above
    `THRESHOLD`."""
    return min(max(sure, sure + least - THRESHOLD), (1 + sure) / 2)


def expected_gain(probability: float, text: str, words: Sequence[Word] = ()) -> float:
    """The keys saved on average by showing a text; below zero it is better hidden. words: beginnings that may be right even if it is not."""
    letters = len(text.strip())
    gain = probability * (letters - 1) - (1 - probability) * (_READING + _READING_A_LETTER * letters)
    for number, (word, following) in enumerate(pairwise((*words, Word(letters, probability))), 1):
        gain += max(0.0, word.probability - following.probability) * max(0, word.letters - number)
    return gain


def is_worth_showing(probability: float, text: str, words: Sequence[Word] = ()) -> bool:
    """Whether a text of this probability is worth a look unasked."""
    return probability >= SURE_OF_LITTLE or (expected_gain(probability, text, words) >= 0 and is_informative(text))


def is_surely_begun(words: Sequence[Word], least: float, sure: float = SURE_WORD) -> bool:
    """Whether a text's first words are sure enough to show it, if whole texts need `least`. sure: as for `sure_word`."""
    return any(word.letters >= LEAST_BEGUN and word.probability >= sure_word(least, sure) for word in words)


def is_informative(text: str) -> bool:
    """Whether a text is worth a look: more than one sign, and not only signs such as a colon or closing brackets."""
    return len(text.strip()) > 1 and any(map(str.isalnum, text))
