"""An HTTP server for the local machine: strangers have a bounded number of short-lived connections."""

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
"""The most connections queued by the system before they are accepted."""
MAX_HEAD_BYTES = 65_536
_AGAIN_S = 0.02
"""The delay before the next accept, where too many files are open."""

Send = Callable[[Any], Awaitable[None]]
Application = Callable[[Any, Any, Any], Awaitable[None]]
"""An ASGI application; it calls `enter(scope)` for a client that is no stranger."""


def listen_on(host: str, port: int) -> socket.socket:
    """Take a port; port 0 is any free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(f"cannot listen on {host}:{port}: {reason}; choose another port") from None


def enter(scope: Mapping[str, Any]) -> None:
    """Let a request's connection last: its client has shown the token."""
    scope["state"]["enter"]()


async def respond(
    send: Send, status: HTTPStatus, kind: str, body: bytes, headers: Mapping[str, str] | None = None
) -> None:
    """Send a whole response."""
    every = {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}
    await begin(send, status, every)
    await send({"type": "http.response.body", "body": body})


async def begin(send: Send, status: HTTPStatus, headers: Mapping[str, str]) -> None:
    """Send the head of a response."""
    pairs = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": int(status), "headers": pairs})


def _say_nothing(*_: object) -> None:
    """Ignore a client's disconnection."""


class Server:
    """Answers on a port, in a thread of its own."""

    def __init__(self, listening: socket.socket, application: Application, name: str, request_s: float, idle_s: float):
        """request_s: the lifetime of a stranger's connection; idle_s: the lifetime of an idle one."""
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
        """Stop accepting, and end every connection."""
        with suppress(RuntimeError):  # it has ended
            self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join()

    def server_close(self) -> None:
        """Release the port."""
        self._listening.close()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:  # cancels the remaining tasks
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
        """End the connection idle for longest; its client opens another for its next request."""
        waiting = [each for each in self.state.connections if isinstance(each, _Connection)]
        idle = {each: timer.when() for each in waiting if (timer := each.timeout_keep_alive_task) is not None}
        if idle:
            min(idle, key=idle.__getitem__).timeout_keep_alive_handler()


class _Strangers:
    """Connections before their first admitted request. The oldest make room where there are too many, so that silent ones keep nobody out."""

    def __init__(self, lasting_s: float) -> None:
        self._lasting_s = lasting_s
        self._since_s: OrderedDict[asyncio.Transport, float] = OrderedDict()
        self._ends: dict[asyncio.Transport, asyncio.TimerHandle] = {}
        self._left = asyncio.Event()

    async def make_room(self) -> None:
        """Wait until there is room for one more."""
        while len(self._since_s) >= MAX_STRANGERS:
            oldest, since_s = next(iter(self._since_s.items()))
            self._left.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._left.wait(), max(0.0, since_s + LEAST_S - time.monotonic()))
                continue
            self._put_out(oldest)

    def come(self, transport: asyncio.Transport) -> None:
        """Note a new connection."""
        self._since_s[transport] = time.monotonic()
        self._ends[transport] = asyncio.get_running_loop().call_later(self._lasting_s, self._put_out, transport)

    def leave(self, transport: asyncio.Transport) -> None:
        """Forget a connection once it has ended or its client has shown the token."""
        if self._since_s.pop(transport, None) is not None:
            self._ends.pop(transport).cancel()  # the timer would keep the connection in memory
            self._left.set()

    def _put_out(self, transport: asyncio.Transport) -> None:
        if transport in self._since_s:
            self.leave(transport)
            transport.abort()


class _Connection(H11Protocol):
    """A connection, a stranger's until one of its requests is admitted."""

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
