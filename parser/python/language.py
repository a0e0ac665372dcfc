"""Putting Python's engine together."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from .. import grammar, lalr
from ..blocks import Blocks
from ..left import Engine
from ..stacks import StackFactory
from .fstrings import OldFStrings
from .lexer import PythonLexer

_GRAMMAR = Path(__file__).parent.parent / "grammars" / "python.lark"
VERSIONS = ("3.11",)
DEFAULT_VERSION = "3.11"

# CPython's limits (Parser/tokenizer.h): MAXLEVEL brackets, MAXINDENT columns with that of the file itself.
_MAX_BRACKETS = 200
_MAX_BLOCKS = 98


@cache
def _tables(version: str) -> tuple[grammar.Grammar, lalr.Tables]:
    source = grammar.load(_GRAMMAR, "file", version)
    return source, lalr.build(source)


def new_engine(version: str) -> Engine:
    """An engine of its own for one version; tables are shared."""
    source, tables = _tables(version)
    lexer = PythonLexer(tables, source.texts)
    brackets = {lexer.operators[text]: 1 if text in "([{" else -1 for text in "()[]{}"}
    newline = tables.terminal("NEWLINE")
    factory = StackFactory(tables, brackets, _MAX_BRACKETS, tables.terminal("INDENT"), tables.terminal("DEDENT"))
    engine = Engine(lexer, factory, Blocks(factory, newline, _MAX_BLOCKS))
    fstrings = OldFStrings(lexer, engine, tables.terminal("LAMBDA"), newline, tables.terminal("STRING"))
    lexer.fstring, lexer.open_fstring = fstrings.step, fstrings.open
    return engine
