"""Going back a few tokens after the refusal of a token the model was nearly sure of.

The text the model then has to write instead is often one nobody would write (`**kwargs` behind `**kwargs`): the choice that led there was the
mistake. So the alternatives to the last tokens are kept; if one of them makes the text up to here likelier, it is taken.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .row import Row

if TYPE_CHECKING:
    from .hypothesis import Hypothesis
    from .reader import Step

_REFUSED = 0.5  # the model's probability of a refused token
_UNLIKELY = math.log(0.1)  # and at most that of the one taken instead
_REACH = 4  # tokens back
_SIBLINGS = 3  # alternatives to a token
_TRIED = 3  # forks, each as many steps as it lies back, and one more
_MOST = 4  # corners of a text


@dataclass(frozen=True, slots=True)
class Fork:
    """A passed place, and a token that might have come there."""

    walk: Hypothesis
    token: int
    log_prob: float  # nats, of the text up to and including the token


@dataclass(slots=True)
class RecentPlaces:
    """The places of the last tokens, with the logits there."""

    _places: deque[tuple[Hypothesis, Step, Row]] = field(
        default_factory=lambda: deque[tuple["Hypothesis", "Step", Row]](maxlen=_REACH)
    )
    _left: int = _MOST

    def passed(self, walk: Hypothesis, step: Step, row: Row) -> None:
        """Remember the place of a step, with the model's logits."""
        if not walk.position.forced:
            self._places.append((walk, step, row))

    def in_corner(self, walk: Hypothesis, step: Step, row: Row, ends: frozenset[int]) -> bool:
        """Whether the model was nearly sure of another token, refused, and there is a way back.

        Its wish to end is another matter (`Hypothesis.first_eos_wish`).
        """
        if walk.position.forced or step.log_prob > _UNLIKELY or not (self._places and self._left):
            return False
        best = row.best
        return best not in ends and row.log_prob(best) >= math.log(_REFUSED)

    def forks(self, least: float) -> list[Fork]:
        """The likeliest other choices with a log probability above `least`; the places are forgotten."""
        self._left -= 1
        forks: list[Fork] = []
        for walk, step, row in self._places:
            for token in row.top(_SIBLINGS + 1):
                log_prob = walk.log_prob + row.log_prob(token)
                if token != step.token and log_prob > least:
                    forks.append(Fork(walk, token, log_prob))
        self._places.clear()
        return sorted(forks, key=lambda fork: -fork.log_prob)[:_TRIED]
