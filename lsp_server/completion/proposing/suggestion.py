"""From a text and a cursor to a suggestion: the layer where parser and model meet."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ....common.line_ends import with_line_feeds
from ..cursor import Cursor
from ..judging.acceptance import Judge, Situation
from ..judging.certainty import (
    Certain,
    by_model,
    certain,
    certain_parts,
    is_bare_name,
    is_worth_showing,
    probability_of,
)
from ..judging.closing import closers_of, closing_in
from ..judging.hidden import Hidden, Reason
from ..judging.repetition import cuts, is_next_line, says_nothing
from ..judging.selection import by_size, is_filler, line_is_broken, without_hiding
from ..style import ends_alike, in_style
from .headers import as_header, at_column

if TYPE_CHECKING:
    from ....common.constraint import Constraint
    from ....model import Completion, Model, Options
    from ....parser import Closer, Hole, Session
    from ....parser.importing import Insertion
    from .imports import Watch


_REST = re.compile(r"[ \t]*(?:#|\Z)")  # of an empty line
_CLOSING = re.compile(r"[)\]}]*\s*\Z")
_IN_ONE_LINE = re.compile(r":[ \t]*(\w+)\Z")
_NEXT_LINE = re.compile(r"[\r\n]([ \t]*)([^\s])")
_NO_WORD = re.compile(r"\W")
_BLOCK = re.compile(r"(?:\r\n|\n|\r)([ \t]+)")

MAX_LINES = 6
"""Newlines in a suggestion where a line or a block starts; longer text is read by nobody who is typing."""


LOOKS = 2
"""Texts that are compared by their scores: the best token at each step can lead to a text that is worse as a whole."""


ALTERNATIVES = 3
"""Texts that are made for a user who asks, of which the best is shown first; more are seldom looked at."""


ALTERNATIVES_MS = 500.0
"""From the start of a request, after which no other text is begun."""


WRITTEN = 0.12
"""Probability by the model's own reckoning below which no more of a text is written unasked, since what else is known of it seldom makes it probable."""


WORTH_A_LOOK = 0.03
"""Probability from which on a text is given as an alternative to the first."""


@dataclass(frozen=True)
class Suggestion:
    """Text for the cursor's place, with which the file is valid as far as the fallback allows to say."""

    text: str
    completion: Completion
    fallback: str  # "none": valid in the whole file; else the step that the engine took
    hole_ms: float  # time to look at the text around the cursor
    probability: float = 0.0  # that it is typed, where it is shown unasked
    behind: int = 0  # characters at its end before which the cursor stays: they close what the text has opened
    pending: tuple[Closer, ...] = ()  # what the code lacked without it, and is valid with
    edits: tuple[Insertion, ...] = ()  # what is written above its line when it is accepted
    imports: tuple[str, ...] = ()  # the statements that these add, as each would stand alone

    @property
    def to_cursor(self) -> str:
        """The text as far as the cursor goes when it is accepted."""
        return self.text[: len(self.text) - self.behind]


@dataclass(frozen=True)
class Editing:
    """A hole that is to be filled: what all texts for it share."""

    cursor: Cursor
    session: Session
    hole: Hole
    """as if what is pending stood behind it, which is `Hole.pending`"""
    language: str | None
    hole_ms: float
    """time to look at the text around the cursor"""
    block: str = ""
    """the line end and the indentation of a block that is pending below the line; "" where none is"""
    whole: bool = False
    """must the text make the file valid by itself?"""

    def fits(self, text: str) -> bool:
        """Is the file valid with a text?"""
        after = None if self.hole.state is None or not text else self.hole.state.advance(text)
        return after is not None and after.complete


def editing(
    cursor: Cursor,
    session: Session,
    language: str | None,
    cancelled: Callable[[], bool],
    unfinished: bool = True,
    asked: bool = False,
) -> Editing | Hidden:
    """What is to be filled at a cursor, or why nothing is.

    unfinished: may the file lack something behind the text that it lacks already (`Suggestion.pending`)? asked: does the user ask?
    Else nothing is suggested in a line that has to be mended first.
    """
    from ....parser import Cancelled

    if not cursor.text.strip():
        return Hidden(Reason.EMPTY)
    start = time.perf_counter()
    try:
        hole = session.hole(cursor.text, cursor.offset, cancelled)
        hole_ms = (time.perf_counter() - start) * 1000
        if hole.state is None:
            return Hidden(Reason.UNREADABLE)
        if not asked and line_is_broken(cursor, hole, session, cancelled):
            return Hidden(Reason.BROKEN_LINE)
        hole = mended_hole(cursor, hole, session, cancelled, unfinished)
    except Cancelled:
        return Hidden(Reason.CANCELLED)
    if cancelled():
        return Hidden(Reason.CANCELLED)
    block = pending_block(cursor, hole.pending)
    return Editing(cursor, session, hole, language, hole_ms, block, whole=not unfinished)


def suggest(
    cursor: Cursor,
    session: Session,
    model: Model,
    options: Options,
    cancelled: Callable[[], bool],
    on_text: Callable[[str], None] | None = None,
    certainty: float = 0.0,
    *,
    inside: bool = False,
    unfinished: bool = True,
    watch: Watch | None = None,
) -> Suggestion | Hidden:
    """Suggest what to write at a cursor, or say why nothing is shown.

    certainty: the least probability, by the model's own reckoning, that what is shown is what will be typed. inside: what is shown may
    end with what closes its brackets, before which the cursor stays (`Suggestion.behind`). unfinished: see `editing`. watch: notes what
    the model wanted to write and might not.
    """
    place = editing(cursor, session, options.language, cancelled, unfinished)
    if isinstance(place, Hidden):
        return place
    as_asked = options
    options = shaped(options, place, unasked=certainty > 0)
    # Unasked, more texts than these are seldom worth their time: what is improbable is not shown anyway.
    options = replace(options, looks=LOOKS if certainty > 0 else looks_for(model, options))
    if certainty > 0:
        options = replace(options, least_log_prob=model.certainty.least_log_prob(min(WRITTEN, certainty)))
    completion = fill(place.hole, cursor.left, cursor.right, model, options, cancelled, on_text, watch)
    if cancelled():
        return Hidden(Reason.CANCELLED)
    if certainty > 0:
        shown = _certain_part(place, completion, model, certainty, inside)
    else:
        shown = Hidden(Reason.PADDING, completion.text) if is_filler(completion) else to_show(place, completion)
    if isinstance(shown, Suggestion):
        return with_block(place, shown, model, as_asked, cancelled, certainty)
    fits_not = certainty <= 0 or shown.reason in (Reason.REPEATS, Reason.HIDES_CODE)
    if fits_not and _may_be_replaced(place, shown.text, certainty):
        return _instead(place, shown, completion, model, options, cancelled, certainty)
    return shown


def looks_for(model: Model, options: Options) -> int:
    """How many texts are compared for a suggestion: more where a ranker chooses among them."""
    from ....model.decoding.api import ranker_for
    from ....model.reranking import ranker

    return LOOKS if ranker_for(model, options) is None else ranker.LOOKS


def judge_at(place: Editing, model: Model) -> Judge:
    """What judges texts for a place."""
    state = place.hole.state
    region = "code" if state is None else state.region
    situation = Situation(place.cursor.left, place.cursor.right, region)
    if model.reader is None:
        return Judge(situation, model.certainty)
    return Judge(situation, model.certainty, model.reader.is_usual)


def _certain_part(
    place: Editing, completion: Completion, model: Model, certainty: float, inside: bool
) -> Suggestion | Hidden:
    """As much of a completion as is certain enough and worth a look."""
    refused, believed = unfit_at(place), judge_at(place, model).probability
    closing = closing_in(place.hole) if inside and not place.block else None
    sure = certain(completion, believed, certainty, goes_on=bool(place.block), refused=refused, closing=closing)
    if sure is not None and not sure.completion.complete and closing is not None:
        inner = _shown_inside(place, sure, closing(sure.completion.text))
        if isinstance(inner, Suggestion):
            return inner
        # Without what is there already.
        sure = certain(completion, believed, certainty, refused=refused)
    if sure is not None:
        return _as_shown(place, sure)
    if not completion.complete and completion.ended != "uncertain":
        return Hidden(Reason.NO_TEXT, completion.text)
    little = probability_of(completion, believed) >= certainty
    return Hidden(Reason.TOO_LITTLE if little else Reason.UNCERTAIN, completion.text)


def _as_shown(place: Editing, sure: Certain) -> Suggestion | Hidden:
    shown = to_show(place, sure.completion)
    return shown if isinstance(shown, Hidden) else replace(shown, probability=sure.probability)


def _shown_inside(place: Editing, begun: Certain, closers: str) -> Suggestion | Hidden:
    """A suggestion of a beginning and what closes its brackets."""
    whole = replace(begun.completion, text=begun.completion.text + closers, complete=True)
    shown = _as_shown(place, Certain(whole, begun.probability))
    if isinstance(shown, Hidden) or not ends_alike(shown.text, closers):
        return shown
    return replace(shown, behind=len(closers))


def _may_be_replaced(place: Editing, said: str, certainty: float) -> bool:
    """Whether something else is looked for than a text that says what is there already."""
    from ....parser.language import traits

    left, right = place.cursor.left, place.cursor.right
    if certainty > 0:
        return not is_next_line(left, said, right)
    return says_nothing(left, said, right, traits(place.language).repeats)


def _instead(
    place: Editing,
    hidden: Hidden,
    completion: Completion,
    model: Model,
    options: Options,
    cancelled: Callable[[], bool],
    certainty: float,
) -> Suggestion | Hidden:
    """The next best text instead of one that says what is there already; mostly it is what was meant, or else its beginning."""
    refused, believed = unfit_at(place), judge_at(place, model).probability
    for other in _several(place, model, options, ALTERNATIVES, cancelled):
        probability = probability_of(other.completion, believed)
        worth = probability >= certainty and is_worth_showing(probability, other.text) and not refused(other.text)
        if worth or not certainty:
            return replace(other, probability=probability)
    for part in certain_parts(completion, believed, certainty, refused=refused) if certainty > 0 else ():
        shown = _as_shown(place, part)
        if isinstance(shown, Suggestion):
            return shown
    return hidden


def suggest_several(
    cursor: Cursor,
    session: Session,
    model: Model,
    options: Options,
    n: int,
    cancelled: Callable[[], bool],
    unfinished: bool = True,
    watch: Watch | None = None,
) -> list[Suggestion]:
    """Suggest up to n different texts for a cursor, best first; what there is when nobody waits any more. unfinished, watch: see `suggest`."""
    place = editing(cursor, session, options.language, cancelled, unfinished, asked=True)
    return [] if isinstance(place, Hidden) else _several(place, model, options, n, cancelled, watch)


def _several(
    place: Editing, model: Model, options: Options, n: int, cancelled: Callable[[], bool], watch: Watch | None = None
) -> list[Suggestion]:
    cursor = place.cursor
    found = fill_several(place.hole, cursor.left, cursor.right, model, shaped(options, place), n, cancelled, watch)
    shown: dict[str, Suggestion] = {}
    for completion in found:
        one = Hidden(Reason.PADDING) if is_filler(completion) else to_show(place, completion)
        if isinstance(one, Hidden) or (
            shown and 0 < probability_of(completion, by_model(model.certainty)) < WORTH_A_LOOK
        ):
            continue
        one = with_block(place, one, model, options, cancelled)
        if isinstance(one, Suggestion):
            shown.setdefault(one.text, one)
    return by_size(shown.values(), lambda one: one.text, to_line_end=not place.cursor.rest)


def pending_block(cursor: Cursor, closers: Sequence[Closer]) -> str:
    """The line end and the indentation of a block that is pending below the cursor's line, which ends there; "" where none is."""
    if not closers or closers[0].at > len(cursor.rest) or cursor.rest.strip():
        return ""
    begun = _BLOCK.match(closers[0].text)
    return begun[0] if begun is not None and len(begun[1].expandtabs()) > len(cursor.blank.expandtabs()) else ""


def with_block(
    place: Editing,
    header: Suggestion,
    model: Model,
    options: Options,
    cancelled: Callable[[], bool],
    certainty: float = 0.0,
) -> Suggestion | Hidden:
    """A header with a block where one is certain enough, else alone; what is no header as it is. Hidden where neither is worth a look."""
    if not pending_block(place.cursor, header.pending):
        return header
    found = first_block(place, header.text, model, options, cancelled, certainty)
    if certainty > 0:
        if found is not None:
            both = header.probability * found.probability
            found = found if is_worth_showing(both, header.text + place.block + found.text) else None
        if found is None and not is_worth_showing(header.probability, header.text):
            return Hidden(Reason.UNCERTAIN, header.text)
    return joined(place, header, found)


def joined(place: Editing, header: Suggestion, block: Suggestion | None) -> Suggestion:
    """A header and its block; without one, the header alone, or with what makes the file valid where the text has to."""
    if block is not None:
        return replace(header, text=header.text + place.block + block.text, pending=block.pending)
    if place.block and place.whole:
        return replace(header, text=header.text + "".join(one.text for one in header.pending), pending=())
    return header


def first_block(
    place: Editing, header: str, model: Model, options: Options, cancelled: Callable[[], bool], certainty: float = 0.0
) -> Suggestion | None:
    """A block for a header, what is certain enough and whole; None where there is none.

    It has one line, but several where a model without a threshold of its own is shown as it is.
    """
    below = place.cursor.after(header + place.block)
    if certainty > 0 or model.certainty.threshold > 0:
        options = replace(options, max_lines=0)
    found = suggest(below, place.session, model, options, cancelled, certainty=certainty, unfinished=not place.whole)
    whole = isinstance(found, Suggestion) and found.fallback == "none" and _is_whole(found.completion)
    return found if isinstance(found, Suggestion) and whole else None


def _is_whole(completion: Completion) -> bool:
    """Was it ended by the model or with its line, and nothing of it left out?"""
    return completion.ended in ("model", "lines") and all(
        one.length <= len(completion.text) for one in completion.trail
    )


def mended_hole(
    cursor: Cursor, hole: Hole, session: Session, cancelled: Callable[[], bool] | None = None, unfinished: bool = True
) -> Hole:
    """The hole to fill, with what unfinished statements lack behind the cursor, where they lack something.

    unfinished: see `editing`; else nothing but a header's block, which is then added to the text, may be lacking. Raises Cancelled.
    """
    if unfinished:
        return session.mended(hole, cursor.text, cursor.offset, cancelled)
    closers = session.pending(cursor.text, cursor.offset, cancelled)
    if len(closers) != 1 or not pending_block(cursor, closers):
        return hole
    from ....parser.pending import mended

    found = session.hole(cursor.left + mended(cursor.right, closers), cursor.offset, cancelled)
    fits = found.state is not None and found.fallback in ("none", hole.fallback)
    return replace(found, pending=closers) if fits else hole


def to_show(place: Editing, completion: Completion) -> Suggestion | Hidden:
    """Make a suggestion of a completion, unless it does not fit or there is nothing new to see."""
    from ....parser import pending_behind
    from ....parser.language import traits

    if not completion.complete or not completion.text.strip():
        return Hidden(Reason.NO_TEXT, completion.text)
    said = unrepeated(place, completion.text)
    if not said.strip():
        return Hidden(Reason.REPEATS, completion.text)
    said = without_hiding(said, place.cursor.rest, place.hole)
    if not said.strip():
        return Hidden(Reason.HIDES_CODE, completion.text)
    shown = in_style(strip_whitespace(place, said), place.cursor, place.hole.state, traits(place.language))
    if not shown.strip():
        return Hidden(Reason.REPEATS, completion.text)
    shown = with_newlines_of(place, shown)
    pending = pending_behind(place.hole, shown)
    return Suggestion(shown, completion, place.hole.fallback, place.hole_ms, pending=pending)


def unrepeated(place: Editing, suggestion: str) -> str:
    """Leave out of a suggestion what is there already, where the text is still valid without it, or with its last brackets."""
    from ....parser.language import traits

    closing = _CLOSING.search(suggestion)
    assert closing is not None
    for end in cuts(place.cursor.left, suggestion, place.cursor.right, traits(place.language).repeats):
        if end == 0:
            return ""
        for kept in (suggestion[:end], suggestion[:end].rstrip() + closing[0]):
            if place.fits(kept):
                return kept
    return suggestion


def strip_whitespace(place: Editing, suggestion: str) -> str:
    """Leave out white space that nobody would type: more of it after white space within a line, and at the end."""
    before = place.cursor.before
    after_blank = before.strip() and before[-1] in " \t"
    for text in (suggestion.lstrip(" \t").rstrip() if after_blank else suggestion.rstrip(), suggestion.rstrip()):
        if place.fits(text):
            return text
    return suggestion


def shaped(options: Options, place: Editing, unasked: bool = False) -> Options:
    """Give the options with what the place allows: how many lines, and how far to the left they may start."""
    cursor = place.cursor
    most = MAX_LINES if options.max_lines is None else options.max_lines
    if place.block or (unasked and not opens_block(cursor)):  # a block is another text
        most = 0
    return replace(options, max_lines=lines_to_suggest(cursor, most), block_column=block_column(cursor))


def opens_block(cursor: Cursor) -> bool:
    """Whether several lines are meant: behind a header, within brackets that are open at a line's end, or in an empty file."""
    before = cursor.left.rstrip()
    return not before or before.endswith((":", "(", "[", "{", ",", '"""', "'''"))


def opens_statement(place: Editing) -> bool:
    """Whether a statement begins at a cursor: its line is empty, but for a comment behind, and the language's filler may stand there."""
    from ....parser.language import traits

    cursor, state = place.cursor, place.hole.state
    filler = traits(place.language).filler
    if not filler or cursor.before.strip() or _REST.match(cursor.rest) is None:
        return False
    if state is None or state.region != "code":
        return False
    return state.advance(f"{filler};") is not None  # with a sign behind it, or it could be the beginning of a name


def unfit_at(place: Editing) -> Callable[[str], bool]:
    """Tells which texts are not shown unasked at a place, however probable they are.

    - A bare name that is a statement of its own, or the block of a header in one line with it.
    - A text that ends in a bracket which opens something, where the next line goes on with something else.
    """
    from ....parser.language import traits

    cursor, known = place.cursor, traits(place.language)
    statement = opens_statement(place)
    below = _NEXT_LINE.search(cursor.right)
    goes_on = (
        below is not None and below[2] not in ")]}" and len(below[1].expandtabs()) <= len(cursor.blank.expandtabs())
    )
    openers = set("([{" if goes_on and not cursor.rest else "") - {known.block}

    def unfit(text: str) -> bool:
        line = (cursor.before + text).rpartition("\n")[2]
        name = _IN_ONE_LINE.search(line)
        if name is not None and _NO_WORD.split(line.lstrip(), maxsplit=1)[0] in known.headers and is_bare_name(name[1]):
            return not closers_of(line[: name.start()]) and "lambda" not in line
        return (statement and is_bare_name(text)) or text.rstrip()[-1:] in openers

    return unfit


def block_column(cursor: Cursor) -> int:
    """Give the column at which the block of the cursor starts, at least: what starts left of it is outside."""
    return len(cursor.blank.expandtabs()) + cursor.before.rstrip().endswith(":")


def lines_to_suggest(cursor: Cursor, most: int = MAX_LINES) -> int:
    """Give the newlines that a suggestion may hold: none in the middle of a line, some where a line or a block starts."""
    if cursor.rest:
        return 0
    return most if not cursor.before.strip() or cursor.before.rstrip().endswith((":", "(", "[", "{")) else 0


def fill(
    hole: Hole,
    left: str,
    right: str,
    model: Model,
    options: Options,
    cancelled: Callable[[], bool] = lambda: False,
    on_text: Callable[[str], None] | None = None,
    watch: Watch | None = None,
) -> Completion:
    """Let the model fill a hole; it sees the text with \\n line ends, which it was trained on."""
    from ....model import Completion, NoConstraint, complete

    constraint = hole.state
    if constraint is None:
        if options.mode == "constrained":
            return Completion("", 0, "nothing", False, 0.0, 0.0, 0.0)
        constraint = NoConstraint(complete=False)
    left, right = with_line_feeds(left), with_line_feeds(right)
    constraint = _of_line(hole, constraint, left, right, options)
    if watch is not None:
        constraint = watch.over(constraint)
    return complete(model, constraint, left, right, options, cancelled=cancelled, on_text=on_text)


def fill_several(
    hole: Hole,
    left: str,
    right: str,
    model: Model,
    options: Options,
    n: int,
    cancelled: Callable[[], bool] = lambda: False,
    watch: Watch | None = None,
) -> list[Completion]:
    """Let the model fill a hole in up to n ways, best first; in constrained mode, else in one."""
    from ....model import candidates

    if n == 1 or hole.state is None or options.mode != "constrained":
        return [fill(hole, left, right, model, options, cancelled, watch=watch)]
    left, right = with_line_feeds(left), with_line_feeds(right)
    budget_ms = max(ALTERNATIVES_MS, options.looks_ms)
    constraint = _of_line(hole, hole.state, left, right, options)
    if watch is not None:
        constraint = watch.over(constraint)
    return candidates(model, constraint, left, right, options, n, budget_ms=budget_ms, cancelled=cancelled)


def _of_line(hole: Hole, constraint: Constraint, left: str, right: str, options: Options) -> Constraint:
    """The constraint of what is asked for: of a text in the column of the cursor, and where that is one line, of a line."""
    from ....parser.language import traits

    headers = traits(options.language).headers
    if options.max_lines == 0 and headers:
        constraint = as_header(constraint, left, right, headers)
    in_code = hole.state is not None and hole.state.region == "code"
    return at_column(constraint, left, right) if in_code else constraint


def with_newlines_of(place: Editing, suggestion: str) -> str:
    """Write the suggestion with the line ends of the text, where it is still valid with them."""
    newline = place.cursor.newline
    if newline == "\n" or "\n" not in suggestion:
        return suggestion
    converted = with_line_feeds(suggestion).replace("\n", newline)
    # At the seams \r and \n can become one line end, or stop being one.
    return converted if place.fits(converted) else suggestion
