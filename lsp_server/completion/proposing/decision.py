"""Whether a text is shown, and which part: the one decision about candidates of all sources.

Sources give texts with their probabilities; `decide` returns the part to show, or the reason to show none. The thresholds and a text's worth
are in `judging.policy`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import takewhile
from typing import TYPE_CHECKING, Literal

from ..judging import blocks, policy
from ..judging.acceptance import Judge, Situation
from ..judging.certainty import Certain, by_model, certain, certain_parts, probability_of
from ..judging.closing import closing_in
from ..judging.hidden import Hidden, Reason
from ..judging.policy import Limits, is_worth_showing
from ..judging.selection import is_filler
from ..judging.thoughts import announces_code, is_documented
from ..judging.trivial import says_too_little
from ..judging.unlikely import is_unlikely
from ..style import ends_alike
from .editing import Editing, unfit_at
from .shown import Suggestion, to_show

if TYPE_CHECKING:
    from ....model import Completion, Model

_CLOSING_LINES = re.compile(r"(?:\n[ \t]*[)\]}]+)+")

Source = Literal["line", "next", "body", "asked", "whole"]
"""The model's text for a line or a place in it; one of its next best texts instead; a beginning of a body; one of several texts for a user
who asks; the model's text, all of it shown."""


@dataclass(frozen=True)
class Candidate:
    """A text for a place, with its source."""

    source: Source
    completion: Completion
    probability: float = 0.0
    """of keeping it, if it is a body"""
    cut_at: int | None = None
    """the column of a block that the model did not end, for the text to continue; None: it ended it"""
    is_first: bool = True
    """of several for a user's request"""
    asked: Suggestion | None = None
    """the suggestion for a user who asks, if it is a next best text"""


@dataclass(frozen=True)
class Case:
    """A place, with the model and the limits to decide by."""

    place: Editing
    model: Model
    limits: Limits
    goes_on: bool = False
    """whether a body continues an accepted block"""

    @cached_property
    def judge(self) -> Judge:
        """The judge of texts."""
        return judge_at(self.place, self.model)

    def refused(self, completion: Completion) -> Callable[[str], bool]:
        """A function that tells whether a text's beginning is hidden, however probable."""
        return unfit_at(self.place, completion.written or completion.text, self.limits.shows == "copies")


def decide(candidate: Candidate, case: Case) -> Suggestion | Hidden:
    """The part of a candidate to show, or the reason to show none."""
    return _DECIDING[candidate.source](candidate, case)


def shorter(completion: Completion, case: Case) -> Iterator[Suggestion]:
    """The beginnings of a text to show unasked instead of it, ordered by worth."""
    least, sure = case.limits.certainty, case.limits.sure_word
    for part in certain_parts(completion, case.judge.probability, least, sure=sure, refused=case.refused(completion)):
        if isinstance(shown := to_show(case.place, part.completion, part.probability), Suggestion):
            yield shown


def with_block(
    place: Editing, header: Suggestion, block: Suggestion | Hidden, limits: Limits, *, fullest: bool
) -> Suggestion | Hidden:
    """A header with its block, if that is certain enough and whole, else alone. fullest: whether a part of a block will do."""
    whole = isinstance(block, Suggestion) and block.valid and (fullest or is_whole(block.completion))
    part = block if isinstance(block, Suggestion) and whole else None
    if limits.unasked:
        if part is not None:
            both = header.probability * part.probability
            part = part if is_worth_showing(both, header.text + place.block + part.text) else None
        if part is None and not is_worth_showing(header.probability, header.text, header.words):
            return Hidden(Reason.UNCERTAIN, header.text)
    if part is not None:
        column = header.column if part.column is None else part.column
        return replace(header, text=header.text + place.block + part.text, pending=part.pending, column=column)
    if place.block and place.whole:  # the block has to make the file valid
        return replace(header, text=header.text + "".join(closer.text for closer in header.pending), pending=())
    return header


def is_whole(completion: Completion) -> bool:
    """Whether the model or its line's end ended a text, and nothing of it is cut off."""
    return completion.ended in ("model", "lines") and all(
        passed.length <= len(completion.text) for passed in completion.trail
    )


def is_sure(fact: Suggestion, limits: Limits) -> bool:
    """Whether a text from facts of the code is shown without asking the model."""
    return fact.probability >= max(policy.SURE, limits.certainty)


def outdoes(fact: Suggestion, outcome: Suggestion | Hidden, limits: Limits) -> bool:
    """Whether such a text is shown unasked instead of the model's."""
    worth = outcome.worth if isinstance(outcome, Suggestion) else 0.0
    return 0 < limits.certainty <= fact.probability and fact.worth > worth


def judge_at(place: Editing, model: Model) -> Judge:
    """The judge of texts for a place."""
    state = place.hole.state
    region = "code" if state is None else state.region
    situation = Situation(place.cursor.left, place.cursor.right, region)
    if model.reader is None:
        return Judge(situation, model.certainty)
    return Judge(situation, model.certainty, model.reader.is_usual)


# -- each source


def _line(candidate: Candidate, case: Case) -> Suggestion | Hidden:
    """The part of a text that is certain enough and worth a look."""
    place, completion, limits = case.place, candidate.completion, case.limits
    least, believed, refused = limits.certainty, case.judge.probability, case.refused(completion)
    closing = closing_in(place.hole) if limits.inside and not place.block else None
    within = partial(certain, completion, believed, least, sure=limits.sure_word, refused=refused)
    sure = within(goes_on=bool(place.block), closing=closing)
    if sure is not None and not sure.completion.complete and closing is not None:
        inner = _inside(place, sure, closing(sure.completion.text))
        if isinstance(inner, Suggestion):
            return inner
        # Without the text that is already there.
        sure = within()
    if sure is not None:
        return _with_words(to_show(place, sure.completion, sure.probability), sure)
    if not completion.complete and completion.ended != "uncertain":
        return Hidden(Reason.NO_TEXT, completion.text)
    little = probability_of(completion, believed) >= least
    return Hidden(Reason.TOO_LITTLE if little else Reason.UNCERTAIN, completion.text)


def _with_words(shown: Suggestion | Hidden, sure: Certain) -> Suggestion | Hidden:
    """A suggestion with its words that are worth something by themselves, if it shows them all."""
    if isinstance(shown, Hidden) or not sure.words:
        return shown
    return replace(shown, words=tuple(sure.words)) if shown.text.strip() == sure.completion.text.strip() else shown


def _inside(place: Editing, begun: Certain, closers: str) -> Suggestion | Hidden:
    """A suggestion made of a beginning and the closers of its brackets."""
    whole = replace(begun.completion, text=begun.completion.text + closers, complete=True)
    shown = to_show(place, whole, begun.probability)
    if isinstance(shown, Hidden) or not ends_alike(shown.text, closers):
        return shown
    return replace(shown, behind=len(closers))


def _next(candidate: Candidate, case: Case) -> Suggestion | Hidden:
    """A next best text, if it is certain enough and worth a look; all of it if no certainty is required."""
    completion, shown, least = candidate.completion, candidate.asked, case.limits.certainty
    if shown is None:
        return Hidden(Reason.NO_TEXT, completion.text)
    probability = probability_of(completion, case.judge.probability)
    if least and (probability < least or case.refused(completion)(shown.text)):
        return Hidden(Reason.UNCERTAIN, completion.text)
    if least and not is_worth_showing(probability, shown.text):
        return Hidden(Reason.TOO_LITTLE, completion.text)
    return replace(shown, probability=probability)


def _body(candidate: Candidate, case: Case) -> Suggestion | Hidden:
    """A beginning of a body shown unasked, if it is likely enough to be kept."""
    from ....parser.language import traits

    place, part = case.place, candidate.completion
    braces = bool(traits(place.language).block) and "\n" in part.text.strip() and not case.goes_on
    least = blocks.least(case.limits.certainty, case.goes_on or is_documented(place.cursor.left), braces)
    if candidate.probability < least:
        return Hidden(Reason.UNCERTAIN, part.text)
    if announces_code(part.text) or says_too_little(place.cursor, part.text, part.written or part.text):
        return Hidden(Reason.TOO_LITTLE, part.text)
    if is_unlikely(place.cursor, part.text):
        return Hidden(Reason.UNCERTAIN, part.text)
    shown = to_show(place, part, candidate.probability)
    if isinstance(shown, Hidden):
        return shown
    shown = _before_closers(place, replace(shown, column=candidate.cut_at))
    if shown.behind and not case.limits.inside:
        return Hidden(Reason.UNCERTAIN, part.text)  # nobody could continue within its brackets
    return shown


def _asked(candidate: Candidate, case: Case) -> Suggestion | Hidden:
    """One of several texts for a user who asks, unless it is improbable or says too little."""
    place, completion, limits = case.place, candidate.completion, case.limits
    shown = _whole(candidate, case)
    if isinstance(shown, Hidden):
        return shown
    probability = probability_of(completion, by_model(case.model.certainty))
    several = "\n" in completion.text  # none of which is probable on its own
    improbable = not candidate.is_first and not several and 0 < probability < policy.WORTH_A_LOOK
    if improbable or is_unlikely(place.cursor, completion.text):
        return Hidden(Reason.UNCERTAIN, completion.text)
    if probability < limits.worth:
        return _likely_beginning(candidate, case)
    if says_too_little(place.cursor, completion.text, completion.written):
        return Hidden(Reason.TOO_LITTLE, completion.text)
    shown = replace(shown, probability=probability, column=candidate.cut_at)
    return _before_closers(place, shown) if limits.inside else shown


def _likely_beginning(candidate: Candidate, case: Case) -> Suggestion | Hidden:
    """The longest probable enough beginning of an improbable body, if nothing else is shown."""
    completion, least = candidate.completion, case.limits.worth
    believed, refused = by_model(case.model.certainty), case.refused(completion)
    parts = certain_parts(completion, believed, least, goes_on=True, refused=refused) if candidate.is_first else []
    likely = (part for part in parts if part.probability >= least and not _is_cut_path(part.completion))
    part = max(likely, key=lambda part: len(part.completion.text), default=None)
    if part is None:
        return Hidden(Reason.UNCERTAIN, completion.text)
    return to_show(case.place, part.completion, part.probability)


def _is_cut_path(part: Completion) -> bool:
    """Whether a beginning ends before a call, or before an attribute."""
    return part.written.startswith(part.text) and part.written[len(part.text) :].startswith((".", "("))


def _whole(candidate: Candidate, case: Case) -> Suggestion | Hidden:
    """All of a text."""
    completion = candidate.completion
    return Hidden(Reason.PADDING, completion.text) if is_filler(completion) else to_show(case.place, completion)


def _before_closers(place: Editing, shown: Suggestion) -> Suggestion:
    """A suggestion cut off within brackets, with the cursor before the closing lines, to continue there."""
    made = shown.completion
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(made.text, made.written, strict=False))
    kept = "".join(char for char, _ in alike).rstrip()
    if made.ended != "earlier" or _CLOSING_LINES.fullmatch(made.text, len(kept)) is None:
        return shown
    closers = made.text[len(kept) :].replace("\n", place.cursor.newline)
    last = kept.rpartition("\n")[2].expandtabs()
    column = len(last) - len(last.lstrip())
    return replace(shown, behind=len(closers), column=column) if shown.text.endswith(closers) else shown


_DECIDING: dict[Source, Callable[[Candidate, Case], Suggestion | Hidden]] = {
    "line": _line,
    "next": _next,
    "body": _body,
    "asked": _asked,
    "whole": _whole,
}
