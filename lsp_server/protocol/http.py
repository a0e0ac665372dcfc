"""A server of HTTP for one machine's own use: a bounded number of connections, none of which lasts long."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread, Timer
from typing import Any

from ..errors import UserError
from .connection import Strangers


def listen_on(host: str, port: int) -> socket.socket:
    """Take a port; port 0 is any free one."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(f"cannot listen on {host}:{port}: {reason}; choose another port") from None


def serve_in_thread(
    listening: socket.socket, handler: Callable[..., BaseHTTPRequestHandler], name: str, request_s: float
) -> ThreadingHTTPServer:
    """Answer in threads of their own. request_s: for a request to come and be answered."""
    server = _Server(listening.getsockname()[:2], handler, bind_and_activate=False)
    server.request_s = request_s
    server.socket.close()
    server.socket = listening
    server.server_activate()
    Thread(target=server.serve_forever, name=name, daemon=True).start()
    return server


class _Server(ThreadingHTTPServer):
    """Never many connections at once, and none for long, however slowly it asks."""

    daemon_threads = True
    request_s = 10.0

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._strangers = Strangers()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread."""
        self._strangers.come(request)
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, for as long as that may take."""
        late = Timer(self.request_s, _end, [request])
        late.daemon = True
        late.start()
        try:
            super().process_request_thread(request, client_address)
        finally:
            late.cancel()
            self._strangers.leave(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Somebody went away in the middle: nothing to say."""


def _end(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
