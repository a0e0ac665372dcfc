"""The languages by name and version."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from itertools import count
from os import PathLike
from pathlib import Path, PurePath
from typing import Literal
from weakref import WeakSet

from ..common.constraint import Stop, never
from ..common.reach import ANYWHERE, Reach
from .checked import grammars as checked
from .engine_runtime import EngineRuntime
from .errors import UnknownLanguage
from .glr import gc_policy
from .grammar.isolated import CompileLimits
from .hole import Hole, Level
from .importing import Importer, Imports
from .language_runtime import LanguageRuntime, NewSession, Session, Traits, Versions
from .languages.generic import language as generic
from .languages.registry import BUILT_IN
from .session import EngineSession
from .type_server import TypeServer

MAX_ENGINE_SIZE = 150_000
"""Interned objects after which a language starts over with an empty engine: some 75 MB. A document of 400,000 characters opens with 40,000.

If the engines of all languages together have more, those unused for longest are released."""
_NEARLY = 2 / 3
"""The share of MAX_ENGINE_SIZE after which another engine is prepared in a pause, so that no key has to wait for it ..."""
_WORTH = 3 / 4
"""... and replaces the old one, if the document needs at most this share of that size."""
_SMALL = 1 / 20
"""The share of MAX_ENGINE_SIZE up to which an engine need not make way for others."""
_MAX_READINGS = 200
"""How often to ask for a project's names; a large project reads more of them each time."""


Guarantee = Literal["exact", "checked", "none"]
"""The guarantee of a suggested text: a valid file, a file without an error for tree-sitter, or none."""

_LANGUAGES: WeakSet[Language] = WeakSet()


class Language:
    """A language in one version. It and its sessions belong to one thread at a time."""

    def __init__(
        self, name: str, version: str | None, make: Callable[[], LanguageRuntime], new_session: NewSession | None = None
    ) -> None:
        self.name = name
        self.version = version
        self._make = make
        self._new_session: NewSession = new_session or EngineSession
        self._runtime: LanguageRuntime | None = None
        self._sessions: WeakSet[Session] = WeakSet()
        self._next: LanguageRuntime | None = None  # in preparation to take its place; see `renew`
        self._dense: LanguageRuntime | None = None  # an engine whose document needs its size
        self._retired: list[Iterator[None]] = []  # engines being taken apart
        self._used = 0  # the higher, the later
        _LANGUAGES.add(self)

    def renewed(self) -> Language:
        """The same language with engines and sessions of its own."""
        return Language(self.name, self.version, self._make, self._new_session)

    def runtime(self) -> LanguageRuntime:
        """The current engine; a new one when the old has grown too large, and then all sessions forget the old."""
        self._retire()
        for _ in range(len(self._retired) - 1):  # the last one waits for a pause; the more there are, the faster
            self._release()
        if self._runtime is None:
            self._runtime, self._next = self._next or self._make(), None
        self._used = next(_uses)
        return self._runtime

    def renew(self, read: Callable[[], None]) -> bool:
        """In a pause, prepare another engine for a nearly full one by `read`; within it, `runtime` returns the new one. Returns whether the
        new engine has replaced the old and all sessions have forgotten their readings. If `read` raises, it continues next time."""
        old, most = self._runtime, MAX_ENGINE_SIZE * _NEARLY
        if old is None or old is self._dense or old.size <= most:
            return False
        self._runtime, self._next = self._next or self._make(), None
        try:
            read()
        except BaseException:
            self._runtime, self._next = old, self._runtime
            raise
        if self._size > most * _WORTH:
            self._runtime, self._dense = old, old
            return False
        self._let_go(old)
        return True

    @property
    def notes(self) -> tuple[str, ...]:
        """Warnings for the author of its grammar."""
        runtime = self.runtime()
        return runtime.notes if isinstance(runtime, EngineRuntime) else ()

    @property
    def has_retired(self) -> bool:
        """Whether engines out of use, now or soon, are still in memory."""
        return bool(self._retired) or self._is_full() or self in self._making_way()

    def release(self, stop: Callable[[], bool]) -> None:
        """Take unused engines apart until done or stopped; stop is asked every millisecond or so."""
        self._retire(self in self._making_way())
        while self._retired and not stop():
            self._release()

    @property
    def _size(self) -> int:
        return sum(runtime.size for runtime in (self._runtime, self._next) if runtime is not None)

    def _is_full(self) -> bool:
        return self._runtime is not None and self._runtime.size > MAX_ENGINE_SIZE

    @staticmethod
    def _making_way() -> list[Language]:
        """Those unused for longest whose engines make all of them together too large; never the last one used."""
        with_engines = sorted((each for each in list(_LANGUAGES) if each._size), key=lambda each: each._used)
        making_way, size = list[Language](), sum(each._size for each in with_engines)
        for each in with_engines[:-1]:
            if size > MAX_ENGINE_SIZE and each._size > MAX_ENGINE_SIZE * _SMALL:
                making_way.append(each)
                size -= each._size
        return making_way

    def _retire(self, makes_way: bool = False) -> None:
        if self._runtime is not None and (self._is_full() or makes_way):
            self._let_go(self._runtime)
            self._runtime = None
        if makes_way and self._next is not None:
            self._retired.append(self._next.release_incrementally())
            self._next = None

    def _let_go(self, runtime: LanguageRuntime) -> None:
        for session in self._sessions:
            session.forget()
        self._retired.append(runtime.release_incrementally())
        self._dense = None

    def _release(self) -> None:
        self._retired = [steps for steps in self._retired if next(steps, steps) is None]

    def session(self, path: str | PathLike[str] | None = None, workspace: str | None = None) -> Session:
        """A document being edited. path: of its file, if it has one; workspace: no file outside this folder is read."""
        session = self._new_session(self.runtime, path, workspace, self.renew)
        self._sessions.add(session)
        return session

    def hole(
        self,
        left: str,
        right: str,
        *,
        level: Level = "syntax",
        exact: bool = False,
        elsewhere: frozenset[str] | None = None,
        imports: Imports | None = None,
        path: str | PathLike[str] | None = None,
    ) -> Hole:
        """The hole between two texts, once; see Session."""
        session = self._new_session(self.runtime, path, None, self.renew)
        session.elsewhere, session.imports = elsewhere, imports
        return session.hole(left + right, len(left), level=level, exact=exact)


_uses = count(1)
_PATTERNS: dict[str, tuple[str, ...]] = dict(BUILT_IN.patterns)
_OWN: dict[str, Language] = {}


def languages() -> tuple[str, ...]:
    """The names of the languages with an exact engine."""
    return tuple(_PATTERNS)


def guarantee(name: str) -> Guarantee:
    """The guarantee of texts in a language; an exact engine always takes precedence over tree-sitter."""
    if name in _PATTERNS:
        return "exact"
    return "checked" if name in checked.CHECKED and checked.has(name) else "none"


def checkable(name: str, path: str = "") -> str | None:
    """The language checked by tree-sitter, installed or not, by an editor's name for it; if that is "", by its file's name.

    None if there is none, or an exact engine.
    """
    checked_name = checked.checked_name(name) if name else checked.name_for(PurePath(path).name)
    return None if checked_name in _PATTERNS else checked_name


def checked_names() -> dict[str, str]:
    """The languages checked by tree-sitter, installed or not, by all their names in editors."""
    names = {alias: name for name, facts in checked.CHECKED.items() for alias in (name, *facts.aliases)}
    return {alias: name for alias, name in names.items() if name not in _PATTERNS}


def is_error_free(name: str, text: str) -> bool:
    """Whether tree-sitter reads a whole file without an error, in a language it checks."""
    from .checked.session import is_error_free as judged

    return judged(checked.load(name), checked.CHECKED[name], text)


def grammar_packages(name: str) -> tuple[str, ...]:
    """The packages to install for a language checked by tree-sitter."""
    return checked.LIBRARY, checked.CHECKED[name].package


def language(name: str, version: str | None = None) -> Language:
    """A language by name, in its default version unless one is given; the same object for the same arguments."""
    if name in _OWN and version is None:
        return _OWN[name]
    if version is None and (declared := versions(name)) is not None:
        version = declared.default  # the same object with and without a name for the version
    return _built_in(name, version)


@cache
def _built_in(name: str, version: str | None) -> Language:
    if name not in BUILT_IN and guarantee(name) == "checked":
        if version is not None:
            raise UnknownLanguage(f"{name} has no versions here")
        from .checked.session import new_session

        return Language(name, None, checked.maker(name), new_session)
    if name not in BUILT_IN:
        raise UnknownLanguage(f"unknown language {name!r}; known: {', '.join(languages())}")
    built_in, declared = BUILT_IN[name], versions(name)
    if version is not None and declared is None:
        raise UnknownLanguage(f"{name} has no versions here")
    if declared is not None and version not in declared.names:
        raise UnknownLanguage(f"{name} has no version {version!r} here; known: {', '.join(declared.names)}")
    return Language(name, version, lambda: built_in.make(version), built_in.new_session)


def load_language(
    name: str,
    grammar_path: str | PathLike[str],
    start: str = "start",
    patterns: Sequence[str] = (),
    limits: CompileLimits | None = None,
) -> Language:
    """A user's own language from a Lark grammar file; from now on known by its name and its file name patterns.

    limits: of a separate process that compiles it, if it is not compiled yet; None: it is compiled here, in any time. Lexing follows
    Lark's basic lexer. Raises GrammarError, which names the file, the line where known, and the reason.
    """
    path = Path(grammar_path).absolute()
    own = Language(name, None, generic.maker(path, start, limits))
    _OWN[name], _PATTERNS[name] = own, tuple(patterns)
    return own


def versions(name: str) -> Versions | None:
    """The versions of a language; None where it has none."""
    return BUILT_IN[name].versions if name in BUILT_IN else None


def raised_version(name: str, text: str, version: str, offset: int | None = None) -> str:
    """The lowest version, from the given one on, that understands a text; the given one if none does, or texts do not count.

    Without an offset, understanding means parsing the whole text; with one, that some text at the offset makes it valid.
    Reads the text once per version tried: call it when a buffer is opened or saved, not at each keystroke.
    """

    def understands(version: str) -> bool:
        hole = language(name, version).hole(text[:position], text[position:])
        return hole.viable and (offset is not None or (hole.state is not None and hole.state.complete))

    declared, position = versions(name), len(text) if offset is None else offset
    newer = (
        declared.names[declared.names.index(version) + 1 :] if declared is not None and declared.raised_by_texts else ()
    )
    # A file that is broken in the newest version is broken in all, so its tables are the only others to be loaded.
    if not newer or understands(version) or not understands(newer[-1]):
        return version
    return next(candidate for candidate in newer if understands(candidate))


def encoding(name: str | None, start: bytes) -> str:
    """The encoding of a file in a language with these first 4,096 bytes; raises SyntaxError if it declares an unknown one."""
    return BUILT_IN[name].encoding(start) if name is not None and name in BUILT_IN else "utf-8-sig"


def release_retired(stop: Callable[[], bool]) -> None:
    """Take apart retired engines, and return their memory to the system; for a pause, on the languages' thread."""
    retired = [retiring for retiring in list(_LANGUAGES) if retiring.has_retired]
    for retiring in retired:
        retiring.release(stop)
    if retired and not stop():
        gc_policy.trim()


def has_retired() -> bool:
    """Whether there is something to release. Callable on any thread."""
    return any(loaded.has_retired for loaded in list(_LANGUAGES))


def names_elsewhere(
    name: str,
    path: str | PathLike[str] | None,
    text: str,
    unsaved: Mapping[str, str] | None = None,
    reach: Reach = ANYWHERE,
) -> frozenset[str] | None:
    """The names declared by other files of a file's package, in a language with such names; None: unknown.

    unsaved: path -> text of files being edited. reach: which others may be read.
    """
    built_in = BUILT_IN.get(name)
    if built_in is None or built_in.names_elsewhere is None:
        return None
    return built_in.names_elsewhere(path, text, unsaved or {}, reach)


def names_elsewhere_at_last(
    name: str,
    path: str | PathLike[str] | None,
    text: str,
    unsaved: Mapping[str, str] | None = None,
    reach: Reach = ANYWHERE,
    stop: Stop = never,
) -> frozenset[str] | None:
    """The same for callers that can wait for a large project, read until `stop`. A file without a path, or in a missing folder, stands
    alone."""
    if path is None or not Path(path).absolute().parent.is_dir():
        return frozenset()
    if name not in BUILT_IN or BUILT_IN[name].names_elsewhere is None:
        return None
    for _ in range(_MAX_READINGS):
        names = names_elsewhere(name, path, text, unsaved, reach)
        if names is not None or stop():
            return names
    return None


def imports_for(
    name: str, version: str | None, path: str | PathLike[str] | None, *, at_once: bool = False, reach: Reach = ANYWHERE
) -> Imports | None:
    """The imports of a file, for Session.imports; None if a language's attributes are not checked.

    at_once: whether modules are read at the first request, or are unknown until `Imports.read`. reach: which may be read.
    """
    built_in = BUILT_IN.get(name)
    if built_in is None or built_in.imports_for is None:
        return None
    declared = built_in.versions
    return built_in.imports_for(path, version or ("" if declared is None else declared.default), at_once, reach)


def importer_of(name: str) -> Importer | None:
    """The importer of a language; None where names are not imported."""
    return BUILT_IN[name].importer if name in BUILT_IN else None


def type_server(name: str) -> TypeServer | None:
    """The usual type checker of a language; None where none is known."""
    return BUILT_IN[name].type_server if name in BUILT_IN else None


def traits(name: str | None) -> Traits:
    """The conventions of a language's code; a guess for languages from grammar files."""
    if name is not None and name in BUILT_IN:
        return BUILT_IN[name].traits
    facts = None if name is None or name in _PATTERNS else checked.CHECKED.get(name)
    return Traits() if facts is None else Traits(facts.line_comment)


def is_diagnosed(name: str) -> bool:
    """Whether the sessions of a language report problems of a document; see Session.problems."""
    return name in BUILT_IN and BUILT_IN[name].is_diagnosed


def renew_languages() -> None:
    """Replace the object of each language: a thread still using an old one has it to itself."""
    _built_in.cache_clear()
    for name, own in list(_OWN.items()):
        _OWN[name] = own.renewed()


def language_for_path(path: str) -> str | None:
    """The language of a file by its name, or None."""
    name = PurePath(path).name
    return next((lang for lang, patterns in _PATTERNS.items() if any(fnmatchcase(name, p) for p in patterns)), None)
