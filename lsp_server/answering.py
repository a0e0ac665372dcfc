"""The one place where a request for suggestions is answered, whatever message it came in. Knows no LSP."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .engine import Place
from .problems import Unavailable
from .suggest import Suggestion

if TYPE_CHECKING:
    from .client import SutureServer

logger = logging.getLogger("suture.answering")


@dataclass(frozen=True)
class Asked:
    """A request for suggestions, as a value."""

    place: Place
    version: int | None = None  # of the document, when it was asked
    invoked: bool = False  # the user asked, and wants alternatives; otherwise the editor did, at a keystroke


async def answer(server: SutureServer, asked: Asked) -> list[Suggestion]:
    """Give the suggestions for a place, best first; none where there is nothing to show or nobody waits any more."""
    engine = server.engine
    job = server.worker.submit(
        ("suggest", asked.place.document), lambda cancelled: engine.suggest(asked.place, cancelled)
    )
    try:
        suggestion = await asyncio.wrap_future(job.future)
    except asyncio.CancelledError:
        job.cancel()
        raise
    except Unavailable as problem:
        server.report_unavailable(problem)
        return []
    except Exception:
        logger.exception("a suggestion failed")
        return []
    return [] if suggestion is None else [suggestion]
