"""The text of a convention as a suggestion, where it fits its place."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .....model import Completion
from .....parser import pending_behind
from ....context.secrets import respects_word
from ...cursor import Cursor
from ...judging.hidden import Hidden
from ..editing import Editing, pending_block
from ..shown import Suggestion
from ..suggestion import Asking, first_block, joined
from . import conventional


@dataclass(frozen=True)
class Fitting:
    """What conventions say at a place, and how often that is right."""

    place: Editing
    said: Suggestion
    probability: float

    def with_block(self, asking: Asking) -> Suggestion:
        """The same; for a header with a block, where the model is certain enough of one."""
        if not pending_block(self.place.cursor, self.said.pending):
            return self.said
        return joined(self.place, self.said, first_block(self.place, self.said.text, asking))


def fitting(
    cursor: Cursor, others: Sequence[tuple[str, str]], spoken: Mapping[str, float], here: Callable[[], Editing | Hidden]
) -> Fitting | None:
    """What a convention says at a cursor, if it fits there; others, spoken: see `conventional`. here: what is to be filled, asked only then."""
    start_s = time.perf_counter()
    found = conventional(cursor.left, cursor.right, others, spoken)
    place = None if found is None else here()
    if found is None or not isinstance(place, Editing) or place.hole.state is None or place.hole.state.region != "code":
        return None
    # With the bracket and the colon of a header that its line still lacks.
    text = next((one for end in ("", ":", "):") if place.fits(one := found.text + end)), None)
    if text is None or not respects_word(cursor.text, cursor.offset, text):
        return None
    took_ms = (time.perf_counter() - start_s) * 1e3
    made = Completion(text, 0, "model", True, 0.0, took_ms, took_ms)
    said = Suggestion(text, made, place.hole.fallback, took_ms, pending=pending_behind(place.hole, text))
    return Fitting(place, said, found.probability)
