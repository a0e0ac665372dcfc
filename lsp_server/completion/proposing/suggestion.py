"""From a text and a cursor to a suggestion: the layer where parser and model meet."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING, Literal

from ....common.line_ends import with_line_feeds
from ..cursor import Cursor
from ..judging import blocks
from ..judging.acceptance import Judge, Situation
from ..judging.certainty import Certain, by_model, certain, certain_parts, probability_of
from ..judging.closing import closing_in
from ..judging.hidden import Hidden, Reason
from ..judging.policy import WORTH_A_LOOK, WRITTEN, is_worth_showing
from ..judging.repetition import is_next_line, says_nothing
from ..judging.selection import is_filler
from ..judging.thoughts import announces_code, is_documented
from ..judging.trivial import says_too_little
from ..style import ends_alike
from .editing import ASKED_MS, BODY_MS, PAUSE_MS, Editing, editing, pending_block, shaped, unfit_at
from .filling import fill, fill_several
from .shown import Suggestion, begun_to_show, by_size, different, to_show

if TYPE_CHECKING:
    from ....model import Completion, Model, Options
    from ....parser import Session
    from .imports import Watch

LOOKS = 2
"""Texts that are compared by their scores: the best token at each step can lead to a text that is worse as a whole."""
ALTERNATIVES = 3
"""Texts that are made for a user who asks, of which the best is shown first; more are seldom looked at."""

_CLOSING_LINES = re.compile(r"(?:\n[ \t]*[)\]}]+)+")


Shows = Literal["copies", "lines", "bodies"]
"""Copies from the document, and names; also a line; also several statements where a body begins."""


@dataclass(frozen=True)
class Asking:
    """How one request asks a model, wherever it asks."""

    model: Model
    options: Options
    cancelled: Callable[[], bool] = lambda: False
    certainty: float = 0.0
    """the least probability that the suggestion will be typed; 0: the user asks, and is shown all there is"""
    inside: bool = False
    """may the suggestion end with the closers of its brackets, before which the cursor stays (`Suggestion.behind`)?"""
    unfinished: bool = True
    """see `editing`"""
    watch: Watch | None = None
    """notes the texts that the model wanted to write and might not"""
    worth: float = 0.0
    """the least probability, by the model's own reckoning, of a body for a user who asks"""
    shows: Shows = "lines"
    """how much of the model's text is shown unasked"""
    column: int | None = None
    """of a block that the text goes on with: the least one of a line in it; None: the text begins its statement"""
    on_text: Callable[[str], None] | None = None
    """gets the pieces of the first text, as the model writes it"""


def suggestions(cursor: Cursor, session: Session, asking: Asking) -> Iterator[Suggestion | Hidden]:
    """The texts for a cursor, the best first; behind them, or instead of them, the reason for which there is none."""
    place = editing(cursor, session, asking.options.language, asking.cancelled, asking.unfinished)
    if isinstance(place, Hidden):
        yield place
        return
    for text in texts(place, asking):
        yield with_blocks(place, text, asking)


def suggest(cursor: Cursor, session: Session, asking: Asking) -> Suggestion | Hidden:
    """Suggest a text at a cursor, or say why none is shown."""
    return next(suggestions(cursor, session, asking))


def suggest_several(cursor: Cursor, session: Session, asking: Asking, n: int) -> list[Suggestion]:
    """Suggest up to n different texts for a cursor to a user who asks, best first; those there are when nobody waits any more."""
    place = editing(cursor, session, asking.options.language, asking.cancelled, asking.unfinished, asked=True)
    if isinstance(place, Hidden):
        return []
    began, fullest = time.perf_counter(), asking.options.fullest
    enough = math.inf if asking.worth else asking.model.certainty.least_log_prob(WORTH_A_LOOK)
    asking = replace(asking, options=replace(asking.options, enough=enough))
    shown: list[Suggestion] = []
    for text in _several(place, asking, n):
        left_ms = max(0.0, ASKED_MS - (time.perf_counter() - began) * 1e3) if fullest else None
        below = replace(asking.options, fullest=fullest and not shown, text_ms=left_ms)
        whole = with_blocks(place, text, replace(asking, options=below))
        if isinstance(whole, Suggestion):
            shown.append(whole)
    return _in_order(place, shown, fullest)


def work_ahead(cursor: Cursor, session: Session, asking: Asking) -> None:
    """Let a model read the surroundings, as far as it did not while somebody waited, and where a body begins write the texts for a user who may ask."""
    from ....model.decoding.api import read_ahead

    place = editing(cursor, session, asking.options.language, asking.cancelled, asking.unfinished, asked=True)
    if isinstance(place, Hidden):
        return
    options = shaped(asking.options, place, column=asking.column)
    read_ahead(asking.model, with_line_feeds(cursor.left), with_line_feeds(cursor.right), options, asking.cancelled)
    if options.body:
        asking = replace(asking, options=replace(asking.options, text_ms=PAUSE_MS))
        suggest_several(cursor, session, asking, ALTERNATIVES)


def texts(place: Editing, asking: Asking) -> Iterator[Suggestion | Hidden]:
    """The texts for a place, headers without their blocks, the best first; behind them, or instead of them, the reason for which there is none.

    Their sources, in this order: a body where one begins, the model's line or lines, and its next best texts; unasked, these only where the
    line repeats its surroundings, or is refused. Of a body in one line and the line's certain beginning the worthier one comes first.
    """
    unasked = asking.certainty > 0
    options = replace(shaped(asking.options, place, unasked=unasked), looks=LOOKS)
    statement: Suggestion | None = None  # a body that is one line: its beginning may be worth more
    if unasked and asking.shows == "bodies" and (asking.column is not None or options.body):
        for body in _bodies(place, asking):
            if "\n" not in body.text:
                statement = body
                break
            yield body
        asking = replace(asking, on_text=None)  # the same model's text for a line has begun in the same way
        options = replace(options, body=True)
    if unasked:
        # More texts than these are seldom worth their time: improbable ones are not shown anyway.
        least = asking.model.certainty.least_log_prob(min(WRITTEN, asking.certainty))
        options = replace(options, least_log_prob=least)
    # The probability of a text that is shown anyway is not asked for.
    filling = options if unasked else replace(options, enough=-math.inf)
    completion = _filled(place, asking, filling)
    if asking.cancelled():
        yield Hidden(Reason.CANCELLED)
        return
    shown = _certain_part(place, completion, asking) if unasked else _whole(place, completion)
    yield from sorted(
        (each for each in (statement, shown) if isinstance(each, Suggestion)), key=lambda each: each.worth, reverse=True
    )
    if isinstance(shown, Suggestion) or _may_be_replaced(place, shown, unasked):
        yield from _next_best(place, completion, replace(asking, options=options))
    yield shown if isinstance(shown, Hidden) else Hidden(Reason.NO_TEXT, completion.text)


def with_blocks(place: Editing, text: Suggestion | Hidden, asking: Asking) -> Suggestion | Hidden:
    """A header with its block, whose own header may have one; a text that is no header as it is. Hidden where none of it is worth a look.

    A block has one line, but several where the user asks, or a model without a threshold of its own is shown as it is.
    """
    headers: list[tuple[Editing, Suggestion]] = []
    while isinstance(text, Suggestion) and pending_block(place.cursor, text.pending):
        headers.append((place, text))
        cursor, language = place.cursor.after(text.text + place.block), asking.options.language
        below = editing(cursor, place.session, language, asking.cancelled, asking.unfinished)
        if isinstance(below, Hidden):
            text = below
            break
        within = replace(asking, inside=False, watch=None, on_text=None)
        if not asking.options.fullest and (asking.certainty > 0 or asking.model.certainty.threshold > 0):
            within = replace(within, options=replace(asking.options, max_lines=0))
        place, text = below, next(texts(below, within))
    for place, header in reversed(headers):
        text = _joined(place, header, text, asking)
    return text


def _joined(place: Editing, header: Suggestion, block: Suggestion | Hidden, asking: Asking) -> Suggestion | Hidden:
    """A header with a block that is certain enough and whole, else alone."""
    whole = isinstance(block, Suggestion) and block.valid and (asking.options.fullest or is_whole(block.completion))
    part = block if isinstance(block, Suggestion) and whole else None
    if asking.certainty > 0:
        if part is not None:
            both = header.probability * part.probability
            part = part if is_worth_showing(both, header.text + place.block + part.text) else None
        if part is None and not is_worth_showing(header.probability, header.text, header.words):
            return Hidden(Reason.UNCERTAIN, header.text)
    if part is not None:
        column = header.column if part.column is None else part.column
        return replace(header, text=header.text + place.block + part.text, pending=part.pending, column=column)
    if place.block and place.whole:  # it has to make the file valid
        return replace(header, text=header.text + "".join(closer.text for closer in header.pending), pending=())
    return header


def is_whole(completion: Completion) -> bool:
    """Whether the model, or its line's end, ended a text, and nothing of it is left out."""
    return completion.ended in ("model", "lines") and all(
        passed.length <= len(completion.text) for passed in completion.trail
    )


def _filled(place: Editing, asking: Asking, options: Options) -> Completion:
    """The model's text for a place."""
    cursor, stop = place.cursor, asking.cancelled
    return fill(place.hole, cursor.left, cursor.right, asking.model, options, stop, asking.on_text, asking.watch)


def _bodies(place: Editing, asking: Asking) -> Iterator[Suggestion]:
    """The beginnings of a body that nobody asks for, the longest first, that are as likely to be kept as they need be."""
    options = shaped(asking.options, place, column=asking.column)  # not that of the fullest text: its block alone
    options = replace(options, fullest=True, text_ms=BODY_MS, enough=-math.inf)
    completion = _filled(place, asking, options)
    written = completion.written or completion.text
    goes_on = asking.column is not None  # with a block that somebody has taken
    least = blocks.least(asking.certainty, goes_on or is_documented(place.cursor.left))
    for part, probability in blocks.parts(completion):
        if probability < least or announces_code(part.text) or says_too_little(place.cursor, part.text, written):
            continue
        if isinstance(shown := to_show(place, part, probability), Suggestion):
            column = options.block_column if part.text != completion.text or completion.cut else None
            shown = _before_closers(place, replace(shown, column=column))
            if asking.inside or not shown.behind:  # else nobody could go on within its brackets
                yield shown


def _before_closers(place: Editing, shown: Suggestion) -> Suggestion:
    """A suggestion that was cut within brackets, with the cursor before the lines that close them, to go on there."""
    made = shown.completion
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(made.text, made.written, strict=False))
    kept = "".join(char for char, _ in alike).rstrip()
    if made.ended != "earlier" or _CLOSING_LINES.fullmatch(made.text, len(kept)) is None:
        return shown
    closers = made.text[len(kept) :].replace("\n", place.cursor.newline)
    last = kept.rpartition("\n")[2].expandtabs()
    column = len(last) - len(last.lstrip())
    return replace(shown, behind=len(closers), column=column) if shown.text.endswith(closers) else shown


def judge_at(place: Editing, model: Model) -> Judge:
    """The judge of texts for a place."""
    state = place.hole.state
    region = "code" if state is None else state.region
    situation = Situation(place.cursor.left, place.cursor.right, region)
    if model.reader is None:
        return Judge(situation, model.certainty)
    return Judge(situation, model.certainty, model.reader.is_usual)


def _certain_part(place: Editing, completion: Completion, asking: Asking) -> Suggestion | Hidden:
    """As much of a completion as is certain enough and worth a look."""
    refused = unfit_at(place, completion.written or completion.text, asking.shows == "copies")
    believed, least = judge_at(place, asking.model).probability, asking.certainty
    closing = closing_in(place.hole) if asking.inside and not place.block else None
    sure = certain(
        completion, believed, least, goes_on=bool(place.block), refused=refused, closing=closing,
        unfinished=place.is_begun and not place.whole,
    )  # fmt: skip
    if sure is not None and not sure.completion.complete:
        inner = _begun(place, sure, closing)
        if isinstance(inner, Suggestion):
            return inner
        # Without the text that is there already.
        sure = certain(completion, believed, least, refused=refused)
    if sure is not None:
        return _with_words(to_show(place, sure.completion, sure.probability), sure)
    if not completion.complete and completion.ended != "uncertain":
        return Hidden(Reason.NO_TEXT, completion.text)
    little = probability_of(completion, believed) >= least
    return Hidden(Reason.TOO_LITTLE if little else Reason.UNCERTAIN, completion.text)


def _with_words(shown: Suggestion | Hidden, sure: Certain) -> Suggestion | Hidden:
    """A suggestion with the words that are worth something by themselves, as far as they are shown."""
    if isinstance(shown, Hidden) or not sure.words:
        return shown
    return replace(shown, words=tuple(sure.words)) if shown.text.strip() == sure.completion.text.strip() else shown


def _begun(place: Editing, begun: Certain, closing: Callable[[str], str] | None) -> Suggestion | Hidden:
    """A suggestion of a beginning and the closers of its brackets; or of one that ends with a word, of what the user has begun."""
    closers = "" if closing is None else closing(begun.completion.text)
    if not closers:
        return _with_words(begun_to_show(place, begun.completion, begun.probability), begun)
    whole = replace(begun.completion, text=begun.completion.text + closers, complete=True)
    shown = to_show(place, whole, begun.probability)
    if isinstance(shown, Hidden) or not ends_alike(shown.text, closers):
        return shown
    return replace(shown, behind=len(closers))


def _whole(place: Editing, completion: Completion) -> Suggestion | Hidden:
    """All of a completion, for a user who asks."""
    return Hidden(Reason.PADDING, completion.text) if is_filler(completion) else to_show(place, completion)


def _may_be_replaced(place: Editing, hidden: Hidden, unasked: bool) -> bool:
    """Whether another text is looked for than one that repeats its surroundings."""
    from ....parser.language import traits

    left, right = place.cursor.left, place.cursor.right
    if not unasked:
        return says_nothing(left, hidden.text, right, traits(place.language).repeats)
    return hidden.reason in (Reason.REPEATS, Reason.HIDES_CODE) and not is_next_line(left, hidden.text, right)


def _next_best(place: Editing, completion: Completion, asking: Asking) -> Iterator[Suggestion]:
    """The next best texts instead of one that repeats its surroundings, or is refused; mostly the first is the intended one, or else its beginning."""
    refused = unfit_at(place, completion.written or completion.text, asking.shows == "copies")
    believed, least = judge_at(place, asking.model).probability, asking.certainty
    others = list(_several(place, replace(asking, certainty=0.0, watch=None, on_text=None), ALTERNATIVES))
    for other in _in_order(place, others, asking.options.fullest):
        probability = probability_of(other.completion, believed)
        worth = probability >= least and is_worth_showing(probability, other.text) and not refused(other.text)
        if worth or not least:
            yield replace(other, probability=probability)
    for part in certain_parts(completion, believed, least, refused=refused) if least > 0 else ():
        if isinstance(shown := to_show(place, part.completion, part.probability), Suggestion):
            yield shown


def _several(place: Editing, asking: Asking, n: int) -> Iterator[Suggestion]:
    """Up to n texts for a user who asks, best first, headers without their blocks."""
    cursor, model, options = place.cursor, asking.model, shaped(asking.options, place, column=asking.column)
    least = asking.worth if options.body else 0.0
    if options.body and not least:  # shown, however probable: to work that out takes a millisecond a token
        options = replace(options, enough=-math.inf)
    first, listeners = True, (asking.cancelled, asking.watch, asking.on_text)
    for completion in fill_several(place.hole, cursor.left, cursor.right, model, options, n, *listeners):
        shown = _whole(place, completion)
        probability = probability_of(completion, by_model(model.certainty))
        several = "\n" in completion.text  # of which no one in particular is probable
        improbable = not first and not several and 0 < probability < WORTH_A_LOOK
        little = says_too_little(cursor, completion.text, completion.written)
        if isinstance(shown, Suggestion) and not improbable and not little and probability >= least:
            first = False
            column = options.block_column if options.fullest and completion.cut else None
            shown = replace(shown, probability=probability, column=column)
            yield _before_closers(place, shown) if asking.inside else shown


def _in_order(place: Editing, texts: Iterable[Suggestion], fullest: bool) -> list[Suggestion]:
    """Texts for a user who asks, without those that are the same or, of whole thoughts, do the same."""
    from ....parser.language import traits

    chosen: dict[str, Suggestion] = {}
    for text in texts:
        chosen.setdefault(text.text, text)
    several = list(chosen.values())
    if fullest:
        several = different(several, traits(place.language).line_comment)
    return by_size(several, to_line_end=not place.cursor.rest)
