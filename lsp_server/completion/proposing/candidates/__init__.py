"""Candidates: texts made from facts of the code around a cursor, without a model, with their probabilities.

Generators (listed in `kinds.py`) read the code around the cursor (`around.py`) and the language's facts there (`parser/scoping/facts.py`).
`ranking.py` gives a text's probability; the parser judges whether it fits, as for any other text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache

from .....model import Completion, Model
from .....parser import pending_behind
from .....parser.scoping.facts import Facts
from ....context.secrets import respects_word
from ...cursor import Cursor
from ...judging.hidden import Hidden
from ...judging.policy import expected_gain, is_worth_showing
from ..decision import judge_at
from ..editing import Editing
from ..shown import Suggestion
from .around import AT_WORD, BEGUN, LONGEST_WORD, Around, Candidate
from .kinds import made
from .ranking import Kinds, probability

_SOLE = 0.97
"""The probability of the sole member, set by hand: it is the intended one if the list holds that, but a new member may be meant."""
_ENDS = ("", ":", "):", ",")
"""The ends possibly missing behind a candidate in the line of a header, or of a call over several lines."""


def candidates(
    cursor: Cursor, others: Sequence[str], facts: Callable[[], Facts], kinds: Collection[str]
) -> list[Candidate]:
    """The candidates of some kinds at a cursor that continue the word begun there, without its letters.

    others: texts of other files. facts: the language's facts there, computed only on demand.
    """
    around = Around.of(cursor, others, facts)
    by_text = {candidate.text: candidate for candidate in made(around, kinds)}
    begun = len(around.written)
    fitting = (candidate for text, candidate in by_text.items() if text.startswith(around.written) and text[begun:])
    return [Candidate(candidate.kind, candidate.text[begun:]) for candidate in fitting]


def that_fit(
    cursor: Cursor, others: Sequence[str], kinds: Collection[str], here: Callable[[], Editing | Hidden]
) -> Iterator[tuple[Editing, Candidate, str]]:
    """Each fitting candidate, with its place and the text to write there. here: the place to fill, computed only on demand."""
    for candidate in candidates(cursor, others, lambda: _facts_of(here()), kinds):
        place = here()
        if isinstance(place, Editing) and place.hole.state is not None and place.hole.state.region == "code":
            text = next((text for end in _ENDS if place.fits(text := candidate.text + end)), None)
            if text is not None and respects_word(cursor.text, cursor.offset, text):
                yield place, candidate, text


def _facts_of(place: Editing | Hidden) -> Facts:
    state = place.hole.state if isinstance(place, Editing) else None
    return Facts() if state is None or state.region != "code" else state.facts


def best(
    cursor: Cursor, others: Sequence[str], kinds: Kinds, here: Callable[[], Editing | Hidden], model: Model
) -> tuple[Editing, Suggestion] | None:
    """The candidate expected to save the most keys, and its place; see `that_fit`."""
    here, priced = cache(here), list[tuple[float, float, str, Editing]]()
    for place, candidate, text in that_fit(cursor, others, kinds, here):
        believed = probability(kinds[candidate.kind], candidate.text, judge_at(place, model))
        priced.append((expected_gain(believed, candidate.text), believed, text, place))
    if not priced:
        return None
    _, believed, text, place = max(priced, key=lambda entry: entry[0])
    return place, _suggestion(place, text, believed)


def sole_member(place: Editing, names: frozenset[str]) -> Suggestion | None:
    """The rest of the only public name that a type checker allows with the letters typed, if it fits and is worth a look."""
    cursor = place.cursor
    begun = BEGUN.search(cursor.before[-LONGEST_WORD:])
    if begun is None or AT_WORD.match(cursor.rest):
        return None
    word = begun[0]
    longer = [name for name in names if name.startswith(word) and name != word and name[0] != "_"]
    text = longer[0][len(word) :] if len(longer) == 1 else ""
    if not text or not is_worth_showing(_SOLE, text) or not respects_word(cursor.text, cursor.offset, text):
        return None
    whole = next((whole for end in _ENDS if place.fits(whole := text + end)), None)
    return None if whole is None else _suggestion(place, whole, _SOLE)


def _suggestion(place: Editing, text: str, probability: float) -> Suggestion:
    made = Completion(text, 0, "model", True, 0.0, place.hole_ms, place.hole_ms)
    pending = pending_behind(place.hole, text)
    return Suggestion(text, made, place.hole.viable, place.hole_ms, probability, pending=pending)
