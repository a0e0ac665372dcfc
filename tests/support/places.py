"""Cursors in texts, as values, for tests of suggestions there."""

from __future__ import annotations

from suture.lsp_server.completion.cursor import Cursor
from suture.lsp_server.completion.judging.hidden import Hidden
from suture.lsp_server.completion.proposing.editing import Editing
from suture.lsp_server.completion.proposing.shown import Suggestion
from suture.parser import language


def cursor_at(marked: str, mark: str = "|") -> Cursor:
    """The cursor at a mark."""
    return Cursor.at(marked.replace(mark, "", 1), marked.index(mark))


def place_at(marked: str, name: str = "python", mark: str = "|") -> Editing:
    """The hole to fill at a mark, with the right context unchanged."""
    cursor, session = cursor_at(marked, mark), language(name).session()
    return Editing(cursor, session, session.hole(cursor.text, cursor.offset), name, 0.0)


def shown(found: Suggestion | Hidden) -> str | None:
    """The shown text; None without one."""
    return found.text if isinstance(found, Suggestion) else None
