"""The abilities of a server in any protocol: draft tokens, choose among some, score texts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from ....common.constraint import never
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
    """A draft in progress."""

    def next(self, cancelled: Cancel) -> Drafted | None:
        """The next step; None after the last. Raises Cancelled and ModelError."""
        ...

    def close(self) -> None:
        """Stop the draft."""
        ...


class Dialect(Protocol):
    """The protocol of one kind of server. Used by one thread at a time."""

    name: str
    """For a person: "llama.cpp", "vLLM"."""

    def draft(self, ids: Sequence[int], tokens: int, around: PluginRequest | None = None) -> Draft:
        """Continue `ids`, greedily, by up to so many tokens; within the file `around`, if the server can constrain them to it."""
        ...

    def among(self, ids: Sequence[int], allowed: Sequence[int] | None, cancelled: Cancel) -> Mapping[int, float]:
        """Log probabilities after `ids` of the best of the `allowed` tokens, at least one; None: of many more tokens than a draft reports. {}
        if the server cannot."""
        return {}

    def score(self, ids: Sequence[int], text: Sequence[int], cancelled: Cancel) -> float | None:
        """The log probability of `text` after `ids`; None if the server cannot."""
        return None

    def read(self, ids: Sequence[int], cancelled: Cancel) -> float:
        """Let the server read a prompt and keep it; the milliseconds per new token, 0 if it does not report them."""
        ...

    def recover(self, problem: ServerUnavailable) -> None:
        """Make the server answer again after a problem, if that is ours to do: otherwise the next request retries. Raises
        ServerUnavailable."""

    def close(self) -> None:
        """Close connections and end processes."""
        ...


class RemoteDialect(Dialect):
    """The protocol of a server reached only by a transport."""

    transport: Transport

    def close(self) -> None:
        self.transport.close()


Steps = tuple[list[Drafted], bool]
"""Steps, and whether the text after them can be followed."""
Server = TypeVar("Server", bound=RemoteDialect)


class EventDraft(ABC, Generic[Server]):
    """A draft that arrives as events; a subclass takes each."""

    def __init__(self, events: EventStream, server: Server) -> None:
        self._events = events
        self._server = server
        self._ready: deque[Drafted] = deque()
        self._over = False  # whether nothing more belongs to it
        self._cancelled: Cancel = never  # of the caller waiting for the next step
        self._may_end = False  # whether the stream may end here; that of a killed server ends anywhere

    @abstractmethod
    def _take(self, event: Mapping[str, Any]) -> Iterable[Drafted]:
        """The steps of an event; sets `_over` once nothing more belongs to the draft."""

    def next(self, cancelled: Cancel) -> Drafted | None:
        """The next step; None after the last. Raises Cancelled and ModelError."""
        self._cancelled = cancelled
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
        """Stop the draft."""
        self._events.close()


class TextServer(RemoteDialect):
    """A server that returns tokens by their spellings; those that end within a character may have none."""

    def drafted(self, event: Mapping[str, Any]) -> Steps:
        """The steps in an answer or a part of one."""
        ...

    def whole(self, ids: Sequence[int], tokens: int, cancelled: Cancel) -> list[Drafted]:
        """The steps of a draft whose text arrives at once, and so in whole characters, without probabilities; an end if there is no text."""
        ...


Spelling = TypeVar("Spelling", bound=TextServer)


class TextDraft(EventDraft[Spelling]):
    """A draft of such a server. It ends at a token without a spelling; if that is the first one, all of its text is requested at once."""

    def __init__(self, events: EventStream, server: Spelling, ids: Sequence[int], tokens: int) -> None:
        """`ids`: the tokens before it; `tokens`: the most it may have."""
        super().__init__(events, server)
        self._ids, self._tokens, self._followed = ids, tokens, False

    def _steps(self, event: Mapping[str, Any]) -> list[Drafted]:
        steps, goes_on = self._server.drafted(event)
        if not goes_on:
            self._over = True
            self.close()
            steps = steps if steps or self._followed else self._server.whole(self._ids, self._tokens, self._cancelled)
        self._followed = self._followed or bool(steps)
        return steps
