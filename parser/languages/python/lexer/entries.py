"""The states of Python's lexer in which a hole's right context may begin."""

from __future__ import annotations

import re
from itertools import product

from ....lexing.base import AfterReturn, LexState, settled
from . import character_names
from .between import Backslash, Comment
from .numbers import Number
from .operators import Operator, after_operator
from .strings import OpeningQuote, String, TwoQuotes
from .symbol import CodeSymbol, PythonSymbol
from .template_layout import TemplateLayout, outermost
from .templates import Text
from .version_lexer import VersionLexer
from .words import Name

_END_OF_NAME = re.compile(r"([A-Za-z0-9 -]{0,100})\}")
_CLOSES_TWO = re.compile(r"[^{}\n]*\n[^{}]*\}[^{}\n]*['\"][^{}]*\}[^{}\n]*['\"]")
_NEAR = 400
"""Characters of a right context searched for the ends of two nested strings."""
_BRACKETS = 4
"""Brackets open in a field, as far as the entries tell them apart."""
_NUMBERS = ("d", "e", "h", "o", "b", "z1", "f", "fp", "j", "h0", "es")


def spelling(lexer: VersionLexer, state: LexState) -> str | None:
    """A short text that leads from between symbols to a state outside of strings with fields; None if none is known."""
    text = state.symbol.spelling(lexer) if isinstance(state.symbol, PythonSymbol) else None
    return text if text is not None and lexer.step_text(lexer.clean, text)[0] is state else None


def entries(lexer: VersionLexer) -> list[LexState]:
    """The states to try: a right context that can follow some text is viable from one of them.

    f-strings up to 3.11 are left out: the rest of one also continues a plain string. f-strings since 3.12 are here only outside of other
    strings' fields; `around` has the strings around a state, and `nested` others.
    """
    triples = (True, False)
    symbols: list[PythonSymbol] = [Comment(None)]
    symbols += [String(None, prefix, q, triple, "", 0) for prefix, triple, q in product(("", "r", "b"), triples, "\"'")]
    symbols += [String(None, "", q, True, "", n) for q in "\"'" for n in (1, 2)]
    symbols += [String(None, "", q, triple, "\\", 0) for q in "\"'" for triple in triples]
    symbols += [OpeningQuote(None, "", q) for q in "\"'"]
    symbols += [TwoQuotes(None, "", q) for q in "\"'"]
    states = [lexer.clean, lexer.new_line, *map(lexer.state_of, symbols)]
    states += [lexer.state(Name, None, ""), lexer.state(Backslash, None), lexer.state(AfterReturn, lexer.new_line)]
    states += [lexer.state(Number, None, number) for number in _NUMBERS]
    states += [lexer.state(Operator, None, text) for text in sorted(lexer.operator_starts) if _is_open(lexer, text)]
    states += [lexer.state(Name, None, text) for text in sorted(lexer.name_starts)]
    if lexer.dialect.nested_fstrings:
        for quote, triple in product("\"'", triples):
            states += _within(lexer, outermost(quote, triple, True))
            states += _within(lexer, outermost(quote, triple, False))
    return states


def _is_open(lexer: VersionLexer, text: str) -> bool:
    """Whether a longer operator starts with a text, or the text is not an operator."""
    return after_operator(lexer, text, None)[0] is not lexer.clean


def named(lexer: VersionLexer, text: str) -> list[LexState]:
    """Entries in a character name within an f-string or t-string, when the right context begins with the end of such a name.

    (In other strings such a text may follow anything.)
    """
    end = _END_OF_NAME.match(text) if lexer.dialect.nested_fstrings else None
    beginning = character_names.beginning(end[1]) if end is not None else None
    if beginning is None:
        return []
    strings = (outermost(quote, triple, False) for quote, triple in product("\"'", (True, False)))
    return [lexer.state(Text, string, "N{" + beginning, 0) for string in strings]


def around(lexer: VersionLexer, state: LexState) -> list[LexState]:
    """Entries within the strings whose fields surround a state; none outside of fields."""
    states: list[LexState] = []
    layout = context_of(settled(state))
    while layout is not None:
        states += _within(lexer, layout)
        layout = layout.outer
    return states


def nested(lexer: VersionLexer, state: LexState, text: str) -> list[LexState]:
    """Entries in a string within a field of a string, which the middle opens or which surrounds the state, where the right context ends a
    line in a field and closes both strings. (Elsewhere such a right context may follow other strings, too.)"""
    if not lexer.dialect.nested_fstrings or _CLOSES_TWO.match(text[:_NEAR]) is None:
        return []
    layout = context_of(settled(state))
    strings = list(product("\"'", (True, False)))
    outer = [outermost(quote, triple, False)._replace(fields=1) for quote, triple in strings]
    if layout is not None:
        outer = [layout._replace(fields=max(1, layout.fields))]
        outer += [inner._replace(fields=1) for inner in _inside(outer, strings)]
    return [entry for inner in _inside(outer, strings) for entry in _within(lexer, inner)]


def _inside(fields: list[TemplateLayout], strings: list[tuple[str, bool]]) -> list[TemplateLayout]:
    """Strings in these fields, in one bracket or in none."""
    return [
        TemplateLayout(field._replace(brackets=field.brackets + brackets), quote, triple, False, 0, 0, field.level + 1)
        for field in fields
        for brackets in (0, 1)
        for quote, triple in strings
    ]


def context_of(state: LexState) -> TemplateLayout | None:
    r"""The string whose text or field surrounds a state; None outside of all, and directly after "\r"."""
    return state.symbol.context if isinstance(state.symbol, CodeSymbol) else None


def _within(lexer: VersionLexer, layout: TemplateLayout) -> list[LexState]:
    """States in a string with fields: in its text, in format specs, and in a field with some brackets open."""
    text = layout._replace(fields=0, brackets=0, doubled=False)
    symbols: list[PythonSymbol] = [Text(text._replace(fields=fields), "", 0) for fields in (0, 1, 2)]
    if lexer.dialect.doubled_braces_after_fields:
        symbols.append(Text(text._replace(fields=1, doubled=True), "", 0))
    symbols += [Text(text, pending, 0) for pending in ("{", "}", "\\", "x2", "N")]
    if layout.triple:
        symbols += [Text(text, "", quotes) for quotes in (1, 2)]
    states = [lexer.state_of(symbol) for symbol in symbols]
    for brackets in range(_BRACKETS):
        field = text._replace(fields=1, brackets=brackets)
        states += [lexer.between(field), lexer.state(Name, field, ""), lexer.state(Number, field, "d")]
        states += [lexer.state(String, field, "", q, triple, "", 0) for q in "\"'" for triple in (True, False)]
    return [*states, lexer.state(Operator, text._replace(fields=1), "!"), lexer.between(text._replace(fields=2))]
