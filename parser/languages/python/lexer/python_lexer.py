"""Python's lexer, one character at a time; symbol.py says where its kinds of symbols are."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from ....grammar.lalr import Tables
from ....lexing.base import DEAD, Lexer, LexState, Region, Step, Tokens, settled
from . import entries, identifiers, mask_states
from .between import Between, Comment
from .dialect import Dialect
from .fstrings import OldFStrings
from .lines import Indentation, LineComment, LineStart, StartOfFile
from .strings import String
from .symbol import PythonSymbol
from .templates import TemplateLayout, TemplateTerminals

if TYPE_CHECKING:
    from ....glr.prefix import PrefixState

_NAMED = ("NAME", "NUMBER", "IMAGINARY", "STRING", "BYTES", "NEWLINE", "INDENT", "DEDENT")


class PythonLexer(Lexer):
    """The lexer of one version: its tables, and what all symbols need."""

    old_fstrings: OldFStrings | None = None
    """reads f-strings up to 3.11; given later, by the engine that their fields are read with"""

    def __init__(self, tables: Tables, texts: Mapping[str, str], dialect: Dialect) -> None:
        """texts: terminal name -> fixed text, of the grammar."""
        super().__init__()
        self.dialect = dialect
        self.templates = TemplateTerminals(tables, dialect)
        ids = {name: tables.terminal(name) for name in _NAMED}
        self.name, self.number, self.imaginary = ids["NAME"], ids["NUMBER"], ids["IMAGINARY"]
        self.string, self.bytes = ids["STRING"], ids["BYTES"]
        fixed = {text: tables.terminal(name) for name, text in texts.items() if tables.terminal(name) >= 0}
        self.keywords = {text: t for text, t in fixed.items() if text.isidentifier()}
        self.operators = {text: t for text, t in fixed.items() if not text.isidentifier()}
        self.operator_starts = {text[:i] for text in self.operators for i in range(1, len(text) + 1)}
        self.lambda_ = self.keywords["lambda"]
        self.prefixes = dialect.string_prefixes()
        self.name_starts = {w[:i] for w in [*self.keywords, *self.prefixes] for i in range(1, len(w) + 1)}
        self.clean = self.state(Between, None)
        self.start = self.state(StartOfFile)
        self.first_line = self.state(Indentation, 0, 0, 0, False)
        self.new_line = self.state(Indentation, 0, 0, 0, True)

    # -- what symbols are read with

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

    def then(self, terminal: int, char: str, context: TemplateLayout | None) -> Step:
        """A symbol ended before char, which is read from the clean state."""
        after, tokens = self.step(self.between(context), char)
        return (after, (terminal, *tokens)) if after is not None else DEAD

    def empty(self, prefix: str) -> Tokens:
        """The terminals of an empty string."""
        start = self.templates.start(prefix)
        return (self.terminal_of(prefix),) if start is None else (start, self.templates.end)

    def terminal_of(self, prefix: str) -> int:
        """The first terminal of a string."""
        start = self.templates.start(prefix)
        return start if start is not None else self.bytes if "b" in prefix else self.string

    # -- what a state means

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
        """The same within the strings whose fields the lexer is in at a state."""
        return entries.around(self, state)

    def entries(self) -> list[LexState]:
        """States from which a right context that any text can precede is viable, if it is from one at all."""
        return self._entries

    def nested(self, state: LexState, text: str) -> list[LexState]:
        """See entries.py."""
        return entries.nested(self, state, text)

    def named(self, text: str) -> list[LexState]:
        """The same in the name of a character, which a right context with this text may end."""
        return entries.named(self, text)

    @cached_property
    def _entries(self) -> list[LexState]:
        return entries.entries(self)

    def may_start(self, char: str) -> bool:
        """May an identifier start with the character?"""
        return identifiers.may_start(char, self.dialect.version)

    def may_continue(self, char: str) -> bool:
        """May the character stand in an identifier, after its first?"""
        return identifiers.may_continue(char, self.dialect.version)

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
