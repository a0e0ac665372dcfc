"""From a text and a cursor to a suggestion: the layer where parser and model meet."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from ....common.line_ends import with_line_feeds
from ..cursor import Cursor
from ..judging import blocks
from ..judging.acceptance import Judge, Situation
from ..judging.certainty import Certain, by_model, certain, certain_parts, is_worth_showing, probability_of
from ..judging.closing import closing_in
from ..judging.hidden import Hidden, Reason
from ..judging.repetition import is_next_line, says_nothing
from ..judging.selection import by_size, different, is_filler
from ..judging.thoughts import announces_code
from ..style import ends_alike
from .editing import ASKED_MS, BODY_MS, PAUSE_MS, Editing, editing, pending_block, says_too_little, shaped, unfit_at
from .filling import fill, fill_several
from .shown import Suggestion, to_show

if TYPE_CHECKING:
    from ....model import Completion, Model, Options
    from ....parser import Session
    from .imports import Watch

LOOKS = 2
"""Texts that are compared by their scores: the best token at each step can lead to a text that is worse as a whole."""
ALTERNATIVES = 3
"""Texts that are made for a user who asks, of which the best is shown first; more are seldom looked at."""
WRITTEN = 0.12
"""Probability by the model's own reckoning below which no more of a text is written unasked, since its other features seldom make it probable."""
WORTH_A_LOOK = 0.03
"""Probability from which on a text is given as an alternative to the first."""


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
    """the least probability, by the model's own reckoning, of a text for a user who asks"""
    shows: Shows = "lines"
    """how much of the model's text is shown unasked"""
    column: int | None = None
    """of a block that the text goes on with: the least one of a line in it; None: the text begins its statement"""


def suggest(
    cursor: Cursor, session: Session, asking: Asking, on_text: Callable[[str], None] | None = None
) -> Suggestion | Hidden:
    """Suggest a text at a cursor, or say why none is shown."""
    place = editing(cursor, session, asking.options.language, asking.cancelled, asking.unfinished)
    if isinstance(place, Hidden):
        return place
    text = first_text(place, asking, on_text)
    return text if isinstance(text, Hidden) else with_block(place, text, asking)


def suggest_several(
    cursor: Cursor, session: Session, asking: Asking, n: int, on_text: Callable[[str], None] | None = None
) -> list[Suggestion]:
    """Suggest up to n different texts for a cursor to a user who asks, best first; those there are when nobody waits any more."""
    place = editing(cursor, session, asking.options.language, asking.cancelled, asking.unfinished, asked=True)
    if isinstance(place, Hidden):
        return []
    began, fullest = time.perf_counter(), asking.options.fullest
    enough = math.inf if asking.worth else asking.model.certainty.least_log_prob(WORTH_A_LOOK)
    asking = replace(asking, options=replace(asking.options, enough=enough))
    shown: list[Suggestion] = []
    for text in _several(place, asking, n, on_text):
        left_ms = max(0.0, ASKED_MS - (time.perf_counter() - began) * 1e3) if fullest else None
        below = replace(asking.options, fullest=fullest and not shown, text_ms=left_ms)
        whole = with_block(place, text, replace(asking, options=below))
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


def first_text(place: Editing, asking: Asking, on_text: Callable[[str], None] | None = None) -> Suggestion | Hidden:
    """The best text for a place, a header without its block, or why there is none.

    Its sources, in this order: a body where one begins, the model's line or lines, and, where these only repeat their surroundings, its next best texts.
    """
    unasked = asking.certainty > 0
    options = replace(shaped(asking.options, place, unasked=unasked), looks=LOOKS)
    if unasked and asking.shows == "bodies" and (asking.column is not None or options.body):
        body = _body(place, asking, on_text)
        if body is not None:
            return body
        on_text = None  # the same model's text for a line has begun in the same way
        options = replace(options, body=True)
    if unasked:
        # More texts than these are seldom worth their time: improbable ones are not shown anyway.
        least = asking.model.certainty.least_log_prob(min(WRITTEN, asking.certainty))
        options = replace(options, least_log_prob=least)
    # The probability of a text that is shown anyway is not asked for.
    filling = options if unasked else replace(options, enough=-math.inf)
    cursor, model = place.cursor, asking.model
    completion = fill(place.hole, cursor.left, cursor.right, model, filling, asking.cancelled, on_text, asking.watch)
    if asking.cancelled():
        return Hidden(Reason.CANCELLED)
    shown = _certain_part(place, completion, asking) if unasked else _whole(place, completion)
    if isinstance(shown, Suggestion) or not _may_be_replaced(place, shown, unasked):
        return shown
    return next(_instead(place, completion, replace(asking, options=options)), shown)


def with_block(place: Editing, header: Suggestion, asking: Asking) -> Suggestion | Hidden:
    """A header with a block where one is certain enough, else alone; a text that is no header as it is. Hidden where neither is worth a look."""
    if not pending_block(place.cursor, header.pending):
        return header
    block = _block(place, header.text, asking)
    if asking.certainty > 0:
        if block is not None:
            both = header.probability * block.probability
            block = block if is_worth_showing(both, header.text + place.block + block.text) else None
        if block is None and not is_worth_showing(header.probability, header.text):
            return Hidden(Reason.UNCERTAIN, header.text)
    if block is not None:
        column = header.column if block.column is None else block.column
        return replace(header, text=header.text + place.block + block.text, pending=block.pending, column=column)
    if place.block and place.whole:  # it has to make the file valid
        return replace(header, text=header.text + "".join(closer.text for closer in header.pending), pending=())
    return header


def _block(place: Editing, header: str, asking: Asking) -> Suggestion | None:
    """A block for a header, as far as it is certain enough and whole; None where there is none.

    It has one line, but several where the user asks, or a model without a threshold of its own is shown as it is.
    """
    fullest = asking.options.fullest
    if not fullest and (asking.certainty > 0 or asking.model.certainty.threshold > 0):
        asking = replace(asking, options=replace(asking.options, max_lines=0))
    below = place.cursor.after(header + place.block)
    block = suggest(below, place.session, replace(asking, inside=False, watch=None))
    whole = isinstance(block, Suggestion) and block.valid and (fullest or is_whole(block.completion))
    return block if isinstance(block, Suggestion) and whole else None


def next_text(
    place: Editing, wrong: Suggestion, asking: Asking, refuses: Callable[[Suggestion], bool]
) -> Suggestion | Hidden:
    """The next best text in the place of one that a type checker refuses."""
    for other in _instead(place, wrong.completion, asking):
        if other.text != wrong.text and not asking.cancelled() and not refuses(other):
            return with_block(place, other, asking)
    return Hidden(Reason.WRONG_TYPE, wrong.text)


def is_whole(completion: Completion) -> bool:
    """Whether the model, or its line's end, ended a text, and nothing of it is left out."""
    return completion.ended in ("model", "lines") and all(
        passed.length <= len(completion.text) for passed in completion.trail
    )


def _body(place: Editing, asking: Asking, on_text: Callable[[str], None] | None) -> Suggestion | None:
    """The first statements of a body that nobody asks for, where they are as likely to be kept as they need be."""
    options = shaped(asking.options, place, column=asking.column)  # not that of the fullest text: its block alone
    options = replace(options, fullest=True, text_ms=BODY_MS, enough=-math.inf)
    cursor, model = place.cursor, asking.model
    completion = fill(place.hole, cursor.left, cursor.right, model, options, asking.cancelled, on_text, asking.watch)
    least, written = blocks.least(asking.certainty), completion.written or completion.text
    for part, probability in blocks.parts(completion):
        if probability < least or announces_code(part.text) or says_too_little(cursor, part.text, written):
            continue
        if isinstance(shown := to_show(place, part), Suggestion):
            column = options.block_column if part.text != completion.text or completion.cut else None
            return replace(shown, probability=probability, column=column)
    return None


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
    sure = certain(completion, believed, least, goes_on=bool(place.block), refused=refused, closing=closing)
    if sure is not None and not sure.completion.complete and closing is not None:
        inner = _shown_inside(place, sure, closing(sure.completion.text))
        if isinstance(inner, Suggestion):
            return inner
        # Without the text that is there already.
        sure = certain(completion, believed, least, refused=refused)
    if sure is not None:
        return _as_shown(place, sure)
    if not completion.complete and completion.ended != "uncertain":
        return Hidden(Reason.NO_TEXT, completion.text)
    little = probability_of(completion, believed) >= least
    return Hidden(Reason.TOO_LITTLE if little else Reason.UNCERTAIN, completion.text)


def _as_shown(place: Editing, sure: Certain) -> Suggestion | Hidden:
    shown = to_show(place, sure.completion)
    return shown if isinstance(shown, Hidden) else replace(shown, probability=sure.probability)


def _shown_inside(place: Editing, begun: Certain, closers: str) -> Suggestion | Hidden:
    """A suggestion of a beginning and the closers of its brackets."""
    whole = replace(begun.completion, text=begun.completion.text + closers, complete=True)
    shown = _as_shown(place, Certain(whole, begun.probability))
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


def _instead(place: Editing, completion: Completion, asking: Asking) -> Iterator[Suggestion]:
    """The next best texts instead of one that repeats its surroundings, or is refused; mostly the first is the intended one, or else its beginning."""
    refused = unfit_at(place, completion.written or completion.text, asking.shows == "copies")
    believed, least = judge_at(place, asking.model).probability, asking.certainty
    others = list(_several(place, replace(asking, certainty=0.0, watch=None), ALTERNATIVES))
    for other in _in_order(place, others, asking.options.fullest):
        probability = probability_of(other.completion, believed)
        worth = probability >= least and is_worth_showing(probability, other.text) and not refused(other.text)
        if worth or not least:
            yield replace(other, probability=probability)
    for part in certain_parts(completion, believed, least, refused=refused) if least > 0 else ():
        shown = _as_shown(place, part)
        if isinstance(shown, Suggestion):
            yield shown


def _several(
    place: Editing, asking: Asking, n: int, on_text: Callable[[str], None] | None = None
) -> Iterator[Suggestion]:
    """Up to n texts for a user who asks, best first, headers without their blocks."""
    cursor, model, options = place.cursor, asking.model, shaped(asking.options, place, column=asking.column)
    stop, watch = asking.cancelled, asking.watch
    first = True
    for completion in fill_several(place.hole, cursor.left, cursor.right, model, options, n, stop, watch, on_text):
        shown = _whole(place, completion)
        probability = probability_of(completion, by_model(model.certainty))
        several = "\n" in completion.text  # of which no one in particular is probable
        improbable = not first and not several and 0 < probability < WORTH_A_LOOK
        little = says_too_little(cursor, completion.text, completion.written)
        if isinstance(shown, Suggestion) and not improbable and not little and probability >= asking.worth:
            first = False
            yield replace(shown, column=options.block_column if options.fullest and completion.cut else None)


def _in_order(place: Editing, texts: Iterable[Suggestion], fullest: bool) -> list[Suggestion]:
    """Texts for a user who asks, without those that are the same or, of whole thoughts, do the same."""
    from ....parser.language import traits

    def text_of(suggestion: Suggestion) -> str:
        return suggestion.text

    chosen: dict[str, Suggestion] = {}
    for text in texts:
        chosen.setdefault(text.text, text)
    several = list(chosen.values())
    if fullest:
        several = different(several, text_of, traits(place.language).line_comment)
    return by_size(several, text_of, to_line_end=not place.cursor.rest)
