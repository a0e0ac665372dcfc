"""Holes in broken files of a language given as a grammar file: leave out as little as makes the rest parse.

Right: the right context counts up to the character at which it can be seen to be broken; what follows there may be anything.
Left: reading starts again at a line after the error, in the plainest surroundings in which the text up to the cursor can stand:
those that the shortest text before it makes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .hole import Bridging, Context, Hole, State
from .left import Engine, Left
from .lexing import LexState
from .right import Right, Tail

_MAX_RIGHT = 8_192
"""Characters of the right context that are looked at; some 2 microseconds each."""
_MAX_LEFT = 8_192
"""Characters before the cursor from which reading may start again."""
_MAX_RESTARTS = 12

Decider = Callable[[Left], bool]


class TokenFallback:
    """For one engine."""

    def __init__(self, engine: Engine, bridging: Bridging, decider: Callable[[Right], Decider]) -> None:
        self._engine, self._bridging, self._decider = engine, bridging, decider
        self._last: Right | None = None

    def hole(self, text: str, offset: int, left: Left | int, right: Right, right_viable: bool) -> Hole:
        """See Parts.fallback."""
        step = "right"
        if not isinstance(left, Left):
            restarted = self._restart(text[:offset], left, right)
            if restarted is None:
                return Hole(None, "dead")
            left, step = restarted, "left"
            if self._decider(right)(left):
                return self._in(left, right, step)
            step = "both"
        cut = self._cut(left, text[offset : offset + _MAX_RIGHT])
        return Hole(None, "dead") if cut is None else self._in(left, cut, step)

    def _in(self, left: Left, right: Right, step: str) -> Hole:
        context = Context(self._engine, right, self._bridging, completable=self._decider(right))
        return Hole(State(left, context), step)

    def _open(self, text: str, entries: Iterable[LexState]) -> Right | None:
        """A text that goes on, lexed to where it is when entered in one of these states: not, say, in a string never closed."""
        ends = frozenset(end for entry in entries if (end := self._lexed(entry, text)) is not None)
        return Right(self._engine, Tail(text, goes_on=ends), len(text)) if ends else None

    def _lexed(self, state: LexState, text: str) -> LexState | None:
        after: LexState | None = state
        for char in text:
            after, _ = self._engine.lexer.step(after, char)
            if after is None:
                return None
        return after

    def _cut(self, left: Left, text: str) -> Right | None:
        """The longest beginning of a text before which left can be completed, whatever follows it."""
        last = self._last
        if last is not None and text.startswith(last.text) and last.length and self._decider(last)(left):
            return last
        entries = self._engine.lexer.start, left.lex
        low, best = 0, self._open("", entries)
        if best is None or not self._decider(best)(left):
            return None
        high, size = len(text) + 1, 64
        while low + 1 < high:
            at = min(low + size, high - 1)
            right = self._open(text[:at], entries)
            if right is not None and self._decider(right)(left):
                low, best, size = at, right, size * 2
            else:
                high, size = at, max(1, (at - low) // 2)
        self._last = best
        return best

    def _restart(self, text: str, dead: int, right: Right) -> Left | None:
        """The text up to its end, read from a line after `dead` or from the end, behind what it needs before it.

        That is as much as the right context needs, too, where it is not broken itself.
        """
        start = max(dead, len(text) - _MAX_LEFT)
        for _ in range(_MAX_RESTARTS):
            start = text.find("\n", start) + 1
            if not start:
                break
            left = self._behind_something(text[start:], right) or self._behind_something(text[start:], None)
            if left is not None:
                return left
        return self._behind_something("", right) or self._engine.start

    def _behind_something(self, text: str, right: Right | None) -> Left | None:
        """A text behind the shortest that it and the right context need."""
        start = self._engine.start
        rest = self._open(text, [start.lex])
        if rest is None:
            return None
        rest.tail.behind = right
        if self._decider(rest)(start):
            for before in self._bridging.words(start, rest):
                left = self._engine.read_text(start, before + text)
                if left is not None:
                    return left
        return None
