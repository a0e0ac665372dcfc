"""Open documents: what the client opens, edits and closes."""

from __future__ import annotations

import asyncio
import logging

from lsprotocol import types

from .. import answering, keeping
from ..client import SutureServer
from ..documents import Change, Document
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
    document = ls.documents.open(item.uri, item.language_id, item.version, item.text)
    language = ls.language_for(document)
    if language is not None:
        ls.spawn(prepare(ls, document, language))


async def prepare(ls: SutureServer, document: Document, language: str) -> None:
    """Get ready for the first suggestion in a document."""
    version = ls.version_for(document, language)
    await keeping.prepare(ls, language, version)
    if language == "python" and version is None and len(document.text) <= MAX_RAISED_CHARS:
        await find_version(ls, document)
    if ls.documents.get(document.uri) is document:
        ls.suggester.opened(ls.place(document, language))


async def find_version(ls: SutureServer, document: Document) -> None:
    """Find the lowest version of Python, from the default on, that understands a document of which nothing else says one."""
    from ...parser.python.versions import DEFAULT_VERSION, raise_for

    uri, text = document.uri, document.text
    work = lambda cancelled: raise_for(text, DEFAULT_VERSION)  # noqa: E731
    job = ls.worker.submit(("version", uri), work, keeping.LOADING_S, background=True)
    try:
        version = await asyncio.wrap_future(job.future)
    except Exception:
        logger.exception("the version of a document could not be found")
        return
    if version is not None and version != DEFAULT_VERSION and ls.documents.get(uri) is document:
        ls.python_versions[uri] = version


def on_change(ls: SutureServer, params: types.DidChangeTextDocumentParams) -> None:
    """Follow an edit."""
    identifier = params.text_document
    changes = [change_of(change) for change in params.content_changes]
    if ls.documents.change(identifier.uri, identifier.version, changes) is None:
        logger.warning("a change came for a document that is not open")
    answering.edited(ls, identifier.uri)


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
