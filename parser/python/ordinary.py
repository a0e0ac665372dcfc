"""Python's lexer states for grouping texts (see groups.py): the ones worth preparing, and what they have in common."""

from __future__ import annotations

import string
from collections.abc import Hashable
from typing import TYPE_CHECKING

from ..lexing import LexState

if TYPE_CHECKING:
    from .lexer import PythonLexer

_BOM = "\ufeff"
_BLANK = " \t\f"
_CHARS = string.printable.replace("\r", "").replace("\v", "") + "é"
_IN_FIELDS = ("clean", "name")


def ordinary(lexer: PythonLexer) -> list[LexState]:
    """All states but those in the fields of strings, in the longer escapes, and between carriage return and line feed."""
    found = dict.fromkeys([lexer.start])
    todo = list(found)
    while todo:
        at = todo.pop()
        for char in _CHARS:
            after, _ = lexer.step(at, char)
            after = None if after is None else kinship(lexer, after)[0]
            if after is not None and after not in found and _is_ordinary(after):
                found[after] = None
                todo.append(after)
    return list(found)


def _is_ordinary(state: LexState) -> bool:
    at = state.context
    if at is not None and (at.level > 1 or at.fields > 1 or at.brackets):
        return False
    if state.kind == "fstring":
        return len(state.data.levels) == 1 and _is_short(state.data.levels[0].escape)
    if state.kind == "text":
        return _is_short(state.data.pending)
    if state.kind == "string":
        return _is_short(state.data.escape)
    return at is None or not at.fields or (state.kind in _IN_FIELDS and not state.data)


def _is_short(escape: str) -> bool:
    return not escape.startswith(("U", "N"))


def kinship(lexer: PythonLexer, state: LexState) -> tuple[LexState, str]:
    """See groups.Kinship: lines differ in their columns only, which white space before a symbol adds to."""
    if state.kind in ("line", "line_continued"):
        return lexer.new_line, _BLANK
    if state.kind == "line_backslash":
        return lexer.state("line_backslash", lexer.new_line.data), _BLANK
    return state, ""


def alike(lexer: PythonLexer, char: str) -> Hashable:
    """Characters with equal values behave alike in every state."""
    if char.isascii() or char == _BOM:
        return char
    return lexer.may_start(char), lexer.may_continue(char)


def rules(lexer: PythonLexer) -> str:
    """What the lexer depends on, beside its code."""
    return repr((lexer.dialect, sorted(lexer.keywords.items()), sorted(lexer.operators.items())))
