"""How probable a text is, each of its tokens among those that may come in its place, worked out where somebody wants to know.

To find the share of the allowed tokens (`allowed_mass`) asks the constraint dozens of times. But the model's own log probability of a text is
never more than that among them, and mostly that answers the question.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


class Share:
    """The log probability in nats of all tokens that may come at a place; it is found once, and keeps nothing of the place then."""

    __slots__ = ("_ask", "_log")

    def __init__(self, ask: Callable[[], float] | None = None) -> None:
        """ask: finds it, in nats; None: all tokens may come."""
        self._ask, self._log = ask, 0.0

    @property
    def log(self) -> float:
        if self._ask is not None:
            self._log, self._ask = self._ask(), None
        return self._log

    @property
    def most(self) -> float:
        """The upper bound, without looking."""
        return self._log if self._ask is None else 0.0


ALL = Share()
"""Every token may come."""


@dataclass(frozen=True, slots=True, eq=False)
class Among:
    """The log probability in nats of a text, each token's among those that may come: a list of tokens, the last one first."""

    before: Among | None = None
    token: float = 0.0  # log probability of the last one, among all tokens
    share: Share = ALL

    @property
    def log_prob(self) -> float:
        return sum((link.token - link.share.log for link in self._links()), 0.0)

    @property
    def least(self) -> float:
        """The lower bound, without looking."""
        return sum((link.token - link.share.most for link in self._links()), 0.0)

    def reaches(self, enough: float) -> bool:
        """Whether it is so much; the token that can gain most is looked at first."""
        least = self.least
        for link in sorted(self._links(), key=lambda link: link.token):
            if least >= enough:
                return True
            least += link.share.most
            least -= link.share.log
        return self.log_prob >= enough

    def _links(self) -> Sequence[Among]:
        """The tokens, the first one first."""
        links: list[Among] = []
        link: Among | None = self
        while link is not None:
            links.append(link)
            link = link.before
        return links[::-1]


NO_TOKENS = Among()
