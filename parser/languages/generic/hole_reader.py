"""The place where a text dies around a hole, whatever the hole's text, in a language decided from both contexts; see ../../view_reader.py."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ....common.bounded import BoundedDict
from ...glr.incremental import PrefixText
from ...glr.prefix import Engine, PrefixState
from ...glr.suffix import SuffixContext, SuffixText
from ...hole import Bridging, finishing
from ...lexing.base import LexState
from ...view import View
from ...view_reader import PLAIN, Death, Reader

MOST = 8_192
"""Characters of a right context that are read; some 2 microseconds each."""
_KEPT = 16
"""Texts whose readings are kept."""
_MOST_WORDS = 4
"""Texts of the hole to try first."""
_SHORT = 32
"""The number of readable characters below which the text may begin within a string."""


class HoleReader(Reader):
    """The readings of one document; see Reader."""

    is_exact = True
    most = 100

    def __init__(
        self,
        engine: Engine,
        decider: Callable[[SuffixContext], Callable[[PrefixState], bool]],
        bridging: Bridging,
        within: Callable[[LexState], Sequence[LexState]],
        is_viable: Callable[[str, int], bool],
    ) -> None:
        """within: the states reached by any text within a symbol, from one between symbols; is_viable: see Views."""
        super().__init__(engine, finishing(engine, bridging, decider))
        self._decider, self._bridging, self._within, self._is_viable = decider, bridging, within, is_viable
        self._reached = BoundedDict[tuple[PrefixState, str], SuffixContext](_KEPT)
        self._filled = BoundedDict[tuple[PrefixState, str], str | None](_KEPT)
        self._texts = BoundedDict[tuple[PrefixState, str], PrefixText](_KEPT)
        self._words = BoundedDict[str, None](_MOST_WORDS)

    def ways(self, view: View) -> dict[int, float]:
        """See Reader: the hole may be anything."""
        return {PLAIN: 0.0}

    def error(self, view: View, way: int, beyond: int = 0) -> Death | None:
        """See Reader. beyond: an offset; if the text dies no later, its place of death does not matter."""
        self._change_left(view)
        left = self._left.read(view.offset)
        if not isinstance(left, PrefixState):
            return Death(left)
        if self._is_viable(view.text, view.offset):
            return None
        text = view.text[view.offset :][:MOST]
        reached = self._reach(left, text, max(0, beyond + 1 - view.offset))
        if reached is None:
            return Death(view.offset)
        self._reached[left, text] = reached
        return Death(view.offset + reached.length)

    def before(self, view: View, offset: int, way: int) -> PrefixState | None:
        """See Reader; behind the cursor, after the shortest text that makes its line readable."""
        self._change_left(view)
        left = self._left.read(min(offset, view.offset))
        if offset <= view.offset or not isinstance(left, PrefixState):
            return left if isinstance(left, PrefixState) else None
        text = view.text[view.offset :][:MOST]
        word = self._word(left, text)
        readings = None if word is None else self._readings(left, word, text)
        state = None if readings is None else readings.read(offset - view.offset)
        return state if isinstance(state, PrefixState) else None

    def _word(self, left: PrefixState, text: str) -> str | None:
        """The shortest text of the hole that makes the text behind it readable as far as possible."""
        if (left, text) not in self._filled:
            right = self._reached.get((left, text)) or self._reach(left, text, 0)
            words = () if right is None else (*self._words, *self._bridging.words(left, right))
            for word in dict.fromkeys(words):
                readings = self._readings(left, word, text)
                if readings and right and isinstance(readings.read(right.length), PrefixState):
                    self._words[word] = None
                    break
            else:
                word = None
            self._filled[left, text] = word
        return self._filled[left, text]

    def _readings(self, left: PrefixState, word: str, text: str) -> PrefixText | None:
        """The readings of a text behind a word."""
        readings = self._texts.get((left, word))
        if readings is None:
            begun = self._engine.read_text(left, word)
            if begun is None:
                return None
            readings = self._texts[left, word] = PrefixText(self._engine, (begun.lex, begun.frame, begun.stacks))
        readings.change(text)
        return readings

    def _reach(self, left: PrefixState, text: str, least: int) -> SuffixContext | None:
        """The longest beginning of a text that can follow a state and some text, whatever comes after it; None if it is shorter than the
        least."""
        start, low = self._engine.lexer.start, 0
        for word in (*self._words, ""):
            readings = self._readings(left, word, text)
            dead = 0 if readings is None else readings.read(len(text))
            low = max(low, len(text) if isinstance(dead, PrefixState) else dead)
        longest = self._longest(left, text, (start, left.lex), low, least)
        if least <= _SHORT and (longest is None or longest.length < min(_SHORT, len(text))):
            others = tuple(state for state in self._within(start) if state not in (start, left.lex))
            within = self._longest(left, text, others, 0, max(_SHORT, least))
            longest = longest if within is None else within
        return longest

    def _longest(
        self, left: PrefixState, text: str, entries: Sequence[LexState], low: int, least: int
    ) -> SuffixContext | None:
        """The longest such beginning, entered in one of these states. low: the number of its characters known to follow."""
        high, size = len(text) + 1, 64
        best = self._open(text[: max(low, least)], entries)
        if least > len(text) or best is None or (low < least and not self._decider(best)(left)):
            return None
        low, size = (least, size) if low < least else (low, 1)
        while low + 1 < high:
            length = min(low + size, high - 1)
            right = self._open(text[:length], entries)
            if right is not None and self._decider(right)(left):
                low, size, best = length, size * 4, right
            else:
                high, size = length, max(1, (length - low) // 2)
        return best

    def _open(self, text: str, entries: Iterable[LexState]) -> SuffixContext | None:
        """A text that continues, lexed to its end from one of these states: not, say, in a string never closed."""
        ends = frozenset(end for entry in entries if (end := self._lexed(entry, text)) is not None)
        return SuffixContext(self._engine, SuffixText(text, goes_on=ends), len(text)) if ends else None

    def _lexed(self, state: LexState, text: str) -> LexState | None:
        after: LexState | None = state
        for char in text:
            after, _ = self._engine.lexer.step(after, char)
            if after is None:
                return None
        return after
