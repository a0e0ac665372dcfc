"""The objects that outlive a client: the model's thread, and the engine on it."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..completion.engine.keeper import GRACE_S
from ..completion.engine.pipeline import CompletionEngine
from ..settings.spec import GrammarSetting, Settings
from .worker import Worker

MODEL_SETTINGS = (
    *("model", "device", "offline", "dtype", "threads", "context_tokens"),
    *("tokenizer", "model_key_env", "model_ca", "model_plain_http"),
)


def model_choice(settings: Settings) -> tuple[object, ...]:
    """The settings for the choice of the model and its loading."""
    return tuple(getattr(settings, name) for name in MODEL_SETTINGS)


@dataclass
class Backend:
    """One thread for the model, one to load another model meanwhile, and the loaded model."""

    worker: Worker = field(default_factory=Worker)
    loader: Worker = field(default_factory=lambda: Worker("suture-loader"))
    settings: Settings = field(default_factory=Settings)  # the engine's
    engine: CompletionEngine = field(init=False)
    grammars: tuple[GrammarSetting, ...] = ()  # the user's own, known to the parser
    compiling: tuple[GrammarSetting, ...] = ()  # those still being compiled for it
    grace_s: float = GRACE_S  # the longest wait of a request for the user's model

    def __post_init__(self) -> None:
        self.engine = CompletionEngine(self.settings)
        self.engine.awaited = self.worker.is_awaited

    def begin(self, settings: Settings) -> None:
        """Prepare for a client with these settings; a fitting model stays."""
        if model_choice(settings) != model_choice(self.settings):
            self.new_engine(settings)
        elif settings != self.settings:
            self.settings = settings
            self.engine.keeper.settings = settings

    def new_engine(self, settings: Settings) -> None:
        """Start with an empty engine; work in progress keeps the old one until it is done."""
        engine = CompletionEngine(settings)
        engine.keeper.grace_s = self.grace_s
        self.take(settings, engine)

    def take(self, settings: Settings, engine: CompletionEngine) -> None:
        """Switch to an engine for these settings, and free the old one's memory."""
        old = self.engine
        self.settings, self.engine = settings, engine
        engine.awaited = self.worker.is_awaited
        self.worker.submit(("unload", old), lambda cancelled: old.unload())  # its own key: each has to be unloaded

    def stop(self) -> None:
        """Cancel everything, without waiting."""
        self.worker.stop()
        self.loader.stop()
