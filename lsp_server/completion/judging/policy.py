"""When a text is shown: the thresholds of its probability, each once, and its worth.

Accepting a suggestion of n letters spares n - 1 keys. Reading a wrong one costs time, and a long one costs more. So a text is worth
P * (n - 1) - (1 - P) * cost(n) keys, where P is the probability that its n letters are typed (`acceptance`, of blocks `blocks`): a short text has
to be more probable than a long one. Of a text that goes wrong the right words before are accepted, with a key each: they are worth their
letters. `acceptance.THRESHOLD` and those of `blocks` are fitted, and stand beside their weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, NamedTuple

from .acceptance import THRESHOLD

SURE = 0.8
"""A candidate is shown without asking the model."""
SURE_OF_LITTLE = 0.8
"""A text that says next to nothing is shown, which spares hardly more than reading it costs. From 0.9 on texts would save a little more on balance, and
one right text in ten would be hidden (benchmarks/results/README.md)."""
SURE_WORD = 0.8
"""The first words and signs of a text, with which it is shown however improbable its end, if they have `LEAST_BEGUN` letters. In five windows of
reserved projects typed with a 0.5B, 0.75 shows as many right and wrong texts, and saves 412 keys by word instead of 410."""
SURE_WORD_OF_SMALL = 0.9
"""The same of the embedded model. In nine windows 135 texts are right, 69 wrong, and 880 keys are saved by word; with 0.75 it is 134, 73 and 890."""
LEAST_BEGUN = 3
WITH_IMPORT = 0.5
"""A text that needs an import is shown unasked, and comes first where a user asks."""
WITH_IMPORT_ASKED = 0.2
"""It is shown to a user who asks."""
CANDIDATE_FIRST = 0.5
"""A candidate comes first where a user asks."""
WRITTEN = 0.12
"""By the model's own reckoning, more of a text is written unasked: other features seldom make a less probable one probable."""
WORTH_A_LOOK = 0.03
"""By the same, a text is given as an alternative to the first."""
LIKELY_OF_SMALL = 0.05
"""By the same, a text of the embedded model is perhaps right: at 36 places in bodies of functions none of 25 less probable ones was."""
RAISED = 0.1
"""The rise of the least probability with each suggestion that was refused in the line."""
MOST = 0.85
"""The highest threshold."""
_READING, _READING_A_LETTER = 2.0, 0.3
"""Keys that could be typed while a wrong text is read."""


Shows = Literal["copies", "lines", "bodies"]
"""Copies from the document, and names; also a line; also several statements where a body begins."""


@dataclass(frozen=True)
class Limits:
    """What is shown of the texts for a request."""

    certainty: float = 0.0
    """the least probability that a text is typed; 0: the user asks, and is shown all there is"""
    worth: float = 0.0
    """the least probability, by the model's own reckoning, of a body for a user who asks"""
    shows: Shows = "lines"
    """how much of the model's text is shown unasked"""
    sure_word: float = SURE_WORD
    """the probability of first words with which an uncertain text is shown unasked, where whole texts need `THRESHOLD`"""
    inside: bool = False
    """may a suggestion end with the closers of its brackets, before which the cursor stays (`Suggestion.behind`)?"""

    @property
    def unasked(self) -> bool:
        """Whether nobody has asked, so that a text has to be certain enough."""
        return self.certainty > 0


def with_import(limits: Limits, asked: bool) -> Limits:
    """What is shown of texts that need an import. asked: whether the user asks."""
    return replace(limits, certainty=WITH_IMPORT_ASKED if asked else max(limits.certainty, WITH_IMPORT))


def least_probability(chosen: float | None, judged: bool | None, refused: int) -> float:
    """The least probability of a text that is shown unasked, after so many refusals in its line.

    chosen: the user's own; 0 shows everything. judged: whether the model's probabilities can be trusted, of which others are shown as they
    are; None: it is not loaded yet, and nothing is certain enough.
    """
    if chosen is None:
        chosen = 1.0 if judged is None else THRESHOLD if judged else 0.0
    return raised(chosen, refused)


def raised(certainty: float, refused: int) -> float:
    """The least probability of a shown text after so many refusals; 0, which shows everything, stays."""
    return min(max(MOST, certainty), certainty + RAISED * refused) if certainty > 0 else certainty


class Word(NamedTuple):
    """The beginning of a text up to the end of a word or a sign."""

    letters: int
    probability: float


def sure_word(least: float, sure: float = SURE_WORD) -> float:
    """The least probability of a text's first words where whole texts need this one: as far above the usual one as that is above `THRESHOLD`."""
    return min(max(sure, sure + least - THRESHOLD), (1 + sure) / 2)


def expected_gain(probability: float, text: str, words: Sequence[Word] = ()) -> float:
    """The keys that showing a text spares on average; below zero it is better not shown. words: beginnings that may be right where it is not."""
    letters = len(text.strip())
    gain = probability * (letters - 1) - (1 - probability) * (_READING + _READING_A_LETTER * letters)
    for number, (word, following) in enumerate(pairwise((*words, Word(letters, probability))), 1):
        gain += max(0.0, word.probability - following.probability) * max(0, word.letters - number)
    return gain


def is_worth_showing(probability: float, text: str, words: Sequence[Word] = ()) -> bool:
    """Whether a text that is typed with a probability is worth a look unasked."""
    return probability >= SURE_OF_LITTLE or (expected_gain(probability, text, words) >= 0 and is_informative(text))


def is_surely_begun(words: Sequence[Word], least: float, sure: float = SURE_WORD) -> bool:
    """Whether the first words of a text are sure enough, where whole texts need a probability, for it to be shown. sure: as for `sure_word`."""
    return any(word.letters >= LEAST_BEGUN and word.probability >= sure_word(least, sure) for word in words)


def is_informative(text: str) -> bool:
    """Whether a text is worth a look: more than one sign, and not only signs such as a colon or closing brackets."""
    return len(text.strip()) > 1 and any(map(str.isalnum, text))
