"""How messages come and go: standard input and output, TCP, WebSocket. The framing is that of the protocol's base.

Standard streams serve one client, and end with it. TCP and WebSocket serve one client at a time, refuse a second one meanwhile, and take
the next when the first has gone; the model stays in memory between them.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import queue
import re
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, BinaryIO, Protocol

from ..errors import UserError
from .pygls_fixes import QuietLanguageServer

logger = logging.getLogger("suture.transports")

MAX_BODY_BYTES = 256_000_000  # a message; larger ones are no editor's
SETTLING_S = 0.3  # for requests that were given up to be answered, after the client has said exit
MAX_UNSENT_BYTES = 256_000_000  # for a client that does not read
_MAX_HEADER_BYTES = 8192
_LENGTH = re.compile(rb"content-length: *(\d{1,12}) *\r?\n", re.IGNORECASE)
_OTHER_HEADER = re.compile(rb"content-type: *[^\r\n]*\r?\n", re.IGNORECASE)
# A page of this machine itself. `null` and the like are what sandboxed pages and files send.
_LOOPBACK_ORIGIN = re.compile(r"https?://(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?")

MakeServer = Callable[[], QuietLanguageServer]


class NotTheProtocol(Exception):
    """What came is not the base protocol, such as a request of HTTP."""


class Writer(Protocol):
    """Where a server's messages go; never waits."""

    def write(self, data: bytes) -> None:
        """Send a message."""

    def close(self) -> None:
        """Send nothing more."""


async def read_messages(reader: asyncio.StreamReader, lenient: bool = False) -> AsyncIterator[bytes]:
    """Read messages until the end of the stream.

    Lines that are no header are skipped if `lenient`; else they end the conversation: a web page can make a browser send what it likes
    to any port, but not without HTTP's own lines before it.
    """
    while True:
        length, count = None, 0
        while True:
            try:
                header = await reader.readuntil(b"\n")
            except asyncio.LimitOverrunError:
                raise NotTheProtocol("a header is too long") from None
            except asyncio.IncompleteReadError:
                return
            if header in (b"\r\n", b"\n"):
                if length is not None:
                    break
                continue
            count += len(header)
            if (match := _LENGTH.fullmatch(header)) is not None:
                length = int(match[1])
            elif not lenient and (_OTHER_HEADER.fullmatch(header) is None or count > _MAX_HEADER_BYTES):
                raise NotTheProtocol("a line is no header of the protocol")
        if length > MAX_BODY_BYTES:
            raise NotTheProtocol("a message is too long")
        try:
            yield await reader.readexactly(length)
        except asyncio.IncompleteReadError:
            return


async def converse(
    server: QuietLanguageServer, messages: AsyncIterator[bytes | str], writer: Writer, headers: bool
) -> None:
    """Handle messages in order, until the client says exit or goes away."""
    stopped = server.begin()
    server.protocol.set_writer(writer, include_headers=headers)  # type: ignore[arg-type]
    keeping = asyncio.ensure_future(server.keep())
    try:
        async for body in messages:
            _handle(server, body)
            if stopped.is_set():
                await server.protocol.settle(SETTLING_S)
                break
            await asyncio.sleep(0)  # what the message started runs before the next one is read
    except NotTheProtocol as error:
        logger.warning("the connection is closed: %s", error)
    finally:
        keeping.cancel()
        server.shutdown()
        writer.close()


def _handle(server: QuietLanguageServer, body: bytes | str) -> None:
    try:
        data = json.loads(body)
        if not isinstance(data, dict) or "jsonrpc" not in data:
            raise ValueError("no message of JSON-RPC")
        server.protocol.handle_message(server.protocol.structure_message(data))
    except Exception as error:
        server.report_server_error(error, type(error))


# Standard input and output


class ThreadWriter:
    """Writes in a thread: a client that does not read keeps nobody waiting; `gone` is called, there, when it can read no more."""

    def __init__(self, stream: BinaryIO, gone: Callable[[], None] = lambda: None):
        self._stream = stream
        self._gone = gone
        self._broken = False
        self._unsent: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._size = 0
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="suture-writer", daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> None:
        """Send a message; dropped when the client has not read far too much already."""
        with self._lock:
            if self._broken or self._size > MAX_UNSENT_BYTES:
                return
            self._size += len(data)
        self._unsent.put(data)

    def close(self) -> None:
        """Send what is left, for as long as half a second."""
        self._unsent.put(None)
        self._thread.join(0.5)

    def _run(self) -> None:
        while (data := self._unsent.get()) is not None:
            with self._lock:
                self._size -= len(data)
            try:
                self._stream.write(data)
                self._stream.flush()
            except (OSError, ValueError):
                self._broken = True
                self._gone()
                return


def feed(stream: BinaryIO, reader: asyncio.StreamReader, loop: asyncio.AbstractEventLoop) -> Callable[[], None]:
    """Read a stream in a thread into an asynchronous reader; works for pipes, files and consoles alike.

    What is given ends the reader as if the stream had ended, and may be called from any thread.
    """
    ended = False

    def take(data: bytes) -> None:
        nonlocal ended
        if not ended:
            ended = not data
            reader.feed_data(data) if data else reader.feed_eof()

    def tell(data: bytes) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(take, data)

    def run() -> None:
        try:
            while data := stream.read1(1 << 16):  # type: ignore[attr-defined]
                tell(data)
        except (OSError, ValueError):
            pass
        tell(b"")

    threading.Thread(target=run, name="suture-reader", daemon=True).start()
    return lambda: tell(b"")


async def serve_streams(server: QuietLanguageServer, stdin: BinaryIO, stdout: BinaryIO) -> None:
    """Serve one client over two streams."""
    reader = asyncio.StreamReader()
    server.end_of_input = feed(stdin, reader, asyncio.get_running_loop())
    writer = ThreadWriter(stdout, server.end_of_input)
    await converse(server, read_messages(reader, lenient=True), writer, headers=True)


# TCP


class SocketWriter:
    """Writes to a connection of TCP."""

    def __init__(self, stream: asyncio.StreamWriter):
        self._stream = stream

    def write(self, data: bytes) -> None:
        """Send a message; the connection of a client that does not read ends."""
        if self._stream.is_closing():
            return
        if self._stream.transport.get_write_buffer_size() > MAX_UNSENT_BYTES:
            self._stream.transport.abort()
            return
        self._stream.write(data)

    def close(self) -> None:
        """Send what is left, then end the connection."""
        self._stream.close()


class SingleClientGate:
    """Lets in one client, and the next when it has gone."""

    def __init__(self, make_server: MakeServer, once: bool):
        self._make_server = make_server
        self._once = once
        self._busy = False
        self.ended = asyncio.Event()

    @contextlib.contextmanager
    def turn(self) -> Any:
        """Give a server for a client, or None while another one is served."""
        if self._busy:
            logger.warning("a second client was refused: one at a time")
            yield None
            return
        self._busy = True
        try:
            yield self._make_server()
        finally:
            self._busy = False
            if self._once:
                self.ended.set()


async def serve_tcp(host: str, port: int, make_server: MakeServer, once: bool, ready: Callable[[int], None]) -> None:
    """Serve clients that connect by TCP; `ready` is told the port."""
    door = SingleClientGate(make_server, once)

    async def connected(reader: asyncio.StreamReader, stream: asyncio.StreamWriter) -> None:
        with door.turn() as server:
            if server is None:
                stream.close()
                return
            with contextlib.suppress(ConnectionError):
                await converse(server, read_messages(reader), SocketWriter(stream), headers=True)

    listening = await _listening(asyncio.start_server(connected, host, port), host, port)
    ready(listening.sockets[0].getsockname()[1])
    async with listening:
        await door.ended.wait()


# WebSocket


class WebSocketWriter:
    """Writes texts to a WebSocket, in order."""

    def __init__(self, socket: Any):
        self._socket = socket
        self._unsent: asyncio.Queue[str | None] = asyncio.Queue()
        self._task = asyncio.ensure_future(self._run())

    def write(self, data: bytes) -> None:
        """Send a message."""
        self._unsent.put_nowait(data.decode())

    def close(self) -> None:
        """Send what is left, then end the connection."""
        self._unsent.put_nowait(None)

    async def finished(self) -> None:
        """Wait until all is sent."""
        await self._task

    async def _run(self) -> None:
        from websockets.exceptions import ConnectionClosed

        with contextlib.suppress(ConnectionClosed):
            while (text := await self._unsent.get()) is not None:
                await self._socket.send(text)
            await self._socket.close()


async def serve_websocket(
    host: str,
    port: int,
    make_server: MakeServer,
    once: bool,
    ready: Callable[[int], None],
    origins: Sequence[str] = (),
) -> None:
    """Serve clients that connect by WebSocket, one message a text frame.

    Any web page may try to connect, so that a browser must come from a page of this machine, or from one of `origins`; other programs send
    no Origin.
    """
    from websockets.asyncio.server import serve
    from websockets.exceptions import ConnectionClosed

    door = SingleClientGate(make_server, once)

    async def messages(socket: Any) -> AsyncIterator[bytes | str]:
        with contextlib.suppress(ConnectionClosed):
            async for message in socket:
                yield message

    async def connected(socket: Any) -> None:
        with door.turn() as server:
            if server is None:
                await socket.close(1013, "the server has a client; try again later")
                return
            writer = WebSocketWriter(socket)
            await converse(server, messages(socket), writer, headers=False)
            await writer.finished()

    allowed = [None, _LOOPBACK_ORIGIN, *origins]
    starting = serve(connected, host, port, origins=allowed, max_size=MAX_BODY_BYTES, compression=None)  # type: ignore[arg-type]
    listening = await _listening(starting, host, port)
    ready(next(iter(listening.sockets)).getsockname()[1])
    async with listening:
        await door.ended.wait()


async def _listening(starting: Any, host: str, port: int) -> Any:
    try:
        return await starting
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(f"{host}:{port}: cannot listen there ({reason}); choose another address or port") from None
