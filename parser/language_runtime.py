"""The protocols of a language: sessions of documents, and the runtimes that make them."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ..common.constraint import Stop
from ..common.reach import Reach
from .hole import Closer, Hole, Level
from .importing import Importer, Imports, Insertion
from .type_server import Allowed, TypeServer

if TYPE_CHECKING:
    from .explain import Explainer


class TextProblem(NamedTuple):
    """A problem in a document: offsets of its characters, and a message."""

    start: int
    end: int
    message: str


class Session(ABC):
    """One document of a language, as it is edited; it belongs to one thread at a time. The methods here are the defaults."""

    level: Level = "syntax"
    """The level of a completed file, unless `hole` is given one."""
    elsewhere: frozenset[str] | None = None
    """The names that other files of the document's package declare, where the language has such; None: unknown."""
    imports: Imports | None = None
    """The document's imports, if attributes that do not exist are refused at level "names"; see SemanticRequest."""
    allowed: Allowed | None = None
    """The names that a type checker allows at a place; at another one nothing is done with them."""
    doubts: bool = False
    """Whether a text is read through a view, too, that only an unlikely text can make valid: one that closes brackets or strings of lines
    above. For editors, in which a file is broken more often than such a text is written; a hole is then no longer exact."""
    inserted: Sequence[Insertion] = ()
    """Statements that stand in the document, too, when names are looked up: before its offsets, and such that its syntax is the same."""

    @abstractmethod
    def hole(
        self, text: str, offset: int, stop: Stop | None = None, *, level: Level | None = None, exact: bool = False
    ) -> Hole:
        """The hole at an offset of the document's text as it is now.

        stop is asked now and then in long readings; Cancelled is raised when it says so. level: the level that a completed file must
        be, where the language knows more than syntax; exact: see SemanticRequest.
        """
        ...

    def mended(
        self,
        hole: Hole,
        text: str,
        offset: int,
        stop: Stop | None = None,
        *,
        level: Level | None = None,
        exact: bool = False,
    ) -> Hole:
        """The hole at an offset with its pending closers behind it; a text may bring them, too.

        hole: the hole of the text as it is, which is returned where nothing is pending. `Hole.pending` has the closers; `pending_behind` tells which
        of them a text leaves.
        """
        return hole

    def pending(self, text: str, offset: int, stop: Stop | None = None) -> tuple[Closer, ...]:
        """The closers that the code around an offset lacks behind it, whatever is written there; see pending.py.

        () where the file is broken elsewhere, too. Raises Cancelled.
        """
        return ()

    def readable(self, text: str, offset: int, stop: Stop | None = None) -> tuple[str, int]:
        """The text as other tools can read it, and the offset there: broken pieces are hidden, and pending code is written."""
        return text, offset

    def foresee(self, text: str, stop: Stop | None = None) -> None:  # noqa: B027 - most need not
        """Prepare the answers that holes anywhere in a text will need, while nobody waits; `stop` as for `hole`."""

    def problems(self, text: str) -> Sequence[TextProblem]:
        """The problems of the document, in a language that `BuiltIn.is_diagnosed`; else none."""
        return ()

    @abstractmethod
    def explainer(self) -> Explainer:
        """The explainer of refused and possible texts."""
        ...

    @property
    def problem(self) -> str | None:
        """Why no text can be judged in this document, in words, such as a file that is missing; None where it can."""
        return None

    @property
    def declared(self) -> str:
        """The declarations outside the document for its use, as text for a model; "" where there are none."""
        return ""

    @abstractmethod
    def forget(self) -> None:
        """Let go of all that is remembered; the next hole starts anew."""
        ...


class LanguageRuntime(Protocol):
    """The state that all sessions of a language share; it grows with each reading, and is replaced when it is too large."""

    @property
    def size(self) -> int:
        """Interned objects."""
        ...

    def release_incrementally(self) -> Iterator[None]:
        """Take it apart, a little at each step."""
        ...


Renew = Callable[[Callable[[], None]], bool]
"""See Language.renew."""
NewSession = Callable[[Callable[[], Any], str | PathLike[str] | None, str | None, Renew], Session]
"""Makes the session of a document. Its arguments: a function that gives the language's runtime, a new one when the old has grown too large; the path of the
document's file, or None; the folder outside which no file is read, None: any may be; and a function that prepares another runtime in a pause, before the old one has grown too large."""


@dataclass(frozen=True)
class Repeats:
    """Which lines of a language are right where the same line stands near."""

    often: re.Pattern[str] | None = None
    """a pattern for the whole of such a line, without its indentation"""
    in_other_blocks: bool = True
    """Whether lines that repeat across other blocks count, too, as in a second branch that ends like the first."""
    defined: re.Pattern[str] | None = None
    """a pattern for the start of a line whose `name` is defined once in the block that `blank` indents; None: as in Python"""


@dataclass(frozen=True)
class Traits:
    """How code of a language is written, for those who show texts of it. A pattern that is None matches no text."""

    line_comment: str = "#"
    """the mark of a comment up to the end of the line; "" where the language has none"""
    repeats: Repeats = Repeats()
    filler: str = ""
    """a statement that says nothing"""
    block: str = "{"
    """the bracket that opens a block of statements at the end of a line; "" where none does"""
    leaves: re.Pattern[str] | None = None
    """a pattern for the start of a line behind which an editor goes back to the column of the block around"""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """the words that begin headers of blocks by indentation, and the shortest such header of each"""
    candidates: str = ""
    """The name under which it is known which candidates (`lsp_server/completion/proposing/candidates`) hold; "" where none does"""
    quotes: str = ""
    """the signs of which any one may enclose a string"""
    statement_end: str = ""
    """the mark that ends a statement, and may be left out at a line's end"""
    statement: re.Pattern[str] | None = None
    """a line that is mostly a whole statement; its group `end` stands for `statement_end`"""
    closed: Callable[[str, str], int] = lambda left, right: 0
    """(left context, right context): how many characters behind the cursor an editor has closed that a suggestion may take the place of"""
    cell: Callable[[str, bool], str | None] | None = None
    """(a notebook's cell, does it stand above the one that is edited, so that only its names matter?): it as code, as long as it was in the
    second case; None: it is in another language"""


@dataclass(frozen=True)
class Versions:
    """The versions of a language, and which of them a file is written in."""

    names: tuple[str, ...]
    """the oldest first"""
    default: str
    around: Callable[[str | PathLike[str] | None, Reach], str]
    """(a file that need not exist, its reach): the version by the files around it; None: of a text without a file"""
    named: Callable[[str], str | None]
    """the version that a setting names, or the nearest there is; None where it names none"""
    raised_by_texts: bool = False
    """Whether a text that only a newer version understands is written in that one, whatever lies around."""
    problems: Callable[[str | PathLike[str]], list[str]] = lambda path: []
    """the faults of files around a path that tell its version, a line each; such files are left out"""
    unknown: Callable[[str | PathLike[str], Reach], str] = lambda path, reach: ""
    """a warning where the files around a path name a version that is newer than all of these; "" where they do not"""


@dataclass(frozen=True)
class Sample:
    """A hole with a text that fits, by which one sees that a language works."""

    left: str
    text: str
    right: str


@dataclass(frozen=True)
class BuiltIn:
    """A language that comes with the project; each folder of `languages` has some, by name, as LANGUAGES in `language.py`."""

    make: Callable[[str | None], LanguageRuntime]
    """a runtime of its own for one of the versions, None where there are none"""
    sample: Sample | None = None
    """None: the documents' folder decides"""
    versions: Versions | None = None
    encoding: Callable[[bytes], str] = lambda start: "utf-8-sig"
    """the encoding that a file's first 4,096 bytes declare; raises SyntaxError where there is no such encoding"""
    names_elsewhere: (
        Callable[[str | PathLike[str] | None, str, Mapping[str, str], Reach], frozenset[str] | None] | None
    ) = None
    """(a file, its text, path -> text of files that are being edited, its reach): the names that other files of its package
    declare; None: unknown"""
    imports_for: Callable[[str | PathLike[str] | None, str, bool, Reach], Imports] | None = None
    """(a file, the version, whether modules are read when they are first asked for, its reach): its imports; None: attributes
    are not checked"""
    importer: Importer | None = None
    """finds names that are not imported, and the places of their imports; None: the language has none, or they are unknown"""
    traits: Traits = Traits()
    type_server: TypeServer | None = None
    """the type checker that people have"""
    is_diagnosed: bool = False
    """Whether its sessions report problems of a document, since no other tool does."""
    new_session: NewSession | None = None
    """None: sessions are those of the engine"""
