"""The texts among many that may come next: texts indistinguishable in a lexer state are asked about once.

A text read from a lexer state emits terminals and leaves the lexer in another state. Of that state only the possible terminals of the
symbol in progress count (`Lexer.expected`), or, where completability is decided from both sides, the state itself. So two texts with the
same terminals and the same end (an *outcome*) may come in the same situations. The lexer does not know the parser: texts are grouped by
outcome for each lexer state alone, and each group is asked about in a situation.

Outcomes share their terminals in a tree. Where completability is decided from both sides, the stacks are fed down the tree and each end
is asked about (`_Exact`). Else the admitted nodes are read off the stacks from the top (`_Foreseen`, see stack_automaton.py), and the
answer is cached for all stacks alike in the cells it depends on.
"""

from __future__ import annotations

import hashlib
import sys
import unicodedata
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple, Protocol, TypeGuard

from ...common.utf8 import utf8_range
from ..glr.gss import GssNode
from ..glr.prefix import Engine, PrefixState
from ..hole import State
from ..lexing.base import Choice, LexState, Tokens
from .serialized import Forest, Packed, Packer, Root
from .stack_automaton import StackAutomaton
from .terminal_trie import Given, Place, TerminalTrie, TrieArena, step


class EquivalenceKey(NamedTuple):
    """The grouping of texts in a lexer state: as in `like`, except that texts emitting a terminal must also begin with the same run of
    characters from `run` (columns are not finite; white space leading to one is distinguished as written)."""

    like: LexState
    run: str


class TokenPartition:
    """The groups of one engine; `exact`: the whole lexer state counts at the end of a text."""

    def __init__(self, engine: Engine, exact: bool) -> None:
        self.engine = engine
        self.exact = exact

    @property
    def is_used(self) -> bool:
        """Whether this is still the partition of its engine."""
        return self.engine.derived.get((TokenPartition, self.exact)) is self

    @cached_property
    def foresight(self) -> StackAutomaton:
        """The reader of admitted nodes off stacks, for languages where each viable text can be completed."""
        return StackAutomaton(self.engine)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything the groups of ordinary states depend on; the same in each process."""
        parts = (_code(), sys.version_info[:2], unicodedata.unidata_version, self.exact, self.engine.lexer.rules())
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    def ordinary(self) -> Mapping[str, LexState]:
        """By name, the lexer states worth preparing; a lexer state `like` another is grouped as that one."""
        return {self.name(state): state for state in self.engine.lexer.ordinary()}

    def name(self, place: LexState) -> str:
        """A name of a lexer state, the same in each process."""
        return repr(_named(place.symbol))

    def place(self, state: State) -> LexState:
        """The lexer state of a state of a hole."""
        return state.left.lex

    def within(self, state: State) -> tuple[State, str] | None:
        """(another state, pattern): texts without a match of the regular expression (ASCII; in the UTF-8 of a text) may come exactly if
        they may come in that state. None if nothing is known."""
        left = state.left
        inner_state = self.engine.lexer.within(left.lex)
        if inner_state is None:
            return None
        inner, pattern = inner_state
        if isinstance(inner, LexState):
            inner = self.engine.left(inner, left.frame, left.stacks)
        return State(inner, state.context), pattern

    def specials(self) -> list[str]:
        """All patterns of `within`."""
        return self.engine.lexer.specials()

    def equivalence_key(self, place: LexState) -> EquivalenceKey:
        """The grouping of texts there."""
        return EquivalenceKey(*self.engine.lexer.equivalence_key(place))

    def alike(self, char: str) -> Hashable:
        """A value equal for characters alike in every lexer state."""
        return self.engine.lexer.alike(char)

    def alike_from(self, place: Place, char: str) -> Hashable | None:
        """A value equal for characters with the same step from this state, or None; cheaper than a step."""
        return None if isinstance(place, Choice) else self.engine.lexer.alike_from(place, char)

    def step(self, place: Place, char: str) -> tuple[Place | None, Tokens]:
        """(the lexer's place after one more character or None, terminals emitted)."""
        return step(self.engine.lexer, place, char)

    def end(self, place: Place) -> Hashable:
        """The relevant part of a lexer state at the end of a text."""
        if isinstance(place, Choice):
            return place
        return self.engine.lexer.end_key(place) if self.exact else self.engine.lexer.expected(place)

    def spellings(self, partial: bytes) -> tuple[str, ...]:
        """Representatives of the characters whose UTF-8 encoding starts with these bytes."""
        code_points = utf8_range(partial)
        return () if code_points is None else self.engine.lexer.representatives(*code_points)

    def forest(self, packed: bytes | memoryview = b"") -> Forest:
        """A forest of groups numbered alike in several lexer states, with the result of `pack`."""
        return Forest(self.engine, self.exact, Packed(packed) if packed else None)

    def pack(self, given: Iterable[tuple[LexState, Sequence[str], Sequence[int]]]) -> tuple[bytes, list[int]] | None:
        """The packed trees of lexer states (the `like` of each), texts and groups, and the number of each; None where packing saves
        nothing."""
        if self.exact:
            return None
        packer = Packer(self.forest())
        roots = [packer.root(place, texts, groups, self.equivalence_key(place).run) for place, texts, groups in given]
        return packer.packed(), roots

    def choices(self, place: LexState, texts: Sequence[str], groups: Sequence[int], forest: TrieArena) -> Choices:
        """Ask about groups by number, given by texts: one of each group's must be possible."""
        root = TerminalTrie(Given(place, texts, groups))
        return _Exact(forest, root) if self.exact else _Foreseen(forest, self.foresight, Root([root], ()))

    def packed_choices(self, place: LexState, number: int, forest: Forest) -> Choices:
        """The same with the packed tree of the state's `like`."""
        assert forest.packed is not None
        return _Foreseen(forest, self.foresight, forest.packed.root(number, place, forest))


def partition_of(state: State) -> TokenPartition:
    """The partition of a state's engine: exact for holes with completability decided from both sides, and for a lexer that asks the stacks,
    whose answers cannot be foreseen either."""
    context = state.context
    return _partition(context.engine, context.engine.lexer.asks or context.completable is not None)


def partitions_of(state: State) -> list[TokenPartition]:
    """The partition of a state, and before it the one for most holes of its language."""
    engine = state.context.engine
    usual = [_partition(engine, True)] if engine.two_sided else []
    return list(dict.fromkeys([*usual, partition_of(state)]))


def _partition(engine: Engine, exact: bool) -> TokenPartition:
    partition = engine.derived.get((TokenPartition, exact))
    if partition is None:
        partition = engine.derived[TokenPartition, exact] = TokenPartition(engine, exact)
    return partition


def _named(value: object) -> object:
    """A symbol in progress as a value whose text is the same in each process; text in the fields of a string is named by the cells of
    its stacks."""
    if isinstance(value, PrefixState):
        return _named(value.lex.symbol), _cells(value.stacks.tops)
    if is_dataclass(value):
        return type(value).__name__, *(_named(getattr(value, field.name)) for field in fields(value))
    return tuple(_named(part) for part in value) if _is_tuple(value) else value


def _is_tuple(value: object) -> TypeGuard[tuple[object, ...]]:
    return isinstance(value, tuple)


def _cells(tops: tuple[GssNode, ...]) -> list[int] | int:
    """The LR states from the top down; for several stacks, a number unique to this process."""
    cells: list[int] = []
    while tops:
        (top, *others) = tops
        if others:
            return id(top)
        cells.append(top.state)
        tops = top.parents
    return cells


@cache
def _code() -> str:
    """A hash of the parser's modules and grammars."""
    modules = sorted(path for pattern in ("*.py", "*.lark") for path in Path(__file__).parents[1].rglob(pattern))
    return hashlib.sha256(b"".join(module.read_bytes() for module in modules)).hexdigest()


class Choices(Protocol):
    """The test for groups that may come, in any situation in one lexer state."""

    def admitted(self, state: State) -> int:
        """The groups possible in a state, as the bits of a number."""
        ...


class _Exact:
    """For completability decided from both sides, or a lexer that asks the stacks."""

    def __init__(self, forest: TrieArena, root: TerminalTrie) -> None:
        self._forest, self._root = forest, root

    def admitted(self, state: State) -> int:
        forest, left, completable = self._forest, state.left, state.context.completable
        engine = forest.engine
        advance, viable, left_of = engine.factory.advance, engine.viable, engine.left
        bits_admitted, todo = 0, [(self._root, left.frame, left.stacks)]
        while todo:
            node, frame, stacks = todo.pop()
            node.read(forest)
            for lex, bits in node.by_state.items():
                if viable(lex, stacks) and (completable is None or completable(left_of(lex, frame, stacks))):
                    bits_admitted |= bits
            for options, ways in node.forks:
                number = engine.choose(stacks, options)
                if number >= 0:
                    todo.append((ways[number], frame, stacks))
            for token, kid in node.kids.items():
                after = advance(stacks, token)
                if after is not None:
                    todo.append((kid, frame, after))
            for line, kid in node.lines.items():
                moved = engine.feed(frame, stacks, (line,))
                if moved is not None:
                    todo.append((kid, *moved))
        return bits_admitted


class _Foreseen:
    """For languages where each viable text can be completed."""

    def __init__(self, forest: TrieArena, foresight: StackAutomaton, root: Root) -> None:
        self._forest, self._foresight, self._root = forest, foresight, root

    def admitted(self, state: State) -> int:
        left, engine = state.left, self._forest.engine
        bits_admitted, todo = 0, [(tree, left.frame, left.stacks) for tree in self._root.starts]
        for line, kid in self._root.lines:
            moved = engine.feed(left.frame, left.stacks, (line,))
            if moved is not None:
                todo.append((kid, *moved))
        while todo:
            tree, frame, stacks = todo.pop()
            possible, at_lines = self._foresight.read(self._forest, tree, stacks)
            bits_admitted |= possible
            for node, reached in at_lines:
                for line, kid in node.lines.items():
                    moved = engine.feed(frame, reached, (line,))
                    if moved is not None:
                        todo.append((kid, *moved))
        return bits_admitted
