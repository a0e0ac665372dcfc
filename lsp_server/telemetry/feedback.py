"""The fates of suggestions: shown, partly accepted, accepted, rejected; passed to listeners. Independent of LSP."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Protocol

from ...common.bounded import BoundedDict
from ..completion.asking.suggestion_cache import file_after
from ..completion.engine.cursor_context import CursorContext
from ..completion.proposing.shown import Suggestion

MAX_OFFERS = 64  # clients report on a suggestion soon; older ones are forgotten


@dataclass
class ShownSuggestion:
    """A suggestion sent to the client, and the reports on it since."""

    id: str
    file: Hashable  # the resulting file, by `file_after`: the texts of many offers would take much memory
    suggestion: Suggestion
    document: str  # its URI
    above: int  # a hash of the text before the last of the suggestion's edits
    kept: str = ""  # the text of the client's item before the suggestion
    shown: bool = False
    accepted_characters: int = 0

    def is_above(self, text: str) -> bool:
        """Whether a document is unchanged above the last of the suggestion's edits."""
        return self.above == _above(text, self.suggestion)


def _above(text: str, suggestion: Suggestion) -> int:
    return hash(text[: suggestion.edits[-1].at]) if suggestion.edits else 0


class Listener(Protocol):
    """A listener to the fates; called on the message loop, so it must not block."""

    def shown(self, offer: ShownSuggestion) -> None:
        """Hear of a suggestion's first display."""

    def accepted(self, offer: ShownSuggestion, characters: int, whole: bool) -> None:
        """Hear of `characters` more in the document; `whole`: nothing of the suggestion is left. It was shown, reported or not."""

    def rejected(self, offer: ShownSuggestion) -> None:
        """Hear of a rejection, or of other text typed instead."""


class Feedback:
    """The suggestions with reports still to come."""

    def __init__(self) -> None:
        self.listeners: list[Listener] = []
        self._offers: BoundedDict[str, ShownSuggestion] = BoundedDict(MAX_OFFERS)
        self._numbers: Iterator[int] = itertools.count(1)

    def offer(self, place: CursorContext, suggestion: Suggestion, kept: str = "") -> ShownSuggestion:
        """Note a suggestion to be sent; the client will name it by its `id`."""
        file = file_after(place.text, place.offset, suggestion.text)
        above = _above(place.text, suggestion)
        offer = ShownSuggestion(str(next(self._numbers)), file, suggestion, place.document, above, kept)
        self._offers[offer.id] = offer
        return offer

    def shown(self, id: str) -> None:
        """Note a shown suggestion; repeated reports change nothing."""
        offer = self._offers.get(id)
        if offer is not None and not offer.shown:
            offer.shown = True
            for listener in self.listeners:
                listener.shown(offer)

    def partly_accepted(self, id: str, length: int) -> None:
        """Note a partial acceptance: the first `length` units of UTF-16 of a suggestion's item are in the document."""
        offer = self._offers.get(id)
        if offer is not None:
            units = (offer.kept + offer.suggestion.text).encode("utf-16-le", "replace")[: 2 * max(length, 0)]
            self._accept(offer, len(units.decode("utf-16-le", "ignore")) - len(offer.kept))

    def accepted(self, id: str) -> ShownSuggestion | None:
        """Note a suggestion accepted as a whole, and return it, if it is known."""
        offer = self._offers.get(id)
        if offer is not None:
            self._accept(offer, len(offer.suggestion.text))
        return offer

    def rejected(self, id: str) -> None:
        """Note a rejected suggestion, or the rejected rest of one."""
        offer = self._offers.pop(id, None)
        if offer is not None:
            for listener in self.listeners:
                listener.rejected(offer)

    def _accept(self, offer: ShownSuggestion, length: int) -> None:
        offer.shown = True  # reported or not: nobody accepts an unseen suggestion
        whole = length >= len(offer.suggestion.text)
        more = min(length, len(offer.suggestion.text)) - offer.accepted_characters
        if whole:
            self._offers.pop(offer.id)
        if more > 0:
            offer.accepted_characters += more
            for listener in self.listeners:
                listener.accepted(offer, more, whole)
