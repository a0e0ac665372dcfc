"""What is heard of suggestions, as counts; and what was rejected is not shown again."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from ...common.bounded import BoundedDict
from ..completion.pipeline import CursorContext
from ..completion.suggestion import Suggestion
from ..completion.suggestion_cache import file_after
from .feedback import ShownSuggestion
from .usage import Usage

_MAX_FILES = 256


class Counting:
    """Listens to feedback. A suggestion that is typed along is offered anew at each key, and counts once."""

    def __init__(self, usage: Usage, on_rejected: Callable[[Hashable], None]) -> None:
        self.usage = usage
        self._on_rejected = on_rejected
        self._seen: dict[str, BoundedDict[Hashable, None]] = {
            "shown": BoundedDict(_MAX_FILES),
            "partly_accepted": BoundedDict(_MAX_FILES),
        }
        self._client_tells = False  # what it shows; else what was answered counts as shown

    def answered(self, place: CursorContext, suggestions: list[Suggestion], source: str, latency_ms: float) -> None:
        """A request was answered."""
        self.usage.count("requests")
        if not suggestions:
            return
        self.usage.count("from_model" if source == "model" else "from_memory")
        self.usage.answered(latency_ms)
        if not self._client_tells:
            self._once("shown", file_after(place.text, place.offset, suggestions[0].text))

    def shown(self, offer: ShownSuggestion) -> None:
        """The user saw it."""
        self._client_tells = True
        self._once("shown", offer.file)

    def accepted(self, offer: ShownSuggestion, characters: int, whole: bool) -> None:
        """So many characters more are in the document now."""
        # Not by way of `shown`: that the client says what is accepted does not mean that it says what it shows.
        self._once("shown", offer.file)
        self.usage.count("characters_saved", characters)
        if whole:
            self.usage.count("accepted")
        else:
            self._once("partly_accepted", offer.file)

    def rejected(self, offer: ShownSuggestion) -> None:
        """The user said no."""
        self.usage.count("rejected")
        self._on_rejected(offer.file)

    def _once(self, event: str, file: Hashable) -> None:
        """Count it once for each file that it leads to."""
        seen = self._seen[event]
        if file not in seen:
            self.usage.count(event)
        seen[file] = None
        seen.move_to_end(file)
