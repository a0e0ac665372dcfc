"""The quotient of a grammar by its contexts, as a grammar (Melcer et al. 2024, figure 2).

Left: A[i..] derives the rest of A when the seam cuts it, where A began in state i of the left context. It ends
- as β, for an item A -> α . β of a final chart that began in i: the seam lies between two symbols of the rule;
- as B[k..] β, for an item A -> α . B β that waits in chart k: the seam lies in B, which the item predicted there.
Items of final charts with the dot in front need no rule of their own (the item that predicted them has B whole), nor do finished ones (the
items that they completed lie in the same chart). Right: the same on reversed rules and words; A[..j] ends in state j of the right context.
"""

from __future__ import annotations

from collections.abc import Callable

from .cfg import Cfg, Rule, trimmed
from .chart import TOP, charts
from .nfa import Nfa

MARK = "["
"""In the names of nonterminals that a seam cuts, and in no others."""


def left_quotient(cfg: Cfg, left: Nfa, max_items: int | None = None) -> Cfg:
    """The words x with u x in the language for some u of the automaton, as a trimmed grammar; raises TooLarge."""
    return _quotient(trimmed(cfg), left, "rest", lambda symbol, at: f"{symbol}{MARK}{at}..]", max_items)


def right_quotient(cfg: Cfg, right: Nfa, max_items: int | None = None) -> Cfg:
    """The words x with x u in the language for some u of the automaton, as a trimmed grammar; raises TooLarge."""

    def name(symbol: str, at: int) -> str:
        return f"{symbol[:-1]}{at}]" if symbol.endswith("..]") else f"{symbol}{MARK}..{at}]"

    return _quotient(trimmed(cfg).reversed(), right.reversed(), "hole", name, max_items).reversed()


def quotient(cfg: Cfg, left: Nfa, right: Nfa, max_items: int | None = None) -> Cfg:
    """The words x with u x v in the language for some u of the left automaton and some v of the right one; raises TooLarge."""
    return trimmed(right_quotient(left_quotient(cfg, left, max_items), right, max_items))


def _quotient(cfg: Cfg, nfa: Nfa, start: str, name: Callable[[str, int], str], max_items: int | None) -> Cfg:
    if not cfg.rules:  # trimmed: the empty language
        return Cfg(start, ())
    found = charts(cfg, nfa, max_items)
    while start in cfg.nonterminals:
        start += "'"
    rules: dict[Rule, None] = {}
    todo: dict[tuple[str, int], None] = {}
    done: set[tuple[str, int]] = set()

    def rest(rule: int, origin: int) -> str:
        if rule == TOP:
            return start
        lhs = found.rules[rule][0]
        if (lhs, origin) not in done:
            todo[lhs, origin] = None
        return name(lhs, origin)

    for state in nfa.finals:
        for item in found.items(state):
            rhs = found.rules[item.rule][1]
            if item.rule == TOP or 0 < item.dot < len(rhs):
                rules[rest(item.rule, item.origin), rhs[item.dot :]] = None
    while todo:
        symbol, at = next(iter(todo))
        del todo[symbol, at]
        done.add((symbol, at))
        for item in found.waiting(at, symbol):
            after = found.rules[item.rule][1][item.dot + 1 :]
            rules[rest(item.rule, item.origin), (name(symbol, at), *after)] = None
    return trimmed(Cfg(start, (*rules, *cfg.rules)))
