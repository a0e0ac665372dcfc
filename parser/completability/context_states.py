"""The LR states that can be on top in each context of a contextual lexer (`lexing/contexts.py`)."""

from __future__ import annotations

from ..grammar.lalr import Tables
from ..grammar.lr_states import LrStates, TooManyStacks
from ..lexing.dfa_lexer import DfaLexer


def states_by_context(tables: Tables, lexer: DfaLexer) -> list[frozenset[int]] | None:
    """context -> the LR states on top when a terminal has just been read.

    None where some text of the parser's cannot be written: a state is met in two contexts, or accepts a terminal that the lexer does
    not find in its context, not even as one of several alternatives. Otherwise the texts the parser takes from a state are the same
    whatever is below it, for the lexer too.
    """
    states, of = _of_tables(tables), {0: 0}
    todo, seen = [0], {0}
    while todo:
        state = todo.pop()
        contexts = lexer.found_in(of[state])
        for terminal in states.accepts[state]:
            then = contexts.get(terminal)
            if then is None:
                if lexer.is_alternatives(terminal) or not contexts.keys().isdisjoint(lexer.standing_for(terminal)):
                    continue
                return None
            try:
                after = states.after(state, terminal)
            except TooManyStacks:
                return None
            for to in after:
                if of.setdefault(to, then) != then:
                    return None
                todo += [to] if to not in seen else []
                seen.add(to)
    return [frozenset(s for s, context in of.items() if context == number) for number in range(lexer.contexts)]


def _of_tables(tables: Tables) -> LrStates[int]:
    """The LR states of tables; a nonterminal n is ~n."""
    shifts = [
        dict(shift) | {~n: to for n, to in goto.items()} for shift, goto in zip(tables.shift, tables.goto, strict=True)
    ]
    reductions = [{t: [(~lhs, size) for lhs, size in rules] for t, rules in row.items()} for row in tables.reduce]
    accepts = [
        frozenset(t for t in (*shift, *reduce) if t) for shift, reduce in zip(tables.shift, tables.reduce, strict=True)
    ]
    return LrStates(shifts, reductions, accepts)
