"""Counts of the reports on suggestions; a rejected suggestion is not shown again."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from ...common.bounded import BoundedDict
from ..completion.asking.suggestion_cache import file_after
from ..completion.engine.cursor_context import CursorContext
from ..completion.proposing.shown import Suggestion
from .feedback import ShownSuggestion
from .usage import Usage

_MAX_FILES = 256


@dataclass(frozen=True)
class Counted:
    """The counts of all suggestions with the same resulting file."""

    day: str  # when it was shown first
    events: set[str] = field(default_factory=set[str])


class Counting:
    """Listens to feedback. A suggestion typed along is offered anew at each key, and counts once."""

    def __init__(self, usage: Usage, on_rejected: Callable[[Hashable], None]) -> None:
        self.usage = usage
        self._on_rejected = on_rejected
        self._counted: BoundedDict[Hashable, Counted] = BoundedDict(_MAX_FILES)
        self._client_tells = False  # whether the client reports shown suggestions; else each answer counts as shown

    def answered(self, place: CursorContext, suggestions: list[Suggestion], source: str, latency_ms: float) -> None:
        """Count an answered request."""
        self.usage.count("requests")
        if not suggestions:
            return
        self.usage.count("from_model" if source == "model" else "from_memory")
        self.usage.answered(latency_ms)
        if not self._client_tells:
            self._once("shown", file_after(place.text, place.offset, suggestions[0].text))

    def shown(self, offer: ShownSuggestion) -> None:
        """Count a suggestion seen by the user."""
        self._client_tells = True
        self._once("shown", offer.file)

    def accepted(self, offer: ShownSuggestion, characters: int, whole: bool) -> None:
        """Count an acceptance, of `characters` more in the document."""
        # Not through `shown`: a client may report acceptances without reporting shown suggestions.
        self._once("accepted" if whole else "partly_accepted", offer.file)
        self.usage.count("characters_saved", characters)

    def rejected(self, offer: ShownSuggestion) -> None:
        """Count a rejection."""
        self._once("rejected", offer.file)
        self._on_rejected(offer.file)

    def _once(self, event: str, file: Hashable) -> None:
        """Count an event once for each resulting file, on the day the suggestion was shown, so that no day has more acceptances than
        suggestions."""
        if not self.usage.on:
            return
        counted = self._counted.used(file)
        if counted is None:
            counted = self._counted[file] = Counted(self.usage.today)
        for counted_event in ("shown", event):
            if counted_event not in counted.events:
                counted.events.add(counted_event)
                self.usage.count(counted_event, day=counted.day)
