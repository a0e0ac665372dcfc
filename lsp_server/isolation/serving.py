"""The program of `suture serve`: a relay for each client, in a process without large imports."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence

from ...common.terminal import say
from ..protocol.framing import Fault, FramingError, MessageDecoder, frame, read_bodies
from ..protocol.stdio import read_piece, take_standard_streams
from ..protocol.writing import ThreadWriter
from . import process
from .limits import limits_of
from .process import FromServer, ServerEnded, ServerProcess
from .relay import ClientGone, Ended, FromClient, Relay

MAX_BACKLOG_BYTES = 64_000_000  # of a client's unhandled messages, then no more are read


class Log:
    """Lines for standard error, written in a thread: an editor may leave them unread without blocking us."""

    def __init__(self) -> None:
        self._writer = ThreadWriter(sys.stderr.buffer)

    def __call__(self, text: str) -> None:
        """Write a line, without any text of the user's."""
        self._writer.write(f"WARNING suture.relay: {text}\n".encode("utf-8", "backslashreplace"))

    def close(self) -> None:
        """Write the rest."""
        self._writer.close()


def serve(early: ServerProcess | None = None) -> int:
    """Speak LSP over standard input and output until the client ends it; give the exit code. early: an answering process."""
    early = early or ServerProcess(process.worker_command())
    stdin, stdout = take_standard_streams()
    log = Log()
    writer = ThreadWriter(stdout, lambda: relay.post(ClientGone(reads=False)))
    relay = Relay(start, lambda body: writer.write(frame(body)), log, limits_of(os.environ), process=early)
    end_by_signals(lambda number: relay.post(Ended(number)))
    messages = read_bodies(lambda: read_piece(stdin), MessageDecoder(lenient=True))
    read_in_thread(relay, messages, log)
    code = relay.run()
    writer.close()
    log.close()
    if relay.process is not None:
        relay.process.close()
    if relay.signal is not None:
        die_of(relay.signal)
    return code


def start(deliver: Callable[[FromServer | ServerEnded], None]) -> ServerProcess:
    """Start an answering process."""
    return ServerProcess(process.worker_command(), deliver)


def read_in_thread(relay: Relay, messages: Iterable[bytes | Fault], log: Callable[[str], None]) -> threading.Thread:
    """Hand a client's messages to a relay, in a thread; their end is reported as the client's."""

    def run() -> None:
        why = ""
        try:
            for body in messages:
                if isinstance(body, Fault):
                    log(body.what)
                    continue
                relay.post(FromClient(body))
                while relay.backlog > MAX_BACKLOG_BYTES:
                    time.sleep(0.01)
        except FramingError as problem:
            why = f"the connection is closed: {problem}"
        except OSError:
            pass  # the connection broke
        finally:
            relay.post(ClientGone(why))

    thread = threading.Thread(target=run, name="suture-reader", daemon=True)
    thread.start()
    return thread


def listen(
    kind: str,
    host: str,
    port: int,
    token: str | None,
    once: bool = False,
    origins: Sequence[str] = (),
    ready: Callable[[int], None] | None = None,
) -> int:
    """Speak LSP with clients over "tcp" or "websocket", one at a time; give the exit code.

    Args:
        token: the client's credential; None lets everybody in.
        ready: gets the port when clients may connect; without it the address is printed. Port 0 is any free one.
    """
    from ..protocol.listening import Door

    log = Log()
    with Door(kind, host, port, token, origins, log) as door:
        waiting: ServerProcess | None = ServerProcess(process.worker_command())
        relay: Relay | None = None

        def end(number: int) -> None:
            door.end(number)
            if relay is not None:
                relay.post(Ended(number))

        end_by_signals(end)
        if ready is not None:
            ready(door.port)
        else:
            say(address_of(kind, host, door.port, token), flush=True)
        while True:
            client = door.next_client()
            if client is None:
                break
            if waiting is not None and waiting.ended(0) is not None:
                waiting = None
            relay = Relay(start, client.send, log, limits_of(os.environ), remote=True, process=waiting)
            client.begin(lambda relay=relay: relay.post(ClientGone(reads=False)))
            if door.signal is not None:  # it came before the relay
                relay.post(Ended(door.signal))
            relay.post(FromClient(client.first))
            read_in_thread(relay, client.messages, log)
            relay.run()
            client.close()
            door.leave()
            waiting = relay.process
            if once:
                break
    if waiting is not None:
        waiting.kill()
    log.close()
    if door.signal is not None:
        die_of(door.signal)
    return 0


def address_of(kind: str, host: str, port: int, token: str | None) -> str:
    """The line with a server's address and the client's token."""
    scheme = "ws" if kind == "websocket" else "tcp"
    where = f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"
    return f"suture serves on {where}/?token={token}" if token is not None else f"suture serves on {where}/"


def end_by_signals(end: Callable[[int], None]) -> None:
    """Call `end` when a signal asks us to end, so that counts are written and the answering process ends."""
    names = ("SIGTERM", "SIGHUP", "SIGBREAK")
    for number in (getattr(signal, name) for name in names if hasattr(signal, name)):
        signal.signal(number, lambda received, frame: end(received))


def die_of(number: int) -> None:
    """End by the signal itself, so that our parent sees it in the exit status."""
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
