"""The language server: LSP types stop here; everything behind speaks offsets and strings."""

import asyncio
import logging
import os
import sys
import time
from dataclasses import dataclass
from importlib.metadata import version
from typing import BinaryIO, cast
from urllib.parse import unquote, urlsplit

from lsprotocol import types
from pygls.protocol import default_converter

from .documents import Change, Document, Documents, Encoding, Position
from .engine import Engine, Place
from .problems import Unavailable
from .protocol import Protocol, QuietLanguageServer, log_to
from .settings import Settings, settings_from
from .suggest import Suggestion
from .worker import Worker

logger = logging.getLogger("suture.server")

NOTHING = types.InlineCompletionList(items=[])  # null would leave old ghost text on Neovim's screen


class SutureServer(QuietLanguageServer):
    """The state of one session with one client."""

    def __init__(self) -> None:
        super().__init__(
            "suture", version("suture"), protocol_cls=Protocol, converter_factory=default_converter, max_workers=1
        )
        self.documents = Documents()
        self.settings = Settings()
        self.engine = Engine(self.settings)
        self.worker = Worker()
        self.startup_messages: list[str] = []
        self.reported_unavailable = False

    def report_unavailable(self, problem: Unavailable) -> None:
        """Say once why there will be no suggestions, and what to do."""
        if not self.reported_unavailable:
            self.reported_unavailable = True
            self.window_show_message(types.ShowMessageParams(types.MessageType.Error, f"Suture: {problem}"))


def create_server() -> SutureServer:
    """Make a server with its handlers; it speaks when it is started."""
    server = SutureServer()
    server.feature(types.INITIALIZE)(on_initialize)
    server.feature(types.INITIALIZED)(on_initialized)
    server.feature(types.SHUTDOWN)(on_shutdown)
    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(on_open)
    server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(on_change)
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(on_close)
    # Without options pygls does not advertise the capability.
    server.feature(types.TEXT_DOCUMENT_INLINE_COMPLETION, types.InlineCompletionOptions())(on_inline_completion)
    return server


# Handlers that are not `async` run where the messages are read, in the order in which they come; they never wait.


def on_initialize(ls: SutureServer, params: types.InitializeParams) -> None:
    """Take the client's choices."""
    encoding = ls.workspace.position_encoding
    ls.documents = Documents(cast(Encoding, getattr(encoding, "value", encoding)))
    ls.settings, ls.startup_messages = settings_from(params.initialization_options)
    ls.engine = Engine(ls.settings)


async def on_initialized(ls: SutureServer, params: types.InitializedParams) -> None:
    """Load the model in the background, so that the first suggestion is quick."""
    for message in ls.startup_messages:
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Warning, f"Suture: {message}"))
    if not ls.settings.enable:
        return
    start = time.perf_counter()
    engine = ls.engine
    job = ls.worker.submit("load", lambda cancelled: engine.load())
    try:
        await asyncio.wrap_future(job.future)
    except Unavailable as problem:
        ls.report_unavailable(problem)
    except Exception:
        logger.exception("the model could not be loaded")
    else:
        if not job.cancelled():
            text = f"model loaded in {time.perf_counter() - start:.1f} s"
            ls.window_log_message(types.LogMessageParams(types.MessageType.Info, text))


def on_shutdown(ls: SutureServer, params: None) -> None:
    """Stop generating; pygls ends the requests that still wait."""
    ls.worker.stop()


def on_open(ls: SutureServer, params: types.DidOpenTextDocumentParams) -> None:
    """Take a document, and get its language ready."""
    item = params.text_document
    document = ls.documents.open(item.uri, item.language_id, item.version, item.text)
    language = language_of(document)
    if language is not None and ls.settings.enable:
        engine = ls.engine
        ls.worker.submit(("prepare", language), lambda cancelled: engine.prepare(language))


def on_change(ls: SutureServer, params: types.DidChangeTextDocumentParams) -> None:
    """Follow an edit; a suggestion in the making was for the text before it."""
    identifier = params.text_document
    ls.worker.cancel(("suggest", identifier.uri))
    changes = [_change(change) for change in params.content_changes]
    if ls.documents.change(identifier.uri, identifier.version, changes) is None:
        logger.warning("a change came for a document that is not open")


def on_close(ls: SutureServer, params: types.DidCloseTextDocumentParams) -> None:
    """Forget a document."""
    uri, engine = params.text_document.uri, ls.engine
    ls.worker.cancel(("suggest", uri))
    ls.documents.close(uri)
    ls.worker.submit(("forget", uri), lambda cancelled: engine.forget(uri))


async def on_inline_completion(ls: SutureServer, params: types.InlineCompletionParams) -> types.InlineCompletionList:
    """Answer with one suggestion that fits, or with none; the newest request of a document wins."""
    document = ls.documents.get(params.text_document.uri)
    language = language_of(document) if document is not None and ls.settings.enable else None
    if document is None or language is None:
        return NOTHING
    engine, question = ls.engine, question_of(document, language, params)
    job = ls.worker.submit(("suggest", document.uri), lambda cancelled: engine.suggest(question.place, cancelled))
    try:
        suggestion = await asyncio.wrap_future(job.future)
    except asyncio.CancelledError:
        job.cancel()
        raise
    except Unavailable as problem:
        ls.report_unavailable(problem)
        return NOTHING
    except Exception:
        logger.exception("a suggestion failed")
        return NOTHING
    return NOTHING if suggestion is None else question.answer(suggestion)


@dataclass(frozen=True)
class Question:
    """A request for a suggestion, and what its answer needs to keep."""

    place: Place
    range: types.Range
    kept: str = ""  # what the editor's own completion list would insert; the answer starts with it

    def answer(self, suggestion: Suggestion) -> types.InlineCompletionList:
        """Put a suggestion into the protocol's form."""
        # Without a range, VS Code replaces the word at the cursor and the rest of its line.
        item = types.InlineCompletionItem(insert_text=self.kept + suggestion.text, range=self.range)
        return types.InlineCompletionList(items=[item])


def question_of(document: Document, language: str, params: types.InlineCompletionParams) -> Question:
    """Read a request: where the cursor is, in which text."""
    text, selected = document.text, params.context.selected_completion_info
    if selected is None:
        position = _from_position(document.clamp(_position(params.position)))
        place = Place(document.uri, language, text, document.offset_at(_position(params.position)))
        return Question(place, types.Range(position, position))
    start, end = sorted(document.offset_at(_position(edge)) for edge in (selected.range.start, selected.range.end))
    place = Place(document.uri, language, text[:start] + selected.text + text[end:], start + len(selected.text))
    return Question(place, selected.range, selected.text)


def language_of(document: Document) -> str | None:
    """Name the language of a document by its identifier, else by its file's name; None when there is no grammar."""
    from ..parser import language_for_path, languages

    if document.language_id in languages():
        return document.language_id
    return language_for_path(unquote(urlsplit(document.uri).path))


def _position(position: types.Position) -> Position:
    return position.line, position.character


def _from_position(position: Position) -> types.Position:
    return types.Position(*position)


def _change(change: types.TextDocumentContentChangeEvent) -> Change:
    if isinstance(change, types.TextDocumentContentChangePartial):
        return Change(change.text, (_position(change.range.start), _position(change.range.end)))
    return Change(change.text)


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
