"""The server's side of one conversation: messages in order, until the client says exit or goes away."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, BinaryIO, Protocol

from .framing import Fault, FramingError, MessageDecoder, frame, read_bodies
from .jsonrpc import Refusal, error, parse
from .pygls_fixes import QuietLanguageServer
from .stdio import read_piece
from .writing import ThreadWriter

logger = logging.getLogger("suture.conversation")

SETTLING_S = 0.3  # for answers to cancelled requests, after the client's exit
MAX_UNHANDLED_BYTES = 64_000_000  # in the queue of unhandled messages, then reading stops


class Writer(Protocol):
    """The sink of a server's messages; never blocks."""

    def write(self, data: bytes) -> None:
        """Send a message with its header."""

    def close(self) -> None:
        """Send nothing more."""


class Conversation:
    """A server and its client; `take` handles messages synchronously."""

    def __init__(self, server: QuietLanguageServer, writer: Writer):
        self._server, self._writer = server, writer
        self._stopped = server.begin()
        server.protocol.set_writer(writer, include_headers=True)  # type: ignore[arg-type]
        self._keeping = asyncio.ensure_future(server.keep())

    @property
    def stopped(self) -> bool:
        """Whether the client has said exit."""
        return self._stopped.is_set()

    async def take(self, message: dict[str, Any] | Refusal) -> None:
        """Handle a message; the tasks it starts run before this returns."""
        if isinstance(message, Refusal):
            logger.warning("a message was refused: %s", message.message)
            self._writer.write(frame(error(message.id, message.code, message.message)))
        else:
            try:
                self._server.protocol.handle_message(self._server.protocol.structure_message(message))
            except Exception as problem:
                self._server.report_server_error(problem, type(problem))
        await asyncio.sleep(0)

    async def end(self) -> None:
        """Answer the cancelled requests, and shut the server down."""
        if self.stopped:
            await self._server.protocol.settle(SETTLING_S)
        self._keeping.cancel()
        self._server.shutdown()


class Incoming:
    """Messages of a stream, read in a thread; `end` ends them as at the stream's end, from any thread."""

    def __init__(self, stream: BinaryIO, decoder: MessageDecoder):
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[bytes | Fault | None] = asyncio.Queue()
        self._received = self._handled = 0  # bytes; each counter has one thread as its writer
        threading.Thread(target=self._run, args=(stream, decoder), name="suture-reader", daemon=True).start()

    async def __aiter__(self) -> AsyncIterator[bytes | Fault]:
        while (body := await self._queue.get()) is not None:
            self._handled += len(body) if isinstance(body, bytes) else 0
            yield body

    def end(self) -> None:
        """End the messages."""
        self._put(None)

    def _run(self, stream: BinaryIO, decoder: MessageDecoder) -> None:
        try:
            for body in read_bodies(lambda: read_piece(stream), decoder):
                self._received += len(body) if isinstance(body, bytes) else 0
                self._put(body)
                while self._received - self._handled > MAX_UNHANDLED_BYTES:
                    time.sleep(0.01)
        except FramingError as problem:
            logger.warning("the connection is closed: %s", problem)
        self._put(None)

    def _put(self, body: bytes | Fault | None) -> None:
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._queue.put_nowait, body)


async def converse(server: QuietLanguageServer, stdin: BinaryIO, stdout: BinaryIO) -> None:
    """Serve one client over two streams, in this process."""
    incoming = Incoming(stdin, MessageDecoder(lenient=True))
    writer = ThreadWriter(stdout, incoming.end)
    server.end_of_input = incoming.end
    conversation = Conversation(server, writer)
    try:
        async for body in incoming:
            if isinstance(body, Fault):
                logger.warning("%s", body.what)
            else:
                await conversation.take(parse(body))
            if conversation.stopped:
                break
    finally:
        await conversation.end()
        writer.close()
