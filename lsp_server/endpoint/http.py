"""The endpoint's server of HTTP: who may ask, how large a request may be, and when its client has gone."""

from __future__ import annotations

import selectors
import socket
import time
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from ..protocol.access import is_loopback_host, is_token
from ..protocol.http import serve_in_thread
from . import wire
from .service import ClientLeft, Late, Service

REQUEST_S = 30.0
MAX_BODY_BYTES = 8_000_000


def serve_endpoint(listening: socket.socket, service: Service, token: str | None) -> ThreadingHTTPServer:
    """Serve the routes in threads of their own. token: the API key that clients show; None lets in whoever connects."""
    return serve_in_thread(listening, partial(_Handler, service, token), "suture-endpoint", REQUEST_S)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = REQUEST_S

    def __init__(self, service: Service, token: str | None, *args: object) -> None:
        self._service, self._token = service, token
        super().__init__(*args)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        """Say that the server is well, or which models it has."""
        path = self.path.partition("?")[0]
        if not self._is_local():
            self._refuse(HTTPStatus.FORBIDDEN, "only programs of this machine are answered, and no web pages")
        elif path == "/health":
            self._send({"status": "ok"})
        elif not self._shows_token():
            self._refuse(HTTPStatus.UNAUTHORIZED, "the API key is missing or wrong: the server prints it at its start")
        elif path in ("/v1/models", "/models"):
            model = {"id": wire.MODEL, "object": "model", "owned_by": "suture"}
            self._send({"object": "list", "data": [model]})
        else:
            self._refuse(HTTPStatus.NOT_FOUND, f"there is no {path[:100]}")

    def do_POST(self) -> None:
        """Answer a request for a completion."""
        body = self._body()
        if body is None:
            return
        path = self.path.partition("?")[0].rstrip("/")
        if not self._is_local():
            self._refuse(HTTPStatus.FORBIDDEN, "only programs of this machine are answered, and no web pages")
        elif not self._shows_token():
            self._refuse(HTTPStatus.UNAUTHORIZED, "the API key is missing or wrong: the server prints it at its start")
        elif path not in wire.ROUTES:
            self._refuse(HTTPStatus.NOT_FOUND, f"there is no {path[:100]}; there are " + ", ".join(wire.ROUTES))
        else:
            self._complete(wire.ROUTES[path], body)

    def _complete(self, route: wire.Route, body: bytes) -> None:
        began_s = time.monotonic()
        try:
            asked = wire.read(route, body)
            answer = self._service.answer(asked, self._is_gone)
        except wire.BadRequest as problem:
            self._refuse(HTTPStatus.BAD_REQUEST, str(problem))
        except Late:  # an empty text would be kept by llama.vim as the answer for this place
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, "there was no text in time")
        except ClientLeft:
            self.close_connection = True
        else:
            ms = (time.monotonic() - began_s) * 1000
            if asked.stream:
                self._stream(asked, wire.events(asked, answer.texts, answer.guarantee, ms))
            else:
                self._send(wire.answer(asked, answer.texts, answer.guarantee, ms))

    def _body(self) -> bytes | None:
        """Read the body; None where it was refused."""
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            self.close_connection = True
            self._refuse(HTTPStatus.LENGTH_REQUIRED, "a request needs its Content-Length")
            return None
        if int(length) > MAX_BODY_BYTES:
            self.close_connection = True
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request has at most {MAX_BODY_BYTES} bytes")
            return None
        return self.rfile.read(int(length))

    def _is_local(self) -> bool:
        """Whether a program of this machine asks: no page in a browser, nor one whose name was made to point here (DNS rebinding)."""
        named = self.headers.get_all("Host", [])
        return len(named) == 1 and is_loopback_host(named[0]) and "Origin" not in self.headers

    def _shows_token(self) -> bool:
        if self._token is None:
            return True
        scheme, _, given = self.headers.get("Authorization", "").partition(" ")
        return scheme.lower() == "bearer" and is_token(given.strip(), self._token)

    def _is_gone(self) -> bool:
        """Whether the client has closed its connection."""
        with selectors.DefaultSelector() as selector:
            try:
                selector.register(self.connection, selectors.EVENT_READ)
                return bool(selector.select(0)) and not self.connection.recv(1, socket.MSG_PEEK)
            except (OSError, ValueError):
                return True

    def _send(self, value: Any, status: HTTPStatus = HTTPStatus.OK) -> None:
        data = wire.encode(value)
        with suppress(OSError):
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    def _stream(self, asked: wire.Asked, events: Any) -> None:
        """Send server-sent events; the connection's end is theirs."""
        self.close_connection = True
        with suppress(OSError):
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Cache-Control", "no-cache")
            self.send_header("Connection", "close")
            self.end_headers()
            for event in events:
                self.wfile.write(b"data: " + wire.encode(event) + b"\n\n")
            if asked.route != "/infill":
                self.wfile.write(b"data: [DONE]\n\n")

    def _refuse(self, status: HTTPStatus, message: str) -> None:
        self._send({"error": {"message": message, "type": "invalid_request_error", "code": int(status)}}, status)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing of each request."""
