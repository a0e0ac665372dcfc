"""Generation under a constraint, always brought to an end.

A walk takes at each step the model's choice among the tokens that keep the hole completable. It ends where the model ends it and the hole is
complete, or where the model would leave the hole. If the model wants to end elsewhere, or the budget is spent, the best earlier place with a
complete hole is taken; if there is none, the model has a few more tokens to connect to the right context by itself, before the shortest
bridge does (`ending`).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from ..errors import Cancelled
from ..prompting.suffix_healing import Remaining
from . import sampling, termination
from .allowed import allowed_tokens
from .among import Among
from .certain import certain_text
from .circles import first_copy_end
from .driver import ModelCursor
from .hypothesis import Hypothesis, Request, unheard
from .onward import Onward, followed, told
from .reader import ESCAPE, Reader, Step, missing, newlines, stays_inside, within_lines
from .row import Row
from .scoring import normalised
from .sidesteps import Fork, RecentPlaces
from .termination import StopPoint, breaks_off, choose_bridge, choose_earlier, ends_line, most_probable
from .token_step import DecodingState
from .types import Ended, Options

# Tokens after the model first wanted to end where it must not; a few steps cost less than a search for a bridge.
_GRACE = 6
# The same if the missing characters are known, and the text can be steered towards an end. The last tokens of the budget are steered, too: as
# many, but at most a quarter.
_CONNECTING = 16
_STEERED = 24  # the most probable tokens, among which a text that has to connect is steered
_PULL = 1.0  # nats per missing character left by a token, at the first steered step; as much more at each further one
_DOUBTED = 12  # tokens at a step, at most
_UNLIKELY = math.log(0.1)  # nats, at most: of the token taken instead
_LONG = (
    8  # characters of a bridge: a hole that needs no text is better left blank than ended by so much unintended text
)
_REFUSED = math.log(0.5)  # nats: a refused token at least so probable leaves the model in a corner


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a generation."""

    text: str
    tokens: int
    ended: Ended
    complete: bool
    cancelled: bool = False
    score: float | None = None  # None if it would need another pass of the model
    points: tuple[StopPoint, ...] = ()  # the places passed, some perhaps past its end
    first: tuple[StopPoint, ...] = ()  # the places passed by the first of several generations
    given_up: str = ""  # the text of the first when it was given up, including its last token


OnStep = Callable[[Hypothesis, Step], None]


def start(request: Request, position: DecodingState) -> Hypothesis:
    """A walk not begun yet."""
    if position.closed:
        return Hypothesis(position, request.most)
    # Nothing is known yet except that it could end here, or that a bridge could start here.
    with request.clock.running():
        complete = position.state.complete
    point = StopPoint(position.state, "", 0, len(request.prompt), complete)
    return Hypothesis(position, request.most, points=(point,))


def generate(request: Request, walk: Hypothesis, on_step: OnStep | None = None) -> Outcome:
    """Follow a walk to its end; the driver stands at its place. `on_step` sees each step before it is taken."""
    passed = walk

    def keep(walk: Hypothesis, step: Step | None) -> None:
        nonlocal passed
        passed = walk
        if on_step is not None and step is not None:
            on_step(walk, step)

    try:
        return _generate(request, walk, keep)
    except Cancelled:  # while waiting for a server
        return _cancelled(passed)


def _generate(request: Request, walk: Hypothesis, keep: Callable[[Hypothesis, Step | None], None]) -> Outcome:
    driver = request.driver
    recent = RecentPlaces()
    while True:
        if request.cancelled():
            return _cancelled(walk)
        least = request.options.least_log_prob
        if walk.log_prob < least and not walk.among.reaches(least):
            return _given_up(request, walk)
        if normalised(walk.log_prob, request.most) < request.least_score:
            return _nothing(walk)
        walk = arrived(request, walk)
        keep(walk, None)
        if (copied := _first_copy_end(request, walk)) is not None:
            walk = _back(request, walk, copied)
            if _may_go_back(request, walk):
                break
        if (point := _before_copy(request, walk)) is not None:
            return _at_earlier(request, walk, point)
        complete_here = walk.position.closed and walk.points[-1].complete
        if complete_here and walk.cut:
            if walk.cut == "model" and (earlier := _before_leaving(request, walk)) is not None:
                return _at_earlier(request, walk, earlier)
            score = normalised(walk.log_prob, walk.tokens)
            return Outcome(walk.text, walk.tokens, walk.cut, True, score=score, points=walk.points)
        may_end = _may_end(request, walk)
        if may_end and walk.first_eos_wish is not None and walk.text:  # the wanted end, at the first place allowed
            return ended_at(walk)
        if (
            walk.cut
            or driver.full
            or walk.tokens >= walk.most
            or termination.is_late(request.deadline, walk.points, walk.text, request.around.begun)
        ):
            break
        early = request.options.end_soon and walk.first_eos_wish is None and walk.position.closed and not complete_here
        if early and _wants_to_end(driver):
            if (ended := _ended_with_line(request, walk)) is not None:
                return ended
            if _may_go_back(request, walk):
                break
        if early and (_wants_to_end(driver) or _wants_line_to_end(request, walk)):
            most = min(walk.most, walk.tokens + _grace(walk.position))
            walk = replace(walk, first_eos_wish=len(walk.points), most=most)
        if complete_here and _writes_what_follows(request, walk):
            return ended_at(walk)
        step = _choose(request, walk, may_end)
        if step is None and complete_here and not may_end:
            step = _choose(request, walk, complete_here)
        if step is None:
            break
        if _may_sidestep(request, walk, step):
            if _is_stuck(request, walk, step) and _may_go_back(request, walk):
                break
            if recent.in_corner(walk, step, driver.row(), driver.end_set):
                fork = _likelier(request, walk, step, recent)
                driver.rewind((*request.prompt, *(walk if fork is None else fork.walk).ids))
                if fork is not None and (other := read(request, fork.walk, fork.token)) is not None:
                    walk, step = fork.walk, other
                    request.on_back(len(walk.text))
            else:
                recent.passed(walk, step, driver.row())
        keep(walk, step)
        if step.following is None:
            point = _before_copy(request, walk, final=True)
            if point is None and step.leaves:
                point = _before_leaving(request, walk)
            return ended_at(walk) if point is None else _at_earlier(request, walk, point)
        walk = take(request, walk, step)
    return _ended_well(request, walk)


def _may_end(request: Request, walk: Hypothesis) -> bool:
    """Whether the text may end here; on a blank line not while it is blank itself, which would change nothing."""
    complete_here = walk.position.closed and walk.points[-1].complete
    return complete_here and not (request.around.is_blank and not walk.text.strip())


def _may_go_back(request: Request, walk: Hypothesis) -> bool:
    """Whether there is a place to end at."""
    in_line = choose_earlier(walk.points) is not None
    return in_line or (request.around.is_cut_indentation and choose_earlier(walk.lines) is not None)


def _before_leaving(request: Request, walk: Hypothesis) -> StopPoint | None:
    """A better end than the place where a text left the hole; the model's further text is no measure of that place."""
    best = _earlier(request, walk) if request.options.block_column is None else None
    return None if best is walk.points[-1] else best


def _earlier(request: Request, walk: Hypothesis, blank: bool = False) -> StopPoint | None:
    """The best place to end at: if nothing follows on the hole's last line, preferably one where the text has ended a line."""
    if request.options.fullest and (last := termination.last_whole_line(walk.points, walk.text)) is not None:
        return last
    if request.around.ends_line:
        places = [point for point in (*walk.points, *walk.lines) if walk.text.startswith(point.text)]
        ended = [point for point in places if ends_line(point.text, walk.text[len(point.text) :])]
        whole = choose_earlier(ended, blank)
        if whole is not None and whole.text.strip():
            return whole
    best, line = choose_earlier(walk.points, blank), choose_earlier(walk.lines)
    if best is None or (line is not None and request.around.breaks and line.worth > best.worth):
        return line
    return best


def _first_copy_end(request: Request, walk: Hypothesis) -> int | None:
    """The end, in characters, of the first of several copies, if the text goes in circles and is not yet being ended."""
    ending = walk.first_eos_wish is not None or walk.cut is not None
    return None if ending or not request.options.end_soon or not walk.position.closed else first_copy_end(walk.text)


def _before_copy(request: Request, walk: Hypothesis, *, final: bool = False) -> StopPoint | None:
    """The place before a copy of the text behind the hole, if the text ends with one and the hole is complete before it.

    Writing the copy was a wish to end there: it counts as the end's probability.
    """
    length = request.around.copied_from(walk.text, final=final) if walk.position.closed else None
    if length is None:
        return None
    before = [point for point in walk.points if len(point.text) <= length]
    if not before:
        return None
    point = before[-1]
    with request.clock.running():
        rest = walk.text[len(point.text) : length]
        state = point.state.advance(rest) if rest else point.state
        if state is None:
            return None
        complete = state.complete
        ready = isinstance(state, Remaining) and state.ready and not complete
    end = walk.log_prob - point.log_prob
    text = walk.text[:length]
    copied = replace(point, state=state, text=text, complete=complete, ready=ready, end=end)
    return copied if complete or ready else None


def _back(request: Request, walk: Hypothesis, length: int) -> Hypothesis:
    """The walk at the last point with at most so many characters, to be brought to an end from there."""
    count = max(1, sum(len(point.text) <= length for point in walk.points))
    point = walk.points[count - 1]
    ids = walk.ids[: point.ids - len(request.prompt)]
    request.driver.rewind((*request.prompt, *ids))
    request.on_back(len(point.text))
    position = DecodingState(point.state)
    return Hypothesis(
        position, min(walk.most, point.tokens + _grace(position)), point.text, point.tokens, ids, point.log_prob, point.among,
        walk.points[:count], tuple(line for line in walk.lines if line.tokens <= point.tokens), first_eos_wish=count,
    )  # fmt: skip


def _grace(position: DecodingState) -> int:
    return _CONNECTING if missing(position) > 0 else _GRACE


def _may_sidestep(request: Request, walk: Hypothesis, step: Step) -> bool:
    """Whether another choice may be made before a step: not for sampled texts, nor for texts being ended."""
    return (
        request.options.temperature == 0
        and step.following is not None
        and walk.first_eos_wish is None
        and not _urgency(request, walk)
    )


def _is_stuck(request: Request, walk: Hypothesis, step: Step) -> bool:
    """Whether the model was nearly sure of a refused token, and only a blank line or a comment is left."""
    row = request.driver.row()
    sure = row.log_prob(row.best) >= _REFUSED
    return sure and step.log_prob <= _UNLIKELY and _escape(request, walk, step) > 0


def _likelier(request: Request, walk: Hypothesis, step: Step, recent: RecentPlaces) -> Fork | None:
    """The fork that makes a text of as many tokens likelier than the step does; None if the step leads to the likeliest."""
    best, most = None, walk.log_prob + step.log_prob - _escape(request, walk, step)
    for fork in recent.forks(most):
        request.driver.rewind((*request.prompt, *fork.walk.ids))
        first = read(request, fork.walk, fork.token)
        if first is None:
            continue
        escape = _escape(request, fork.walk, first)
        log_prob = _followed(request, fork.walk, first, walk.tokens + 1, most + escape)
        if log_prob is not None:
            best, most = fork, log_prob - escape
    return best


def _escape(request: Request, walk: Hypothesis, step: Step) -> float:
    """The penalty of a step that is always allowed, and leads nowhere."""
    piece = "" if step.following is None else step.following.piece
    return ESCAPE if request.around.says_nothing(walk.text, piece) else 0.0


def _followed(request: Request, walk: Hypothesis, first: Step, tokens: int, least: float) -> float | None:
    """The log probability of so many tokens of the text after a step, if it exceeds `least`; the driver stands there."""
    quiet, step = replace(request, on_text=unheard), first
    while step.following is not None and walk.log_prob + step.log_prob > least:
        walk = take(quiet, walk, step)
        if walk.tokens >= tokens or walk.cut is not None:
            return walk.log_prob
        walk = arrived(request, walk)
        chosen = _choose(request, walk, _may_end(request, walk))
        if chosen is None:
            return None
        step = chosen
    ends = step.following is None and walk.log_prob + step.log_prob > least
    return walk.log_prob if ends else None


def ended_at(walk: Hypothesis) -> Outcome:
    """The end at the walk's last point, as the model wants it."""
    point = walk.points[-1]
    return Outcome(point.text, point.tokens, "model", True, score=_score(point), points=walk.points)


def _ended_with_line(request: Request, walk: Hypothesis) -> Outcome | None:
    """The end the model wants, plus the line end it omitted, if the hole has whole lines or ends within an indentation."""
    ended = [line for line in walk.lines if line.tokens == walk.tokens and line.text.startswith(walk.text)]
    if not ended or not (request.around.newline or request.around.is_cut_indentation):
        return None
    rests = [line.text[len(walk.text) :] for line in ended]
    driver, behind = request.driver, request.around.behind
    best = 0
    if len(ended) > 1:
        with driver.clock.running():
            texts = [rest + behind for rest in rests]
            best = texts.index(most_probable(texts, driver.sequence, driver.model))
    point = ended[best]
    return Outcome(point.text, point.tokens, "model", True, score=_score(point), points=walk.points)


def take(request: Request, walk: Hypothesis, step: Step) -> Hypothesis:
    """The walk after a step other than an end."""
    assert step.following is not None
    following, full = within_lines(walk.position, step.following, walk.text, request.options.max_lines)
    piece = following.piece
    text = walk.text + piece
    request.driver.append(step.token, lambda: certain_text(following, text, walk.points))
    if piece:
        request.on_text(piece)
    return replace(
        walk,
        position=following,
        text=text,
        tokens=walk.tokens + bool(piece or following.pending),
        onward=_on(walk, step.token),
        ids=(*walk.ids, step.token),
        log_prob=walk.log_prob + step.log_prob,
        among=Among(walk.among, step.log_prob, step.share),
        cut="lines" if full else "model" if step.leaves else None,
    )


def read(request: Request, walk: Hypothesis, token: int) -> Step | None:
    """The step of a token; None if it is not allowed here."""
    row = row_at(request, walk)
    if row.logit(token) == -np.inf:
        return None
    reader = Reader(request, walk, complete_here=_may_end(request, walk))
    return reader.step(token, row) if reader.valid(token) else None


def arrived(request: Request, walk: Hypothesis) -> Hypothesis:
    """The walk with a point at its place, if the text is whole there."""
    position, driver = walk.position, request.driver
    if not position.closed:
        return walk
    with request.clock.running():
        complete = position.state.complete
    ready = isinstance(position.state, Remaining) and position.state.ready and not complete
    end = -np.inf
    if (complete or ready) and walk.cut is None:
        closing = request.closing if ready or _follows(request, walk) else None
        end = driver.row().log_prob_of(driver.ends if closing is None else closing)
    length = len(request.prompt) + len(walk.ids)
    if walk.cut is not None:  # the text has only a part of its last token
        length -= 1
    point = StopPoint(position.state, walk.text, walk.tokens, length, complete, walk.log_prob, end, ready, walk.among)
    points, onward = [*walk.points, point], list(walk.onward)
    if (
        (complete or ready)
        and walk.cut is None
        and (behind := _behind(request, walk.text, complete and request.remainder != ""))
    ):
        onward.append(_onward(request, len(walk.points), behind))
    ended = [] if complete or ready or walk.cut is not None else _with_line_end(request, walk, point)
    lines = [*walk.lines, *ended]
    for index, line in enumerate(ended, len(walk.lines)):
        if line.text.startswith(walk.text):
            onward.append(_onward(request, index, line.text[len(walk.text) :] + request.around.behind, ends_line=True))
    if walk.cut is None and onward:
        driver.row().of(np.array([followed_text.rest[0] for followed_text in onward]))  # in one copy
        onward = [told(followed_text, driver.row()) for followed_text in onward]
        for followed_text in onward:
            if followed_text.says_something:
                places = lines if followed_text.ends_line else points
                places[followed_text.point] = replace(places[followed_text.point], onward=followed_text.log_prob)
    return replace(walk, points=tuple(points), lines=tuple(lines), onward=tuple(onward))


def _with_line_end(request: Request, walk: Hypothesis, point: StopPoint) -> list[StopPoint]:
    """The places behind the line's end, which a token may pass together with the next line's indentation; none if the hole is not complete
    there."""
    places: list[StopPoint] = []
    if not walk.text.strip():
        return places
    for rest in request.around.line_ends(walk.text):
        text = walk.text + rest
        if not fits(text, request.options):
            continue
        with request.clock.running():
            state = walk.position.state.advance(rest)
            if state is None or not state.complete:
                continue
        end = request.driver.row().log_prob_of(request.driver.ends)
        places.append(replace(point, state=state, text=text, complete=True, end=end))
    return places


def _behind(request: Request, text: str, spelled: bool) -> str:
    """The continuation of a text that ends here; `spelled`: whether the text contains the remainder. "" if it has begun the line behind."""
    around = request.around
    whole = text if spelled else around.as_whole_lines(text)
    if not whole.startswith(text):
        return ""
    return whole[len(text) :] + (around.behind.removeprefix(request.remainder) if spelled else around.behind)


def _onward(request: Request, point: int, behind: str, ends_line: bool = False) -> Onward:
    """The text behind a place, not followed yet."""
    vocabulary = request.driver.model.vocabulary
    rest = tuple(vocabulary.encode(behind))
    blank = next((index for index, token in enumerate(rest) if (vocabulary.bytes_of[token] or b"").strip()), len(rest))
    return Onward(point, rest, blank, ends_line=ends_line)


def _on(walk: Hypothesis, token: int) -> tuple[Onward, ...]:
    return tuple(on for text in walk.onward if (on := followed(text, token)) is not None)


def _follows(request: Request, walk: Hypothesis) -> bool:
    """Whether a symbol follows as expected here: at the start of a line it is one of the text's own."""
    return request.follows and not request.around.is_at_line_start(walk.text)


def _writes_what_follows(request: Request, walk: Hypothesis) -> bool:
    if request.closing is None or not _follows(request, walk):
        return False
    best = request.driver.row().best
    return best not in request.driver.end_set and best in request.closing


def _wants_to_end(driver: ModelCursor) -> bool:
    return driver.row().best in driver.end_set


def _wants_line_to_end(request: Request, walk: Hypothesis) -> bool:
    """Whether the model would end the last line allowed, which is a wish to end; begun code is first connected.

    Otherwise it would fill that line until the budget is spent.
    """
    most = request.options.max_lines
    spelling = request.driver.model.vocabulary.bytes_of[request.driver.row().best] or b""
    return most is not None and spelling[:1] in (b"\n", b"\r") and newlines(walk.text) >= most


def row_at(request: Request, walk: Hypothesis) -> Row:
    """The model's logits at the walk's place; while there are forced bytes, only of their tokens."""
    return request.driver.forced_row(walk.position.forced)


def _choose(request: Request, walk: Hypothesis, complete_here: bool) -> Step | None:
    """The next step; None if no token is valid. A server is asked for more tokens if none of those it named is."""
    step = _chosen(request, walk, complete_here)
    if step is not None or request.driver.model.served is None:
        return step
    request.driver.ask_among(None)
    step = _chosen(request, walk, complete_here)
    if step is None and (allowed := allowed_tokens(request.driver.model, walk.position, complete_here)):
        request.driver.ask_among(allowed)
        step = _chosen(request, walk, complete_here)
    return step


def _chosen(request: Request, walk: Hypothesis, complete_here: bool) -> Step | None:
    """The next step among the tokens with known logits; None if none is valid."""
    row = row_at(request, walk)
    if request.options.temperature or request.options.repetition_penalty != 1:
        row.all()
    stays = request.options.stay_in_hole and stays_inside(walk.position)
    for staying in (True, False) if stays else (False,):  # leaving is better than nothing
        reader = Reader(request, walk, complete_here, staying)
        token = _token(request, walk, row, reader)
        if token is None and not row.is_whole:
            row.all()
            token = _token(request, walk, row, reader)
        if token is not None:
            return reader.step(token, row)
    return None


def _token(request: Request, walk: Hypothesis, row: Row, reader: Reader) -> int | None:
    """The next token; None if none is valid, or the known logits do not decide."""
    best, urgency = row.best, _urgency(request, walk)
    if not urgency and _is_greedy(request.options) and _is_taken(best, row, reader):  # without a copy of the row
        return best if row.decides(float(row.logits[best])) else None
    cornered = row.log_prob(best) >= _REFUSED and best not in request.driver.end_set and not reader.valid(best)
    if urgency:
        row.top(_STEERED)  # known by now
    logits = row.logits.copy()
    sampling.penalise(logits, list(walk.ids), request.options.repetition_penalty)
    weighed = _steered(logits, reader, _PULL * urgency) if urgency else logits
    token = sampling.choose(weighed, reader.valid, request.options, request.random, reader.narrow)
    doubted: set[int] = set()
    while token is not None and token not in doubted and len(doubted) < _DOUBTED:
        doubt = reader.doubt(token, cornered)
        if not doubt:
            break
        doubted.add(token)
        weighed[token] -= doubt
        token = sampling.choose(weighed, reader.valid, request.options, request.random, reader.narrow)
    decided = token is None or weighed is not logits or row.decides(float(weighed[token]))
    return token if decided else None


def _is_greedy(options: Options) -> bool:
    return options.temperature == 0 and options.repetition_penalty == 1


def _is_taken(best: int, row: Row, reader: Reader) -> bool:
    """Whether the most probable token is taken without doubt."""
    return row.logits[best] > -np.inf and reader.valid(best) and not reader.doubt(best, cornered=False)


def _urgency(request: Request, walk: Hypothesis) -> int:
    """The number of steps in which the text has been steered towards an end, including this one; 0 if it need not be.

    It is steered after the model wanted to end with the hole incomplete, and when the budget is nearly spent without a place to go back to.
    """
    left = walk.most - walk.tokens
    if walk.first_eos_wish is not None:
        return max(1, _CONNECTING + 1 - left)
    reserve = min(_CONNECTING, request.most // 4)
    return reserve + 1 - left if left <= reserve and not _may_go_back(request, walk) else 0


def _steered(logits: np.ndarray, reader: Reader, pull: float) -> np.ndarray:
    """The logits of the best valid tokens, each lowered by the characters it leaves missing, and all others at minus infinity.

    The model's own choice would continue its favourite text, and never connect; the shortest connecting text is one nobody would write. This
    compromise leans to the end more and more (weighted A*, following only the best way).
    """
    weighed = np.full_like(logits, -np.inf)
    for token in sampling.top_tokens(logits, _STEERED):
        if reader.valid(token):
            weighed[token] = logits[token] - pull * reader.missing(token)
    return weighed if weighed.max() > -np.inf else logits


def fits(text: str, options: Options) -> bool:
    """Whether a text has no more lines than allowed."""
    return options.max_lines is None or newlines(text) <= options.max_lines


def _score(point: StopPoint) -> float | None:
    return normalised(point.log_prob + point.end, point.tokens) if np.isfinite(point.end) else None


def _ended_well(request: Request, walk: Hypothesis) -> Outcome:
    """The end of a generation that the model did not end itself: an earlier point, a bridge, or at last nothing."""
    points = walk.points
    earlier = _earlier(request, walk, blank=not walk.text.strip())
    if request.options.fullest and not (earlier is not None and "\n" in earlier.text):
        with request.clock.running():
            closed = termination.last_closed_line(points, walk.text, request.around.begun)
        if closed is not None:
            return Outcome(closed[1], closed[0].tokens, "earlier", True, points=points)
    if earlier is not None:
        return _at_earlier(request, walk, earlier)
    if request.options.least_log_prob > -np.inf:  # nobody knows a bridge's probability
        return _nothing(walk)
    deadline = perf_counter() + request.options.bridge_ms / 1e3
    bridged = choose_bridge(
        points[: walk.first_eos_wish], request.driver, request.clock, deadline, request.cancelled, request.bridges
    )
    if bridged is None and walk.first_eos_wish is not None:
        later = points[walk.first_eos_wish :]
        bridged = choose_bridge(later, request.driver, request.clock, deadline, request.cancelled, request.bridges)
    if bridged is not None and not (points[0].complete and len(bridged[1].strip()) > _LONG):
        point, bridge = bridged
        return Outcome(point.text + bridge, point.tokens, "bridge", True, points=points)
    if request.cancelled():
        return _cancelled(walk)
    blank = choose_earlier(points, blank=True)
    if blank is not None:
        return _at_earlier(request, walk, blank)
    if points[0].complete:
        return Outcome("", 0, "earlier", True, score=_score(points[0]))
    ended = "length" if _is_spent(request, walk) else "nothing"
    return Outcome(points[-1].text, points[-1].tokens, ended, False)


def _is_spent(request: Request, walk: Hypothesis) -> bool:
    return request.driver.full or walk.tokens >= request.most


def _at_earlier(request: Request, walk: Hypothesis, point: StopPoint) -> Outcome:
    """The end at a point passed."""
    points = walk.points
    ended: Ended = "length" if point is points[-1] and _is_spent(request, walk) else "earlier"
    if point.ready:  # the rest, not spelled by the model, is there
        if walk.first_eos_wish is not None and point is points[walk.first_eos_wish - 1]:
            ended = "model"
        return Outcome(point.text + request.remainder, point.tokens, ended, True, points=points)
    return Outcome(point.text, point.tokens, ended, True, score=_score(point), points=points)


def _given_up(request: Request, walk: Hypothesis) -> Outcome:
    """The wanted part of a text whose rest is unwanted, if it does not break off."""
    least = request.options.least_log_prob
    for point in reversed(walk.points):
        wanted = point.text and (point.complete or point.ready) and point.among.reaches(least)
        if wanted and not breaks_off(point.text, walk.text[len(point.text) :]):
            text = point.text if point.complete else point.text + request.remainder
            score = _score(point)
            return Outcome(text, point.tokens, "uncertain", True, score=score, points=walk.points, given_up=walk.text)
    return _nothing(walk)


def _nothing(walk: Hypothesis) -> Outcome:
    points = walk.points
    return Outcome("", 0, "uncertain", bool(points) and points[0].complete, points=points, given_up=walk.text)


def _cancelled(walk: Hypothesis) -> Outcome:
    best = choose_earlier(walk.points, blank=True)
    if best is not None and best.complete:
        return Outcome(best.text, best.tokens, "earlier", True, cancelled=True)
    return Outcome("", 0, "nothing", bool(walk.points) and walk.points[0].complete, cancelled=True)
