"""The parser's sessions of documents, and their work without a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING

from ....common.bounded import BoundedDict
from ....common.constraint import Stop, never
from ....common.reach import Reach
from ..judging.hidden import Hidden
from ..proposing.editing import Editing, editing
from .cells import Cells
from .cursor_context import CursorContext
from .judged import is_judged
from .keeper import ModelKeeper

if TYPE_CHECKING:
    from ....parser import Hole, Imports, Session, TextProblem
    from ....parser.explain import Explainer

MAX_SESSIONS = 16  # a session is as large as its file's memo; dropping one costs its next hole some milliseconds
MAX_CHARACTERS = 600_000
"""Of the texts of all sessions, some 80 bytes of memory each; the session used last stays in any case."""
_PAUSE_READ_S = 1.0
"""Seconds of reading modules, and of reading a project's files, while nobody waits."""
_ELSEWHERE_S = 0.5
"""Seconds in which the names of other files are not looked up again for the same text: at least once for a request."""
PARSING_S, WARM_PARSING_S = 0.8, 2.0
"""Processor time of the parser for a request, and for opening a document; code people write takes far less."""
_MAX_WARM_CHARS = 500_000  # a larger file is read only for a suggestion


class Sessions:
    """The sessions of one server; used from one thread only."""

    def __init__(self, keeper: ModelKeeper) -> None:
        self.keeper = keeper
        self.cells = Cells()
        self._sessions: BoundedDict[tuple[str, str, str | None], Session] = BoundedDict(
            MAX_SESSIONS, lambda session: session.forget()
        )
        self._lengths: dict[tuple[str, str, str | None], int] = {}  # of the sessions' texts
        self._importable: BoundedDict[tuple[str, str | None, str | None, Reach], Imports | None] = BoundedDict(
            MAX_SESSIONS
        )
        self._elsewhere: tuple[tuple[object, ...], float, frozenset[str] | None] = (), 0.0, None

    def prepare(self, language_name: str, version: str | None = None) -> None:
        """Load the tables of a language now."""
        from ....parser import freeze_garbage, language

        if not is_judged(language_name):
            return
        language(language_name, version).hole("", "")
        freeze_garbage()  # from now on engines keep collections short themselves

    def of(self, place: CursorContext) -> Session:
        """The session of a place's document, under the place's settings."""
        key = (place.document, place.language, place.version)
        session = self._sessions.used(key)
        if session is None:
            from ....parser import language

            session = language(place.language, place.version).session(place.path, place.reach.root)
            self._sessions[key] = session
        self._make_room(key, len(place.text))
        session.doubts = not self.keeper.patient
        settings = place.settings or self.keeper.settings
        session.level = place.level or ("names" if settings.names else "compile")
        session.elsewhere = self._names_elsewhere(place) if session.level == "names" else None
        wanted = settings.attributes if place.attributes is None else place.attributes
        session.imports = self._imports(place) if wanted and session.level == "names" else None
        return session

    def hole(self, place: CursorContext, cancelled: Callable[[], bool] | None = None) -> Hole:
        """The hole at a place; raises Cancelled once nobody waits any more."""
        place = self.cells.joined(place)
        return self.of(place).hole(place.text, place.offset, cancelled)

    def editing(self, place: CursorContext, cancelled: Callable[[], bool] | None = None) -> Editing | Hidden:
        """The hole to fill at a place, for a user's request, or why there is none."""
        place = self.cells.joined(place)
        session, stop = self.of(place), cancelled or (lambda: False)
        return editing(place.cursor, session, place.language, stop, place.unfinished, asked=True)

    def first_that_fits(
        self, place: CursorContext, texts: Iterable[str], cancelled: Callable[[], bool] | None = None
    ) -> str | None:
        """Return the first of some texts that keeps the file valid at a place; needs no model."""
        from ....parser import Cancelled, limited

        place = self.cells.joined(place)
        with suppress(Cancelled), limited(PARSING_S):
            here = self.editing(place, cancelled) if is_judged(place.language) else None
            if isinstance(here, Editing):
                return next((text for text in texts if text.strip() and here.fits(text)), None)
        return None

    def warm(self, place: CursorContext, cancelled: Callable[[], bool]) -> None:
        """Read a document from both ends ahead of its first suggestion."""
        from ....parser import Cancelled, limited

        place = self.cells.joined(place)
        if len(place.text) > _MAX_WARM_CHARS or not is_judged(place.language):
            return
        session = self.of(place)
        try:
            with limited(WARM_PARSING_S):
                for offset in (len(place.text), 0, place.offset):
                    if not cancelled():
                        session.hole(place.text, offset, cancelled)
        except Cancelled:
            return
        if place.attributes is None:
            self.read_imports(place, cancelled)

    def foresee(self, place: CursorContext, cancelled: Callable[[], bool]) -> None:
        """Parse ahead for requests anywhere in a document, unless the readings before an edit serve."""
        from ....parser import Cancelled, limited

        place = self.cells.joined(place)
        if len(place.text) <= _MAX_WARM_CHARS and is_judged(place.language):
            with suppress(Cancelled), limited(WARM_PARSING_S):
                self.of(place).foresee(place.text, cancelled)

    def read_imports(self, place: CursorContext, cancelled: Callable[[], bool]) -> None:
        """Read modules that a document imports, or its suggestions wanted, and the other files of its project, while nobody waits."""
        place = self.cells.joined(place)
        if not is_judged(place.language):
            return
        session, until = self.of(place), monotonic() + _PAUSE_READ_S
        if session.imports is not None:
            session.imports.want(place.text)
            session.imports.read(_PAUSE_READ_S, cancelled)
        if session.level == "names" and session.elsewhere is None:
            self._names_elsewhere(place, lambda: cancelled() or monotonic() > until)

    def problems(self, place: CursorContext) -> Sequence[TextProblem]:
        """The problems of a place's document, in a language checked by no other tool."""
        return self.of(place).problems(place.text)

    def explainer(self, place: CursorContext) -> Explainer:
        """The explainer for the holes of a place's document."""
        return self.of(place).explainer()

    def forget(self, document: str) -> None:
        """Drop the memory of a document."""
        for key in [key for key in self._sessions if key[0] == document]:
            self._sessions.pop(key).forget()

    def _make_room(self, key: tuple[str, str, str | None], length: int) -> None:
        """Drop the sessions unused for longest while all their texts together are too long; key, length: of the one in use."""
        self._lengths = {other: self._lengths.get(other, 0) for other in self._sessions} | {key: length}
        while sum(self._lengths.values()) > MAX_CHARACTERS and len(self._sessions) > 1:
            oldest, session = self._sessions.popitem(last=False)
            session.forget()
            del self._lengths[oldest]

    def _imports(self, place: CursorContext) -> Imports | None:
        """The imports possible in a place's file; the same object while the file stays in place."""
        from ....parser import imports_for

        key = place.language, place.version, place.path, place.reach
        if key not in self._importable:
            self._importable[key] = imports_for(
                place.language, place.version, place.path, at_once=self.keeper.patient, reach=place.reach
            )
        return self._importable[key]

    def _names_elsewhere(self, place: CursorContext, stop: Stop | None = None) -> frozenset[str] | None:
        """The names declared by the other files of a place's package, on disk or as edited; None: unknown. stop: of reading on until known."""
        from ....parser import names_elsewhere, names_elsewhere_at_last

        asked, now = (place.language, place.path, place.text, place.others, place.reach), monotonic()
        if stop is None and self._elsewhere[0] == asked and now - self._elsewhere[1] < _ELSEWHERE_S:
            return self._elsewhere[2]
        question = (
            place.language,
            place.path,
            place.text,
            {other.path: other.text for other in place.others},
            place.reach,
        )
        if stop is not None or self.keeper.patient:
            names = names_elsewhere_at_last(*question, stop or never)
        else:
            names = names_elsewhere(*question)
        self._elsewhere = asked, now, names
        return names
