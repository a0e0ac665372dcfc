"""The interface of lexers: character by character, with the symbol in progress kept open as an interned state."""

from __future__ import annotations

import dataclasses
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVarTuple

from ..glr.layout import Line

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


Token = int | Line
"""The output of a lexer: the number of a terminal, or a new logical line."""
Tokens = tuple[Token, ...]
Region = Literal["code", "comment", "string"]
"""A kind of text."""
_Fields = TypeVarTuple("_Fields")
_Key = tuple[object, tuple[object, ...]]
"""The kind of a symbol, and its fields."""


class LexState:
    """The lexer's state. symbol: the part read of the symbol in progress, a dataclass of the lexer's own; memo: a character, a
    token or a whole line -> the result of `step`, or `step_text`."""

    is_interned = True
    __slots__ = ("expected", "loop", "memo", "symbol")

    def __init__(self, symbol: Hashable) -> None:
        self.symbol = symbol
        self.memo: dict[str, Step] = {}
        self.expected: tuple[Tokens, ...] | None = None
        self.loop: re.Pattern[str] | None = None  # see Lexer.loop; None: not computed

    def __repr__(self) -> str:
        return f"<{self.symbol!r}>"


class Option(NamedTuple):
    """One way to read on where the stacks decide; see Choice."""

    guard: tuple[int, ...]
    """terminals the stacks must take, one after the other"""
    tokens: Tokens
    """the emitted terminals"""
    lex: LexState
    """the state after them"""


class Choice(tuple[Token, ...]):
    """The terminals of a step up to a place where the stacks decide how to go on: by the first of these options whose guard they take.

    It comes with None for a state: a reader who does not ask the stacks cannot go on.
    """

    options: tuple[Option, ...]
    rest: str
    """the unread end of the text, the same for every option"""

    @staticmethod
    def of(tokens: Tokens, options: tuple[Option, ...], rest: str) -> Choice:
        choice = Choice(tokens)
        choice.options, choice.rest = options, rest
        return choice

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Choice):
            return False
        return super().__eq__(other) and (self.options, self.rest) == (other.options, other.rest)

    def __hash__(self) -> int:
        return hash((super().__hash__(), self.options, self.rest))


Step = tuple[LexState | None, Tokens]
"""The state after a text and the terminals completed by it; None when no text continues like this, or with a Choice where the stacks
decide how. A lexer that leaves nothing to the stacks never returns a Choice."""


@dataclass(frozen=True, slots=True)
class AfterReturn:
    r"""As a symbol: after "\r", taken for a "\n"; a following "\n" belongs to it."""

    after: LexState
    """the symbol"""


def settled(state: LexState) -> LexState:
    r"""The state without a pending "\r"."""
    return state.symbol.after if isinstance(state.symbol, AfterReturn) else state


DEAD: Step = (None, ())
LONGEST_LINE = 256
"""Lines up to this length are kept in memos as a whole."""
_LONGEST_TOKEN = 32
AT_NEWLINE = r"\A\n"
"""A pattern for texts that may belong to a carriage return before them."""
ANY_LINE = Line(-1, -1)
"""In `Lexer.expected`: some new logical line, at a column yet unknown."""
_NO_LOOP = re.compile(r"(?!)")


class Lexer(ABC):
    r"""Emits terminals; never looks at the parser, but may leave it a Choice.

    Unless a language overrides it, `\r\n` and `\r` count as `\n`, even when an edit cuts them in two.
    """

    start: LexState
    """at the beginning of a file"""
    asks: bool = False
    """Whether the lexer leaves choices to the stacks."""

    def __init__(self) -> None:
        self._states: dict[_Key, LexState] = {}
        self.made = 0

    @property
    def states(self) -> list[LexState]:
        """The states made so far."""
        return list(self._states.values())

    def state(self, kind: Callable[[*_Fields], Hashable], *fields: *_Fields) -> LexState:
        """The interned state within a symbol of this kind, made of these fields."""
        state = self._states.get((kind, fields))
        return state if state is not None else self._add((kind, fields), kind(*fields))

    def state_of(self, symbol: DataclassInstance) -> LexState:
        """The interned state within this symbol."""
        key = type(symbol), tuple(getattr(symbol, field.name) for field in dataclasses.fields(symbol))
        state = self._states.get(key)
        return state if state is not None else self._add(key, symbol)

    def _add(self, key: _Key, symbol: Hashable) -> LexState:
        self.made += 1
        state = self._states[key] = LexState(symbol)
        return state

    def step(self, state: LexState, char: str) -> Step:
        """Read one more character."""
        result = state.memo.get(char)
        if result is None:
            self.made += 1
            result = state.memo[char] = self._newline_step(state, char)
        return result

    def step_text(self, state: LexState, text: str) -> Step:
        """As `step`, over a text; where it dies, the terminals up to there."""
        tokens: list[Token] = []
        after: LexState | None = state
        chars = iter(text)
        for char in chars:
            step = after.memo.get(char)
            after, more = step if step is not None else self.step(after, char)
            if more:
                tokens += more
            if after is None:
                if type(more) is Choice:
                    return None, Choice.of(tuple(tokens), more.options, more.rest + "".join(chars))
                break
        return after, tuple(tokens)

    def step_line(self, state: LexState, line: str) -> Step:
        """As `step_text`, with the result kept: the lines of a document are met again and again."""
        step = state.memo.get(line)
        if step is None:
            if self.loop(state).fullmatch(line):
                return state, ()
            self.made += 1
            step = state.memo[line] = self.step_text(state, line)
        return step

    def step_token(self, state: LexState, text: str) -> Step:
        """As `step_text`, with the result kept unless the text is long: the tokens of a model are met again and again."""
        step = state.memo.get(text)
        if step is None:
            step = self.step_text(state, text)
            if len(text) <= _LONGEST_TOKEN:
                self.made += 1
                state.memo[text] = step
        return step

    def glance(self, state: LexState, text: str) -> LexState:
        """The state after a text, whatever the stacks are: where they decide, the first option is taken; a text that dies is read as
        the beginning of a file, or else skipped."""
        after, tokens = self.step_text(state, text)
        while after is None and type(tokens) is Choice:
            after, tokens = self.step_text(tokens.options[0].lex, tokens.rest)
        if after is None and (state is not self.start or text[:1] in tuple(" \t")):
            return self.glance(self.start, text.lstrip(" \t"))
        return after or self.start

    def loop(self, state: LexState) -> re.Pattern[str]:
        """A pattern for texts that leave the state unchanged, within strings and comments; in other states it matches nothing."""
        pattern = state.loop
        if pattern is None:
            pattern = state.loop = self._loop(state)
        return pattern

    def _loop(self, state: LexState) -> re.Pattern[str]:
        if any(self.step(state, char) != (state, ()) for char in "a "):
            return _NO_LOOP
        same = "".join(char for char in map(chr, range(128)) if self.step(state, char) == (state, ()))
        return re.compile(f"[{re.escape(same)}]*")

    def skip_loop(self, state: LexState, text: str, offset: int) -> int:
        """The end of the characters, from a place on, that leave the state unchanged."""
        loop = state.loop or self.loop(state)
        skipped = None if loop is _NO_LOOP else loop.match(text, offset)
        return offset if skipped is None else skipped.end()

    def _newline_step(self, state: LexState, char: str) -> Step:
        r"""`step` without the memo, with "\r" and "\r\n" as "\n"; overridden in languages with other line ends."""
        if isinstance(state.symbol, AfterReturn):
            after = state.symbol.after
            return (after, ()) if char == "\n" else self.step(after, char)
        if char == "\r":
            after, tokens = self.step(state, "\n")
            return (None, ()) if after is None else (self.state(AfterReturn, after), tokens)
        return self._step(state, char)

    @abstractmethod
    def _step(self, state: LexState, char: str) -> Step:
        r"""`step` without the memo; char is never "\r"."""

    def finish(self, state: LexState) -> Tokens | None:
        """The terminals at the end of the file, END last; None where the file may not end."""
        return self._finish(settled(state))

    @abstractmethod
    def _finish(self, state: LexState) -> Tokens | None: ...

    def expected(self, state: LexState) -> tuple[Tokens, ...]:
        """The terminals the symbol in progress can still become, as alternatives; () when anything may come."""
        if state.expected is None:
            state.expected = self._expected(settled(state))
        return state.expected

    @abstractmethod
    def _expected(self, state: LexState) -> tuple[Tokens, ...]: ...

    def outside(self, state: LexState) -> LexState:
        """The state between symbols, around the string or other symbol in progress."""
        return self._outside(settled(state))

    @abstractmethod
    def _outside(self, state: LexState) -> LexState: ...

    def in_words(self, state: LexState) -> str:
        """The name of the symbol in progress; "" where there is none."""
        return self._in_words(settled(state))

    @abstractmethod
    def _in_words(self, state: LexState) -> str: ...

    def begins_line(self, state: LexState) -> bool:
        """Whether this is the beginning of a line or file."""
        return False

    def in_comment(self, state: LexState) -> bool:
        """Whether this is within a comment, where the lexer knows them."""
        return False

    def region(self, state: LexState) -> Region:
        """The kind of text that comes next. Without knowledge of comments and strings, a lexer takes all for code."""
        return "code"

    def nesting(self, state: LexState) -> int:
        """The number of open strings, each in a field of the one before; in a lexer without strings, whether a symbol is in progress."""
        return self._nesting(settled(state))

    @abstractmethod
    def _nesting(self, state: LexState) -> int: ...

    @abstractmethod
    def closers(self, state: LexState) -> tuple[str, ...]:
        """Short texts that end the symbol in progress, shortest first; () when nothing is in progress."""

    @abstractmethod
    def representatives(self, low: int, high: int) -> tuple[str, ...]:
        """Characters of the code points low to high, such that each of these behaves like one of them in every state."""

    # -- questions of partition.py

    @abstractmethod
    def alike(self, char: str) -> Hashable:
        """Characters with equal values behave alike in every state."""

    def equivalence_key(self, state: LexState) -> tuple[LexState, str]:
        """See partition.EquivalenceKey."""
        return state, ""

    def alike_from(self, state: LexState, char: str) -> Hashable | None:
        """See TokenPartition.alike_from."""
        return None

    def within(self, state: LexState) -> tuple[Any, str] | None:
        """See TokenPartition.within: a lexer state, with the same stacks, or a prefix state with its own."""
        return (state.symbol.after, AT_NEWLINE) if isinstance(state.symbol, AfterReturn) else None

    def specials(self) -> list[str]:
        """The patterns of `within`."""
        return [AT_NEWLINE]

    def end_key(self, state: LexState) -> Hashable:
        """The key of a state at the end of a text, where completability is decided from both sides."""
        return state

    @abstractmethod
    def ordinary(self) -> list[LexState]:
        """The states in which most texts end, in any order; finitely many."""

    @abstractmethod
    def rules(self) -> str:
        """A text naming everything the lexer depends on besides its code; the same in each process."""
