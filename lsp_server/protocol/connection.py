"""A connection of a client: the interface of all kinds, and the one over TCP, where messages have headers."""

from __future__ import annotations

import selectors
import socket
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Protocol

from .framing import MAX_BODY_BYTES, Fault, MessageDecoder, frame
from .writing import MAX_UNSENT_BYTES, ThreadWriter

ENTERING_S = 10.0
"""The timeout of a connection's first message, with the token."""
STALLED_S = 30.0
"""The timeout for the rest of a message."""
MAX_FIRST_BYTES = 4_000_000
"""The limit of a message from a connection without the token."""
MAX_STRANGERS = 32
"""The most connections before their first message."""
LEAST_S = 0.2
"""The time each of them gets however many come: a client with the token shows it at once."""
LINGERING_S = 0.3
_KEEP_ALIVE = (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 15), ("TCP_KEEPCNT", 4))
_PIECE = 1 << 16


class Refused(Exception):
    """A connection is refused, or ended."""


class Connection(Protocol):
    """A connection of one kind."""

    showed_token: bool  # before its first message

    def messages(self) -> Iterator[bytes | Fault]:
        """Yield its messages until it ends; raises FramingError, OSError or Refused."""
        ...

    def send(self, body: bytes) -> None:
        """Send a message; never blocks."""

    def begin(self, gone: Callable[[], None]) -> None:
        """Admit the connection: from now on messages may be large and slow to come; `gone` is called once it is no longer writable."""

    def close(self) -> None:
        """Send the rest, and close it."""


class Strangers:
    """Room for connections before their first message. The oldest makes room for a new one, so that silent connections keep nobody out."""

    def __init__(self) -> None:
        self._since: OrderedDict[socket.socket, float] = OrderedDict()
        self._changed = threading.Condition()

    def come(self, connected: socket.socket) -> None:
        """Make room for a connection, in up to LEAST_S."""
        with self._changed:
            while len(self._since) >= MAX_STRANGERS:
                oldest, since_s = next(iter(self._since.items()))
                wait_s = since_s + LEAST_S - time.monotonic()
                if wait_s > 0:
                    self._changed.wait(wait_s)
                else:
                    del self._since[oldest]
                    abort(oldest)
            self._since[connected] = time.monotonic()

    def leave(self, connected: socket.socket) -> None:
        """Forget a connection once it has ended or shown its token."""
        with self._changed:
            self._since.pop(connected, None)
            self._changed.notify_all()


class TcpConnection:
    """Messages with headers over TCP."""

    showed_token = False

    def __init__(self, connected: socket.socket):
        self._socket = connected
        self._decoder = MessageDecoder(most=MAX_FIRST_BYTES)
        self._until: float | None = time.monotonic() + ENTERING_S
        self._gone: Callable[[], None] = lambda: None
        self._writer = ThreadWriter(
            SocketStream(connected), lambda: self._gone(), lambda: abort(connected), MAX_UNSENT_BYTES
        )

    def messages(self) -> Iterator[bytes | Fault]:
        """Give the messages."""
        while data := receive(self._socket, self._until, STALLED_S if self._decoder.partial else None):
            yield from self._decoder.feed(data)

    def send(self, body: bytes) -> None:
        """Send a message; a client that does not read is disconnected."""
        self._writer.write(frame(body))

    def begin(self, gone: Callable[[], None]) -> None:
        """Take messages of the usual size from now on, without a timeout; gone: called when the peer has gone."""
        self._decoder.most, self._until, self._gone = MAX_BODY_BYTES, None, gone

    def close(self) -> None:
        """Send the rest, and end."""
        self._writer.close()
        end(self._socket)


class SocketStream:
    """A socket as the target of a ThreadWriter."""

    def __init__(self, connected: socket.socket):
        self.write = connected.sendall

    def flush(self) -> None:
        """Do nothing: no bytes are buffered."""


def receive(connected: socket.socket, until: float | None, within_s: float | None) -> bytes:
    """Read the available bytes; raises Refused when none come until the time `until`, or within `within_s` seconds."""
    waits = [
        seconds for seconds in (None if until is None else until - time.monotonic(), within_s) if seconds is not None
    ]
    if waits:
        with selectors.DefaultSelector() as selector:
            selector.register(connected, selectors.EVENT_READ)
            if min(waits) <= 0 or not selector.select(min(waits)):
                raise Refused("the client was silent for too long")
    return connected.recv(_PIECE)


def end(connected: socket.socket) -> None:
    """Close a connection, also for the thread reading it.

    Read its last bytes for a moment first: a socket closed with unread bytes takes back those sent last.
    """
    with suppress(OSError):
        connected.shutdown(socket.SHUT_WR)
        connected.settimeout(LINGERING_S)
        until = time.monotonic() + LINGERING_S
        while time.monotonic() < until and connected.recv(_PIECE):
            pass
    abort(connected)
    with suppress(OSError):
        connected.close()


def abort(connected: socket.socket) -> None:
    """End a connection at once, for whoever reads it or waits for it to be written to."""
    with suppress(OSError):
        connected.shutdown(socket.SHUT_RDWR)


def tune(connected: socket.socket) -> None:
    """Send at once, and notice a client whose machine has gone."""
    connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _KEEP_ALIVE:
        option: Any = getattr(socket, name, None)
        if option is not None:
            connected.setsockopt(socket.IPPROTO_TCP, option, value)
