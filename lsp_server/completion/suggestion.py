"""From a text and a cursor to a suggestion: the layer where parser and model meet."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...common.line_ends import with_line_feeds
from .certainty import certain, certain_ends, is_bare_name, is_worth_showing, probability_of
from .closing import closing_in
from .headers import as_header
from .repetition import cuts, is_next_line, says_nothing
from .selection import FILLER, by_size, is_filler, line_is_broken, missing_body, without_filler, without_hiding
from .unfinished import mended_right

if TYPE_CHECKING:
    from ...common.constraint import Constraint
    from ...model import Completion, Model, Options
    from ...parser import Closer, Hole, Session


_REST = re.compile(r"[ \t]*(?:#|[\r\n]|\Z)")  # of an empty line
_CLOSING = re.compile(r"[)\]}]*\s*\Z")

MAX_LINES = 6
"""Newlines in a suggestion where a line or a block starts; longer text is read by nobody who is typing."""


LOOKS = 2
"""Texts that are compared by their scores: the best token at each step can lead to a text that is worse as a whole."""


ALTERNATIVES = 3
"""Texts that are made for a user who asks, of which the best is shown first; more are seldom looked at."""


ALTERNATIVES_MS = 500.0
"""From the start of a request, after which no other text is begun."""


WORTH_A_LOOK = 0.03
"""Probability from which on a text is given as an alternative to the first."""


@dataclass(frozen=True)
class Suggestion:
    """Text for the cursor's place, with which the file is valid as far as the fallback allows to say."""

    text: str
    completion: Completion
    fallback: str  # "none": valid in the whole file; else the step that the engine took
    hole_ms: float  # time to look at the text around the cursor
    behind: int = 0  # characters at its end before which the cursor stays: they close what the text has opened
    pending: tuple[Closer, ...] = ()  # what the code lacked without it, and is valid with

    @property
    def to_cursor(self) -> str:
        """The text as far as the cursor goes when it is accepted."""
        return self.text[: len(self.text) - self.behind]


def suggest(
    text: str,
    offset: int,
    session: Session,
    model: Model,
    options: Options,
    cancelled: Callable[[], bool],
    on_text: Callable[[str], None] | None = None,
    certainty: float = 0.0,
    *,
    inside: bool = False,
    unfinished: bool = True,
) -> Suggestion | None:
    """Suggest what to write at an offset; None when there is nothing to show, or nobody waits any more.

    certainty: the least probability, by the model's own reckoning, that what is shown is what will be typed. inside: what is shown may
    end with what closes its brackets, before which the cursor stays (`Suggestion.behind`). unfinished: may the file lack something
    behind the suggestion that it lacks already (`Suggestion.pending`)?
    """
    from ...parser import Cancelled

    if text.isspace() or not text:
        return None
    start = time.perf_counter()
    try:
        hole = session.hole(text, offset, cancelled)
    except Cancelled:
        return None
    hole_ms = (time.perf_counter() - start) * 1000
    if (
        hole.state is None or hole.fallback == "line" or cancelled()
    ):  # nobody asked, and the line has to be mended first
        return None
    if certainty > 0:
        try:
            if line_is_broken(text, offset, hole, session, cancelled):
                return None
        except Cancelled:
            return None
    right = text[offset:]
    try:
        if certainty > 0:
            hole, right = mended_hole(text, offset, hole, session, options.language, cancelled, unfinished)
        hole, body = hole_with_block(text, offset, right, hole, session, options, cancelled, unfinished)
    except Cancelled:
        return None
    as_asked = options
    options = shaped(options, text, offset, unasked=certainty > 0)
    if body:
        options = replace(options, max_lines=0)  # the block is another text
    # Unasked, more texts than these are seldom worth their time: what is improbable is not shown anyway.
    options = replace(options, looks=LOOKS if certainty > 0 else looks_for(model, options))
    if certainty > 0:
        options = replace(options, least_log_prob=model.certainty.least_log_prob(certainty))
    completion = fill(hole, text[:offset], right, model, options, cancelled, on_text)
    if cancelled():
        return None
    sure = completion
    statement = certainty > 0 and options.language == "python" and opens_statement(text, offset, hole)
    if certainty > 0:
        closing = closing_in(hole) if inside and not body else None
        sure = certain(
            completion, model.certainty, certainty, goes_on=bool(body), is_statement=statement, closing=closing
        )
        if sure is not None and not sure.complete and closing is not None:
            inner = _shown_inside(text, offset, hole, sure, closing(sure.text), hole_ms, options.language)
            if inner is not None:
                return inner
            # Without what is there already.
            sure = certain(completion, model.certainty, certainty, is_statement=statement)
    shown = None if sure is None else to_show(text, offset, hole, sure, hole_ms, options.language)
    if shown is not None and body:
        if not shown.text.rstrip().endswith(":"):
            return None
        block, probability = first_block(text, offset, shown.text, body, session, model, as_asked, cancelled, certainty)
        if certainty > 0:
            header = probability_of(shown.completion, model.certainty)
            whole = block != body and is_worth_showing(header * probability, shown.text + block)
            if not whole and not is_worth_showing(header, shown.text, more=1):  # the line end
                return None
        return replace(shown, text=shown.text + block)
    if (
        shown is None
        and sure is not None
        and _may_be_replaced(text[:offset], sure.text, text[offset:], certainty, options.language)
    ):
        # It says what is there already. The next best text is mostly what was meant, or else its beginning.
        others = suggest_several(text, offset, session, model, options, ALTERNATIVES, cancelled, unfinished)
        worth = (one for one in others if not certainty or _is_worth_it(one, model, certainty))
        shown = next((one for one in worth if not (statement and is_bare_name(one.text))), None)
        ends: Sequence[int] = ()
        if shown is None and certainty > 0:
            ends = certain_ends(completion, model.certainty, certainty, is_statement=statement)
        beginnings = (replace(completion, text=completion.text[:end], score=None) for end in ends)
        shown = next(
            (one for part in beginnings if (one := to_show(text, offset, hole, part, hole_ms, options.language))), shown
        )
    return shown


def looks_for(model: Model, options: Options) -> int:
    """How many texts are compared for a suggestion: more where a ranker chooses among them."""
    from ...model.decoding.api import ranker_for
    from ...model.reranking import ranker

    return LOOKS if ranker_for(model, options) is None else ranker.LOOKS


def _shown_inside(
    text: str, offset: int, hole: Hole, begun: Completion, closers: str, hole_ms: float, language: str | None
) -> Suggestion | None:
    """A suggestion of a beginning and what closes its brackets; None where there is nothing new to see."""
    shown = to_show(text, offset, hole, replace(begun, text=begun.text + closers, complete=True), hole_ms, language)
    if shown is None or not shown.text.endswith(closers):
        return shown
    return replace(shown, behind=len(closers))


def _is_worth_it(suggestion: Suggestion, model: Model, certainty: float) -> bool:
    probability = probability_of(suggestion.completion, model.certainty)
    return probability >= certainty and is_worth_showing(probability, suggestion.text)


def _may_be_replaced(left: str, said: str, right: str, certainty: float, language: str | None) -> bool:
    """Whether something else is looked for than a text that says what is there already."""
    from ...parser.language import repeats

    return not is_next_line(left, said, right) if certainty > 0 else says_nothing(left, said, right, repeats(language))


def suggest_several(
    text: str,
    offset: int,
    session: Session,
    model: Model,
    options: Options,
    n: int,
    cancelled: Callable[[], bool],
    unfinished: bool = True,
) -> list[Suggestion]:
    """Suggest up to n different texts for an offset, best first; what there is when nobody waits any more. unfinished: see `suggest`."""
    from ...parser import Cancelled

    if text.isspace() or not text:
        return []
    start = time.perf_counter()
    try:
        hole = session.hole(text, offset, cancelled)
    except Cancelled:
        return []
    hole_ms = (time.perf_counter() - start) * 1000
    if hole.state is None or cancelled():
        return []
    as_asked = options
    options = shaped(options, text, offset)
    try:
        hole, right = mended_hole(text, offset, hole, session, options.language, cancelled, unfinished)
        hole, body = hole_with_block(text, offset, right, hole, session, options, cancelled, unfinished)
    except Cancelled:
        return []
    if body:
        options = replace(options, max_lines=0)
    completions = fill_several(hole, text[:offset], right, model, options, n, cancelled)
    shown: dict[str, Suggestion] = {}
    for completion in completions:
        if is_filler(completion):
            mended = without_filler(completion, text[:offset], hole)
            if mended is None:
                continue
            completion = mended
        suggestion = to_show(text, offset, hole, completion, hole_ms, options.language)
        if suggestion is not None and body:
            if not suggestion.text.rstrip().endswith(":"):
                continue
            block, _ = first_block(text, offset, suggestion.text, body, session, model, as_asked, cancelled)
            suggestion = replace(suggestion, text=suggestion.text + block)
        if (
            suggestion is not None
            and shown
            and 0 < probability_of(suggestion.completion, model.certainty) < WORTH_A_LOOK
        ):
            continue
        if suggestion is not None:
            shown.setdefault(suggestion.text, suggestion)
    return by_size(shown.values(), lambda one: one.text, to_line_end=text[offset : offset + 1] in ("", "\r", "\n"))


def hole_with_block(
    text: str,
    offset: int,
    right: str,
    hole: Hole,
    session: Session,
    options: Options,
    cancelled: Callable[[], bool],
    unfinished: bool = True,
) -> tuple[Hole, str]:
    """The hole of a header as if a block stood below it, and the shortest such block; the same hole and "" where none is missing.

    right: the right context of the hole; unfinished: see `suggest`. Raises Cancelled.
    """
    body = missing_body(text, offset) if options.language == "python" else ""
    if not body or hole.state is None or hole.state.complete:
        return hole, ""
    below = text[:offset] + body + right
    whole = session.hole(below, offset, cancelled)
    whole, _ = mended_hole(below, offset, whole, session, options.language, cancelled, unfinished)
    if whole.state is None or whole.fallback not in ("none", hole.fallback):
        return hole, ""
    return replace(whole, fallback=hole.fallback, pending=behind(whole.pending, len(body))), body


def behind(closers: Sequence[Closer], length: int) -> tuple[Closer, ...]:
    """The closers of a right context as those of what follows its first `length` characters."""
    return tuple(replace(closer, at=max(0, closer.at - length)) for closer in closers)


def first_block(
    text: str,
    offset: int,
    header: str,
    body: str,
    session: Session,
    model: Model,
    options: Options,
    cancelled: Callable[[], bool],
    certainty: float = 0.0,
) -> tuple[str, float]:
    """A block for a header at an offset that has none, what is certain enough and whole, else the shortest one; and its probability.

    body: the shortest block, with its line end and indentation. In a file that is broken elsewhere it is taken as well. The block has one
    line, but several where a model without a threshold of its own is shown as it is.
    """
    blank = body.removesuffix(FILLER)
    below = text[:offset] + header + blank + text[offset:]
    if certainty > 0 or model.certainty.threshold > 0:
        options = replace(options, max_lines=0)
    at = offset + len(header + blank)
    found = suggest(below, at, session, model, options, cancelled, certainty=certainty, unfinished=False)
    if found is None or found.fallback != "none" or not _is_whole(found.completion):
        return body, 1.0
    return blank + found.text, probability_of(found.completion, model.certainty)


def _is_whole(completion: Completion) -> bool:
    """Was it ended by the model or with its line, and nothing of it left out?"""
    return completion.ended in ("model", "lines") and all(
        one.length <= len(completion.text) for one in completion.trail
    )


def mended_hole(
    text: str,
    offset: int,
    hole: Hole,
    session: Session,
    language: str | None,
    cancelled: Callable[[], bool] | None = None,
    unfinished: bool = True,
) -> tuple[Hole, str]:
    """The hole to fill and its right context: with what unfinished statements lack behind the cursor, where they lack something.

    unfinished: may something be lacking in a file that a text at the cursor could make valid? In one that none could, Python's
    statements are looked at alone. Raises Cancelled.
    """
    right = text[offset:]
    if hole.fallback == "none" and hole.state is not None:
        block = language == "python" and missing_body(text, offset)  # it is a part of the suggestion
        closers = session.pending(text, offset, cancelled) if unfinished and not block else ()
        if not closers:
            return hole, right
        from ...parser.pending import mended

        whole = mended(right, closers)
        found = session.hole(text[:offset] + whole, offset, cancelled)
        if found.state is None or found.fallback != "none":
            return hole, right
        return replace(found, pending=closers), whole
    if language != "python" or (whole := mended_right(text[:offset], right)) == right:
        return hole, right
    found = session.hole(text[:offset] + whole, offset, cancelled)
    if found.state is None or found.fallback not in ("none", hole.fallback):
        return hole, right
    return (replace(found, fallback="right") if found.fallback == "none" else found), whole


def to_show(
    text: str, offset: int, hole: Hole, completion: Completion, hole_ms: float, language: str | None
) -> Suggestion | None:
    """Make a suggestion of a completion; None where there is nothing new to see, or where it does not fit."""
    if not completion.complete or not completion.text.strip():
        return None
    said = unrepeated(text[:offset], completion.text, text[offset:], hole, language)
    said = without_hiding(said, text[offset:], hole)
    shown = with_newlines_of(text, strip_whitespace(text[:offset], said, hole), hole)
    return Suggestion(shown, completion, hole.fallback, hole_ms, pending=hole.pending) if shown.strip() else None


def unrepeated(left: str, suggestion: str, right: str, hole: Hole, language: str | None) -> str:
    """Leave out of a suggestion what is there already, where the text is still valid without it, or with its last brackets."""
    from ...parser.language import repeats

    closing = _CLOSING.search(suggestion)
    assert closing is not None
    for end in cuts(left, suggestion, right, repeats(language)):
        for kept in (suggestion[:end], suggestion[:end].rstrip() + closing[0]):
            after = hole.state.advance(kept) if hole.state is not None and end else None
            if end == 0 or (after is not None and after.complete):
                return kept if end else ""
    return suggestion


def strip_whitespace(left: str, suggestion: str, hole: Hole) -> str:
    """Leave out white space that nobody would type: more of it after white space within a line, and at the end."""
    state = hole.state
    line = left[max(left.rfind("\n"), left.rfind("\r")) + 1 :]
    after_blank = line.strip() and line[-1] in " \t"
    for text in (suggestion.lstrip(" \t").rstrip() if after_blank else suggestion.rstrip(), suggestion.rstrip()):
        after = state.advance(text) if state is not None and text else None
        if after is not None and after.complete:
            return text
    return suggestion


def shaped(options: Options, text: str, offset: int, unasked: bool = False) -> Options:
    """Give the options with what the place allows: how many lines, and how far to the left they may start."""
    most = MAX_LINES if options.max_lines is None else options.max_lines
    if unasked and not opens_block(text, offset):
        most = 0
    return replace(options, max_lines=lines_to_suggest(text, offset, most), block_column=block_column(text, offset))


def opens_block(text: str, offset: int) -> bool:
    """Whether several lines are meant: behind a header, within brackets that are open at a line's end, or in an empty file."""
    before = text[:offset].rstrip()
    return not before or before.endswith((":", "(", "[", "{", ",", '"""', "'''"))


def opens_statement(text: str, offset: int, hole: Hole) -> bool:
    """Whether a statement of Python begins at an offset: its line is empty, but for a comment behind, and `pass` may stand there."""
    line = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    if text[line:offset].strip() or _REST.match(text, offset) is None:
        return False
    if hole.state is None or hole.state.region != "code":
        return False
    return hole.state.advance(f"{FILLER};") is not None  # with a sign behind it, or it could be the beginning of a name


def block_column(text: str, offset: int) -> int:
    """Give the column at which the block of the cursor starts, at least: what starts left of it is outside."""
    line_start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    before = text[line_start:offset]
    blank = before[: len(before) - len(before.lstrip(" \t"))]
    return len(blank.expandtabs()) + before.rstrip().endswith(":")


def lines_to_suggest(text: str, offset: int, most: int = MAX_LINES) -> int:
    """Give the newlines that a suggestion may hold: none in the middle of a line, some where a line or a block starts."""
    line_start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    before, after = text[line_start:offset], text[offset : offset + 1]
    if after not in ("", "\n", "\r"):
        return 0
    return most if not before.strip() or before.rstrip().endswith((":", "(", "[", "{")) else 0


def fill(
    hole: Hole,
    left: str,
    right: str,
    model: Model,
    options: Options,
    cancelled: Callable[[], bool] = lambda: False,
    on_text: Callable[[str], None] | None = None,
) -> Completion:
    """Let the model fill a hole; it sees the text with \\n line ends, which it was trained on."""
    from ...model import Completion, NoConstraint, complete

    constraint = hole.state
    if constraint is None:
        if options.mode == "constrained":
            return Completion("", 0, "nothing", False, 0.0, 0.0, 0.0)
        constraint = NoConstraint(complete=False)
    left, right = with_line_feeds(left), with_line_feeds(right)
    constraint = _of_line(constraint, left, right, options)
    return complete(model, constraint, left, right, options, cancelled=cancelled, on_text=on_text)


def fill_several(
    hole: Hole,
    left: str,
    right: str,
    model: Model,
    options: Options,
    n: int,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[Completion]:
    """Let the model fill a hole in up to n ways, best first; in constrained mode, else in one."""
    from ...model import candidates

    if n == 1 or hole.state is None or options.mode != "constrained":
        return [fill(hole, left, right, model, options, cancelled)]
    left, right = with_line_feeds(left), with_line_feeds(right)
    budget_ms = max(ALTERNATIVES_MS, options.looks_ms)
    constraint = _of_line(hole.state, left, right, options)
    return candidates(model, constraint, left, right, options, n, budget_ms=budget_ms, cancelled=cancelled)


def _of_line(constraint: Constraint, left: str, right: str, options: Options) -> Constraint:
    """The constraint of what is asked for: where that is one line, of a line."""
    return as_header(constraint, left, right) if options.max_lines == 0 and options.language == "python" else constraint


def with_newlines_of(text: str, suggestion: str, hole: Hole) -> str:
    """Write the suggestion with the line ends of the text, where it is still valid with them."""
    newline = newline_of(text)
    if newline == "\n" or "\n" not in suggestion or hole.state is None:
        return suggestion
    converted = with_line_feeds(suggestion).replace("\n", newline)
    state = hole.state.advance(converted)
    # At the seams \r and \n can become one line end, or stop being one.
    return converted if state is not None and state.complete else suggestion


def newline_of(text: str) -> str:
    """Give the first line end of a text, \\n when it has none."""
    feed, carriage = text.find("\n"), text.find("\r")
    if carriage < 0 or 0 <= feed < carriage:
        return "\n"
    return "\r\n" if feed == carriage + 1 else "\r"
