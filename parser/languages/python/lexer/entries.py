"""The seams of a hole in Python's lexer: how a symbol in progress may end, and in what the right context may begin."""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from ....lexing.base import LexState
from . import character_names, escapes, numbers
from .templates import TemplateLayout, Text, at_field_level, outermost

if TYPE_CHECKING:
    from .python_lexer import PythonLexer

_END_OF_NAME = re.compile(r"([A-Za-z0-9 -]{0,100})\}")
_BRACKETS = 4
"""Brackets open in a field, as far as they are told apart when the right context is met."""


class String(NamedTuple):
    """Inside a string literal without fields."""

    prefix: str  # of b, f, r: sorted, lower case
    quote: str
    triple: bool
    escape: str  # see escapes.py
    quotes: int  # closing quotes seen of a triple-quoted string


def closers(lexer: PythonLexer, state: LexState) -> tuple[str, ...]:
    """Short texts that end the symbol in progress, shortest first; () when nothing is in progress."""
    kind, data = state.kind, state.data
    if kind == "cr":
        return closers(lexer, data)
    if kind in ("name", "opened_twice", "conversion"):
        return (" ",)
    if kind == "glued":
        return tuple(w[len(data) :] + " " for w in numbers.AFTER_NUMBER if w.startswith(data))
    if kind == "number":
        return (numbers.number_closer(data) + " ", "lse ") if data == "e" else (numbers.number_closer(data) + " ",)
    if kind == "operator":
        found = [text[len(data) :] + " " for text in lexer.operators if text.startswith(data)]
        return ("r", *found) if data == "!" and at_field_level(state.context) else tuple(dict.fromkeys(found))
    if kind == "opened":
        return (data[1],)
    if kind == "text":
        return lexer.templates.closers(state)
    if kind == "fstring":
        escape = getattr(data.levels[-1], "escape", "")
        return (escapes.escape_closer(escape),) if escape and escape not in "{}" else ()
    if kind == "string":
        left = 3 - data.quotes if data.triple else 1
        escape = escapes.escape_closer(data.escape)
        return (escape + data.quote * left, escape) if escape else (data.quote * left,)
    return ("\n",) if kind in ("backslash", "line_backslash", "comment", "line_comment") else ()


def spelling(lexer: PythonLexer, state: LexState) -> str | None:
    """A short text that leads from between symbols to a state outside of strings with fields; None where none is known."""
    kind, data = state.kind, state.data
    found = None
    if kind == "name":
        found = data or "x"
    elif kind == "operator":
        found = data
    elif kind in ("backslash", "comment"):
        found = "\\" if kind == "backslash" else "#"
    elif kind in ("opened", "opened_twice"):
        found = data[0] + data[1] * (1 if kind == "opened" else 2)
    elif kind == "string":
        found = data.prefix + data.quote * (3 if data.triple else 1) + data.escape + data.quote * data.quotes
    elif kind == "number":
        found = next((text for text in _NUMBERS if lexer.step_text(lexer.clean, text)[0] is state), None)
    return found if found is not None and lexer.step_text(lexer.clean, found)[0] is state else None


_NUMBERS = ("0", "1", "1.", ".0", "1.0", "1e", "1e+", "1e+0", "1e0", "1j", "0x", "0x0", "0o", "0o0", "0b", "0b0")


def in_escape(state: LexState) -> bool:
    """Is this within a backslash escape, past its first character?"""
    if state.kind == "string":
        escape: str = state.data.escape
    elif state.kind == "text":
        escape = state.data.pending
    else:
        escape = getattr(state.data.levels[-1], "escape", "") if state.kind == "fstring" else ""
    return escape not in ("", "\\", "{", "}")


def nesting(state: LexState) -> int:
    """Strings open, and fields of an f-string up to 3.11."""
    if state.kind == "fstring":
        return len(state.data.levels)
    return (state.context.level if state.context else 0) + (state.kind in ("opened", "opened_twice", "string"))


def entries(lexer: PythonLexer) -> list[LexState]:
    """States from which a right context that any text can precede is viable, if it is from one at all.

    f-strings up to 3.11 are left out: what continues one also continues a plain string. Of those since 3.12 only the ones in
    no other string's field are there; `around` has those at hand.
    """
    state = lexer.state
    found = [lexer.clean, lexer.new_line, state("comment")]
    for prefix, triple, quote in product(("", "r", "b"), (True, False), "\"'"):
        found.append(state("string", String(prefix, quote, triple, "", 0)))
    found += [state("string", String("", q, True, "", n)) for q in "\"'" for n in (1, 2)]
    found += [state("string", String("", q, t, "\\", 0)) for q in "\"'" for t in (True, False)]
    found += [state("opened", ("", q)) for q in "\"'"] + [state("opened_twice", ("", q)) for q in "\"'"]
    found += [state("name", ""), state("backslash"), state("cr", lexer.new_line)]
    found += [state("number", number) for number in ("d", "e", "h", "o", "b", "z1", "f", "fp", "j", "h0", "es")]
    found += [state("operator", text) for text in lexer.operator_starts if lexer.is_operator_open(text)]
    found += [state("name", text) for text in sorted(lexer.name_starts)]
    if lexer.dialect.nested_fstrings:
        for quote, triple in product("\"'", (True, False)):
            found += _within(lexer, outermost(quote, triple, True))
            found += _within(lexer, outermost(quote, triple, False))
    return found


def named(lexer: PythonLexer, text: str) -> list[LexState]:
    """The same in the name of a character in the text of an f-string or t-string, when a text begins with the end of a name.

    (In other strings such a text may follow anything.)
    """
    end = _END_OF_NAME.match(text) if lexer.dialect.nested_fstrings else None
    beginning = character_names.beginning(end[1]) if end is not None else None
    if beginning is None:
        return []
    strings = (outermost(quote, triple, False) for quote, triple in product("\"'", (True, False)))
    return [lexer.state("text", Text("N{" + beginning, 0), string) for string in strings]


def around(lexer: PythonLexer, state: LexState) -> list[LexState]:
    """The same within the strings whose fields a state is in; () outside of them."""
    found: list[LexState] = []
    at: TemplateLayout | None = (state.data if state.kind == "cr" else state).context
    while at is not None:
        found += _within(lexer, at)
        at = at.outer
    return found


def _within(lexer: PythonLexer, at: TemplateLayout) -> list[LexState]:
    """States in a string that has fields: in its text, in format specs, and in a field with some brackets open."""
    found: list[LexState] = []
    text = at._replace(fields=0, brackets=0, doubled=False)
    for fields in (0, 1, 2):
        found.append(lexer.state("text", Text("", 0), text._replace(fields=fields)))
    if lexer.dialect.doubled_braces_after_fields:
        found.append(lexer.state("text", Text("", 0), text._replace(fields=1, doubled=True)))
    found += [lexer.state("text", Text(pending, 0), text) for pending in ("{", "}", "\\", "x2", "N")]
    if at.triple:
        found += [lexer.state("text", Text("", quotes), text) for quotes in (1, 2)]
    for brackets in range(_BRACKETS):
        field = text._replace(fields=1, brackets=brackets)
        found += [lexer.between(field), lexer.state("name", "", field), lexer.state("number", "d", field)]
        found += [lexer.state("string", String("", q, t, "", 0), field) for q in "\"'" for t in (True, False)]
    found += [lexer.state("operator", "!", text._replace(fields=1)), lexer.between(text._replace(fields=2))]
    return found
