"""A server of HTTP for one machine's own use: strangers have a bounded number of connections, none of which lasts long."""

from __future__ import annotations

import asyncio
import socket
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from threading import Thread
from typing import Any

from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from ..errors import UserError
from .connection import LEAST_S, MAX_STRANGERS

BACKLOG = 1024
"""Connections that the system keeps until they are accepted."""
MAX_HEAD_BYTES = 65_536
_AGAIN_S = 0.02
"""After which a connection is accepted, where too many files are open."""

Send = Callable[[Any], Awaitable[None]]
Application = Callable[[Any, Any, Any], Awaitable[None]]
"""An application as ASGI has it; it calls `enter(scope)` for a client that is no stranger."""


def listen_on(host: str, port: int) -> socket.socket:
    """Take a port; port 0 is any free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(f"cannot listen on {host}:{port}: {reason}; choose another port") from None


def enter(scope: Mapping[str, Any]) -> None:
    """Let a request's connection last: its client has shown that it knows the token."""
    scope["state"]["enter"]()


async def respond(
    send: Send, status: HTTPStatus, kind: str, body: bytes, headers: Mapping[str, str] | None = None
) -> None:
    """Send a whole answer."""
    every = {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}
    await begin(send, status, every)
    await send({"type": "http.response.body", "body": body})


async def begin(send: Send, status: HTTPStatus, headers: Mapping[str, str]) -> None:
    """Send the head of an answer."""
    pairs = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": int(status), "headers": pairs})


def _say_nothing(*_: object) -> None:
    """Somebody went away in the middle."""


class Server:
    """Answers on a port, in a thread of its own."""

    def __init__(self, listening: socket.socket, application: Application, name: str, request_s: float, idle_s: float):
        """request_s: that a stranger's connection lasts; idle_s: that any lasts without a request."""
        self.server_address: tuple[Any, ...] = listening.getsockname()[:2]
        self._listening = listening
        config: Any = {"log_config": None, "log_level": "critical", "access_log": False, "timeout_keep_alive": idle_s}
        self.config = Config(
            application,
            http=H11Protocol,
            ws="none",
            lifespan="off",
            interface="asgi3",
            h11_max_incomplete_event_size=MAX_HEAD_BYTES,
            **config,
        )
        self.config.load()
        self.state, self.strangers = ServerState(), _Strangers(request_s)
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(_say_nothing)
        self._ended = asyncio.Event()
        self._thread = Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def shutdown(self) -> None:
        """Accept nobody any more, and end every connection."""
        with suppress(RuntimeError):  # it has ended
            self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join()

    def server_close(self) -> None:
        """Give the port back."""
        self._listening.close()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:  # which cancels the tasks that are left
            runner.run(self._serve())

    async def _serve(self) -> None:
        accepting = asyncio.ensure_future(self._accept())
        await self._ended.wait()
        accepting.cancel()
        for connection in tuple(self.state.connections):
            connection.transport.abort()

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        self._listening.setblocking(False)
        while True:
            await self.strangers.make_room()
            try:
                connected, _ = await loop.sock_accept(self._listening)
                await loop.connect_accepted_socket(lambda: _Connection(self), connected)
            except OSError:
                self._end_idle()
                await asyncio.sleep(_AGAIN_S)

    def _end_idle(self) -> None:
        """End the connection that has been idle for longest, whose client opens another when it asks again."""
        waiting = [each for each in self.state.connections if isinstance(each, _Connection)]
        idle = {each: timer.when() for each in waiting if (timer := each.timeout_keep_alive_task) is not None}
        if idle:
            min(idle, key=idle.__getitem__).timeout_keep_alive_handler()


class _Strangers:
    """Connections of which nothing is known yet. Where there are too many, the oldest have to go, so that those which are silent keep nobody out."""

    def __init__(self, lasting_s: float) -> None:
        self._lasting_s = lasting_s
        self._since_s: OrderedDict[asyncio.Transport, float] = OrderedDict()
        self._ends: dict[asyncio.Transport, asyncio.TimerHandle] = {}
        self._left = asyncio.Event()

    async def make_room(self) -> None:
        """Wait until one more may come."""
        while len(self._since_s) >= MAX_STRANGERS:
            oldest, since_s = next(iter(self._since_s.items()))
            self._left.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._left.wait(), max(0.0, since_s + LEAST_S - time.monotonic()))
                continue
            self._put_out(oldest)

    def come(self, transport: asyncio.Transport) -> None:
        """Somebody has connected."""
        self._since_s[transport] = time.monotonic()
        self._ends[transport] = asyncio.get_running_loop().call_later(self._lasting_s, self._put_out, transport)

    def leave(self, transport: asyncio.Transport) -> None:
        """A connection has ended, or its client is known now."""
        if self._since_s.pop(transport, None) is not None:
            self._ends.pop(transport).cancel()  # which would keep the connection in memory
            self._left.set()

    def _put_out(self, transport: asyncio.Transport) -> None:
        if transport in self._since_s:
            self.leave(transport)
            transport.abort()


class _Connection(H11Protocol):
    """A connection, of a stranger until a request of it is let in."""

    def __init__(self, server: Server) -> None:
        super().__init__(server.config, server.state, {"enter": self._enter})
        self._strangers = server.strangers

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._strangers.come(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._strangers.leave(self.transport)
        super().connection_lost(exc)

    def _enter(self) -> None:
        self._strangers.leave(self.transport)
