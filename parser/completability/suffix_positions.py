"""The places of a right context, and their demands on the stacks; see prestar.py."""

from __future__ import annotations

from ..glr.gss import GssNode
from ..glr.suffix import TokenStream


class SuffixPosition:
    """A terminal of the right context."""

    __slots__ = ("below", "index", "run", "runs", "token", "within")

    def __init__(self, run: TokenStream, index: int) -> None:
        self.run = run
        self.index = index
        token = run.tokens[index]
        assert isinstance(token, int), "a grammar file's language has no lines"
        self.token = token
        self.runs: dict[int, Demands] = {}
        self.below: dict[tuple[int, int], Demands] = {}  # (state q, nonterminal on top of it) -> the demands below q
        self.within: dict[
            tuple[int, int], Demands
        ] = {}  # (state q, state on top of it) -> the same, up to a closing bracket

    def forget(self) -> None:
        """Forget the demands: they can be computed again."""
        self.runs, self.below, self.within = {}, {}, {}


class AnyTextState:
    """Any text, then the right context; `over`: the first terminals and the gaps behind them."""

    __slots__ = ("over", "places", "runs")

    def __init__(self) -> None:
        self.places: frozenset[SuffixPosition] = frozenset()
        self.over: frozenset[tuple[int, AnyTextState]] = frozenset()
        self.runs: dict[int, Demands] = {}


Demand = tuple[SuffixPosition | AnyTextState, int, int]
"""(place, nonterminal, cells still to pop)"""


class Demands:
    """A state of the automaton over stacks; acceptance: node -> whether the stacks topped by it are accepted."""

    __slots__ = ("acceptance", "accepts", "items", "next")

    def __init__(self, items: frozenset[Demand], accepts: bool) -> None:
        self.items = items
        self.accepts = accepts
        self.next: dict[int, Demands] = {}
        self.acceptance: dict[GssNode, bool] = {}
