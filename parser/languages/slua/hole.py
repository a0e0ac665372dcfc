"""A hole in a script: the states that decoding goes through, in the protocol of all languages.

What may be written is decided by the left context alone, exactly; whether
the right context follows is decided by reading it. A text that `advance` takes is the beginning of a script; before a right context
that needs more, it may be one that nothing connects. `bridges` then finds none, and decoding goes back to an earlier place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ...lexing.utf8 import utf8_range
from ...scoped.stack import Stack
from .connecting import connections
from .endings import shortest_ending
from .right import RightContext
from .state import PrefixState


def never() -> bool:
    """Never give up."""
    return False


class HoleState:
    """The hole after some text, as a value: advancing gives a new one."""

    __slots__ = ("_hole", "_prefix", "stays_in_hole")

    def __init__(self, prefix: PrefixState, hole: Hole, stays: bool = True) -> None:
        self._prefix = prefix
        self._hole = hole
        self.stays_in_hole = stays
        """has the text closed nothing that the right context closes or goes on in?"""

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, HoleState)
            and self._prefix == other._prefix
            and self._hole is other._hole
            and self.stays_in_hole == other.stays_in_hole
        )

    def __hash__(self) -> int:
        return hash(self._prefix)

    def advance(self, text: str) -> HoleState | None:
        """After more text; None when no script starts like this."""
        prefix, stays = self._prefix, self.stays_in_hole
        for char in text:
            after = prefix.read(char)
            if after is None:
                return None
            if after.stack is not prefix.stack:
                stays = stays and self._hole.goes_on_in(after.stack)
            prefix = after
        return HoleState(prefix, self._hole, stays)

    def admits(self, partial: bytes) -> bool:
        """Can a character come next whose UTF-8 encoding starts with these bytes? Only in strings and comments."""
        return self._prefix.in_text and utf8_range(partial) is not None

    @property
    def complete(self) -> bool:
        """Is left + text so far + right a script?"""
        return self._hole.right.accepts(self._prefix)

    @property
    def missing(self) -> float:
        """Nobody knows: texts that complete a hole are found, but no distance to one."""
        return 0.0

    @property
    def stays_in_hole(self) -> bool:
        """Nobody knows; every text counts as inside."""
        return True

    def bridges(self, stop: Callable[[], bool] = never) -> Sequence[str]:
        """Short texts that make it complete, best first; () when none was found. Without a right context there is always one."""
        if not self._hole.right.text.strip():
            return (shortest_ending(self._prefix),)
        return connections(self._prefix, self._hole.right, stop)

    def new_masks(self, spellings: Sequence[bytes | None], size: int, folder: Path) -> None:
        """No masks: which tokens may come depends on names and types."""
        return None


class Hole:
    """What all states of one hole share."""

    def __init__(self, prefix: PrefixState, right: RightContext, reader: Stack | None) -> None:
        """reader: the stack whose top frame reads the first symbol of the right context, once a text connects the two."""
        self.right = right
        self._reader = reader
        self._size = 0 if reader is None else reader.size
        self.state = HoleState(prefix, self)

    def goes_on_in(self, stack: Stack | None) -> bool:
        """Is the frame still open that reads the right context?

        It need not be the same, since it changes with what is in it, but it stands on the same frames, and has not read a symbol that
        the right context brings: no bracket of its own, no later part.
        """
        reader = self._reader
        if reader is None:
            return True
        while stack is not None and stack.size > self._size:
            stack = stack.below
        if stack is None or stack.size < self._size or stack.below is not reader.below:
            return False
        frame, closes = stack.frame, reader.frame
        if type(frame) is not type(closes) or getattr(frame, "at", 0) > getattr(closes, "at", 0):
            return False
        return getattr(frame, "bracket", False) or not getattr(closes, "bracket", False)


def hole_between(prefix: PrefixState, right: str, stop: Callable[[], bool] = never) -> HoleState | None:
    """The hole between a left context and a right one; None when nothing was found that connects them."""
    context = RightContext(right)
    if not right.strip():
        return Hole(prefix, context, None).state
    found = connections(prefix, context, stop)
    if not found:
        return None
    after = prefix.advance(found[0])
    assert after is not None
    return Hole(prefix, context, _within(context.reader(after), prefix.stack)).state


def _within(reader: Stack | None, start: Stack | None) -> Stack | None:
    """The highest stack below what reads the right context that was there already at the hole's beginning."""
    known: set[Stack | None] = {None}
    at = start
    while at is not None:
        known.add(at)
        at = at.below
    most = 0 if start is None else start.size
    while reader is not None and (reader.size > most or reader.below not in known):
        reader = reader.below
    return reader
