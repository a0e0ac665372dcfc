"""`suture/texts`: the texts at a cursor, or the reason for none. The endpoint over HTTP asks for them on behalf of its clients."""

from __future__ import annotations

from functools import partial
from typing import Any

from ...common.json_types import is_array
from ..completion.asking.service import CompletionRequest, CompletionService
from ..completion.engine.bounds import Bounds
from ..completion.proposing.shown import Suggestion
from ..protocol.client import Client
from ..protocol.jsonrpc import TEXTS
from ..protocol.pygls_fixes import InvalidParams
from ..session.snapshot import Snapshot
from .dispatch import Dispatcher
from .explaining import cursor_at, uri_of

UNWANTED: dict[str, Any] = {
    "texts": [],
    "reason": "no suggestions are wanted here: the language is unknown or switched off, or the file looks secret",
}
MOST_TEXTS = 10


def add_to(dispatcher: Dispatcher) -> None:
    """Register the handler."""
    dispatcher.on_document(TEXTS, partial(on_texts, dispatcher.session.service), UNWANTED, uri_of=uri_of)


async def on_texts(service: CompletionService, snapshot: Snapshot, client: Client, params: Any) -> dict[str, Any]:
    """Answer with the texts within the client's bounds, best first."""
    asked = CompletionRequest(cursor_at(snapshot, params), snapshot.version, invoked=True, bounds=_bounds(params))
    suggestions, reason = await service.explained(asked)
    return {"texts": [_text(suggestion) for suggestion in suggestions], "reason": reason}


def _text(suggestion: Suggestion) -> dict[str, Any]:
    made = suggestion.completion
    return {
        "text": suggestion.text,
        "isCut": made.ended in ("length", "earlier"),
        "tokens": made.tokens,
        "promptTokens": made.prompt_tokens,
    }


def _bounds(params: Any) -> Bounds:
    """The bounds in a request's parameters."""
    given = getattr(params, "bounds", None)
    texts, tokens, ms, stops = (getattr(given, name, None) for name in ("texts", "maxTokens", "textMs", "stops"))
    numbers = [number for number in (texts, tokens, ms) if number is not None]
    if not all(type(number) is int and number > 0 for number in numbers):
        raise InvalidParams("texts, maxTokens and textMs must be whole numbers above 0")
    if not (stops is None or (is_array(stops) and all(isinstance(stop, str) and stop for stop in stops))):
        raise InvalidParams("stops must be texts")
    return Bounds(min(MOST_TEXTS, texts or 1), tokens, ms, tuple(stops or ()))
