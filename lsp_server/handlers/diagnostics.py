"""Diagnostics of documents in languages without other checkers."""

from __future__ import annotations

import asyncio
import logging

from lsprotocol import types

from ..session.documents import Document
from ..session.session import Session
from ..session.snapshot import Snapshot
from .positions import from_position

logger = logging.getLogger("suture.diagnostics")

PAUSE_S = 0.3  # the debounce of diagnostics after a keystroke


def follow(session: Session, document: Document) -> None:
    """Diagnose an opened or edited document, once nobody types."""
    from ...parser import is_diagnosed

    capabilities = session.client.capabilities.text_document
    language = session.language_for(document)
    if capabilities and capabilities.publish_diagnostics and language is not None and is_diagnosed(language):
        session.spawn(_publish(session, document, session.snapshot_of(document, language)))


def closed(session: Session, uri: str) -> None:
    """Withdraw the diagnostics of a document."""
    session.backend.worker.cancel(("diagnose", uri))
    if uri in session.diagnosed:
        session.diagnosed.discard(uri)
        _tell(session, types.PublishDiagnosticsParams(uri, []))


async def _publish(session: Session, document: Document, snapshot: Snapshot) -> None:
    await asyncio.sleep(PAUSE_S)
    if not _is_current(session, document, snapshot):
        return
    engine = session.backend.engine
    job = session.backend.worker.submit(
        ("diagnose", snapshot.uri), lambda cancelled: engine.sessions.problems(snapshot.start)
    )
    try:
        problems = await asyncio.wrap_future(job.future)
    except Exception:
        logger.exception("a document could not be checked")
        return
    if problems is None or not _is_current(session, document, snapshot):
        return
    diagnostics = [
        types.Diagnostic(
            types.Range(
                *(from_position(snapshot.lines.position_at(offset)) for offset in (problem.start, problem.end))
            ),
            problem.message,
            severity=types.DiagnosticSeverity.Error,
            source="suture",
        )
        for problem in problems
    ]
    if diagnostics or snapshot.uri in session.diagnosed:
        session.diagnosed.add(snapshot.uri)
        _tell(session, types.PublishDiagnosticsParams(snapshot.uri, diagnostics, snapshot.version))


def _is_current(session: Session, document: Document, snapshot: Snapshot) -> bool:
    return session.documents.get(snapshot.uri) is document and document.version == snapshot.version


def _tell(session: Session, params: types.PublishDiagnosticsParams) -> None:
    session.client.notify(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)
