"""What a language is, to those who complete text in it: sessions of documents, and what they are made by."""

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

if TYPE_CHECKING:
    from .explain import Explainer


class TextProblem(NamedTuple):
    """What is wrong in a document: offsets of its characters, and why."""

    start: int
    end: int
    message: str


class Session(ABC):
    """One document of a language, as it is edited; it belongs to one thread at a time. What a language does not say is as here."""

    level: Level = "syntax"
    """What a completed file must be, where `hole` is not told."""
    elsewhere: frozenset[str] | None = None
    """The names that other files of the document's package declare, where the language has such; None: unknown."""
    imports: Imports | None = None
    """What the document can import, where attributes that do not exist are to be refused at level "names"; see SemanticRequest."""
    inserted: Sequence[Insertion] = ()
    """Statements that stand in the document, too, when names are looked up: before its offsets, and such that its syntax is the same."""

    @abstractmethod
    def hole(
        self, text: str, offset: int, stop: Stop | None = None, *, level: Level | None = None, exact: bool = False
    ) -> Hole:
        """The hole at an offset of the document's text as it is now.

        stop is asked now and then in long readings; Cancelled is raised when it says so. level: what a completed file must
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
        """The hole at an offset where what is pending is still to be written behind it; a text may bring what closes it, too.

        hole: the one as the text is, which this is where nothing is pending. `Hole.pending` has the closers; `pending_behind` tells which
        of them a text leaves.
        """
        return hole

    def pending(self, text: str, offset: int, stop: Stop | None = None) -> tuple[Closer, ...]:
        """What the code around an offset lacks behind it, whatever is written there; see pending.py.

        () where the file is broken elsewhere, too. Raises Cancelled.
        """
        return ()

    def foresee(self, text: str, stop: Stop | None = None) -> None:  # noqa: B027 - most need not
        """Work out ahead, while nobody waits, what holes anywhere in a text will ask; `stop` as for `hole`."""

    def problems(self, text: str) -> Sequence[TextProblem]:
        """What is wrong in the document, in a language that `BuiltIn.is_diagnosed`; else nothing is said."""
        return ()

    @abstractmethod
    def explainer(self) -> Explainer:
        """What says why a text is refused, and what may come."""
        ...

    @property
    def problem(self) -> str | None:
        """Why no text can be judged in this document, in words, such as a file that is missing; None where it can."""
        return None

    @property
    def declared(self) -> str:
        """What is declared outside the document for its use, as text that a model reads; "" where there is no such thing."""
        return ""

    @abstractmethod
    def forget(self) -> None:
        """Let go of all that is remembered; the next hole starts anew."""
        ...


class LanguageRuntime(Protocol):
    """What the sessions of a language share; it grows with what it has read, and is replaced when it has become too large."""

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
"""Makes the session of a document. It is given what gives the language's runtime, a new one when the old has grown too large; the path of the
document's file, None where it is in none; and the folder above it outside which no file is read, None: any may be; and what gets another runtime ready in a pause, before the old one has grown too large."""


@dataclass(frozen=True)
class Repeats:
    """Which lines of a language are right where the same line stands near."""

    often: re.Pattern[str] | None = None
    """what the whole of such a line is, without its indentation"""
    in_other_blocks: bool = True
    """Are others, too, where what stands between is outside their block, as in a second branch that ends like the first?"""
    defined: re.Pattern[str] | None = None
    """what begins a line whose `name` is defined once in the block that `blank` indents; None: as in Python"""
    receivers: bool = False
    """Do methods often get what they belong to as their first argument (`z.Mul(z, x)`)?"""


@dataclass(frozen=True)
class Traits:
    """How code of a language is written, for those who show texts of it. What is left out holds of no text."""

    line_comment: str = "#"
    """what begins a comment up to the end of the line; "" where the language has none"""
    repeats: Repeats = Repeats()
    filler: str = ""
    """a statement that says nothing"""
    block: str = "{"
    """the bracket that opens a block of statements at the end of a line; "" where none does"""
    leaves: re.Pattern[str] | None = None
    """what begins a line behind which an editor goes back to the column of the block around"""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """the words that begin headers of blocks by indentation, and the shortest such header of each"""
    candidates: str = ""
    """The name under which it is known which candidates (`lsp_server/completion/proposing/candidates`) hold; "" where none does"""
    quotes: str = ""
    """the signs of which any one may enclose a string"""
    statement_end: str = ""
    """what ends a statement, and may be left out at a line's end"""
    statement: re.Pattern[str] | None = None
    """a line that is mostly a whole statement; its group `end` is what stands there for `statement_end`"""
    closed: Callable[[str, str], int] = lambda left, right: 0
    """(left context, right context): how many characters behind the cursor an editor has closed that a suggestion may take the place of"""
    cell: Callable[[str, bool], str | None] | None = None
    """(a notebook's cell, does it stand above the one that is edited, so that only its names matter?): it as code, as long as it was in the
    second case; None: it is in another language"""


@dataclass(frozen=True)
class Versions:
    """The versions of a language, and which of them a file is written in."""

    known: tuple[str, ...]
    """the oldest first"""
    default: str
    around: Callable[[str | PathLike[str] | None, Reach], str]
    """(a file that need not exist, what may be read): its version by what lies around it; None: of a text without a file"""
    named: Callable[[str], str | None]
    """the version that a setting names, or the nearest there is; None where it names none"""
    raised_by_texts: bool = False
    """Is a text that only a newer version understands written in that one, whatever lies around?"""
    problems: Callable[[str | PathLike[str]], list[str]] = lambda path: []
    """what is wrong with the files around a path that tell its version, one line each; they are left out"""


@dataclass(frozen=True)
class Sample:
    """A hole with a text that fits, by which one sees that a language works."""

    left: str
    text: str
    right: str


@dataclass(frozen=True)
class BuiltIn:
    """A language that comes with the project; each folder of `languages` has some, by name, as LANGUAGES in `language.py`."""

    patterns: tuple[str, ...]
    """of the names of its files"""
    make: Callable[[str | None], LanguageRuntime]
    """a runtime of its own for one of the versions, None where there are none"""
    sample: Sample | None = None
    """None: what fits, its documents' folder decides"""
    versions: Versions | None = None
    encoding: Callable[[bytes], str] = lambda start: "utf-8-sig"
    """that of a file with these first 4,096 bytes, by what they declare; raises SyntaxError where that is none"""
    names_elsewhere: (
        Callable[[str | PathLike[str] | None, str, Mapping[str, str], Reach], frozenset[str] | None] | None
    ) = None
    """(a file, its text, path -> text of files that are being edited, what may be read): the names that other files of its package
    declare; None: unknown"""
    imports_for: Callable[[str | PathLike[str] | None, str, bool, Reach], Imports] | None = None
    """(a file, the version, are modules read when they are first asked for, what may be read): what the file can import; None: attributes
    are not checked"""
    importer: Importer | None = None
    """what can be imported that is not, and where that is written; None: names are not imported, or that is not known"""
    traits: Traits = Traits()
    is_diagnosed: bool = False
    """Do its sessions say what is wrong in a document? They do where no other tool does."""
    new_session: NewSession | None = None
    """None: sessions are those of the engine"""
