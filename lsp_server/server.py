"""The language server, assembled: LSP types stop in `handlers/` and `protocol/`; everything behind speaks offsets and strings."""

from __future__ import annotations

from importlib.metadata import version

from .handlers import TOPICS, notebooks
from .handlers.dispatch import Dispatcher
from .protocol.client import Client
from .protocol.pygls_fixes import QuietLanguageServer
from .runtime import supervisor
from .runtime.backend import Backend
from .session.session import Session


class SutureServer(QuietLanguageServer):
    """The server of one conversation, driven by pygls. Its session holds all state."""

    def __init__(self, backend: Backend | None = None, remote: bool = False) -> None:
        super().__init__("suture", version("suture"), notebooks.SYNC)
        self.session = Session(Client(self), backend or Backend(), remote)
        dispatcher = Dispatcher(self, self.session)
        for topic in TOPICS:
            topic.add_to(dispatcher)

    async def keep(self) -> None:
        """Look after the model as long as the session lasts."""
        await supervisor.keep(self.session)

    def shutdown(self) -> None:
        """End the session; the backend stays for the next one."""
        super().shutdown()
        self.session.end()


def create_server(backend: Backend | None = None, remote: bool = False) -> SutureServer:
    """Make a server with its handlers, for one conversation; `remote`: with a client connected over a network."""
    return SutureServer(backend, remote)
