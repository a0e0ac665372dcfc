"""The tables of Python's grammar."""

from __future__ import annotations

import re
from collections.abc import Mapping
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


@cache
def symbols_in(kind: str) -> Mapping[str, tuple[str, ...]]:
    """The symbols, by what they are, in the grammar's directives of a kind, as in `//@ role call: n_free "(", n_tied "("`."""
    by_name: dict[str, tuple[str, ...]] = {}
    for name, symbols in re.findall(rf"^//@ {kind} (.+?): (.*)$", _GRAMMAR.read_text(encoding="utf-8"), re.M):
        by_name[name] = by_name.get(name, ()) + tuple(symbols.split(", ") if kind == "role" else symbols.split())
    return by_name
