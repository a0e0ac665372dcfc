"""f-strings up to Python 3.11: delimited as strings first, then each field is parsed as "(" + its text + ")".

So inside a field there is no backslash, no "#", and never the outer quote. A field is read by the engine itself, nested in the
lexer's state: a state's `levels` hold, outermost first, literal text and the fields in it (two levels of fields at most).
"""

from __future__ import annotations

from typing import NamedTuple

from ....glr.prefix import Engine, PrefixState
from ....lexing.base import DEAD, LexState
from . import escapes
from .python_lexer import PythonLexer, Step

_BLANK = " \t\n\f\v"
_MAX_LEVELS = 3
"""Text, format spec, field in it; a field in that field's spec is an error."""


class _Text(NamedTuple):
    """Literal text, or a format spec when it is not the outermost level; "{" and "}" seen once count as escapes."""

    escape: str


class _Field(NamedTuple):
    """A replacement field before its "=", "!", ":" or "}"; left: "(" and its text; pending: one character of lookahead."""

    left: PrefixState
    pending: str
    blank: bool


class _After(NamedTuple):
    """After the expression: what = "=" after a self-documenting equals sign, "!" before and ":" after the conversion."""

    what: str


_Level = _Text | _Field | _After


class _FString(NamedTuple):
    raw: bool
    quote: str
    triple: bool
    quotes: int
    levels: tuple[_Level, ...]


def in_text(state: LexState) -> bool:
    """Is a state of kind "fstring" in literal text or a format spec? Directly after a brace it counts as in a field."""
    level = state.data.levels[-1]
    return isinstance(level, _Text) and level.escape != "{"


def field_of(state: LexState) -> PrefixState | None:
    """What was read of the field that a state of kind "fstring" is in: "(" and its text."""
    level = state.data.levels[-1]
    return level.left if isinstance(level, _Field) else None


def closing_of(state: LexState) -> str:
    """What closes the fields of a state of kind "fstring", where their expressions are complete, and its quotes."""
    at: _FString = state.data
    return "}" * (len(at.levels) - 1) + at.quote * (3 - at.quotes if at.triple else 1)


class OldFStrings:
    """Reads f-strings for a lexer, their fields with the engine that the lexer belongs to."""

    def __init__(self, lexer: PythonLexer, engine: Engine, lambda_terminal: int, newline: int, string: int) -> None:
        self._lexer, self._engine = lexer, engine
        self._lambda, self._newline, self._string = lambda_terminal, newline, string
        opened = engine.read(engine.left(lexer.clean, engine.top, engine.factory.start), "(")
        assert opened is not None
        self._field = _Field(opened, "", True)

    def open(self, prefix: str, quote: str, triple: bool) -> LexState:
        """The state after the opening quotes."""
        return self._lexer.state("fstring", _FString("r" in prefix, quote, triple, 0, (_Text(""),)))

    def step(self, state: LexState, char: str) -> Step:
        """One more character."""
        at: _FString = state.data
        top, low = at.levels[-1], at.levels[:-1]
        quotes = at.quotes + 1 if at.triple and char == at.quote else 0
        if char == "\n" and not at.triple and not (isinstance(top, _Text) and top.escape == "\\"):
            return DEAD
        at = at._replace(quotes=quotes)
        if isinstance(top, _Text):
            return self._text(at, top.escape, low, char)
        if char == "\\" or self._closes(at, char):
            return DEAD
        if isinstance(top, _Field):
            return self._in_field(at, top, low, char)
        if top.what == "=":
            return self._after_expression(at, low, char)
        if top.what == "!":
            return self._go(at, (*low, _After(":"))) if char in "sra" else DEAD
        if char == "}":
            return self._go(at, low)
        return self._go(at, (*low, _Text(""))) if char == ":" else DEAD

    def _go(self, at: _FString, levels: tuple[_Level, ...]) -> Step:
        return self._lexer.state("fstring", at._replace(levels=levels)), ()

    def _closes(self, at: _FString, char: str) -> bool:
        return char == at.quote and (not at.triple or at.quotes == 3)

    def _text(self, at: _FString, escape: str, low: tuple[_Level, ...], char: str) -> Step:
        if escape == "\\":
            at, escape = at._replace(quotes=0), ""
            if char not in "{}":  # a backslash does not escape a brace
                escape = escapes.after_backslash(char, raw=at.raw, is_bytes=False)
                return self._go(at, (*low, _Text(escape)))
        elif escape == "{":
            if char == "{":
                return self._go(at, (*low, _Text("")))
            at = at._replace(levels=(*low, _Text(""), self._field))
            return self._in_field_start(at, char)
        elif escape == "}":
            return self._go(at, (*low, _Text(""))) if char == "}" else DEAD
        elif escape:
            if char in "{}" and escape[0] != "N":
                return DEAD
            inside = escapes.inside_escape(escape, char)
            return DEAD if inside is None else self._go(at, (*low, _Text(inside)))
        if self._closes(at, char):
            return (self._lexer.clean, (self._string,)) if not low else DEAD
        if char == "\\":
            return self._go(at, (*low, _Text("\\")))
        if char == "{":
            if not low:
                return self._go(at, (_Text("{"),))
            nested = (*low, _Text(""), self._field)
            return self._go(at, nested) if len(nested) <= _MAX_LEVELS else DEAD
        if char == "}":
            return self._go(at, low) if low else self._go(at, (_Text("}"),))
        return self._go(at, (*low, _Text("")))

    def _in_field_start(self, at: _FString, char: str) -> Step:
        if char == "\\" or self._closes(at, char):
            return DEAD
        field = at.levels[-1]
        assert isinstance(field, _Field)
        return self._in_field(at, field, at.levels[:-1], char)

    def _read(self, left: PrefixState | None, text: str) -> PrefixState | None:
        """Read a field's text; a lambda outside brackets is dead, since its ":" would end the field."""
        for char in text:
            if left is None:
                return None
            if left.stacks.depth == 1 and self._lambda in self._lexer.step(left.lex, char)[1]:
                return None
            left = self._engine.read(left, char)
        return left

    def _is_expression(self, left: PrefixState) -> bool:
        closed = self._read(left, ")")
        if closed is None or closed.stacks.depth != 0:
            return False
        return self._engine.factory.advance(closed.stacks, self._newline) is not None

    def _in_field(self, at: _FString, field: _Field, low: tuple[_Level, ...], char: str) -> Step:
        left, pending, blank = field
        if left.lex.kind not in ("opened", "string", "fstring"):
            if pending in ("=", "!"):
                if char == "=":  # "==" or "!="
                    return self._go_field(at, low, self._read(left, pending + "="), "", False)
                if blank or not self._is_expression(left):
                    return DEAD
                if pending == "!":
                    return self._go(at, (*low, _After(":"))) if char in "sra" else DEAD
                return self._after_expression(at, low, char)
            if char == "#":
                return DEAD
            if left.stacks.depth == 1:
                if char in ")]":
                    return DEAD
                if char in "=!" and not (char == "=" and pending in ("<", ">")):
                    possible = self._read(left, char + "=") is not None or (not blank and self._is_expression(left))
                    return self._go(at, (*low, _Field(left, char, blank))) if possible else DEAD
                if char in ":}":
                    if blank or not self._is_expression(left):
                        return DEAD
                    return self._go(at, (*low, _Text(""))) if char == ":" else self._go(at, low)
                after = self._read(left, char)
                return self._go_field(at, low, after, char if char in "<>" else "", blank and char in " \t\n\f")
        return self._go_field(at, low, self._read(left, char), "", False)

    def _go_field(
        self, at: _FString, low: tuple[_Level, ...], left: PrefixState | None, pending: str, blank: bool
    ) -> Step:
        return DEAD if left is None else self._go(at, (*low, _Field(left, pending, blank)))

    def _after_expression(self, at: _FString, low: tuple[_Level, ...], char: str) -> Step:
        if char in _BLANK:
            return self._go(at, (*low, _After("=")))
        if char == "!":
            return self._go(at, (*low, _After("!")))
        if char == ":":
            return self._go(at, (*low, _Text("")))
        return self._go(at, low) if char == "}" else DEAD
