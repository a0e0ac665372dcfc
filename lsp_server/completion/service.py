"""The one place where a request for suggestions is answered, whatever message it came in. Knows no LSP."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..errors import Unavailable
from ..runtime.worker import Hung
from ..session.trace import Trace, details, line
from .pipeline import CursorContext
from .suggestion import ALTERNATIVES, Suggestion, newline_of

if TYPE_CHECKING:
    from ..session.session import SutureServer

logger = logging.getLogger("suture.answering")

BUSY_S = 0.03  # an answer that comes sooner, such as one from memory, is no news for a status bar


@dataclass(frozen=True)
class CompletionRequest:
    """A request for suggestions, as a value."""

    place: CursorContext
    version: int | None = None  # of the document, when it was asked
    invoked: bool = False  # the user asked, and wants alternatives; otherwise the editor did, at a keystroke
    # Gets the text so far, whenever there is more of it; None: nobody reads along.
    on_text: Callable[[str], None] | None = None
    asked_s: float = field(default_factory=time.perf_counter)


async def answer(server: SutureServer, asked: CompletionRequest) -> list[Suggestion]:
    """Give the suggestions for a place, best first; none where there is nothing to show or nobody waits any more."""
    trace = Trace("invoked" if asked.invoked else "automatic", asked.place.language)
    server.asked_s = time.monotonic()
    suggestions: list[Suggestion] = []
    try:
        suggestions = await suggestions_for(server, asked, trace)
    except asyncio.CancelledError:
        trace.outcome = "cancelled"
        raise
    finally:
        if server.traces:
            total_ms = (time.perf_counter() - asked.asked_s) * 1e3
            server.tell_trace(line(trace, suggestions, total_ms), details(trace, suggestions))
    return suggestions


async def suggestions_for(server: SutureServer, asked: CompletionRequest, trace: Trace) -> list[Suggestion]:
    """Ask the model, and keep the client informed."""
    server.facts.started = True
    server.facts.generating += 1
    soon = asyncio.get_running_loop().call_later(BUSY_S, server.publish_status)
    try:
        return await ask_model(server, asked, trace)
    except Unavailable as problem:
        trace.outcome = "no model"
        server.report_unavailable(problem)
    except Hung:
        trace.outcome = "the model did not answer"
    except Exception as error:
        logger.exception("a suggestion failed")
        trace.outcome = f"failed: {type(error).__name__}"
        server.facts.problem = f"the last suggestion failed ({type(error).__name__})"
        server.facts.what_to_do = "the server's log says where; please report it"
    finally:
        server.facts.generating -= 1
        soon.cancel()
        server.publish_status()
    return []


async def ask_model(server: SutureServer, asked: CompletionRequest, trace: Trace) -> list[Suggestion]:
    """Ask the suggester, which asks the model where it must."""
    others = server.suggester.others(server.documents, asked.place.document)
    place = replace(asked.place, others=others)
    on_piece = None if asked.on_text is None else _reader(asked.on_text, place)
    trace.context_ms = (time.perf_counter() - asked.asked_s) * 1e3
    answer = await server.suggester.ask(place, invoked=asked.invoked, alternatives=ALTERNATIVES, on_piece=on_piece)
    server.facts.problem = server.facts.what_to_do = ""
    trace.queue_ms, trace.waited_ms, trace.source, trace.outcome = (
        answer.queue_ms,
        answer.waited_ms,
        answer.source,
        answer.outcome,
    )
    found = list(answer.suggestions)
    server.counting.usage.on = server.settings.statistics
    server.counting.answered(place, found, answer.source, (time.perf_counter() - asked.asked_s) * 1e3)
    return found


def edited(server: SutureServer, uri: str) -> None:
    """A document has changed: a suggestion in the making may be for the text before it."""
    document = server.documents.get(uri)
    server.suggester.edited(uri, lambda: document.text if document is not None else "")


def _reader(on_text: Callable[[str], None], place: CursorContext) -> Callable[[str], None]:
    """Bring pieces from the model's thread to where the messages are read, as the text so far."""
    loop, newline, pieces = asyncio.get_running_loop(), newline_of(place.text), []

    def read(piece: str) -> None:
        pieces.append(piece)
        text = "".join(pieces).replace("\n", newline)
        try:
            loop.call_soon_threadsafe(on_text, text)
        except RuntimeError:  # the session has ended
            pass

    return read
