"""The ends of a symbol in progress, and the symbols a right context may begin in, for lexers over one automaton and the search of bridges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from .base import Lexer, LexState
from .dfa import IGNORED, Dfa, endings


class AutomatonLexer(Lexer):
    """A lexer whose states within symbols are states of an automaton."""

    between: tuple[LexState, ...]
    """states between symbols, the plainest first"""
    modes: tuple[LexState, ...] = ()
    """other states between symbols, where texts mean something else"""
    texts: Mapping[str, int]
    """fixed text -> terminal"""

    def __init__(self, automaton: Dfa, terminals: Sequence[str]) -> None:
        """terminals: number -> name."""
        super().__init__()
        self.automaton, self._moves = automaton, automaton.moves
        self._number = {name: t for t, name in enumerate(terminals)}
        self._emits: list[tuple[int, ...] | None] = [
            None if name is None else () if name == IGNORED else (self._number.get(name, -1),)
            for name in automaton.accepts
        ]
        self._endings = endings(automaton)
        self._examples = automaton.examples()
        self._classes: dict[str, int] = {}

    def class_of(self, char: str) -> int:
        """The automaton's class of a character."""
        number = self._classes.get(char)
        if number is None:
            number = self._classes[char] = self.automaton.class_of(char)
        return number

    def _after(self, text: str) -> int:
        """The automaton's state after a text."""
        q = 0
        for char in text:
            q = self._moves[q][self.class_of(char)]
        return q

    def is_comment(self, q: int) -> bool:
        """Whether a symbol in this state of the automaton can end only as a comment."""
        return self._endings[q].keys() == {IGNORED}

    def automaton_state(self, state: LexState) -> int | None:
        """The automaton's state within a symbol; None between symbols."""
        raise NotImplementedError

    def as_written(self, terminal: int) -> int:
        """The terminal in the grammar for an emitted one, where texts have several."""
        return terminal

    def all_entries(self) -> Mapping[LexState, str]:
        """The states in which a right context may be entered, each with a text leading there from between symbols."""
        raise NotImplementedError

    def all_states(self) -> list[LexState]:
        """Every reachable state, those between symbols first, in languages with finitely many."""
        raise NotImplementedError

    def _in_words(self, state: LexState) -> str:
        return "" if self.is_between(state) else "a symbol"

    def is_between(self, state: LexState) -> bool:
        """Whether no symbol is in progress."""
        raise NotImplementedError

    def is_long(self, state: LexState) -> bool:
        """Whether the lexer is within a symbol such as a string or a comment, where words and blanks may stand."""
        q = self.automaton_state(state)
        if q is None:
            return False
        moves = self.automaton.moves[q]
        return all(self.automaton.class_of(char) in moves for char in "a ")

    def takes_letters(self, state: LexState) -> bool:
        """Whether the symbol in progress would take a letter."""
        q = self.automaton_state(state)
        return q is not None and self.automaton.class_of("x") in self.automaton.moves[q]

    def representatives(self, low: int, high: int) -> tuple[str, ...]:
        starts, ids = self.automaton.class_starts, self.automaton.class_ids
        characters: dict[int, str] = {}
        for i, start in enumerate(starts):
            end = starts[i + 1] - 1 if i + 1 < len(starts) else 0x10FFFF
            if start <= high and end >= low:
                characters.setdefault(ids[i], chr(max(start, low)))
        return tuple(characters.values())

    def states_within(self, state: LexState) -> Mapping[LexState, str]:
        """The states further on in the symbol in progress, each with a shortest text, where the lexer knows them."""
        return {}

    def rests(self, state: LexState) -> list[str]:
        """The rests of keywords and the like begun by the symbol in progress."""
        q = self.automaton_state(state)
        return [] if q is None else [text for text in self._endings[q].values() if text]

    def lead(self, state: LexState) -> str:
        """A text leading to this state from between symbols."""
        return self._leads.get(state, "")

    def entries_for(self, text: str) -> list[LexState]:
        """Entry states for a right context with this beginning: first between symbols, then in a keyword it ends, then the others."""
        head = text[: next((i for i, char in enumerate(text) if not char.isalnum()), len(text))]
        whole = [word for word in self.texts if head and len(word) > len(head)]
        words = [word[: -len(head)] for word in whole if word.lower().endswith(head.lower())]
        within = [self.step_text(state, word)[0] for word in words for state in self.between]
        others = sorted(self._leads, key=lambda state: (self.is_long(state), len(self._leads[state])))
        return [state for state in dict.fromkeys([*self.between, *self.modes, *within, *others]) if state is not None]

    @cached_property
    def _leads(self) -> dict[LexState, str]:
        heads = {word[:size] for word in self.texts for size in range(1, len(word))}
        entered = {
            state: head
            for head in sorted(heads)
            for between in self.between
            if (state := self.step_text(between, head)[0]) is not None
        }
        return dict(self.all_entries()) | entered
