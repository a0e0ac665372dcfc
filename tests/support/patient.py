"""An engine that always tries a second text, even on a slow or busy machine."""

from dataclasses import replace

from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.completion.engine.surroundings import Surroundings
from suture.lsp_server.settings.spec import Settings
from suture.model import Options


class _Unhurried(Surroundings):
    def options(self, place: CursorContext, asked: bool = False) -> Options:
        return replace(super().options(place, asked), looks_ms=60_000)


class PatientEngine(CompletionEngine):
    """See above."""

    def __init__(self, settings: Settings, *, patient: bool = False) -> None:
        super().__init__(settings, patient=patient)
        self.surroundings = _Unhurried(self.sessions)
