"""Python's lexer states for grouping texts (see partition.py): those worth preparing, and their common parts."""

from __future__ import annotations

import string
from collections.abc import Hashable
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from ....lexing.base import LexState
from .between import Backslash, Between, Comment, Continued
from .entries import context_of
from .fstrings import FString
from .lines import BackslashInIndentation, ContinuedIndentation, Indentation
from .numbers import Number
from .operators import Operator
from .strings import OpeningQuote, String, TwoQuotes
from .templates import Conversion, Text
from .version_lexer import VersionLexer
from .words import KeywordAfterNumber, Name

if TYPE_CHECKING:
    from ....glr.prefix import PrefixState

_BOM = "\ufeff"
_BEFORE_SYMBOL = " \t\f\n\r\\#"
"""The characters that may stand between a column and the symbol that gives the column a meaning; after a comment the column starts anew."""
_CHARS = string.printable.replace("\r", "").replace("\v", "") + "é"
_FIELD_TEXTS = (
    *(
        " ",
        "x",
        "x ",
        "x.",
        "x.x",
        "x(",
        "x()",
        "x(x",
        "x(x.",
        "x(x.x",
        "x(x, ",
        "x(x, x",
        "x(x)",
        "x[",
        "x[x",
        "x[x]",
        "x[x].x",
    ),
    *("x + ", "x + x", "x - x", "x * x", "x if ", "x if x", "x if x else ", "len", "1"),
)
"""Texts in a field: up to 3.11 its state depends on its text; these stand for many others."""
_QUOTES_OF_STRINGS = ("'", '"', '"""')
_THROUGH_FIELDS = ("{a:", "{a!", "{a!r", "{a=")
_QUOTES = "\"'"
_OLD_FIELD = {quote: rf"[\\#}}:!=\r\n){quote}]|lambda" for quote in _QUOTES}
"""The possibly special characters in the field of an f-string up to 3.11; a parenthesis would close the implied one."""
_SPECIAL_CHARS = frozenset("\\#{}:!=<>\r\n)'\"")
_IN_BRACKETS = r"[)\]}]"
_FIELD = r"[)\]}:!]|lambda"
_LAMBDA = {"lambda"[:size]: rf"|\A{'lambda'[size:]}" for size in range(1, 6)} | {"lambda": r"|\A[^A-Za-z0-9_\x80-\xff]"}
_CODE = (
    *(Between, Comment, Backslash, Continued, Name, KeywordAfterNumber, Number, Operator),
    *(OpeningQuote, TwoQuotes, String),
)
"""Symbols with the same meaning inside and outside of a field."""
_DEEP = 100
"""A level of nested strings, far from the limit."""


def ordinary(lexer: VersionLexer) -> list[LexState]:
    """All states except most in the fields of strings, those in the longer escapes, and those between carriage return and line feed."""
    states = dict.fromkeys([lexer.start])
    todo = list(states)
    while todo:
        state = todo.pop()
        for text in (*_CHARS, *_fields(state)):
            after, _ = lexer.step_text(state, text)
            after = None if after is None else equivalence_key(lexer, after)[0]
            if after is not None and after not in states and _is_ordinary(after):
                states[after] = None
                todo.append(after)
    if not lexer.dialect.nested_fstrings:
        for quotes, text in product(_QUOTES_OF_STRINGS, _FIELD_TEXTS):
            after, _ = lexer.step_text(lexer.clean, f"f{quotes}{{{text}")
            assert after is not None
            states[after] = None
    return list(states)


def _fields(state: LexState) -> tuple[str, ...]:
    """Texts that lead through a field to the place after its expression."""
    return _THROUGH_FIELDS if isinstance(state.symbol, (FString, Text)) else ()


def _is_ordinary(state: LexState) -> bool:
    symbol, layout = state.symbol, context_of(state)
    if isinstance(symbol, FString):
        return symbol.is_in_text_only and _is_short(symbol.escape)
    is_plain = isinstance(symbol, (Between, Name))
    if layout is not None and (layout.level > 1 or layout.brackets > 1 or layout.fields > 1 + (not is_plain)):
        return False
    if isinstance(symbol, Text):
        return _is_short(symbol.pending)
    if isinstance(symbol, String):
        return _is_short(symbol.escape) and layout is None
    if _is_exclamation(symbol) or isinstance(symbol, Conversion):
        return layout is None or not layout.brackets
    return layout is None or not layout.fields or symbol in (Between(layout), Name(layout, ""))


def _is_exclamation(symbol: object) -> bool:
    return isinstance(symbol, Operator) and symbol.text == "!"


def _is_short(escape: str) -> bool:
    return escape in ("N", "N{") or not escape.startswith(("U", "N"))


def equivalence_key(lexer: VersionLexer, state: LexState) -> tuple[LexState, str]:
    """See partition.EquivalenceKey: lines differ only in their columns, which the characters before a symbol increase or set."""
    if isinstance(state.symbol, (Indentation, ContinuedIndentation)):
        return lexer.new_line, _BEFORE_SYMBOL
    if isinstance(state.symbol, BackslashInIndentation):
        return lexer.state(BackslashInIndentation, 0, 0, 0, True), _BEFORE_SYMBOL
    return state, ""


def within(lexer: VersionLexer, state: LexState) -> tuple[LexState | PrefixState, str] | None:
    """See TokenPartition.within: in a field, code is read as elsewhere, except characters that may end the field or are forbidden there."""
    symbol = state.symbol
    if isinstance(symbol, FString):
        left = _code_of(symbol)
        if left is None:
            return None
        return left, _OLD_FIELD[symbol.layout.quote] + (_lambda(left.lex) if left.stacks.depth == 1 else "")
    layout = context_of(state)
    if layout is None:
        return None
    if isinstance(symbol, Text):
        if layout.outer is None:
            return None
        alone = Text(layout._replace(outer=None, level=1), symbol.pending, symbol.quotes)
        return lexer.state_of(alone), layout.quote
    if layout.level > _DEEP or not isinstance(symbol, _CODE):
        return None
    code = lexer.state_of(replace(symbol, context=None))
    if layout.brackets:
        return code, _IN_BRACKETS
    return None if _is_exclamation(symbol) else (code, _FIELD + _lambda(state))


def _code_of(symbol: FString) -> PrefixState | None:
    """The state of the expression in a field up to 3.11, while any code may continue it."""
    field = symbol.field
    return None if field is None or field.pending in ("=", "!") else field.left


def _lambda(state: LexState) -> str:
    """The pattern of specials after the beginning of `lambda`, which is forbidden outside all brackets of a field."""
    return _LAMBDA.get(state.symbol.text, "") if isinstance(state.symbol, Name) else ""


def specials(lexer: VersionLexer) -> list[str]:
    """The patterns of `within`."""
    fields = [_FIELD] if lexer.dialect.nested_fstrings else _OLD_FIELD.values()
    texts = [field + more for field in fields for more in ("", *_LAMBDA.values())]
    return [*texts, _IN_BRACKETS, *_QUOTES] if lexer.dialect.nested_fstrings else texts


def alike(lexer: VersionLexer, char: str) -> Hashable:
    """Characters with equal values behave alike in every state."""
    if char.isascii() or char == _BOM:
        return char
    return lexer.may_start(char), lexer.may_continue(char)


def alike_from(lexer: VersionLexer, state: LexState, char: str) -> Hashable | None:
    """See TokenPartition.alike_from: in the field of an f-string up to 3.11, characters with the same step in its code."""
    left = _code_of(state.symbol) if isinstance(state.symbol, FString) else None
    if left is None or char in _SPECIAL_CHARS:
        return None
    return lexer.step(left.lex, char)


def rules(lexer: VersionLexer) -> str:
    """A text that identifies everything the lexer depends on, beside its code."""
    return repr((lexer.dialect, sorted(lexer.keywords.items()), sorted(lexer.operators.items())))
