"""Identifiers and keywords."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ....lexing.base import DEAD, Step, Tokens
from .strings import OpeningQuote
from .symbol import END_OF_FILE, CodeSymbol
from .template_layout import at_field_level
from .version_lexer import VersionLexer

AFTER_NUMBER = ("and", "else", "for", "if", "in", "is", "or", "not")
"""The keywords that may follow a number without a space."""


@dataclass(frozen=True, slots=True)
class Name(CodeSymbol):
    """An identifier or keyword."""

    text: str
    """the text while it may be a keyword or string prefix, else "" """

    in_words: ClassVar[str] = "a name or keyword"

    def step(self, lexer: VersionLexer, char: str) -> Step:
        text, context = self.text, self.context
        if char in "\"'" and text in lexer.prefixes:
            prefix = "".join(sorted(text.lower().replace("u", "")))
            return lexer.state(OpeningQuote, context, prefix, char), ()
        if lexer.may_continue(char):
            longer = text + char
            return lexer.state(Name, context, longer if text and longer in lexer.name_starts else ""), ()
        if not char.isascii():
            return DEAD
        terminal = lexer.keywords.get(text, lexer.name)
        if terminal == lexer.lambda_ and at_field_level(context):
            return DEAD
        return lexer.then((terminal,), char, context)

    def finish(self, lexer: VersionLexer) -> Tokens | None:
        return (lexer.keywords.get(self.text, lexer.name), *END_OF_FILE)

    def expected(self, lexer: VersionLexer) -> tuple[Tokens, ...]:
        terminals = [lexer.name]
        if self.text:
            terminals += [t for text, t in lexer.keywords.items() if text.startswith(self.text)]
            terminals += [lexer.terminal_of(p.lower()) for p in lexer.prefixes if p.startswith(self.text)]
        if at_field_level(self.context):
            terminals = [t for t in terminals if t != lexer.lambda_]
        return tuple((t,) for t in dict.fromkeys(terminals))

    def closers(self, lexer: VersionLexer) -> tuple[str, ...]:
        return (" ",)

    def spelling(self, lexer: VersionLexer) -> str | None:
        return self.text or "x"


@dataclass(frozen=True, slots=True)
class KeywordAfterNumber(CodeSymbol):
    """A keyword directly after a number."""

    text: str

    in_words: ClassVar[str] = "a keyword"

    def step(self, lexer: VersionLexer, char: str) -> Step:
        text = self.text + char
        if text in AFTER_NUMBER:
            return lexer.state(Name, self.context, text), ()
        starts = any(word.startswith(text) for word in AFTER_NUMBER)
        return (lexer.state(KeywordAfterNumber, self.context, text), ()) if starts else DEAD

    def expected(self, lexer: VersionLexer) -> tuple[Tokens, ...]:
        return tuple((lexer.keywords[w],) for w in AFTER_NUMBER if w.startswith(self.text))

    def closers(self, lexer: VersionLexer) -> tuple[str, ...]:
        return tuple(w[len(self.text) :] + " " for w in AFTER_NUMBER if w.startswith(self.text))
