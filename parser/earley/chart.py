"""Earley's algorithm over an NFA (Earley, "An efficient context-free parsing algorithm", 1970; Melcer et al. 2024, section 3).

There is a chart for each state of the automaton instead of each position. Items are worked off in any order until nothing is new;
a completion happens when the later of its two items is found, so epsilon rules, cycles of the grammar and of the automaton need
no care.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .cfg import Cfg, Rule
from .nfa import Nfa

TOP = 0
"""The number of the rule above the start symbol."""


class Item(NamedTuple):
    """rule[:dot] derives some path from origin to the state of the chart that the item is in."""

    rule: int
    dot: int
    origin: int


class Scanned(NamedTuple):
    """Made from an item of another chart, over an edge."""

    state: int
    item: Item


class Completed(NamedTuple):
    """Made from an item that waits in the chart of finished.origin, and a finished one of the same chart."""

    waiting: Item
    finished: Item


Creation = Scanned | Completed


class TooLarge(Exception):
    """More items than the caller allows."""


class Charts:
    """The charts of a grammar and an automaton, never changed once they are built."""

    def __init__(self, rules: Sequence[Rule], nfa: Nfa) -> None:
        self.rules = rules
        self.nfa = nfa
        self._items: dict[int, dict[Item, list[Creation]]] = {state: {} for state in nfa.states}
        self._waiting: dict[tuple[int, str], list[Item]] = {}

    def items(self, state: int) -> Iterable[Item]:
        """The chart of a state."""
        return self._items[state]

    def creations(self, state: int, item: Item) -> Sequence[Creation]:
        """How an item was made; () for one with the dot in front, which all items waiting for its left-hand side predict."""
        return self._items[state][item]

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
        ended: dict[tuple[int, str], list[tuple[int, Item]]] = {}  # (origin, symbol) -> (state, finished item)
        todo: list[tuple[int, Item]] = []
        count = 0

        def add(state: int, item: Item, creation: Creation | None) -> None:
            nonlocal count
            made = table[state].get(item)
            if made is None:
                made = table[state][item] = []
                todo.append((state, item))
                count += 1
                if max_items is not None and count > max_items:
                    raise TooLarge
            if creation is not None:
                made.append(creation)

        for start in self.nfa.starts:
            add(start, Item(TOP, 0, start), None)
        while todo:
            state, item = todo.pop()
            number, dot, origin = item
            lhs, rhs = rules[number]
            if dot == len(rhs):
                ended.setdefault((origin, lhs), []).append((state, item))
                for other in waiting.get((origin, lhs), ()):
                    add(state, other._replace(dot=other.dot + 1), Completed(other, item))
                continue
            symbol = rhs[dot]
            after = Item(number, dot + 1, origin)
            if symbol not in nonterminals:
                for to in scans.get(state, {}).get(symbol, ()):
                    add(to, after, Scanned(state, item))
                continue
            items = waiting.setdefault((state, symbol), [])
            items.append(item)
            if len(items) == 1:
                for predicted in rules_of.get(symbol, ()):
                    add(state, Item(predicted, 0, state), None)
            for end, finished in ended.get((state, symbol), ()):
                add(end, after, Completed(item, finished))


def charts(cfg: Cfg, nfa: Nfa, max_items: int | None = None) -> Charts:
    """All items of a grammar on an automaton; raises TooLarge when there are more than `max_items`."""
    filled = Charts((("", (cfg.start,)), *cfg.rules), nfa)
    filled.build(cfg.nonterminals, max_items)
    return filled
