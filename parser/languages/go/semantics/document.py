"""A Go document that is being edited, as the static semantics see it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ....glr.text_diff import common_prefix
from .checker import Broken, Checker
from .declarations import Declaration, before
from .tokens import START, Lex, lex

_STEP = 2_000
"""Characters of a declaration after which a reading is kept."""


@dataclass(frozen=True, eq=False)
class Reading:
    """What is known after some text of a declaration. The checker is never changed, but copied."""

    checker: Checker
    lex: Lex


BEGIN = Reading(Checker(), START)


class Document:
    """The readings of the declaration that the cursor was in last."""

    def __init__(self) -> None:
        self.ask: Callable[[], None] | None = None  # called in long readings; may raise Cancelled
        self._own = ""
        self._kept: list[tuple[int, Reading]] = [(0, BEGIN)]

    def before(self, text: str, offset: int) -> tuple[list[Declaration], Reading | None, int]:
        """(the declarations before an offset, what is known of its own one there, where that begins); None: it is no Go."""
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
                    reading = advanced(reading, own[position:end])
                    position = end
                    self._kept.append((position, reading))
                    if self.ask is not None:
                        self.ask()
            return declarations, advanced(reading, own[position:]), begin
        except Broken:
            return declarations, None, begin


def advanced(reading: Reading, text: str) -> Reading:
    """What is known after more text. Raises Broken."""
    tokens, state = lex(reading.lex, text)
    checker = reading.checker
    if tokens:
        checker = checker.copy()
        for token in tokens:
            checker.feed(token)
    return Reading(checker, state)
