"""Tables whose terminals know whether a line has ended before them, for languages where every terminal may depend on that.

A terminal behind a line end is another terminal, so the tables have twice as many, and no more states: in each state both lead to the
same one, unless declared otherwise. The lexer tells them apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace
from typing import TypeVar

from .lalr import Reduction, Tables

_V = TypeVar("_V")


@dataclass(frozen=True)
class LineAware:
    """A language's declarations about line ends, by names of terminals and nonterminals."""

    same_line: Mapping[str, str]
    """a terminal for a text in the line of the symbol before it -> the terminal of this text"""
    held: Mapping[str, frozenset[str]]
    """terminal -> the rules (nonterminals) that cannot go on with anything behind a line end after it; an empty set: all rules"""
    ends: str
    """the terminal that may follow nevertheless"""
    alone: frozenset[str] = frozenset()
    """those of `same_line` shifted wherever possible, even where the other reading would reduce"""
    probed: frozenset[str] = frozenset()
    """terminals for which the lexer asks whether the stacks take them unchanged behind a line end"""


@dataclass(frozen=True)
class Widened:
    """Tables with terminals for places behind a line end, and the numbers of these."""

    tables: Tables
    behind: tuple[int, ...]
    """terminal -> the same behind a line end"""
    probes: Mapping[int, int]
    """terminal behind a line end -> the terminal for asking whether the stacks take it unchanged"""


def widened(tables: Tables, declared: LineAware) -> Widened:
    """The tables of a language with these declarations."""
    number = {name: t for t, name in enumerate(tables.terminals)}
    count = len(tables.terminals)
    same = {number[own]: number[text] for own, text in declared.same_line.items() if own in number}
    alone = {number[name] for name in declared.alone if name in number}
    held = {number[name]: rules for name, rules in declared.held.items() if name in number}
    ends = number[declared.ends]
    probed = [number[name] for name in sorted(declared.probed) if name in number]
    probes = {t + count: 2 * count + i for i, t in enumerate(probed)}
    firsts = tables.edges(0)
    shift: list[dict[int, int]] = []
    reduce: list[dict[int, tuple[Reduction, ...]]] = []
    default = list(tables.default)
    for q in range(len(tables.shift)):
        plain, reductions = dict(tables.shift[q]), dict(tables.reduce[q])
        after_line = {t + count: to for t, to in plain.items() if t not in same}
        reduce_after_line = {t + count: reduced for t, reduced in reductions.items() if t not in same}
        for own, t in same.items():
            to, reduced = plain.pop(own, None), reductions.pop(own, ())
            if to is not None:
                assert own == t or t not in plain or own in alone, "one text, two terminals in one state"
                plain[t] = to
                if own in alone:
                    reductions.pop(t, None)
                    continue
            if reduced:
                reductions[t] = tuple(dict.fromkeys((*reductions.get(t, ()), *reduced)))
        rules = held.get(tables.accessing[q])
        if rules is not None:
            free = _followers(tables, q, rules, firsts) | {ends}
            after_line = {t: to for t, to in after_line.items() if t - count in free}
            reduce_after_line = {
                t: tuple(reduction for reduction in reduced if _own(tables.nonterminals[reduction[0]]) not in rules)
                for t, reduced in reduce_after_line.items()
            }
            at_once = default[q]
            if at_once is not None and _own(tables.nonterminals[at_once[0]]) in rules:
                default[q] = None  # it depends on the next terminal
        plain.update(after_line)
        reductions.update(reduce_after_line)
        for behind, probe in probes.items():
            if behind in plain:
                plain[probe] = plain[behind]
            if behind in reductions:
                reductions[probe] = reductions[behind]
        shift.append(plain)
        reduce.append(reductions)
    names = tables.terminals
    wide = replace(
        tables,
        terminals=(*names, *(f"\\n{name}" for name in names), *(f"\\n{names[t]}?" for t in probed)),
        shift=shift,
        reduce=reduce,
        default=default,
        accessing=[same.get(t, t) for t in tables.accessing],
        rules=tuple((lhs, tuple(~same.get(~s, ~s) if s < 0 else s for s in rhs)) for lhs, rhs in tables.rules),
    )
    return Widened(wide, tuple(t + count for t in range(count)), probes)


def without(tables: Tables, states: Set[int], terminals: Iterable[int]) -> Tables:
    """The tables without these terminals in these states."""
    gone = frozenset(terminals)
    return replace(
        tables,
        shift=[_but(row, gone) if q in states else row for q, row in enumerate(tables.shift)],
        reduce=[_but(row, gone) if q in states else row for q, row in enumerate(tables.reduce)],
        default=[None if q in states else reduction for q, reduction in enumerate(tables.default)],
    )


def _but(row: dict[int, _V], gone: Set[int]) -> dict[int, _V]:
    return {t: value for t, value in row.items() if t not in gone}


def _followers(tables: Tables, state: int, rules: Set[str], firsts: list[set[int]]) -> set[int]:
    """The terminals that may come next in a state by its items of other rules."""
    followers: set[int] = set()
    for rule, dot in tables.kernels[state]:
        lhs, rhs = tables.rules[rule]
        if rules and _own(tables.nonterminals[lhs]) not in rules and dot < len(rhs):
            followers |= {~rhs[dot]} if rhs[dot] < 0 else firsts[rhs[dot]]
    return followers


def _own(name: str) -> str:
    """The rule a split-off part is named after."""
    return name.split("#")[0]
