"""The documents in work when a process stopped answering; a document is held back for a while after two such stops."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable

HELD_S = 600.0
"""Seconds for which a document is held back."""
STRIKES = 2
MOST = 3
"""The most documents blamed at once: those touched first."""


class Suspects:
    """Keeps account of pings and of the documents touched before each."""

    def __init__(self, clock: Callable[[], float]):
        self._clock = clock
        self._number = 0
        self._touched: dict[str, None] = {}  # since the last ping
        self._unanswered: OrderedDict[int, list[str]] = OrderedDict()  # pings, with the documents touched before each
        self._strikes: dict[str, list[float]] = {}
        self._held: dict[str, float] = {}  # until when

    @property
    def waiting(self) -> bool:
        """Whether a ping is unanswered."""
        return bool(self._unanswered)

    @property
    def unanswered(self) -> int:
        """The number of unanswered pings."""
        return len(self._unanswered)

    @property
    def active(self) -> bool:
        """Whether a document was touched since the last answered ping."""
        return bool(self._touched) or any(self._unanswered.values())

    def begin(self) -> None:
        """Start anew with another process."""
        self._touched.clear()
        self._unanswered.clear()

    def touched(self, uri: str) -> None:
        """Note a message to the process about a document."""
        self._touched[uri] = None

    def pinged(self) -> int:
        """Note a ping; its number."""
        self._number += 1
        self._unanswered[self._number] = list(self._touched)
        self._touched.clear()
        return self._number

    def ponged(self, number: int) -> None:
        """Note the answer to a ping, and so to all before it."""
        while self._unanswered and next(iter(self._unanswered)) <= number:
            self._unanswered.popitem(last=False)

    def blame(self, waiting: Iterable[str]) -> list[str]:
        """Blame the documents of a process given up while requests for some of them (`waiting`) were pending; return those newly held
        back."""
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
        """Release a closed document."""
        self._held.pop(uri, None)
        self._strikes.pop(uri, None)

    def released(self) -> list[str]:
        """Release the documents whose time is over, and return them."""
        now = self._clock()
        free = [uri for uri, until in self._held.items() if now >= until]
        for uri in free:
            self.release(uri)
        return free
