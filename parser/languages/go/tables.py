"""Go's grammar, compiled for one version of the language."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ...grammar import cache as grammar_cache
from ...grammar import loader

_GRAMMAR = Path(__file__).with_name("go.lark")

CHANGES = ("1.22", "1.27")
"""The versions that change the grammar: those of its `//=` lines, and the first."""


@cache
def grammar_version(version: str) -> str:
    """The version that introduced a version's grammar."""
    wanted = loader.version_key(version)
    return next((change for change in reversed(CHANGES) if loader.version_key(change) <= wanted), CHANGES[0])


def compiled(version: str) -> grammar_cache.Compiled:
    """Its tables, automaton and texts."""
    return _compiled(grammar_version(version))


@cache
def _compiled(version: str) -> grammar_cache.Compiled:
    return grammar_cache.load(_GRAMMAR, "start", version)


def source() -> str:
    """Its text, of all versions."""
    return loader.read(_GRAMMAR)
