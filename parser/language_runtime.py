"""What a language is put together from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Literal, Protocol

from .glr.prefix import Engine, PrefixState
from .glr.suffix import SuffixContext
from .grammar.loader import Grammar
from .hole import Bridging, Hole
from .lexing.base import LexState

Fallback = Callable[[str, int, PrefixState | int, SuffixContext, bool], Hole]
"""(text, offset, left context or where it dies, right context, whether that is viable) -> a hole in a part of the text"""


Level = Literal["syntax", "compile", "names"]
LEVELS: tuple[Level, ...] = ("syntax", "compile", "names")
"""What is asked of a completed file: that it parses; that it compiles; that the text brings in no undefined name, too."""


class Imports(Protocol):
    """The modules that one file can import, for a language whose attributes are checked; see imports_for in BuiltIn."""

    def want(self, text: str) -> None:
        """Ask for what a text imports, so that `read` finds it."""
        ...

    def read(self, seconds: float) -> None:
        """Read modules that were asked for and are unknown so far, for about so long."""
        ...


class SemanticLayer(Protocol):
    """What a language knows of one document beyond its syntax."""

    def refine(
        self,
        hole: Hole,
        text: str,
        offset: int,
        level: Level,
        *,
        exact: bool = False,
        elsewhere: frozenset[str] | None = None,
        imports: Imports | None = None,
    ) -> Hole:
        """The hole with states that refuse more.

        exact: errors that are there without any text count too; else the text need only add none. elsewhere: the names that
        other files of the same package declare, where the language has such; None: unknown. imports: what the file can import;
        with it attributes that are known not to exist are refused at level "names", too.
        """
        ...


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
    restriction: Callable[[SuffixContext], Callable[[PrefixState], bool] | None] | None = None
    """where a right context that is no viable suffix may still follow some texts: what decides which; None: none"""
    unrestricted: Callable[[PrefixState], bool] | None = None
    """with a restriction: is every right context that makes a valid file with this text a viable suffix?"""
    new_semantics: Callable[[], SemanticLayer] | None = None
    """for one document"""


@dataclass(frozen=True)
class BuiltIn:
    """A language that comes with the project; each folder of `languages` has one as LANGUAGE, and registry.py lists them."""

    patterns: tuple[str, ...]
    """of the names of its files"""
    make: Callable[[str | None], LanguageRuntime]
    """an engine of its own for one of the versions, None where there are none"""
    versions: tuple[str, ...] = ()
    default_version: str | None = None
    version_for: Callable[[str | PathLike[str] | None], str] | None = None
    """the version that a file is held to by what lies around it; None for a text without a file"""
    names_elsewhere: Callable[[str | PathLike[str] | None, str, Mapping[str, str]], frozenset[str] | None] | None = None
    """(a file, its text, path -> text of files that are being edited): the names that other files of its package declare; None: unknown"""
    imports_for: Callable[[str | PathLike[str] | None, str, bool], Imports] | None = None
    """(a file, the version, are modules read when they are first asked for): what the file can import; None: attributes are not checked"""
