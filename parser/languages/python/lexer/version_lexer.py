"""One version's lexer as the kinds of symbols see it: its terminals, and the steps they share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Protocol

from ....grammar.lalr import Tables
from ....lexing.base import DEAD, Lexer, LexState, Step, Tokens
from . import identifiers
from .dialect import Dialect
from .template_layout import TemplateLayout, TemplateTerminals

_NAMED = ("NAME", "NUMBER", "IMAGINARY", "STRING", "BYTES", "NEWLINE", "INDENT", "DEDENT")


class FStringReader(Protocol):
    """A reader of f-strings up to Python 3.11."""

    def open(self, prefix: str, quote: str, triple: bool) -> LexState:
        """The state after the opening quotes."""
        ...

    def step(self, layout: Any, char: str) -> Step:
        """The step from a place in an f-string by one character."""
        ...


class VersionLexer(Lexer):
    """The terminals of one version; `PythonLexer` adds the kinds of symbols."""

    old_fstrings: FStringReader | None = None
    """set later, by the engine that reads their fields"""

    clean: LexState
    """the state between symbols, outside of all strings"""
    start: LexState
    """the state at the start of a file"""
    first_line: LexState
    """the state at the start of a file's first line with code"""
    new_line: LexState
    """the state at the start of any other line"""

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

    @abstractmethod
    def between(self, context: TemplateLayout | None) -> LexState:
        """The state between symbols."""

    def then(self, terminals: Tokens, char: str, context: TemplateLayout | None) -> Step:
        """End symbols before a character, which is read from the state between them."""
        after, tokens = self.step(self.between(context), char)
        return (after, terminals + tokens) if after is not None else DEAD

    def empty(self, prefix: str) -> Tokens:
        """The terminals of an empty string."""
        start = self.templates.start(prefix)
        return (self.terminal_of(prefix),) if start is None else (start, self.templates.end)

    def terminal_of(self, prefix: str) -> int:
        """The first terminal of a string."""
        start = self.templates.start(prefix)
        return start if start is not None else self.bytes if "b" in prefix else self.string

    def may_start(self, char: str) -> bool:
        """Whether an identifier may start with the character."""
        return identifiers.may_start(char, self.dialect.version)

    def may_continue(self, char: str) -> bool:
        """Whether an identifier may contain the character after its first."""
        return identifiers.may_continue(char, self.dialect.version)
