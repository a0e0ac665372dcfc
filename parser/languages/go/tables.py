"""Go's grammar, compiled for one version of the language."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ...grammar import cache as grammar_cache
from ...grammar import loader

_GRAMMAR = Path(__file__).with_name("go.lark")


@cache
def compiled(version: str) -> grammar_cache.Compiled:
    """Its tables, automaton and texts."""
    return grammar_cache.load(_GRAMMAR, "start", "1.27" if version == "1.27" else "1.22")


def source(version: str) -> str:
    """Its text."""
    return loader.read(_GRAMMAR, version)
