"""What puts together a language given as a grammar file: lexer, tables, completability, bridges."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from . import grammar, lalr
from .demands import AnyText, Completability
from .dfa import Dfa
from .dfa_lexer import DfaLexer, automaton
from .left import Engine, Left
from .lexing import LexState
from .right import Right
from .session import Hole
from .stacks import StackFactory
from .token_bridging import TokenBridging

if TYPE_CHECKING:
    from .language import Parts

BUILT_IN = {"json": Path(__file__).parent / "grammars" / "json.lark"}
_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_NO_LIMIT = 1 << 60


@cache
def _compiled(path: Path, start: str) -> tuple[grammar.Grammar, lalr.Tables, Dfa]:
    source = grammar.load(path, start)
    return source, lalr.build(source), automaton(source)


def new_parts(path: Path, start: str) -> Parts:
    """An engine of its own for the language of a grammar file. Raises GrammarError."""
    return parts_of(*_compiled(path, start))


def parts_of(source: grammar.Grammar, tables: lalr.Tables, dfa: Dfa) -> Parts:
    """An engine over compiled tables."""
    from .language import Parts

    lexer = DfaLexer(dfa, tables)
    brackets = {tables.terminal(name): _BRACKETS[text] for name, text in source.texts.items() if text in _BRACKETS}
    brackets.pop(-1, None)
    engine = Engine(lexer, StackFactory(tables, brackets, _NO_LIMIT, -1, -1), None)
    anytext = AnyText(lexer)

    def completable(right: Right) -> Callable[[Left], bool]:
        return Completability(right, anytext)

    def no_suffix(right: Right, lex: LexState) -> bool:
        raise AssertionError("completability is decided from both sides")

    def fallback(text: str, offset: int, left: Left | int, right: Right, right_viable: bool) -> Hole:
        return Hole(None, "dead")

    return Parts(engine, TokenBridging(engine, lexer, brackets), no_suffix, fallback, completable)
