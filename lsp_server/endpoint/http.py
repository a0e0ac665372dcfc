"""The endpoint's routes over HTTP: access, bounds of requests, and disconnections."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable
from functools import partial
from http import HTTPStatus
from typing import Any

from ..protocol.access import is_loopback_host, is_token
from ..protocol.http import Send, Server, begin, enter, respond
from . import wire
from .service import Late, Service

REQUEST_S = 30.0
IDLE_S = 3600.0
"""The keep-alive of an idle connection of a client with the key."""
MAX_BODY_BYTES = 8_000_000
_JSON = "application/json"
_NO_STRANGERS = "only programs of this machine are answered, and no web pages"
_NO_KEY = "the API key is missing or wrong: the server prints it at its start"
_LATE = "there was no text in time"

Headers = list[tuple[bytes, bytes]]
Receive = Callable[[], Awaitable[Any]]


def serve_endpoint(listening: socket.socket, service: Service, token: str | None) -> Server:
    """Serve the routes in a thread. token: the API key of clients; None lets everybody in."""
    return Server(listening, partial(_application, service, token), "suture-endpoint", REQUEST_S, IDLE_S)


async def _application(service: Service, token: str | None, scope: Any, receive: Receive, send: Send) -> None:
    """Answer a request."""
    path, refuse, gets = scope["path"], partial(_refuse, send), scope["method"] in ("GET", "HEAD")
    headers: Headers = scope["headers"]
    if not _is_local(headers):
        await refuse(HTTPStatus.FORBIDDEN, _NO_STRANGERS)
    elif gets and path == "/health":
        await _send(send, {"status": "ok"})
    elif not _shows_token(headers, token):
        await refuse(HTTPStatus.UNAUTHORIZED, _NO_KEY)
    else:
        enter(scope)
        if gets and path in ("/v1/models", "/models"):
            model = {"id": wire.MODEL, "object": "model", "owned_by": "suture"}
            await _send(send, {"object": "list", "data": [model]})
        elif scope["method"] != "POST" or path.rstrip("/") not in wire.ROUTES:
            await refuse(HTTPStatus.NOT_FOUND, f"there is no {path[:100]}; there are " + ", ".join(wire.ROUTES))
        else:
            await _complete(service, wire.ROUTES[path.rstrip("/")], headers, receive, send)


async def _complete(service: Service, route: wire.Route, headers: Headers, receive: Receive, send: Send) -> None:
    """Answer a request for texts, unless its client goes away."""
    began_s = time.monotonic()
    body = await _body(headers, receive)
    if body is None:
        await _refuse(send, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request has at most {MAX_BODY_BYTES} bytes")
        return
    try:
        asked = wire.read(route, body)
    except wire.BadRequest as problem:
        await _refuse(send, HTTPStatus.BAD_REQUEST, str(problem))
        return
    answering, leaving = asyncio.ensure_future(service.answer(asked)), asyncio.ensure_future(_left(receive))
    try:
        await asyncio.wait((answering, leaving), return_when=asyncio.FIRST_COMPLETED)
        if answering.done():
            ms = (time.monotonic() - began_s) * 1000
            await (_stream if asked.stream else _whole)(send, asked, answering.result(), ms)
    except Late:  # llama.vim would cache an empty text as the answer for this place
        await _refuse(send, HTTPStatus.SERVICE_UNAVAILABLE, _LATE)
    finally:
        answering.cancel()
        leaving.cancel()


async def _body(headers: Headers, receive: Receive) -> bytes | None:
    """A request's body; None for too large a one, read to its end and dropped, so that its client reads the answer."""
    if any(name == b"content-length" and int(value) > MAX_BODY_BYTES for name, value in headers):
        return None
    pieces, size, more = list[bytes](), 0, True
    while more:
        message = await receive()
        piece, more = message.get("body", b""), message.get("more_body", False)
        pieces.append(piece)
        size += len(piece)
        if size > MAX_BODY_BYTES:
            return None
    return b"".join(pieces)


async def _left(receive: Receive) -> None:
    """Wait for the client's disconnection."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _is_local(headers: Headers) -> bool:
    """Whether a request comes from a program on this machine: from no web page, and under no name made to point here (DNS rebinding)."""
    named = [value for name, value in headers if name == b"host"]
    return (
        len(named) == 1
        and is_loopback_host(named[0].decode("latin-1"))
        and all(name != b"origin" for name, _ in headers)
    )


def _shows_token(headers: Headers, token: str | None) -> bool:
    shown = next((value.decode("latin-1") for name, value in headers if name == b"authorization"), "")
    scheme, _, given = shown.partition(" ")
    return token is None or (scheme.lower() == "bearer" and is_token(given.strip(), token))


async def _send(send: Send, value: Any, status: HTTPStatus = HTTPStatus.OK) -> None:
    await respond(send, status, _JSON, wire.encode(value))


async def _whole(send: Send, asked: wire.Asked, answers: list[wire.Texts], ms: float) -> None:
    await _send(send, wire.answer(asked, answers, ms))


async def _stream(send: Send, asked: wire.Asked, answers: list[wire.Texts], ms: float) -> None:
    """Send server-sent events."""
    await begin(send, HTTPStatus.OK, {"Content-Type": "text/event-stream", "Cache-Control": "no-cache"})
    events = [wire.encode(event) for event in wire.events(asked, answers, ms)]
    if asked.route != "/infill":
        events.append(b"[DONE]")
    await send({"type": "http.response.body", "body": b"".join(b"data: " + event + b"\n\n" for event in events)})


async def _refuse(send: Send, status: HTTPStatus, message: str) -> None:
    await _send(send, {"error": {"message": message, "type": "invalid_request_error", "code": int(status)}}, status)
