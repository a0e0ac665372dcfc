"""The text forced by a constraint; its tokens are computed with the one before them (`cache_lm.drafts`)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..prompting.suffix_healing import Remaining
from .termination import StopPoint
from .token_step import DecodingState

_WORD = re.compile(r"\w*\Z")


def certain_text(position: DecodingState, text: str, points: Sequence[StopPoint]) -> str:
    """The text that follows any choice: of the text before the cursor, of the remainder, of a word; "" if unknown.

    text: the generated text up to the position; points: places it has passed.
    """
    if position.forced:
        return position.forced.decode(errors="ignore")
    if position.pending:
        return ""
    if isinstance(position.state, Remaining) and position.state.state is None:
        return next(iter(position.state.bridges()), "") if len(position.state.spelled) == 1 else ""
    return _rest_of_word(position, text, points)


def _rest_of_word(position: DecodingState, text: str, points: Sequence[StopPoint]) -> str:
    """The letters common to all words allowed here."""
    begin = _WORD.search(text).start()  # type: ignore[union-attr] - it matches nothing, too
    state = position.state
    if begin < len(text):
        before = next((point for point in reversed(points) if len(point.text) <= begin), None)
        if before is None:
            return ""
        state = before.state.advance(text[len(before.text) : begin])
    words = None if state is None else state.next_words
    rests = [word[len(text) - begin :] for word in words or () if word.startswith(text[begin:])]
    if not rests:
        return ""
    first, last = min(rests), max(rests)
    return first[: next((place for place, letter in enumerate(first) if last[place] != letter), len(first))]
