"""The fates of suggestions: shown, partly accepted, accepted, rejected; told to whoever keeps count. Knows no LSP."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Protocol

from ...common.bounded import BoundedDict
from ..completion.asking.suggestion_cache import file_after
from ..completion.engine.cursor_context import CursorContext
from ..completion.proposing.shown import Suggestion

MAX_OFFERS = 64  # clients report on a suggestion at once; older ones are forgotten


@dataclass
class ShownSuggestion:
    """A suggestion that went out to the client, and the reports on it since."""

    id: str
    file: Hashable  # to which it leads, by `file_after`: the texts of many offers would be a large memory
    suggestion: Suggestion
    document: str  # as the client names it
    above: int  # a key of the text before the last of the suggestion's edits
    kept: str = ""  # the text of the client's item before the suggestion
    shown: bool = False
    accepted_characters: int = 0

    def is_above(self, text: str) -> bool:
        """Whether a document begins as it did where the suggestion has edits."""
        return self.above == _above(text, self.suggestion)


def _above(text: str, suggestion: Suggestion) -> int:
    return hash(text[: suggestion.edits[-1].at]) if suggestion.edits else 0


class Listener(Protocol):
    """Who wants to hear of it; called where the messages are read, so it must not wait."""

    def shown(self, offer: ShownSuggestion) -> None:
        """The user saw it, for the first time."""

    def accepted(self, offer: ShownSuggestion, characters: int, whole: bool) -> None:
        """So many characters more are in the document now; `whole`: nothing of it is left. It was shown, said or not."""

    def rejected(self, offer: ShownSuggestion) -> None:
        """The user said no, or typed something else."""


class Feedback:
    """The suggestions of which something may still be heard."""

    def __init__(self) -> None:
        self.listeners: list[Listener] = []
        self._offers: BoundedDict[str, ShownSuggestion] = BoundedDict(MAX_OFFERS)
        self._numbers: Iterator[int] = itertools.count(1)

    def offer(self, place: CursorContext, suggestion: Suggestion, kept: str = "") -> ShownSuggestion:
        """Note a suggestion that goes out; the client will name it by its `id`."""
        file = file_after(place.text, place.offset, suggestion.text)
        above = _above(place.text, suggestion)
        offer = ShownSuggestion(str(next(self._numbers)), file, suggestion, place.document, above, kept)
        self._offers[offer.id] = offer
        return offer

    def shown(self, id: str) -> None:
        """The client shows a suggestion; saying so again changes nothing."""
        offer = self._offers.get(id)
        if offer is not None and not offer.shown:
            offer.shown = True
            for listener in self.listeners:
                listener.shown(offer)

    def partly_accepted(self, id: str, length: int) -> None:
        """The first `length` units of utf-16 of a suggestion's item are in the document now."""
        offer = self._offers.get(id)
        if offer is not None:
            units = (offer.kept + offer.suggestion.text).encode("utf-16-le", "replace")[: 2 * max(length, 0)]
            self._accept(offer, len(units.decode("utf-16-le", "ignore")) - len(offer.kept))

    def accepted(self, id: str) -> ShownSuggestion | None:
        """The whole of a suggestion is in the document now; it, where it is known."""
        offer = self._offers.get(id)
        if offer is not None:
            self._accept(offer, len(offer.suggestion.text))
        return offer

    def rejected(self, id: str) -> None:
        """Note that the user does not want a suggestion, or the rest of it."""
        offer = self._offers.pop(id, None)
        if offer is not None:
            for listener in self.listeners:
                listener.rejected(offer)

    def _accept(self, offer: ShownSuggestion, length: int) -> None:
        offer.shown = True  # said or not: one that was never seen cannot be accepted
        whole = length >= len(offer.suggestion.text)
        more = min(length, len(offer.suggestion.text)) - offer.accepted_characters
        if whole:
            self._offers.pop(offer.id)
        if more > 0:
            offer.accepted_characters += more
            for listener in self.listeners:
                listener.accepted(offer, more, whole)
