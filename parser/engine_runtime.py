"""A language that the GLR engine parses: the engine and its companions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from os import PathLike
from typing import Protocol

from .glr.prefix import Engine, PrefixState
from .glr.suffix import SuffixContext
from .grammar.loader import Grammar
from .hole import Bridging, Hole, Level
from .importing import Imports
from .lexing.base import LexState
from .pending import Closing
from .type_server import Allowed
from .view import Mender
from .view_reader import Reader


@dataclass(frozen=True, slots=True)
class SemanticRequest:
    """A question about a hole beyond syntax."""

    text: str
    """of the document"""
    offset: int
    """of the hole"""
    level: Level
    """the level that a completed file must reach, "compile" or "names" """
    exact: bool = False
    """whether errors count that are there without any text, too. Else the text need only add none."""
    elsewhere: frozenset[str] | None = None
    """The names that other files of the same package declare, where the language has such; None: unknown."""
    imports: Imports | None = None
    """The file's imports; with them attributes that are known not to exist are refused at level "names", too."""
    path: str | PathLike[str] | None = None
    """of the document's file, if it is in one"""
    allowed: Allowed | None = None
    """the names that a type checker allows at a place, which may be the hole's"""


class SemanticLayer(Protocol):
    """A language's knowledge of one document beyond its syntax."""

    def refine(self, hole: Hole, asked: SemanticRequest) -> Hole:
        """The hole with states that refuse more."""
        ...


@dataclass(frozen=True, eq=False)
class EngineRuntime:
    """An engine and its companions."""

    engine: Engine
    bridging: Bridging
    viable_suffix: Callable[[SuffixContext, LexState], bool]
    completable: Callable[[SuffixContext], Callable[[PrefixState], bool] | None] | None = None
    """where viability depends on both contexts: the decider for a right context; it gives None for one that restricts no text"""
    grammar: Grammar | None = None
    """the source of the tables"""
    restriction: Callable[[SuffixContext], Callable[[PrefixState], bool] | None] | None = None
    """where a right context that is no viable suffix may still follow some texts: the decider of these texts; None: none"""
    unrestricted: Callable[[PrefixState], bool] | None = None
    """with a restriction: whether every right context that makes a valid file with this text is a viable suffix"""
    new_semantics: Callable[[], SemanticLayer] | None = None
    """for one document"""
    prepare: Callable[[SuffixContext, PrefixState], None] | None = None
    """prepares the answers of `completable` for the keys in a hole, so that the first one does not have to wait"""
    closing: Closing = Closing()
    """how a person would close code that is begun in the language"""
    foresee: Callable[[str, SuffixContext], object] | None = None
    """reads a part of a text, and the whole, as right contexts that begin in it will be read, so that the results are known"""
    mender: Mender | None = None
    """the mender of broken files; None: there are no views of one"""
    new_reader: Callable[[Callable[[str, int], bool]], Reader] | None = None
    """with `completable`: what reads texts for views"""
    openers: tuple[str, ...] = ()
    """beginnings of a line, in a language without blocks by indentation, that most right contexts can follow: with one of these the
    whole is mostly a file, which is found in less time than whether there is any such text"""
    notes: tuple[str, ...] = ()
    """warnings for the author of the grammar"""

    @property
    def size(self) -> int:
        """Interned objects."""
        return self.engine.size

    def release_incrementally(self) -> Iterator[None]:
        """Take the engine apart, a little at each step."""
        return self.engine.release_incrementally()
