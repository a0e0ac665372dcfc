"""The language server, put together: LSP types stop in `handlers/`; everything behind speaks offsets and strings."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from typing import BinaryIO

from .handlers import TOPICS
from .protocol.pygls_fixes import log_to
from .protocol.transports import serve_streams, serve_tcp, serve_websocket
from .runtime.backend import Backend
from .session.session import SutureServer

SWITCH_S = 0.001
"""After so long the model's thread, when it runs Python, lets the reader of messages have its turn; Python's own 5 ms add up over a
message's several steps."""


def create_server(backend: Backend | None = None) -> SutureServer:
    """Make a server with its handlers, for one conversation."""
    server = SutureServer(backend)
    for topic in TOPICS:
        topic.add_to(server)
    return server


def serve() -> int:
    """Speak LSP over standard input and output until the client ends it; give the exit code."""
    stdin, stdout = take_standard_streams()
    log_to(sys.stderr)
    sys.setswitchinterval(SWITCH_S)
    server = create_server()
    server.watches_parent = True
    asyncio.run(serve_streams(server, stdin, stdout))
    server.backend.stop()
    return 0 if server.protocol.shutdown_requested else 1


def listen(
    kind: str,
    host: str,
    port: int,
    once: bool = False,
    origins: Sequence[str] = (),
    ready: Callable[[int], None] | None = None,
) -> int:
    """Speak LSP with clients that connect by "tcp" or "websocket", one at a time; give the exit code.

    `ready` gets the port when clients may connect; without it the address is printed. Port 0 is any free one.
    """
    log_to(sys.stderr)
    sys.setswitchinterval(SWITCH_S)
    backend = Backend()

    def tell(at: int) -> None:
        scheme = "ws" if kind == "websocket" else "tcp"
        print(f"suture serves on {scheme}://{f'[{host}]' if ':' in host else host}:{at}", flush=True)

    def make() -> SutureServer:
        return create_server(backend)

    serving = (
        serve_websocket(host, port, make, once, ready or tell, origins)
        if kind == "websocket"
        else serve_tcp(host, port, make, once, ready or tell)
    )
    asyncio.run(serving)
    backend.stop()
    return 0


def take_standard_streams() -> tuple[BinaryIO, BinaryIO]:
    """Keep standard input and output for the protocol: what libraries print goes to standard error from now on."""
    sys.stdout.flush()
    stdin, stdout = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return stdin, stdout
