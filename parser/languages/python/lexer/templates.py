"""f-strings since Python 3.12 (PEP 701) and t-strings (PEP 750): the lexer enters and leaves their text.

A symbol's context, a `TemplateLayout`, is the innermost string around the lexer; `Text` is inside its text (or a format spec), all other
symbols are in a field. As in CPython's tokenizer, "}", ":" and "!" belong to a field only outside all its brackets; lambda is dead there,
since its ":" would begin the format spec.

Early micro releases are laxer or stricter, in ways not followed here: a newline in a format spec of a single-quoted string ends it (3.12.0 to
3.12.9 or so, 3.13.0 to 3.13.2), "=" in a nested field is an error (3.12.0 to 3.12.3 or so).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ....lexing.base import DEAD, LexState, Region, Step, Tokens
from . import escapes
from .symbol import CodeSymbol
from .template_layout import TemplateLayout, at_field_level
from .version_lexer import VersionLexer

_MAX_FIELDS = 3
"""Fields in the format specs of fields (CPython: MAX_EXPR_NESTING)."""
_MAX_LEVEL = 149
"""Strings within fields of strings (CPython: MAXFSTRINGLEVEL)."""
_CONVERSIONS = "sra"


@dataclass(frozen=True, slots=True)
class Text(CodeSymbol):
    """In the text of a string with fields, or in a format spec of one; the string is the context."""

    pending: str
    """an escape (see escapes.py), or a possibly doubled brace"""
    quotes: int
    """closing quotes seen of a triple-quoted string"""

    in_words: ClassVar[str] = "the text of a string with fields"

    @property
    def layout(self) -> TemplateLayout:
        """The string."""
        assert self.context is not None
        return self.context

    @property
    def region(self) -> Region:
        return "code" if self.pending == "{" else "string"

    @property
    def is_in_escape(self) -> bool:
        return self.pending not in ("", "\\", "{", "}")

    def step(self, lexer: VersionLexer, char: str) -> Step:
        layout, pending = self.layout, self.pending
        raw = layout.raw and (not layout.fields or lexer.dialect.raw_format_specs)
        if pending == "\\":
            if char not in "{}":  # a backslash does not escape a brace
                escape = escapes.after_backslash(char, raw=raw, is_bytes=False)
                return DEAD if escape == "N" and layout.raw else self._goes_on(lexer, escape)
        elif pending == "{":
            return self._goes_on(lexer, "") if char == "{" else self._in_field(lexer, char)
        elif pending == "}":
            return self._goes_on(lexer, "") if char == "}" else DEAD
        elif pending:
            inside = None if char in "{}" and pending[0] != "N" else escapes.inside_escape(pending, char)
            return DEAD if inside is None else self._goes_on(lexer, inside)
        if char == layout.quote:
            return self._at_quote(lexer)
        if char == "\\":
            return self._goes_on(lexer, "\\")
        if char == "\n" and not layout.triple:
            return DEAD
        if char not in "{}":
            return self._goes_on(lexer, "")
        if not layout.fields or (layout.doubled and char == "{"):
            return self._goes_on(lexer, char)
        if char == "}":
            return _after_field(lexer, layout)
        inside = _field_of(layout)
        return (lexer.between(inside), (lexer.templates.open_field,)) if inside is not None else DEAD

    def _goes_on(self, lexer: VersionLexer, pending: str, quotes: int = 0) -> Step:
        return lexer.state(Text, self.context, pending, quotes), ()

    def _at_quote(self, lexer: VersionLexer) -> Step:
        layout = self.layout
        if layout.triple and self.quotes < 2:
            return self._goes_on(lexer, "", self.quotes + 1)
        return DEAD if layout.fields else (lexer.between(layout.outer), (lexer.templates.end,))

    def _in_field(self, lexer: VersionLexer, char: str) -> Step:
        inside = _field_of(self.layout)
        return DEAD if inside is None else lexer.then((lexer.templates.open_field,), char, inside)

    def closers(self, lexer: VersionLexer) -> tuple[str, ...]:
        layout, pending = self.layout, self.pending
        if layout.fields:
            escape = "" if pending == "\\" else pending if pending == "{" else escapes.escape_closer(pending)
            return (escape + "}", escape) if escape else ("}",)
        closing = layout.quote * (3 - self.quotes if layout.triple else 1)
        inside = pending if pending in ("{", "}") else escapes.escape_closer(pending)
        return (inside + closing, inside) if inside else (closing,)

    def outside(self, lexer: VersionLexer) -> LexState:
        return lexer.between(self.layout.outer)


@dataclass(frozen=True, slots=True)
class Conversion(CodeSymbol):
    """After "!r" in a field."""

    letter: str

    in_words: ClassVar[str] = "a conversion"

    def step(self, lexer: VersionLexer, char: str) -> Step:
        if lexer.may_continue(char) or not char.isascii():
            return DEAD
        return lexer.then((lexer.templates.conversion,), char, self.context)

    def expected(self, lexer: VersionLexer) -> tuple[Tokens, ...]:
        return ((lexer.templates.conversion,),)

    def closers(self, lexer: VersionLexer) -> tuple[str, ...]:
        return (" ",)


def template(
    lexer: VersionLexer, prefix: str, quote: str, triple: bool, outer: TemplateLayout | None
) -> LexState | None:
    """The state after the opening quotes; None for strings nested too deeply."""
    level = outer.level + 1 if outer is not None else 1
    if level > _MAX_LEVEL:
        return None
    return lexer.state(Text, TemplateLayout(outer, quote, triple, "r" in prefix, 0, 0, level), "", 0)


def sign_in_field(lexer: VersionLexer, char: str, context: TemplateLayout) -> Step | None:
    """The step by a bracket or another special character in a field; None for all others."""
    operators = lexer.operators
    if char in "([{":
        return lexer.between(context._replace(brackets=context.brackets + 1)), (operators[char],)
    if char in ")]}" and context.brackets:
        return lexer.between(context._replace(brackets=context.brackets - 1)), (operators[char],)
    if char == "}":
        return _after_field(lexer, context)
    if char in ")]":
        return DEAD
    if char == ":" and not context.brackets:
        return lexer.state(Text, context, "", 0), (lexer.templates.spec,)
    return None


def after_exclamation(lexer: VersionLexer, char: str, context: TemplateLayout | None) -> Step:
    """The step from "!": a conversion."""
    if at_field_level(context) and char in _CONVERSIONS:
        return lexer.state(Conversion, context, char), ()
    return DEAD


def _field_of(layout: TemplateLayout) -> TemplateLayout | None:
    return layout._replace(fields=layout.fields + 1, brackets=0, doubled=False) if layout.fields < _MAX_FIELDS else None


def _after_field(lexer: VersionLexer, layout: TemplateLayout) -> Step:
    doubled = lexer.dialect.doubled_braces_after_fields and layout.fields > 1
    inside = layout._replace(fields=layout.fields - 1, doubled=doubled)
    return lexer.state(Text, inside, "", 0), (lexer.templates.close_field,)
