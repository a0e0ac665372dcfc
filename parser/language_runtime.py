"""The protocols of a language: sessions of documents, and the runtimes shared by these."""

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
    """One document of a language while it is edited; it belongs to one thread at a time. The methods here are the defaults."""

    level: Level = "syntax"
    """The level of a completed file, unless `hole` gets one."""
    elsewhere: frozenset[str] | None = None
    """The names declared by other files of the document's package, where the language has such; None: unknown."""
    imports: Imports | None = None
    """The document's imports, if level "names" refuses missing attributes; see SemanticRequest."""
    allowed: Allowed | None = None
    """The names a type checker allows at a place; ignored at any other."""
    doubts: bool = False
    """Whether a view is also used where only an unlikely text makes the file valid: one closing brackets or strings of lines above.
    For editors, where a broken file is more frequent than such a text; a hole is then no longer exact."""
    inserted: Sequence[Insertion] = ()
    """Statements added to the document when names are looked up: before its offsets, and without a change of its syntax."""

    @abstractmethod
    def hole(
        self, text: str, offset: int, stop: Stop | None = None, *, level: Level | None = None, exact: bool = False
    ) -> Hole:
        """The hole at an offset of the document's current text.

        stop is asked now and then in long readings, and raises Cancelled if true. level: the level demanded of a completed file, where
        the language knows more than syntax; exact: see SemanticRequest.
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
        """The hole at an offset with its pending closers behind it; a text may also bring them itself.

        hole: the hole of the text as it is, returned if nothing is pending. `Hole.pending` has the closers; `pending_behind` those left
        by a text.
        """
        return hole

    def pending(self, text: str, offset: int, stop: Stop | None = None) -> tuple[Closer, ...]:
        """The closers missing behind an offset, whatever text is written there; see pending.py.

        () if the file is also broken elsewhere. Raises Cancelled.
        """
        return ()

    def readable(self, text: str, offset: int, stop: Stop | None = None) -> tuple[str, int]:
        """The text in a form readable by other tools, and the offset there: broken pieces are hidden, and pending closers written."""
        return text, offset

    def foresee(self, text: str, stop: Stop | None = None) -> None:  # noqa: B027 - most need not
        """Prepare the answers for holes anywhere in a text, while nobody waits; `stop` as for `hole`."""

    def problems(self, text: str) -> Sequence[TextProblem]:
        """The problems of the document, in a language with `BuiltIn.is_diagnosed`; else none."""
        return ()

    @abstractmethod
    def explainer(self) -> Explainer:
        """The explainer of refused and possible texts."""
        ...

    @property
    def problem(self) -> str | None:
        """The reason, in words, why no text can be judged in this document, such as a missing file; None where it can."""
        return None

    @property
    def declared(self) -> str:
        """The declarations outside the document for its use, as text for a model; "" if there are none."""
        return ""

    @abstractmethod
    def forget(self) -> None:
        """Forget all readings; the next hole starts anew."""
        ...


class LanguageRuntime(Protocol):
    """The state shared by all sessions of a language; it grows with each reading, and is replaced when too large."""

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
"""Makes the session of a document. Its arguments: a function returning the language's runtime, a new one when the old has grown too
large; the path of the document's file, or None; the folder outside which no file is read, None: any may be; and a function that
prepares another runtime in a pause, before the old one has grown too large."""


@dataclass(frozen=True)
class Repeats:
    """The lines of a language that may rightly repeat a line nearby."""

    often: re.Pattern[str] | None = None
    """a pattern for the whole of such a line, without its indentation"""
    in_other_blocks: bool = True
    """Whether lines repeated across blocks count, too, as in a second branch with the ending of the first."""
    defined: re.Pattern[str] | None = None
    """a pattern for the start of a line whose `name` is defined once in the block indented by `blank`; None: as in Python"""


@dataclass(frozen=True)
class Traits:
    """The conventions of a language's code, for showing texts of it. A pattern of None matches no text."""

    line_comment: str = "#"
    """the mark of a comment up to the end of the line; "" where the language has none"""
    repeats: Repeats = Repeats()
    filler: str = ""
    """an empty statement"""
    block: str = "{"
    """the bracket opening a block of statements at the end of a line; "" where none does"""
    leaves: re.Pattern[str] | None = None
    """a pattern for the start of a line after which an editor returns to the column of the block around"""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """the first words of headers of blocks by indentation, and the shortest such header of each"""
    candidates: str = ""
    """the key of the language's reliable candidates (`lsp_server/completion/proposing/candidates`); "" where there are none"""
    quotes: str = ""
    """the interchangeable quotes of strings"""
    statement_end: str = ""
    """the mark at the end of a statement, optional at a line's end"""
    statement: re.Pattern[str] | None = None
    """a line that is mostly a whole statement; its group `end` stands for `statement_end`"""
    closed: Callable[[str, str], int] = lambda left, right: 0
    """(left context, right context): the number of an editor's closing characters behind the cursor that a suggestion may replace"""
    cell: Callable[[str, bool], str | None] | None = None
    """(a notebook's cell, whether it stands above the edited one, so that only its names matter): the cell as code, as long as before
    in the second case; None: it is in another language"""


@dataclass(frozen=True)
class Versions:
    """The versions of a language, and the version of a file."""

    names: tuple[str, ...]
    """the oldest first"""
    default: str
    around: Callable[[str | PathLike[str] | None, Reach], str]
    """(a file, existing or not, its reach): the version by the files around it; None: of a text without a file"""
    named: Callable[[str], str | None]
    """the version named by a setting, or the nearest one; None if it names none"""
    raised_by_texts: bool = False
    """Whether a text understood only by a newer version is of that version, whatever files lie around."""
    problems: Callable[[str | PathLike[str]], list[str]] = lambda path: []
    """the faults of files around a path that declare its version, a line each; such files are left out"""
    unknown: Callable[[str | PathLike[str], Reach], str] = lambda path, reach: ""
    """a warning if the files around a path name a version newer than all of these; else "" """


@dataclass(frozen=True)
class Sample:
    """A hole with a fitting text, as a check of a language."""

    left: str
    text: str
    right: str


@dataclass(frozen=True)
class BuiltIn:
    """A language of the project itself; each folder of `languages` has some, by name, as LANGUAGES in `language.py`."""

    make: Callable[[str | None], LanguageRuntime]
    """a runtime of its own for one of the versions, None where there are none"""
    sample: Sample | None = None
    """None: the documents' folder decides"""
    versions: Versions | None = None
    encoding: Callable[[bytes], str] = lambda start: "utf-8-sig"
    """the encoding declared by a file's first 4,096 bytes; raises SyntaxError if there is no such encoding"""
    names_elsewhere: (
        Callable[[str | PathLike[str] | None, str, Mapping[str, str], Reach], frozenset[str] | None] | None
    ) = None
    """(a file, its text, path -> text of files being edited, its reach): the names declared by other files of its package; None:
    unknown"""
    imports_for: Callable[[str | PathLike[str] | None, str, bool, Reach], Imports] | None = None
    """(a file, the version, whether modules are read at the first request, its reach): its imports; None: attributes are not
    checked"""
    importer: Importer | None = None
    """finds names not imported, and the places of their imports; None: the language has none, or they are unknown"""
    traits: Traits = Traits()
    type_server: TypeServer | None = None
    """the usual type checker"""
    is_diagnosed: bool = False
    """Whether its sessions report a document's problems, since no other tool does."""
    new_session: NewSession | None = None
    """None: the engine's sessions"""
