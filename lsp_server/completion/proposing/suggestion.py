"""From a text and a cursor to a suggestion: the layer where parser and model meet. `decision` chooses the shown part."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ....common.line_ends import with_line_feeds
from ..cursor import Cursor
from ..judging import blocks
from ..judging.hidden import Hidden, Reason
from ..judging.policy import WORTH_A_LOOK, WRITTEN, Limits
from ..judging.repetition import is_next_line, says_nothing
from .decision import Candidate, Case, decide, shorter, with_block
from .editing import ASKED_MS, BODY_MS, PAUSE_MS, Editing, editing, pending_block, shaped
from .filling import fill, fill_several
from .shown import Suggestion, by_size, different

if TYPE_CHECKING:
    from ....model import Completion, Model, Options
    from ....parser import Session
    from .imports import Watch

LOOKS = 2
"""The number of texts compared by their scores: the best token at each step can lead to a worse text as a whole."""
ALTERNATIVES = 3
"""The number of texts made for a user who asks, best first; more are seldom looked at."""


@dataclass(frozen=True)
class Request:
    """One request to a model, at any place."""

    model: Model
    options: Options
    limits: Limits = Limits()
    cancelled: Callable[[], bool] = lambda: False
    unfinished: bool = True
    """see `editing`"""
    watch: Watch | None = None
    """notes the texts the model wanted to write but was refused"""
    column: int | None = None
    """the least column of a line in the block that the text continues; None: the text begins its statement"""
    on_text: Callable[[str], None] | None = None
    """gets the pieces of the first text as the model writes it"""

    @property
    def unheard(self) -> Request:
        """The same request for texts besides the first one, without watch and listener."""
        return replace(self, watch=None, on_text=None)


def suggestions(cursor: Cursor, session: Session, request: Request) -> Iterator[Suggestion | Hidden]:
    """The texts for a cursor, the best first; then, or instead, the reason why there is none."""
    place = editing(cursor, session, request.options.language, request.cancelled, request.unfinished)
    if isinstance(place, Hidden):
        yield place
        return
    for text in texts(place, request):
        yield with_blocks(place, text, request)


def suggest(cursor: Cursor, session: Session, request: Request) -> Suggestion | Hidden:
    """Suggest a text at a cursor, or return why none is shown."""
    return next(suggestions(cursor, session, request))


def suggest_several(cursor: Cursor, session: Session, request: Request, n: int) -> list[Suggestion]:
    """Suggest up to n different texts for a cursor to a user who asks, best first; those made so far once nobody waits any more."""
    place = editing(cursor, session, request.options.language, request.cancelled, request.unfinished, asked=True)
    if isinstance(place, Hidden):
        return []
    began, fullest = time.perf_counter(), request.options.fullest
    enough = math.inf if request.limits.worth else request.model.certainty.least_log_prob(WORTH_A_LOOK)
    options = replace(request.options, enough=enough)
    shown: list[Suggestion] = []
    for text in _several(place, request, options, n):
        left_ms = max(0.0, ASKED_MS - (time.perf_counter() - began) * 1e3) if fullest else None
        below = replace(options, fullest=fullest and not shown, text_ms=left_ms)
        whole = with_blocks(place, text, request, below)
        if isinstance(whole, Suggestion):
            shown.append(whole)
    return _in_order(place, shown, fullest)


def work_ahead(cursor: Cursor, session: Session, request: Request) -> None:
    """Let a model read the rest of the surroundings, unread so far because somebody waited, and at a body's beginning write the texts for a
    possible request by the user."""
    from ....model.decoding.api import read_ahead

    place = editing(cursor, session, request.options.language, request.cancelled, request.unfinished, asked=True)
    if isinstance(place, Hidden):
        return
    options = shaped(request.options, place, column=request.column)
    read_ahead(request.model, with_line_feeds(cursor.left), with_line_feeds(cursor.right), options, request.cancelled)
    if options.body:
        options = replace(request.options, text_ms=PAUSE_MS)
        suggest_several(cursor, session, replace(request, options=options), ALTERNATIVES)


def texts(place: Editing, request: Request, options: Options | None = None) -> Iterator[Suggestion | Hidden]:
    """The texts for a place, headers without their blocks, the best first; then, or instead, the reason why there is none.

    Their sources, in this order: a body, if one begins; the model's line or lines; its next best texts; unasked, these only if the line
    repeats its surroundings, or is refused. The better of a one-line body and the line's certain beginning comes first. options: instead of
    the request's own.
    """
    limits, model = request.limits, request.model
    case = Case(place, model, limits, goes_on=request.column is not None)
    given = options or request.options
    options = replace(shaped(given, place, unasked=limits.unasked), looks=LOOKS)
    statement: Suggestion | None = None  # a one-line body: its beginning may be worth more
    if limits.unasked and limits.shows == "bodies" and (request.column is not None or options.body):
        for body in _bodies(case, request, given):
            if "\n" not in body.text:
                statement = body
                break
            yield body
        request = replace(request, on_text=None)  # the same model's text for a line began in the same way
        options = replace(options, body=True)
    if limits.unasked:
        # More texts than these are seldom worth their time: improbable ones are not shown anyway.
        options = replace(options, least_log_prob=model.certainty.least_log_prob(min(WRITTEN, limits.certainty)))
    # The probability of a text shown in any case is not needed.
    filling = options if limits.unasked else replace(options, enough=-math.inf)
    completion = _filled(place, request, filling)
    if request.cancelled():
        yield Hidden(Reason.CANCELLED)
        return
    shown = decide(Candidate("line" if limits.unasked else "whole", completion), case)
    yield from sorted(
        (each for each in (statement, shown) if isinstance(each, Suggestion)), key=lambda each: each.worth, reverse=True
    )
    if isinstance(shown, Suggestion) or _may_be_replaced(place, shown, limits.unasked):
        yield from _next_best(case, completion, request, options)
    yield shown if isinstance(shown, Hidden) else Hidden(Reason.NO_TEXT, completion.text)


def with_blocks(
    place: Editing, text: Suggestion | Hidden, request: Request, options: Options | None = None
) -> Suggestion | Hidden:
    """A header with its block, whose own header may have one; any other text unchanged. Hidden if none of it is worth a look.

    A block has one line, but several if the user asks, or if the model, without a threshold of its own, is shown as it is. options: as for
    `texts`.
    """
    headers: list[tuple[Editing, Suggestion]] = []
    options = options or request.options
    while isinstance(text, Suggestion) and pending_block(place.cursor, text.pending):
        headers.append((place, text))
        cursor, language = place.cursor.after(text.text + place.block), options.language
        below = editing(cursor, place.session, language, request.cancelled, request.unfinished)
        if isinstance(below, Hidden):
            text = below
            break
        judged = request.limits.unasked or request.model.certainty.threshold > 0
        of_block = replace(options, max_lines=0) if judged and not options.fullest else options
        within = replace(request.unheard, limits=replace(request.limits, inside=False))
        place, text = below, next(texts(below, within, of_block))
    for place, header in reversed(headers):
        text = with_block(place, header, text, request.limits, fullest=options.fullest)
    return text


def _filled(place: Editing, request: Request, options: Options) -> Completion:
    """The model's text for a place."""
    cursor, stop = place.cursor, request.cancelled
    return fill(place.hole, cursor.left, cursor.right, request.model, options, stop, request.on_text, request.watch)


def _bodies(case: Case, request: Request, options: Options) -> Iterator[Suggestion]:
    """The beginnings of a body shown unasked that are likely enough to be kept, the longest first."""
    options = shaped(options, case.place, column=request.column)  # not that of the fullest text: its block alone
    options = replace(options, fullest=True, text_ms=BODY_MS, enough=-math.inf)
    completion = _filled(case.place, request, options)
    completion = replace(completion, written=completion.written or completion.text)
    for part, probability in blocks.parts(completion):
        cut_at = options.block_column if part.text != completion.text or completion.cut else None
        if isinstance(shown := decide(Candidate("body", part, probability, cut_at), case), Suggestion):
            yield shown


def _may_be_replaced(place: Editing, hidden: Hidden, unasked: bool) -> bool:
    """Whether to look for another text instead of one that repeats its surroundings."""
    from ....parser.language import traits

    left, right = place.cursor.left, place.cursor.right
    if not unasked:
        return says_nothing(left, hidden.text, right, traits(place.language).repeats)
    return hidden.reason in (Reason.REPEATS, Reason.HIDES_CODE) and not is_next_line(left, hidden.text, right)


def _next_best(case: Case, completion: Completion, request: Request, options: Options) -> Iterator[Suggestion]:
    """The next best texts instead of one that repeats its surroundings, or is refused; the intended text is mostly the first one, or else its
    beginning."""
    others = list(_several(case.place, request.unheard, options, ALTERNATIVES))
    for other in _in_order(case.place, others, options.fullest):
        if isinstance(shown := decide(Candidate("next", other.completion, asked=other), case), Suggestion):
            yield shown
    yield from shorter(completion, case) if case.limits.unasked else ()


def _several(place: Editing, request: Request, options: Options, n: int) -> Iterator[Suggestion]:
    """Up to n texts for a user who asks, best first, headers without their blocks."""
    cursor, model, options = place.cursor, request.model, shaped(options, place, column=request.column)
    worth = request.limits.worth if options.body else 0.0
    if options.body and not worth:  # shown at any probability, whose computation takes a millisecond per token
        options = replace(options, enough=-math.inf)
    case = Case(place, model, Limits(worth=worth, inside=request.limits.inside))
    first, listeners = True, (request.cancelled, request.watch, request.on_text)
    for completion in fill_several(place.hole, cursor.left, cursor.right, model, options, n, *listeners):
        cut_at = options.block_column if options.fullest and completion.cut else None
        shown = decide(Candidate("asked", completion, cut_at=cut_at, is_first=first), case)
        if isinstance(shown, Suggestion):
            first = False
            yield shown


def _in_order(place: Editing, texts: Iterable[Suggestion], fullest: bool) -> list[Suggestion]:
    """Texts for a user who asks, without equal ones or, of whole thoughts, those that do the same."""
    from ....parser.language import traits

    chosen: dict[str, Suggestion] = {}
    for text in texts:
        chosen.setdefault(text.text, text)
    several = list(chosen.values())
    if fullest:
        several = different(several, traits(place.language).line_comment)
    return by_size(several, to_line_end=not place.cursor.rest)
