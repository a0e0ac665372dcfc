"""Which of many texts may come next: texts that a lexer state cannot tell apart are asked about once.

A text read from a lexer state emits terminals and leaves the lexer in another state. Of that state only counts what the symbol
in progress can still become (`Lexer.expected`), or, where completability is decided from both sides, the state itself. So two
texts with the same terminals and the same end (an *outcome*) may come in the same situations. The lexer does not know the
parser: texts are grouped by outcome for each lexer state alone, and a situation is asked about each group.

Outcomes share their terminals in a tree. Where completability is decided from both sides, the stacks are fed down the tree and
each end is asked about (`_Exact`). Else what the stacks admit is read off them from the top (`_Foreseen`, see foresight.py), so
that the answer is remembered for all stacks that agree as far as it depends on them.
"""

from __future__ import annotations

import hashlib
import sys
import unicodedata
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from .blocks import Line
from .foresight import Foresight
from .left import Engine
from .lexing import ANY_LINE, LexState, Token, Tokens

if TYPE_CHECKING:
    from .hole import State


class Kinship(NamedTuple):
    """How texts are grouped in a lexer state: as in `like`, except that texts which emit a terminal must also begin with the same
    run of characters from `run` (columns are not finite; white space that leads to one is told apart as it is written)."""

    like: LexState
    run: str


class Grouper:
    """The groups of one engine; `exact`: what counts of a lexer state at the end of a text is all of it."""

    def __init__(self, engine: Engine, exact: bool) -> None:
        self.engine = engine
        self.exact = exact

    @cached_property
    def foresight(self) -> Foresight:
        """Where each viable text can be completed: reads off stacks what they admit."""
        return Foresight(self.engine)

    @cached_property
    def fingerprint(self) -> str:
        """Names what the groups of ordinary states depend on; the same in each process."""
        parts = (_code(), sys.version_info[:2], unicodedata.unidata_version, self.exact, self.engine.lexer.rules())
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    def ordinary(self) -> Mapping[str, LexState]:
        """By name, the lexer states worth preparing; all lexer states that are `like` another are grouped as that one."""
        return {self.name(state): state for state in self.engine.lexer.ordinary()}

    def name(self, place: LexState) -> str:
        """The same for the same state in each process."""
        return repr((place.kind, place.data, place.context))

    def place(self, state: State) -> LexState:
        """The lexer state that a state of a hole is in."""
        return state.left.lex

    def kinship(self, place: LexState) -> Kinship:
        """How texts are grouped there."""
        return Kinship(*self.engine.lexer.kinship(place))

    def alike(self, char: str) -> Hashable:
        """Characters with equal values behave alike in every lexer state."""
        return self.engine.lexer.alike(char)

    def step(self, place: LexState, char: str) -> tuple[LexState | None, Tokens]:
        """(the lexer state after one more character or None, terminals emitted)."""
        return self.engine.lexer.step(place, char)

    def end(self, place: LexState) -> Hashable:
        """What counts of a lexer state at the end of a text."""
        return place if self.exact else self.engine.lexer.expected(place)

    def spellings(self, partial: bytes) -> tuple[str, ...]:
        """Characters that stand for all whose UTF-8 encoding starts with these bytes."""
        from .hole import utf8_range

        code_points = utf8_range(partial)
        return () if code_points is None else self.engine.lexer.representatives(*code_points)

    def forest(self) -> Forest:
        """For groups that are numbered alike in several lexer states."""
        return Forest(self.engine, self.exact)

    def choices(self, place: LexState, texts: Sequence[str], groups: Sequence[int], forest: Forest) -> Choices:
        """Ask about groups by number, given by texts: one of each group's must be possible."""
        root = Tree(Given(place, texts, groups))
        return _Exact(forest, root) if self.exact else _Foreseen(forest, self.foresight, root)


def grouper_of(engine: Engine, exact: bool) -> Grouper:
    """The one of an engine."""
    if engine.grouper is None:
        engine.grouper = Grouper(engine, exact)
    return engine.grouper


@cache
def _code() -> str:
    """A hash of the parser's modules."""
    modules = sorted(Path(__file__).parent.rglob("*.py"))
    return hashlib.sha256(b"".join(module.read_bytes() for module in modules)).hexdigest()


class Choices(Protocol):
    """Asks which groups may come, in any situation in one lexer state."""

    def admitted(self, state: State) -> int:
        """The groups that may come in a state, as the bits of a number."""
        ...


class Item(NamedTuple):
    """Of a text at a node of a tree: terminals it has emitted further, the lexer state after them, what is still to be read."""

    tokens: Tokens
    lex: LexState
    text: str
    group: int


@dataclass(frozen=True, slots=True)
class Given:
    """The items of texts and groups in a lexer state, made when they are read."""

    lex: LexState
    texts: Sequence[str]
    groups: Sequence[int]

    def __iter__(self) -> Iterator[tuple[Tokens, LexState, str, int]]:
        return zip(repeat(()), repeat(self.lex), self.texts, self.groups)


class Ends(NamedTuple):
    """Groups, as bits: those that are possible in any case; when some new line is; when one of some terminals (bits) is.
    kids: the terminals that may come next; needs: those, and all that make a difference to these groups."""

    always: int
    by_line: int
    by_terminal: tuple[tuple[int, int], ...]
    kids: int
    needs: int


_UNREAD = Ends(0, 0, (), 0, 0)


class Tree:
    """After some terminals: the groups that end here, and what comes next; read when somebody asks. Equal ones are one object,
    so that what is found of the rest of a text serves all lexer states that lead there."""

    __slots__ = ("_ends", "_items", "by_state", "kids", "lines")

    def __init__(self, items: Iterable[tuple[Tokens, LexState, str, int]]) -> None:
        self._items = items
        self._ends = _UNREAD
        self.by_state: dict[LexState, int] = {}  # groups (bits) that end in a lexer state
        self.kids: dict[int, Tree] = {}
        self.lines: dict[Line, Tree] = {}

    def read(self, forest: Forest) -> Ends:
        """Read on all texts up to their next terminal."""
        if self._ends is _UNREAD:
            self._ends = self._read(forest)
        return self._ends

    def _read(self, forest: Forest) -> Ends:
        lexer = forest.engine.lexer
        step = lexer.step
        ended: dict[LexState, list[int]] = {}
        after: dict[Token, list[Item]] = {}
        for tokens, start, text, group in self._items:
            lex: LexState | None = start
            at = 0
            while not tokens and at < len(text):
                char = text[at]
                at += 1
                known = lex.memo.get(char)  # type: ignore[union-attr]
                lex, tokens = known if known is not None else step(lex, char)  # type: ignore[arg-type]
                if lex is None:
                    break
            if lex is None:
                continue
            if tokens:
                after.setdefault(tokens[0], []).append(Item(tokens[1:], lex, text[at:], group))
            else:
                ended.setdefault(lex, []).append(group)
        self._items = ()
        self.by_state = {lex: _bits(groups) for lex, groups in ended.items()}
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
                elif len(tokens) == 1:
                    terminals |= 1 << tokens[0]  # type: ignore[operator]
                else:  # as if they had been emitted, and anything might come then
                    after.setdefault(tokens[0], []).extend(Item(tokens[1:], lexer.start, "", n) for n in groups)
            if terminals:
                by_terminal[terminals] = by_terminal.get(terminals, 0) | bits
        for token, items in after.items():
            if isinstance(token, Line):
                self.lines[token] = forest.tree(items)
            elif token >= 0:  # others the grammar does not use
                self.kids[token] = forest.tree(items)
        needs = kids = sum(1 << token for token in self.kids)
        for terminals in by_terminal:
            needs |= terminals
        if by_line:
            assert forest.engine.blocks is not None
            needs |= 1 << forest.engine.blocks.newline
        return Ends(always, by_line, tuple(by_terminal.items()), kids, needs)


def _bits(numbers: Sequence[int]) -> int:
    found = bytearray(max(numbers) // 8 + 1)
    for number in numbers:
        found[number >> 3] |= 1 << (number & 7)
    return int.from_bytes(found, "little")


class Forest:
    """Trees of groups that are numbered alike."""

    def __init__(self, engine: Engine, exact: bool) -> None:
        self.engine, self.exact = engine, exact
        self._known: dict[tuple[Item, ...], Tree] = {}

    def tree(self, items: Sequence[Item]) -> Tree:
        """The one with these items."""
        key = tuple(items)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = Tree(key)
        return known


class _Exact:
    """Where completability is decided from both sides; there are no blocks."""

    def __init__(self, forest: Forest, root: Tree) -> None:
        self._forest, self._root = forest, root

    def admitted(self, state: State) -> int:
        forest, left, completable = self._forest, state.left, state.context.completable
        assert completable is not None
        engine = forest.engine
        advance, viable, left_of = engine.factory.advance, engine.viable, engine.left
        found, todo = 0, [(self._root, left.stacks)]
        while todo:
            node, stacks = todo.pop()
            node.read(forest)
            for lex, bits in node.by_state.items():
                if viable(lex, stacks) and completable(left_of(lex, left.frame, stacks)):
                    found |= bits
            for token, kid in node.kids.items():
                after = advance(stacks, token)
                if after is not None:
                    todo.append((kid, after))
        return found


class _Foreseen:
    """Where each viable text can be completed."""

    def __init__(self, forest: Forest, foresight: Foresight, root: Tree) -> None:
        self._forest, self._foresight, self._root = forest, foresight, root

    def admitted(self, state: State) -> int:
        left, engine = state.left, self._forest.engine
        found, todo = 0, [(self._root, left.frame, left.stacks)]
        while todo:
            tree, frame, stacks = todo.pop()
            possible, at_lines = self._foresight.read(self._forest, tree, stacks)
            found |= possible
            for node, reached in at_lines:
                for line, kid in node.lines.items():
                    moved = engine.feed(frame, reached, (line,))
                    if moved is not None:
                        todo.append((kid, *moved))
        return found
