"""Several completions of one hole: walks that branch off where the model was least decided.

The first walk is that of `complete`. At each of its steps the next best tokens are kept as forks, with the model's probability of the text up
to and including them; the most probable fork is taken next and followed to its end in the same way (best-first, greedy rollouts), until there
are enough different texts or the time is over. So the early places of hesitation come first. All walks share the KV cache of the prompt, and
of the text up to the fork.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from itertools import count
from time import perf_counter

import numpy as np

from . import constrained
from .among import ALL, Among, Share
from .constrained import Outcome
from .hypothesis import Hypothesis, Request, unheard
from .reader import Step
from .scoring import of_text
from .token_step import DecodingState

_WIDTH = 4  # tokens of a step worth a fork
_LEAST = -7.0  # nats: a text less likely than one in a thousand is no alternative


@dataclass(slots=True)
class BranchQueue:
    """The forks not taken yet, most probable first."""

    request: Request
    queue: list[tuple[float, int, Hypothesis, int | None, Among]] = field(
        default_factory=list[tuple[float, int, Hypothesis, int | None, Among]]
    )
    order: "count[int]" = field(default_factory=count)

    def see(self, walk: Hypothesis, step: Step) -> None:
        """Remember the alternatives at a step's place."""
        row, ends = constrained.row_at(self.request, walk), self.request.driver.end_set
        may_end = walk.position.closed and walk.points[-1].complete and step.following is not None
        if may_end and walk.text.strip() and not self.request.options.fullest:
            self._add(walk.points[-1].end, ALL, walk, None)
        for token in row.top(_WIDTH):
            if token != step.token and token not in ends:
                self._add(row.log_prob(token), step.share, walk, token)

    def _add(self, own: float, share: Share, walk: Hypothesis, token: int | None) -> None:
        """own: the log probability of the token, or of an end; share: of the tokens allowed there."""
        log_prob = walk.log_prob + own
        if log_prob >= _LEAST:
            heappush(self.queue, (-log_prob, next(self.order), walk, token, Among(walk.among, own, share)))

    def pop(self) -> tuple[Hypothesis, int | None] | None:
        """The most probable fork that is probable enough; None if no other is. What is allowed at its places is asked only now."""
        least = self.request.options.least_log_prob
        while self.queue:
            log_prob, _, walk, token, among = heappop(self.queue)
            if -log_prob >= least or among.reaches(least):
                return walk, token
        return None


def explore(
    request: Request,
    position: DecodingState,
    wanted: int,
    deadline: float,
    least_score: Callable[[Outcome], float] | None = None,
) -> list[Outcome]:
    """Up to `wanted` complete outcomes with different texts, the first walk's first; after the deadline no other begins.

    least_score: maps the first outcome to the score the others must reach; those that cannot are given up.
    """
    forks = BranchQueue(request)
    first = constrained.generate(request, constrained.start(request, position), forks.see)
    by_text = {first.text: _scored(request, first, position)}
    if first.cancelled or not (first.complete or first.ended == "uncertain"):
        return list(by_text.values())

    def over() -> bool:
        return request.cancelled() or perf_counter() > deadline

    # Only the first text is streamed.
    later = replace(request, cancelled=over, on_text=unheard, on_back=unheard, deadline=math.inf)
    if least_score is not None:
        later = replace(later, least_score=least_score(by_text[first.text]))
    given_up = 0
    while len(by_text) + given_up < wanted and not over() and (fork := forks.pop()) is not None:
        walk, token = fork
        outcome = constrained.ended_at(walk) if token is None else _follow(later, walk, token, forks)
        given_up += outcome is not None and outcome.ended == "uncertain" and not outcome.text
        if outcome is not None and outcome.complete and not outcome.cancelled and outcome.text.strip():
            if outcome.text not in by_text:
                by_text[outcome.text] = _scored(later, outcome, position)
    return list(by_text.values())


def _follow(request: Request, walk: Hypothesis, token: int, forks: BranchQueue) -> Outcome | None:
    """The end of a fork; None if its token is not allowed."""
    request.driver.rewind((*request.prompt, *walk.ids))
    step = constrained.read(request, walk, token)
    if step is None or step.following is None:
        return None
    return constrained.generate(request, constrained.take(request, walk, step), forks.see)


def _scored(request: Request, outcome: Outcome, position: DecodingState) -> Outcome:
    """The outcome with its score; the model has to read it again if a bridge or a cut ended it."""
    if outcome.score is not None or not outcome.text:
        return outcome
    text = position.forced.decode(errors="ignore") + outcome.text
    driver = request.driver
    with driver.clock.running():
        score = of_text(driver.model, request.prompt, text, driver.ends)
    return replace(outcome, score=score)


def ranked(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The best score first, then those without a score, and an empty one last."""

    def rank(outcome: Outcome) -> tuple[bool, float]:
        return bool(outcome.text.strip()), -np.inf if outcome.score is None else outcome.score

    return sorted(outcomes, key=rank, reverse=True)
