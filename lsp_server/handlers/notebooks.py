"""Notebooks synchronized by a client: their cells are documents, in an order."""

from __future__ import annotations

from lsprotocol import types

from ..protocol.client import Client
from ..session.session import Session
from . import documents
from .dispatch import Dispatcher

ORDER = "suture/notebook"
"""Tells a replacement process the order of the cells, opened as documents: {uri, cells}."""
SYNC = types.NotebookDocumentSyncOptions(notebook_selector=[types.NotebookDocumentFilterWithNotebook(notebook="*")])


def add_to(dispatcher: Dispatcher) -> None:
    """Register the handlers."""
    dispatcher.on_session(types.NOTEBOOK_DOCUMENT_DID_OPEN, on_open)
    dispatcher.on_session(types.NOTEBOOK_DOCUMENT_DID_CHANGE, on_change)
    dispatcher.on_session(types.NOTEBOOK_DOCUMENT_DID_CLOSE, on_close)
    dispatcher.on_session(ORDER, on_order)


def on_open(session: Session, client: Client, params: types.DidOpenNotebookDocumentParams) -> None:
    """Take a notebook and its cells."""
    notebook = params.notebook_document
    session.notebooks.open(notebook.uri, [cell.document for cell in notebook.cells])
    for item in params.cell_text_documents:
        documents.on_open(session, client, types.DidOpenTextDocumentParams(item))


def on_change(session: Session, client: Client, params: types.DidChangeNotebookDocumentParams) -> None:
    """Follow edits, insertions and deletions of cells."""
    cells = params.change.cells
    if cells is None:
        return
    if cells.structure is not None:
        array = cells.structure.array
        added = [cell.document for cell in array.cells or ()]
        session.notebooks.splice(params.notebook_document.uri, array.start, array.delete_count, added)
        for closed in cells.structure.did_close or ():
            documents.on_close(session, client, types.DidCloseTextDocumentParams(closed))
        for item in cells.structure.did_open or ():
            documents.on_open(session, client, types.DidOpenTextDocumentParams(item))
        for uri in session.notebooks.cells(params.notebook_document.uri):
            session.scheduler.closed(uri)  # suggestions there may read names now gone
    for edit in cells.text_content or ():
        documents.on_change(session, client, types.DidChangeTextDocumentParams(edit.document, edit.changes))


def on_close(session: Session, client: Client, params: types.DidCloseNotebookDocumentParams) -> None:
    """Forget a notebook and its cells."""
    for cell in params.cell_text_documents:
        documents.on_close(session, client, types.DidCloseTextDocumentParams(cell))
    session.notebooks.close(params.notebook_document.uri)


def on_order(session: Session, client: Client, params: object) -> None:
    """Take the order of cells from the relay."""
    uri, cells = getattr(params, "uri", None), getattr(params, "cells", None)
    if isinstance(uri, str) and isinstance(cells, list):
        session.notebooks.open(uri, [str(cell) for cell in cells])  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
