"""Holes in broken files of a language given as a grammar file: leave out as little as makes the rest parse.

Right: the right context counts up to the character at which it can be seen to be broken; what follows there may be anything.
Left: the lines around the error are left out; where that does not help, the shortest text is put in before it that makes the rest fit, or
reading starts again at a line after it, in the plainest surroundings in which the text up to the cursor can stand: those that
the shortest text before it makes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ...completability.list_closure import ListClosure
from ...glr.incremental import PrefixText
from ...glr.prefix import Engine, PrefixState
from ...glr.suffix import SuffixContext, SuffixText
from ...hole import Bridging, Context, Hole, State
from ...lexing.base import LexState
from ...token_masks import new_masks

_MAX_RIGHT = 8_192
"""Characters of the right context that are looked at; some 2 microseconds each."""
_MAX_LEFT = 8_192
"""Characters before the cursor from which reading may start again."""
_MAX_RESTARTS = 12
_MAX_ITEMS = 200
"""Lines tried as a new beginning where the language is a list."""
_MAX_ERRORS = 5
"""In the left context, the lines around which are left out."""
_SHORT = 32
"""Where fewer characters of the right context count, it may begin within a string."""

Decider = Callable[[PrefixState], bool]


class TokenFallback:
    """Holes in files of one engine's language that are broken elsewhere."""

    def __init__(
        self,
        engine: Engine,
        bridging: Bridging,
        decider: Callable[[SuffixContext], Decider],
        within: Callable[[LexState], Sequence[LexState]],
        closure: ListClosure,
    ) -> None:
        """within: the states that any text leads to within a symbol, from one between symbols."""
        self._closure = closure
        self._engine, self._bridging, self._decider, self._within = engine, bridging, decider, within
        self._last: SuffixContext | None = None
        self._lines = PrefixText(engine)

    def hole(self, text: str, offset: int, left: PrefixState | int, right: SuffixContext, right_viable: bool) -> Hole:
        """See Fallback in engine_runtime.py."""
        step = "right"
        if not isinstance(left, PrefixState):
            left, step = self._restart(text[:offset], left, right), "left"
            if self._decider(right)(left):
                return self._in(left, right, step)
            step = "both"
        cut = self._cut(left, text[offset : offset + _MAX_RIGHT])
        return Hole(None, "dead") if cut is None else self._in(left, cut, step)

    def _in(self, left: PrefixState, right: SuffixContext, step: str) -> Hole:
        context = Context(self._engine, right, self._bridging, new_masks, completable=self._decider(right))
        return Hole(State(left, context), step)

    def _open(self, text: str, entries: Iterable[LexState]) -> SuffixContext | None:
        """A text that goes on, lexed to where it is when entered in one of these states: not, say, in a string never closed."""
        ends = frozenset(end for entry in entries if (end := self._lexed(entry, text)) is not None)
        return SuffixContext(self._engine, SuffixText(text, goes_on=ends), len(text)) if ends else None

    def _lexed(self, state: LexState, text: str) -> LexState | None:
        after: LexState | None = state
        for char in text:
            after, _ = self._engine.lexer.step(after, char)
            if after is None:
                return None
        return after

    def _cut(self, left: PrefixState, text: str) -> SuffixContext | None:
        """The longest beginning of a text before which left can be completed, whatever follows it."""
        last = self._last
        if last is not None and text.startswith(last.text) and last.length and self._decider(last)(left):
            return last
        start = self._engine.lexer.start
        best = self._longest(left, text, (start, left.lex))
        if best is not None and best.length < min(_SHORT, len(text)):  # perhaps it begins within a string
            within = self._longest(left, text, tuple(s for s in self._within(start) if s not in (start, left.lex)))
            best = within if within is not None and within.length >= _SHORT else best
        self._last = best
        return best

    def _longest(self, left: PrefixState, text: str, entries: Sequence[LexState]) -> SuffixContext | None:
        """The same, where the text is entered in one of these states."""
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
        return best

    def _restart(self, text: str, dead: int, right: SuffixContext) -> PrefixState:
        """The text up to its end without some lines, or read from a line after `dead` or from the end, behind what it needs before it.

        That is as much as the right context needs, too, where it is not broken itself.
        """
        without = self._without_lines(text, dead)
        if without is not None and self._decider(right)(without):
            return without
        if self._closure.anchors:
            return without or self._from_item(text, dead) or self._engine.start
        behind = self._mended(text, dead, right) or self._from_line(text, dead, right)
        return without if without is not None and not self._decider(right)(behind) else behind

    def _without_lines(self, text: str, dead: int) -> PrefixState | None:
        """The text without a few lines around each error, those without which it can be read furthest; None where it takes too many."""
        for _ in range(_MAX_ERRORS):
            first, after = text.rfind("\n", 0, dead) + 1, text.find("\n", dead) + 1
            before = text.rfind("\n", 0, max(first - 1, 0)) + 1
            ends = [after, text.find("\n", after) + 1]
            shorter = {text[:start] + text[end:] for start in (first, before) for end in ends if end > start}
            best: tuple[int, str, int] | None = None  # (what is left unread, text, where it dies)
            for other in sorted(shorter, key=len, reverse=True):
                self._lines.change(other)
                left = self._lines.read(len(other))
                if isinstance(left, PrefixState):
                    return left
                if best is None or len(other) - left < best[0]:
                    best = len(other) - left, other, left
            if best is None:
                return None
            _, text, dead = best
        return None

    def _from_item(self, text: str, dead: int) -> PrefixState | None:
        """The text read from a line after `dead`, where the language is a list and may begin anywhere."""
        start = max(dead, len(text) - _MAX_LEFT)
        for _ in range(_MAX_ITEMS):
            start = text.find("\n", start) + 1
            if not start:
                break
            left = self._engine.read_text(self._engine.start, text[start:])
            if left is not None and self._closure.reaches(left, self._closure.anchors):
                return left
        return None

    def _mended(self, text: str, dead: int, right: SuffixContext) -> PrefixState | None:
        """The text with the shortest text put in where it dies that it and the right context need."""
        if len(text) - dead > _MAX_LEFT:
            return None
        self._lines.change(text)
        before = self._lines.read(dead)
        return self._behind_something(text[dead:], right, before) if isinstance(before, PrefixState) else None

    def _from_line(self, text: str, dead: int, right: SuffixContext) -> PrefixState:
        start = max(dead, len(text) - _MAX_LEFT)
        for _ in range(_MAX_RESTARTS):
            start = text.find("\n", start) + 1
            if not start:
                break
            left = self._behind_something(text[start:], right) or self._behind_something(text[start:], None)
            if left is not None:
                return left
        return self._behind_something("", right) or self._engine.start

    def _behind_something(
        self, text: str, right: SuffixContext | None, start: PrefixState | None = None
    ) -> PrefixState | None:
        """A text behind the shortest that it and the right context need, after some text (from the beginning where none is given)."""
        start = start or self._engine.start
        rest = self._open(text, [self._engine.lexer.start])
        if rest is None:
            return None
        rest.tail.behind = right
        if self._decider(rest)(start):
            for before in self._bridging.words(start, rest):
                left = self._engine.read_text(start, before + text)
                if left is not None:
                    return left
        return None
