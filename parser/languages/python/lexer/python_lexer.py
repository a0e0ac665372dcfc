"""Python's lexer, one character at a time; symbol.py says where its kinds of symbols are."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from ....grammar.lalr import Tables
from ....lexing.base import DEAD, LexState, Region, Step, Tokens, settled
from . import entries, identifiers, mask_states
from .between import Between, Comment
from .dialect import Dialect
from .lines import Indentation, LineComment, LineStart, StartOfFile
from .strings import String
from .symbol import PythonSymbol
from .template_layout import TemplateLayout
from .version_lexer import VersionLexer

if TYPE_CHECKING:
    from ....glr.prefix import PrefixState


class PythonLexer(VersionLexer):
    """The lexer of one version, with all kinds of symbols."""

    def __init__(self, tables: Tables, texts: Mapping[str, str], dialect: Dialect) -> None:
        """texts: terminal name -> fixed text, of the grammar."""
        super().__init__(tables, texts, dialect)
        self.clean = self.state(Between, None)
        self.start = self.state(StartOfFile)
        self.first_line = self.state(Indentation, 0, 0, 0, False)
        self.new_line = self.state(Indentation, 0, 0, 0, True)

    # -- reading

    def _step(self, state: LexState, char: str) -> Step:
        if char == "\0" or "\ud800" <= char <= "\udfff":
            return DEAD
        return _symbol(state).step(self, char)

    def _loop(self, state: LexState) -> re.Pattern[str]:
        symbol = state.symbol
        if isinstance(symbol, String) and not symbol.quotes and not symbol.escape:
            return re.compile(symbol.loop)
        return super()._loop(state)

    def between(self, context: TemplateLayout | None) -> LexState:
        """The state between symbols."""
        return self.state(Between, context)

    # -- the meaning of a state

    def _finish(self, state: LexState) -> Tokens | None:
        return _symbol(state).finish(self) if entries.context_of(state) is None else None

    def _expected(self, state: LexState) -> tuple[Tokens, ...]:
        return _symbol(state).expected(self)

    def closers(self, state: LexState) -> tuple[str, ...]:
        return _symbol(settled(state)).closers(self)

    def _nesting(self, state: LexState) -> int:
        return _symbol(state).nesting

    def _outside(self, state: LexState) -> LexState:
        return _symbol(state).outside(self)

    def _in_words(self, state: LexState) -> str:
        return _symbol(state).in_words

    def begins_line(self, state: LexState) -> bool:
        return isinstance(state.symbol, (StartOfFile, LineStart))

    def in_comment(self, state: LexState) -> bool:
        return isinstance(state.symbol, (Comment, LineComment))

    def region(self, state: LexState) -> Region:
        return _symbol(settled(state)).region

    def around(self, state: LexState) -> list[LexState]:
        """See around in entries.py."""
        return entries.around(self, state)

    def entries(self) -> list[LexState]:
        """See entries in entries.py."""
        return self._entries

    def nested(self, state: LexState, text: str) -> list[LexState]:
        """See nested in entries.py."""
        return entries.nested(self, state, text)

    def named(self, text: str) -> list[LexState]:
        """See named in entries.py."""
        return entries.named(self, text)

    @cached_property
    def _entries(self) -> list[LexState]:
        return entries.entries(self)

    def representatives(self, low: int, high: int) -> tuple[str, ...]:
        return identifiers.representatives(low, high, self.dialect.version)

    def alike(self, char: str) -> Hashable:
        return mask_states.alike(self, char)

    def equivalence_key(self, state: LexState) -> tuple[LexState, str]:
        return mask_states.equivalence_key(self, state)

    def alike_from(self, state: LexState, char: str) -> Hashable | None:
        return mask_states.alike_from(self, state, char)

    def within(self, state: LexState) -> tuple[LexState | PrefixState, str] | None:
        return super().within(state) or mask_states.within(self, state)

    def specials(self) -> list[str]:
        return [*super().specials(), *mask_states.specials(self)]

    def ordinary(self) -> list[LexState]:
        return mask_states.ordinary(self)

    def rules(self) -> str:
        return mask_states.rules(self)


def _symbol(state: LexState) -> PythonSymbol:
    assert isinstance(state.symbol, PythonSymbol)
    return state.symbol
