"""The parts of one block, of one function, and of the clauses of one switch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

NO_KINDS: Mapping[str, str] = {}


class Scope:
    """The names of one block. A name has the number of its variable, or 0; own: the variables that must be used; kinds: of names that
    are no variables."""

    __slots__ = ("kinds", "names", "own", "parent")

    def __init__(
        self,
        parent: Scope | None,
        names: dict[str, int],
        own: tuple[tuple[int, str], ...],
        kinds: Mapping[str, str] = NO_KINDS,
    ) -> None:
        self.parent, self.names, self.own, self.kinds = parent, names, own, kinds


class Clauses(NamedTuple):
    """The clauses of a switch or select so far."""

    kind: str
    symbol: str
    number: int
    is_open: bool = False
    has_default: bool = False
    ends: bool = True
    """whether all so far are terminating"""
    seen: frozenset[tuple[str, bool]] = frozenset()
    """the values of cases, each with whether it is a name"""


class Function:
    """The parts of one function: its results, labels and jumps."""

    __slots__ = ("count", "jumps", "labels", "named", "results", "used", "variables")

    def __init__(self, results: tuple[str, ...], count: int, *, named: bool) -> None:
        """results: the names that can be read; count: the number of all results."""
        self.results, self.count, self.named = results, count, named
        self.labels: dict[str, tuple[int, Blocks]] = {}
        self.used: frozenset[str] = frozenset()
        self.jumps: tuple[tuple[str, int, Blocks], ...] = ()  # forward: label, number, the blocks around it
        self.variables: dict[int, int] = {}  # block -> number of the last variable declared in it

    def copy(self) -> Function:
        """A copy, to change."""
        new = Function(self.results, self.count, named=self.named)
        new.labels, new.used, new.jumps, new.variables = self.labels, self.used, self.jumps, self.variables
        return new


Blocks = tuple[int, Any, str] | None
"""The enclosing blocks, innermost first: number, the rest, kind: "block", "clause" or "func"."""
Loops = tuple[str, int, str | None, Any] | None
"""The statements that `break` and `continue` may leave, innermost first: word, number, label, the rest."""


def within(block: int, blocks: Blocks) -> bool:
    while blocks is not None:
        if blocks[0] == block:
            return True
        blocks = blocks[1]
    return False
