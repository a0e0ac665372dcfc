r"""Go's lexer: maximal munch without backing off, and automatic semicolons at line ends.

One automaton (made from the patterns in go.lark) reads all symbols. A symbol ends where it cannot go on, and a text that is then no
whole symbol (`0x`, `1_`, a bad escape, an unclosed comment) is an error, not two symbols. After some symbols the lexer is *armed*: a
newline, a comment with one, or the end of the file then emits a semicolon. A carriage return is a blank; it ends no line.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from ....common.words import words_of
from ...grammar.lalr import END, Tables
from ...lexing.base import DEAD, LexState, Region, Step, Tokens
from ...lexing.boundaries import AutomatonLexer
from ...lexing.dfa import IGNORED, Dfa

_BOM = "\ufeff"
_BLANKS = " \t\r"
_ARMING = words_of("IDENT INT FLOAT IMAG CHAR STRING BREAK CONTINUE FALLTHROUGH RETURN RPAR RSQB RBRACE")
_LONG = {"STRING", "CHAR", IGNORED}
_ARMING_TEXTS = ("++", "--")
_WHOLE_NUMBERS = ("0b0", "0o0")
"""Go takes a point after their digits for a decimal point, which these cannot have."""


@dataclass(frozen=True, slots=True)
class StartOfFile:
    """The place where a byte order mark may stand."""


@dataclass(frozen=True, slots=True)
class Between:
    """Between symbols."""

    is_armed: bool


@dataclass(frozen=True, slots=True)
class InSymbol:
    """In a symbol or comment."""

    q: int
    """state of the automaton"""
    is_armed: bool
    """whether the lexer was armed before the symbol. Always False where it can be no comment"""


class GoLexer(AutomatonLexer):
    """The lexer over an automaton, for the terminals of tables. Its states are finitely many."""

    def __init__(self, automaton: Dfa, tables: Tables, texts: dict[str, int]) -> None:
        """texts: fixed text -> terminal."""
        super().__init__(automaton, tables.terminals)
        self.texts = texts
        self.semicolon = texts[";"]
        self.arming = frozenset(self._number[name] for name in _ARMING) | {texts[text] for text in _ARMING_TEXTS}
        self._whole_numbers = frozenset(self._after(number) for number in _WHOLE_NUMBERS)
        self.start: LexState = self.state(StartOfFile)
        self.clean = self.state(Between, False)
        self.between = (self.clean,)
        self.armed = self.state(Between, True)
        self._all: list[LexState] | None = None

    # -- stepping

    def _newline_step(self, state: LexState, char: str) -> Step:
        return self._step(state, char)

    def _step(self, state: LexState, char: str) -> Step:
        if isinstance(state.symbol, InSymbol):
            return self._step_within(state.symbol.q, state.symbol.is_armed, char)
        armed = _is_armed(state)
        if char in _BLANKS:
            return (self.armed if armed else self.clean), ()
        if char == "\n":
            return self.clean, (self.semicolon,) if armed else ()
        if char == _BOM and isinstance(state.symbol, StartOfFile):
            return self.clean, ()
        to = self._moves[0].get(self.class_of(char))
        return DEAD if to is None else self._entered(to, armed)

    def _step_within(self, q: int, armed: bool, char: str) -> Step:
        to = self._moves[q].get(self.class_of(char))
        if to is not None:
            if armed and char == "\n":
                return self._entered(to, False)[0], (self.semicolon,)
            return self._entered(to, armed)
        tokens = self._emits[q]
        if tokens is None or (char == "." and q in self._whole_numbers):
            return DEAD
        after, more = self.step(self._ended(tokens, armed), char)
        return DEAD if after is None else (after, tokens + more)

    def _entered(self, q: int, armed: bool) -> tuple[LexState, Tokens]:
        """The state in a state of the automaton; the symbol ends at once where nothing can go on."""
        tokens = self._emits[q]
        if tokens is not None and not self._moves[q]:
            return self._ended(tokens, armed), tokens
        return self.state(InSymbol, q, armed and IGNORED in self._endings[q]), ()

    def _ended(self, tokens: Tokens, armed: bool) -> LexState:
        """The state between symbols, after a symbol or (no tokens) a comment."""
        return self.armed if (tokens[0] in self.arming if tokens else armed) else self.clean

    def _finish(self, state: LexState) -> Tokens | None:
        if not isinstance(state.symbol, InSymbol):
            return self._end(state)
        tokens = self._emits[state.symbol.q]
        if tokens is None:
            return None
        return tokens + self._end(self._ended(tokens, state.symbol.is_armed))

    def _end(self, between: LexState) -> Tokens:
        """The tokens at the end of the file, between symbols."""
        return (self.semicolon, END) if _is_armed(between) else (END,)

    def in_comment(self, state: LexState) -> bool:
        symbol = state.symbol
        return isinstance(symbol, InSymbol) and self._endings[symbol.q].keys() == {IGNORED}

    def region(self, state: LexState) -> Region:
        symbol = state.symbol
        if not isinstance(symbol, InSymbol) or (self._emits[symbol.q] is not None and not self.in_comment(state)):
            return "code"
        endings = self._endings[symbol.q].keys()
        return "comment" if endings == {IGNORED} else "string" if endings <= {"STRING", "CHAR"} else "code"

    def is_armed(self, state: LexState) -> bool | None:
        """Whether the last symbol armed the lexer. None where the state does not tell."""
        if not isinstance(state.symbol, InSymbol):
            return _is_armed(state)
        return state.symbol.is_armed if IGNORED in self._endings[state.symbol.q] else None

    # -- possible ends of a state's symbol

    def _expected(self, state: LexState) -> tuple[Tokens, ...]:
        if not isinstance(state.symbol, InSymbol):
            return ()
        q = state.symbol.q
        if self._is_line_comment(q):
            return ((self.semicolon,),) if state.symbol.is_armed else ()
        if IGNORED in self._endings[q]:
            return ()
        return tuple((self._number[name],) for name in self._endings[q])

    def _nesting(self, state: LexState) -> int:
        return int(isinstance(state.symbol, InSymbol) and self._endings[state.symbol.q].keys() <= _LONG)

    def _outside(self, state: LexState) -> LexState:
        symbol = state.symbol
        if isinstance(symbol, InSymbol):
            return self.armed if self.is_comment(symbol.q) and symbol.is_armed else self.clean
        return state

    def closers(self, state: LexState) -> tuple[str, ...]:
        if not isinstance(state.symbol, InSymbol):
            return ()
        q = state.symbol.q
        if self._is_line_comment(q):
            return ("\n",)
        endings = {text or " " for text in self._endings[q].values()}
        return tuple(sorted(endings, key=len))

    def _is_line_comment(self, q: int) -> bool:
        return self._emits[q] == ()

    def ends_with(self, state: LexState, name: str) -> str | None:
        """The shortest text that makes the symbol in progress end as a terminal; None where it cannot."""
        return self._endings[state.symbol.q].get(name) if isinstance(state.symbol, InSymbol) else None

    def automaton_state(self, state: LexState) -> int | None:
        return state.symbol.q if isinstance(state.symbol, InSymbol) else None

    def is_between(self, state: LexState) -> bool:
        return not isinstance(state.symbol, InSymbol)

    def begins_line(self, state: LexState) -> bool:
        return isinstance(state.symbol, StartOfFile)

    def all_entries(self) -> Mapping[LexState, str]:
        entries: dict[LexState, str] = {self.clean: "", self.armed: "", self.start: ""}
        todo = deque((self.clean, self.armed))
        while todo:
            here = todo.popleft()
            for char in self._examples.values():
                after, tokens = self.step(here, char)
                if after is not None and not tokens and not self.is_between(after) and after not in entries:
                    entries[after] = entries[here] + char
                    todo.append(after)
        return entries

    def alike(self, char: str) -> Hashable:
        return char if char in " \t\r\n\ufeff" else self.class_of(char)

    def specials(self) -> list[str]:
        return []

    def end_key(self, state: LexState) -> Hashable:
        if not isinstance(state.symbol, InSymbol):
            return type(state.symbol)
        return self.expected(state), self._endings[state.symbol.q].get("PACKAGE")

    def all_states(self) -> list[LexState]:
        """Every reachable state, those between symbols first, then those where texts stay longest."""
        if self._all is None:
            states = dict.fromkeys([self.clean, self.armed, self.start])
            todo = deque(states)
            while todo:
                here = todo.popleft()
                for char in (" ", "\n", *self._examples.values()):
                    after, _ = self.step(here, char)
                    if after is not None and after not in states:
                        states[after] = None
                        todo.append(after)
            self._all = list(states)
        return self._all

    def ordinary(self) -> list[LexState]:
        return list(self.all_states())

    def rules(self) -> str:
        return repr(
            (self.automaton.as_json(), sorted(self.texts.items()), sorted(self.arming), sorted(self._whole_numbers))
        )


def _is_armed(between: LexState) -> bool:
    return isinstance(between.symbol, Between) and between.symbol.is_armed
