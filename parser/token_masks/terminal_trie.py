"""Outcomes as trees: the terminals emitted by texts, and the groups whose texts end after them.

Texts are read on demand. Trees read before, in another process, are packed (see serialized.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import NamedTuple

from ..glr.layout import Line
from ..glr.prefix import Engine
from ..lexing.base import ANY_LINE, Choice, Lexer, LexState, Option, Token, Tokens

Place = LexState | Choice
"""A lexer state, or, if the lexer asks the stacks, a Choice without terminals, with the text still to be read."""


def step(lexer: Lexer, place: Place, char: str) -> tuple[Place | None, Tokens]:
    """The lexer's place after one more character, and the terminals emitted."""
    if isinstance(place, Choice):
        return Choice.of((), place.options, place.rest + char), ()
    after, tokens = lexer.step(place, char)
    if type(tokens) is Choice:
        return Choice.of((), tokens.options, tokens.rest), tuple(tokens)
    return after, tokens


class Item(NamedTuple):
    """A text at a node of a tree: the further terminals emitted, the lexer's place after them, the text still to be read."""

    tokens: Tokens
    lex: Place
    text: str
    group: int


@dataclass(frozen=True, slots=True)
class Given:
    """The items of texts and groups in a lexer state, made when read."""

    lex: LexState
    texts: Sequence[str]
    groups: Sequence[int]

    def __iter__(self) -> Iterator[tuple[Tokens, Place, str, int]]:
        return zip(repeat(()), repeat(self.lex), self.texts, self.groups)


class Ends(NamedTuple):
    """Groups, as bits: those possible in any case; those possible if some new line is; those possible if one of some terminals (bits) is.
    kids: the terminals that may come next; needs: those, and all others relevant to these groups."""

    always: int
    by_line: int
    by_terminal: tuple[tuple[int, int], ...]
    kids: int
    needs: int


_UNREAD = Ends(0, 0, (), 0, 0)


class TerminalTrie:
    """A node after some terminals: the groups ending here, and the next nodes; read on demand. Equal ones are one object, so that the
    results for the rest of a text serve all lexer states leading there."""

    is_interned = True
    __slots__ = ("_ends", "_items", "by_state", "forks", "kids", "lines")

    def __init__(self, items: Iterable[tuple[Tokens, Place, str, int]]) -> None:
        self._items = items
        self._ends = _UNREAD
        self.by_state: dict[LexState, int] = {}  # groups (bits) ending in a lexer state
        self.kids: dict[int, TerminalTrie] = {}
        self.lines: dict[Line, TerminalTrie] = {}
        self.forks: list[
            tuple[tuple[Option, ...], list[TerminalTrie]]
        ] = []  # if the lexer asks the stacks: the nodes of each answer

    def read(self, forest: TrieArena) -> Ends:
        """Read on all texts up to their next terminal."""
        if self._ends is _UNREAD:
            self._ends = self._read(forest)
            forest.engine.made += 2
        return self._ends

    def _read(self, forest: TrieArena) -> Ends:
        lexer = forest.engine.lexer
        ended: dict[LexState, list[int]] = {}
        after: dict[Token, list[Item]] = {}
        undecided: dict[tuple[Option, ...], list[tuple[str, int]]] = {}
        for tokens, start, text, group in self._items:
            lex: Place | None = start
            offset = 0
            while not tokens and offset < len(text) and type(lex) is LexState:
                char = text[offset]
                offset += 1
                step = lex.memo.get(char)
                lex, tokens = step if step is not None else lexer.step(lex, char)
                if type(tokens) is Choice:
                    lex, tokens = Choice.of((), tokens.options, tokens.rest), tuple(tokens)
            if lex is None:
                continue
            if tokens:
                after.setdefault(tokens[0], []).append(Item(tokens[1:], lex, text[offset:], group))
            elif isinstance(lex, Choice):
                undecided.setdefault(lex.options, []).append((lex.rest + text[offset:], group))
            else:
                ended.setdefault(lex, []).append(group)
        self._items = ()
        self.forks = [
            (options, [forest.tree([Item(way.tokens, way.lex, rest, n) for rest, n in texts]) for way in options])
            for options, texts in undecided.items()
        ]
        self.by_state = {lex: bits_of(groups) for lex, groups in ended.items()}
        always = by_line = 0
        by_terminal: dict[int, int] = {}
        for lex, groups in () if forest.exact else ended.items():
            alternatives = lexer.expected(lex)
            bits = self.by_state[lex]
            if not alternatives:
                always |= bits
            terminals = 0
            for tokens in alternatives:
                if tokens == (ANY_LINE,):
                    by_line |= bits
                elif len(tokens) == 1 and isinstance(tokens[0], int):
                    terminals |= 1 << tokens[0]
                else:  # as if they had been emitted, and anything might come then
                    after.setdefault(tokens[0], []).extend(Item(tokens[1:], lexer.start, "", n) for n in groups)
            if terminals:
                by_terminal[terminals] = by_terminal.get(terminals, 0) | bits
        for token, items in after.items():
            if isinstance(token, Line):
                self.lines[token] = forest.tree(items)
            elif token >= 0:  # the grammar uses no others
                self.kids[token] = forest.tree(items)
        needs = kids = sum(1 << token for token in self.kids)
        for terminals in by_terminal:
            needs |= terminals
        if by_line:
            assert forest.engine.blocks is not None
            needs |= 1 << forest.engine.blocks.newline
        return Ends(always, by_line, tuple(by_terminal.items()), kids, needs)


def bits_of(numbers: Sequence[int]) -> int:
    """A number with these bits."""
    bits = bytearray(max(numbers) // 8 + 1)
    for number in numbers:
        bits[number >> 3] |= 1 << (number & 7)
    return int.from_bytes(bits, "little")


class TrieArena:
    """Trees of groups numbered alike."""

    def __init__(self, engine: Engine, exact: bool) -> None:
        self.engine, self.exact = engine, exact
        self._known: dict[tuple[Item, ...], TerminalTrie] = {}

    def tree(self, items: Sequence[Item]) -> TerminalTrie:
        """The tree with these items."""
        key = tuple(items)
        tree = self._known.get(key)
        if tree is None:
            tree = self._known[key] = TerminalTrie(key)
        return tree
