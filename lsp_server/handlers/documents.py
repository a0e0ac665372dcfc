"""Open documents: what the client opens, edits and closes."""

from __future__ import annotations

import asyncio
import logging

from lsprotocol import types

from ..completion import service
from ..runtime import supervisor
from ..session.documents import Change, Document
from ..session.session import SutureServer
from ..session.uris import file_path
from .positions import to_position

logger = logging.getLogger("suture.documents")

MAX_RAISED_CHARS = 200_000  # of a text whose version of Python is found by trying


def add_to(server: SutureServer) -> None:
    """Register the handlers."""
    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(on_open)
    server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(on_change)
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(on_close)


def on_open(ls: SutureServer, params: types.DidOpenTextDocumentParams) -> None:
    """Take a document, and get its language ready."""
    item = params.text_document
    if ls.documents.get(item.uri) is not None:  # opened twice: what is in the making is for the text before
        ls.suggester.closed(item.uri)
    document = ls.documents.open(item.uri, item.language_id, item.version, item.text)
    language = ls.language_for(document)
    if language is not None:
        ls.spawn(prepare(ls, document, language))


async def prepare(ls: SutureServer, document: Document, language: str) -> None:
    """Get ready for the first suggestion in a document."""
    await supervisor.prepare(ls, language, ls.version_for(document, language))
    if language == "python" and len(document.text) <= MAX_RAISED_CHARS:
        await raise_version(ls, document)
    if ls.documents.get(document.uri) is document:
        ls.suggester.opened(ls.place(document, language))


async def raise_version(ls: SutureServer, document: Document) -> None:
    """Hold a document to a newer version of Python than its workspace where it uses what only that understands."""
    from ...parser.languages.python.versions import raise_for

    uri, text = document.uri, document.text
    base = ls.configuration.python_version(file_path(uri))
    job = ls.worker.submit(("version", uri), lambda cancelled: raise_for(text, base), supervisor.LOADING_S)
    try:
        version = await asyncio.wrap_future(job.future)
    except Exception:
        logger.exception("the version of a document could not be found")
        return
    if version not in (None, base) and ls.documents.get(uri) is document:
        ls.python_versions[uri] = version


def on_change(ls: SutureServer, params: types.DidChangeTextDocumentParams) -> None:
    """Follow an edit."""
    identifier = params.text_document
    changes = [change_of(change) for change in params.content_changes]
    if ls.documents.change(identifier.uri, identifier.version, changes) is None:
        logger.warning("a change came for a document that is not open")
        return
    service.edited(ls, identifier.uri)


def on_close(ls: SutureServer, params: types.DidCloseTextDocumentParams) -> None:
    """Forget a document."""
    uri, engine = params.text_document.uri, ls.engine
    ls.suggester.closed(uri)
    ls.worker.cancel(("version", uri))
    ls.python_versions.pop(uri, None)
    ls.documents.close(uri)
    ls.worker.submit(("forget", uri), lambda cancelled: engine.forget(uri))


def change_of(change: types.TextDocumentContentChangeEvent) -> Change:
    """Read one change."""
    if isinstance(change, types.TextDocumentContentChangePartial):
        return Change(change.text, (to_position(change.range.start), to_position(change.range.end)))
    return Change(change.text)
