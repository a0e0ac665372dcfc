"""Operators, brackets and other signs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ....lexing.base import DEAD, Step, Tokens
from .numbers import Number
from .symbol import END_OF_FILE, CodeSymbol
from .template_layout import TemplateLayout, at_field_level
from .templates import after_exclamation, sign_in_field
from .version_lexer import VersionLexer


def after_operator(lexer: VersionLexer, text: str, context: TemplateLayout | None) -> Step:
    """The step after the beginning of an operator, which ends at once where no longer one exists."""
    special = sign_in_field(lexer, text, context) if context is not None and len(text) == 1 else None
    if special is not None:
        return special
    longer = any(other != text and other.startswith(text) for other in lexer.operators)
    if text in lexer.operators and not longer:
        return lexer.between(context), (lexer.operators[text],)
    return lexer.state(Operator, context, text), ()


@dataclass(frozen=True, slots=True)
class Operator(CodeSymbol):
    """An operator in progress, which may become a longer one."""

    text: str

    in_words: ClassVar[str] = "an operator"

    def step(self, lexer: VersionLexer, char: str) -> Step:
        text, context = self.text, self.context
        if char.isascii() and char.isdigit() and text in (".", ".."):  # "..5" is "." and ".5"
            return lexer.state(Number, context, "f"), (lexer.operators["."],) * (len(text) - 1)
        if text + char in lexer.operator_starts:
            return after_operator(lexer, text + char, context)
        if text + char == "<>":  # one operator to CPython's tokenizer, never valid
            return DEAD
        if text == "..":
            return lexer.then((lexer.operators["."],) * 2, char, context)
        if text == "!":
            return after_exclamation(lexer, char, context)
        return lexer.then((lexer.operators[text],), char, context) if text in lexer.operators else DEAD

    def finish(self, lexer: VersionLexer) -> Tokens | None:
        if self.text == "..":
            return (lexer.operators["."],) * 2 + END_OF_FILE
        return (lexer.operators[self.text], *END_OF_FILE) if self.text in lexer.operators else None

    def expected(self, lexer: VersionLexer) -> tuple[Tokens, ...]:
        sequences: list[Tokens] = [(t,) for text, t in lexer.operators.items() if text.startswith(self.text)]
        if self.text == ".":
            sequences += [(lexer.number,), (lexer.imaginary,)]
        if self.text == "..":
            dot = lexer.operators["."]
            sequences += [(dot, dot), (dot, lexer.number), (dot, lexer.imaginary)]
        if self.text == "!" and at_field_level(self.context):
            sequences.append((lexer.templates.conversion,))
        return tuple(sequences)

    def closers(self, lexer: VersionLexer) -> tuple[str, ...]:
        rests = [text[len(self.text) :] + " " for text in lexer.operators if text.startswith(self.text)]
        return ("r", *rests) if self.text == "!" and at_field_level(self.context) else tuple(dict.fromkeys(rests))

    def spelling(self, lexer: VersionLexer) -> str | None:
        return self.text
