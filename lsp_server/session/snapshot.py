"""An open document at the time of a message: an immutable value."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..completion.engine.cursor_context import CursorContext
from ..settings.spec import Settings
from .documents import Lines


@dataclass(frozen=True)
class Snapshot:
    """A document to suggest in, with its settings."""

    start: CursorContext  # the cursor at the beginning of the text
    lines: Lines
    settings: Settings
    version: int | None = None  # the client's

    @property
    def uri(self) -> str:
        """The document's URI, as the client writes it."""
        return self.start.document

    @property
    def text(self) -> str:
        """The whole text."""
        return self.start.text

    def cursor(self, offset: int) -> CursorContext:
        """A cursor in it."""
        return replace(self.start, offset=offset)
