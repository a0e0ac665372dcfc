"""An open document as it was when a message came: a value, which later edits leave alone."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..completion.engine.cursor_context import CursorContext
from ..settings.spec import Settings
from .documents import Lines


@dataclass(frozen=True)
class Snapshot:
    """A document in which suggestions are wanted, with its settings."""

    start: CursorContext  # the cursor at the beginning of the text
    lines: Lines
    settings: Settings
    version: int | None = None  # that the client gave it

    @property
    def uri(self) -> str:
        """The document as the client names it."""
        return self.start.document

    @property
    def text(self) -> str:
        """The whole text."""
        return self.start.text

    def cursor(self, offset: int) -> CursorContext:
        """A cursor in it."""
        return replace(self.start, offset=offset)
