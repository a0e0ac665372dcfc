"""The documents that a process worked on when it stopped answering; one that stops it twice is held back for a while."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable

HELD_S = 600.0
"""Seconds for which a document is held back."""
STRIKES = 2
MOST = 3
"""The most documents that are blamed at once: those that were touched first."""


class Suspects:
    """Keeps account of questions (pings) and of the documents that were touched before each."""

    def __init__(self, clock: Callable[[], float]):
        self._clock = clock
        self._number = 0
        self._touched: dict[str, None] = {}  # since the last ping
        self._unanswered: OrderedDict[int, list[str]] = OrderedDict()  # pings, and the documents touched before them
        self._strikes: dict[str, list[float]] = {}
        self._held: dict[str, float] = {}  # until when

    @property
    def waiting(self) -> bool:
        """Whether a question is unanswered."""
        return bool(self._unanswered)

    @property
    def unanswered(self) -> int:
        """Questions that were not answered."""
        return len(self._unanswered)

    @property
    def active(self) -> bool:
        """Whether a document was touched since the last question."""
        return bool(self._touched) or any(self._unanswered.values())

    def begin(self) -> None:
        """Start anew with another process."""
        self._touched.clear()
        self._unanswered.clear()

    def touched(self, uri: str) -> None:
        """Note that the process got a message about a document."""
        self._touched[uri] = None

    def pinged(self) -> int:
        """The number of the question that is asked now."""
        self._number += 1
        self._unanswered[self._number] = list(self._touched)
        self._touched.clear()
        return self._number

    def ponged(self, number: int) -> None:
        """Note the answer to a question, and so to all before it."""
        while self._unanswered and next(iter(self._unanswered)) <= number:
            self._unanswered.popitem(last=False)

    def blame(self, waiting: Iterable[str]) -> list[str]:
        """Blame the documents of a process that was given up while requests for some of them waited, and return those that are held back
        from now on."""
        now = self._clock()
        touched = [uri for uris in self._unanswered.values() for uri in uris]
        suspected = list(dict.fromkeys([*waiting, *touched, *self._touched]))[:MOST]
        held: list[str] = []
        for uri in suspected:
            strikes = [struck_s for struck_s in self._strikes.get(uri, []) if now - struck_s < HELD_S] + [now]
            self._strikes[uri] = strikes
            if len(strikes) >= STRIKES:
                self._held[uri] = now + HELD_S
                held.append(uri)
        return held

    def holds_back(self, uri: str) -> bool:
        """Whether messages about a document are held back from the process."""
        return uri in self._held

    def release(self, uri: str) -> None:
        """Hold a document back no more, since it was closed."""
        self._held.pop(uri, None)
        self._strikes.pop(uri, None)

    def released(self) -> list[str]:
        """Give the documents whose time is over, and hold them back no more."""
        now = self._clock()
        free = [uri for uri, until in self._held.items() if now >= until]
        for uri in free:
            self.release(uri)
        return free
