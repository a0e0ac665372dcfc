"""The probability of a text, each of its tokens among those allowed in its place, computed on demand.

To find the share of the allowed tokens (`allowed_mass`), the constraint is asked dozens of times. But the model's own log probability of a
text never exceeds that among them, and mostly answers the question.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


class Share:
    """The log probability in nats of all tokens allowed at a place, computed once; then the place is freed."""

    __slots__ = ("_ask", "_log")

    def __init__(self, ask: Callable[[], float] | None = None) -> None:
        """ask: computes it, in nats; None: all tokens are allowed."""
        self._ask, self._log = ask, 0.0

    @property
    def log(self) -> float:
        if self._ask is not None:
            self._log, self._ask = self._ask(), None
        return self._log

    @property
    def most(self) -> float:
        """The upper bound, without computing it."""
        return self._log if self._ask is None else 0.0


ALL = Share()
"""Every token is allowed."""


@dataclass(frozen=True, slots=True, eq=False)
class Among:
    """The log probability in nats of a text, each token's among those allowed: a linked list of tokens, the last one first."""

    before: Among | None = None
    token: float = 0.0  # log probability of the last one, among all tokens
    share: Share = ALL

    @property
    def log_prob(self) -> float:
        return sum((link.token - link.share.log for link in self._links()), 0.0)

    @property
    def least(self) -> float:
        """The lower bound, without computing it."""
        return sum((link.token - link.share.most for link in self._links()), 0.0)

    def reaches(self, enough: float) -> bool:
        """Whether it is at least `enough`; the token with the most to gain is computed first."""
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
