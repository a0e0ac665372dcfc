"""Context-free grammars as plain rules, and transformations that preserve their language."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from ..grammar.loader import Grammar

Rule = tuple[str, tuple[str, ...]]


@dataclass(frozen=True)
class Cfg:
    """Left-hand sides and the start are nonterminals, all other symbols terminals. Without rules for the start: the empty language."""

    start: str
    rules: tuple[Rule, ...]

    @staticmethod
    def of(grammar: Grammar) -> Cfg:
        """The rules of a grammar file."""
        return Cfg(grammar.start, grammar.rules)

    @cached_property
    def nonterminals(self) -> frozenset[str]:
        """The left-hand sides and the start."""
        return frozenset((self.start, *(lhs for lhs, _ in self.rules)))

    @cached_property
    def by_lhs(self) -> dict[str, list[tuple[str, ...]]]:
        """nonterminal -> its alternatives."""
        alternatives: dict[str, list[tuple[str, ...]]] = {name: [] for name in self.nonterminals}
        for lhs, rhs in self.rules:
            alternatives[lhs].append(rhs)
        return alternatives

    @property
    def is_empty(self) -> bool:
        """Whether the grammar derives no word at all."""
        return not trimmed(self).rules

    def reversed(self) -> Cfg:
        """The grammar of the reversed words."""
        return Cfg(self.start, tuple((lhs, rhs[::-1]) for lhs, rhs in self.rules))


def trimmed(cfg: Cfg) -> Cfg:
    """The grammar without unproductive, unreachable or repeated rules, in the order in which they are reached."""
    productive: set[str] = set()
    users: dict[str, list[int]] = {}
    missing: list[int] = []
    todo: list[str] = []
    for number, (lhs, rhs) in enumerate(cfg.rules):
        needed = {s for s in rhs if s in cfg.nonterminals}
        missing.append(len(needed))
        for symbol in needed:
            users.setdefault(symbol, []).append(number)
        if not needed:
            todo.append(lhs)
    while todo:
        symbol = todo.pop()
        if symbol in productive:
            continue
        productive.add(symbol)
        for number in users.get(symbol, ()):
            missing[number] -= 1
            if not missing[number]:
                todo.append(cfg.rules[number][0])
    useful: dict[str, dict[tuple[str, ...], None]] = {}
    for (lhs, rhs), count in zip(cfg.rules, missing, strict=True):
        if not count:
            useful.setdefault(lhs, {})[rhs] = None
    reached = {cfg.start: None}
    queue = [cfg.start]
    for symbol in queue:  # grows while it is walked
        for rhs in useful.get(symbol, ()):
            for s in rhs:
                if s in useful and s not in reached:
                    reached[s] = None
                    queue.append(s)
    return Cfg(cfg.start, tuple((lhs, rhs) for lhs in reached for rhs in useful.get(lhs, ())))


def simplified(cfg: Cfg, may_go: Callable[[str], bool]) -> Cfg:
    """A grammar with fewer rules for the same language: of the nonterminals that may go, equal ones are merged, and one that always
    stands for the same symbol, or for nothing, is replaced by its meaning."""
    while True:
        rules = [(lhs, rhs) for lhs, rhs in dict.fromkeys(cfg.rules) if rhs != (lhs,)]
        whole = [rhs for lhs, rhs in rules if lhs == cfg.start]
        if len(whole) == 1 and len(whole[0]) == 1 and whole[0][0] in cfg.nonterminals and may_go(whole[0][0]):
            rules = _renamed([rule for rule in rules if rule[0] != cfg.start], whole[0][0], cfg.start)
        after = trimmed(Cfg(cfg.start, tuple(_replaced(rules, _same(rules, may_go, cfg.start)))))
        if after.rules == cfg.rules:
            return after
        cfg = after


def _same(rules: Iterable[Rule], may_go: Callable[[str], bool], start: str) -> dict[str, tuple[str, ...]]:
    """nonterminal -> the symbols it stands for."""
    alternatives: dict[str, list[tuple[str, ...]]] = {}
    for lhs, rhs in rules:
        alternatives.setdefault(lhs, []).append(rhs)
    instead: dict[str, tuple[str, ...]] = {}
    first: dict[frozenset[tuple[str, ...]], str] = {}
    for lhs, rhss in alternatives.items():
        if lhs == start or not may_go(lhs):
            continue
        if len(rhss) == 1 and len(rhss[0]) <= 1:
            instead[lhs] = rhss[0]
        elif first.setdefault(frozenset(rhss), lhs) != lhs:
            instead[lhs] = (first[frozenset(rhss)],)
    return instead


def _renamed(rules: Iterable[Rule], old: str, new: str) -> list[Rule]:
    return [(new if lhs == old else lhs, tuple(new if s == old else s for s in rhs)) for lhs, rhs in rules]


def _replaced(rules: Iterable[Rule], instead: dict[str, tuple[str, ...]]) -> list[Rule]:
    """One step of replacement in all right-hand sides; a replaced nonterminal keeps its rules until nothing uses it."""
    return [(lhs, tuple(t for s in rhs for t in instead.get(s, (s,)))) for lhs, rhs in rules]
