"""What is known after some text of a file of Go: the stacks of the grammar that are possible, each with its facts."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from .....common.bounded import BoundedBySize
from ....scoping.replay import Cell, Events, stacked
from .facts import Facts
from .roles import roles
from .tokens import NUMBER, START, STRING, Lex, lex

_MAX_RETOLD = 2_000_000
"""Characters of texts of which is kept what they tell."""
_PER_EVENT = 16
"""What an event counts for, in characters."""


class Broken(Exception):
    """The text is not Go."""


class Reading:
    """What is known after some text. One that is kept is never changed, but copied."""

    __slots__ = ("_own", "lex", "number", "tops")

    def __init__(self, tops: list[tuple[Cell, Facts]], state: Lex, number: int) -> None:
        """number: of tokens so far."""
        self.tops, self.lex, self.number = tops, state, number
        self._own: Facts | None = None
        """those facts that belong to nothing else"""

    @property
    def facts(self) -> Facts:
        """Those of the first stack."""
        return self.tops[0][1]

    @property
    def free(self) -> frozenset[str]:
        """Names that are read and declared nowhere in the function, however the text is read."""
        return self._common("free")

    @property
    def errors(self) -> frozenset[str]:
        """What the compiler refuses, however the text is read."""
        return self._common("errors")

    @property
    def unused_found(self) -> frozenset[tuple[int, str]]:
        """Variables that were declared and not used, however the text is read."""
        return self._common("unused_found")

    def _common(self, name: str) -> frozenset[Any]:
        tops = self.tops
        found = getattr(tops[0][1], name)
        for _, facts in tops[1:]:
            other = getattr(facts, name)
            if other is not found:
                found &= other
        return found

    @property
    def in_function(self) -> bool:
        """Is it within a function's body?"""
        return self.tops[0][1].function is not None

    @property
    def at_top(self) -> bool:
        """Does it end between declarations?"""
        return not self.lex.pending and any(cell[0] in _between() for cell, _ in self.tops)

    def reads_next(self, name: str) -> bool:
        """Is a name read, if it comes next, that the function does not declare?"""
        return all(roles().reads_next(cell) and facts.find(name) is None for cell, facts in self.tops)

    def feed(self, token: str) -> None:
        """One more token, of a reading that is not kept. Raises Broken."""
        self.number = number = self.number + 1
        known = roles()
        terminal = _terminals().get(token, known.ident)
        tops = self.tops
        if len(tops) == 1:
            ((cell, facts),) = tops
            after = known.step(cell, terminal, token, number)
            if len(after) == 1:
                ((cell, events),) = after
                if events:
                    if facts is not self._own:
                        facts = self._own = facts.copy()
                    for event, arguments in events:
                        event(facts, *arguments)
                self.tops = [(cell, facts)]
                return
            self.tops = found = [(top, _told(facts, events)) for top, events in after]
        else:
            self.tops = found = [
                (top, _told(facts, events))
                for cell, facts in tops
                for top, events in known.step(cell, terminal, token, number)
            ]
        if not found:
            raise Broken(token)

    def after(self, text: str, *, end: bool = False) -> Reading:
        """What is known after more text. end: the file ends there. Raises Broken."""
        tokens, state = lex(self.lex, text, end=end)
        new = Reading(self.tops, state, self.number)
        for token in tokens:
            new.feed(token)
        return new

    def after_known(self, text: str, known: Retold, *, end: bool = False) -> Reading:
        """The same; what the text tells behind one stack is kept, and told again. Raises Broken."""
        if self.lex.pending:
            return self.after(text, end=end)
        key = text, end, self.lex.armed, tuple(stacked(cell) for cell, _ in self.tops)
        found = known.used(key)
        if found is None:
            tokens, state = lex(self.lex, text, end=end)
            found = known[key] = Told(_told_by(tokens, [cell for cell, _ in self.tops]), state, len(text))
        if not found.ways:
            raise Broken
        tops = [(cell, _told(self.tops[way][1], events)) for cell, way, events in found.ways]
        return Reading(tops, found.lex, self.number)


class Told(NamedTuple):
    """What a text leads to: its stacks, each with the number of that before and the events on the way."""

    ways: list[tuple[Cell, int, Events]]
    lex: Lex
    characters: int


class Retold(BoundedBySize[tuple[str, bool, bool, tuple[Any, ...]], Told]):
    """By (text, is it the end of the file, does a line end count before it, the stacks before it)."""

    def __init__(self) -> None:
        super().__init__(_MAX_RETOLD, lambda one: one.characters + _PER_EVENT * sum(len(way[2]) for way in one.ways))


def _told_by(tokens: list[str], cells: list[Cell]) -> list[tuple[Cell, int, Events]]:
    """What tokens lead to behind stacks, and tell."""
    known, terminals = roles(), _terminals()
    # Each stack with its way so far: (events, what was told before), at last the number of the first stack.
    tops: list[tuple[Cell, Any]] = [(cell, way) for way, cell in enumerate(cells)]
    for token in tokens:
        terminal = terminals.get(token, known.ident)
        tops = [
            (after, (events, before) if events else before)
            for top, before in tops
            for after, events in known.step(top, terminal, token, -1)
        ]
    found: list[tuple[Cell, int, Events]] = []
    for cell, told in tops:
        parts: list[Events] = []
        while not isinstance(told, int):
            events, told = told
            parts.append(events)
        found.append((cell, told, [event for part in reversed(parts) for event in part]))
    return found


def _told(facts: Facts, events: Events) -> Facts:
    """The facts after some events."""
    if events:
        facts = facts.copy()
        for event, arguments in events:
            event(facts, *arguments)
    return facts


@cache
def _terminals() -> dict[str, int]:
    """The terminals of tokens that are no names."""
    tables = roles().tables
    texts = {text: tables.terminal(name) for name, text in roles().texts.items()}
    texts[NUMBER], texts[STRING] = tables.terminal("INT"), tables.terminal("STRING")
    return texts


@cache
def _between() -> frozenset[int]:
    """LR states between declarations."""
    tables, semicolon = roles().tables, _terminals()[";"]
    whole = {q for row in tables.goto for s, q in row.items() if tables.nonterminals[s] in ("top", "import_decl")}
    found = {tables.shift[q].get(semicolon, 0) for q in whole}
    return frozenset({*found, *(cell[0] for cell, _ in begin().tops)})


@cache
def begin() -> Reading:
    """At the beginning of a file, or of a declaration."""
    file: Cell = (0, None, None)
    cell = file
    for token in (_terminals()["package"], roles().ident, _terminals()[";"]):
        ((cell, _),) = roles().step(cell, token, "p", 0)
    facts = Facts()
    return Reading([(file, facts), (cell, facts)], START, 0)
