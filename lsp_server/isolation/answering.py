"""The process that answers: a server for one client after another, as the reader of messages (`relay.py`) tells.

Beside messages of the protocol it gets objects with the key "suture" and without "jsonrpc", which no client can send:
  begin   a client has come; `remote`: over a network; `hurry`: it has waited for an earlier process, and waits for no model
  ping    answered with `pong` by the loop that reads messages, so that silence means that it does not run
  end     the client has gone
and it says `ended` when a session is over, and `loading` when a model begins and ends to be loaded.
"""

from __future__ import annotations

import asyncio
import faulthandler
import gc
import logging
import signal
import sys
from contextlib import suppress
from typing import Any, BinaryIO

from ...common.lifeline import end_with_parent
from ..protocol.conversation import Conversation, Incoming
from ..protocol.framing import Fault, MessageDecoder, frame
from ..protocol.jsonrpc import Refusal, encode, parse
from ..protocol.pygls_fixes import log_to
from ..protocol.stdio import take_standard_streams
from ..protocol.writing import ThreadWriter
from ..runtime.backend import Backend
from ..server import create_server

logger = logging.getLogger("suture.answering")

SWITCH_S = 0.001
"""After so long the model's thread, when it runs Python, lets the reader of messages have its turn; Python's own 5 ms add up over a
message's several steps."""
ALONE_S = 600
"""Without a question from the reader of messages after which this process is ended by the system, also while it holds the interpreter's
lock: longer than anything that the reader of messages is patient with."""


def main() -> int:
    """Answer until the reader of messages goes away; give the exit code."""
    end_with_parent()
    _not_alone()
    gc.freeze()
    gc.enable()
    stdin, stdout = take_standard_streams()
    log_to(sys.stderr)
    sys.setswitchinterval(SWITCH_S)
    asyncio.run(answer(stdin, stdout))
    return 0


async def answer(stdin: BinaryIO, stdout: BinaryIO) -> None:
    """Answer the messages of two streams."""
    backend = Backend()
    incoming = Incoming(stdin, MessageDecoder())
    writer = ThreadWriter(stdout, incoming.end)
    _end_by_signals(incoming)
    conversation: Conversation | None = None
    session = SessionWriter(writer)

    def tell(what: str, **more: Any) -> None:
        writer.write(frame(encode({"suture": what, **more})))

    async def end() -> None:
        nonlocal conversation
        if conversation is not None:
            ending, conversation = conversation, None
            await ending.end()
            session.close()
            tell("ended")

    async for body in incoming:
        message = parse(body) if not isinstance(body, Fault) else Refusal(0, body.what)
        control = None if isinstance(message, Refusal) or "jsonrpc" in message else message.get("suture")
        if control == "ping":
            _not_alone()
            tell("pong", number=message["number"])  # type: ignore[index]
        elif control == "begin":
            await end()
            if message["hurry"]:  # type: ignore[index]
                backend.engine.keeper.grace_s = backend.grace_s = 0.0
            server = create_server(backend, remote=bool(message["remote"]))  # type: ignore[index]
            server.end_of_input = incoming.end
            server.on_loading = lambda on: tell("loading", on=on)
            session = SessionWriter(writer)
            conversation = Conversation(server, session)
        elif control == "end":
            await end()
        elif conversation is not None:
            await conversation.take(message)
            if conversation.stopped:
                await end()
    await end()
    backend.stop()
    writer.close()


class SessionWriter:
    """Writes for one client: nothing that was begun for it reaches the next."""

    def __init__(self, writer: ThreadWriter):
        self._writer: ThreadWriter | None = writer

    def write(self, data: bytes) -> None:
        """Send a message."""
        if self._writer is not None:
            self._writer.write(data)

    def close(self) -> None:
        """Send nothing more."""
        self._writer = None


def _not_alone() -> None:
    """The reader of messages lives; the alarm that ends this process otherwise needs no lock of the interpreter."""
    if hasattr(signal, "alarm"):
        signal.alarm(ALONE_S)
    else:  # on Windows a thread of Python's own, which is no Python
        faulthandler.dump_traceback_later(ALONE_S, exit=True)


def _end_by_signals(incoming: Incoming) -> None:
    """End in order, so that the counts are written; Ctrl+C is a matter for the reader of messages."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in ("SIGTERM", "SIGHUP"):
        with suppress(AttributeError, NotImplementedError):  # as on Windows
            asyncio.get_running_loop().add_signal_handler(getattr(signal, name), incoming.end)
