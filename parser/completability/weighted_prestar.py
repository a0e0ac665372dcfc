"""Connecting in the language of a grammar file: a shortest text between a left and a right context, whenever there is one.

The demands of prestar.py with their cost in text (Reps, Schwoon, Jha, Melski, "Weighted pushdown systems and their application to
interprocedural dataflow analysis", 2005). The fixpoint is solved cheapest first (Knuth, "A generalization of Dijkstra's algorithm",
1977), then the stacks are read cheapest first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import Any

from ..glr.gss import GssNode, GssState
from ..glr.prefix import PrefixState
from ..lexing.base import LexState
from ..lexing.dfa_lexer import is_between
from .prestar import Completability
from .suffix_positions import AnyTextState, Demands, SuffixPosition

_MAX_STEPS = 100_000
"""Steps before a search is given up; some 10 microseconds each."""
_ASK_EVERY = 256
_SYMBOL = 0.25
"""The cost of a symbol besides its characters: of two texts of nearly the same length the plainer one wins."""

_LONGER = 0.3
"""The search ends at texts that cost this much more than the best."""

Word = Any
"""A text in pieces: a string, or a pair of words."""
Item = tuple[SuffixPosition | AnyTextState | LexState, int, int]
"""As a demand; the gap before the right context is given by its lexer state."""
Cell = tuple[LexState, int]
"""(gap, LR state)"""
Priced = tuple[Item, float, Word]
_FOUND, _MET, _ACCEPTS = range(3)


@dataclass(frozen=True, slots=True)
class _Stream:
    """Demands of the stacks topped by some nodes, cheapest first, to be followed one by one from an index on."""

    cost: float
    below: tuple[GssNode, ...]
    items: list[Priced]
    index: int = 0


class WeightedPrestar:
    """The search for one right context."""

    def __init__(self, completability: Completability) -> None:
        self._decider = completability
        self._tables = completability.engine.factory.tables
        self._found: dict[Cell, dict[Item, tuple[float, Word]]] = {}
        self._accepts: dict[Cell, tuple[float, Word]] = {}
        self._enter: dict[LexState, list[tuple[SuffixPosition, str]]] = {}
        self._priced: dict[Cell, list[Priced]] = {}
        self._solved: set[LexState] = set()

    def texts(self, left: PrefixState, wanted: int) -> list[str]:
        """Up to `wanted` texts, shortest first."""
        decider = self._decider
        texts: list[str] = []
        if decider.right.accepts(left):
            return [""]
        best = None
        for cost, word in self._read(self._starts(left)):
            best = cost if best is None else best
            if cost > best + _LONGER:
                break
            text = _flat(word)
            after = decider.engine.read_text(left, text)
            if text not in texts and after is not None and decider.right.accepts(after):
                texts.append(text)
                if len(texts) == wanted:
                    break
        return texts

    # -- reading stacks

    def _starts(
        self, left: PrefixState
    ) -> Iterator[tuple[float, Word, GssState, SuffixPosition | AnyTextState | LexState]]:
        """(cost, text, stacks, the next place) for each possible end of the symbol in progress."""
        engine = self._decider.engine
        for tokens, state in self._decider.lexer.lexer_alternatives(left.lex):
            fed = engine.feed(left.frame, left.stacks, tokens)
            if fed is None:
                continue
            if is_between(state):
                yield 0.0, "", fed[1], state
                continue
            for place, text in self._entries(state):
                yield _cost(text), text, fed[1], place
            for (terminal, after), text in self._decider.anytext.way(state).over.items():
                stacks = engine.factory.advance(fed[1], terminal)
                if stacks is not None:
                    yield _cost(text), text, stacks, after

    def _read(
        self, starts: Iterable[tuple[float, Word, GssState, SuffixPosition | AnyTextState | LexState]]
    ) -> Iterator[tuple[float, Word]]:
        """Words leading to acceptance, cheapest first."""
        order = count()
        heap: list[tuple[float, int, _Stream | None, Word]] = []

        def push(
            below: tuple[GssNode, ...], place: SuffixPosition | AnyTextState | LexState, q: int, cost: float, word: Word
        ) -> None:
            items, accepts = self._after(place, q)
            if accepts is not None:
                heappush(heap, (cost + accepts[0], next(order), None, (word, accepts[1])))
            if items and below:
                heappush(heap, (cost + items[0][1], next(order), _Stream(cost, below, items), word))

        for cost, word, stacks, place in starts:
            for top in stacks.tops:
                push(top.parents, place, top.state, cost, word)
        seen: set[tuple[GssNode, Item]] = set()
        for step in range(_MAX_STEPS):
            if not heap:
                return
            if step % _ASK_EVERY == 0:
                self._decider.engine.ask()
            cost, _, stream, word = heappop(heap)
            if stream is None:
                yield cost, word
                continue
            item, _, text = stream.items[stream.index]
            if stream.index + 1 < len(stream.items):
                after = _Stream(stream.cost, stream.below, stream.items, stream.index + 1)
                heappush(heap, (after.cost + after.items[after.index][1], next(order), after, word))
            place, lhs, pops = item
            for node in stream.below:
                if (node, item) in seen:
                    continue
                seen.add((node, item))
                if pops:
                    left = [((place, lhs, pops - 1), 0.0, "")]
                    heappush(heap, (cost, next(order), _Stream(cost, node.parents, left), (word, text)))
                    continue
                to = self._tables.goto[node.state].get(lhs)
                if to is not None:
                    push((node,), place, to, cost, (word, text))

    def _after(
        self, place: SuffixPosition | AnyTextState | LexState, q: int
    ) -> tuple[list[Priced], tuple[float, Word] | None]:
        """The demands below a cell q, cheapest first, and the cost of acceptance without any."""
        if not isinstance(place, LexState):
            demands = self._demands(place, q)
            return [(demand, 0.0, "") for demand in demands.items], (0.0, "") if demands.accepts else None
        if place not in self._solved:
            self._solve(place)
        cell = place, q
        priced = self._priced.get(cell)
        if priced is None:  # found in the order of their costs
            priced = self._priced[cell] = [(item, cost, word) for item, (cost, word) in self._found[cell].items()]
        return priced, self._accepts.get(cell)

    def _demands(self, place: SuffixPosition | AnyTextState, q: int) -> Demands:
        """The demands without prices: of a place, or of a gap behind the right context, whose text is not part of the bridge."""
        return self._decider.run(place, q) if isinstance(place, SuffixPosition) else place.runs[q]

    # -- gaps

    def _entries(self, state: LexState) -> list[tuple[SuffixPosition, str]]:
        """The places where any text may enter the right context, each with a shortest text."""
        entries = self._enter.get(state)
        if entries is None:
            best: dict[SuffixPosition, str] = {}
            for entered, text in self._decider.anytext.way(state).enter.items():
                place = self._decider.first_place(entered)
                if place is not None and len(text) < len(best.get(place, text + " ")):
                    best[place] = text
            entries = self._enter[state] = list(best.items())
        return entries

    def _solve(self, state: LexState) -> None:
        """Find the cheapest demands of all gaps reachable from one."""
        tables, run, way = self._tables, self._decider.run, self._decider.anytext.way
        states = self._decider.anytext.gaps([self._decider.lexer.start, state])
        cheapest, accepts = self._found, self._accepts
        readers: dict[Cell, list[tuple[Cell, float, Word]]] = {}
        met: set[tuple[Cell, Item]] = set()
        followed: set[tuple[Cell, Cell]] = set()
        order = count()
        heap: list[tuple[float, int, int, Cell, Item | None, Word]] = []

        def push(kind: int, cell: Cell, item: Item | None, cost: float, word: Word) -> None:
            heappush(heap, (cost, next(order), kind, cell, item, word))

        def follow(reader: Cell, cell: Cell, cost: float, word: Word) -> None:
            if (reader, cell) in followed:
                return
            followed.add((reader, cell))
            readers[cell].append((reader, cost, word))
            for item, (more, text) in cheapest[cell].items():
                push(_MET, reader, item, cost + more, (word, text))
            if cell in accepts:
                push(_ACCEPTS, reader, None, cost + accepts[cell][0], (word, accepts[cell][1]))

        cells = [(gap, q) for gap in states for q in range(len(tables.shift))]
        for cell in cells:
            cheapest[cell], readers[cell] = {}, []
            accepts.pop(cell, None)
        for cell in cells:
            gap, q = cell
            for (t, after), text in way(gap).over.items():
                to = tables.shift[q].get(t)
                if to is not None:
                    follow(cell, (after, to), _cost(text), text)
            for rule, dot in tables.kernels[q]:
                lhs, rhs = tables.rules[rule]
                if dot == len(rhs) and lhs:
                    push(_FOUND, cell, (gap, lhs, dot - 1), 0.0, "")
            for place, text in self._entries(gap):
                demands = run(place, q)
                for demand in demands.items:
                    push(_FOUND, cell, demand, _cost(text), text)
                if demands.accepts:
                    push(_ACCEPTS, cell, None, _cost(text), text)
        for step in range(_MAX_STEPS):
            if not heap:
                break
            if step % _ASK_EVERY == 0:
                self._decider.engine.ask()
            cost, _, kind, cell, item, word = heappop(heap)
            if kind == _ACCEPTS:
                if cell not in accepts:
                    accepts[cell] = cost, word
                    for reader, more, text in readers[cell]:
                        push(_ACCEPTS, reader, None, cost + more, (text, word))
                continue
            assert item is not None
            if kind == _FOUND:
                if item not in cheapest[cell]:
                    cheapest[cell][item] = cost, word
                    for reader, more, text in readers[cell]:
                        push(_MET, reader, item, cost + more, (text, word))
                continue
            if (cell, item) in met:
                continue
            met.add((cell, item))
            place, lhs, pops = item
            if pops:
                push(_FOUND, cell, (place, lhs, pops - 1), cost, word)
                continue
            to = tables.goto[cell[1]].get(lhs)
            if to is None:
                continue
            if not isinstance(place, LexState):
                demands = self._demands(place, to)
                for demand in demands.items:
                    push(_MET, cell, demand, cost, word)
                if demands.accepts:
                    push(_ACCEPTS, cell, None, cost, word)
            else:
                follow(cell, (place, to), cost, word)
        self._solved.update(states)


def _cost(text: str) -> float:
    return len(text) + _SYMBOL if text else 0.0


def _flat(word: Word) -> str:
    out: list[str] = []
    todo = [word]
    while todo:
        piece = todo.pop()
        if isinstance(piece, str):
            out.append(piece)
        else:
            todo += [piece[1], piece[0]]
    return "".join(out)
