"""Between two symbols of a line: blanks, comments after code, and backslashes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ....lexing.base import ANY_LINE, DEAD, LexState, Region, Step, Tokens
from .numbers import Number
from .operators import after_operator
from .strings import OpeningQuote
from .symbol import END_OF_FILE, CodeSymbol
from .template_layout import TemplateLayout
from .version_lexer import VersionLexer
from .words import Name


@dataclass(frozen=True, slots=True)
class Between(CodeSymbol):
    """Between two symbols."""

    def step(self, lexer: VersionLexer, char: str) -> Step:
        return _after_blank(lexer, char, self.context)

    def finish(self, lexer: VersionLexer) -> Tokens | None:
        return END_OF_FILE


@dataclass(frozen=True, slots=True)
class Backslash(CodeSymbol):
    """After a backslash that ends no logical line."""

    in_words: ClassVar[str] = "a line continuation"

    def step(self, lexer: VersionLexer, char: str) -> Step:
        return (lexer.state(Continued, self.context), ()) if char == "\n" else DEAD

    def closers(self, lexer: VersionLexer) -> tuple[str, ...]:
        return ("\n",)

    def spelling(self, lexer: VersionLexer) -> str | None:
        return "\\"


@dataclass(frozen=True, slots=True)
class Continued(CodeSymbol):
    """After the newline of a line continuation: the file may not end here."""

    def step(self, lexer: VersionLexer, char: str) -> Step:
        return _after_blank(lexer, char, self.context)


@dataclass(frozen=True, slots=True)
class Comment(CodeSymbol):
    """In a comment after code."""

    in_words: ClassVar[str] = "a comment"

    @property
    def region(self) -> Region:
        return "comment"

    def step(self, lexer: VersionLexer, char: str) -> Step:
        return (_after_line(lexer, self.context) if char == "\n" else lexer.state(Comment, self.context)), ()

    def finish(self, lexer: VersionLexer) -> Tokens | None:
        return END_OF_FILE

    def expected(self, lexer: VersionLexer) -> tuple[Tokens, ...]:
        return ((ANY_LINE,),) if self.context is None else ()

    def closers(self, lexer: VersionLexer) -> tuple[str, ...]:
        return ("\n",)

    def spelling(self, lexer: VersionLexer) -> str | None:
        return "#"


def _after_blank(lexer: VersionLexer, char: str, context: TemplateLayout | None) -> Step:
    if char in " \t\f":
        return lexer.between(context), ()
    if char == "\n":
        return _after_line(lexer, context), ()
    if char == "#":
        return lexer.state(Comment, context), ()
    if char == "\\":
        return lexer.state(Backslash, context), ()
    return first_of(lexer, char, context)


def _after_line(lexer: VersionLexer, context: TemplateLayout | None) -> LexState:
    return lexer.new_line if context is None else lexer.between(context)


def first_of(lexer: VersionLexer, char: str, context: TemplateLayout | None) -> Step:
    """The first character of a symbol."""
    if not char.isascii():
        return (lexer.state(Name, context, ""), ()) if lexer.may_start(char) else DEAD
    if char.isalpha() or char == "_":
        return lexer.state(Name, context, char if char in lexer.name_starts else ""), ()
    if char.isdigit():
        return lexer.state(Number, context, "z1" if char == "0" else "d"), ()
    if char in "\"'":
        return lexer.state(OpeningQuote, context, "", char), ()
    return after_operator(lexer, char, context) if char in lexer.operator_starts else DEAD
