"""The tables of Python's grammar."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ...grammar import cache as grammar_cache
from ...grammar.lalr import Tables
from ...grammar.loader import Grammar

_GRAMMAR = Path(__file__).with_name("python.lark")


@cache
def tables_of(version: str) -> tuple[Grammar, Tables]:
    """A version's grammar, and its tables."""
    cached = grammar_cache.load(_GRAMMAR, "file", version, lexer=False)
    return cached.grammar, cached.tables
