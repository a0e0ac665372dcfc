"""Go's grammar, compiled for one version of the language."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ...grammar import cache as grammar_cache
from ...grammar import loader

_GRAMMAR = Path(__file__).with_name("go.lark")


FIRST, GENERIC_METHODS = "1.22", "1.27"
"""Versions that change the grammar."""


def compiled(version: str) -> grammar_cache.Compiled:
    """Its tables, automaton and texts."""
    return _compiled(GENERIC_METHODS if version == GENERIC_METHODS else FIRST)


@cache
def _compiled(version: str) -> grammar_cache.Compiled:
    return grammar_cache.load(_GRAMMAR, "start", version)


def source() -> str:
    """Its text, of all versions."""
    return loader.read(_GRAMMAR)
