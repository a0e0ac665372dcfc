"""Clients connecting over TCP (connection.py) or WebSocket (websocket.py), one admitted at a time.

A connection has a few seconds to show its token; few may be without it at once, and the oldest of them make room for others. An admitted
client that stops in the middle of a message, or does not read, is disconnected.
"""

from __future__ import annotations

import queue
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from ..errors import UserError
from .access import is_token, without_token
from .connection import Connection, Refused, Strangers, TcpConnection, tune
from .framing import Fault, FramingError
from .jsonrpc import REQUEST_FAILED, Refusal, encode, error, parse

TURN_S = 5.0
"""The time a client with the token waits for the end of the last one's session: a client reconnects at once after a lost connection."""


class Client:
    """An admitted connection."""

    def __init__(self, connection: Connection, first: bytes, messages: Iterator[bytes | Fault]):
        self.first = first  # `initialize`, without the token
        self._connection = connection
        self._messages = messages
        self.send = connection.send
        self.begin = connection.begin

    @property
    def messages(self) -> Iterator[bytes | Fault]:
        """The messages after the first one."""
        with suppress(Refused):
            yield from self._messages

    def close(self) -> None:
        """End the connection."""
        self._connection.close()


class Door:
    """Listens, and admits one client after another."""

    def __init__(
        self, kind: str, host: str, port: int, token: str | None, origins: Sequence[str], log: Callable[[str], None]
    ):
        """kind: "tcp" or "websocket"; token: the client's credential, None to require none; origins: those of admitted web pages."""
        self._kind, self._token, self._origins, self._log = kind, token, tuple(origins), log
        self._strangers = Strangers()
        self._turn = threading.Condition()
        self._busy = False
        self._clients: queue.SimpleQueue[Client | None] = queue.SimpleQueue()
        self.signal: int | None = None
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

    def next_client(self) -> Client | None:
        """Wait for a client; None once the server is to end."""
        while self.signal is None:
            try:
                return self._clients.get(timeout=1.0)  # so that Ctrl+C is heard on Windows, too
            except queue.Empty:
                pass
        return None

    def end(self, number: int) -> None:
        """Admit nobody any more, since a signal asks the server to end; safe to call in signal handlers."""
        self.signal = number
        self._clients.put(None)

    def leave(self) -> None:
        """Make room for the next client, since this one has gone."""
        with self._turn:
            self._busy = False
            self._turn.notify_all()

    def _is_busy(self) -> bool:
        """Whether another client is admitted and stays for TURN_S."""
        with self._turn:
            return not self._turn.wait_for(lambda: not self._busy, TURN_S)

    def _accept(self) -> None:
        while True:
            try:
                connected, _ = self._socket.accept()
            except OSError:
                if self._socket.fileno() < 0:
                    return
                time.sleep(0.1)  # too many files are open
                continue
            self._strangers.come(connected)
            threading.Thread(target=self._enter, args=(connected,), name="suture-entering", daemon=True).start()

    def _enter(self, connected: socket.socket) -> None:
        """Admit a connection if it shows the token and nobody else is admitted."""
        connection: Connection | None = None
        try:
            tune(connected)
            connection = self._connection(connected)
            messages = connection.messages()
            first = self._first(connection, messages)
            with self._turn:
                if self._is_busy():
                    what = "the server has another client, and serves one at a time: try again later"
                    message = parse(first)
                    connection.send(
                        error(None if isinstance(message, Refusal) else message.get("id"), REQUEST_FAILED, what)
                    )
                    raise Refused("a second client was refused: one at a time")
                self._busy = True
            self._clients.put(Client(connection, first, messages))
            connection = None
        except (Refused, FramingError) as why:
            if str(why):
                self._log(f"a connection was refused: {why}")
        except OSError:
            pass
        except Exception as problem:  # a library's, on a stranger's bytes
            self._log(f"a connection was refused: {type(problem).__name__}")
        finally:
            if connection is not None:
                connection.close()
            self._strangers.leave(connected)

    def _connection(self, connected: socket.socket) -> Connection:
        if self._kind == "tcp":
            return TcpConnection(connected)
        from .websocket import WebSocketConnection

        return WebSocketConnection(connected, self._token, self._origins, self._loopback, self._is_busy)

    def _first(self, connection: Connection, messages: Iterator[bytes | Fault]) -> bytes:
        """Read `initialize`, and check the token."""
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
