"""A hole in a script: the states during decoding, in the protocol of all languages.

The left context alone decides exactly which texts may be written; whether the right context follows is decided by reading it. A text
accepted by `advance` is the beginning of a script; before a demanding right context it may be one that nothing connects. `bridges`
then finds none, and decoding goes back to an earlier place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice

from ....common.constraint import never
from ...hole import HoleState
from ...lexing.base import Region
from ...scoped.stack import STRING, Stack
from .connecting import connections
from .endings import shortest_ending, ways_out
from .expressions import Constructor
from .lexer import COMMENT
from .right import RightContext
from .scope import scope_of
from .script import Script
from .state import PrefixState
from .statements import Block, Local
from .whole import Judged

_STEPS = 12
"""The most symbols of the way to the right context followed ahead."""


class ScriptHoleState(Judged, HoleState):
    """The hole after some text, as a value: advancing returns a new one."""

    __slots__ = ("_hole", "_stays", "prefix")

    def __init__(self, prefix: PrefixState, hole: ScriptHole, stays: bool = True) -> None:
        self.prefix = prefix
        self._hole = hole
        self._stays = stays

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ScriptHoleState)
            and self.prefix == other.prefix
            and self._hole is other._hole
            and self._stays == other._stays
        )

    def __hash__(self) -> int:
        return hash(self.prefix)

    @property
    def stays_in_hole(self) -> bool:
        """Whether the text has closed nothing that the right context closes or goes on in."""
        return self._stays

    def advance(self, text: str) -> ScriptHoleState | None:
        """The state after more text; None when no script starts like this."""
        prefix, stays = self.prefix, self._stays
        for char in text:
            after = prefix.read(char)
            if after is None:
                return None
            if after.stack is not prefix.stack:
                stays = stays and self._hole.can_follow(after.stack)
            prefix = after
        return ScriptHoleState(prefix, self._hole, stays)

    @property
    def complete(self) -> bool:
        """Whether left + text so far + right is a script."""
        return self._hole.right.accepts(self.prefix)

    @property
    def right(self) -> RightContext:
        """The right context."""
        return self._hole.right

    @property
    def missing(self) -> float:
        """The characters of the short way out of open constructs, where it leads to the right context; else unknown, which is 0."""
        for text, after in islice(ways_out(self.prefix), _STEPS):
            if self._hole.right.accepts(after):
                return float(len(text))
        return 0.0

    @property
    def region(self) -> Region:
        """The kind of text that comes next."""
        kind = self.prefix.lex.kind
        return "comment" if kind == COMMENT else "string" if kind == STRING else "code"

    def names(self) -> tuple[str, ...]:
        """The possible first names of an expression here, the last defined first."""
        scope = scope_of(self.prefix.stack)
        return () if scope is None else tuple(scope.variables)[::-1]

    def bridges(self, stop: Callable[[], bool] = never) -> Sequence[str]:
        """Short texts that make the hole complete, best first; () when none was found. Without a right context there is always one."""
        if not self._hole.right.text.strip():
            return (shortest_ending(self.prefix),)
        return connections(self.prefix, self._hole.right, stop)


class ScriptHole:
    """The parts shared by all states of one hole."""

    def __init__(self, prefix: PrefixState, right: RightContext, reader: Stack | None) -> None:
        """reader: the stack whose top frame reads the first symbol of the right context, once some text connects the two."""
        self.right = right
        self._reader = reader
        self._size = 0 if reader is None else reader.size
        self._least = self._progress(self._level(prefix.stack)) or 0
        self.state = ScriptHoleState(prefix, self)

    def can_follow(self, stack: Stack | None) -> bool:
        """Whether the frame that reads the right context is still open, without a name or field the right context defines again.

        Names and fields are only added, so a right context readable at the hole's beginning stays unreadable once it is lost.
        """
        here = self._level(stack)
        if not self._goes_on_in(here):
            return False
        if here is None or stack is None:
            return True
        if stack.below is here and isinstance(stack.frame, Local) and stack.frame.index == 1:
            return stack.frame.values[0] not in self.right.defined
        progress = self._progress(here) if here is stack else None
        return progress is None or progress >= self._least

    def _level(self, stack: Stack | None) -> Stack | None:
        """The part of a stack up to the frame that reads the right context."""
        while stack is not None and stack.size > self._size:
            stack = stack.below
        return stack

    def _progress(self, stack: Stack | None) -> int | None:
        """The number of readable symbols of the right context, where parts of a list may begin; elsewhere None."""
        if stack is None or stack.size != self._size:
            return None
        frame = stack.frame
        lists = isinstance(frame, Block | Script) or (isinstance(frame, Constructor) and frame.phase == "key")
        return self.right.progress(stack) if lists else None

    def _goes_on_in(self, stack: Stack | None) -> bool:
        """Whether the frame that reads the right context is still open.

        It changes with its contents, but it stands on the same frames, and has read no symbol of the right context: no bracket of its
        own, no later part.
        """
        reader = self._reader
        if reader is None:
            return True
        if stack is None or stack.size < self._size or stack.below is not reader.below:
            return False
        frame, closes = stack.frame, reader.frame
        if type(frame) is not type(closes) or getattr(frame, "at", 0) > getattr(closes, "at", 0):
            return False
        return getattr(frame, "bracket", False) or not getattr(closes, "bracket", False)


def hole_between(
    prefix: PrefixState, context: RightContext, stop: Callable[[], bool] = never
) -> ScriptHoleState | None:
    """The hole between a left context and a right one; None when no connecting text was found."""
    if not context.text.strip():
        return ScriptHole(prefix, context, None).state
    bridges = connections(prefix, context, stop)
    if not bridges:
        return None
    after = prefix.advance(bridges[0])
    assert after is not None
    return ScriptHole(prefix, context, _within(context.reader(after), prefix.stack)).state


def _within(reader: Stack | None, start: Stack | None) -> Stack | None:
    """The highest stack below the reader of the right context that existed at the hole's beginning."""
    stacks: set[Stack | None] = {None}
    enclosing = start
    while enclosing is not None:
        stacks.add(enclosing)
        enclosing = enclosing.below
    most = 0 if start is None else start.size
    while reader is not None and (reader.size > most or reader.below not in stacks):
        reader = reader.below
    return reader
