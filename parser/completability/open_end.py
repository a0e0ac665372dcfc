"""The right contexts without restrictions: every viable text can be completed before them.

The grammar has no useless symbols, so some terminals complete any stack. Only their spelling may fail, and the lexer alone decides
that: the symbol in progress must be able to end as each of its possible terminals, and behind each symbol all terminals must be possible,
and the right context, which is blank. Cases left undecided here are decided from both sides (prestar.py).
"""

from __future__ import annotations

from collections.abc import Set
from functools import cached_property

from ..glr.prefix import Engine
from ..glr.suffix import SuffixContext
from ..grammar.lalr import END
from ..lexing.base import LexState, Tokens
from ..lexing.dfa_lexer import DfaLexer
from .any_text import AnyText

_MOST_STATES = 500
"""The most states examined of a lexer."""


class OpenEnd:
    """Decides it for one engine over a grammar file without blocks by indentation."""

    def __init__(self, engine: Engine, anytext: AnyText) -> None:
        assert isinstance(engine.lexer, DfaLexer)
        self._engine, self._lexer, self._anytext = engine, engine.lexer, anytext
        self._terminals = {t for t in range(len(engine.factory.tables.terminals)) if t != END}

    def is_before(self, right: SuffixContext) -> bool:
        """Whether every viable text can be completed before a right context; False if undecided."""
        return self._is_blank(right, self._lexer.start) and self._is_ever and self._is_open(right)

    def _is_blank(self, right: SuffixContext, state: LexState) -> bool:
        """Whether the right context has no terminal when entered in a state."""
        run, index = right.run(state), 0
        while index >= len(run.tokens):
            if not run.more(self._engine):
                if run.link is None:
                    return False
                run, index = run.link
        return run.tokens[index] == END

    @cached_property
    def _states(self) -> list[LexState]:
        """The states reached by texts; none if they are too many."""
        return self._lexer.few_states(_MOST_STATES) or []

    @cached_property
    def _is_ever(self) -> bool:
        """Whether a right context restricts no text if it can be entered everywhere: the cheapest condition of all."""
        return self._is_open(None)

    def _is_open(self, right: SuffixContext | None) -> bool:
        """The same of one context; None: of one enterable everywhere."""
        lexer, way = self._lexer, self._anytext.way
        opened = [state for lex in self._states for _, state in lexer.lexer_alternatives(lex)]
        after = [end for state in opened for _, end in way(state).over]
        free = set(self._anytext.gaps([*lexer.between, *after]))  # gaps before which nothing is restricted
        while restricted := {gap for gap in free if not self._is_free(gap, right, free)}:
            free -= restricted
        return bool(self._states) and all(self._ends(lex, right, free) for lex in self._states)

    def _is_free(self, state: LexState, right: SuffixContext | None, free: Set[LexState]) -> bool:
        """Whether all terminals are possible from a state on, up to a free gap, and so is the end without any."""
        way = self._anytext.way(state)
        return {terminal for terminal, after in way.over if after in free} >= self._terminals and (
            right is None or any(self._is_blank(right, entry) for entry in way.entries)
        )

    def _ends(self, lex: LexState, right: SuffixContext | None, free: Set[LexState]) -> bool:
        """Whether the symbol in progress can end as each of its possible terminals."""

        def spells(emitted: Tokens, state: LexState, tokens: Tokens) -> bool:
            rest = tokens[len(emitted) :]
            if emitted + rest != tokens or len(rest) > 1:
                return False
            if not rest:
                return self._is_free(state, right, free)
            return any(terminal == rest[0] and after in free for terminal, after in self._anytext.way(state).over)

        ways = self._lexer.lexer_alternatives(lex)
        alternatives = self._lexer.expected(lex) or ((),)
        return all(any(spells(*way, tokens) for way in ways) for tokens in alternatives if -1 not in tokens)
