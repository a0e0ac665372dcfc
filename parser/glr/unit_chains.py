"""Chains of unit reductions, done in one step.

Before an operand becomes part of a sum, the grammar of a real language reduces it some ten times from one symbol to the next (operand,
primary, unary, product, ...). The terminal ahead and the two top states alone decide the chain, so it is computed once for them.
"""

from __future__ import annotations

from ..grammar.lalr import Reduction, Tables

_MARKS = 8
"""Negative numbers that are no terminals, such as ANY_TEXT in suffix.py; their demands do not count here."""
Chain = tuple[tuple[int, ...], tuple[Reduction, ...]]
"""(the states on top that can shift the terminal, the longer reductions met on the way)"""


class UnitChains:
    """The chains over one set of tables; the owner keeps the memo."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self.terminals = len(tables.terminals) + _MARKS
        self.states = len(tables.shift)
        self.memo: dict[int, Chain] = {}

    def after(self, below: int, state: int, terminal: int) -> Chain:
        """The states reached by unit reductions from a state on top of another, before a terminal."""
        key = (below * self.states + state) * self.terminals + terminal
        chain = self.memo.get(key)
        if chain is None:
            chain = self.memo[key] = self._found(below, state, terminal)
        return chain

    def _found(self, below: int, state: int, terminal: int) -> Chain:
        tables = self._tables
        goto = tables.goto[below]
        met = {state: None}
        todo = [state]
        longer: dict[Reduction, None] = {}
        while todo:
            for reduction in tables.reduce[todo.pop()].get(terminal, ()):
                if reduction[1] > 1:
                    longer[reduction] = None
                    continue
                to = goto.get(reduction[0])
                if to is not None and to not in met:
                    met[to] = None
                    todo.append(to)
        return tuple(state for state in met if terminal in tables.shift[state]), tuple(longer)
