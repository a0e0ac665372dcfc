"""`suture/explain` and `suture/replay`: what the engine sees at a cursor, and how a suggestion came about.

Two requests of our own, for the playground and for whoever writes a client.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from ..completion.pipeline import CompletionEngine, CursorContext
from ..playground.explain import explanation_of, replay_of
from ..session.session import SutureServer

EXPLAIN = "suture/explain"
REPLAY = "suture/replay"


def add_to(server: SutureServer) -> None:
    """Register the handlers."""
    server.feature(EXPLAIN)(on_explain)
    server.feature(REPLAY)(on_replay)


async def on_explain(ls: SutureServer, params: Any) -> dict[str, Any] | None:
    """Say what may come at a cursor; null for a text without a grammar."""
    return await _answer(ls, "explain", params, explanation_of)


async def on_replay(ls: SutureServer, params: Any) -> dict[str, Any] | None:
    """Say what the model wanted at each step of the suggestion; null where there can be none.

    `text` is the suggestion that the client shows, where it shows one.
    """
    shown = getattr(params, "text", None)
    if not (shown is None or isinstance(shown, str)):
        raise JsonRpcInvalidParams("text must be text")
    return await _answer(ls, "replay", params, partial(replay_of, shown=shown))


async def _answer(
    ls: SutureServer, what: str, params: Any, make: Callable[[CompletionEngine, CursorContext, Callable[[], bool]], Any]
) -> dict[str, Any] | None:
    place = _place(ls, params)
    if place is None:
        return None
    engine = ls.engine
    job = ls.worker.submit((what, place.document), lambda cancelled: make(engine, place, cancelled))
    try:
        found = await asyncio.wrap_future(job.future)
    except asyncio.CancelledError:
        job.cancel()
        raise
    return None if found is None else _in_camel_case(asdict(found))


def _in_camel_case(value: Any) -> Any:
    """Spell the keys as JSON's usually are."""
    if isinstance(value, dict):
        words = ((str(key).split("_"), each) for key, each in value.items())
        return {first + "".join(map(str.title, more)): _in_camel_case(each) for (first, *more), each in words}
    return [_in_camel_case(each) for each in value] if isinstance(value, list | tuple) else value


def _place(ls: SutureServer, params: Any) -> CursorContext | None:
    try:
        uri = params.textDocument.uri
        position = params.position.line, params.position.character
    except AttributeError:
        raise JsonRpcInvalidParams("textDocument.uri and position.line, position.character are needed") from None
    if not isinstance(uri, str) or not all(type(number) is int and number >= 0 for number in position):
        raise JsonRpcInvalidParams("uri must be text, line and character whole numbers")
    document = ls.documents.get(uri)
    language = ls.language_for(document) if document is not None else None
    if document is None or language is None:
        return None
    return ls.place(document, language, document.offset_at(position))
