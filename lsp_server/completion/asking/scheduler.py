"""From a request to suggestions: from the cache, from a generation in flight, or from a new one, perhaps after a wait.

Runs in the message loop, and waits there only for the clock and the model's thread. A request is answered by the first of these: nothing, if
nothing should be shown; the cache; after a wait, if the user types quickly, a generation in flight that foresaw the keys typed meanwhile; a
new generation. While a suggestion is shown, its successor is made in advance, as long as no request waits.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ....common.bounded import BoundedDict
from ....common.line_ends import with_line_feeds
from ...context.cross_file import LIMITS, OtherFile
from ..engine.silence import unanswered
from ..judging.hidden import Hidden, Reason
from ..proposing.shown import Suggestion
from .debounce import TypingRhythm, typed, wait_s
from .jobs import result_of, retrieve
from .newline_indent import after_enter
from .refusals import Refusals, Shown
from .suggestion_cache import CachedSuggestion, SuggestionCache, behind_rest, file_after, realignments

if TYPE_CHECKING:
    from ...runtime.backend import Backend
    from ...runtime.worker import Job
    from ...session.documents import Documents
    from ..engine.bounds import Bounds
    from ..engine.cursor_context import CursorContext
    from ..engine.pipeline import CompletionEngine

READING_PAUSE_S = 0.5  # without a key, before a model works ahead
MAX_REFUSED = 64  # files that rejected suggestions would have led to
MAX_ASKED = 16  # documents with a request by the user
OnPiece = Callable[[str], None]


@dataclass(frozen=True)
class Answer:
    """The suggestions for a request, and their source."""

    suggestions: tuple[Suggestion, ...] = ()
    source: str = "model"  # or "memory", "foreseen" (by a generation for an earlier text)
    hidden: Hidden | None = None  # why, where there are no suggestions
    waited_ms: float = 0.0  # for the user to pause
    queue_ms: float = 0.0  # for the model's thread


@dataclass(eq=False)
class PendingGeneration:
    """A suggestion in progress."""

    place: CursorContext
    ahead: bool  # not requested yet
    behind: int = 0  # characters behind its cursor that close the suggestion on the screen
    job: Job = field(init=False)
    landed: asyncio.Task[Suggestion | Hidden] = field(init=False)
    pieces: list[str] = field(default_factory=list[str])

    def serves(self, text: str, offset: int | None = None) -> bool:
        """Whether its text may answer after an edit: as long as the user types the text it writes."""
        before = self.place.offset
        count = len(text) - len(self.place.text)
        if count < 0 or (offset is not None and offset != before + count):
            return False
        added = text[before : before + count]
        so_far = "".join(self.pieces)
        so_far = so_far if "\n" not in so_far else so_far.replace("\n", self.place.cursor.newline)
        # A suggestion may omit a blank already in the text.
        foreseen = any(own.startswith(added) or added.startswith(own) for own in (so_far, so_far.lstrip(" \t")))
        same = text[:before] == self.place.text[:before] and text[before + count :] == self.place.text[before:]
        return foreseen and same and not self.job.cancelled()

    def may_serve(self, text: str) -> bool:
        """Whether it may serve later. A generation ahead may once the rest of the suggestion is typed or accepted."""
        if self.serves(text):
            return True
        whole, end = self.place.text, self.place.offset
        # The suggestion's closers stand behind the cursor if it was accepted, or if the editor closed its brackets, too.
        for right in (whole[end:], whole[end + self.behind :]):
            start = len(text) - len(right)
            if self.ahead and 0 <= start <= end and text.endswith(right) and whole.startswith(text[:start]):
                return True
        return False

    def may_serve_document(self, text: str) -> bool:
        """The same for the document's own text, where the text replaced by the suggestion still stands behind the cursor."""
        replaced = self.place.replaced
        cursor = self.place.offset + len(text) - len(replaced) - len(self.place.text)
        if replaced and cursor >= 0 and text.startswith(replaced, cursor):
            return self.may_serve(text[:cursor] + text[cursor + len(replaced) :]) or self.may_serve(text)
        return self.may_serve(text)


class CompletionScheduler:
    """Answers the requests of one session."""

    def __init__(self, backend: Backend, clock: Callable[[], float] = time.monotonic) -> None:
        self._backend = backend
        self._clock = clock
        self._engine: object = None  # the engine of the cached suggestions
        self._provisional = False  # whether the cache holds texts of a model that stood in for the user's
        self._recall: SuggestionCache[Suggestion | Hidden] = SuggestionCache()
        self._settings: dict[str, object] = {}  # of a document with cached suggestions
        self._rhythm = TypingRhythm()
        self._asking: dict[str, asyncio.Future[None]] = {}  # a document's request; done once it is outdated
        self._flights: list[PendingGeneration] = []
        self._touched: OrderedDict[str, None] = OrderedDict()  # documents, the last edited last
        self._refused: BoundedDict[Hashable, None] = BoundedDict(MAX_REFUSED)
        self._typed_over = Refusals()
        # The first suggestion of the user's last request in a document, and its place.
        self._asked: BoundedDict[str, tuple[tuple[str, int], Suggestion]] = BoundedDict(MAX_ASKED)
        self._reading: asyncio.TimerHandle | None = None  # of more of a file, soon

    @property
    def engine(self) -> CompletionEngine:
        """The engine, on the model's thread."""
        return self._backend.engine

    # -- events of documents

    def opened(self, place: CursorContext) -> None:
        """Prepare a document that the user is looking at."""
        self._touch(place.document)
        sessions, submit = self._backend.engine.sessions, self._backend.worker.submit
        if place.settings is None or place.settings.enable:
            submit("warm", lambda cancelled: sessions.warm(place, cancelled), background=True)
            submit("pause", lambda cancelled: sessions.foresee(place, cancelled), background=True)

    def edited(self, document: str, text: Callable[[], str]) -> None:
        """Follow an edit; `text` returns the text after it, if needed."""
        self._touch(document)
        self._rhythm = typed(self._rhythm, self._clock())
        self._outdate(document)
        self._stop_reading()
        flights = [flight for flight in self._flights if flight.place.document == document]
        if flights:
            now = text()
            for flight in flights:
                if not flight.may_serve_document(now):
                    flight.job.cancel()

    def closed(self, document: str) -> None:
        """Forget a document."""
        self._outdate(document)
        self._backend.worker.cancel("pause")
        for flight in self._flights:
            if flight.place.document == document:
                flight.job.cancel()
        self._recall.forget(document)
        self._asked.pop(document, None)
        self._typed_over.forget(document)
        self._settings.pop(document, None)
        self._touched.pop(document, None)

    def give_up(self) -> None:
        """Answer all requests with nothing, and stop all suggestions in progress."""
        self._stop_reading()
        self._backend.worker.cancel("pause")
        for document in list(self._asking):
            self._outdate(document)
        for flight in self._flights:
            flight.job.cancel()

    def others(self, documents: Documents, document: str) -> tuple[OtherFile, ...]:
        """Return the other open documents in the same language, the last edited first."""
        here = documents.get(document)
        others: list[OtherFile] = []
        for uri in reversed(self._touched):
            other = documents.get(uri)
            if other is None or here is None or uri == document or other.language_id != here.language_id:
                continue
            if not other.looks_secret:
                others.append(OtherFile(other.name, other.saved_text))
            if len(others) == LIMITS.files:
                break
        return tuple(others)

    # -- the fates of suggestions

    def rejected(self, file: Hashable) -> None:
        """Hide the suggestion leading to a file (`file_after`), rejected by the user, until it is requested."""
        self._refused[file] = None

    # -- requests

    async def ask(
        self, place: CursorContext, *, invoked: bool = False, alternatives: int = 3, on_piece: OnPiece | None = None
    ) -> Answer:
        """Answer a request; raises the engine's errors, and CancelledError.

        `invoked`: the user asked, and gets alternatives at once. `on_piece` gets the pieces of a new generation, on the model's thread. A
        newer request or edit of the document ends the request with nothing.
        """
        document = place.document
        self._check_memory(place)
        self._outdate(document)
        outdated = self._asking[document] = asyncio.get_running_loop().create_future()
        for flight in self._flights:
            if flight.place.document == document and not flight.may_serve(place.text):
                flight.job.cancel()
        try:
            hidden = unanswered(place, invoked)
            if hidden is not None:
                return Answer(hidden=hidden)
            if invoked:
                return await self._alternatives(place, alternatives, outdated, on_piece)
            place = replace(place, refused=self._typed_over.count(document, place.text, place.offset))
            answer = self._wanted(place, await self._one(place, outdated, on_piece))
            if not outdated.done():
                text = answer.suggestions[0].to_cursor if answer.suggestions else ""
                self._typed_over.note(document, Shown(place.text, place.offset, text, place.refused))
            return answer
        finally:
            if self._asking.get(document) is outdated:
                del self._asking[document]

    async def _one(self, place: CursorContext, outdated: asyncio.Future[None], on_piece: OnPiece | None) -> Answer:
        remembered = self._remembered(place, "memory") or await self._repaired(place, outdated)
        if remembered is not None:
            self._look_ahead(place, remembered)
            return remembered
        start_s = self._clock()
        wait = wait_s(self._rhythm, start_s)
        if wait > 0 and not outdated.done():
            await asyncio.wait({outdated}, timeout=wait)
        waited_ms = (self._clock() - start_s) * 1e3
        if outdated.done():
            return Answer(hidden=_OUTDATED, waited_ms=waited_ms)
        flight = next((flight for flight in self._flights if flight.serves(place.text, place.offset)), None)
        if flight is not None:
            flight.ahead = False
            self._backend.worker.cancel("pause")  # the request may still wait behind it
            await self._landing(flight, outdated)
            answer = None if outdated.done() else self._remembered(place, "foreseen")
            if answer is not None:
                self._look_ahead(place, answer)
                return replace(answer, waited_ms=waited_ms, queue_ms=flight.job.queued_ms)
        if outdated.done():
            return Answer(hidden=_OUTDATED, waited_ms=waited_ms)
        flight = self._start(place, on_piece)
        landed = await self._landing(flight, outdated)
        if outdated.done() or flight.job.cancelled():
            return Answer(hidden=_OUTDATED, waited_ms=waited_ms, queue_ms=flight.job.queued_ms)
        answer = replace(_answer(landed or _OUTDATED), waited_ms=waited_ms, queue_ms=flight.job.queued_ms)
        self._look_ahead(place, answer)
        self._in_a_pause(place)
        return answer

    async def _alternatives(
        self, place: CursorContext, most: int, outdated: asyncio.Future[None], on_piece: OnPiece | None
    ) -> Answer:
        """Several suggestions, the fullest first. A repeated request continues the first one; suggestions on the screen come last."""
        shown = self._remembered(place, "memory")
        before = self._asked.get(place.document)
        begun = before[1] if before is not None and before[0] == (place.text, place.offset) else None
        goes_on = begun is not None and begun.column is not None
        wanted = accepted(place, begun) if begun is not None and goes_on else place
        self._clear_the_way()
        engine = self._backend.engine
        if on_piece is not None and begun is not None and goes_on:
            on_piece(begun.text)
        n = 1 if goes_on else most
        job = self._backend.worker.submit(
            ("suggest", place.document), lambda cancelled: engine.alternatives(wanted, n, cancelled, on_piece)
        )
        made: list[Suggestion] = await result_of(job, outdated) or []
        if outdated.done() or job.cancelled():
            return Answer(hidden=_OUTDATED, queue_ms=job.queued_ms)
        if begun is not None and goes_on:
            made = [replace(suggestion, text=begun.text + suggestion.text) for suggestion in made]
        old = [suggestion.text for suggestion in shown.suggestions] if shown is not None else []
        new = [suggestion for suggestion in made if suggestion.text not in old]
        several = [*new, *(shown.suggestions if shown is not None else ())][:most]
        if several:
            self._asked[place.document] = (place.text, place.offset), several[0]
        for suggestion in reversed(several):
            self._remember(place, suggestion)
        return Answer(tuple(several), queue_ms=job.queued_ms)

    async def bounded(self, place: CursorContext, bounds: Bounds) -> Answer:
        """The texts within bounds, for a client that asks once; nothing is cached. Raises the engine's errors, and CancelledError."""
        hidden = unanswered(place, asked=True)
        if hidden is not None:
            return Answer(hidden=hidden)
        self._clear_the_way()
        engine = self._backend.engine
        job = self._backend.worker.submit(
            ("suggest", place.document), lambda cancelled: engine.bounded(place, bounds, cancelled)
        )
        made: list[Suggestion] | Hidden = await result_of(job) or _OUTDATED
        return _answer(made) if isinstance(made, Hidden) else Answer(tuple(made), queue_ms=job.queued_ms)

    def _wanted(self, place: CursorContext, answer: Answer) -> Answer:
        """Remove the suggestions rejected before."""
        kept = tuple(
            suggestion
            for suggestion in answer.suggestions
            if file_after(place.text, place.offset, suggestion.text) not in self._refused
        )
        return (
            answer if kept == answer.suggestions else replace(answer, suggestions=kept, hidden=Hidden(Reason.REJECTED))
        )

    # -- memory

    def _remembered(self, place: CursorContext, source: str) -> Answer | None:
        recalled = self._recall.find(place.document, place.text, place.offset)
        if recalled is None:
            return None
        rest, remembered = recalled
        left = _left_of(remembered, place.offset, rest)
        if isinstance(left, Suggestion) and not rest.strip():
            left = Hidden(Reason.TOO_LITTLE, rest)
        if isinstance(left, Suggestion) and left.behind == len(rest):
            return None  # the closers of its brackets are no suggestion
        return replace(_answer(left), source=source)

    async def _repaired(self, place: CursorContext, outdated: asyncio.Future[None]) -> Answer | None:
        """The part of a cached suggestion that fits behind brackets closed by the editor, as judged by the engine."""
        tried = (
            (cached, list(realignments(cached, place.text, place.offset))) for cached in self._recall.of(place.document)
        )
        fitting = next(((cached, texts) for cached, texts in tried if texts), None)
        if fitting is None:
            return None
        remembered, texts = fitting
        self._clear_the_way()
        sessions = self._backend.engine.sessions
        job = self._backend.worker.submit(
            ("suggest", place.document), lambda cancelled: sessions.first_that_fits(place, texts, cancelled)
        )
        text = await result_of(job, outdated)
        if text is None or outdated.done():
            return None
        suggestion = _left_of(remembered, place.offset, text)
        self._remember(place, suggestion)
        return replace(_answer(suggestion), source="memory", queue_ms=job.queued_ms)

    def _remember(self, place: CursorContext, outcome: Suggestion | Hidden) -> None:
        text = outcome.text if isinstance(outcome, Suggestion) else ""
        self._provisional |= bool(self._backend.engine.keeper.away)
        self._recall.remember(place.document, CachedSuggestion(place.text, place.offset, text, outcome))

    def _check_memory(self, place: CursorContext) -> None:
        """Forget the suggestions of another engine, of a stand-in model or under other settings."""
        engine = self._backend.engine
        if self._engine is not engine or (self._provisional and not engine.keeper.stands_in):
            self._engine, self._provisional = engine, False
            self._recall.forget()
        if self._settings.setdefault(place.document, place.settings) != place.settings:
            self._settings[place.document] = place.settings
            self._recall.forget(place.document)

    # -- generations

    def _start(
        self, place: CursorContext, on_piece: OnPiece | None = None, ahead: bool = False, behind: int = 0
    ) -> PendingGeneration:
        engine, flight = self._backend.engine, PendingGeneration(place, ahead, behind)

        def read(piece: str) -> None:
            flight.pieces.append(piece)
            if on_piece is not None:
                on_piece(piece)

        def work(cancelled: Callable[[], bool]) -> Suggestion | Hidden:
            return engine.suggest(place, cancelled, read)

        if not ahead:
            self._clear_the_way()
        flight.job = self._backend.worker.submit(
            ("ahead" if ahead else "suggest", place.document), work, background=ahead
        )
        self._flights.append(flight)
        flight.landed = asyncio.ensure_future(self._land(flight))
        flight.landed.add_done_callback(retrieve)
        return flight

    async def _land(self, flight: PendingGeneration) -> Suggestion | Hidden:
        try:
            outcome = await asyncio.wrap_future(flight.job.future)
        finally:
            self._flights.remove(flight)
        if not flight.job.cancelled() and self._engine is self._backend.engine:
            self._remember(flight.place, outcome)
        return outcome

    async def _landing(self, flight: PendingGeneration, outdated: asyncio.Future[None]) -> Suggestion | Hidden | None:
        """Wait for a generation until the request is outdated."""
        try:
            await asyncio.wait({flight.landed, outdated}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            if not outdated.done():  # otherwise the newer event decides
                flight.job.cancel()
            raise
        return flight.landed.result() if flight.landed.done() else None

    def _look_ahead(self, place: CursorContext, answer: Answer) -> None:
        """Make the suggestion to follow this one if accepted, or, without one, the next line's. Work ahead in a pause."""
        self._read_ahead(place)
        settings = place.settings or self._backend.settings
        first = answer.suggestions[0] if answer.suggestions else None
        # With edits, the client reports the document once it has accepted the suggestion.
        if not settings.ahead or (first is not None and first.edits):
            return
        if first is not None:
            after = accepted(place, first)
        elif (text := after_enter(place.cursor, place.language)) is not None:
            after = _typed(place, text)
        else:
            return
        behind = 0 if first is None else first.behind
        if self._remembered(after, "memory") is None and not any(
            flight.serves(after.text, after.offset) for flight in self._flights
        ):
            self._start(after, ahead=True, behind=behind)

    def _in_a_pause(self, place: CursorContext) -> None:
        """Once idle, read the modules whose reading a request deferred, and parse ahead."""
        sessions = self._backend.engine.sessions

        def work(cancelled: Callable[[], bool]) -> None:
            sessions.read_imports(place, cancelled)
            if not cancelled():
                sessions.foresee(place, cancelled)

        self._backend.worker.submit("pause", work, background=True)

    def _read_ahead(self, place: CursorContext) -> None:
        """Let a model of ours work on the requests likely at a place, once nobody types."""
        engine, worker = self._backend.engine, self._backend.worker
        if not engine.keeper.works_ahead or not (place.settings or self._backend.settings).ahead:
            return

        def begin() -> None:
            worker.submit("read ahead", lambda cancelled: engine.read_ahead(place, cancelled), background=True)

        self._stop_reading()
        self._reading = asyncio.get_running_loop().call_later(READING_PAUSE_S, begin)

    def _stop_reading(self) -> None:
        self._backend.worker.cancel("read ahead")
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

    def _clear_the_way(self) -> None:
        """Stop the generations made ahead."""
        self._stop_reading()
        self._backend.worker.cancel("warm")
        self._backend.worker.cancel("pause")
        for flight in self._flights:
            if flight.ahead:
                flight.job.cancel()

    def _outdate(self, document: str) -> None:
        asking = self._asking.pop(document, None)
        if asking is not None and not asking.done():
            asking.set_result(None)

    def _touch(self, document: str) -> None:
        self._touched[document] = None
        self._touched.move_to_end(document)


def accepted(place: CursorContext, suggestion: Suggestion) -> CursorContext:
    """The cursor after accepting a suggestion."""
    written = 0 if suggestion.column is None else place.written + len(with_line_feeds(suggestion.text))
    return replace(_typed(place, suggestion.text, suggestion.behind), column=suggestion.column, written=written)


def _typed(place: CursorContext, text: str, behind: int = 0) -> CursorContext:
    """The cursor behind a text, less `behind` characters of its end."""
    written = place.text[: place.offset] + text + place.text[place.offset :]
    return replace(place, text=written, offset=place.offset + len(text) - behind, refused=0)


_OUTDATED = Hidden(Reason.OUTDATED)


def _answer(outcome: Suggestion | Hidden) -> Answer:
    return Answer((outcome,)) if isinstance(outcome, Suggestion) else Answer(hidden=outcome)


def _left_of(remembered: CachedSuggestion[Suggestion | Hidden], offset: int, rest: str) -> Suggestion | Hidden:
    """The rest of a cached suggestion at an offset."""
    if isinstance(remembered.value, Hidden):
        return remembered.value
    behind = behind_rest(remembered, offset, rest, remembered.value.behind)
    return replace(remembered.value, text=rest, behind=behind)
