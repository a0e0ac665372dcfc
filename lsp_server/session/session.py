"""The state of one session with one client, independent of LSP: messages to the client go through `protocol/client.py`."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from ..completion.asking.scheduler import CompletionScheduler
from ..completion.asking.service import CompletionService
from ..completion.engine.cursor_context import CursorContext
from ..context.globs import any_matches
from ..runtime.backend import Backend
from ..runtime.offer import Offer
from ..settings.effective import Configuration
from ..settings.spec import Settings
from ..telemetry.counting import Counting
from ..telemetry.feedback import Feedback
from ..telemetry.usage import Usage, default_path
from .documents import Document, Documents
from .notebooks import Notebooks
from .snapshot import Snapshot
from .status import StatusReporter

if TYPE_CHECKING:
    from ..protocol.client import Client

FLUSHING_S = 0.5  # for a slow disk at the end; usually all is written already, in some milliseconds
_UNTOLD_LANGUAGES = ("", "plaintext", "text")  # identifiers without meaning: here the file's name decides

logger = logging.getLogger("suture.session")


class Session:
    """The state of one client's stay: its documents, its settings, and the suggestions."""

    def __init__(self, client: Client, backend: Backend, remote: bool = False) -> None:
        self.client, self.backend = client, backend
        self.remote = remote  # the client came over a network, and must not choose files of this machine
        self.documents = Documents()
        self.notebooks = Notebooks()
        self.configuration = Configuration()
        self.status = StatusReporter(client, backend, lambda: self.settings.enable, self.guarantees)
        self.scheduler = CompletionScheduler(backend)
        self.counting = Counting(Usage(default_path()), self.scheduler.rejected)
        self.feedback = Feedback()
        self.feedback.listeners.append(self.counting)
        self.service = CompletionService(
            self.scheduler, self.documents, self.status, self.counting, self.feedback, client
        )
        self.offer = Offer(self)
        self.diagnosed: set[str] = set()  # documents with diagnostics at the client
        self.tidied_s = time.monotonic()  # when garbage was last freed
        self.registered_languages: tuple[str, ...] = ()  # with the client, for inline completion
        self._missed: set[str] = set()  # languages reported for their missing grammars
        self.rereads = False  # the settings files are about to be read again
        # Called with the earlier settings when they may have changed; set by their handler.
        self.follow_settings: Callable[[Settings], Coroutine[Any, Any, None]]
        self._tasks: set[asyncio.Future[Any]] = set()

    @property
    def settings(self) -> Settings:
        """The settings of the server as a whole."""
        return self.configuration.whole().settings

    def settings_for(self, document: Document) -> Settings:
        """The settings for one document."""
        return self.configuration.settings(document.path)

    def language_for(self, document: Document) -> str | None:
        """The language of suggestions; None where the user wants none, or has not enabled a language without a judge."""
        settings, path = self.settings_for(document), document.path
        language = language_of(document) or self._inexact(document, settings)
        if language is None or not settings.wants(language) or document.looks_secret:
            return None
        if document.is_cell and not _is_cell_of(language, document.text):
            return None
        if settings.disabled_globs and path is not None:
            folder = self.configuration.folder_of(path)
            if any_matches(settings.disabled_globs, path, str(folder.path) if folder else None):
                return None
        return language

    def _inexact(self, document: Document, settings: Settings) -> str | None:
        """The language of a document without an exact engine, if enabled: by a setting, or because it is checked and the model knows it."""
        from ...parser import checkable, guarantee

        told = "" if document.language_id in _UNTOLD_LANGUAGES else document.language_id
        name = None if document.is_cell and not told else checkable(told, document.name)
        chosen = settings.languages.get(told, settings.languages.get(name or told))
        if chosen is False or (name is None and not chosen):
            return None
        if (
            name is not None
            and (chosen or self.has_large_model)
            and guarantee(name) == "none"
            and name not in self._missed
        ):
            tell = self.client.log if self._missed else self.client.show  # one message suffices to show the way
            self._missed.add(name)
            tell(missing_grammar(name))
        return (name or told) if chosen or (name and self.has_large_model and guarantee(name) == "checked") else None

    @property
    def has_large_model(self) -> bool:
        """Whether the user has chosen a model other than the embedded one; such models know languages without an exact engine."""
        from ...model.loading.info import is_embedded

        return not is_embedded(self.settings.model)

    def guarantees(self) -> dict[str, str]:
        """The guarantees of suggestions in the enabled languages without an exact engine, by all their names."""
        from ...parser import checked_names, guarantee, languages

        names, chosen, promised = checked_names(), self.settings.languages, dict[str, str]()
        for name in dict.fromkeys((*names, *chosen)):
            promise = guarantee(names.get(name, name))
            wanted = chosen.get(name, chosen.get(names.get(name, name)))
            if wanted or (wanted is None and promise == "checked" and self.has_large_model):
                promised[name] = promise
        return {name: promise for name, promise in promised.items() if name not in languages()}

    def version_for(self, document: Document, language: str) -> str | None:
        """The language version of a document; None is the default."""
        from ...parser.language import versions

        version = self.configuration.version(document.path, language)
        if self.settings_for(document).version(language) is None:
            version = document.language_version or version
        declared = versions(language)
        return None if declared is None or version == declared.default else version

    def unknown_version(self, document: Document, language: str) -> str:
        """A warning where a document's project names an unknown version of its language; "" elsewhere."""
        from ...parser.language import versions

        declared = versions(language)
        if declared is None or not document.path or self.settings_for(document).version(language) is not None:
            return ""
        return declared.unknown(document.path, self.configuration.reach(document.path))

    def snapshot(self, uri: str) -> Snapshot | None:
        """An open document as it is now; None where no suggestions are wanted."""
        document = self.documents.get(uri)
        language = self.language_for(document) if document is not None else None
        if document is None or language is None:
            return None
        return self.snapshot_of(document, language)

    def snapshot_of(self, document: Document, language: str) -> Snapshot:
        """A document as it is now, read as a language."""
        settings = self.settings_for(document)
        start = CursorContext(
            document=document.uri,
            language=language,
            text=document.saved_text,
            offset=0,
            version=self.version_for(document, language),
            path=document.path,
            reach=self.configuration.reach(document.path),
            settings=settings,
            is_cell=document.is_cell,
            above=tuple(cell.saved_text for cell in self.notebooks.above(document, self.documents))
            if document.is_cell
            else (),
        )
        return Snapshot(start, document.lines, settings, document.version)

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Start a background task for a message; it ends with the session."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(_log_failure)

    def show_problems_of_settings(self) -> None:
        """Show the faults of the settings, each once."""
        messages = list(self.configuration.whole().messages)
        for folder in self.configuration.folders:
            messages += self.configuration.effective(str(folder.path / "x")).messages
        for message in messages:
            self.client.show(message)

    def end(self) -> None:
        """End the session; the backend stays for the next one."""
        self.offer.stop()
        for task in self._tasks:
            task.cancel()
        self.backend.worker.cancel_all()
        self.backend.loader.cancel_all()
        engine, uris = self.backend.engine, [document.uri for document in self.documents]
        self.backend.worker.submit("forget", lambda cancelled: [engine.sessions.forget(uri) for uri in uris])
        flushing = threading.Thread(target=self.counting.usage.flush, name="suture-usage", daemon=True)
        flushing.start()
        flushing.join(FLUSHING_S)


def _is_cell_of(language: str, text: str) -> bool:
    """Whether a notebook's cell is in the notebook's language instead of a magic's."""
    from ...parser.language import traits

    as_code = traits(language).cell
    return as_code is None or as_code(text, False) is not None


def _log_failure(task: asyncio.Future[Any]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        logger.error("something in the background failed", exc_info=error)


def missing_grammar(name: str) -> str:
    """The message for a checkable language without its grammar installed."""
    from ...model.loading.installed import command_for
    from ...parser import grammar_packages

    return f"suggestions in {name} need its grammar: install it with {command_for(*grammar_packages(name))}"


def language_of(document: Document) -> str | None:
    """The language of a document by its identifier; for a meaningless one, by its file's name.

    None without a grammar: JSON with comments is not JSON, and a notebook's cell is not a file of its own.
    """
    from ...parser import language_for_path, languages

    if document.language_id in languages():
        return document.language_id
    if document.language_id not in _UNTOLD_LANGUAGES or document.is_cell:
        return None
    return language_for_path(document.name)
