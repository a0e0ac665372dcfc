"""The language server, put together: LSP types stop in `handlers/`; everything behind speaks offsets and strings."""

from __future__ import annotations

from .handlers import TOPICS
from .runtime.backend import Backend
from .session.session import SutureServer


def create_server(backend: Backend | None = None, remote: bool = False) -> SutureServer:
    """Make a server with its handlers, for one conversation; `remote`: with a client that came over a network."""
    server = SutureServer(backend, remote)
    for topic in TOPICS:
        topic.add_to(server)
    return server
