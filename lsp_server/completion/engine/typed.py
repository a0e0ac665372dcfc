"""A type checker's answer about a request's place, for the session that judges its texts."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any

from ...types.monitor import Monitor, said
from ..proposing.decision import is_whole

_FILTER_S = 0.02
"""Seconds that a text about to be shown waits to be judged."""

if TYPE_CHECKING:
    from ....common.constraint import Stop
    from ....parser import Session
    from ...context.cross_file import OtherFile
    from ...settings.spec import Settings
    from ...types.questions import Question
    from ..proposing.shown import Suggestion
    from .cursor_context import CursorContext


class Types:
    """The type checkers of one engine, and the last question."""

    def __init__(self) -> None:
        self.monitor = Monitor()
        self.question: Question | None = None
        self._before: Question | None = None  # for the errors without any text
        self._asked: dict[str, Any] | None = None  # the further arguments of that question

    @property
    def said(self) -> str:
        """See `said` in types/monitor.py."""
        return said(self.question)

    def ask(
        self, place: CursorContext, session: Session, settings: Settings, others: Sequence[OtherFile], stop: Stop,
        patience_s: float = 0.0,
    ) -> None:  # fmt: skip
        """Ask for the names possible at a place, and give the session the answer once it is there; where no names known to a checker are
        possible, ask for the present errors. patience_s: for the answer about a name."""
        from ....parser import Cancelled, language_for_path

        self.question = self._before = session.allowed = self._asked = None
        judges = settings.attributes if place.attributes is None else place.attributes
        if not (settings.types and judges) or place.path is None or session.level != "names":
            return
        if language_for_path(place.path) != place.language:  # a part of another file
            return
        texts = {other.path: other.text for other in others}
        self._asked = {"reach": place.reach, "program": settings.type_server, "others": texts, "stop": stop}
        where = place.language, place.path, session
        try:
            self.question = session.allowed = self.monitor.question(
                *where, place.text, place.offset, patience_s=patience_s, **self._asked
            )
            self._before = self.question or self.monitor.errors(*where, place.text, place.offset, **self._asked)
        except Cancelled:
            pass  # the parser's next question reports it

    def refuses(self, place: CursorContext, session: Session, suggestion: Suggestion) -> bool:
        """Whether a suggestion begins with a name wrong by the checker, or ends a statement and brings an error into its line.

        Beginnings are not checked: of 30 right ones 3 had an error that the following text mends.
        """
        if self._has_wrong_name(place, session, suggestion.text):
            return True
        ends = suggestion.valid and not (suggestion.pending or suggestion.behind or place.cursor.rest.strip())
        whole = (
            ends and is_whole(suggestion.completion) and suggestion.text.rstrip() == suggestion.completion.text.rstrip()
        )
        return whole and bool(self.error_with(place, session, suggestion.text))

    def _has_wrong_name(self, place: CursorContext, session: Session, text: str) -> bool:
        """Whether the answer about a text's first name, too late for the writing, refuses the text."""
        question = self.question
        if question is None or question.server.lists_all:
            return False
        begun = place.cursor.before[len(question.line) :]
        name = question.server.name.match(f"{begun}{text}")
        if name is None or not question.is_refused_in(name[0], _FILTER_S):
            return False
        state = session.hole(place.text, place.offset).state
        after = None if state is None else state.advance(text)
        return after is None or after.advance(" ") is None

    def error_with(self, place: CursorContext, session: Session, text: str) -> str:
        """The new error in the last line of a text written at the last question's place; "" if there is none, or no time to find it."""
        from ....parser import Cancelled

        if self._before is None or self._before.answer is None or self._asked is None or place.path is None:
            return ""
        begun_s = monotonic()
        whole, offset = place.text[: place.offset] + text + place.text[place.offset :], place.offset + len(text)
        try:
            after = self.monitor.errors(place.language, place.path, session, whole, offset, **self._asked)
        except Cancelled:
            return ""
        if after is None:
            return ""
        after.done.wait(max(0.0, _FILTER_S - (monotonic() - begun_s)))
        state = session.hole(place.text, place.offset).state
        error = None if state is None else after.brings(self._before, state.facts.is_closed)
        return "" if error is None else error.message

    @property
    def names(self) -> frozenset[str] | None:
        """The members possible at the last place, as far as known."""
        question = self.question
        return None if question is None or question.argument else question.names()

    def wait(self, seconds: float) -> None:
        """Wait for the answer, at most so many seconds."""
        if self._before is not None and seconds:
            self._before.done.wait(seconds)

    def stop(self) -> None:
        """End the children."""
        self.monitor.stop()
