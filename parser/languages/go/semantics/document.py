"""A Go document under edit, for the static semantics."""

from __future__ import annotations

from collections.abc import Callable

from ....glr.text_diff import common_prefix
from ....scoping.checkpoints import Checkpoints, strides
from .declarations import Declaration, before
from .reading import Broken, Reading, Retold, begin


class Document:
    """The readings of the cursor's last declaration."""

    def __init__(self, version: str) -> None:
        self.version = version
        self.ask: Callable[[], None] | None = None  # called in long readings; may raise Cancelled
        self.retold = Retold()
        self._own = ""
        self._kept = Checkpoints(begin(version))

    def before(self, text: str, offset: int) -> tuple[list[Declaration], Reading | None, int]:
        """(the declarations before an offset, the facts of the one around it up to there, its beginning); None: it is no Go."""
        declarations, begin = before(text, offset, self.version)
        own = text[begin:offset]
        self._kept.cut(common_prefix(self._own, own))
        self._own = own
        line = own.rfind("\n") + 1
        try:
            reading = self._kept.read(line, strides(own, line, Reading.after, self.ask))
            return declarations, reading.after(own[line:]), begin
        except Broken:
            return declarations, None, begin
