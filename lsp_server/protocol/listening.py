"""Clients that connect: by TCP, where messages have headers, or by WebSocket, where each is a frame. One is let in at a time.

A connection has a few seconds to show its token; there are never many that have not. Whoever is in and stops in the middle of a message, or
does not read, is put out.
"""

from __future__ import annotations

import queue
import selectors
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Protocol

from ..errors import UserError
from .access import is_token, without_token
from .framing import MAX_BODY_BYTES, Fault, FramingError, MessageDecoder, frame
from .jsonrpc import REQUEST_FAILED, Refusal, encode, error, parse
from .writing import MAX_UNSENT_BYTES, ThreadWriter

ENTERING_S = 10.0
"""For a connection to send its first message, with the token."""
STALLED_S = 30.0
"""For the rest of a message that has begun."""
MAX_ENTERING = 32
"""Connections that have not shown a token yet."""
MAX_FIRST_BYTES = 4_000_000
"""Of a message of somebody who has not."""
LINGERING_S = 0.3
_KEEP_ALIVE = (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 15), ("TCP_KEEPCNT", 4))
_PIECE = 1 << 16


class Refused(Exception):
    """A connection is not let in, or no more."""


class Connection(Protocol):
    """A connection of one kind."""

    showed_token: bool  # before its first message

    def messages(self) -> Iterator[bytes | Fault]:
        """Give its messages until it ends; raises FramingError, OSError or Refused."""
        ...

    def send(self, body: bytes) -> None:
        """Send a message; never waits."""

    def begin(self, gone: Callable[[], None]) -> None:
        """It is let in: from now on messages may be large and slow to come; `gone` is called when it can be written to no more."""

    def close(self) -> None:
        """Send what is left, and end it."""


class Client:
    """A connection that was let in."""

    def __init__(self, connection: Connection, first: bytes, messages: Iterator[bytes | Fault]):
        self.first = first  # `initialize`, without the token
        self._connection = connection
        self._messages = messages
        self.send = connection.send
        self.begin = connection.begin

    @property
    def messages(self) -> Iterator[bytes | Fault]:
        """What it says after the first message."""
        with suppress(Refused):
            yield from self._messages

    def close(self) -> None:
        """End the connection."""
        self._connection.close()


class Door:
    """Listens, and lets in one client after another."""

    def __init__(
        self, kind: str, host: str, port: int, token: str | None, origins: Sequence[str], log: Callable[[str], None]
    ):
        """kind: "tcp" or "websocket"; token: what a client must show, None where there is none; origins: of web pages that may connect."""
        self._kind, self._token, self._origins, self._log = kind, token, tuple(origins), log
        self._slots = threading.BoundedSemaphore(MAX_ENTERING)
        self._lock = threading.Lock()
        self._busy = False
        self._clients: queue.SimpleQueue[Client] = queue.SimpleQueue()
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            self._socket = socket.create_server((host, port), family=family)
        except (OSError, OverflowError) as problem:
            reason = getattr(problem, "strerror", None) or str(problem)
            raise UserError(f"{host}:{port}: cannot listen there ({reason}); choose another address or port") from None
        self.port: int = self._socket.getsockname()[1]
        self._loopback = self._socket.getsockname()[0] in ("127.0.0.1", "::1")
        threading.Thread(target=self._accept, name="suture-door", daemon=True).start()

    def __enter__(self) -> Door:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def next_client(self) -> Client:
        """Wait for a client."""
        while True:
            try:
                return self._clients.get(timeout=1.0)  # so that Ctrl+C is heard on Windows, too
            except queue.Empty:
                pass

    def leave(self) -> None:
        """The client has gone; the next one may come in."""
        self._busy = False

    def _accept(self) -> None:
        while True:
            try:
                connected, _ = self._socket.accept()
            except OSError:
                if self._socket.fileno() < 0:
                    return
                time.sleep(0.1)  # too many files are open
                continue
            if not self._slots.acquire(blocking=False):
                connected.close()
                continue
            threading.Thread(target=self._enter, args=(connected,), name="suture-entering", daemon=True).start()

    def _enter(self, connected: socket.socket) -> None:
        """Let a connection in, when it shows the token and nobody else is in."""
        connection: Connection | None = None
        try:
            _tune(connected)
            connection = self._connection(connected)
            if self._busy and self._kind == "tcp":  # a WebSocket is told why
                raise Refused("a second client was refused: one at a time")
            messages = connection.messages()
            first = self._first(connection, messages)
            with self._lock:
                if self._busy:
                    raise Refused("a second client was refused: one at a time")
                self._busy = True
            self._clients.put(Client(connection, first, messages))
            connection = None
        except (Refused, FramingError) as why:
            if str(why):
                self._log(f"a connection was refused: {why}")
        except OSError:
            pass
        finally:
            if connection is not None:
                connection.close()
            self._slots.release()

    def _connection(self, connected: socket.socket) -> Connection:
        if self._kind == "tcp":
            return TcpConnection(connected)
        from .websocket import WebSocketConnection

        return WebSocketConnection(connected, self._token, self._origins, self._loopback, lambda: self._busy)

    def _first(self, connection: Connection, messages: Iterator[bytes | Fault]) -> bytes:
        """Read `initialize`, and look for the token."""
        for body in messages:
            if isinstance(body, Fault):
                continue
            message = parse(body)
            if isinstance(message, Refusal):
                connection.send(error(message.id, message.code, message.message))
                raise Refused(message.message)
            given, params = without_token(message.get("params"))
            if is_token(given, self._token) or connection.showed_token:
                return encode({**message, "params": params}) if given is not None else body
            what = "the token is missing or wrong: give it as initializationOptions.token; the server prints it at its start"
            connection.send(error(message.get("id"), REQUEST_FAILED, what))
            raise Refused("the token was missing or wrong")
        raise Refused("")


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
        """Send a message; the connection of a client that does not read ends."""
        self._writer.write(frame(body))

    def begin(self, gone: Callable[[], None]) -> None:
        """Let it speak."""
        self._decoder.most, self._until, self._gone = MAX_BODY_BYTES, None, gone

    def close(self) -> None:
        """Send what is left, and end."""
        self._writer.close()
        end(self._socket)


class SocketStream:
    """A socket as what a ThreadWriter writes to."""

    def __init__(self, connected: socket.socket):
        self.write = connected.sendall

    def flush(self) -> None:
        """There is nothing that is kept back."""


def receive(connected: socket.socket, until: float | None, within_s: float | None) -> bytes:
    """Read what there is; Refused when nothing comes `until` a time, or `within_s`."""
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
    """End a connection, also for the thread that reads it.

    What it still sends is read for a moment: a socket that is closed with something unread takes back what was sent last.
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


def _tune(connected: socket.socket) -> None:
    """Send at once, and notice a client whose machine has gone."""
    connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _KEEP_ALIVE:
        option: Any = getattr(socket, name, None)
        if option is not None:
            connected.setsockopt(socket.IPPROTO_TCP, option, value)
