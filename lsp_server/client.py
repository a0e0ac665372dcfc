"""The state of one session with one client."""

from __future__ import annotations

from importlib.metadata import version
from urllib.parse import unquote, urlsplit

from lsprotocol import types
from pygls.protocol import default_converter

from .documents import Document, Documents
from .engine import Engine
from .feedback import Feedback
from .problems import Unavailable
from .protocol import Protocol, QuietLanguageServer
from .settings import Settings
from .worker import Worker


class SutureServer(QuietLanguageServer):
    """The server as one client sees it."""

    def __init__(self) -> None:
        super().__init__(
            "suture", version("suture"), protocol_cls=Protocol, converter_factory=default_converter, max_workers=1
        )
        self.documents = Documents()
        self.settings = Settings()
        self.engine = Engine(self.settings)
        self.worker = Worker()
        self.feedback = Feedback()  # whoever keeps count adds itself to its `listeners`
        self.startup_messages: list[str] = []
        self.reported_unavailable = False

    def report_unavailable(self, problem: Unavailable) -> None:
        """Say once why there will be no suggestions, and what to do."""
        if not self.reported_unavailable:
            self.reported_unavailable = True
            self.window_show_message(types.ShowMessageParams(types.MessageType.Error, f"Suture: {problem}"))


def language_of(document: Document) -> str | None:
    """Name the language of a document by its identifier, else by its file's name; None when there is no grammar."""
    from ..parser import language_for_path, languages

    if document.language_id in languages():
        return document.language_id
    return language_for_path(unquote(urlsplit(document.uri).path))
