"""The places without suggestions, whatever the model would write."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from ....common.line_ends import line_start
from ...context.secrets import begins_with_key, in_word, leads_to_secret
from ..judging.hidden import Hidden, Reason
from .cut import cuts_symbol, in_number
from .fences import MARKDOWN
from .judged import has_grammar, is_judged

if TYPE_CHECKING:
    from ....parser import Hole
    from ...settings.spec import Settings
    from .cursor_context import CursorContext

    HoleAt = Callable[[CursorContext], Hole]
    """The hole at a place; raises Cancelled."""


def unanswered(place: CursorContext, asked: bool = False) -> Hidden | None:
    """The reason to suggest nothing at a place, whatever the model would write; None if there may be something. asked: whether the user
    asks."""
    if place.path is not None and (leads_to_secret(place.path) or begins_with_key(place.path, place.text)):
        return Hidden(Reason.SECRET)
    in_symbol = in_number(place.text, place.offset) or (not asked and in_word(place.text, place.offset))
    return Hidden(Reason.IN_WORD) if in_symbol else None


def why_silent(
    place: CursorContext, settings: Settings, hole: HoleAt, is_small: bool, patient: bool = False
) -> Hidden | None:
    """Why a model suggests nothing at a place. is_small: whether it is the embedded one, taught only languages with an engine.

    patient: a request from outside of an editor, for a text in any language.
    """
    from ....parser import Cancelled

    if in_number(place.text, place.offset):
        return Hidden(Reason.IN_WORD)
    if place.prose and not settings.wants(place.language):
        return Hidden(Reason.SWITCHED_OFF)
    if is_small and place.language in MARKDOWN:
        return Hidden(Reason.PROSE)
    if is_small and not (patient or has_grammar(place.language) or settings.languages.get(place.language)):
        return Hidden(Reason.UNTAUGHT)
    if not is_judged(place.language):
        return None
    try:
        return (
            _unwanted(place, settings, hole, is_small)
            or _cut(place, hole)
            or (None if _keeps_valid(place, hole) else Hidden(Reason.LISTED))
        )
    except Cancelled:
        return Hidden(Reason.CANCELLED)


def _unwanted(place: CursorContext, settings: Settings, hole: HoleAt, is_small: bool) -> Hidden | None:
    """The reason to suggest nothing in the kind of text around a place: the user wants nothing there, or the model cannot write it."""
    if settings.in_comments and settings.in_strings and not is_small:
        return None
    state = hole(replace(place, level="syntax")).state  # more says nothing about the kind
    kind = "code" if state is None else state.region
    if not {"code": True, "comment": settings.in_comments, "string": settings.in_strings}[kind]:
        return Hidden(Reason.SWITCHED_OFF)
    return Hidden(Reason.PROSE) if kind == "comment" and is_small else None


def _cut(place: CursorContext, hole: HoleAt) -> Hidden | None:
    """The reason if the cursor cuts a symbol of valid code; in invalid code the rules do not tell one symbol from two."""
    if not cuts_symbol(place.text, place.offset):
        return None
    state = hole(place).state
    if state is None or (state.region == "string" and place.text[place.offset] not in "\"'"):
        return None
    return Hidden(Reason.IN_WORD) if state.complete else None


def _keeps_valid(place: CursorContext, hole: HoleAt) -> bool:
    """Whether the text with the entry selected in the editor's own list, shown as well, is as valid as without it."""
    if place.typed is None:
        return True
    text, offset = place.typed
    chosen = hole(place)
    before = hole(replace(place, text=text, offset=offset))
    return chosen.reads_as_much_as(before) and not chosen.hides(line_start(place.text, place.offset), place.offset)
