"""A language that the GLR engine parses: the engine and what belongs to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from os import PathLike
from typing import Protocol

from .glr.incremental import PrefixText
from .glr.prefix import Engine, PrefixState
from .glr.suffix import SuffixContext
from .grammar.loader import Grammar
from .hole import Bridging, Hole, Level
from .importing import Imports
from .lexing.base import LexState
from .pending import Closing
from .view import Mender

Fallback = Callable[[str, int, PrefixState | int, SuffixContext, bool], Hole]
"""(text, offset, left context or where it dies, right context, whether that is viable) -> a hole in a part of the text"""


@dataclass(frozen=True, slots=True)
class SemanticRequest:
    """What is asked of a hole beyond syntax."""

    text: str
    """of the document"""
    offset: int
    """of the hole"""
    level: Level
    """what a completed file must be, "compile" or "names" """
    exact: bool = False
    """Do errors count that are there without any text, too? Else the text need only add none."""
    elsewhere: frozenset[str] | None = None
    """The names that other files of the same package declare, where the language has such; None: unknown."""
    imports: Imports | None = None
    """What the file can import; with it attributes that are known not to exist are refused at level "names", too."""
    path: str | PathLike[str] | None = None
    """of the document's file, if it is in one"""


class SemanticLayer(Protocol):
    """What a language knows of one document beyond its syntax."""

    def refine(self, hole: Hole, asked: SemanticRequest) -> Hole:
        """The hole with states that refuse more."""
        ...


@dataclass(frozen=True, eq=False)
class EngineRuntime:
    """An engine and what belongs to it."""

    engine: Engine
    bridging: Bridging
    viable_suffix: Callable[[SuffixContext, LexState], bool]
    new_fallback: Callable[[PrefixText], Fallback] | None = None
    """for one document, of which the readings are given: see Fallback; None: broken files are read through views"""
    completable: Callable[[SuffixContext], Callable[[PrefixState], bool]] | None = None
    """where it takes both contexts to say whether a hole is viable: what decides it for a right context"""
    grammar: Grammar | None = None
    """what the tables were made from"""
    restriction: Callable[[SuffixContext], Callable[[PrefixState], bool] | None] | None = None
    """where a right context that is no viable suffix may still follow some texts: what decides which; None: none"""
    unrestricted: Callable[[PrefixState], bool] | None = None
    """with a restriction: is every right context that makes a valid file with this text a viable suffix?"""
    new_semantics: Callable[[], SemanticLayer] | None = None
    """for one document"""
    prepare: Callable[[SuffixContext, PrefixState], None] | None = None
    """works out what the keys in a hole will ask `completable`, so that the first one does not have to wait"""
    closing: Closing = Closing()
    """how a person would close what was begun in the language"""
    foresee: Callable[[str, SuffixContext], object] | None = None
    """reads a part of a text, and the whole, as right contexts that begin in it will be read, so that what they lead to is known"""
    mender: Mender | None = None
    """what a broken file is mended with; None: there are no views of one"""
    openers: tuple[str, ...] = ()
    """what a line may begin with, in a language without blocks by indentation, before what most right contexts begin with: with one of these the
    whole is mostly a file, which is found in less time than whether there is any such text"""
    notes: tuple[str, ...] = ()
    """what the author of the grammar should know, in words"""

    @property
    def size(self) -> int:
        """Interned objects."""
        return self.engine.size

    def release_incrementally(self) -> Iterator[None]:
        """Take the engine apart, a little at each step."""
        return self.engine.release_incrementally()
