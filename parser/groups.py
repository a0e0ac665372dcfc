"""Which of many texts may come next: texts that a lexer state cannot tell apart are asked about once.

A text read from a lexer state emits terminals and leaves the lexer in another state. Of that state only counts what the symbol
in progress can still become (`Lexer.expected`), or, where completability is decided from both sides, the state itself. So two
texts with the same terminals and the same end (an *outcome*) may come in the same situations. The lexer does not know the
parser: texts are grouped by outcome for each lexer state alone, and a situation is asked about each group.

Outcomes share their terminals in a tree. Where completability is decided from both sides, the stacks are fed down the tree and
each end is asked about (`_Exact`). Else what the stacks admit is read off them from the top (see foresight.py), so that the
answer is remembered for all stacks that agree as far as it depends on them.
"""

from __future__ import annotations

import hashlib
import sys
import unicodedata
from collections.abc import Hashable, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from .blocks import Line
from .foresight import Foresight
from .left import Engine
from .lexing import ANY_LINE, Lexer, LexState, Token, Tokens

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

    def choices(self, place: LexState, groups: Sequence[Sequence[str]]) -> Choices:
        """Ask about groups, numbered from 0, each by its alternatives: texts of which one must be possible."""
        root = _tree(self.engine.lexer, place, groups)
        return _Exact(self.engine, root) if self.exact else _Foreseen(self.engine, self.foresight, root)


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


class Tree:
    """After some terminals: what may come next, and the groups that end here. The engine asks of few nodes ever."""

    __slots__ = ("_ends", "kids", "lines", "path")

    def __init__(self, path: tuple[int, ...]) -> None:
        self.path = path  # the terminals since the last new line
        self.kids: dict[int, Tree] = {}
        self.lines: dict[Line, Tree] | None = None
        self._ends: dict[LexState, int] | Ends = {}

    def kid(self, token: Token) -> Tree:
        """The tree after one more terminal or new line."""
        if token.__class__ is int:
            kid = self.kids.get(token)  # type: ignore[arg-type]
            if kid is None:
                kid = self.kids[token] = Tree((*self.path, token))  # type: ignore[index, arg-type]
            return kid
        if self.lines is None:
            self.lines = {}
        return self.lines.setdefault(token, Tree(()))  # type: ignore[arg-type]

    def end(self, lex: LexState, group: int) -> None:
        """Groups (bits) may end here, in a lexer state."""
        assert isinstance(self._ends, dict)
        self._ends[lex] = self._ends.get(lex, 0) | group

    @property
    def by_state(self) -> Mapping[LexState, int]:
        """Lexer state -> groups that end in it."""
        assert isinstance(self._ends, dict)
        return self._ends

    def ends(self, engine: Engine) -> Ends:
        """The groups that end here, by what must be possible for them; then `by_state` is gone."""
        if isinstance(self._ends, dict):
            self._ends = self._sorted(engine)
        return self._ends

    def _sorted(self, engine: Engine) -> Ends:
        always = by_line = 0
        by_terminal: dict[int, int] = {}
        for lex, groups in self.by_state.items():
            alternatives = engine.lexer.expected(lex)
            if not alternatives:
                always |= groups
            terminals = 0
            for tokens in alternatives:
                if tokens == (ANY_LINE,):
                    by_line |= groups
                elif len(tokens) == 1:
                    terminals |= 1 << tokens[0]  # type: ignore[operator]
                else:
                    after = self
                    for token in tokens:
                        after = after.kid(token)
                    after.end(engine.lexer.start, groups)  # where anything may come
            if terminals:
                by_terminal[terminals] = by_terminal.get(terminals, 0) | groups
        needs = kids = sum(1 << token for token in self.kids)
        for terminals in by_terminal:
            needs |= terminals
        if by_line:
            assert engine.blocks is not None
            needs |= 1 << engine.blocks.newline
        return Ends(always, by_line, tuple(by_terminal.items()), kids, needs)


class Ends(NamedTuple):
    """Groups, as bits: those that are possible in any case; when some new line is; when one of some terminals (bits) is.
    kids: the terminals that may come next; needs: those, and all that make a difference to these groups."""

    always: int
    by_line: int
    by_terminal: tuple[tuple[int, int], ...]
    kids: int
    needs: int


def _tree(lexer: Lexer, place: LexState, groups: Sequence[Sequence[str]]) -> Tree:
    root, step = Tree(()), lexer.step
    for number, texts in enumerate(groups):
        for text in texts:
            lex: LexState | None = place
            node = root
            for char in text:
                known = lex.memo.get(char)  # type: ignore[union-attr]
                lex, tokens = known if known is not None else step(lex, char)  # type: ignore[arg-type]
                if lex is None:
                    break
                for token in tokens:
                    kid = node.kids.get(token)  # type: ignore[arg-type]
                    node = kid if kid is not None else node.kid(token)
            if lex is not None:
                node.end(lex, 1 << number)
    return root


class _Exact:
    """Where completability is decided from both sides; there are no blocks."""

    def __init__(self, engine: Engine, root: Tree) -> None:
        self._engine, self._root = engine, root

    def admitted(self, state: State) -> int:
        left, completable, engine = state.left, state.context.completable, self._engine
        assert completable is not None
        advance, viable, left_of = engine.factory.advance, engine.viable, engine.left
        found, todo = 0, [(self._root, left.stacks)]
        while todo:
            node, stacks = todo.pop()
            for lex, bits in node.by_state.items():
                if viable(lex, stacks) and completable(left_of(lex, left.frame, stacks)):
                    found |= bits
            for token, kid in node.kids.items():
                after = advance(stacks, token) if token >= 0 else None
                if after is not None:
                    todo.append((kid, after))
        return found


class _Foreseen:
    """Where each viable text can be completed."""

    def __init__(self, engine: Engine, foresight: Foresight, root: Tree) -> None:
        self._engine, self._root = engine, root
        self._foresight = foresight

    def admitted(self, state: State) -> int:
        left, engine = state.left, self._engine
        found, todo = 0, [(self._root, left.frame, left.stacks)]
        while todo:
            tree, frame, stacks = todo.pop()
            possible, at_lines = self._foresight.read(tree, stacks)
            found |= possible
            for node in at_lines:
                fed = engine.feed(frame, stacks, node.path)
                if fed is None:
                    continue
                for line, kid in (node.lines or {}).items():
                    moved = engine.feed(fed[0], fed[1], (line,))
                    if moved is not None:
                        todo.append((kid, *moved))
        return found
