"""A language parsed by the GLR engine: the engine and its companions."""

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
    """the level demanded of a completed file, "compile" or "names" """
    exact: bool = False
    """Whether the file's existing errors count, too. Else the text need only add none."""
    elsewhere: frozenset[str] | None = None
    """The names declared by other files of the package, where the language has such; None: unknown."""
    imports: Imports | None = None
    """The file's imports; with them, level "names" also refuses attributes known not to exist."""
    path: str | PathLike[str] | None = None
    """of the document's file, if it is in one"""
    allowed: Allowed | None = None
    """the names a type checker allows at a place, possibly the hole's"""


class SemanticLayer(Protocol):
    """A language's knowledge of one document beyond its syntax."""

    def refine(self, hole: Hole, asked: SemanticRequest) -> Hole:
        """The hole with stricter states."""
        ...


@dataclass(frozen=True, eq=False)
class EngineRuntime:
    """An engine and its companions."""

    engine: Engine
    bridging: Bridging
    viable_suffix: Callable[[SuffixContext, LexState], bool]
    completable: Callable[[SuffixContext], Callable[[PrefixState], bool] | None] | None = None
    """where viability depends on both contexts: the decider for a right context, or None if the right context restricts no text"""
    grammar: Grammar | None = None
    """the source of the tables"""
    restriction: Callable[[SuffixContext], Callable[[PrefixState], bool] | None] | None = None
    """where a right context may follow some texts without being a viable suffix: the decider of these texts; None: none"""
    unrestricted: Callable[[PrefixState], bool] | None = None
    """with a restriction: whether every right context completing this text to a valid file is a viable suffix"""
    new_semantics: Callable[[], SemanticLayer] | None = None
    """for one document"""
    prepare: Callable[[SuffixContext, PrefixState], None] | None = None
    """prepares the answers of `completable` for the keys in a hole, so that the first key need not wait"""
    closing: Closing = Closing()
    """how a person would close unfinished code of the language"""
    foresee: Callable[[str, SuffixContext], object] | None = None
    """reads a part of a text, and the whole, as later right contexts beginning there will be read, to have the results ready"""
    mender: Mender | None = None
    """the mender of broken files; None: no views"""
    new_reader: Callable[[Callable[[str, int], bool]], Reader] | None = None
    """with `completable`: the reader of texts for views"""
    openers: tuple[str, ...] = ()
    """beginnings of a line before most right contexts, in a language without blocks by indentation: with one of these the whole is
    mostly a file, and testing that takes less time than searching any such text"""
    notes: tuple[str, ...] = ()
    """warnings for the author of the grammar"""

    @property
    def size(self) -> int:
        """Interned objects."""
        return self.engine.size

    def release_incrementally(self) -> Iterator[None]:
        """Take the engine apart, a little at each step."""
        return self.engine.release_incrementally()
