"""The state of one session with one client, and how the client hears of it."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
import uuid
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import asdict
from importlib.metadata import version
from typing import Any, TypeVar

from lsprotocol import types
from pygls.protocol import default_converter

from ..completion.pipeline import CompletionEngine, CursorContext
from ..completion.scheduler import CompletionScheduler
from ..context.globs import any_matches
from ..context.secrets import leads_to_secret, looks_secret
from ..errors import UserError
from ..protocol.pygls_fixes import Protocol, QuietLanguageServer
from ..runtime import supervisor
from ..runtime.backend import Backend
from ..runtime.worker import Worker
from ..settings.effective import Configuration
from ..settings.spec import Settings
from ..telemetry.counting import Counting
from ..telemetry.feedback import Feedback
from ..telemetry.usage import Usage, default_path
from .documents import Document, Documents
from .status import Status, StatusInputs, parts_of, status_of
from .uris import file_path, is_cell, name_in

STATUS = "suture/status"
PARTIAL = "suture/partialSuggestion"
FLUSHING_S = 0.5  # what a slow disk may cost at the end; mostly all is written by then, in some milliseconds
MAX_TOLD = 100  # different messages that are shown in one session; who has not acted by then will not read more
QUIET_S = 0.4  # work that is done sooner needs no progress bar
_UNTOLD_LANGUAGES = ("", "plaintext", "text")  # identifiers that say nothing, so that the file's name may

Result = TypeVar("Result")
logger = logging.getLogger("suture.client")


class SutureServer(QuietLanguageServer):
    """The server as one client sees it."""

    def __init__(self, backend: Backend | None = None, remote: bool = False) -> None:
        super().__init__(
            "suture", version("suture"), protocol_cls=Protocol, converter_factory=default_converter, max_workers=1
        )
        self.backend = backend or Backend()
        self.remote = remote  # the client came over a network, and chooses no file of this machine
        self.documents = Documents()
        self.configuration = Configuration()
        self.suggester = CompletionScheduler(self.backend)
        self.counting = Counting(Usage(default_path()), self.suggester.rejected)
        self.feedback = Feedback()
        self.feedback.listeners.append(self.counting)
        self.facts = StatusInputs()
        self.wants_status = False  # the client asked for `suture/status`
        self.python_versions: dict[str, str] = {}  # of documents that use newer syntax than their workspace
        self.snoozed_until_s: float | None = None  # on the clock of time.monotonic
        self.asked_s = time.monotonic()  # when a suggestion was last asked for
        self.tidied_s = self.asked_s  # when garbage was last freed
        self.registered_languages: tuple[str, ...] = ()  # with the client, for inline completion
        # What is done when the settings may be other ones than those given; whoever handles them says it.
        self.follow_settings: Callable[[Settings], Coroutine[Any, Any, None]]
        self._tasks: set[asyncio.Future[Any]] = set()
        self.rereads = False  # the files that hold settings are about to be read again
        self._told: set[str] = set()
        self._status: Status | None = None

    @property
    def engine(self) -> CompletionEngine:
        """The engine, on the worker's thread."""
        return self.backend.engine

    @property
    def worker(self) -> Worker:
        """The model's thread."""
        return self.backend.worker

    @property
    def settings(self) -> Settings:
        """The settings of the server as a whole."""
        return self.configuration.whole().settings

    def settings_for(self, document: Document) -> Settings:
        """The settings for one document."""
        return self.configuration.settings(file_path(document.uri))

    def language_for(self, document: Document) -> str | None:
        """The language to suggest in; None where the user wants nothing, or has not asked for one without a grammar."""
        settings, path = self.settings_for(document), file_path(document.uri)
        language = language_of(document)
        if language is None and settings.languages.get(document.language_id):
            language = document.language_id
        secret = looks_secret(name_in(document.uri)) if path is None else leads_to_secret(path)
        if language is None or not settings.wants(language) or secret:
            return None
        if settings.disabled_globs and path is not None:
            folder = self.configuration.folder_of(path)
            if any_matches(settings.disabled_globs, path, str(folder.path) if folder else None):
                return None
        return language

    def version_for(self, document: Document, language: str) -> str | None:
        """The version of the language that a document is held to; None is the default."""
        if language != "python":
            from ...parser.languages.registry import BUILT_IN

            built_in = BUILT_IN.get(language)
            if built_in is None or built_in.version_for is None:
                return None
            found = built_in.version_for(file_path(document.uri))
            return None if found == built_in.default_version else found
        from ...parser.languages.python.versions import DEFAULT_VERSION

        path = file_path(document.uri)
        version = self.configuration.python_version(path)
        if self.settings_for(document).python_version is None:
            version = self.python_versions.get(document.uri, version)
        return None if version == DEFAULT_VERSION else version

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Start what a message asks for but does not wait for; it ends with the session."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(_log_failure)

    async def keep(self) -> None:
        """Look after the model as long as the session lasts."""
        await supervisor.keep(self)

    def shutdown(self) -> None:
        """End the session; the backend stays for the next one."""
        super().shutdown()
        for task in self._tasks:
            task.cancel()
        self.worker.cancel_all()
        self.backend.loader.cancel_all()
        engine, uris = self.engine, [document.uri for document in self.documents]
        self.worker.submit("forget", lambda cancelled: [engine.forget(uri) for uri in uris])
        flushing = threading.Thread(target=self.counting.usage.flush, name="suture-usage", daemon=True)
        flushing.start()
        flushing.join(FLUSHING_S)

    def place(self, document: Document, language: str, offset: int = 0) -> CursorContext:
        """A cursor in a document, and what the engine wants to know beside it."""
        return CursorContext(
            document=document.uri,
            language=language,
            text=document.text,
            offset=offset,
            version=self.version_for(document, language),
            path=file_path(document.uri),
            settings=self.settings_for(document),
        )

    def snoozed(self) -> bool:
        """Whether the user wants quiet for now."""
        return self.snoozed_until_s is not None and time.monotonic() < self.snoozed_until_s

    def log(self, text: str, kind: types.MessageType = types.MessageType.Info) -> None:
        """Write a line into the client's log."""
        self.window_log_message(types.LogMessageParams(kind, text))

    def tell(self, text: str, kind: types.MessageType = types.MessageType.Warning) -> None:
        """Show a message, once."""
        if text not in self._told and len(self._told) < MAX_TOLD:
            self._told.add(text)
            self.window_show_message(types.ShowMessageParams(kind, f"Suture: {text}"))

    def tell_settings(self) -> None:
        """Show what is wrong in the settings, each once."""
        messages = list(self.configuration.whole().messages)
        for folder in self.configuration.folders:
            messages += self.configuration.effective(str(folder.path / "x")).messages
        for message in messages:
            self.tell(message)

    def report_unavailable(self, problem: UserError) -> None:
        """Say once why there will be no suggestions, and what to do."""
        self.facts.problem, self.facts.what_to_do = parts_of(problem)
        self.tell(str(problem), types.MessageType.Error)
        self.publish_status()

    def status(self) -> Status:
        """How the server is now."""
        self.facts.enabled = self.settings.enable
        self.facts.model = self.engine.model_name
        if not self.snoozed():
            self.facts.snoozed_until = ""
        return status_of(self.facts)

    def publish_status(self) -> None:
        """Tell the client how the server is, if it asked to be told and that has changed."""
        while self.engine.notices:
            self.tell(self.engine.notices.pop(0))
        status = self.status()
        if self.wants_status and status != self._status:
            self.protocol.notify(STATUS, asdict(status))
        self._status = status

    @property
    def traces(self) -> bool:
        """Whether the client wants to know what became of each request."""
        return self.protocol.trace != types.TraceValue.Off

    def tell_trace(self, message: str, verbose: str) -> None:
        """Say what became of a request; `verbose` to a client that wants everything."""
        more = verbose if self.protocol.trace == types.TraceValue.Verbose else None
        self.log_trace(types.LogTraceParams(message=message, verbose=more))

    async def with_progress(self, title: str, work: Awaitable[Result]) -> Result:
        """Wait for work; if it takes a while, the client shows that it is going on."""
        future = asyncio.ensure_future(work)
        window = self.client_capabilities.window
        if window is None or not window.work_done_progress:
            return await future
        await asyncio.wait({future}, timeout=QUIET_S)
        if future.done():
            return await future
        token = f"suture-{uuid.uuid4()}"
        created = asyncio.ensure_future(
            self.window_work_done_progress_create_async(types.WorkDoneProgressCreateParams(token))
        )
        await asyncio.wait({created, future}, timeout=5, return_when=asyncio.FIRST_COMPLETED)
        if not created.done() or created.cancelled() or created.exception() is not None:
            created.cancel()  # refused, not answered, or not needed any more
            return await future
        self._progress(token, types.WorkDoneProgressBegin(title=title, cancellable=False))
        try:
            return await future
        finally:
            self._progress(token, types.WorkDoneProgressEnd())

    def _progress(self, token: str, value: Any) -> None:
        self.protocol.notify(types.PROGRESS, types.ProgressParams(token=token, value=value))


def _log_failure(task: asyncio.Future[Any]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        logger.error("something in the background failed", exc_info=error)


def language_of(document: Document) -> str | None:
    """Name the language of a document by its identifier; where that says nothing, by its file's name.

    None when there is no grammar: JSON with comments is not JSON, and the cell of a notebook is not a file of its own.
    """
    from ...parser import language_for_path, languages

    if document.language_id in languages():
        return document.language_id
    if document.language_id not in _UNTOLD_LANGUAGES or is_cell(document.uri):
        return None
    return language_for_path(name_in(document.uri))
