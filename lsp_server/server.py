"""The language server, put together: LSP types stop in `handlers/`; everything behind speaks offsets and strings."""

from __future__ import annotations

import os
import sys
from typing import BinaryIO

from .client import SutureServer
from .handlers import TOPICS
from .protocol import log_to


def create_server() -> SutureServer:
    """Make a server with its handlers; it speaks when it is started."""
    server = SutureServer()
    for topic in TOPICS:
        topic.add_to(server)
    return server


def serve() -> int:
    """Speak LSP over standard input and output until the client ends it; give the exit code."""
    stdin, stdout = take_standard_streams()
    log_to(sys.stderr)
    server = create_server()
    server.start_io(stdin, stdout)
    server.worker.stop()
    return 0 if server.protocol.shutdown_requested else 1


def take_standard_streams() -> tuple[BinaryIO, BinaryIO]:
    """Keep standard input and output for the protocol: what libraries print goes to standard error from now on."""
    sys.stdout.flush()
    stdin, stdout = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return stdin, stdout
