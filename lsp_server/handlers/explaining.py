"""`suture/explain` and `suture/replay`: the engine's view of a cursor, and the steps of a suggestion.

Two requests of our own, for the playground and for authors of clients.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any

from ...common.json_types import is_array, is_object
from ..completion.engine.cursor_context import CursorContext
from ..completion.engine.pipeline import CompletionEngine
from ..playground.explain import explanation_of, replay_of
from ..protocol.client import Client
from ..protocol.pygls_fixes import InvalidParams
from ..runtime.backend import Backend
from ..session.snapshot import Snapshot
from .dispatch import Dispatcher

EXPLAIN = "suture/explain"
REPLAY = "suture/replay"


def add_to(dispatcher: Dispatcher) -> None:
    """Register the handlers."""
    backend = dispatcher.session.backend
    dispatcher.on_document(EXPLAIN, partial(on_explain, backend), None, uri_of=uri_of)
    dispatcher.on_document(REPLAY, partial(on_replay, backend), None, uri_of=uri_of)


async def on_explain(backend: Backend, snapshot: Snapshot, client: Client, params: Any) -> dict[str, Any] | None:
    """The possible texts at a cursor; null for a text without a grammar."""
    return await _answer(backend, "explain", cursor_at(snapshot, params), explanation_of)


async def on_replay(backend: Backend, snapshot: Snapshot, client: Client, params: Any) -> dict[str, Any] | None:
    """The model's candidates at each step of the suggestion; null where there can be none.

    `text` is the suggestion on the client's screen, if any.
    """
    shown = getattr(params, "text", None)
    if not (shown is None or isinstance(shown, str)):
        raise InvalidParams("text must be text")
    return await _answer(backend, "replay", cursor_at(snapshot, params), partial(replay_of, shown=shown))


async def _answer(
    backend: Backend,
    what: str,
    place: CursorContext,
    make: Callable[[CompletionEngine, CursorContext, Callable[[], bool]], Any],
) -> dict[str, Any] | None:
    engine = backend.engine
    job = backend.worker.submit((what, place.document), lambda cancelled: make(engine, place, cancelled))
    try:
        explained = await asyncio.wrap_future(job.future)
    except asyncio.CancelledError:
        job.cancel()
        raise
    return None if explained is None else _in_camel_case(asdict(explained))


def _in_camel_case(value: Any) -> Any:
    """Spell the keys in camel case, as is usual in JSON."""
    if is_object(value):
        words = ((str(key).split("_"), each) for key, each in value.items())
        return {first + "".join(map(str.title, more)): _in_camel_case(each) for (first, *more), each in words}
    return [_in_camel_case(each) for each in value] if is_array(value) else value


def uri_of(params: Any) -> str:
    """Check the parameters of a request of our own, and return its document's URI."""
    try:
        uri = params.textDocument.uri
        position = params.position.line, params.position.character
    except AttributeError:
        raise InvalidParams("textDocument.uri and position.line, position.character are needed") from None
    if not isinstance(uri, str) or not all(type(number) is int and number >= 0 for number in position):
        raise InvalidParams("uri must be text, line and character whole numbers")
    return uri


def cursor_at(snapshot: Snapshot, params: Any) -> CursorContext:
    """The cursor in the parameters of a request of our own."""
    return snapshot.cursor(snapshot.lines.offset_at((params.position.line, params.position.character)))
