"""The abilities of a server in any protocol: draft tokens, choose among some, score texts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from ....common.json_types import is_object
from ...errors import ServerUnavailable
from .plugin_request import PluginRequest
from .transport import Cancel, EventStream, Transport


@dataclass(frozen=True, slots=True)
class Drafted:
    """One step of a greedy draft."""

    token: int
    log_probs: Mapping[int, float]  # of the best tokens here, and of the one taken; in nats, of the whole vocabulary


class Draft(Protocol):
    """A draft on its way."""

    def next(self, cancelled: Cancel) -> Drafted | None:
        """The next step, None after the last. Raises Cancelled and ModelError."""
        ...

    def close(self) -> None:
        """Ask for no more."""
        ...


class Dialect(Protocol):
    """How one kind of server is asked. Used by one thread at a time."""

    name: str
    """For a person: "llama.cpp", "vLLM"."""

    def draft(self, ids: Sequence[int], tokens: int, around: PluginRequest | None = None) -> Draft:
        """Go on from `ids`, greedily, for up to so many tokens; within the file `around`, if the server can hold them to it."""
        ...

    def among(self, ids: Sequence[int], allowed: Sequence[int] | None, cancelled: Cancel) -> Mapping[int, float]:
        """Log probabilities after `ids` of the best of the `allowed` tokens, one at least; None: of many more tokens than
        a draft tells. {} where the server cannot."""
        return {}

    def score(self, ids: Sequence[int], text: Sequence[int], cancelled: Cancel) -> float | None:
        """The log probability of `text` after `ids`; None where the server cannot."""
        return None

    def read(self, ids: Sequence[int], cancelled: Cancel) -> float:
        """Let the server read a prompt and keep it; the milliseconds a new token took, 0 where it does not say."""
        ...

    def recover(self, problem: ServerUnavailable) -> None:
        """Make the server answer again after it failed with a problem, if that is ours to do: else the next request tries again. Raises ServerUnavailable."""

    def close(self) -> None:
        """Let go of connections and processes."""
        ...


class RemoteDialect(Dialect):
    """That of a server which is reached by a transport alone."""

    transport: Transport

    def close(self) -> None:
        self.transport.close()


Server = TypeVar("Server", bound=RemoteDialect)


class EventDraft(ABC, Generic[Server]):
    """A draft that comes as events; a subclass takes each."""

    def __init__(self, events: EventStream, server: Server) -> None:
        self._events = events
        self._server = server
        self._ready: deque[Drafted] = deque()
        self._over = False  # does nothing more belong to it?
        self._may_end = False  # may the stream end here? A server that was killed ends it anywhere

    @abstractmethod
    def _take(self, event: Mapping[str, Any]) -> Iterable[Drafted]:
        """The steps that an event brings."""

    def next(self, cancelled: Cancel) -> Drafted | None:
        """The next step, None after the last. Raises Cancelled and ModelError."""
        while not self._ready and not self._over:
            event = self._events.next(cancelled)
            if event is None and not self._may_end:
                raise ServerUnavailable(f"{self._server.transport.address} broke off its answer")
            if event is None:
                return None
            if "error" in event or "message" in event:
                error = event.get("error") or event
                said = error.get("message", error) if is_object(error) else error
                raise ServerUnavailable(f"{self._server.transport.address} stopped ({said})")
            self._ready.extend(self._take(event))
        return self._ready.popleft() if self._ready else None

    def close(self) -> None:
        """Ask for no more."""
        self._events.close()
