"""What lives on the model's thread: the model, the grammars, and the parser's memory of each document."""

from __future__ import annotations

import gc
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .problems import Unavailable
from .settings import Settings
from .suggest import Suggestion, suggest

if TYPE_CHECKING:
    from ..model import Model
    from ..parser import Session

MAX_SESSIONS = 16  # a session is as large as the memo of its file; dropping one costs its next hole some milliseconds


@dataclass(frozen=True)
class Place:
    """A cursor in a document, as a value: the document may change while it is looked at."""

    document: str  # what tells the document from others
    language: str
    text: str
    offset: int
    version: str | None = None  # of the language; None is its default


class Engine:
    """Model and sessions of one server; used from one thread only."""

    def __init__(self, settings: Settings):
        self._settings = settings
        self._model: Model | None = None
        self._problem: Unavailable | None = None
        self._sessions: OrderedDict[tuple[str, str, str | None], Session] = OrderedDict()

    def load(self) -> None:
        """Load the model now, so that the first suggestion need not wait; raises Unavailable, each time after the first at once."""
        if self._problem is not None:
            raise self._problem
        if self._model is None:
            try:
                self._model = load_model(self._settings.model, self._settings.device, self._settings.offline)
            except Unavailable as problem:
                self._problem = problem
                raise

    @property
    def loaded(self) -> bool:
        """Whether there is a model in memory; may be asked from any thread."""
        return self._model is not None

    @property
    def model_name(self) -> str | None:
        """The name of the model in memory; may be asked from any thread."""
        model = self._model
        return None if model is None else model.name

    def unload(self) -> None:
        """Let go of the model's memory; the next suggestion loads it again."""
        self._model = self._problem = None
        gc.unfreeze()  # what was loaded is in circles, which only a collection finds
        freeze_garbage()

    def adopt(self, settings: Settings, model: Model | None = None) -> None:
        """Go on with other settings, and with a model that was loaded for them; without one the model stays."""
        self._settings = settings
        if model is not None:
            self.unload()
            self._model = model

    def prepare(self, language_name: str, version: str | None = None) -> None:
        """Load the tables of a language now."""
        from ..parser import language

        language(language_name, version).hole("", "")
        freeze_garbage()

    def suggest(
        self, place: Place, cancelled: Callable[[], bool], on_text: Callable[[str], None] | None = None
    ) -> Suggestion | None:
        """Suggest text for a place; `on_text` gets its pieces as they come. Raises Unavailable when there is no model."""
        from ..model import Options

        self.load()
        assert self._model is not None
        if cancelled():
            return None
        options = Options(max_tokens=self._settings.max_tokens, temperature=self._settings.temperature)
        return suggest(place.text, place.offset, self._session(place), self._model, options, cancelled, on_text)

    def forget(self, document: str) -> None:
        """Drop what is remembered of a document."""
        for key in [key for key in self._sessions if key[0] == document]:
            del self._sessions[key]

    def _session(self, place: Place) -> Session:
        key = (place.document, place.language, place.version)
        if key not in self._sessions:
            from ..parser import language

            self._sessions[key] = language(place.language, place.version).session()
            if len(self._sessions) > MAX_SESSIONS:
                self._sessions.popitem(last=False)
        self._sessions.move_to_end(key)
        return self._sessions[key]


def load_model(name: str | None, device: str, offline: bool = True) -> Model:
    """Load a model for a process that keeps it; raises Unavailable."""
    from ..model import ModelError, load

    try:
        model = load(name, device=device, offline=offline)
    except ModelError as error:
        raise Unavailable(str(error)) from None
    except Exception as error:  # torch and transformers raise whatever they like for a broken model
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise Unavailable(f"the model {name or 'of the package'} cannot be loaded: {reason}; try another") from error
    freeze_garbage()
    return model


def freeze_garbage() -> None:
    """Keep what is loaded for good out of full collections, which would stop every thread for a long time."""
    gc.collect()
    gc.freeze()
