"""LALR(1) tables with every action of a conflict kept (for GLR parsing).

Lookaheads by DeRemer and Pennello, "Efficient computation of LALR(1) look-ahead sets" (1982). Empty rules are removed first, which
departs from the paper and pays four times: no relation "reads" through nullable symbols is needed; a reduction never lengthens a
stack, so reductions end; every node uncovered by a reduction is older than the current terminal, hence complete and can be shared;
every path of the automaton is a stack reached by some text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import GrammarError
from .loader import Grammar

END = 0
"""The terminal after the last one; a text is accepted when it can be shifted."""

_START, _END_NAME = "$start", "$end"
_LONGEST_RULE = 5
"""Longer rules are split before nullable symbols are removed, which is exponential in the nullable symbols of a rule."""
_MAX_ITEMS = 1_000_000
"""The most items in all states of an automaton, which may grow exponentially: a second or two. TypeScript's has 130,000."""

Plain = Sequence[tuple[str, tuple[str, ...]]]
Reduction = tuple[int, int]
"""(nonterminal, symbols to pop)"""
Targets = tuple[tuple[int, ...], tuple[tuple[int, int], ...]]
"""The tops after a reduction on an unknown stack: states on all that may lie below them; else (state, the one below it)."""


@dataclass(frozen=True, eq=False)
class Tables:
    """An LR automaton; states, terminals and nonterminals are numbers. State 0 is the first."""

    terminals: tuple[str, ...]
    nonterminals: tuple[str, ...]
    shift: list[dict[int, int]]
    """state -> terminal -> state"""
    goto: list[dict[int, int]]
    """state -> nonterminal -> state"""
    reduce: list[dict[int, tuple[Reduction, ...]]]
    """state -> terminal ahead -> reductions"""
    default: list[Reduction | None]
    """state -> the reduction that needs no lookahead, in states with one complete item and no other"""
    accessing: list[int]
    """state -> the terminal leading to it, -1 for a nonterminal (or for state 0)"""
    below: list[list[int]]
    """state -> the states that may lie directly below it"""
    rules: tuple[tuple[int, tuple[int, ...]], ...]
    """(nonterminal, symbols); a symbol is a nonterminal n as n, a terminal t as ~t"""
    kernels: list[tuple[tuple[int, int], ...]]
    """state -> its items (rule, dot) with the dot not at the front"""
    targets: list[dict[Reduction, Targets]]
    """state -> reduction -> its targets, whatever the stack below is"""
    conflicts: int
    """number of (state, terminal) entries with more than one action"""

    def terminal(self, name: str) -> int:
        """The number of a terminal; -1 when the grammar does not use it."""
        try:
            return self.terminals.index(name)
        except ValueError:
            return -1

    def edges(self, edge: int) -> list[set[int]]:
        """nonterminal -> the first (edge 0) or last (edge -1) terminals of its texts; no rule is empty."""
        terminals: list[set[int]] = [set() for _ in self.nonterminals]
        changed = True
        while changed:
            changed = False
            for lhs, rhs in self.rules:
                more = (terminals[rhs[edge]] if rhs[edge] >= 0 else {~rhs[edge]}) - terminals[lhs]
                if more:
                    terminals[lhs] |= more
                    changed = True
        return terminals


def build(grammar: Grammar) -> Tables:
    """The tables of a grammar; raises GrammarError for an empty language."""
    rules, nullable = _without_epsilon(_split_long(grammar.rules), grammar.start)
    if not rules and not nullable:
        raise GrammarError(f"{grammar.name}: the grammar derives no text from {grammar.start!r}")
    augmented: list[tuple[str, tuple[str, ...]]] = [(_START, (grammar.start, _END_NAME))] if rules else []
    if nullable:
        augmented.append((_START, (_END_NAME,)))
    return _Builder(grammar.name, augmented + rules).tables()


def _split_long(rules: Plain) -> list[tuple[str, tuple[str, ...]]]:
    """Long rules as chains of shorter ones: A -> a b c d e f becomes A -> a b c d A#1, A#1 -> e f."""
    defined = {lhs for lhs, _ in rules}
    nullable = _nullable(rules)
    out: list[tuple[str, tuple[str, ...]]] = []
    for number, (head, rhs) in enumerate(rules):
        lhs, part = head, 0
        while len(rhs) > _LONGEST_RULE and sum(s in nullable for s in rhs) > _LONGEST_RULE:
            part += 1
            rest = f"{head}#{number}.{part}"
            assert rest not in defined
            out.append((lhs, (*rhs[: _LONGEST_RULE - 1], rest)))
            lhs, rhs = rest, rhs[_LONGEST_RULE - 1 :]
        out.append((lhs, rhs))
    return out


def _nullable(rules: Plain) -> set[str]:
    nullable: set[str] = set()
    while True:
        more = {lhs for lhs, rhs in rules if all(s in nullable for s in rhs)} - nullable
        if not more:
            return nullable
        nullable |= more


def _without_epsilon(rules: Plain, start: str) -> tuple[list[tuple[str, tuple[str, ...]]], bool]:
    """(the rules without epsilon, useless symbols and A -> A; whether the empty text is in the language)."""
    nullable = _nullable(rules)
    variants: dict[tuple[str, tuple[str, ...]], None] = {}
    for lhs, rhs in rules:
        expanded: list[tuple[str, ...]] = [()]
        for s in rhs:
            expanded = [(*v, s) for v in expanded] + (expanded if s in nullable else [])
        for v in expanded:
            if v and v != (lhs,):
                variants[lhs, v] = None
    defined = {lhs for lhs, _ in rules}
    productive: set[str] = set()
    while True:
        more = {lhs for lhs, rhs in variants if all(s in productive or s not in defined for s in rhs)} - productive
        if not more:
            break
        productive |= more
    useful = [(lhs, rhs) for lhs, rhs in variants if all(s in productive or s not in defined for s in rhs)]
    by_lhs: dict[str, list[tuple[str, ...]]] = {}
    for lhs, rhs in useful:
        by_lhs.setdefault(lhs, []).append(rhs)
    reached: set[str] = set()
    todo = [start] if start in productive and start in by_lhs else []
    while todo:
        symbol = todo.pop()
        if symbol not in reached:
            reached.add(symbol)
            todo += [s for rhs in by_lhs[symbol] for s in rhs if s in by_lhs]
    return [(lhs, rhs) for lhs, rhs in useful if lhs in reached], start in nullable


class _Builder:
    """The construction, phase by phase; rules[i] is the i-th rule, an item is (rule, dot)."""

    def __init__(self, name: str, rules: list[tuple[str, tuple[str, ...]]]) -> None:
        self.name = name
        names = list(dict.fromkeys(lhs for lhs, _ in rules))
        nonterminal = {name: i for i, name in enumerate(names)}
        texts = sorted({s for _, rhs in rules for s in rhs} - nonterminal.keys() - {_END_NAME})
        terminal = {name: i for i, name in enumerate([_END_NAME, *texts])}
        self.terminals, self.nonterminals = tuple(terminal), tuple(names)
        self.rules = [
            (nonterminal[lhs], tuple(nonterminal[s] if s in nonterminal else ~terminal[s] for s in rhs))
            for lhs, rhs in rules
        ]
        self.by_lhs: list[list[int]] = [[] for _ in names]
        for i, (lhs, _) in enumerate(self.rules):
            self.by_lhs[lhs].append(i)

    def tables(self) -> Tables:
        self._automaton()
        self._lookaheads()
        n = len(self.moves)
        shift = [{~s: q for s, q in move.items() if s < 0} for move in self.moves]
        goto = [{s: q for s, q in move.items() if s >= 0} for move in self.moves]
        reduce: list[dict[int, tuple[Reduction, ...]]] = [{} for _ in range(n)]
        default: list[Reduction | None] = [None] * n
        accessing = [-1] * n
        below: list[list[int]] = [[] for _ in range(n)]
        conflicts = 0
        for q in range(n):
            complete = [r for r, dot in self.closures[q] if dot == len(self.rules[r][1]) and self.rules[r][0] != 0]
            for r in complete:
                reduction, ahead = (self.rules[r][0], len(self.rules[r][1])), self.lookahead[q, r]
                for t in range(len(self.terminals)):
                    if ahead >> t & 1:
                        reduce[q][t] = (*reduce[q].get(t, ()), reduction)
            if len(complete) == 1 and not self.moves[q]:
                default[q] = self.rules[complete[0]][0], len(self.rules[complete[0]][1])
            conflicts += sum(len(rs) + (t in shift[q]) > 1 for t, rs in reduce[q].items())
            for s, to in self.moves[q].items():
                below[to].append(q)
                if s < 0:
                    accessing[to] = ~s
        kernels = [tuple((r, dot) for r, dot in closure if dot) for closure in self.closures]
        targets: list[dict[Reduction, Targets]] = [{} for _ in range(n)]
        for (q, r), uncovered in self.lookback.items():
            lhs, symbols = self.rules[r]
            if lhs != 0:
                targets[q][lhs, len(symbols)] = _targets([(goto[under][lhs], under) for under in uncovered], below)
        return Tables(
            self.terminals,
            self.nonterminals,
            shift,
            goto,
            reduce,
            default,
            accessing,
            below,
            tuple(self.rules),
            kernels,
            targets,
            conflicts,
        )

    def _automaton(self) -> None:
        """The LR(0) states: closures[q] items, moves[q] symbol -> state."""
        first = frozenset((i, 0) for i in self.by_lhs[0])
        kernels, index, size = [first], {first: 0}, 0
        self.moves: list[dict[int, int]] = []
        self.closures: list[list[tuple[int, int]]] = []
        for kernel in kernels:  # grows while it is walked
            items = list(kernel)
            expanded: set[int] = set()
            after: dict[int, list[tuple[int, int]]] = {}
            for r, dot in items:
                rhs = self.rules[r][1]
                if dot < len(rhs):
                    s = rhs[dot]
                    after.setdefault(s, []).append((r, dot + 1))
                    if s >= 0 and s not in expanded:
                        expanded.add(s)
                        items += [(i, 0) for i in self.by_lhs[s]]
            self.closures.append(items)
            size += len(items)
            if size > _MAX_ITEMS:
                raise GrammarError(f"{self.name}: the tables need more than {_MAX_ITEMS:,} items")
            move: dict[int, int] = {}
            for s, moved in after.items():
                k = frozenset(moved)
                if k not in index:
                    index[k] = len(kernels)
                    kernels.append(k)
                move[s] = index[k]
            self.moves.append(move)

    def _lookaheads(self) -> None:
        """lookahead[q, r]: bit mask of the terminals ahead for which rule r may be reduced in state q."""
        moves = self.moves
        follow = {  # (q, A) -> terminals directly after A on top of q: the paper's DR
            (q, a): sum(1 << ~s for s in moves[to] if s < 0)
            for q, move in enumerate(moves)
            for a, to in move.items()
            if a >= 0
        }
        includes: dict[tuple[int, int], list[tuple[int, int]]] = {}
        self.lookback: dict[tuple[int, int], list[int]] = {}  # (q, r) -> states that reducing rule r in q may uncover
        for q, a in [(0, 0), *follow]:
            for r in self.by_lhs[a]:
                p, last = q, q
                for s in self.rules[r][1]:
                    last, p = p, moves[p][s]
                s = self.rules[r][1][-1]
                if s >= 0 and (q, a) in follow:
                    includes.setdefault((q, a), []).append((last, s))
                self.lookback.setdefault((p, r), []).append(q)
        todo = list(follow)
        while todo:
            x = todo.pop()
            for y in includes.get(x, ()):
                if follow[x] & ~follow[y]:
                    follow[y] |= follow[x]
                    todo.append(y)
        self.lookahead: dict[tuple[int, int], int] = {}
        for reduction, uncovered in self.lookback.items():
            mask = 0
            for q in uncovered:
                mask |= follow.get((q, self.rules[reduction[1]][0]), 0)
            self.lookahead[reduction] = mask


def _targets(tops: list[tuple[int, int]], below: list[list[int]]) -> Targets:
    """The targets of a reduction, from its tops as (state on top, the one below it)."""
    below_each: dict[int, set[int]] = {}
    for state, under in tops:
        below_each.setdefault(state, set()).add(under)
    whole = tuple(state for state, under in below_each.items() if len(under) == len(below[state]))
    return whole, tuple(top for top in tops if top[0] not in whole)
