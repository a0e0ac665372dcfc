"""The readings of a Go text: the possible stacks of the grammar, each with its facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import count, repeat
from typing import Any, NamedTuple

from .....common.bounded import BoundedBySize
from ....scoping.replay import Cell, Events, Roles, stacked
from ..tables import grammar_version
from .facts import Facts
from .kinds import Uses
from .roles import new_roles
from .tokens import BEGINS_LITERAL, START, Lex, lex

_MAX_RETOLD = 2_000_000
"""Characters of texts with kept events."""
_PER_EVENT = 16
"""The size of an event, in characters."""


class Broken(Exception):
    """The text is not Go."""


class Reading:
    """The facts after some text. A kept reading is never changed, but copied."""

    __slots__ = ("grammar", "lex", "number", "tops")

    def __init__(self, grammar: Grammar, tops: list[tuple[Cell, Facts]], state: Lex, number: int) -> None:
        """number: of tokens so far."""
        self.grammar, self.tops, self.lex, self.number = grammar, tops, state, number

    @property
    def facts(self) -> Facts:
        """The facts of the first stack."""
        return self.tops[0][1]

    @property
    def free(self) -> frozenset[str]:
        """Names read and declared nowhere in the function, however the text is read."""
        return self._common("free")

    @property
    def uses(self) -> Uses:
        """The uses of names declared nowhere in the function, however the text is read."""
        return self._common("uses")

    @property
    def errors(self) -> frozenset[str]:
        """The compiler's errors, however the text is read."""
        return self._common("errors")

    @property
    def unused_found(self) -> frozenset[tuple[int, str]]:
        """Variables declared and never used, however the text is read."""
        return self._common("unused_found")

    def _common(self, name: str) -> frozenset[Any]:
        tops = self.tops
        common = getattr(tops[0][1], name)
        for _, facts in tops[1:]:
            other = getattr(facts, name)
            if other is not common:
                common &= other
        return common

    @property
    def in_function(self) -> bool:
        """Whether the text ends within a function's body."""
        return self.tops[0][1].function is not None

    @property
    def at_top(self) -> bool:
        """Whether the text ends between declarations."""
        return not self.lex.pending and any(cell[0] in self.grammar.between for cell, _ in self.tops)

    def reads_next(self, name: str) -> bool:
        """Whether a name, if it comes next, is a read, and not declared by the function."""
        return all(self.grammar.roles.reads_next(cell) and facts.find(name) is None for cell, facts in self.tops)

    def feed(self, *tokens: str) -> None:
        """Read more tokens; only for a reading that is not kept. Raises Broken."""
        grammar = self.grammar
        numbered = zip(grammar.terminals_of(tokens), tokens, count(self.number + 1))
        self.number += len(tokens)
        self.tops = grammar.roles.replay(self.tops, numbered, _told)
        if not self.tops:
            raise Broken(tokens)

    def after(self, text: str, *, end: bool = False) -> Reading:
        """The reading after more text. end: the file ends there. Raises Broken."""
        tokens, state = lex(self.lex, text, end=end)
        new = Reading(self.grammar, self.tops, state, self.number)
        new.feed(*tokens)
        return new

    def after_known(self, text: str, retold: Retold, *, end: bool = False) -> Reading:
        """As `after`; the events of the text on one stack are kept, and told again. Raises Broken."""
        key = text, end, self.lex, tuple(stacked(cell) for cell, _ in self.tops)
        told = retold.used(key)
        if told is None:
            tokens, state = lex(self.lex, text, end=end)
            told = retold[key] = Told(self._told_by(tokens), state, len(text))
        if not told.ways:
            raise Broken
        tops = [(cell, _told(self.tops[way][1], events)) for cell, way, events in told.ways]
        return Reading(self.grammar, tops, told.lex, self.number)

    def _told_by(self, tokens: list[str]) -> list[tuple[Cell, int, Events]]:
        """The stacks and events of tokens on each stack."""
        # Each stack with its way so far: (events, the earlier ones), at last the number of the first stack.
        tops: list[tuple[Cell, Any]] = [(cell, way) for way, (cell, _) in enumerate(self.tops)]
        numbered = zip(self.grammar.terminals_of(tokens), tokens, repeat(-1))
        ways: list[tuple[Cell, int, Events]] = []
        for cell, told in self.grammar.roles.replay(tops, numbered, lambda way, events: (events, way)):
            parts: list[Events] = []
            while not isinstance(told, int):
                events, told = told
                parts.append(events)
            ways.append((cell, told, [event for part in reversed(parts) for event in part]))
        return ways


class Told(NamedTuple):
    """The stacks after a text, each with the number of its stack before and the events on the way."""

    ways: list[tuple[Cell, int, Events]]
    lex: Lex
    characters: int


class Retold(BoundedBySize[tuple[str, bool, Lex, tuple[Any, ...]], Told]):
    """By (text, whether it ends the file, the lexer's state before it, the stacks before it)."""

    def __init__(self) -> None:
        super().__init__(_MAX_RETOLD, lambda told: told.characters + _PER_EVENT * sum(len(way[2]) for way in told.ways))


def _told(facts: Facts, events: Events) -> Facts:
    """The facts after some events."""
    facts = facts.copy()
    for event, arguments in events:
        event(facts, *arguments)
    return facts


class Grammar(NamedTuple):
    """One version's grammar, for readings."""

    roles: Roles
    terminals: Mapping[str, int]
    """of tokens that are neither names nor literals"""
    number: int
    string: int
    between: frozenset[int]
    """LR states between declarations"""

    def terminals_of(self, tokens: Iterable[str]) -> list[int]:
        terminal_of, name = self.terminals.get, self.roles.ident
        return [
            terminal_of(token)
            or (name if token[0] not in BEGINS_LITERAL else self.string if token[0] in '"`' else self.number)
            for token in tokens
        ]


@cache
def _grammar(version: str) -> tuple[Grammar, tuple[Cell, Cell]]:
    """The grammar, and the stacks at the beginning of a file and of a declaration."""
    roles = new_roles(version)
    tables = roles.tables
    terminals = {text: tables.terminal(name) for name, text in roles.texts.items()}
    number, string = tables.terminal("INT"), tables.terminal("STRING")
    file: Cell = (0, None, None)
    cell = file
    for token in (terminals["package"], roles.ident, terminals[";"]):
        ((cell, _),) = roles.step(cell, token, "p", 0)
    whole = {q for row in tables.goto for s, q in row.items() if tables.nonterminals[s] in ("top", "import_decl")}
    ended = {tables.shift[q].get(terminals[";"], 0) for q in whole}
    return Grammar(roles, terminals, number, string, frozenset({0, cell[0], *ended})), (file, cell)


def begin(version: str) -> Reading:
    """The reading at the beginning of a file, or of a declaration."""
    grammar, cells = _grammar(grammar_version(version))
    facts = Facts()
    return Reading(grammar, [(cell, facts) for cell in cells], START, 0)
