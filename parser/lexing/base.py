"""The interface of lexers: character by character, with the symbol in progress kept open as an interned state."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, Literal

from ..glr.layout import Line

if TYPE_CHECKING:
    from ..glr.prefix import PrefixState

Token = int | Line
"""What a lexer emits: the number of a terminal, or a new logical line."""
Tokens = tuple[Token, ...]
Region = Literal["code", "comment", "string"]
"""A kind of text."""


class LexState:
    """Where the lexer is within a symbol. kind, data and context (what encloses the symbol: a string that has symbols in it) are
    the lexer's own; memo: a character, or a whole line -> what `step`, or `step_text`, returned."""

    is_interned = True
    __slots__ = ("context", "data", "expected", "kind", "loop", "memo")

    def __init__(self, kind: str, data: Any, context: Any = None) -> None:
        self.kind = kind
        self.data = data
        self.context = context
        self.memo: dict[str, tuple[LexState | None, Tokens]] = {}
        self.expected: tuple[Tokens, ...] | None = None
        self.loop: re.Pattern[str] | bool | None = False  # see Lexer.loop; False: not computed

    def __repr__(self) -> str:
        return f"<{self.kind} {self.data!r}>"


DEAD: tuple[None, Tokens] = (None, ())
LONGEST_LINE = 256
"""Lines up to this length are kept in memos as a whole."""
AT_NEWLINE = r"\A\n"
"""A pattern for what may belong to a carriage return before it."""
ANY_LINE = Line(-1, -1)
"""In `Lexer.expected`: some new logical line, at a column yet unknown."""


class Lexer(ABC):
    r"""Emits terminals; never looks at the parser.

    Unless a language has it otherwise, `\r\n` and `\r` count as `\n`, even when an edit cuts them in two.
    """

    start: LexState
    """at the beginning of a file"""

    def __init__(self) -> None:
        self._states: dict[tuple[str, Hashable, Hashable], LexState] = {}
        self.made = 0

    @property
    def states(self) -> list[LexState]:
        """Those made so far."""
        return list(self._states.values())

    def state(self, kind: str, data: Hashable = None, context: Hashable = None) -> LexState:
        """The one state of that kind, data and context."""
        key = kind, data, context
        state = self._states.get(key)
        if state is None:
            state = self._states[key] = LexState(kind, data, context)
            self.made += 1
        return state

    def step(self, state: LexState, char: str) -> tuple[LexState | None, Tokens]:
        """(the state after one more character, None when no text continues like this; the terminals it completes)."""
        result = state.memo.get(char)
        if result is None:
            self.made += 1
            result = state.memo[char] = self._newline_step(state, char)
        return result

    def step_text(self, state: LexState, text: str) -> tuple[LexState | None, Tokens]:
        """As `step`, over a text; where it dies, the terminals up to there."""
        tokens: list[Token] = []
        after: LexState | None = state
        for char in text:
            known = after.memo.get(char)  # type: ignore[union-attr]
            after, more = known if known is not None else self.step(after, char)  # type: ignore[arg-type]
            if more:
                tokens += more
            if after is None:
                break
        return after, tuple(tokens)

    def step_line(self, state: LexState, line: str) -> tuple[LexState | None, Tokens]:
        """As `step_text`, kept: the lines of a document are met again and again."""
        known = state.memo.get(line)
        if known is None:
            loop = self.loop(state)
            if loop is not None and loop.fullmatch(line):
                return state, ()
            self.made += 1
            known = state.memo[line] = self.step_text(state, line)
        return known

    def loop(self, state: LexState) -> re.Pattern[str] | None:
        """What leaves the state as it is, in states in which long texts are read: within strings and comments."""
        found = state.loop
        if found is False:
            found = state.loop = self._loop(state)
        return found  # type: ignore[return-value]

    def _loop(self, state: LexState) -> re.Pattern[str] | None:
        if any(self.step(state, char) != (state, ()) for char in "a "):
            return None
        same = "".join(char for char in map(chr, range(128)) if self.step(state, char) == (state, ()))
        return re.compile(f"[{re.escape(same)}]*")

    def _newline_step(self, state: LexState, char: str) -> tuple[LexState | None, Tokens]:
        r"""`step` without the memo, with "\r" and "\r\n" as "\n"; for a language to override that has other line ends."""
        if state.kind == "cr":  # after \r, taken for \n already: a \n that follows belongs to it
            return (state.data, ()) if char == "\n" else self.step(state.data, char)
        if char == "\r":
            after, tokens = self.step(state, "\n")
            return (None, ()) if after is None else (self.state("cr", after), tokens)
        return self._step(state, char)

    @abstractmethod
    def _step(self, state: LexState, char: str) -> tuple[LexState | None, Tokens]:
        r"""`step` without the memo; char is never "\r"."""

    def finish(self, state: LexState) -> Tokens | None:
        """The terminals at the end of the file, END last; None where the file may not end."""
        return self._finish(state.data if state.kind == "cr" else state)

    @abstractmethod
    def _finish(self, state: LexState) -> Tokens | None: ...

    def expected(self, state: LexState) -> tuple[Tokens, ...]:
        """What the symbol in progress can still become, as alternatives; () when anything may come."""
        if state.expected is None:
            state.expected = self._expected(state.data if state.kind == "cr" else state)
        return state.expected

    @abstractmethod
    def _expected(self, state: LexState) -> tuple[Tokens, ...]: ...

    def outside(self, state: LexState) -> LexState:
        """The state between symbols, around the string or other symbol in progress."""
        return self._outside(state.data if state.kind == "cr" else state)

    @abstractmethod
    def _outside(self, state: LexState) -> LexState: ...

    def in_comment(self, state: LexState) -> bool:
        """Is this within a comment, where the lexer knows them?"""
        return False

    def region(self, state: LexState) -> Region:
        """The kind of text that comes next. A lexer that does not know which symbols are comments or strings takes all for code."""
        return "code"

    def nesting(self, state: LexState) -> int:
        """Strings open, each in a field of the one before; where the lexer does not know strings, whether a symbol is in progress."""
        return self._nesting(state.data if state.kind == "cr" else state)

    @abstractmethod
    def _nesting(self, state: LexState) -> int: ...

    @abstractmethod
    def closers(self, state: LexState) -> tuple[str, ...]:
        """Short texts that end the symbol in progress, shortest first; () when nothing is in progress."""

    @abstractmethod
    def representatives(self, low: int, high: int) -> tuple[str, ...]:
        """Characters of the code points low to high such that each behaves like one of them, in every state."""

    # -- what partition.py asks

    @abstractmethod
    def alike(self, char: str) -> Hashable:
        """Characters with equal values behave alike in every state."""

    def equivalence_key(self, state: LexState) -> tuple[LexState, str]:
        """See partition.EquivalenceKey."""
        return state, ""

    def alike_from(self, state: LexState, char: str) -> Hashable | None:
        """See TokenPartition.alike_from."""
        return None

    def within(self, state: LexState) -> tuple[LexState | PrefixState, str] | None:
        """See TokenPartition.within; a lexer state: with the same stacks."""
        return (state.data, AT_NEWLINE) if state.kind == "cr" else None

    def specials(self) -> list[str]:
        """The patterns of `within`."""
        return [AT_NEWLINE]

    def end_key(self, state: LexState) -> Hashable:
        """What a state at the end of a text counts for where completability is decided from both sides."""
        return state

    @abstractmethod
    def ordinary(self) -> list[LexState]:
        """The states that texts lead to mostly, in any order; finitely many."""

    @abstractmethod
    def rules(self) -> str:
        """What the lexer depends on, beside its code; the same in each process."""
