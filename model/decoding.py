"""Completing a hole: the model's tokens, held to the constraint, and always brought to an end.

Constrained mode takes at each step the model's choice among the tokens that keep the hole completable. It ends where the
model ends it and the hole is complete. When the model wants to end elsewhere, or the budget is spent, the best earlier place
where the hole was complete is taken; if there is none, the model has a few more tokens to connect to the right context by
itself, before the shortest bridge does it (`ending`). In the modes for comparison the model runs freely: "unconstrained" is its
text, "checked" the prefix of it at which the hole is complete and the model would most probably have ended (checked
unconstrained generation: Melcer et al.).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from . import prompt, sampling
from .completion import Completion, Ended, Options
from .constraint import Constraint
from .driver import Clock, Driver
from .ending import Point, choose_bridge, choose_earlier, log_mass
from .runtime import Model
from .stepping import Looks, Position

_HEALING_STEPS = 1  # the token that spells the forced bytes again
_GRACE = (
    6  # tokens after the model first wanted to end where it may not; a few steps cost less than a search for a bridge
)

OnText = Callable[[str], None]


def never() -> bool:
    """The request is not cancelled."""
    return False


def ignore(piece: str) -> None:
    """Nobody reads along."""


def complete(
    model: Model,
    constraint: Constraint,
    left: str,
    right: str,
    options: Options = Options(),  # noqa: B008 (frozen)
    *,
    cancelled: Callable[[], bool] = never,
    on_text: OnText | None = None,
) -> Completion:
    """Complete the hole between `left` and `right`, of which `constraint` is the state with nothing generated yet.

    `cancelled` is asked between two tokens; `on_text` gets each piece as it is generated (in constrained mode each is
    viable; the result is a prefix of them, or that with a bridge). One thread at a time for one model.
    """
    started = perf_counter()
    driver, clock = Driver(model, cancelled), Clock()
    room = model.runtime.limit - model.template.overhead - _HEALING_STEPS
    budget = min(options.context_tokens or model.context_tokens, room - min(options.max_tokens, room // 2))
    asked = prompt.build(model, left, right, budget=max(budget, 1), heal=options.heal, path=options.path)
    if not driver.prefill(asked.ids):
        outcome = _Outcome("", 0, "length", constraint.complete, cancelled=True)
    else:
        generate = _constrained if options.mode == "constrained" else _free
        outcome = generate(driver, Position(constraint, asked.forced), options, clock, on_text or ignore)
    return Completion(
        text=outcome.text,
        tokens=outcome.tokens,
        ended=outcome.ended,
        complete=outcome.complete,
        model_ms=driver.clock.ms,
        constraint_ms=clock.ms,
        total_ms=(perf_counter() - started) * 1e3,
        cancelled=outcome.cancelled,
    )


@dataclass(frozen=True, slots=True)
class _Outcome:
    text: str
    tokens: int
    ended: Ended
    complete: bool
    cancelled: bool = False


def _constrained(driver: Driver, position: Position, options: Options, clock: Clock, on_text: OnText) -> _Outcome:
    random = np.random.default_rng(options.seed)
    points: list[Point] = []
    if not position.closed:  # nothing is known yet but that a bridge may start here
        with clock.running():
            points.append(Point(position.state, "", 0, len(driver.sequence), position.state.complete))
    used: list[int] = []  # ids after the prompt
    text, tokens, lines_full = "", 0, False
    wished: int | None = None  # the point at which the model first wanted to end and could not
    most = options.max_tokens
    while True:
        if driver.cancelled():
            return _cancelled(points)
        complete_here = False
        if position.closed:
            with clock.running():
                complete_here = position.state.complete
            points.append(Point(position.state, text, tokens, len(driver.sequence), complete_here))
            if complete_here:
                if lines_full:
                    return _Outcome(text, tokens, "length", True)
                if wished is not None and text:  # the end that it wanted, where it first may
                    return _Outcome(text, tokens, "model", True)
                points[-1].end = log_mass(driver.logits(), driver.ends)
        if lines_full or driver.full or tokens >= most:
            break
        if wished is None and position.closed and not complete_here and _wants_to_end(driver):
            if choose_earlier(points) is not None:
                break
            wished, most = len(points), min(most, tokens + _GRACE)
        token, following = _next(driver, position, complete_here, used, options, random, clock)
        if token is None:
            break
        if following is None:
            return _Outcome(text, tokens, "model", True)
        driver.append(token)
        used.append(token)
        following, lines_full = _within_lines(position, following, text, options.max_lines)
        position = following
        if position.piece or position.pending:
            tokens += 1
        if position.piece:
            text += position.piece
            on_text(position.piece)
    return _ended_well(driver, points, clock, wished)


def _wants_to_end(driver: Driver) -> bool:
    return int(driver.logits().argmax()) in driver.end_set


def _next(
    driver: Driver,
    position: Position,
    complete_here: bool,
    used: list[int],
    options: Options,
    random: np.random.Generator,
    clock: Clock,
) -> tuple[int | None, Position | None]:
    """The next token and the position after it; no position for an end, no token when none is valid."""
    logits = driver.logits().copy()
    spellings = driver.model.vocabulary.bytes_of
    ends = driver.end_set
    if position.forced:
        _force(logits, position.forced, driver)
    sampling.penalise(logits, used, options.repetition_penalty)
    looks = Looks(position)
    found: dict[int, Position] = {}

    def valid(token: int) -> bool:
        if token in ends:
            return complete_here
        with clock.running():
            following = looks.read(spellings[token] or b"")
        if following is not None:
            found[token] = following
        return following is not None

    token = sampling.choose(logits, valid, options, random)
    return token, found.get(token) if token is not None else None


def _force(logits: np.ndarray, forced: bytes, driver: Driver) -> None:
    """Leave only the tokens that start with the bytes to be spelled."""
    # The token taken back is one of them, so there is always one, and one step is enough.
    kept = np.array([i for i in driver.model.vocabulary.starting_with(forced) if i < len(logits)], dtype=np.int64)
    values = logits[kept]
    logits[:] = -np.inf
    logits[kept] = values


def _within_lines(position: Position, following: Position, text: str, max_lines: int | None) -> tuple[Position, bool]:
    """The position cut back to before the newline that is too many, and whether it was cut."""
    piece = following.piece
    if max_lines is None or ("\n" not in piece and "\r" not in piece):
        return following, False
    for end, letter in enumerate(piece):
        if letter in "\r\n" and _newlines(text + piece[: end + 1]) > max_lines:
            state = position.state.advance(piece[:end]) if end else position.state
            assert state is not None, "what starts a viable text is viable"
            return Position(state, b"", b"", piece[:end]), True
    return following, False


def _newlines(text: str) -> int:
    return text.count("\n") + text.count("\r") - text.count("\r\n")


def _ended_well(driver: Driver, points: list[Point], clock: Clock, wished: int | None) -> _Outcome:
    """The end of a generation that the model did not end itself: an earlier point, a bridge, and at last nothing.

    `wished`: how many of the points had been passed when the model first wanted to end, and so where to look first.
    """
    earlier = choose_earlier(points)
    if earlier is not None:
        return _Outcome(earlier.text, earlier.tokens, "length" if earlier is points[-1] else "earlier", True)
    bridged = choose_bridge(points[:wished], driver, clock)
    if bridged is None and wished is not None:
        bridged = choose_bridge(points[wished:], driver, clock)
    if bridged is not None:
        point, bridge = bridged
        return _Outcome(point.text + bridge, point.tokens, "bridge", True)
    if points and points[0].complete:
        return _Outcome("", 0, "earlier", True)
    if points:
        return _Outcome(points[-1].text, points[-1].tokens, "length", False)
    return _Outcome("", 0, "length", False)


def _cancelled(points: list[Point]) -> _Outcome:
    best = choose_earlier(points)
    if best is not None:
        return _Outcome(best.text, best.tokens, "earlier", True, cancelled=True)
    return _Outcome("", 0, "length", bool(points) and points[0].complete, cancelled=True)


def _free(driver: Driver, position: Position, options: Options, clock: Clock, on_text: OnText) -> _Outcome:
    """The model alone; `position` is followed as long as it lives, to know where the text could have ended."""
    random = np.random.default_rng(options.seed)
    start, forced = position.state, position.forced
    alive: Position | None = position
    points: list[Point] = []
    used: list[int] = []
    spelled, tokens, ended = b"", 0, "length"
    ends = driver.end_set
    checked = options.mode == "checked"
    while not driver.cancelled():
        if checked and alive is None:
            break
        if alive is not None and alive.closed:
            with clock.running():
                complete_here = alive.state.complete
            if complete_here:
                points.append(Point(alive.state, spelled.decode(), tokens, len(driver.sequence), True))
                if checked:
                    points[-1].end = log_mass(driver.logits(), driver.ends)
        if driver.full or tokens >= options.max_tokens:
            break
        logits = driver.logits().copy()
        if forced:
            _force(logits, forced, driver)
        sampling.penalise(logits, used, options.repetition_penalty)
        token = sampling.choose(logits, lambda _: True, options, random)
        if token is None or token in ends:
            ended = "model"
            break
        driver.append(token)
        used.append(token)
        spelling = driver.model.vocabulary.bytes_of[token] or b""
        shared = min(len(forced), len(spelling))
        forced, new = forced[shared:], spelling[shared:]
        if alive is not None:
            with clock.running():
                alive = Looks(alive).read(spelling)
        if new:
            spelled += new
            tokens += 1
            on_text(new.decode(errors="replace"))
    outcome = _Outcome(spelled.decode(errors="replace"), tokens, ended, False, driver.cancelled())  # type: ignore[arg-type]
    with clock.running():
        after = start.advance(outcome.text) if outcome.text else start
        outcome = replace(outcome, complete=after is not None and after.complete)
    if not checked or (outcome.complete and ended == "model"):
        return outcome
    best = choose_earlier(points) or (points[0] if points else None)
    if best is None:
        return outcome
    return _Outcome(best.text, best.tokens, "length" if best.tokens == tokens else "earlier", True, outcome.cancelled)
