"""The work of the model's thread: the model, the grammars, and the parser's memory of each document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from ....common.bounded import BoundedDict
from ....common.reach import Reach
from ....parser.importing import ImportRequest
from ...context.cross_file import CrossFileContext, Excerpt, OtherFile, names_around
from ...context.declarations import useful_declarations
from ...context.secret_strings import Secrets, is_secret, without_secrets
from ...context.secrets import respects_word
from ...errors import TooSlow
from ...settings.spec import Settings
from ..asking.refusals import raised
from ..judging.acceptance import THRESHOLD
from ..judging.certainty import SURE, expected_gain
from ..judging.hidden import Hidden, Reason
from ..proposing import imports
from ..proposing.editing import ASKED_LINES, ASKED_MS, ASKED_TOKENS, MAX_LINES, MAX_TOKENS, Editing, editing
from ..proposing.shown import Suggestion, placed
from ..proposing.suggestion import Asking, Shows, next_text, suggest, suggest_several, with_block, work_ahead
from ..proposing.unconstrained import suggest_plain
from .cells import Cells
from .cursor_context import CursorContext
from .judged import has_grammar, is_judged
from .keeper import ModelKeeper
from .silence import why_silent
from .typed import Types

if TYPE_CHECKING:
    from ....common.constraint import Stop
    from ....model import Model, Options
    from ....parser import Hole, Imports, Session, TextProblem
    from ....parser.explain import Explainer

Result = TypeVar("Result")

MAX_SESSIONS = 16  # a session is as large as the memo of its file; dropping one costs its next hole some milliseconds
MAX_OTHERS_CHARS = 2_000_000  # of other files' texts that are looked at for one suggestion
_READ_S = 0.03
"""Seconds for which modules are read before a suggestion."""
_PATIENT_S = 20.0
"""Seconds for which a caller that is not interactive waits for a type checker."""
_PAUSE_READ_S = 1.0
"""Seconds for which they are read while nobody waits."""
_ASKED_READ_S = 0.3
"""The same where the user has asked for a suggestion."""
_PARSING_S, _WARM_PARSING_S = 0.8, 2.0
"""Processor time that the parser may take for a request, and for a document that is opened; code that people write takes far less."""
_WORTH_OF_SMALL = 0.05
"""Probability below which the embedded model's text is not worth being shown to a user who asks: at 36 places in bodies of functions none of 25 such was right."""
_NOTHING_LIKELY = (
    "the embedded model knows nothing to write here that is likely to be right; `suture models` names a larger one"
)
_NOTHING_SURE = (Reason.UNCERTAIN, Reason.NO_TEXT, Reason.WRONG_TYPE)
"""Reasons for which the model's text is not shown, though another one may be."""
_OWED_S = 0.5
"""How much of a request's time is another document's, if one waits."""
_REST_S = 5.0
"""Seconds for which a document that took longer is not read again: other documents must not wait for it at each key."""
_MAX_WARM_CHARS = 500_000  # a larger file is only read when a suggestion is asked for


def _gain(outcome: Suggestion | Hidden) -> float:
    """The keys that a text spares on average."""
    return expected_gain(outcome.probability, outcome.to_cursor) if isinstance(outcome, Suggestion) else 0.0


class CompletionEngine:
    """Model and sessions of one server; used from one thread only."""

    def __init__(self, settings: Settings, template: str | None = None, *, patient: bool = False):
        """See ModelKeeper."""
        self.keeper = ModelKeeper(settings, template, patient=patient)
        self._sessions: BoundedDict[tuple[str, str, str | None], Session] = BoundedDict(
            MAX_SESSIONS, lambda session: session.forget()
        )
        self._importable: BoundedDict[tuple[str, str | None, str | None, Reach], Imports | None] = BoundedDict(
            MAX_SESSIONS
        )
        self._neighbours = CrossFileContext()
        self._cells = Cells()
        self._secrets = Secrets()
        self._types = Types()
        self.awaited: Callable[[], bool] | None = None  # does another document wait for the thread? Asked often
        self._resting: BoundedDict[str, float] = BoundedDict(MAX_SESSIONS)  # documents that took too long, until when

    def least_certainty(self, place: CursorContext) -> float:
        """The least probability of a suggestion that is shown unasked; may be asked from any thread.

        Whether a model is judged at all is not known before it is loaded; until then it is 1. It is higher where suggestions were refused.
        """
        chosen, model = (place.settings or self.keeper.settings).certainty, self.keeper.chosen
        if chosen is None:
            chosen = 1.0 if model is None else THRESHOLD if model.certainty.threshold else 0.0
        return raised(chosen, place.refused)

    def prepare(self, language_name: str, version: str | None = None) -> None:
        """Load the tables of a language now."""
        from ....parser import freeze_garbage, language

        if not is_judged(language_name):
            return
        language(language_name, version).hole("", "")
        freeze_garbage()  # from now on engines keep collections short themselves

    def suggest(
        self, place: CursorContext, cancelled: Callable[[], bool], on_text: Callable[[str], None] | None = None
    ) -> Suggestion | Hidden:
        """Suggest text for a place, where it is certain enough, or say why not; `on_text` gets its pieces as they come. Raises
        Unavailable when there is no model."""
        place = self._shown(place)
        text, offset = place.text, place.offset

        def ask(model: Model) -> Suggestion | Hidden:
            options = self.options(place, model)
            self._look_around(place, _READ_S, cancelled)
            if not is_judged(place.language):
                return suggest_plain(place.cursor, model, options, cancelled, on_text)
            least = self.least_certainty(place)
            asking = Asking(
                model, options, cancelled, least, place.inside, place.unfinished,
                shows=self._shows(place.language), column=place.column,
            )  # fmt: skip
            candidate = self._candidate(place, model, cancelled)
            if candidate is not None and candidate[1].probability >= max(SURE, least):
                sure = with_block(*candidate, asking)
                if on_text is not None and isinstance(sure, Suggestion):
                    on_text(sure.text)
                return sure
            watch = self._watch(place)
            outcome = suggest(place.cursor, self._session(place), replace(asking, watch=watch), on_text)
            outcome = self._with_imports(place, watch, replace(asking, certainty=max(least, imports.LEAST))) or outcome
            if isinstance(outcome, Suggestion) and not respects_word(text, offset, outcome.text):
                outcome = Hidden(Reason.RUNS_ON, outcome.text)
            if isinstance(outcome, Suggestion) and self._refuses(place, outcome):
                here = self.editing(place, cancelled)
                if isinstance(here, Editing):
                    outcome = next_text(here, outcome, asking, lambda other: self._refuses(place, other))
            if isinstance(outcome, Hidden) and outcome.reason in _NOTHING_SURE and not cancelled():
                outcome = self._sole_member(place, asking) or outcome
            if candidate is None or candidate[1].probability < least or not least or cancelled():
                return outcome
            return outcome if _gain(candidate[1]) <= _gain(outcome) else with_block(*candidate, asking)

        outcome = self._bounded(place, lambda: self._hidden(place, cancelled) or self.keeper.ask(ask))
        secret = isinstance(outcome, Suggestion) and is_secret(place.cursor.left, outcome.text)
        return Hidden(Reason.SHOWS_SECRET) if secret else outcome

    def alternatives(
        self,
        place: CursorContext,
        n: int,
        cancelled: Callable[[], bool],
        on_text: Callable[[str], None] | None = None,
    ) -> list[Suggestion]:
        """Suggest up to n different texts for a place, best first; `on_text` gets the pieces of the one that the model writes first.

        Raises Unavailable when there is no model.
        """
        place = self._shown(place)
        if not is_judged(place.language):
            outcome = self.suggest(place, cancelled, on_text)
            return [outcome] if isinstance(outcome, Suggestion) else []
        text, offset = place.text, place.offset

        def ask(model: Model) -> list[Suggestion]:
            options = self.options(place, model, asked=True)
            asking = Asking(
                model, options, cancelled, 0.0, place.inside, place.unfinished,
                worth=_WORTH_OF_SMALL if self.keeper.is_small else 0.0, column=place.column,
            )  # fmt: skip
            self._look_around(place, _ASKED_READ_S, cancelled, _ASKED_READ_S)  # somebody has asked for it, and waits
            candidate = self._candidate(place, model, cancelled)
            watch = self._watch(place)
            asked = replace(asking, watch=watch)
            several = suggest_several(place.cursor, self._session(place), asked, n, on_text)
            needy = self._with_imports(place, watch, replace(asking, certainty=imports.LEAST_ASKED))
            if needy is not None:
                several = placed(needy, several, needy.probability > imports.LEAST, n)
            several = [
                each for each in several if respects_word(text, offset, each.text) and not self._refuses(place, each)
            ]
            if not several and not cancelled():
                member = self._sole_member(place, asking)
                several = [] if member is None else [member]
            if self.keeper.is_small and not several and candidate is None and not cancelled():
                self.keeper.say_once(_NOTHING_LIKELY)
            if candidate is None or any(suggestion.text.startswith(candidate[1].text) for suggestion in several[:1]):
                return several
            fact = with_block(*candidate, asking)
            return several if isinstance(fact, Hidden) else placed(fact, several, fact.probability > 0.5, n)

        several = self._bounded(place, lambda: [] if self._hidden(place, cancelled) else self.keeper.ask(ask))
        return [suggestion for suggestion in several if not is_secret(place.cursor.left, suggestion.text)]

    def _watch(self, place: CursorContext) -> imports.Watch | None:
        """A watch that notes names that could be imported at a place; None where no text may come with an import."""
        from ....parser.language import importer_of

        importer = importer_of(place.language) if place.imports else None
        if importer is None or (session := self._session(place)).level != "names":
            return None
        others = {other.path: other.text for other in self.other_texts(place)}
        asked = ImportRequest(place.text, place.path, place.version, others, session.imports, place.reach)
        return imports.Watch(imports.Importable(importer, asked, place.offset), place.cursor.left)

    def _with_imports(self, place: CursorContext, watch: imports.Watch | None, asking: Asking) -> Suggestion | None:
        """A text that needs an import, which the model wanted, and is certain enough to be shown with it."""
        from ....parser import Cancelled

        if watch is None or not watch.wanted or asking.cancelled():
            return None
        session = self._session(place)

        def again(watch: imports.Watch) -> Suggestion | None:
            outcome = suggest(place.cursor, session, replace(asking, watch=watch))
            return outcome if isinstance(outcome, Suggestion) else None

        try:
            return imports.with_imports(watch, session, place.cursor, again, asking.cancelled)
        except Cancelled:
            return None

    def _bounded(self, place: CursorContext, work: Callable[[], Result]) -> Result:
        """Do a request's work; raises TooSlow where its document takes too long to read, and for a while after that."""
        from ....parser import OutOfTime, limited

        if self.keeper.patient:
            return work()
        if monotonic() < self._resting.get(place.document, 0.0):
            raise TooSlow
        with limited(_PARSING_S, self.awaited, _OWED_S) as effort:
            try:
                result = work()
            except OutOfTime:
                pass
            else:
                if not effort.is_spent:
                    return result
        self._resting[place.document] = monotonic() + _REST_S
        raise TooSlow

    def _candidate(
        self, place: CursorContext, model: Model, cancelled: Callable[[], bool]
    ) -> tuple[Editing, Suggestion] | None:
        """The text that facts of the code around suggest, if it fits, and its place."""
        from ....parser.language import traits
        from ..proposing.candidates import best
        from ..proposing.candidates.ranking import KINDS

        kinds = KINDS.get(traits(place.language).candidates)
        if kinds is None:
            return None
        others = [source.text for source in self.other_texts(place)]
        return best(place.cursor, others, kinds, lambda: self.editing(place, cancelled), model)

    def _refuses(self, place: CursorContext, suggestion: Suggestion) -> bool:
        return self._types.refuses(place, self._session(place), suggestion)

    def _sole_member(self, place: CursorContext, asking: Asking) -> Suggestion | None:
        """The only member that the type checker lists for the typed letters."""
        from ..proposing.candidates import sole_member

        names = self._types.names
        here = None if names is None else self.editing(place, asking.cancelled)
        member = sole_member(here, names) if names is not None and isinstance(here, Editing) else None
        if member is None or member.probability < asking.certainty or not isinstance(here, Editing):
            return None
        whole = with_block(here, member, asking)
        return whole if isinstance(whole, Suggestion) else None

    def first_that_fits(
        self, place: CursorContext, texts: Iterable[str], cancelled: Callable[[], bool] | None = None
    ) -> str | None:
        """Give the first of some texts with which the file is valid at a place; needs no model."""
        from ....parser import Cancelled, limited

        place = self._cells.joined(place)
        try:
            with limited(_PARSING_S):
                here = self.editing(place, cancelled) if is_judged(place.language) else None
                if isinstance(here, Editing):
                    return next((text for text in texts if text.strip() and here.fits(text)), None)
        except Cancelled:
            pass
        return None

    def read_ahead(self, place: CursorContext, cancelled: Callable[[], bool]) -> None:
        """Let a slow model read more of the code around a place, and write what a user may ask for there: it keeps both."""
        from ....model import ModelError
        from ....parser import Cancelled, limited

        model, place = self.keeper.chosen, self._shown(place)
        if model is None or not self.keeper.works_ahead or not is_judged(place.language):
            return
        options = self.options(place, model, asked=True)
        asking = Asking(model, options, cancelled, 0.0, place.inside, place.unfinished, column=place.column)
        with suppress(ModelError, Cancelled), limited(_WARM_PARSING_S):  # the next request says it
            work_ahead(place.cursor, self._session(place), asking)

    def warm(self, place: CursorContext, cancelled: Callable[[], bool]) -> None:
        """Read a document from both ends, so that the first suggestion in it need not."""
        from ....parser import Cancelled, limited

        place = self._cells.joined(place)
        if len(place.text) > _MAX_WARM_CHARS or not is_judged(place.language):
            return
        session = self._session(place)
        try:
            with limited(_WARM_PARSING_S):
                for offset in (len(place.text), 0, place.offset):
                    if not cancelled():
                        session.hole(place.text, offset, cancelled)
        except Cancelled:
            return
        if place.attributes is None:
            self.read_imports(place, cancelled)

    def foresee(self, place: CursorContext, cancelled: Callable[[], bool]) -> None:
        """Parse ahead for requests anywhere in a document, as far as the readings before an edit do not serve."""
        from ....parser import Cancelled, limited

        place = self._cells.joined(place)
        if len(place.text) > _MAX_WARM_CHARS or not is_judged(place.language):
            return
        with suppress(Cancelled), limited(_WARM_PARSING_S):
            self._session(place).foresee(place.text, cancelled)

    def read_imports(self, place: CursorContext, cancelled: Callable[[], bool]) -> None:
        """Read modules that a document imports, or that suggestions in it have asked about, while nobody waits."""
        place = self._cells.joined(place)
        imports = self._session(place).imports if is_judged(place.language) else None
        if imports is not None:
            imports.want(place.text)
            imports.read(_PAUSE_READ_S, cancelled)

    @property
    def types(self) -> str:
        """The name of the type checker that answered for the last suggestion, or why none did."""
        return self._types.said

    def unload(self) -> None:
        """Let go of the model's memory, and end the type checkers."""
        self._types.stop()
        self.keeper.unload()

    def _look_around(self, place: CursorContext, seconds: float, cancelled: Stop, waits_s: float = 0.0) -> None:
        """Ask a type checker, and meanwhile read, for so long, modules that the file imports or that earlier suggestions asked about;
        where nobody waits, modules are read when they are asked about. waits_s: for the checker."""
        if not is_judged(place.language):
            return
        session = self._session(place)
        others = self.other_texts(place) if place.others else ()
        waits_s = _PATIENT_S if self.keeper.patient else waits_s
        self._types.ask(place, session, place.settings or self.keeper.settings, others, cancelled)
        imports = session.imports
        if imports is not None and not imports.at_once:
            imports.want(place.text)
            imports.read(seconds)
        self._types.wait(waits_s)

    def other_texts(self, place: CursorContext) -> tuple[OtherFile, ...]:
        """Give the other open files of a place's language, the last edited first: none that is ignored or looks secret."""
        given: list[OtherFile] = []
        room = MAX_OTHERS_CHARS
        if (place.settings or self.keeper.settings).context_files:
            for source in place.others:
                if len(source.text) <= room and self._neighbours.may_be_shown(source.path):
                    room -= len(source.text)
                    given.append(replace(source, text=self._secrets.hidden(source.path, source.text)))
        return tuple(given)

    def _shown(self, place: CursorContext) -> CursorContext:
        """A place as the model sees it: with the cells above it, and without secrets."""
        place = self._cells.joined(place)
        return replace(place, text=self._secrets.hidden(place.document, place.text))

    def _hidden(self, place: CursorContext, cancelled: Callable[[], bool]) -> Hidden | None:
        """The reason for which nothing is suggested at a place, whatever the model writes; loads the model. Raises Unavailable."""
        self.keeper.ensure_loaded()
        if cancelled():
            return Hidden(Reason.CANCELLED)
        settings = place.settings or self.keeper.settings
        return why_silent(
            place, settings, lambda other: self.hole(other, cancelled), self.keeper.is_small, self.keeper.patient
        )

    def _shows(self, language_name: str) -> Shows:
        """The part of the model's texts in a language that is shown unasked."""
        from ....model.name_lm.words import LANGUAGES

        if not self.keeper.is_small:
            return "bodies"
        return "lines" if language_name in LANGUAGES else "copies"

    def options(self, place: CursorContext, model: Model, asked: bool = False) -> Options:
        """The options for completing a place, by its settings. asked: the user asks, and gets as much as is written in the time that they wait."""
        from ....model import Options, Snippet
        from ....parser.language import traits

        settings = place.settings or self.keeper.settings
        most_tokens, most_lines = (ASKED_TOKENS, ASKED_LINES) if asked else (MAX_TOKENS, MAX_LINES)
        options = Options(
            max_tokens=settings.max_tokens or most_tokens,
            max_lines=settings.max_lines or most_lines,
            fullest=asked,
            text_ms=ASKED_MS if asked else None,
            temperature=settings.temperature,
            written=place.written,
            path=place.path,
            language=place.language if has_grammar(place.language) else None,
            language_version=place.version,
            copying=settings.copying,
        )
        options = replace(options, **place.options)
        if not settings.context_files:
            return options
        others = self.other_texts(place)
        pieces = self._neighbours.pieces(place.path or place.document, place.text, place.offset, others, place.reach)
        declared = self._declared(place) if is_judged(place.language) else ()
        above = (Excerpt(place.path or "", place.prose),) if place.prose else ()
        shown, comment = (*declared, *pieces, *above), traits(place.language).line_comment
        snippets = tuple(Snippet(piece.path, without_secrets(piece.text), comment) for piece in shown)
        return replace(options, snippets=snippets)

    def _declared(self, place: CursorContext) -> Iterator[Excerpt]:
        """Declarations elsewhere that a place's document uses, those with names around the place first."""
        declared = self._session(place).declared
        return useful_declarations(declared, names_around(place.text, place.offset)) if declared else iter(())

    def hole(self, place: CursorContext, cancelled: Callable[[], bool] | None = None) -> Hole:
        """The hole at a place; raises Cancelled when nobody waits any more."""
        place = self._cells.joined(place)
        return self._session(place).hole(place.text, place.offset, cancelled)

    def editing(self, place: CursorContext, cancelled: Callable[[], bool] | None = None) -> Editing | Hidden:
        """The hole to fill at a place, for a user who asks, or why there is none."""
        place = self._cells.joined(place)
        session, stop = self._session(place), cancelled or (lambda: False)
        return editing(place.cursor, session, place.language, stop, place.unfinished, asked=True)

    def problems(self, place: CursorContext) -> Sequence[TextProblem]:
        """The problems of a place's document, in a language that no other tool checks."""
        return self._session(place).problems(place.text)

    def explainer(self, place: CursorContext) -> Explainer:
        """The explainer for the holes of a place's document."""
        return self._session(place).explainer()

    def forget(self, document: str) -> None:
        """Drop the memory of a document."""
        for key in [key for key in self._sessions if key[0] == document]:
            self._sessions.pop(key).forget()

    def _session(self, place: CursorContext) -> Session:
        key = (place.document, place.language, place.version)
        session = self._sessions.used(key)
        if session is None:
            from ....parser import language

            session = language(place.language, place.version).session(place.path, place.reach.root)
            self._sessions[key] = session
        session.doubts = not self.keeper.patient
        session.level = place.level or ("names" if (place.settings or self.keeper.settings).names else "compile")
        session.elsewhere = self._names_elsewhere(place) if session.level == "names" else None
        wanted = (place.settings or self.keeper.settings).attributes if place.attributes is None else place.attributes
        session.imports = self._imports(place) if wanted and session.level == "names" else None
        return session

    def _imports(self, place: CursorContext) -> Imports | None:
        """The imports that a place's file can have; the same object while it stays where it is."""
        from ....parser import imports_for

        key = place.language, place.version, place.path, place.reach
        if key not in self._importable:
            self._importable[key] = imports_for(
                place.language, place.version, place.path, at_once=self.keeper.patient, reach=place.reach
            )
        return self._importable[key]

    def _names_elsewhere(self, place: CursorContext) -> frozenset[str] | None:
        """The names that the other files of a place's package declare, as they are on disk or being edited; None: unknown."""
        from ....parser import names_elsewhere, names_elsewhere_at_last

        unsaved = {other.path: other.text for other in place.others}
        return (names_elsewhere_at_last if self.keeper.patient else names_elsewhere)(
            place.language, place.path, place.text, unsaved, place.reach
        )
