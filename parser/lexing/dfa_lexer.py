r"""The lexer of a grammar file: Lark's basic or contextual lexer, character by character, with the symbol in progress kept open.

A symbol may go on after a point where it could end (`1` before `1.5`, `/` before `/* */`); if that comes to nothing, the lexer falls
back to that point and reads the rest anew. So a state holds, beside the automaton's, the *fallback*: the terminals up to that point
and the state after the rest, read anew so far; no text is read twice. Terminals that never stand side by side in the grammar end a
fallback at once, which keeps the states few.

The possible terminals never depend on the parser; for Lark's contextual lexer they depend on the terminals before (contexts.py).
`\r\n` and `\r` are `\n`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise

from ..glr.layout import END_OF_FILE, Line
from ..grammar.lalr import END, Tables
from . import dfa
from .base import ANY_LINE, DEAD, LexState, Step, Token, Tokens, settled
from .boundaries import AutomatonLexer
from .dfa import IGNORED, Dfa

Watched = frozenset[int]
"""States of the automaton that must not become accepting: symbols taken to have ended where they could still go on."""
_NOTHING: Watched = frozenset()
_NO_CLASSES: frozenset[int] = frozenset()
_MOST_ORDINARY = 500
"""The most states with prepared groups of texts."""
NO_COLUMN = -1
"""As a column: no line begins with the symbol."""
ANY_FURTHER = -1
"""As a Line's alt_column: the line's column is this or any further right."""
_AT_LEAST = -2
"""A column that is c or any further right is `_AT_LEAST - c`."""


@dataclass(frozen=True, slots=True)
class Between:
    """Between symbols."""

    watched: Watched
    """empty except in states made by `DfaLexer.started` and `DfaLexer.open_symbol`"""
    context: int
    """the parser's states by the terminals so far, see contexts.py; 0 where the lexer does not depend on them"""


@dataclass(frozen=True, slots=True)
class InSymbol:
    """Within a symbol."""

    q: int
    """the automaton's state"""
    fallback: tuple[Tokens, LexState] | None
    """terminals up to it, and the state after the text read anew since"""
    watched: Watched
    """as in Between"""
    context: int
    """the context of the symbol's beginning"""
    column: int = NO_COLUMN
    """where blocks are indented: the column of the line begun by the symbol; see `_column_after`"""


def is_between(state: LexState) -> bool:
    """Whether the lexer is between symbols."""
    return isinstance(state.symbol, Between)


def unwatched(state: LexState) -> tuple[Hashable, Watched]:
    """(a state without its watched symbols, these symbols)."""
    symbol = state.symbol
    assert isinstance(symbol, Between | InSymbol)
    return replace(symbol, watched=_NOTHING), symbol.watched


class DfaLexer(AutomatonLexer):
    """The lexer over an automaton, for the terminals of tables."""

    def __init__(self, automaton: Dfa, tables: Tables, newline: int = -1, tab: int = 0) -> None:
        """newline: the terminal of newlines where blocks are indented; tab: its width in columns there."""
        super().__init__(automaton, tables.terminals)
        self._newline, self._widths = newline, {" ": 1, "\t": tab}
        self.tables = tables
        self._refused = automaton.refused
        number = self._number
        self._begins_lines = [newline >= 0 and tables.terminals[newline] in endings for endings in self._endings]
        self._next: dict[LexState, tuple[dict[LexState, str], dict[tuple[Token | None, LexState], str]]] = {}
        self._end: Tokens = (END,) if newline < 0 else (Line(END_OF_FILE, END_OF_FILE), END)
        self._follows = _neighbours(tables)
        self._starts = automaton.starts
        self._contexts = [{number[t]: to for t, to in row.items() if t in number} for row in automaton.after]
        self.start: LexState = self.state(Between, _NOTHING, 0)
        self.between = tuple(self.state(Between, _NOTHING, context) for context in range(len(self._starts)))
        self.leads: Callable[[], Mapping[LexState, str]] = dict  # see all_entries
        self.texts = {
            text: number[name] for q in automaton.starts for name, text in self._endings[q].items() if name in number
        }
        self._bare, self._bare_moves, self._bare_accepts = self._without_names()

    def _without_names(self) -> tuple[list[int], list[dict[int, int]], list[bool]]:
        """The automaton reduced to whether a state accepts: (state -> the reduced state, moves, accepting)."""
        marked = Dfa([], [], self._moves, [None if e is None else IGNORED for e in self._emits], self._refused)
        blocks = dfa.partition(marked)
        moves: list[dict[int, int]] = [{} for _ in range(max(blocks) + 1)]
        accepts = [False] * len(moves)
        for q, block in enumerate(blocks):
            moves[block] = {c: blocks[to] for c, to in self._moves[q].items()}
            accepts[block] = self._emits[q] is not None
        self._bare_refused = {blocks[q]: classes for q, classes in self._refused.items()}
        return blocks, moves, accepts

    @property
    def contexts(self) -> int:
        """The number of contexts."""
        return len(self._starts)

    def context_of(self, state: LexState) -> int:
        """The context of a state."""
        return self._parts(settled(state))[3]

    def found_in(self, context: int) -> Mapping[int, int]:
        """The terminals found in a context -> the next context."""
        endings = self._endings[self._starts[context]]
        terminals = [self._number[name] for name in endings if name in self._number]
        return {t: then for t in terminals if (then := self._context_after(context, (t,))) is not None}

    def is_alternatives(self, terminal: int) -> bool:
        """Whether a terminal is a name of alternatives."""
        return self.tables.terminals[terminal] in self.automaton.alternatives

    def standing_for(self, terminal: int) -> list[int]:
        """The names of the alternatives with this terminal."""
        name, number = self.tables.terminals[terminal], self._number
        return [number[n] for n, of in self.automaton.alternatives.items() if n in number and name in of]

    # -- stepping

    def _step(self, state: LexState, char: str) -> Step:
        c = self.class_of(char)
        q, fallback, watched, context, column = self._parts(state)
        if watched:
            still = self._watch(watched, c)
            if still is None:
                return DEAD
            watched = still
        if q in self._refused and c in self._refused[q]:
            fallback = None
        to = self._moves[q].get(c)
        if to is None:
            if fallback is None:
                return DEAD
            tokens, rest = fallback
            after, more = self.step(rest, char)
            return DEAD if after is None else (self._watching(after, watched), tokens + more)
        emits = self._emits[to]
        if self._begins_lines[to]:
            column = self._column_after(column, char)
            emits = emits and self._line(column)
        if emits is not None:
            then = self._context_after(context, emits)
            if then is None:
                fallback = None
            elif not self._moves[to]:
                return self.started(watched, then), emits
            else:
                fallback = emits, self.started(_NOTHING, then)
        elif fallback is not None:
            tokens, rest = fallback
            after, more = self.step(rest, char)
            tokens += more
            is_alive = not more or self._side_by_side(tokens)
            fallback = (tokens, after) if after is not None and is_alive else None
        if fallback is None and not self._moves[to]:
            return DEAD
        return self.state(InSymbol, to, fallback, watched, context, column), ()

    def _column_after(self, column: int, char: str) -> int:
        """The column of the line begun by a symbol, after one more character."""
        if char == "\n":
            return 0
        width = self._widths.get(char, 0)
        return column + width if column >= 0 else column - width if column <= _AT_LEAST else column

    def _line(self, column: int) -> Tokens:
        """The terminal of a symbol of newlines; without a newline in it, one the grammar does not use."""
        if column == NO_COLUMN:
            return (-1,)
        return (Line(column, column) if column >= 0 else Line(_AT_LEAST - column, ANY_FURTHER),)

    def _context_after(self, context: int, emits: Tokens) -> int | None:
        """The context after a symbol; None for a terminal that the grammar does not use or that cannot come there."""
        if not emits:
            return context
        terminal = emits[0]
        if isinstance(terminal, Line):
            return 0
        if terminal < 0:
            return None
        return self._contexts[context].get(terminal) if self._contexts else 0

    def _watch(self, watched: Watched, c: int) -> Watched | None:
        """The watched symbols after a character of a class; None when one of them accepts, or the class may not follow one of them."""
        if self._bare_refused and any(c in self._bare_refused.get(q, _NO_CLASSES) for q in watched):
            return None
        after = {self._bare_moves[q][c] for q in watched if c in self._bare_moves[q]}
        return None if any(self._bare_accepts[q] for q in after) else frozenset(after)

    def _watching(self, state: LexState, watched: Watched) -> LexState:
        if not watched:
            return state
        symbol = state.symbol
        if isinstance(symbol, InSymbol):
            watched |= symbol.watched
            return self.state(InSymbol, symbol.q, symbol.fallback, watched, symbol.context, symbol.column)
        assert isinstance(symbol, Between)
        return self.started(symbol.watched | watched, symbol.context)

    def _side_by_side(self, tokens: Tokens) -> bool:
        follows = self._follows
        return all(isinstance(a, Line) or isinstance(b, Line) or b in follows[a] for a, b in pairwise(tokens))

    def _finish(self, state: LexState) -> Tokens | None:
        if not isinstance(state.symbol, InSymbol):
            return self._end
        if state.symbol.fallback is None:
            return None
        tokens, rest = state.symbol.fallback
        after = self.finish(rest)
        return None if after is None else tokens + after

    def _nesting(self, state: LexState) -> int:
        return int(isinstance(state.symbol, InSymbol))

    def _outside(self, state: LexState) -> LexState:
        return self.start

    def is_between(self, state: LexState) -> bool:
        return is_between(state)

    def begins_line(self, state: LexState) -> bool:
        return is_between(state)

    # -- possible ends of a state's symbol

    def started(self, watched: Watched, context: int) -> LexState:
        """The state between symbols, behind symbols that must not go on."""
        return self.state(Between, watched, context)

    def open_symbol(self, q: int, watched: Watched, context: int, column: int = NO_COLUMN) -> LexState:
        """The state inside a symbol that will end later than here."""
        return self.state(InSymbol, q, None, watched, context, column)

    def ended(self, q: int) -> Watched:
        """The symbols to watch after one has ended in a state of the automaton."""
        return frozenset((self._bare[q],)) if self._moves[q] else _NOTHING

    def lexer_alternatives(self, state: LexState) -> list[tuple[Tokens, LexState]]:
        """The state as alternatives (terminals emitted, state) without a fallback: the symbol has ended, or ends later."""
        state = settled(state)
        if not isinstance(state.symbol, InSymbol):
            return [((), state)]
        q, watched = state.symbol.q, state.symbol.watched
        opened = self.open_symbol(q, watched, state.symbol.context, state.symbol.column)
        out: list[tuple[Tokens, LexState]] = [((), opened)] if self._moves[q] else []
        if state.symbol.fallback is not None:
            tokens, rest = state.symbol.fallback
            watched = watched | self.ended(q)
            out += [(tokens + more, self._watching(after, watched)) for more, after in self.lexer_alternatives(rest)]
        return out

    def onward(self, state: LexState) -> tuple[dict[LexState, str], dict[tuple[Token | None, LexState], str]]:
        """For a state without a fallback, each with a shortest text leading there: the states within this symbol, itself first; its
        possible terminals, or none for ignored text, and the states after them."""
        within = {state: ""}
        ends: dict[tuple[Token | None, LexState], str] = {}
        todo = deque(within)
        while todo:
            here = todo.popleft()
            inner, ended = self._next_of(here)
            for opened, char in inner.items():
                if opened not in within:
                    within[opened] = within[here] + char
                    todo.append(opened)
            for end, char in ended.items():
                if end not in ends:
                    ends[end] = within[here] + char
        return within, ends

    def _next_of(self, state: LexState) -> tuple[dict[LexState, str], dict[tuple[Token | None, LexState], str]]:
        """As `onward` after one more character, each with the plainest one. Kept: most states are met from each gap."""
        reached = self._next.get(state)
        if reached is not None:
            return reached
        q, _, watched, context, column = self._parts(state)
        inner: dict[LexState, str] = {}
        ends: dict[tuple[Token | None, LexState], str] = {}
        for c, char in self._examples.items():
            to = self._moves[q].get(c)
            still = self._watch(watched, c) if watched else watched
            if to is None or still is None:
                continue
            emits, further = self._emits[to], column
            if self._begins_lines[to]:
                further = self._further_right(column, char)
                emits = emits and self._line(further)
            if self._moves[to]:
                inner.setdefault(self.open_symbol(to, still, context, further), char)
            then = None if emits is None else self._context_after(context, emits)
            if emits is not None and then is not None:
                terminal = emits[0] if emits else None
                ends.setdefault((terminal, self.started(still | self.ended(to), then)), char)
        self._next[state] = inner, ends
        return inner, ends

    def _further_right(self, column: int, char: str) -> int:
        """As `_column_after`, with any blanks to follow."""
        if char == "\n":
            return _AT_LEAST
        return _AT_LEAST - column - 1 if column >= 0 and char in self._widths else column

    def states_within(self, state: LexState) -> Mapping[LexState, str]:
        symbol = settled(state).symbol
        if not isinstance(symbol, InSymbol):
            return {}
        return self.onward(self.open_symbol(symbol.q, symbol.watched, symbol.context, symbol.column))[0]

    def automaton_state(self, state: LexState) -> int | None:
        symbol = settled(state).symbol
        if not isinstance(symbol, InSymbol):
            return None
        q = symbol.q
        is_blank = self._emits[q] == () and self.class_of("a") not in self._moves[q]  # as good as between symbols
        return None if is_blank else q

    def all_entries(self) -> Mapping[LexState, str]:
        return self.leads()

    def words(self) -> dict[int, str]:
        """terminal -> its shortest text, plain ones first."""
        return {t: text for text, t in sorted(self.texts.items(), key=lambda item: (len(item[0]), item[0].isalnum()))}

    def own_endings(self, state: LexState) -> list[int | None]:
        """The possible terminals of the symbol in progress, ending here or later; None for an ignored one. Not: a shorter symbol and
        others behind it."""
        q, _, watched, _, _ = self._parts(state)
        if watched:
            return []
        return [
            None if name == IGNORED else self._number[name]
            for name in self._endings[q]
            if name in self._number or name == IGNORED
        ]

    def separates(self, char: str) -> bool:
        """Whether a character is ignored wherever it comes between symbols, and two of it are never part of a symbol that could have
        ended before.

        A date that goes on with a space and the time, for one, ends before two spaces.
        """
        c = self.class_of(char)
        for start in self._starts:
            to = self._moves[start].get(c)
            if to is None or self._emits[to] != ():
                return False
            if any(self._emits[a] != () or a != self._moves[start].get(k) for k, a in self._moves[to].items()):
                return False
        onward = [self._moves[q][c] for q, emits in enumerate(self._emits) if emits and c in self._moves[q]]
        return all(self._emits[after] is None and c not in self._moves[after] for after in onward)

    def _expected(self, state: LexState) -> tuple[Tokens, ...]:
        if is_between(state):
            return ()
        q, fallback, _, _, _ = self._parts(state)
        out: dict[Tokens, None] = {}
        for name in self._endings[q]:
            if name == IGNORED:
                return ()
            if name in self._number and self._further(q, name):
                number = self._number[name]
                out[ANY_LINE if number == self._newline else number,] = None
        if fallback is not None:
            tokens, rest = fallback
            after = self.expected(rest)
            for more in after or ((),):
                out[tokens + more] = None
        return tuple(out) or ((-1,),)

    def _further(self, q: int, name: str) -> bool:
        """Whether the symbol can become this terminal by ending later than here."""
        return any(name in self._endings[to] for to in self._moves[q].values())

    def closers(self, state: LexState) -> tuple[str, ...]:
        state = settled(state)
        if is_between(state):
            return ()
        q = self._parts(state)[0]
        texts = {text or self._blank_after(q) for text in self._endings[q].values()}
        return tuple(sorted(texts, key=len))

    def _blank_after(self, q: int) -> str:
        """A blank that ends a symbol which may end here: not a space in a comment up to the line's end."""
        return next((char for char in " \n" if self.class_of(char) not in self._moves[q]), " ")

    def alike(self, char: str) -> Hashable:
        return char if char in "\r\n" else self.class_of(char)

    def ordinary(self) -> list[LexState]:
        return list(islice(self._reached([self.start]), _MOST_ORDINARY))

    def few_states(self, most: int) -> list[LexState] | None:
        """All states that texts lead to; None where there are more than so many."""
        states = list(islice(self._reached(self.between), most + 1))
        return states if len(states) <= most else None

    def _reached(self, starts: Iterable[LexState]) -> Iterator[LexState]:
        """The states that texts lead to from some, without those between carriage return and line feed."""
        met = dict.fromkeys(starts)
        todo = deque(met)
        while todo:
            here = todo.popleft()
            yield here
            for char in self._examples.values():
                after, _ = self.step(here, char)
                if after is not None and after is settled(after) and after not in met:
                    met[after] = None
                    todo.append(after)

    def rules(self) -> str:
        return repr((self.automaton.as_json(), self.tables.terminals, self.tables.rules))

    def _parts(self, state: LexState) -> tuple[int, tuple[Tokens, LexState] | None, Watched, int, int]:
        """(the automaton's state, the fallback, the watched symbols, the context, the column)."""
        symbol = state.symbol
        if isinstance(symbol, InSymbol):
            return symbol.q, symbol.fallback, symbol.watched, symbol.context, symbol.column
        assert isinstance(symbol, Between)
        return self._starts[symbol.context], None, symbol.watched, symbol.context, NO_COLUMN


def _neighbours(tables: Tables) -> Sequence[frozenset[int]]:
    """terminal -> the terminals directly after it in the language."""
    first = tables.edges(0)
    last = tables.edges(-1)
    follows: list[set[int]] = [set() for _ in tables.terminals]
    for _, rhs in tables.rules:
        for a, b in pairwise(rhs):
            for t in last[a] if a >= 0 else (~a,):
                follows[t] |= first[b] if b >= 0 else {~b}
    return [frozenset(f) for f in follows]
