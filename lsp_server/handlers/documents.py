"""Open documents: the client opens, edits and closes them."""

from __future__ import annotations

import asyncio
import logging

from lsprotocol import types

from ..protocol.client import Client
from ..runtime import supervisor
from ..session.documents import Change, Document
from ..session.session import Session
from . import diagnostics
from .dispatch import Dispatcher
from .positions import to_position

logger = logging.getLogger("suture.documents")

MAX_RAISED_CHARS = 200_000  # of a text whose language version is found by trying


def add_to(dispatcher: Dispatcher) -> None:
    """Register the handlers."""
    dispatcher.on_session(types.TEXT_DOCUMENT_DID_OPEN, on_open)
    dispatcher.on_session(types.TEXT_DOCUMENT_DID_CHANGE, on_change)
    dispatcher.on_session(types.TEXT_DOCUMENT_DID_CLOSE, on_close)


def on_open(session: Session, client: Client, params: types.DidOpenTextDocumentParams) -> None:
    """Take a document, and prepare its language."""
    item = params.text_document
    if session.documents.get(item.uri) is not None:  # opened twice: suggestions in the making are for the old text
        session.scheduler.closed(item.uri)
    document = session.documents.open(item.uri, item.language_id, item.version, item.text)
    document.is_cell = document.is_cell or session.notebooks.has(item.uri)  # whatever its URI says
    language = session.language_for(document)
    if language is not None:
        session.spawn(prepare(session, document, language))
    diagnostics.follow(session, document)


async def prepare(session: Session, document: Document, language: str) -> None:
    """Prepare for the first suggestion in a document."""
    session.status.inputs.unknown = session.unknown_version(document, language)
    await supervisor.prepare(session, language, session.version_for(document, language))
    if len(document.text) <= MAX_RAISED_CHARS:
        await raise_version(session, document, language)
    if session.documents.get(document.uri) is document:
        session.scheduler.opened(session.snapshot_of(document, language).start)


async def raise_version(session: Session, document: Document, language: str) -> None:
    """Hold a document to a newer version of its language than its workspace's where its syntax needs that version."""
    from ...parser.language import raised_version, versions

    text, declared = document.text, versions(language)
    base = session.configuration.version(document.path, language)
    if declared is None or base is None or not declared.raised_by_texts:
        return
    job = session.backend.worker.submit(
        ("version", document.uri), lambda cancelled: raised_version(language, text, base), supervisor.LOADING_S
    )
    try:
        version = await asyncio.wrap_future(job.future)
    except Exception:
        logger.exception("the version of a document could not be found")
        return
    if version not in (None, base):
        document.language_version = version


def on_change(session: Session, client: Client, params: types.DidChangeTextDocumentParams) -> None:
    """Follow an edit."""
    identifier = params.text_document
    changes = [change_of(change) for change in params.content_changes]
    document = session.documents.change(identifier.uri, identifier.version, changes)
    if document is None:
        logger.warning("a change came for a document that is not open")
        return
    session.scheduler.edited(identifier.uri, lambda: document.text)
    if document.is_cell:
        for cell in session.notebooks.below(document, session.documents):
            session.scheduler.closed(cell.uri)  # suggestions there may read names now gone
    diagnostics.follow(session, document)


def on_close(session: Session, client: Client, params: types.DidCloseTextDocumentParams) -> None:
    """Forget a document."""
    uri, engine = params.text_document.uri, session.backend.engine
    session.scheduler.closed(uri)
    session.backend.worker.cancel(("version", uri))
    session.documents.close(uri)
    diagnostics.closed(session, uri)
    session.backend.worker.submit(("forget", uri), lambda cancelled: engine.sessions.forget(uri))


def change_of(change: types.TextDocumentContentChangeEvent) -> Change:
    """Read one change."""
    if isinstance(change, types.TextDocumentContentChangePartial):
        return Change(change.text, (to_position(change.range.start), to_position(change.range.end)))
    return Change(change.text)
