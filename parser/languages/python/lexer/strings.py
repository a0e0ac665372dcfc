"""String and bytes literals without fields, and the opening quotes of any literal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ....lexing.base import DEAD, Region, Step, Tokens
from . import escapes
from .symbol import END_OF_FILE, CodeSymbol
from .templates import template
from .version_lexer import VersionLexer


@dataclass(frozen=True, slots=True)
class _InString(CodeSymbol):
    in_words: ClassVar[str] = "a string"

    @property
    def region(self) -> Region:
        return "string"

    @property
    def nesting(self) -> int:
        return (self.context.level if self.context is not None else 0) + 1


@dataclass(frozen=True, slots=True)
class OpeningQuote(_InString):
    """After the first quote of a string."""

    prefix: str
    """of b, f, r, t: sorted, lower case"""
    quote: str

    def step(self, lexer: VersionLexer, char: str) -> Step:
        if char == self.quote:
            return lexer.state(TwoQuotes, self.context, self.prefix, self.quote), ()
        inside, tokens = _inside(lexer, self, False)
        if inside is None:
            return DEAD
        after, more = lexer.step(inside, char)
        return (after, tokens + more) if after is not None else DEAD

    def expected(self, lexer: VersionLexer) -> tuple[Tokens, ...]:
        return ((lexer.terminal_of(self.prefix),),)

    def closers(self, lexer: VersionLexer) -> tuple[str, ...]:
        return (self.quote,)

    def spelling(self, lexer: VersionLexer) -> str | None:
        return self.prefix + self.quote


@dataclass(frozen=True, slots=True)
class TwoQuotes(_InString):
    """After two quotes: the empty string, or a triple-quoted one."""

    prefix: str
    quote: str

    @property
    def region(self) -> Region:
        return "code"

    def step(self, lexer: VersionLexer, char: str) -> Step:
        if char == self.quote:
            return _inside(lexer, self, True)
        return lexer.then(lexer.empty(self.prefix), char, self.context)

    def finish(self, lexer: VersionLexer) -> Tokens | None:
        return (*lexer.empty(self.prefix), *END_OF_FILE)

    def expected(self, lexer: VersionLexer) -> tuple[Tokens, ...]:
        return tuple(dict.fromkeys((lexer.empty(self.prefix), (lexer.terminal_of(self.prefix),))))

    def closers(self, lexer: VersionLexer) -> tuple[str, ...]:
        return (" ",)

    def spelling(self, lexer: VersionLexer) -> str | None:
        return self.prefix + self.quote * 2


def _inside(lexer: VersionLexer, symbol: OpeningQuote | TwoQuotes, triple: bool) -> Step:
    """The step after the opening quotes."""
    start = lexer.templates.start(symbol.prefix)
    if start is not None:
        inside = template(lexer, symbol.prefix, symbol.quote, triple, symbol.context)
        return (inside, (start,)) if inside is not None else DEAD
    if "f" in symbol.prefix:
        assert lexer.old_fstrings is not None
        return lexer.old_fstrings.open(symbol.prefix, symbol.quote, triple), ()
    return lexer.state(String, symbol.context, symbol.prefix, symbol.quote, triple, "", 0), ()


@dataclass(frozen=True, slots=True)
class String(_InString):
    """Inside a string or bytes literal."""

    prefix: str
    """of b, r: sorted"""
    quote: str
    triple: bool
    escape: str
    """see escapes.py"""
    quotes: int
    """closing quotes seen of a triple-quoted string"""

    @property
    def is_in_escape(self) -> bool:
        return self.escape not in ("", "\\")

    @property
    def loop(self) -> str:
        """A pattern for texts that lead back to this state, with no escape or quote begun: with short escapes, and too few quotes to
        close."""
        is_bytes, quote = "b" in self.prefix, self.quote
        plain = escapes.any_but(f"\\\r{quote}{'' if self.triple else chr(10)}", is_bytes=is_bytes)
        other = rf"\\{escapes.short(raw='r' in self.prefix, is_bytes=is_bytes)}"
        if self.triple:
            other = rf"{quote}{{0,2}}+{other}|{quote}{{1,2}}+{plain}"
        return rf"{plain}*+(?:(?:{other}){plain}*+)*+"

    def step(self, lexer: VersionLexer, char: str) -> Step:
        is_bytes = "b" in self.prefix
        if is_bytes and not char.isascii():
            return DEAD
        if self.escape == "\\":
            return self._goes_on(lexer, escapes.after_backslash(char, raw="r" in self.prefix, is_bytes=is_bytes))
        if self.escape:
            inside = escapes.inside_escape(self.escape, char)
            return DEAD if inside is None else self._goes_on(lexer, inside)
        if char == "\\":
            return self._goes_on(lexer, "\\")
        if char == self.quote:
            if not self.triple or self.quotes == 2:
                return lexer.between(self.context), (lexer.terminal_of(self.prefix),)
            return self._goes_on(lexer, "", self.quotes + 1)
        if char == "\n" and not self.triple:
            return DEAD
        return self._goes_on(lexer, "")

    def _goes_on(self, lexer: VersionLexer, escape: str, quotes: int = 0) -> Step:
        return lexer.state(String, self.context, self.prefix, self.quote, self.triple, escape, quotes), ()

    def expected(self, lexer: VersionLexer) -> tuple[Tokens, ...]:
        return ((lexer.terminal_of(self.prefix),),)

    def closers(self, lexer: VersionLexer) -> tuple[str, ...]:
        left = 3 - self.quotes if self.triple else 1
        escape = escapes.escape_closer(self.escape)
        return (escape + self.quote * left, escape) if escape else (self.quote * left,)

    def spelling(self, lexer: VersionLexer) -> str | None:
        return self.prefix + self.quote * (3 if self.triple else 1) + self.escape + self.quote * self.quotes
