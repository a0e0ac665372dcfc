"""A type checker's answer about the place of a request, for the session that judges its texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...types.monitor import Monitor, said

if TYPE_CHECKING:
    from ....common.constraint import Stop
    from ....parser import Session
    from ...context.cross_file import OtherFile
    from ...settings.spec import Settings
    from ...types.questions import Question
    from .cursor_context import CursorContext


class Types:
    """The type checkers of one engine, and the last question."""

    def __init__(self) -> None:
        self.monitor = Monitor()
        self.question: Question | None = None

    @property
    def said(self) -> str:
        """See `said` in types/monitor.py."""
        return said(self.question)

    def ask(
        self, place: CursorContext, session: Session, settings: Settings, others: Sequence[OtherFile], stop: Stop
    ) -> None:
        """Ask which names may come at a place, and let the session have the answer once it is there."""
        from ....parser import Cancelled, language_for_path

        self.question = session.allowed = None
        judges = settings.attributes if place.attributes is None else place.attributes
        if not (settings.types and judges) or place.path is None or session.level != "names":
            return
        if language_for_path(place.path) != place.language:  # a part of another file
            return
        texts = {other.path: other.text for other in others}
        try:
            self.question = session.allowed = self.monitor.question(
                place.language, place.path, session, place.text, place.offset,
                reach=place.reach, program=settings.type_server, others=texts, stop=stop,
            )  # fmt: skip
        except Cancelled:
            pass  # the next question to the parser says it

    def wait(self, seconds: float) -> None:
        """Wait for the answer, at most so long."""
        if self.question is not None and seconds:
            self.question.done.wait(seconds)

    def stop(self) -> None:
        """End the children."""
        self.monitor.stop()
