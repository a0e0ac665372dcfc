"""Messages over a WebSocket, one per text frame; the protocol is that of `websockets`, without its I/O."""

from __future__ import annotations

import http
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .access import is_loopback_host, is_token, token_in_address
from .connection import ENTERING_S, MAX_FIRST_BYTES, STALLED_S, Refused, SocketStream, abort, end, receive
from .framing import MAX_BODY_BYTES, Fault
from .writing import MAX_UNSENT_BYTES, ThreadWriter

PING_S = 20.0
"""Silence before a ping to the client."""
SILENT_S = 60.0
"""Silence before the client counts as gone."""
TRY_AGAIN_LATER = 1013


class WebSocketConnection:
    """A client's WebSocket connection.

    Any web page may try to connect, so a browser must come from one of `origins`, each a full address; other programs send no Origin.
    """

    def __init__(
        self,
        connected: socket.socket,
        token: str | None,
        origins: Sequence[str],
        loopback: bool,
        busy: Callable[[], bool],
    ):
        from websockets.server import ServerProtocol

        quiet = logging.getLogger("suture.websocket")
        quiet.disabled = True  # it logs whole messages
        allowed: Any = [None, *origins]
        self.showed_token = False
        self._token, self._loopback, self._busy = token, loopback, busy
        self._socket = connected
        self._protocol = ServerProtocol(origins=allowed, max_size=MAX_BODY_BYTES, logger=quiet)
        self._lock = threading.Lock()  # guards the protocol and the order of sent bytes
        self._until: float | None = time.monotonic() + ENTERING_S
        self._heard_s = time.monotonic()
        self._entering_bytes = 0
        self._gone: Callable[[], None] = lambda: None
        self._writer = ThreadWriter(
            SocketStream(connected), lambda: self._gone(), lambda: abort(connected), MAX_UNSENT_BYTES
        )

    def messages(self) -> Iterator[bytes | Fault]:
        """Give the messages."""
        from websockets.frames import Frame, Opcode
        from websockets.http11 import Request
        from websockets.protocol import State

        pieces: list[bytes] = []
        while True:
            data = self._receive(bool(pieces))
            with self._lock:
                self._protocol.receive_data(data) if data else self._protocol.receive_eof()
                events = self._protocol.events_received()
                for event in events:
                    if isinstance(event, Request):
                        self._answer(event)
                self._flush()
                if self._until is not None and self._protocol.state is State.OPEN and self._busy():
                    self._protocol.send_close(TRY_AGAIN_LATER, "the server has a client; try again later")
                    self._flush()
                    raise Refused("a second client was refused: one at a time")
            for event in events:
                if isinstance(event, Frame) and event.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
                    pieces.append(bytes(event.data))
                    if event.fin:
                        yield b"".join(pieces)
                        pieces.clear()
            if not data or self._protocol.close_expected():
                return

    def send(self, body: bytes) -> None:
        """Send a message; a client that does not read is disconnected."""
        from websockets.protocol import State

        with self._lock:
            if self._protocol.state is State.OPEN:
                self._protocol.send_text(body)
                self._flush()

    def begin(self, gone: Callable[[], None]) -> None:
        """Admit the client."""
        self._until, self._gone = None, gone

    def close(self) -> None:
        """Send the rest, and end."""
        from websockets.protocol import State

        with self._lock:
            if self._protocol.state is State.OPEN:
                self._protocol.send_close()
                self._flush()
        self._writer.close()
        end(self._socket)

    def _answer(self, request: Any) -> None:
        """Accept or reject the opening handshake."""
        named, authorized = (request.headers.get_all(name) for name in ("Host", "Authorization"))
        if len(named) > 1 or len(authorized) > 1:
            response = self._protocol.reject(http.HTTPStatus.BAD_REQUEST, "a header is given twice\n")
        elif self._loopback and not is_loopback_host("".join(named)):
            response = self._protocol.reject(http.HTTPStatus.FORBIDDEN, "this name is not that of this machine\n")
        else:
            given = token_in_address(request.path) or _bearer("".join(authorized))
            self.showed_token = is_token(given, self._token)
            if given is not None and not self.showed_token:
                response = self._protocol.reject(http.HTTPStatus.UNAUTHORIZED, "the token is wrong\n")
            else:
                response = self._protocol.accept(request)
        self._protocol.send_response(response)

    def _receive(self, partial: bool) -> bytes:
        """Wait for bytes; ping a silent client now and then."""
        while True:
            within = STALLED_S if partial else PING_S
            try:
                data = receive(self._socket, self._until, within)
            except Refused:
                if partial or self._until is not None or time.monotonic() - self._heard_s >= SILENT_S:
                    raise
                with self._lock:
                    self._protocol.send_ping(b"")
                    self._flush()
                continue
            self._heard_s = time.monotonic()
            self._entering_bytes += len(data)
            if self._until is not None and self._entering_bytes > MAX_FIRST_BYTES:
                raise Refused("the first message is too long")
            return data

    def _flush(self) -> None:
        for data in self._protocol.data_to_send():
            if data:
                self._writer.write(data)


def _bearer(header: str) -> str | None:
    """The token of `Authorization: Bearer ...`."""
    kind, _, given = header.partition(" ")
    return given.strip() if kind.lower() == "bearer" else None
