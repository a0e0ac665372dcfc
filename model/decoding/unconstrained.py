"""The modes for comparison: the model runs freely, and the constraint only watches.

"unconstrained" is the model's text, "checked" its prefix with a complete hole at which the model would most probably have ended (checked
unconstrained generation: Melcer et al.).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from . import sampling
from .constrained import Outcome
from .driver import forced_logits
from .hypothesis import Request
from .scoring import log_prob_of, logsumexp, normalised
from .termination import StopPoint, choose_earlier
from .token_step import DecodingState


def generate(request: Request, position: DecodingState) -> Outcome:
    """The model alone; `position` is followed as long as it lives, to know where the text could have ended."""
    driver, options, clock = request.driver, request.options, request.clock
    start, forced = position.state, position.forced
    alive: DecodingState | None = position
    points: list[StopPoint] = []
    used: list[int] = []
    spelled, tokens, ended, log_prob = b"", 0, "nothing", 0.0
    score: float | None = None
    ends = driver.end_set
    checked = options.mode == "checked"
    while not request.cancelled():
        if checked and alive is None:
            break
        if alive is not None and alive.closed:
            with clock.running():
                complete_here = alive.state.complete
            if complete_here:
                end = log_prob_of(driver.logits(), driver.ends) if checked else -np.inf
                points.append(
                    StopPoint(alive.state, spelled.decode(), tokens, len(driver.sequence), True, log_prob, end)
                )
        if driver.full or tokens >= options.max_tokens:
            ended = "length"
            break
        logits = forced_logits(driver.logits(), forced, driver) if forced else driver.logits()
        if forced and driver.model.served is not None and not np.isfinite(logits.max()):
            driver.ask_among(driver.model.vocabulary.starting_with(forced))
            logits = forced_logits(driver.logits(), forced, driver)
        weighed = logits.copy()
        sampling.penalise(weighed, used, options.repetition_penalty)
        token = sampling.choose(weighed, lambda _: True, options, request.random)
        if token is None or token in ends:
            ended, score = "model", normalised(log_prob + log_prob_of(logits, driver.ends), tokens)
            break
        log_prob += float(logits[token]) - logsumexp(logits)
        driver.append(token)
        used.append(token)
        spelling = driver.model.vocabulary.bytes_of[token] or b""
        shared = min(len(forced), len(spelling))
        forced, new = forced[shared:], spelling[shared:]
        if alive is not None:
            with clock.running():
                alive = alive.after(spelling)
        if new:
            spelled += new
            tokens += 1
            request.on_text(new.decode(errors="replace"))
    text = spelled.decode(errors="replace")
    outcome = Outcome(text, tokens, ended, False, request.cancelled(), score)  # type: ignore[arg-type]
    with clock.running():
        after = start.advance(outcome.text) if outcome.text else start
        outcome = replace(outcome, complete=after is not None and after.complete)
    if not checked or (outcome.complete and ended == "model"):
        return outcome
    return _cut_back(points, outcome)


def _cut_back(points: Sequence[StopPoint], outcome: Outcome) -> Outcome:
    """The text up to the best point at which the file parsed; unchanged if there was none."""
    best = choose_earlier(points, blank=True) or (points[0] if points else None)
    if best is None:
        return outcome
    ended = outcome.ended if best.tokens == outcome.tokens and outcome.ended == "length" else "earlier"
    score = normalised(best.log_prob + best.end, best.tokens)
    return Outcome(best.text, best.tokens, ended, True, outcome.cancelled, score)
