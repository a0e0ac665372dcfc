"""Earley's algorithm over an NFA (Earley, "An efficient context-free parsing algorithm", 1970; Melcer et al. 2024, section 3).

There is a chart for each state of the automaton instead of each position. Items are processed in any order until nothing is new; a
completion happens when the later of its two items is found, so epsilon rules, cycles of the grammar and of the automaton need no care.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .cfg import Cfg, Rule
from .nfa import Nfa

TOP = 0
"""The number of the rule above the start symbol."""


class Item(NamedTuple):
    """rule[:dot] derives some path from origin to the state of the item's chart."""

    rule: int
    dot: int
    origin: int


class TooLarge(Exception):
    """More items than the caller allows."""


class Charts:
    """The charts of a grammar and an automaton, never changed once they are built."""

    def __init__(self, rules: Sequence[Rule], nfa: Nfa) -> None:
        self.rules = rules
        self.nfa = nfa
        self._items: dict[int, dict[Item, None]] = {state: {} for state in nfa.states}
        self._waiting: dict[tuple[int, str], list[Item]] = {}

    def items(self, state: int) -> Iterable[Item]:
        """The chart of a state."""
        return self._items[state]

    def waiting(self, state: int, symbol: str) -> Sequence[Item]:
        """The items of a chart with the dot before a nonterminal: those that predict it there."""
        return self._waiting.get((state, symbol), ())

    @property
    def accepts(self) -> bool:
        """Whether a word of the automaton is in the language."""
        return any(Item(TOP, 1, start) in self._items[end] for end in self.nfa.finals for start in self.nfa.starts)

    def build(self, nonterminals: frozenset[str], max_items: int | None) -> None:
        """Fill the charts, once; see `charts`."""
        rules, table, waiting = self.rules, self._items, self._waiting
        rules_of: dict[str, list[int]] = {}
        for number, (lhs, _) in enumerate(rules):
            rules_of.setdefault(lhs, []).append(number)
        scans: dict[int, dict[str, list[int]]] = {}
        for source, terminal, to in dict.fromkeys(self.nfa.edges):
            scans.setdefault(source, {}).setdefault(terminal, []).append(to)
        ended: dict[tuple[int, str], list[int]] = {}  # (origin, symbol) -> the states of finished items
        todo: list[tuple[int, Item]] = []
        count = 0

        def add(state: int, item: Item) -> None:
            nonlocal count
            if item not in table[state]:
                table[state][item] = None
                todo.append((state, item))
                count += 1
                if max_items is not None and count > max_items:
                    raise TooLarge

        for start in self.nfa.starts:
            add(start, Item(TOP, 0, start))
        while todo:
            state, item = todo.pop()
            number, dot, origin = item
            lhs, rhs = rules[number]
            if dot == len(rhs):
                ended.setdefault((origin, lhs), []).append(state)
                for other in waiting.get((origin, lhs), ()):
                    add(state, other._replace(dot=other.dot + 1))
                continue
            symbol = rhs[dot]
            after = Item(number, dot + 1, origin)
            if symbol not in nonterminals:
                for to in scans.get(state, {}).get(symbol, ()):
                    add(to, after)
                continue
            items = waiting.setdefault((state, symbol), [])
            items.append(item)
            if len(items) == 1:
                for predicted in rules_of.get(symbol, ()):
                    add(state, Item(predicted, 0, state))
            for end in ended.get((state, symbol), ()):
                add(end, after)


def charts(cfg: Cfg, nfa: Nfa, max_items: int | None = None) -> Charts:
    """All items of a grammar on an automaton; raises TooLarge when there are more than `max_items`."""
    filled = Charts((("", (cfg.start,)), *cfg.rules), nfa)
    filled.build(cfg.nonterminals, max_items)
    return filled
