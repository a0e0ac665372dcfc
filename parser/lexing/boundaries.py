"""How a symbol in progress may end, and in what a right context may begin, for lexers over one automaton; for the search of bridges."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from .base import Lexer, LexState
from .dfa import Dfa


class AutomatonLexer(Lexer):
    """A lexer whose states within symbols are states of an automaton."""

    automaton: Dfa
    between: tuple[LexState, ...]
    """states between symbols, the plainest first"""
    modes: tuple[LexState, ...] = ()
    """other states between symbols, in which texts mean something else"""
    texts: Mapping[str, int]
    """fixed text -> terminal"""
    _endings: list[dict[str, str]]
    """see dfa.endings"""

    def automaton_state(self, state: LexState) -> int | None:
        """The automaton's state within a symbol; None between symbols."""
        raise NotImplementedError

    def as_written(self, terminal: int) -> int:
        """The terminal by which the grammar has the text of one that is emitted, where texts have several."""
        return terminal

    def all_entries(self) -> Mapping[LexState, str]:
        """The states in which a right context may be entered, each with a text that leads there from between symbols."""
        raise NotImplementedError

    def _in_words(self, state: LexState) -> str:
        return "" if self.is_between(state) else "a symbol"

    def is_between(self, state: LexState) -> bool:
        """Is no symbol in progress?"""
        raise NotImplementedError

    def is_long(self, state: LexState) -> bool:
        """Within a symbol such as a string or a comment, in which words and blanks may stand?"""
        q = self.automaton_state(state)
        if q is None:
            return False
        moves = self.automaton.moves[q]
        return all(self.automaton.class_of(char) in moves for char in "a ")

    def takes_letters(self, state: LexState) -> bool:
        """Would a letter go on in the symbol in progress?"""
        q = self.automaton_state(state)
        return q is not None and self.automaton.class_of("x") in self.automaton.moves[q]

    def states_within(self, state: LexState) -> Mapping[LexState, str]:
        """Those that the symbol in progress can go on to, each with a shortest text, where the lexer knows them."""
        return {}

    def rests(self, state: LexState) -> list[str]:
        """What the symbol in progress still lacks to be a keyword or the like."""
        q = self.automaton_state(state)
        return [] if q is None else [text for text in self._endings[q].values() if text]

    def lead(self, state: LexState) -> str:
        """A text that leads from between symbols to this state."""
        return self._leads.get(state, "")

    def entries_for(self, text: str) -> list[LexState]:
        """States in which a right context with this beginning may be entered: between symbols, in a keyword that it ends, in others."""
        head = text[: next((i for i, char in enumerate(text) if not char.isalnum()), len(text))]
        whole = [word for word in self.texts if head and len(word) > len(head)]
        words = [word[: -len(head)] for word in whole if word.lower().endswith(head.lower())]
        within = [self.step_text(state, word)[0] for word in words for state in self.between]
        others = sorted(self._leads, key=lambda state: (self.is_long(state), len(self._leads[state])))
        return [state for state in dict.fromkeys([*self.between, *self.modes, *within, *others]) if state is not None]

    @cached_property
    def _leads(self) -> dict[LexState, str]:
        heads = {word[:size] for word in self.texts for size in range(1, len(word))}
        found = {
            state: head
            for head in sorted(heads)
            for between in self.between
            if (state := self.step_text(between, head)[0]) is not None
        }
        return dict(self.all_entries()) | found
