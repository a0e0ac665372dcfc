"""A grammar restricted to the texts of a finite automaton over terminals, so that each parser state belongs to one state of the automaton.

Bar-Hillel's construction: a nonterminal for each way in which its texts can lead from state to state (Y. Bar-Hillel, M. Perles, E.
Shamir, "On formal properties of simple phrase structure grammars", 1961).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from .line_ends import free, productive

Rule = tuple[str, tuple[str, ...]]

_MAX_RULES = 4_000
"""A grammar of this size has some 6,000 states."""
_Way = tuple[str, int, int]
"""(nonterminal, the automaton's state before its text, the state after it)"""


def intersection(rules: Sequence[Rule], start: str, after: Sequence[Mapping[str, int]]) -> tuple[Rule, ...] | None:
    """The rules, from the same start; None where they would be too many.

    after: state -> terminal -> state; the first state is the initial one, and a text may end in any.
    """
    return _Intersection(rules, after).rules(start)


class _Intersection:
    def __init__(self, rules: Sequence[Rule], after: Sequence[Mapping[str, int]]) -> None:
        self._of: dict[str, list[tuple[str, ...]]] = {}
        for lhs, rhs in rules:
            self._of.setdefault(lhs, []).append(rhs)
        self._after = after
        self._ends: dict[tuple[str, int], set[int]] = {}
        """(nonterminal, state before its text) -> states after it"""
        self._taken = {symbol for lhs, rhs in rules for symbol in (lhs, *rhs)}
        self._names: dict[_Way, str] = {}
        self._asked = 1  # the number of (nonterminal, state before it) when the last round ended

    def rules(self, start: str) -> tuple[Rule, ...] | None:
        self._find_ends(start)
        top = free(start, self._taken)
        made: list[Rule] = [(top, (self._name((start, 0, end)),)) for end in sorted(self._ends[start, 0])]
        done: set[_Way] = set()
        while len(done) < len(self._names):
            for way in [way for way in self._names if way not in done]:
                done.add(way)
                made += [(self._names[way], body) for body in self._bodies(*way)]
                if len(made) > _MAX_RULES:
                    return None
        return tuple(productive(made, {top, *self._names.values()}, top, start))

    def _find_ends(self, start: str) -> None:
        """Find the states after the texts of all nonterminals, from each state in which they can begin."""
        self._ends[start, 0] = set()
        changed = True
        while changed:
            changed = False
            for symbol, begin in list(self._ends):
                for body in self._of[symbol]:
                    states = {begin}
                    for part in body:
                        states = {to for state in states for to in self._led_to(part, state)}
                    if not states <= self._ends[symbol, begin]:
                        self._ends[symbol, begin] |= states
                        changed = True
                changed = changed or len(self._ends) > self._asked
                self._asked = len(self._ends)

    def _led_to(self, symbol: str, state: int) -> set[int]:
        if symbol in self._of:
            return self._ends.setdefault((symbol, state), set())
        return {self._after[state][symbol]} if symbol in self._after[state] else set()

    def _bodies(self, symbol: str, begin: int, end: int) -> Iterator[tuple[str, ...]]:
        for body in self._of[symbol]:
            yield from self._written(body, begin, end)

    def _written(self, body: tuple[str, ...], begin: int, end: int) -> Iterator[tuple[str, ...]]:
        """The ways to write a body from one state to another."""
        if not body:
            if begin == end:
                yield ()
            return
        first, rest = body[0], body[1:]
        for middle in sorted(self._led_to(first, begin)):
            for more in self._written(rest, middle, end):
                yield ((self._name((first, begin, middle)) if first in self._of else first), *more)

    def _name(self, way: _Way) -> str:
        name = self._names.get(way)
        if name is None:
            name = self._names[way] = free(f"{way[0]}_{way[1]}_{way[2]}", self._taken)
        return name
