"""A completion with a record of each step: the tokens the model wanted, and those the constraint refused."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...common.constraint import Constraint, never
from ...common.utf8 import split_utf8
from ..runtime.base import Model
from . import constrained
from .api import ask, ignore, request_of, settled
from .constrained import OnStep
from .driver import ModelCursor, forced_logits
from .hypothesis import Hypothesis, Request
from .reader import Step
from .token_step import DecodingState, TokenChecker
from .types import Options


@dataclass(frozen=True, slots=True)
class Candidate:
    """A token found probable by the model."""

    text: str
    probability: float  # before the constraint
    allowed: bool
    dead_at: int | None  # the first character of the text not allowed here
    end: bool  # a wish to end, without text
    chosen: bool
    reason: str | None = None  # why more than syntax refuses it, in words


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """One step: the text before it, and the candidates, the most probable first."""

    before: str
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class Replay:
    """A completion and its steps."""

    text: str
    ended: str
    model_ms: float
    constraint_ms: float
    steps: tuple[ReplayStep, ...]
    hidden: str = ""
    """why nothing of it is shown, in the words of whoever decides"""


def replay(
    model: Model,
    constraint: Constraint,
    left: str,
    right: str,
    options: Options = Options(),  # noqa: B008 (frozen)
    *,
    text: str | None = None,
    shown: int = 6,
    cancelled: Callable[[], bool] = never,
) -> Replay | None:
    """Complete a hole like `complete` in constrained mode, and keep the `shown` best candidates of each step.

    With `text`, a known completion, the steps are those leading to it: perhaps it was preferred to others as a whole, cut where the model was
    no longer sure, or ended by a bridge.
    """
    with request_of(model):
        asked = ask(model, constraint, left, right, options, cancelled, ignore)
        if asked is None:
            return None
        request, position, _ = asked
        steps: list[ReplayStep] = []
        places: list[int] = []  # of the steps, in the generated ids

        def look(walk: Hypothesis, step: Step) -> None:
            spelling = request.driver.model.vocabulary.bytes_of[step.token] or b""
            if walk.position.forced and walk.position.forced.startswith(spelling):
                return  # the text before the cursor is being spelled again, nothing else
            while places and places[-1] >= len(walk.ids):  # another choice is made there
                places.pop()
                steps.pop()
            places.append(len(walk.ids))
            steps.append(ReplayStep(walk.text, _candidates(request.driver, walk, step, shown)))

        if text is not None:
            _follow(request, position, text, look)
            return Replay(text, "", request.driver.clock.ms, request.clock.ms, tuple(steps))
        outcome = constrained.generate(request, constrained.start(request, position), look)
        outcome = settled(outcome, request, constraint)
        return Replay(outcome.text, outcome.ended, request.driver.clock.ms, request.clock.ms, tuple(steps))


def _follow(request: Request, position: DecodingState, text: str, on_step: OnStep) -> None:
    """Walk along a text, by the most probable of the tokens that spell it at each step, and look at its end."""
    end, target = len(text.encode()), (text + request.remainder).encode()
    driver, walk, spelled = request.driver, constrained.start(request, position), 0
    while not (request.cancelled() or driver.full or walk.cut):
        walk = constrained.arrived(request, walk)
        if spelled >= end and not walk.position.forced:
            if _is_whole(walk):
                ends = list(driver.end_set)
                on_step(walk, Step(ends[int(driver.logits()[ends].argmax())], None))
            return
        followed = _next(request, walk, target[spelled:])
        if followed is None:
            return
        step, new = followed
        on_step(walk, step)
        walk, spelled = constrained.take(request, walk, step), spelled + new


def _is_whole(walk: Hypothesis) -> bool:
    """Whether the text may end here, perhaps before the right context's beginning, also spelled by the model."""
    return walk.position.closed and (walk.points[-1].complete or walk.points[-1].ready)


def _next(request: Request, walk: Hypothesis, rest: bytes) -> tuple[Step, int] | None:
    """The most probable token that spells the forced bytes and then the beginning of `rest`, and the length of that."""
    forced = walk.position.forced
    ranked: list[int] = np.argsort(-request.driver.logits()).tolist()
    for token in ranked:
        spelling = request.driver.model.vocabulary.bytes_of[token] or b""
        if spelling and (forced + rest).startswith(spelling):
            step = constrained.read(request, walk, token)
            if step is not None and step.following is not None:
                return step, max(0, len(spelling) - len(forced))
    return None


def _candidates(driver: ModelCursor, walk: Hypothesis, step: Step, shown: int) -> tuple[Candidate, ...]:
    forced = walk.position.forced
    logits = forced_logits(driver.logits(), forced, driver) if forced else driver.logits()
    best = np.argsort(-logits)[:shown]
    if step.token not in best:  # the constraint reached further down for it
        best = np.append(best, step.token)
    shares = np.exp(logits - logits.max())
    shares /= shares.sum()
    looks = TokenChecker(walk.position)
    complete = _is_whole(walk)
    candidates: list[Candidate] = []
    ranked: list[int] = best.tolist()
    for token in ranked:
        end = token in driver.end_set
        spelling = driver.model.vocabulary.bytes_of[token] or b""
        allowed = complete if end else looks.read(spelling) is not None
        if forced and (logits[token] == -np.inf or len(spelling) <= len(forced)):
            continue  # more than the text before the cursor
        text, dead_at, reason = _shown(walk, spelling[len(forced) :], allowed or end)
        if end and not allowed:
            reason = walk.position.state.refusal("")
        candidates.append(Candidate(text, float(shares[token]), allowed, dead_at, end, token == step.token, reason))
    return tuple(candidates)


def _shown(walk: Hypothesis, spelling: bytes, whole: bool) -> tuple[str, int | None, str | None]:
    """A token's text for a person, the place where it dies, and the reason."""
    split = split_utf8(walk.position.pending + spelling)
    if split is None:
        return spelling.decode(errors="replace"), 0, None
    text, rest = split
    shown = text + rest.decode(errors="replace")
    if whole:
        return shown, None, None
    state: Constraint = walk.position.state
    for offset, letter in enumerate(text):
        following = state.advance(letter)
        if following is None:
            return shown, offset, state.refusal(letter)
        state = following
    return shown, len(text), None
