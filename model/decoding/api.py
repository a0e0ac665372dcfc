"""Completing a hole: the prompt, the generation, and the result.

Constrained mode (`constrained`) takes only tokens that keep the hole completable and always ends where it is complete;
`candidates` gives several such completions (`alternatives`), compared by the model's own probability (`scores`). The other modes
are for comparison (`free`).
"""

import math
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from time import perf_counter

import numpy as np

from ...common.constraint import Constraint, never
from ..errors import Cancelled
from ..prompting import prompt
from ..prompting.chat import in_chat
from ..prompting.fim_template import SUTURE
from ..prompting.suffix_healing import Remaining, follows, split_right, writes
from ..runtime.base import Model
from ..runtime.served.plugin_request import MOST_CHARS, PluginRequest
from . import constrained, nbest, unconstrained
from .constrained import Outcome
from .driver import Clock, ModelCursor
from .hypothesis import OnText, Request
from .repetition import SELDOM, only_repeats
from .scoring import normalised
from .surroundings import surroundings
from .termination import StopPoint
from .token_step import DecodingState
from .types import Completion, Options, Passed

_FITS = 1.0  # nats: the bonus of a text for each thing in it that fits by type
_HEALING_STEPS = 1  # the token that spells the forced bytes again
_REMEMBERED_MS = 300.0  # in which a text written by a server's model in a pause is written again
_DRAFTED_MORE = 8  # tokens, beyond those of the text: those spelled again on both sides

OnCut = Callable[[int], None]


def ignore(piece: object) -> None:
    """The callback of a caller that reads no pieces."""


def complete(
    model: Model,
    constraint: Constraint,
    left: str,
    right: str,
    options: Options = Options(),  # noqa: B008 (frozen)
    *,
    cancelled: Callable[[], bool] = never,
    on_text: OnText | None = None,
    on_cut: OnCut | None = None,
) -> Completion:
    """Complete the hole between `left` and `right`; `constraint` is its state with nothing generated yet.

    `cancelled` is called between two tokens and within the search for a bridge. `on_text` gets the text piece by piece as it is generated; in
    constrained mode every text so far is viable. If the end takes text back, `on_cut` gets the number of characters kept, before `on_text`
    gets the text after them: together they always make up the result.

    One thread at a time for one model.
    """
    with request_of(model):
        asked = ask(model, constraint, left, right, options, cancelled, stream := _Stream(on_text or ignore))
        if asked is None:
            return _cancelled_in_prompt(constraint)
        request, position, started = asked
        request = replace(request, on_back=stream.back)
        stream.held = len(request.remainder)
        if options.mode == "constrained":
            outcome = _constrained(request, constraint, position, started, left, right)
            outcome = settled(outcome, request, constraint)
        else:
            outcome = unconstrained.generate(request, position)
        stream.settle(outcome.text, on_cut or ignore)
        return _completion(outcome, request, started, options.enough)


def _constrained(
    request: Request, constraint: Constraint, position: DecodingState, started: float, left: str, right: str
) -> Outcome:
    """The outcome of one walk, or of several the one with the best score, reduced for texts that are seldom right."""
    options = request.options
    if options.looks == 1:
        return constrained.generate(request, constrained.start(request, position))

    def rank(outcome: Outcome) -> tuple[bool, float]:
        text = outcome.text.removesuffix(request.remainder)
        score = -np.inf if outcome.score is None else outcome.score
        repeats = only_repeats(left, text, right)
        return text.strip() != "", score + (normalised(SELDOM, outcome.tokens) if repeats else 0.0)

    @cache
    def fits(text: str) -> float:
        after = constraint.advance(text.removesuffix(request.remainder))
        return 0.0 if after is None else _FITS * after.fits

    def least_score(first: Outcome) -> float:
        says_something, score = rank(first)
        return score + min(0.0, fits(first.text)) if says_something else -np.inf

    deadline = started + options.looks_ms / 1e3
    outcomes = nbest.explore(request, position, options.looks, deadline, least_score)
    ranks = [rank(outcome) for outcome in outcomes]
    if len(outcomes) > 1:
        ranks = [(says, score + fits(outcome.text)) for outcome, (says, score) in zip(outcomes, ranks, strict=True)]
    chosen = outcomes[ranks.index(max(ranks))]
    return replace(chosen, first=outcomes[0].points, given_up=outcomes[0].given_up)


def candidates(
    model: Model,
    constraint: Constraint,
    left: str,
    right: str,
    options: Options = Options(),  # noqa: B008 (frozen)
    n: int = 3,
    *,
    budget_ms: float = 500.0,
    cancelled: Callable[[], bool] = never,
    on_text: OnText | None = None,
) -> list[Completion]:
    """Up to `n` different completions in constrained mode, the best first by the score (formula in `scoring`).

    The result of `complete` with as many looks is always among them. The first one written may take longer than `budget_ms`, after which no
    other begins, and only it may be empty or, if the hole has no way out, incomplete. Times count from the start of the call;
    `Options.text_ms` is for all of them. `on_text` gets the first text piece by piece. A model asked for an answer is asked for the middle,
    too, and that text comes last.
    """
    if options.mode != "constrained":
        raise ValueError(f"mode is {options.mode!r}: candidates are constrained")
    with request_of(model):
        asked = ask(model, constraint, left, right, options, cancelled, stream := _Stream(on_text or ignore))
        if asked is None:
            return [_cancelled_in_prompt(constraint)]
        request, position, started = asked
        request = replace(request, on_back=stream.back)
        stream.held = len(request.remainder)
        until = request.deadline if options.text_ms is not None else started + budget_ms / 1e3
        answered = n > 1 and request.driver.model is not model
        outcomes = nbest.explore(request, position, n - answered, until)
        ranked = nbest.ranked([settled(outcome, request, constraint) for outcome in outcomes])
        enough = [-np.inf if options.enough < np.inf else np.inf, *[options.enough] * len(ranked)]
        told = [*zip(ranked, enough, strict=False)]
        # The best one last, so that its time covers all of them.
        several = [_completion(outcome, request, started, least) for outcome, least in reversed(told)][::-1]
        middle = _middle(model, constraint, left, right, options, until, cancelled) if answered else None
        is_new = middle is not None and all(middle.text != other.text for other in several)
        return [*several, middle] if middle is not None and is_new else several


def _middle(
    model: Model,
    constraint: Constraint,
    left: str,
    right: str,
    options: Options,
    until: float,
    cancelled: Callable[[], bool],
) -> Completion | None:
    """The text of an instruction-tuned model asked for the middle; None if there is no time for it, or no such text."""
    seen = split_right(right)[1] if options.heal else right
    if cancelled() or not _may_be_read(model, _prompt(model, left, seen, options).ids, until):
        return None
    left_ms = max(_REMEMBERED_MS, (until - perf_counter()) * 1e3)
    options = replace(options, text_ms=left_ms)
    asked = ask(replace(model, answers=False), constraint, left, right, options, cancelled, ignore)
    if asked is None:
        return None
    request, position, started = asked
    outcome = nbest.explore(request, position, 1, until)[0]
    if outcome.cancelled or not outcome.complete or not outcome.text.strip():
        return None
    return _completion(settled(outcome, request, constraint), request, started, options.enough)


def _may_be_read(model: Model, ids: Sequence[int], until: float) -> bool:
    """Whether a model has read a prompt, or can read it in the time left."""
    unread = len(ids) if model.served is None else model.served.unread(ids)
    reading = None if model.served is None else model.served.reading
    ms = 0.0 if reading is None else reading.ms(unread)
    return not unread or perf_counter() + ms / 1e3 < until


@contextmanager
def request_of(model: Model) -> Generator[None, None, None]:
    """A request's scope: a server's draft is not awaited after its end."""
    try:
        yield
    finally:
        if model.served is not None:
            model.served.end()


class _Stream:
    """Passes text on, and remembers it.

    After going back to an earlier place, it passes nothing on until the text is as before again, or settled.
    """

    def __init__(self, on_text: OnText) -> None:
        self._on_text = on_text
        self._sent = ""
        self._text = ""
        self.held = 0  # characters at the end that may be a remainder, and wait

    def __call__(self, piece: str) -> None:
        self._text += piece
        sure = self._text[: max(0, len(self._text) - self.held)]
        if len(sure) > len(self._sent) and sure.startswith(self._sent):
            new, self._sent = sure[len(self._sent) :], sure
            self._on_text(new)

    def back(self, length: int) -> None:
        """Note that the text has only so many characters again."""
        self._text = self._text[:length]

    def settle(self, text: str, on_cut: OnCut) -> None:
        """Take back text missing from the final one, and pass on the rest."""
        shared = next((i for i, (a, b) in enumerate(zip(self._sent, text, strict=False)) if a != b), None)
        kept = min(len(self._sent), len(text)) if shared is None else shared
        if kept < len(self._sent):
            on_cut(kept)
        if kept < len(text):
            self._on_text(text[kept:])


def ask(
    model: Model,
    constraint: Constraint,
    left: str,
    right: str,
    options: Options,
    cancelled: Callable[[], bool],
    on_text: OnText,
) -> tuple[Request, DecodingState, float] | None:
    """Let the model read the prompt: the request, the starting position of generation, and its time; None when cancelled."""
    started = perf_counter()
    model = in_chat(model, right, options)
    driver = ModelCursor(model, cancelled)
    remainder, around = "", surroundings(left, right)
    if options.heal and options.mode == "constrained":
        remainder, right = split_right(right)
    asked = _prompt(model, left, right, options)
    if model.served is not None and model.served.reading is not None and options.context_tokens is None:
        first = model.served.reading.first
        if first is not None and model.served.unread(asked.ids) > first:  # `read_ahead` is for more
            asked = _prompt(model, left, right, replace(options, context_tokens=first))
    if model.reader is not None:
        prompt_ids = asked.ids if options.copying else ()
        others = [snippet.text for snippet in options.snippets]
        language = options.language or ""
        model.reader.read(left, right, others, prompt_ids, asked.forced, language, ranking=options.ranking)
    if model.served is not None:
        plugged = _file_around(left, right, asked.forced, options)
        model.served.begin(cancelled, options.max_tokens + _DRAFTED_MORE, plugged, len(asked.ids))
    if not driver.prefill(asked.ids):
        return None
    random = np.random.default_rng(options.seed)
    most = options.max_tokens + len(model.vocabulary.encode(remainder))
    closing = None
    if remainder:
        spelled = [i for i in model.vocabulary.starting_with(remainder.encode()) if i < model.runtime.size]
        closing = np.union1d(driver.ends, np.array(spelled, dtype=np.int64))
    heals_right = options.heal and options.mode == "constrained" and not remainder and not around.newline
    symbol = follows(right) if heals_right else ""
    if symbol:
        begun = [i for blank in ("", " ") for i in model.vocabulary.starting_with((blank + symbol[0]).encode())]
        spelled = [i for i in begun if i < model.runtime.size and writes(model.vocabulary.bytes_of[i] or b"", symbol)]
        closing = np.union1d(driver.ends, np.array(spelled, dtype=np.int64))
    request = Request(
        driver, tuple(asked.ids), options, random, Clock(), cancelled, on_text, most, remainder, closing, symbol != "", around,
        deadline=math.inf if options.text_ms is None else perf_counter() + options.text_ms / 1e3,
    )  # fmt: skip
    state = Remaining(constraint, remainder) if remainder else constraint
    return request, DecodingState(state, asked.forced), started


def read_ahead(model: Model, left: str, right: str, options: Options, cancelled: Callable[[], bool]) -> None:
    """Let a model that reads slowly read the whole context of a place while nobody waits, for the requests to follow there.

    Otherwise a prompt with more than `ReadingSpeed.first` unread is shortened. Raises ModelError.
    """
    model = in_chat(model, right, options)
    if model.served is None or model.served.reading is None or model.served.reading.first is None:
        return
    if options.heal and options.mode == "constrained":
        right = split_right(right)[1]
    try:
        model.served.read_ahead(_prompt(model, left, right, options, pauses=True).ids, cancelled)
    except Cancelled:
        pass


def _file_around(left: str, right: str, forced: bytes, options: Options) -> PluginRequest | None:
    """The file for a server's plugin, as the prompt shows it: without the tokens the model spells again on both sides."""
    if options.language is None or options.mode != "constrained" or len(left) + len(right) > MOST_CHARS:
        return None
    try:
        cut = forced.decode()
    except UnicodeDecodeError:
        return None
    return (
        PluginRequest(left.removesuffix(cut), right, options.language, options.language_version, forced=forced)
        if left.endswith(cut)
        else None
    )


def _prompt(model: Model, left: str, right: str, options: Options, *, pauses: bool = False) -> prompt.Prompt:
    room = model.runtime.limit - model.template.overhead - _HEALING_STEPS
    reading = model.served.reading if model.served is not None else None
    whole = options.context_tokens or (reading.whole if reading is not None else model.context_tokens)
    most = room - min(options.max_tokens, room // 2)
    budget = max(1, min(whole, most))
    spare = max(0, min(prompt.MOST_OUTLINE, most - budget))
    # The embedded model was trained on whole windows, and has a large one: of 250 holes 2 were won with the outline and 5 lost.
    outlined = model.served is not None or model.template.name != SUTURE.name
    return prompt.build(
        model,
        left,
        right,
        budget=budget,
        heal=options.heal,
        path=options.path,
        snippets=options.snippets,
        spare=spare,
        outlined=outlined,
        written=options.written,
        limit=most + model.template.overhead,
        pauses=pauses,
    )


def settled(outcome: Outcome, request: Request, constraint: Constraint) -> Outcome:
    """The outcome as a text of the hole alone, in whole lines if the hole has such."""
    outcome = without_remainder(outcome, request, constraint)
    text = request.around.as_whole_lines(outcome.text)
    if not outcome.complete or text == outcome.text or not constrained.fits(text, request.options):
        return outcome
    with request.clock.running():
        after = constraint.advance(text) if text else constraint
        return replace(outcome, text=text) if after is not None and after.complete else outcome


def without_remainder(outcome: Outcome, request: Request, constraint: Constraint) -> Outcome:
    """The outcome as one of the hole alone, without the remainder spelled after its text."""
    if not request.remainder:
        return outcome
    if not outcome.complete:
        return replace(outcome, text="", tokens=0, complete=constraint.complete)
    text = outcome.text.removesuffix(request.remainder)
    extra = request.most - request.options.max_tokens
    return replace(outcome, text=text, tokens=max(int(text != ""), outcome.tokens - extra))


def _completion(outcome: Outcome, request: Request, started: float, enough: float) -> Completion:
    first = () if request.remainder else outcome.first or outcome.points
    written = (outcome.given_up or first[-1].text) if first else ""
    trail = _trail(outcome.points, outcome.text, request.remainder, enough=enough)
    written_trail = _trail(first, written, enough=enough)
    return Completion(
        text=outcome.text,
        tokens=outcome.tokens,
        ended=outcome.ended,
        complete=outcome.complete,
        model_ms=request.driver.clock.ms,
        constraint_ms=request.clock.ms,
        total_ms=(perf_counter() - started) * 1e3,
        cancelled=outcome.cancelled,
        prefill_ms=request.driver.prefill_ms,
        prompt_tokens=len(request.prompt),
        score=outcome.score,
        trail=trail,
        written=written,
        written_trail=written_trail,
    )


def _trail(
    points: Sequence[StopPoint], text: str, remainder: str = "", *, enough: float = np.inf
) -> tuple[Passed, ...]:
    places: dict[int, StopPoint] = {}  # of equal lengths the last: text spelled again left of the cursor counts
    for point in points:
        # The last token may spell the end of the text and its continuation in one.
        said = text if point.text == text + remainder else point.text
        length = len(said)
        if 0 < length <= len(text) and text.startswith(said):
            places[length] = point
    exactly = not any(point.among.reaches(enough) for point in list(places.values())[-1:])
    return tuple(
        Passed(length, point.among.log_prob if exactly else point.among.least, point.complete or point.ready)
        for length, point in places.items()
    )


def _cancelled_in_prompt(constraint: Constraint) -> Completion:
    return Completion("", 0, "nothing", constraint.complete, 0.0, 0.0, 0.0, cancelled=True)
