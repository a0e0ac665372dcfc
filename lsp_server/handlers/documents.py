"""Open documents: what the client opens, edits and closes."""

from __future__ import annotations

import logging

from lsprotocol import types

from ..client import SutureServer, language_of
from ..documents import Change
from .positions import to_position

logger = logging.getLogger("suture.documents")


def add_to(server: SutureServer) -> None:
    """Register the handlers."""
    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(on_open)
    server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(on_change)
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(on_close)


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
    changes = [change_of(change) for change in params.content_changes]
    if ls.documents.change(identifier.uri, identifier.version, changes) is None:
        logger.warning("a change came for a document that is not open")


def on_close(ls: SutureServer, params: types.DidCloseTextDocumentParams) -> None:
    """Forget a document."""
    uri, engine = params.text_document.uri, ls.engine
    ls.worker.cancel(("suggest", uri))
    ls.documents.close(uri)
    ls.worker.submit(("forget", uri), lambda cancelled: engine.forget(uri))


def change_of(change: types.TextDocumentContentChangeEvent) -> Change:
    """Read one change."""
    if isinstance(change, types.TextDocumentContentChangePartial):
        return Change(change.text, (to_position(change.range.start), to_position(change.range.end)))
    return Change(change.text)
