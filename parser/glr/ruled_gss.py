"""Stacks with rules beyond their tables, for the languages that declare some: terminals inserted by the stacks (semicolons), readings
that give way to others, and names that must be repeated (closing tags).

All of these are functions of the stacks and the terminal, and kept with them; nothing else in the engine sees them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..grammar.lalr import Tables
from .gss import Gss, GssNode, GssState

_DYNAMIC = 1 << 20
"""Names are numbered as terminals from here on; no engine has so many states."""


@dataclass(frozen=True)
class StackRules:
    """The steps of stacks before a terminal, by numbers of terminals and states."""

    inserted: int = -1
    """an unwritten terminal: it comes before one of `before` on each stack that cannot go on otherwise ..."""
    before: frozenset[int] = frozenset()
    """... and can then"""
    closed: frozenset[int] = frozenset()
    """on stacks with one of these states on top it does not come ..."""
    never_before: frozenset[int] = frozenset()
    """... before one of these terminals"""
    yielding: frozenset[int] = frozenset()
    """stacks with one of these states on top give way to others, if there are any ..."""
    to: frozenset[int] = frozenset()
    """... before one of these terminals"""
    pair: tuple[int, int] | None = None
    """(the terminal of a name, the terminal before an opening name): a rule with two of these names wants the same one twice"""

    def forbids_insertion(self, state: int, terminal: int) -> bool:
        """Whether the unwritten terminal may not come before this one on a stack with this state on top."""
        return terminal in self.never_before and state in self.closed


class RuledGss(Gss):
    """The stacks over one set of tables, with rules."""

    def __init__(self, tables: Tables, brackets: Mapping[int, int], max_depth: int, rules: StackRules) -> None:
        # Names add states, which are this engine's own.
        own = {field: list(getattr(tables, field)) for field in _BY_STATE}
        if rules.pair is not None:
            own["shift"] = [dict(row) if rules.pair[0] in row else row for row in tables.shift]
        tables = replace(tables, **own)
        super().__init__(tables, brackets, max_depth, -1, -1)
        self.rules = rules
        self.chains.states = self.chains.terminals = 2 * _DYNAMIC
        self.grown += [self._delta, self._settles]
        self.like = [*range(len(tables.shift))] if rules.pair is not None else None
        self._names: dict[str, int] = {}
        self._beginnings, self._span = _span(tables, rules.pair)

    def _shift(self, stacks: GssState, terminal: int) -> GssState | None:
        rules = self.rules
        if len(stacks.tops) > 1 and terminal in rules.to:
            kept = [top for top in stacks.tops if top.state not in rules.yielding]
            if 0 < len(kept) < len(stacks.tops):
                stacks = self._of(kept)
        if terminal not in rules.before:
            return super()._shift(stacks, terminal)
        parents: dict[int, dict[GssNode, None]] = {}
        # Each stack by itself: readings of the same text may lack the terminal in different places.
        for top in stacks.tops:
            stack = stacks if len(stacks.tops) == 1 else self._of([top])
            after = super()._shift(stack, terminal)
            if after is None and not rules.forbids_insertion(top.state, terminal):
                ended = self.advance(stack, rules.inserted)
                after = None if ended is None else super()._shift(ended, terminal)
            if after is not None and len(stacks.tops) == 1:
                return after
            for node in after.tops if after is not None else ():
                parents.setdefault(node.state, {}).update(dict.fromkeys(node.parents))
        return self._stacks(parents)

    def _of(self, tops: list[GssNode]) -> GssState:
        stacks = self._stacks({top.state: top.parents for top in tops})
        assert stacks is not None
        return stacks

    # -- names

    @property
    def names(self) -> Mapping[str, int]:
        """Names met so far -> their terminals."""
        return self._names

    def named(self, name: str) -> int:
        """The terminal of a name, in an opening or closing place.

        The states between opening and closing are copied for each name: at the end of a copied path only this name can come. Where
        the opening is unknown, every name can.
        """
        terminal = self._names.get(name)
        if terminal is None:
            terminal = self._names[name] = _DYNAMIC + len(self._names)
            self._add(terminal)
        return terminal

    def _add(self, name: int) -> None:
        assert self.rules.pair is not None and self.like is not None
        terminal, tables = self.rules.pair[0], self.tables
        copies: dict[int, int] = {}
        for state in self._span:
            copies[state] = len(tables.shift)
            self.like.append(state)
            for rows in (*(getattr(tables, field) for field in _BY_STATE), *self.grown):
                rows.append(rows[state])
        for state, copy in copies.items():
            row = tables.shift[state]
            if terminal in row:
                row[name] = row[terminal]
                row = {name: row[terminal]}
            tables.shift[copy] = {t: copies.get(to, to) for t, to in row.items()}
            tables.goto[copy] = {n: copies.get(to, to) for n, to in tables.goto[state].items()}
        for state in self._beginnings:
            tables.shift[state][name] = copies[tables.shift[state][terminal]]
        self.made += len(copies)


_BY_STATE = ("shift", "goto", "reduce", "default", "accessing", "below", "kernels", "targets")


def _span(tables: Tables, pair: tuple[int, int] | None) -> tuple[list[int], list[int]]:
    """(the states before a name that must be repeated, the states from there to its repetition)."""
    if pair is None:
        return [], []
    name, begins = pair
    beginnings = [q for q, row in enumerate(tables.shift) if tables.accessing[q] == begins and name in row]
    places = {r: [index for index, s in enumerate(rhs) if s == ~name] for r, (_, rhs) in enumerate(tables.rules)}
    span = [
        q
        for q, kernel in enumerate(tables.kernels)
        if any(len(places[r]) == 2 and places[r][0] < dot <= places[r][1] for r, dot in kernel)
    ]
    return beginnings, span
