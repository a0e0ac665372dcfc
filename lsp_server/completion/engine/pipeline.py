"""The work of the model's thread: one list of texts for a place, from facts of the code, the model and the type checker, judged once."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import chain
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from ....common.bounded import BoundedDict
from ....parser.importing import ImportRequest
from ...context.secret_strings import is_secret
from ...context.secrets import respects_word
from ...errors import TooSlow
from ...settings.spec import Settings
from ..judging import policy
from ..judging.hidden import Hidden, Reason
from ..proposing import imports
from ..proposing.decision import is_sure, outdoes
from ..proposing.editing import Editing
from ..proposing.shown import Suggestion, placed
from ..proposing.suggestion import Request, suggest, suggest_several, suggestions, with_blocks, work_ahead
from ..proposing.unconstrained import suggest_plain
from .bounds import Bounds
from .cursor_context import CursorContext
from .judged import is_judged
from .keeper import ModelKeeper
from .sessions import MAX_SESSIONS, PARSING_S, WARM_PARSING_S, Sessions
from .silence import why_silent
from .surroundings import Surroundings
from .typed import Types

if TYPE_CHECKING:
    from ....common.constraint import Stop
    from ....model import Model

Result = TypeVar("Result")

_READ_S = 0.03
"""Seconds of reading modules before a suggestion."""
_PATIENT_S = 20.0
"""Seconds that a non-interactive caller waits for a type checker."""
_ASKED_READ_S = 0.3
"""The same if the user has asked for a suggestion."""
_NOTHING_LIKELY = "the embedded model is not certain of its text here; `suture models` names a larger one"
_NOTHING_SURE = (Reason.UNCERTAIN, Reason.NO_TEXT, Reason.WRONG_TYPE)
"""Reasons to hide the model's text though another one may be shown."""
_OWED_S = 0.5
"""Seconds of a request's time left to another document, if one waits."""
_REST_S = 5.0
"""Seconds before a document that took longer is read again: other documents must not wait for it at each key."""


class CompletionEngine:
    """Model and sessions of one server; used from one thread only."""

    def __init__(self, settings: Settings, template: str | None = None, *, patient: bool = False):
        """See ModelKeeper."""
        self.keeper = ModelKeeper(settings, template, patient=patient)
        self.sessions = Sessions(self.keeper)
        self.surroundings = Surroundings(self.sessions)
        self.types = Types()
        self.awaited: Callable[[], bool] | None = None  # whether another document waits for the thread; called often
        self._resting: BoundedDict[str, float] = BoundedDict(MAX_SESSIONS)  # documents that took too long, until when

    def least_certainty(self, place: CursorContext) -> float:
        """The least probability for showing a suggestion unasked; callable from any thread."""
        chosen, model = (place.settings or self.keeper.settings).certainty, self.keeper.chosen
        judged = None if chosen is not None or model is None else model.certainty.threshold > 0
        return policy.least_probability(chosen, judged, place.refused)

    def suggest(
        self, place: CursorContext, cancelled: Stop, on_text: Callable[[str], None] | None = None
    ) -> Suggestion | Hidden:
        """Suggest a text for a place, if it is certain enough, or return why not; `on_text` gets its pieces as they come. Raises Unavailable
        if there is no model."""
        place = self.surroundings.shown(place)

        def ask(model: Model) -> Suggestion | Hidden:
            request = self._request(place, model, cancelled, on_text)
            self._look_around(place, _READ_S, cancelled)
            if not is_judged(place.language):
                return suggest_plain(place.cursor, model, request.options, cancelled, on_text)
            here = cache(lambda: self.sessions.editing(place, cancelled))
            fact = self._fact(place, here, model)
            if fact is not None and is_sure(fact[1], request.limits):
                sure = with_blocks(*fact, request)
                if on_text is not None and isinstance(sure, Suggestion):
                    on_text(sure.text)
                return sure
            outcome = self._written(place, request)
            if isinstance(outcome, Hidden) and outcome.reason in _NOTHING_SURE and not cancelled():
                outcome = self._sole_member(here, request) or outcome
            if fact is None or cancelled() or not outdoes(fact[1], outcome, request.limits):
                return outcome
            return with_blocks(*fact, request)

        outcome = self._bounded(place, lambda: self._hidden(place, cancelled) or self.keeper.ask(ask))
        secret = isinstance(outcome, Suggestion) and is_secret(place.cursor.left, outcome.text)
        return Hidden(Reason.SHOWS_SECRET) if secret else outcome

    def alternatives(
        self, place: CursorContext, n: int, cancelled: Stop, on_text: Callable[[str], None] | None = None
    ) -> list[Suggestion]:
        """Suggest up to n different texts for a place, best first; `on_text` gets the pieces of the model's first one.

        Raises Unavailable if there is no model.
        """
        place = self.surroundings.shown(place)
        if not is_judged(place.language):
            outcome = self.suggest(place, cancelled, on_text)
            return [outcome] if isinstance(outcome, Suggestion) else []

        def ask(model: Model) -> list[Suggestion]:
            request = self._request(place, model, cancelled, on_text, asked=True)
            self._look_around(place, _ASKED_READ_S, cancelled, _ASKED_READ_S)  # the user has asked, and waits
            here = cache(lambda: self.sessions.editing(place, cancelled))
            fact = self._fact(place, here, model)
            watch, session = self._watch(place), self.sessions.of(place)
            several = suggest_several(place.cursor, session, replace(request, watch=watch), n)
            needy = self._with_imports(place, watch, request, asked=True)
            if needy is not None:
                several = placed(needy, several, needy.probability > policy.WITH_IMPORT, n)
            several = [each for each in several if self._fault(place, each) is None]
            if not several and not cancelled():
                member = self._sole_member(here, request)
                several = [] if member is None else [member]
            likely = any(each.probability >= policy.LIKELY_OF_SMALL for each in several)
            if self.keeper.is_small and not likely and fact is None and not cancelled():
                self.keeper.say_once(_NOTHING_LIKELY)
            if fact is None or any(suggestion.text.startswith(fact[1].text) for suggestion in several[:1]):
                return several
            fitting = with_blocks(*fact, request)
            return (
                several
                if isinstance(fitting, Hidden)
                else placed(fitting, several, fitting.probability > policy.CANDIDATE_FIRST, n)
            )

        several = self._bounded(place, lambda: [] if self._hidden(place, cancelled) else self.keeper.ask(ask))
        return [suggestion for suggestion in several if not is_secret(place.cursor.left, suggestion.text)]

    def bounded(self, place: CursorContext, bounds: Bounds, cancelled: Stop) -> list[Suggestion] | Hidden:
        """The texts for a client's request with bounds, best first, or the reason if there are none; raises Unavailable."""
        settings = place.settings or self.keeper.settings
        place = replace(place, options={**place.options, **bounds.options(settings.max_tokens)})
        several = self.alternatives(place, bounds.texts, cancelled)
        if not several:
            return self._bounded(place, lambda: self._hidden(place, cancelled)) or Hidden(Reason.NO_TEXT)

        def ask(model: Model) -> list[Suggestion]:
            vocabulary, kept = model.vocabulary, dict[str, Suggestion]()
            for each in several:
                pieces = [vocabulary.decode((token,)) for token in vocabulary.pieces(each.text)]
                first, *shorter = bounds.beginnings(each.text, pieces)
                text = first if first == each.text else self._fitting(place, [first, *shorter], cancelled)
                if text:
                    kept.setdefault(text, bounds.cut(each, text, len(vocabulary.pieces(text))))
            return list(kept.values())

        return self.keeper.ask(ask) or Hidden(Reason.OUT_OF_BOUNDS)

    def _fitting(self, place: CursorContext, texts: list[str], cancelled: Stop) -> str | None:
        """The first of some texts that keeps the file valid, as far as it is judged."""
        return self.sessions.first_that_fits(place, texts, cancelled) if is_judged(place.language) else texts[0]

    def _request(
        self,
        place: CursorContext,
        model: Model,
        cancelled: Stop,
        on_text: Callable[[str], None] | None = None,
        asked: bool = False,
    ) -> Request:
        """The request to a model for texts at a place. asked: whether the user asks."""
        from ....model.name_lm.words import LANGUAGES

        small = self.keeper.is_small
        if asked:
            limits = policy.Limits(worth=policy.LIKELY_OF_SMALL if small else 0.0, inside=place.inside)
        else:
            shows = "bodies" if not small else "lines" if place.language in LANGUAGES else "copies"
            sure = policy.SURE_WORD_OF_SMALL if small else policy.SURE_WORD
            limits = policy.Limits(self.least_certainty(place), shows=shows, sure_word=sure, inside=place.inside)
        options = self.surroundings.options(place, asked)
        return Request(model, options, limits, cancelled, place.unfinished, column=place.column, on_text=on_text)

    def _written(self, place: CursorContext, request: Request) -> Suggestion | Hidden:
        """The first of the model's texts without a fault, or the reason if there is none."""
        watch = self._watch(place)
        made = suggestions(place.cursor, self.sessions.of(place), replace(request, watch=watch))
        first = next(made)
        needy = self._with_imports(place, watch, request)
        faulty: Hidden | None = None
        for outcome in chain(() if needy is None else (needy,), (first,), made):
            if isinstance(outcome, Hidden):
                return faulty or outcome
            fault = self._fault(place, outcome)
            if fault is None or fault is Reason.RUNS_ON:
                return outcome if fault is None else Hidden(fault, outcome.text)
            faulty = faulty or Hidden(fault, outcome.text)
            if request.cancelled():
                break
        return faulty or Hidden(Reason.CANCELLED)

    def _watch(self, place: CursorContext) -> imports.Watch | None:
        """A watch for importable names at a place; None if no text may bring an import."""
        from ....parser.language import importer_of

        importer = importer_of(place.language) if place.imports else None
        if importer is None or (session := self.sessions.of(place)).level != "names":
            return None
        others = {other.path: other.text for other in self.surroundings.other_texts(place)}
        asked = ImportRequest(place.text, place.path, place.version, others, session.imports, place.reach)
        return imports.Watch(imports.Importable(importer, asked, place.offset), place.cursor.left)

    def _with_imports(
        self, place: CursorContext, watch: imports.Watch | None, request: Request, asked: bool = False
    ) -> Suggestion | None:
        """A text with an import that the model wanted, if certain enough to be shown with it."""
        from ....parser import Cancelled

        if watch is None or not watch.wanted or request.cancelled():
            return None
        session, limits = self.sessions.of(place), policy.with_import(request.limits, asked)

        def again(watch: imports.Watch) -> Suggestion | None:
            outcome = suggest(place.cursor, session, replace(request, limits=limits, watch=watch, on_text=None))
            return outcome if isinstance(outcome, Suggestion) else None

        try:
            return imports.with_imports(watch, session, place.cursor, again, request.cancelled)
        except Cancelled:
            return None

    def _bounded(self, place: CursorContext, work: Callable[[], Result]) -> Result:
        """Do a request's work; raises TooSlow if its document takes too long to read, and for a while after that."""
        from ....parser import OutOfTime, limited

        if self.keeper.patient:
            return work()
        if monotonic() < self._resting.get(place.document, 0.0):
            raise TooSlow
        with limited(PARSING_S, self.awaited, _OWED_S) as effort:
            try:
                result = work()
            except OutOfTime:
                pass
            else:
                if not effort.is_spent:
                    return result
        self._resting[place.document] = monotonic() + _REST_S
        raise TooSlow

    def _fact(
        self, place: CursorContext, here: Callable[[], Editing | Hidden], model: Model
    ) -> tuple[Editing, Suggestion] | None:
        """The text suggested by facts of the code around, if it fits, and its place."""
        from ....parser.language import traits
        from ..proposing.candidates import best
        from ..proposing.candidates.ranking import KINDS

        kinds = KINDS.get(traits(place.language).candidates)
        if kinds is None:
            return None
        others = [source.text for source in self.surroundings.other_texts(place)]
        return best(place.cursor, others, kinds, here, model)

    def _fault(self, place: CursorContext, suggestion: Suggestion) -> Reason | None:
        """The reason to hide a text that keeps the file valid."""
        if not respects_word(place.text, place.offset, suggestion.text):
            return Reason.RUNS_ON
        return Reason.WRONG_TYPE if self.types.refuses(place, self.sessions.of(place), suggestion) else None

    def _sole_member(self, here: Callable[[], Editing | Hidden], request: Request) -> Suggestion | None:
        """The only member listed by the type checker for the typed letters."""
        from ..proposing.candidates import sole_member

        names = self.types.names
        place = None if names is None else here()
        if names is None or not isinstance(place, Editing):
            return None
        member = sole_member(place, names)
        whole = (
            None
            if member is None or member.probability < request.limits.certainty
            else with_blocks(place, member, request)
        )
        return whole if isinstance(whole, Suggestion) else None

    def read_ahead(self, place: CursorContext, cancelled: Stop) -> None:
        """Let a slow model read more of the code around a place, and write the text for a possible request by the user; both are kept."""
        from ....model import ModelError
        from ....parser import Cancelled, limited

        model, place = self.keeper.chosen, self.surroundings.shown(place)
        if model is None or not self.keeper.works_ahead or not is_judged(place.language):
            return
        request = self._request(place, model, cancelled, asked=True)
        with suppress(ModelError, Cancelled), limited(WARM_PARSING_S):  # the next request reports it
            work_ahead(place.cursor, self.sessions.of(place), request)

    def unload(self) -> None:
        """Free the model's memory, and end the type checkers."""
        self.types.stop()
        self.keeper.unload()

    def _look_around(self, place: CursorContext, seconds: float, cancelled: Stop, waits_s: float = 0.0) -> None:
        """Ask a type checker; meanwhile, for so many seconds, read modules imported by the file or wanted by earlier suggestions. If nobody
        waits, modules are read on demand. waits_s: for the checker."""
        if not is_judged(place.language):
            return
        session = self.sessions.of(place)
        others = self.surroundings.other_texts(place) if place.others else ()
        waits_s = _PATIENT_S if self.keeper.patient else waits_s
        patience_s = _PATIENT_S if self.keeper.patient else 0.0
        self.types.ask(place, session, place.settings or self.keeper.settings, others, cancelled, patience_s)
        imports = session.imports
        if imports is not None and not imports.at_once:
            imports.want(place.text)
            imports.read(seconds)
        self.types.wait(waits_s)

    def _hidden(self, place: CursorContext, cancelled: Stop) -> Hidden | None:
        """The reason to suggest nothing at a place, whatever the model would write; loads the model. Raises Unavailable."""
        self.keeper.ensure_loaded()
        if cancelled():
            return Hidden(Reason.CANCELLED)
        keeper, settings = self.keeper, place.settings or self.keeper.settings
        return why_silent(
            place, settings, lambda other: self.sessions.hole(other, cancelled), keeper.is_small, keeper.patient
        )
