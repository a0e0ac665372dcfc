"""A Go document that is being edited, as the static semantics see it."""

from __future__ import annotations

from collections.abc import Callable

from ....glr.text_diff import common_prefix
from .declarations import Declaration, before
from .reading import Broken, Reading, Retold, begin

_STEP = 2_000
"""Characters of a declaration after which a reading is kept."""


class Document:
    """The readings of the declaration that the cursor was in last."""

    def __init__(self, version: str) -> None:
        self.version = version
        self.ask: Callable[[], None] | None = None  # called in long readings; may raise Cancelled
        self.retold = Retold()
        self._own = ""
        self._kept: list[tuple[int, Reading]] = [(0, begin(version))]

    def before(self, text: str, offset: int) -> tuple[list[Declaration], Reading | None, int]:
        """(the declarations before an offset, the facts of its own one there, where that begins); None: it is no Go."""
        declarations, begin = before(text, offset)
        own = text[begin:offset]
        keep = common_prefix(self._own, own)
        self._own = own
        while len(self._kept) > 1 and self._kept[-1][0] > keep:
            self._kept.pop()
        position, reading = self._kept[-1]
        line = own.rfind("\n") + 1
        try:
            for end in (*range(position + _STEP, line, _STEP), line):
                if end > position:
                    reading = reading.after(own[position:end])
                    position = end
                    self._kept.append((position, reading))
                    if self.ask is not None:
                        self.ask()
            return declarations, reading.after(own[position:]), begin
        except Broken:
            return declarations, None, begin
