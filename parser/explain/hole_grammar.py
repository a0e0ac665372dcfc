"""The quotient grammar of a hole: rules for exactly the terminals that may stand in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..earley import Cfg, TooLarge, left_quotient, quotient, simplified
from ..earley.quotients import MARK
from ..grammar.loader import Grammar
from ..hole import State
from ..lexing.base import settled
from .contexts import left_path, right_path

MAX_ITEMS = 400_000
"""Earley items for each of the two quotients; some 2 s and 200 MB."""

Alternatives = tuple[tuple[str, ...], ...]

WITHIN_A_SYMBOL = (
    "the right context ends a symbol that begins before it: the hole lies within one, or needs part of one at its end"
)
OPEN = "the right context is broken; this grammar follows the left one"
TOO_LARGE = "the contexts are too large"
NOT_FROM_THE_START = "the text before the hole is broken, so there is no grammar of what may follow it"
SPLIT = "the symbol at the cursor counts as two, one on each side"
NOTHING = "no sequence of whole symbols fits"


@dataclass(frozen=True)
class HoleGrammar:
    """The rules changed by the seams; others are those of the language.

    A[i..]: the rest of an A that began before symbol i of the left context; A[..j]: an A up to where it goes on at j in the right
    one; A[i..j]: both. Symbols with a fixed text are quoted.
    """

    rules: tuple[tuple[str, Alternatives], ...]
    """(name, alternatives), the start first; () where there is only a note"""
    plain: tuple[tuple[str, Alternatives], ...]
    """the language's own rules used by them, directly or not"""
    note: str
    """why there is no grammar, or the part it covers; "" for the whole hole"""


def hole_grammar(grammar: Grammar, state: State, before: str) -> HoleGrammar:
    """The quotient of a language's grammar by the contexts of a hole; before: the text up to the state."""
    left, right = left_path(state, before), right_path(state, grammar)
    if left is None:
        return HoleGrammar((), (), NOT_FROM_THE_START)
    if right.too_long:
        return HoleGrammar((), (), TOO_LARGE)
    if right.automaton is None and not right.open:
        return HoleGrammar((), (), WITHIN_A_SYMBOL)
    whole, note = Cfg.of(grammar), OPEN if right.automaton is None else SPLIT if _is_split(state) else ""
    try:
        if right.automaton is None:
            fitting = left_quotient(whole, left, MAX_ITEMS)
        else:
            fitting = quotient(whole, left, right.automaton, MAX_ITEMS)
    except TooLarge:
        return HoleGrammar((), (), TOO_LARGE)
    fitting = simplified(fitting, lambda name: MARK in name)
    if not fitting.rules:
        return HoleGrammar((), (), NOTHING)
    alternatives = {name: _shown(fitting, fitting.by_lhs[name], grammar.texts) for name in dict(fitting.rules)}
    changed = tuple(
        (name, alternatives[name])
        for name in sorted(alternatives, key=lambda name: _order(name, fitting.start))
        if MARK in name or name == fitting.start
    )
    plain = tuple((name, rules) for name, rules in alternatives.items() if MARK not in name and name != fitting.start)
    return HoleGrammar(changed, plain, note)


def _is_split(state: State) -> bool:
    """Whether the right context's first character continues the symbol in progress."""
    lexer, lex, text = state.context.engine.lexer, settled(state.left.lex), state.context.right.text
    if not lexer.in_words(lex) or not text:
        return False
    after, tokens = lexer.step(lex, text[0])
    return after is not None and not tokens and type(after.symbol) is type(lex.symbol)


def _order(name: str, start: str) -> int:
    """Sort rules between both seams first, then those cut by the left seam, then those of the right one; else as reached."""
    return 0 if name == start else 3 if f"{MARK}.." in name else 2 if name.endswith("..]") else 1


def _shown(cfg: Cfg, alternatives: list[tuple[str, ...]], texts: Mapping[str, str]) -> Alternatives:
    return tuple(
        tuple(f'"{texts[s]}"' if s in texts and s not in cfg.nonterminals else s for s in rhs) for rhs in alternatives
    )
