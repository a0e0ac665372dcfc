"""f-strings up to Python 3.11, first delimited like strings; then each field is parsed as "(" + its text + ")".

So inside a field there is no backslash, no "#", and never the outer quote. The engine itself reads a field, nested in the symbol in progress,
whose `levels` hold, outermost first, literal text and the fields in it (two levels of fields at most).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from ....glr.prefix import Engine, PrefixState
from ....lexing.base import DEAD, LexState, Region, Step, Tokens
from . import escapes
from .strings import OpeningQuote, String
from .symbol import PythonSymbol
from .version_lexer import VersionLexer

_BLANK = " \t\n\f\v"
_MAX_LEVELS = 3
"""Text, format spec, field in the spec; a field in that field's spec is an error."""


class LiteralText(NamedTuple):
    """Literal text, or a format spec below the outermost level; a single "{" or "}" counts as an escape."""

    escape: str


class Field(NamedTuple):
    """A replacement field before its "=", "!", ":" or "}"; left: "(" and the field's text; pending: one character of lookahead."""

    left: PrefixState
    pending: str
    blank: bool


class After(NamedTuple):
    """After the expression; what: "=" after a self-documenting equals sign, "!" before and ":" after the conversion."""

    what: str


Level = LiteralText | Field | After


class FStringLayout(NamedTuple):
    """A string, and the lexer's position in it."""

    raw: bool
    quote: str
    triple: bool
    quotes: int
    """closing quotes seen of a triple-quoted string"""
    levels: tuple[Level, ...]
    """outermost first"""


@dataclass(frozen=True, slots=True)
class FString(PythonSymbol):
    """Inside an f-string, in its text or in a field."""

    layout: FStringLayout

    in_words: ClassVar[str] = "an f-string"

    @property
    def field(self) -> Field | None:
        """The field around the position, before its "=", "!", ":" or "}"."""
        level = self.layout.levels[-1]
        return level if isinstance(level, Field) else None

    @property
    def closing(self) -> str:
        """The text that closes the fields (once their expressions are complete) and the quotes."""
        layout = self.layout
        return "}" * (len(layout.levels) - 1) + layout.quote * (3 - layout.quotes if layout.triple else 1)

    @property
    def escape(self) -> str:
        """The escape in progress in literal text; "" for no escape or no text."""
        level = self.layout.levels[-1]
        return level.escape if isinstance(level, LiteralText) else ""

    @property
    def is_in_text_only(self) -> bool:
        """Whether no field is open, only format specs at most."""
        return not any(isinstance(level, Field) for level in self.layout.levels)

    @property
    def region(self) -> Region:
        """The kind of text; directly after a brace the position counts as in a field."""
        level = self.layout.levels[-1]
        return "string" if isinstance(level, LiteralText) and level.escape != "{" else "code"

    @property
    def nesting(self) -> int:
        """The number of open texts and fields, each nested in the one before."""
        return len(self.layout.levels)

    @property
    def is_in_escape(self) -> bool:
        return self.escape not in ("", "\\", "{", "}")

    def step(self, lexer: VersionLexer, char: str) -> Step:
        assert lexer.old_fstrings is not None
        return lexer.old_fstrings.step(self.layout, char)

    def expected(self, lexer: VersionLexer) -> tuple[Tokens, ...]:
        return ((lexer.string,),)

    def closers(self, lexer: VersionLexer) -> tuple[str, ...]:
        return (escapes.escape_closer(self.escape),) if self.escape not in ("", "{", "}") else ()


class OldFStrings:
    """The reader of f-strings; it reads their fields with the lexer's own engine."""

    def __init__(self, engine: Engine, clean: LexState, lambda_terminal: int, newline: int, string: int) -> None:
        """clean: the lexer's state between symbols; terminals: `lambda`, the end of a logical line, a string."""
        self._engine, self._clean = engine, clean
        self._lambda, self._newline, self._string = lambda_terminal, newline, string
        opened = engine.read(engine.left(clean, engine.top, engine.factory.start), "(")
        assert opened is not None
        self._field = Field(opened, "", True)

    def open(self, prefix: str, quote: str, triple: bool) -> LexState:
        """The state after the opening quotes."""
        return self._state(FStringLayout("r" in prefix, quote, triple, 0, (LiteralText(""),)))

    def _state(self, layout: FStringLayout) -> LexState:
        return self._engine.lexer.state(FString, layout)

    def step(self, layout: FStringLayout, char: str) -> Step:
        """Read one more character."""
        top, low = layout.levels[-1], layout.levels[:-1]
        quotes = layout.quotes + 1 if layout.triple and char == layout.quote else 0
        if char == "\n" and not layout.triple and not (isinstance(top, LiteralText) and top.escape == "\\"):
            return DEAD
        layout = layout._replace(quotes=quotes)
        if isinstance(top, LiteralText):
            return self._text(layout, top.escape, low, char)
        if char == "\\" or self._closes(layout, char):
            return DEAD
        if isinstance(top, Field):
            return self._in_field(layout, top, low, char)
        if top.what == "=":
            return self._after_expression(layout, low, char)
        if top.what == "!":
            return self._go(layout, (*low, After(":"))) if char in "sra" else DEAD
        if char == "}":
            return self._go(layout, low)
        return self._go(layout, (*low, LiteralText(""))) if char == ":" else DEAD

    def _go(self, layout: FStringLayout, levels: tuple[Level, ...]) -> Step:
        return self._state(layout._replace(levels=levels)), ()

    def _closes(self, layout: FStringLayout, char: str) -> bool:
        return char == layout.quote and (not layout.triple or layout.quotes == 3)

    def _text(self, layout: FStringLayout, escape: str, low: tuple[Level, ...], char: str) -> Step:
        if escape == "\\":
            layout, escape = layout._replace(quotes=0), ""
            if char not in "{}":  # a backslash does not escape a brace
                escape = escapes.after_backslash(char, raw=layout.raw, is_bytes=False)
                return self._go(layout, (*low, LiteralText(escape)))
        elif escape == "{":
            if char == "{":
                return self._go(layout, (*low, LiteralText("")))
            layout = layout._replace(levels=(*low, LiteralText(""), self._field))
            return self._in_field_start(layout, char)
        elif escape == "}":
            return self._go(layout, (*low, LiteralText(""))) if char == "}" else DEAD
        elif escape:
            if char in "{}" and escape[0] != "N":
                return DEAD
            inside = escapes.inside_escape(escape, char)
            return DEAD if inside is None else self._go(layout, (*low, LiteralText(inside)))
        if self._closes(layout, char):
            return (self._clean, (self._string,)) if not low else DEAD
        if char == "\\":
            return self._go(layout, (*low, LiteralText("\\")))
        if char == "{":
            if not low:
                return self._go(layout, (LiteralText("{"),))
            nested = (*low, LiteralText(""), self._field)
            return self._go(layout, nested) if len(nested) <= _MAX_LEVELS else DEAD
        if char == "}":
            return self._go(layout, low) if low else self._go(layout, (LiteralText("}"),))
        return self._go(layout, (*low, LiteralText("")))

    def _in_field_start(self, layout: FStringLayout, char: str) -> Step:
        if char == "\\" or self._closes(layout, char):
            return DEAD
        field = layout.levels[-1]
        assert isinstance(field, Field)
        return self._in_field(layout, field, layout.levels[:-1], char)

    def _read(self, left: PrefixState | None, text: str) -> PrefixState | None:
        """Read a field's text; a lambda outside brackets is dead, since its ":" would end the field."""
        for char in text:
            if left is None:
                return None
            if left.stacks.depth == 1 and self._lambda in self._engine.lexer.step(left.lex, char)[1]:
                return None
            left = self._engine.read(left, char)
        return left

    def _is_expression(self, left: PrefixState) -> bool:
        closed = self._read(left, ")")
        if closed is None or closed.stacks.depth != 0:
            return False
        return self._engine.factory.advance(closed.stacks, self._newline) is not None

    def _in_field(self, layout: FStringLayout, field: Field, low: tuple[Level, ...], char: str) -> Step:
        left, pending, blank = field
        if not isinstance(left.lex.symbol, (OpeningQuote, String, FString)):
            if pending in ("=", "!"):
                if char == "=":  # "==" or "!="
                    return self._go_field(layout, low, self._read(left, pending + "="), "", False)
                if blank or not self._is_expression(left):
                    return DEAD
                if pending == "!":
                    return self._go(layout, (*low, After(":"))) if char in "sra" else DEAD
                return self._after_expression(layout, low, char)
            if char == "#":
                return DEAD
            if left.stacks.depth == 1:
                if char in ")]":
                    return DEAD
                if char in "=!" and not (char == "=" and pending in ("<", ">")):
                    possible = self._read(left, char + "=") is not None or (not blank and self._is_expression(left))
                    return self._go(layout, (*low, Field(left, char, blank))) if possible else DEAD
                if char in ":}":
                    if blank or not self._is_expression(left):
                        return DEAD
                    return self._go(layout, (*low, LiteralText(""))) if char == ":" else self._go(layout, low)
                after = self._read(left, char)
                return self._go_field(layout, low, after, char if char in "<>" else "", blank and char in " \t\n\f")
        return self._go_field(layout, low, self._read(left, char), "", False)

    def _go_field(
        self, layout: FStringLayout, low: tuple[Level, ...], left: PrefixState | None, pending: str, blank: bool
    ) -> Step:
        return DEAD if left is None else self._go(layout, (*low, Field(left, pending, blank)))

    def _after_expression(self, layout: FStringLayout, low: tuple[Level, ...], char: str) -> Step:
        if char in _BLANK:
            return self._go(layout, (*low, After("=")))
        if char == "!":
            return self._go(layout, (*low, After("!")))
        if char == ":":
            return self._go(layout, (*low, LiteralText("")))
        return self._go(layout, low) if char == "}" else DEAD
