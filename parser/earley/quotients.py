"""The quotient of a grammar by its contexts, as a grammar (Melcer et al. 2024, figure 2).

Left: A[i..] derives the rest of an A cut by the seam, where A began in state i of the left context. It ends
- as β, for an item A -> α . β of a final chart that began in i: the seam lies between two symbols of the rule;
- as B[k..] β, for an item A -> α . B β waiting in chart k: the seam lies in B, which the item predicted there.
Items of final charts with the dot in front need no rule of their own (their predicting item has B whole), nor do finished ones (the
items they completed lie in the same chart). Right: the same on reversed rules and words; A[..j] ends in state j of the right context.
"""

from __future__ import annotations

from collections.abc import Callable

from .cfg import Cfg, Rule, trimmed
from .chart import TOP, charts
from .nfa import Nfa

MARK = "["
"""In the names of nonterminals cut by a seam, and in no others."""


def left_quotient(cfg: Cfg, left: Nfa, max_items: int | None = None) -> Cfg:
    """The words x with u x in the language for some u of the automaton, as a trimmed grammar; raises TooLarge."""
    return _quotient(trimmed(cfg), left, "rest", lambda symbol, state: f"{symbol}{MARK}{state}..]", max_items)


def right_quotient(cfg: Cfg, right: Nfa, max_items: int | None = None) -> Cfg:
    """The words x with x u in the language for some u of the automaton, as a trimmed grammar; raises TooLarge."""

    def name(symbol: str, state: int) -> str:
        return f"{symbol[:-1]}{state}]" if symbol.endswith("..]") else f"{symbol}{MARK}..{state}]"

    return _quotient(trimmed(cfg).reversed(), right.reversed(), "hole", name, max_items).reversed()


def quotient(cfg: Cfg, left: Nfa, right: Nfa, max_items: int | None = None) -> Cfg:
    """The words x with u x v in the language for some u of the left automaton and some v of the right one; raises TooLarge."""
    return trimmed(right_quotient(left_quotient(cfg, left, max_items), right, max_items))


def _quotient(cfg: Cfg, nfa: Nfa, start: str, name: Callable[[str, int], str], max_items: int | None) -> Cfg:
    if not cfg.rules:  # trimmed: the empty language
        return Cfg(start, ())
    charted = charts(cfg, nfa, max_items)
    while start in cfg.nonterminals:
        start += "'"
    rules: dict[Rule, None] = {}
    todo: dict[tuple[str, int], None] = {}
    done: set[tuple[str, int]] = set()

    def rest(rule: int, origin: int) -> str:
        if rule == TOP:
            return start
        lhs = charted.rules[rule][0]
        if (lhs, origin) not in done:
            todo[lhs, origin] = None
        return name(lhs, origin)

    for state in nfa.finals:
        for item in charted.items(state):
            rhs = charted.rules[item.rule][1]
            if item.rule == TOP or 0 < item.dot < len(rhs):
                rules[rest(item.rule, item.origin), rhs[item.dot :]] = None
    while todo:
        symbol, origin_state = next(iter(todo))
        del todo[symbol, origin_state]
        done.add((symbol, origin_state))
        for item in charted.waiting(origin_state, symbol):
            after = charted.rules[item.rule][1][item.dot + 1 :]
            rules[rest(item.rule, item.origin), (name(symbol, origin_state), *after)] = None
    return trimmed(Cfg(start, (*rules, *cfg.rules)))
