"""An engine directed by a document's text, so that tests of the server need not race with a model.

It replaces the real one, in a process of its own or in this one; `announce` gets a word for each event.
"""

import os
import re
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from suture.lsp_server.completion.engine.keeper import ModelKeeper
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.completion.engine.sessions import Sessions
from suture.lsp_server.completion.judging.hidden import Hidden, Reason
from suture.lsp_server.completion.proposing.shown import Suggestion
from suture.lsp_server.errors import Unavailable
from suture.lsp_server.settings.spec import Settings
from suture.model import Completion


def to_standard_error(word: str) -> None:
    """Write it where the test reads."""
    print(word, file=sys.stderr, flush=True)


announce: Callable[[str], None] = to_standard_error
header_may_end = threading.Event()
"""Lets the generation of a header's rest end."""
may_come_back = threading.Event()
"""Lets hung work, and the load of a slow model, go on."""
_HANGS_S = 600.0  # longer than any test waits


def said(text: str) -> Suggestion:
    """A suggestion."""
    return Suggestion(text, Completion(text, 2, "model", True, 1.0, 0.5, 2.0), True, 0.25)


class StagedKeeper(ModelKeeper):
    """Keeps a mere name as its model."""

    works_ahead = False  # type: ignore[assignment]

    def load(self) -> None:
        if self.loaded:
            return
        print("a library prints")
        model = self.settings.model or "staged"
        if model == "slow":
            may_come_back.wait(_HANGS_S)
        if model == "missing":
            raise Unavailable("there is no model; make one")
        self._model = SimpleNamespace(name=model, served=None)  # type: ignore[assignment]

    def load_or_stand_in(self) -> None:
        self.load()

    def unload(self) -> None:
        self._model = None
        announce("unloaded")


class StagedSessions(Sessions):
    """Sessions that read nothing."""

    def prepare(self, language_name: str, version: str | None = None) -> None:
        pass

    def forget(self, document: str) -> None:
        pass

    def warm(self, place: Any, cancelled: Any) -> None:
        pass

    def read_imports(self, place: Any, cancelled: Any) -> None:
        pass

    def foresee(self, place: Any, cancelled: Any) -> None:
        pass

    def first_that_fits(self, place: Any, texts: Any, cancelled: Any) -> None:
        return None


class StagedEngine(CompletionEngine):
    """An engine with a mere name as its model."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.keeper = StagedKeeper(settings)
        self.sessions = StagedSessions(self.keeper)

    def alternatives(self, place: Any, n: int, cancelled: Any, on_text: Any = None) -> list[Suggestion]:
        self.keeper.load()
        return [said(f"good {number}") for number in range(n)]

    def suggest(self, place: Any, cancelled: Any, on_text: Any = None) -> Suggestion | Hidden:
        self.keeper.load()
        announce("started")
        if place.text == "hang":
            may_come_back.wait(_HANGS_S)
        if "hold" in place.text:  # the interpreter's lock, in one call into C
            re.match(r"(a|a)*b", "a" * 60)
        if place.text == "die":
            os.abort()
        if place.text == "fail":
            raise ValueError("SECRET in " + place.text)
        if place.text == "unavailable":
            raise Unavailable("there is no model; make one")
        if "uncertain" in place.text:
            return Hidden(Reason.UNCERTAIN, "return a + b" if "body" in place.text else "return")
        if "stand in" in place.text:
            return replace(said("good"), stand_in="embedded")
        if "above" in place.text:
            return said("".join(place.above).replace("\n", ";"))
        if "version" in place.text:
            return said(f"{place.version}")
        if on_text and "pieces" in place.text:
            for piece in ("go", "od\n", "but"):
                on_text(piece)
        if place.text.startswith("def area("):
            on_text("self")
            while not header_may_end.wait(0.001) and not cancelled():
                pass
            return said("self):\n    return 1")
        while place.text == "generate" and not cancelled():
            time.sleep(0.001)
        announce("stopped")
        return said("good")
