"""The answering process: a server for one client after another, under the relay's orders (`relay.py`).

Beside messages of the protocol it gets objects with the key "suture" and without "jsonrpc", which no client can send:
  begin   a client has come; `remote`: over a network; `hurry`: it has waited for an earlier process, and waits for no model
  ping    answered with `pong` by the message loop, so silence means the loop does not run
  end     the client has gone
It reports `ended` after a session, and `loading` at the start and the end of a model's load.
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
"""The thread switch interval: the model's thread, while it runs Python, yields to the message loop after so long. Python's own 5 ms add up
over a message's several steps."""
ALONE_S = 600
"""The system ends this process after so long without a ping from the relay, even while it holds the interpreter's lock: longer than the
relay's longest patience."""


def main() -> int:
    """Answer until the relay goes away; give the exit code."""
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
    """Read messages from `stdin` and answer them on `stdout`."""
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
    """Writes for one client: nothing begun for it reaches the next."""

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
    """Set the alarm anew, since the relay lives; the alarm ends this process without the interpreter's lock."""
    if hasattr(signal, "alarm"):
        signal.alarm(ALONE_S)
    else:  # on Windows: a thread of the interpreter's own, in C
        faulthandler.dump_traceback_later(ALONE_S, exit=True)


def _end_by_signals(incoming: Incoming) -> None:
    """End in order, so that the counts are written; Ctrl+C is the relay's business."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in ("SIGTERM", "SIGHUP"):
        with suppress(AttributeError, NotImplementedError):  # as on Windows
            asyncio.get_running_loop().add_signal_handler(getattr(signal, name), incoming.end)
