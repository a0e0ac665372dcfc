"""The one place to answer requests for suggestions, whatever their message. Knows no LSP."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ...errors import TooSlow, Unavailable
from ...runtime.worker import Hung
from ...session.trace import Trace, details, line
from ..engine.bounds import Bounds
from ..engine.cursor_context import CursorContext
from ..judging.hidden import Hidden, Reason
from ..proposing.shown import Suggestion
from ..proposing.suggestion import ALTERNATIVES

if TYPE_CHECKING:
    from ...protocol.client import Client
    from ...session.documents import Documents
    from ...session.status import StatusReporter
    from ...telemetry.counting import Counting
    from ...telemetry.feedback import Feedback, ShownSuggestion
    from .scheduler import CompletionScheduler

logger = logging.getLogger("suture.answering")

BUSY_S = 0.03  # a sooner answer, such as a cached one, is no news for a status bar


@dataclass(frozen=True)
class CompletionRequest:
    """A request for suggestions, as a value."""

    place: CursorContext
    version: int | None = None  # of the document, at the time of the request
    invoked: bool = False  # the user asked, and wants alternatives; otherwise the editor did, at a keystroke
    # Gets the text so far at each new piece; None: nobody reads along.
    on_text: Callable[[str], None] | None = None
    asked_s: float = field(default_factory=time.perf_counter)
    bounds: Bounds | None = None  # of the texts for a client that asks once; None: an editor


class CompletionService:
    """Answers the requests of one session."""

    def __init__(
        self,
        scheduler: CompletionScheduler,
        documents: Documents,
        status: StatusReporter,
        counting: Counting,
        feedback: Feedback,
        client: Client,
    ) -> None:
        self._scheduler, self._documents = scheduler, documents
        self._status, self._counting, self._feedback, self._client = status, counting, feedback, client
        self.asked_s = time.monotonic()  # the time of the last request
        self.suggested = 0  # suggestions made by the model here

    @property
    def snoozed(self) -> bool:
        """Whether the user wants no suggestions for now."""
        return self._status.snoozed

    def may_stream(self, asked: CompletionRequest) -> bool:
        """Whether an answer may be shown in pieces.

        The certainty of a text shows only at its end: pieces of a text hidden later would come and go on the screen.
        """
        return asked.invoked or self._scheduler.engine.least_certainty(asked.place) <= 0

    def offer(self, place: CursorContext, suggestion: Suggestion, kept: str = "") -> ShownSuggestion:
        """Note a suggestion sent to the client; `kept`: the text of the client's item before it."""
        return self._feedback.offer(place, suggestion, kept)

    async def answer(self, asked: CompletionRequest) -> list[Suggestion]:
        """Return the suggestions for a place, best first; none if there is nothing to show or nobody waits any more."""
        return (await self.explained(asked))[0]

    async def explained(self, asked: CompletionRequest) -> tuple[list[Suggestion], str]:
        """Return the suggestions for a place, best first, and the reason if there are none."""
        trace = Trace("invoked" if asked.invoked else "automatic", asked.place.language)
        self.asked_s = time.monotonic()
        suggestions: list[Suggestion] = []
        try:
            suggestions = await self._suggestions(asked, trace)
        except asyncio.CancelledError:
            trace.outcome = "cancelled"
            raise
        finally:
            if self._client.traces:
                total_ms = (time.perf_counter() - asked.asked_s) * 1e3
                self._client.trace(line(trace, suggestions, total_ms), details(trace, suggestions))
        return suggestions, "" if suggestions else trace.reason or trace.outcome

    async def _suggestions(self, asked: CompletionRequest, trace: Trace) -> list[Suggestion]:
        """Ask the model, and keep the client informed."""
        status = self._status
        soon = asyncio.get_running_loop().call_later(BUSY_S, status.publish)
        try:
            with status.generating():
                return await self._ask(asked, trace)
        except Unavailable as problem:
            trace.outcome = "no model"
            status.report_unavailable(problem)
        except Hung:
            trace.outcome = "the model did not answer"
        except TooSlow:
            trace.outcome = "the document takes too long to read"
        except Exception as error:
            logger.exception("a suggestion failed")
            trace.outcome = f"failed: {type(error).__name__}"
            status.set_problem(
                f"the last suggestion failed ({type(error).__name__})", "the server's log says where; please report it"
            )
        finally:
            soon.cancel()
            status.publish()
        return []

    async def _ask(self, asked: CompletionRequest, trace: Trace) -> list[Suggestion]:
        """Ask the scheduler; it asks the model if needed."""
        others = self._scheduler.others(self._documents, asked.place.document)
        place = replace(asked.place, others=others)
        on_piece = None if asked.on_text is None else _reader(asked.on_text, place)
        trace.context_ms = (time.perf_counter() - asked.asked_s) * 1e3
        if asked.bounds is not None:
            answer = await self._scheduler.bounded(place, asked.bounds)
        else:
            answer = await self._scheduler.ask(
                place, invoked=asked.invoked, alternatives=ALTERNATIVES, on_piece=on_piece
            )
        self._status.set_problem()
        trace.queue_ms, trace.waited_ms, trace.source = answer.queue_ms, answer.waited_ms, answer.source
        if answer.hidden is not None:
            trace.reason = answer.hidden.reason.value
        self._status.inputs.more = answer.hidden is not None and _is_worth_asking(answer.hidden)
        suggestions = list(answer.suggestions)
        self._status.inputs.wrote = suggestions[0].stand_in if suggestions else ""
        self.suggested += bool(suggestions) and answer.source == "model"
        self._counting.usage.on = place.settings is None or place.settings.statistics
        self._counting.answered(place, suggestions, answer.source, (time.perf_counter() - asked.asked_s) * 1e3)
        return suggestions


def _is_worth_asking(hidden: Hidden) -> bool:
    """Whether there is a text of several words that only lacks the certainty to be shown unasked."""
    return hidden.reason is Reason.UNCERTAIN and len(hidden.text.split()) > 1


def _reader(on_text: Callable[[str], None], place: CursorContext) -> Callable[[str], None]:
    """A callback that passes pieces from the model's thread to the message loop, as the text so far."""
    loop, newline = asyncio.get_running_loop(), place.cursor.newline
    pieces: list[str] = []

    def read(piece: str) -> None:
        pieces.append(piece)
        text = "".join(pieces).replace("\n", newline)
        try:
            loop.call_soon_threadsafe(on_text, text)
        except RuntimeError:  # the session has ended
            pass

    return read
