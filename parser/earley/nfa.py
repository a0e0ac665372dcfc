"""Automata of input: a lexically ambiguous or unfinished context is a set of paths."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Nfa:
    """An automaton without epsilon moves; states are numbers, edges (from, terminal, to)."""

    starts: frozenset[int]
    finals: frozenset[int]
    edges: tuple[tuple[int, str, int], ...]

    @staticmethod
    def of_word(word: Iterable[str]) -> Nfa:
        """One path; state i lies before the i-th terminal."""
        edges = tuple((i, terminal, i + 1) for i, terminal in enumerate(word))
        return Nfa(frozenset((0,)), frozenset((len(edges),)), edges)

    @property
    def states(self) -> frozenset[int]:
        """All starts, finals and ends of edges."""
        return self.starts | self.finals | {q for _, _, q in self.edges} | {p for p, _, _ in self.edges}

    def reversed(self) -> Nfa:
        """The automaton of the reversed words."""
        return Nfa(self.finals, self.starts, tuple((to, terminal, source) for source, terminal, to in self.edges))
