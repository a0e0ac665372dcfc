"""A script written from its beginning: the states during decoding, in the protocol of all languages."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ....common.constraint import Constraint, never
from ....common.utf8 import utf8_range
from .check import refusal_after
from .endings import shortest_ending
from .state import PrefixState

INDENTATION = 24
"""The most blanks at the beginning of a line."""


class Judged(Constraint):
    """The answers of all states of a script about words and types: misfits are refused, so nothing else has to be known.

    They have no masks: the tokens allowed depend on names and types, so each is checked alone.
    """

    __slots__ = ()
    prefix: PrefixState

    def refusal(self, text: str) -> str | None:
        """The expectations where a text is refused, or "" as the end of the hole; None where it is not."""
        return refusal_after(self.prefix, text)

    def admits(self, partial: bytes) -> bool:
        """Whether a character whose UTF-8 encoding starts with these bytes can come next. Only in strings and comments."""
        return self.prefix.in_text and utf8_range(partial) is not None


class ScriptState(Judged):
    """The state after some text, as a value: advancing returns a new one. Every state has an ending, so generation never gets stuck.

    Blanks are limited to one between symbols, or one line end with an indentation: small models would go on with them for ever.
    """

    __slots__ = ("_blanks", "prefix")

    def __init__(self, prefix: PrefixState, blanks: int = 0) -> None:
        """blanks: how many may follow now."""
        self.prefix = prefix
        self._blanks = blanks

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ScriptState) and self.prefix == other.prefix and self._blanks == other._blanks

    def __hash__(self) -> int:
        return hash(self.prefix)

    def advance(self, text: str) -> ScriptState | None:
        """The state after more text; None when no script starts like this. Nothing follows a finished script."""
        prefix, blanks = self.prefix, self._blanks
        for char in text:
            after = None if prefix.finished else prefix.read(char)
            if after is None:
                return None
            if prefix.in_symbol(char):
                blanks = INDENTATION + 1
            elif blanks == 0 or (char != " " and blanks <= INDENTATION):
                return None
            elif blanks == INDENTATION + 1:  # the first: one space, or a line end with an indentation
                blanks = INDENTATION if char == "\n" else 0
            else:
                blanks -= 1
            prefix = after
        return ScriptState(prefix, blanks)

    @property
    def complete(self) -> bool:
        """Whether the text is a whole script."""
        return self.prefix.finished

    @property
    def missing(self) -> float:
        """Unknown: a script has its own short ending, and is not steered towards it."""
        return 0.0

    @property
    def stays_in_hole(self) -> bool:
        """Always: there is nothing around the text."""
        return True

    def bridges(self, stop: Callable[[], bool] = never) -> Sequence[str]:
        """A short text that finishes the script."""
        return (shortest_ending(self.prefix),)
