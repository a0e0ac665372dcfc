"""f-strings since Python 3.12 (PEP 701) and t-strings (PEP 750): the lexer goes in and out of their text.

A state's context is the innermost string whose field the lexer is in, a `TemplateLayout`; a state of kind "text" is inside its text
(or a format spec), all others are in a field. As CPython's tokenizer does, only outside all brackets of a field are
"}", ":" and "!" its own; lambda is dead there, since its ":" would begin the format spec.

Early micro releases are laxer or stricter in ways that were mended later, and are not followed: a newline in a format spec of
a single-quoted string ends it (3.12.0 to 3.12.9 or so, 3.13.0 to 3.13.2), "=" in a nested field is an error (3.12.0 to 3.12.3
or so).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ....grammar.lalr import Tables
from ....lexing.base import DEAD, LexState, Tokens
from . import escapes
from .dialect import Dialect

if TYPE_CHECKING:
    from .python_lexer import PythonLexer

_MAX_FIELDS = 3
"""Fields in the format specs of fields (CPython: MAX_EXPR_NESTING)."""
_MAX_LEVEL = 149
"""Strings within fields of strings (CPython: MAXFSTRINGLEVEL)."""
_CONVERSIONS = "sra"

Step = tuple[LexState | None, Tokens]


class TemplateLayout(NamedTuple):
    """A string that has fields, around the lexer's place."""

    outer: TemplateLayout | None
    quote: str
    triple: bool
    raw: bool
    fields: int
    """fields open in it, each in the format spec of the one before"""
    brackets: int
    """brackets open in the innermost field"""
    level: int
    doubled: bool = False
    """in a format spec: does "{{" stand for a brace?"""


class Text(NamedTuple):
    """Within the text of one, or a format spec."""

    pending: str
    """an escape (see escapes.py), or a brace that may be doubled"""
    quotes: int
    """closing quotes seen of a triple-quoted string"""


_PLAIN = Text("", 0)


def outermost(quote: str, triple: bool, raw: bool, fields: int = 0, brackets: int = 0) -> TemplateLayout:
    """A string in no other string's field."""
    return TemplateLayout(None, quote, triple, raw, fields, brackets, 1)


def at_field_level(context: TemplateLayout | None) -> bool:
    """Is this in a field, outside all its brackets?"""
    return context is not None and not context.brackets


class Templates:
    """Reads text, and what is special in fields, for a lexer."""

    def __init__(self, lexer: PythonLexer, tables: Tables, dialect: Dialect) -> None:
        self._lexer, self._dialect = lexer, dialect
        self._starts = {"f": tables.terminal("FSTRING_START"), "t": tables.terminal("TSTRING_START")}
        self.end = tables.terminal("TEMPLATE_END")
        self.open_field, self.close_field = tables.terminal("FIELD_OPEN"), tables.terminal("FIELD_CLOSE")
        self.conversion, self.spec = tables.terminal("CONVERSION"), tables.terminal("SPEC")

    def start(self, prefix: str) -> int | None:
        """The terminal that such a string begins with; None for a prefix of other strings."""
        if not self._dialect.nested_fstrings:
            return None
        return next((terminal for letter, terminal in self._starts.items() if letter in prefix), None)

    def inside(self, prefix: str, quote: str, triple: bool, outer: TemplateLayout | None) -> LexState | None:
        """The state after the opening quotes; None when strings are nested too deeply."""
        level = outer.level + 1 if outer else 1
        if level > _MAX_LEVEL:
            return None
        return self._text(TemplateLayout(outer, quote, triple, "r" in prefix, 0, 0, level), _PLAIN)

    def _text(self, context: TemplateLayout, text: Text) -> LexState:
        return self._lexer.state("text", text, context)

    def _go(self, context: TemplateLayout, pending: str, quotes: int = 0) -> Step:
        return self._text(context, Text(pending, quotes)), ()

    def step(self, state: LexState, char: str) -> Step:
        """One more character of text."""
        at: TemplateLayout = state.context
        pending, quotes = state.data
        raw = at.raw and (not at.fields or self._dialect.raw_format_specs)
        if pending == "\\":
            if char not in "{}":  # a backslash does not escape a brace
                escape = escapes.after_backslash(char, raw=raw, is_bytes=False)
                return DEAD if escape == "N" and at.raw else self._go(at, escape)
        elif pending == "{":
            return self._go(at, "") if char == "{" else self._in_field(at, char)
        elif pending == "}":
            return self._go(at, "") if char == "}" else DEAD
        elif pending:
            inside = None if char in "{}" and pending[0] != "N" else escapes.inside_escape(pending, char)
            return DEAD if inside is None else self._go(at, inside)
        if char == at.quote:
            return self._at_quote(at, quotes)
        if char == "\\":
            return self._go(at, "\\")
        if char == "\n" and not at.triple:
            return DEAD
        if char not in "{}":
            return self._go(at, "")
        if not at.fields or (at.doubled and char == "{"):
            return self._go(at, char)
        if char == "}":
            return self._after_field(at)
        inside = self._field_of(at)
        return (self._lexer.between(inside), (self.open_field,)) if inside is not None else DEAD

    def _at_quote(self, at: TemplateLayout, quotes: int) -> Step:
        if at.triple and quotes < 2:
            return self._go(at, "", quotes + 1)
        return DEAD if at.fields else (self._lexer.between(at.outer), (self.end,))

    def _field_of(self, at: TemplateLayout) -> TemplateLayout | None:
        return at._replace(fields=at.fields + 1, brackets=0, doubled=False) if at.fields < _MAX_FIELDS else None

    def _in_field(self, at: TemplateLayout, char: str) -> Step:
        inside = self._field_of(at)
        if inside is None:
            return DEAD
        after, tokens = self._lexer.step(self._lexer.between(inside), char)
        return DEAD if after is None else (after, (self.open_field, *tokens))

    def _after_field(self, at: TemplateLayout) -> Step:
        doubled = self._dialect.doubled_braces_after_fields and at.fields > 1
        return self._text(at._replace(fields=at.fields - 1, doubled=doubled), _PLAIN), (self.close_field,)

    def operator(self, context: TemplateLayout, char: str) -> Step | None:
        """A bracket or other special character in a field; None for all others."""
        operators = self._lexer.operators
        if char in "([{":
            return self._lexer.between(context._replace(brackets=context.brackets + 1)), (operators[char],)
        if char in ")]}" and context.brackets:
            return self._lexer.between(context._replace(brackets=context.brackets - 1)), (operators[char],)
        if char == "}":
            return self._after_field(context)
        if char in ")]":
            return DEAD
        if char == ":" and not context.brackets:
            return self._text(context, _PLAIN), (self.spec,)
        return None

    def after_exclamation(self, context: TemplateLayout | None, char: str) -> Step | None:
        """A conversion, after its "!"; None when it is none."""
        if at_field_level(context) and char in _CONVERSIONS:
            return self._lexer.state("conversion", char, context), ()
        return None

    def after_conversion(self, state: LexState, char: str) -> Step:
        """The character after "!r"."""
        if self._lexer.may_continue(char) or not char.isascii():
            return DEAD
        return self._lexer.then(self.conversion, char, state.context)

    def closers(self, state: LexState) -> tuple[str, ...]:
        """Short texts that end the text, or the format spec, at hand."""
        at: TemplateLayout = state.context
        pending, quotes = state.data
        if at.fields:
            escape = "" if pending == "\\" else pending if pending == "{" else escapes.escape_closer(pending)
            return (escape + "}", escape) if escape else ("}",)
        closing = at.quote * (3 - quotes if at.triple else 1)
        inside = pending if pending in ("{", "}") else escapes.escape_closer(pending)
        return (inside + closing, inside) if inside else (closing,)
