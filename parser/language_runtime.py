"""What a language is put together from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .glr.prefix import Engine, PrefixState
from .glr.suffix import SuffixContext
from .grammar.loader import Grammar
from .hole import Bridging, Hole
from .lexing.base import LexState

Fallback = Callable[[str, int, PrefixState | int, SuffixContext, bool], Hole]
"""(text, offset, left context or where it dies, right context, whether that is viable) -> a hole in a part of the text"""


@dataclass(frozen=True, eq=False)
class LanguageRuntime:
    """An engine and what belongs to it."""

    engine: Engine
    bridging: Bridging
    viable_suffix: Callable[[SuffixContext, LexState], bool]
    new_fallback: Callable[[], Fallback]
    """for one document: see Fallback"""
    completable: Callable[[SuffixContext], Callable[[PrefixState], bool]] | None = None
    """where it takes both contexts to say whether a hole is viable: what decides it for a right context"""
    grammar: Grammar | None = None
    """what the tables were made from"""
