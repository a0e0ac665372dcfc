"""The probability that a text is typed: the model's own, corrected by facts of the text and its place.

A weighted sum of facts is added to the log odds of the model's probability (`Certainty`): a logistic regression with an offset. The weights
are fitted on files written from top to bottom, of projects unseen by the model and the benchmarks (`python -m benchmarks.acceptance`). They
are the same for all models; a model's `Certainty` says how far to trust its own probabilities.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....common.brackets import OPENERS
from ....common.line_ends import line_start
from ....common.words import compiled

if TYPE_CHECKING:
    from ....model import Certainty
    from ....model.decoding.types import Passed

FILE = Path(__file__).with_name("acceptance.json")
_FITTED: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
WEIGHTS: Mapping[str, float] = _FITTED["weights"]
USUALLY: float = _FITTED["usual"]
"""The share of usual texts, used for a text without evidence from n-grams."""
THRESHOLD: float = _FITTED["threshold"]
"""The least probability of a text shown unasked, if it is worth reading; a user may choose another."""
_MATCHERS = tuple(
    (kind, re.compile(rf"(?:{before})\Z"))
    for kind, before in (
        ("line", r"^\s*"),
        ("dot", r"\."),
        ("bracket", r"[(\[{]\s*"),
        ("quote", r"[\"'`]"),
        ("value", r"[:=]\s*"),
        ("comma", r",\s*"),
        ("word", r"\w"),
        ("keyword", r"^\s*(?:\}\s*)?[a-z]+ "),
    )
)
KINDS = (*(kind for kind, _ in _MATCHERS), "comment", "string", "operand")
"""The kinds of text before a cursor: nothing in its line, a dot, an opening bracket, and so on."""
_NAME = compiled(r"[^\W\d]\w*")
_WORD_BEGUN = compiled(r"\w+\Z")
_LAST = compiled(r"\w+\W*\Z|\S\s*\Z")  # the last word or sign before the cursor
_ABOVE = 20_000  # characters of the left context to read
_BELOW = 400  # of the right one
_LINE = 200
_SHORTEST_LINE = 4  # whose equality with a line above means something
_MOST_NAMES = 3
_MOST_BEGUN = 6  # letters
_NEARLY = 1e-4  # the distance kept from 0 and 1, which have no odds
_CODE = compiled(r"[^\s)\]}\"'`:]")

Usual = Callable[[str, str], "bool | None"]
"""(left context, text) -> whether n-grams find each of its tokens the most probable; None: unknown"""


@dataclass(frozen=True)
class Situation:
    """A place where texts are judged, with its facts."""

    left: str
    right: str
    region: str
    """code, comment or string"""

    @cached_property
    def rest(self) -> str:
        """The cursor's line behind the cursor."""
        return self.right.splitlines()[0] if self.right else ""

    @cached_property
    def below(self) -> bool:
        """Whether more than closing brackets stands behind the cursor."""
        return _CODE.search(self.right[:_BELOW]) is not None

    @cached_property
    def before(self) -> str:
        """The line up to the cursor, or its end."""
        return self.left[line_start(self.left) :][-_LINE:]

    @cached_property
    def above(self) -> str:
        """The lines above, within reach."""
        return self.left[-_ABOVE : len(self.left) - len(self.before)]

    @cached_property
    def names(self) -> frozenset[str]:
        """The names in the left context."""
        return frozenset(_NAME.findall(self.above + self.before))

    @cached_property
    def kind(self) -> str:
        """One of `KINDS`."""
        if self.region == "comment":
            return "comment"
        matched = next((kind for kind, before in _MATCHERS if before.search(self.before)), "operand")
        return "string" if self.region == "string" and matched != "quote" else matched

    def facts(self, text: str, odds: float, usual: float) -> dict[str, float]:
        """The features of a text, besides the model's log odds. usual: how usual n-grams find it (0 to 1)."""
        code, depth = text.strip(), _depth(text)
        begun, last = _WORD_BEGUN.search(self.before), _LAST.search(self.before)
        names = _NAME.findall((begun[0] if begun else "") + text)
        line = (self.before + text).strip()
        return {
            "always": 1.0,
            **{f"at {kind}": float(kind == self.kind) for kind in KINDS},
            "usual": usual,
            "below": float(self.below),
            "odds if below": odds * self.below,
            "something behind": float(bool(self.rest.strip())),
            "opens": float(depth > 0),
            "closes": float(depth < 0),
            "one sign": float(len(code) == 1),
            "ends in word": float(code[-1:].isalnum()),
            "ends a part": float(code[-1:] in (",", ";")),
            "letters begun": float(min(len(begun[0]) if begun else 0, _MOST_BEGUN)),
            "digits": float(any(map(str.isdigit, code))),
            "new names": float(min(sum(name not in self.names for name in names), _MOST_NAMES)),
            "said above": float(len(code) > 1 and code in self.above),
            "said so above": float((last[0] if last else "") + text in self.above),
            "line above": float(len(line) >= _SHORTEST_LINE and line in self.above),
        }


@dataclass(frozen=True)
class Judge:
    """Judges texts at a place."""

    situation: Situation
    model: Certainty
    usual: Usual = lambda left, text: None
    _unusual: list[str] = field(default_factory=list[str], repr=False)  # unusual texts; longer ones are unusual, too

    def probability(self, text: str, trail: Sequence[Passed]) -> float:
        """The probability that a text is typed. trail: the places passed up to its end."""
        odds = log_odds(trail, self.model)
        facts = self.situation.facts(text, odds, self.usual_share(text))
        return logistic(odds + sum(weight * facts[name] for name, weight in WEIGHTS.items()))

    def usual_share(self, text: str) -> float:
        """How usual a text is: 0 or 1, or the share of usual texts if nobody knows."""
        if any(map(text.startswith, self._unusual)):
            return 0.0
        usual = self.usual(self.situation.left, text)
        if usual is False:
            self._unusual.append(text)
        return USUALLY if usual is None else float(usual)


def log_odds(trail: Sequence[Passed], model: Certainty) -> float:
    """The log odds of a text by the model's own probability: a longer text is not more probable than its beginning."""
    return logit(model.probability(min(passed.log_prob for passed in trail)))


def logit(probability: float) -> float:
    """The log odds of a probability."""
    return math.log(max(probability, _NEARLY) / max(1 - probability, _NEARLY))


def logistic(log_odds: float) -> float:
    """The probability with these log odds."""
    return 1 / (1 + math.exp(-log_odds))


def _depth(text: str) -> int:
    """The number of brackets a text leaves open; below zero, the number it closes of those open before."""
    opened, closed = list[str](), 0
    for char in text:
        if char in "([{":
            opened.append(char)
        elif char in OPENERS:
            if opened:
                opened.pop()
            else:
                closed += 1
    return len(opened) or -closed
