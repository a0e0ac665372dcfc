"""`textDocument/inlineCompletion`: the request for ghost text, the server's main purpose. `service.py` answers it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from lsprotocol import types

from ..completion.asking.service import CompletionRequest, CompletionService
from ..completion.proposing.shown import Suggestion
from ..protocol.abilities import Abilities
from ..protocol.client import Client, RequestExtras
from ..session.snapshot import Snapshot
from .dispatch import Dispatcher
from .feedback import ACCEPTED
from .positions import from_position, to_position
from .registration import is_dynamic

PARTIAL = "suture/partialSuggestion"
NO_ABILITIES = Abilities()
NOTHING = types.InlineCompletionList(items=[])  # null would leave old ghost text on Neovim's screen


def add_to(dispatcher: Dispatcher) -> None:
    """Register the handler."""
    handler = partial(on_inline_completion, dispatcher.session.service)
    dispatcher.on_document(types.TEXT_DOCUMENT_INLINE_COMPLETION, handler, NOTHING)


def add_for_client(dispatcher: Dispatcher) -> None:
    """Offer the capability at once to a client without dynamic registration."""
    if not is_dynamic(dispatcher.session.client):
        dispatcher.advertise(types.TEXT_DOCUMENT_INLINE_COMPLETION, types.InlineCompletionOptions())


async def on_inline_completion(
    service: CompletionService, snapshot: Snapshot, client: Client, params: types.InlineCompletionParams
) -> types.InlineCompletionList:
    """Answer with fitting suggestions, or with none; the newest request of a document wins."""
    extras = client.take_extras()
    if service.snoozed:
        return NOTHING
    if extras.version is not None and snapshot.version is not None and extras.version < snapshot.version:
        return NOTHING  # asked of a text that has changed since
    question = question_of(snapshot, params, client.abilities)
    asked = question.asked
    if not snapshot.settings.streaming and extras.token is None:
        return question.answer(service, await service.answer(asked))
    stream = Stream(client, question, snapshot, params.position, extras)
    suggestions: list[Suggestion] = []
    try:
        suggestions = await service.answer(replace(asked, on_text=stream.send) if service.may_stream(asked) else asked)
    finally:
        stream.end(suggestions)
    return question.answer(service, suggestions)


@dataclass(frozen=True)
class Question:
    """A request for a suggestion, and the data for its answer."""

    asked: CompletionRequest
    range: types.Range
    kept: str = ""  # the text of the range or of the editor's selected entry; the answer starts with it
    runs_commands: bool = False  # whether the client runs the commands of items

    def answer(self, service: CompletionService, suggestions: list[Suggestion]) -> types.InlineCompletionList:
        """Put suggestions into the protocol's form."""
        offers = [service.offer(self.asked.place, suggestion, self.kept) for suggestion in suggestions]
        return types.InlineCompletionList(items=[self._item(offer.suggestion, offer.id) for offer in offers])

    def _item(self, suggestion: Suggestion, offer_id: str) -> types.InlineCompletionItem:
        text = self.kept + suggestion.text
        return types.InlineCompletionItem(
            insert_text=snippet(text, suggestion.behind) if suggestion.behind else text,
            filter_text=text if suggestion.behind else None,
            # Without a range, VS Code replaces the word at the cursor and the rest of its line.
            range=self.range,
            command=accepted_command(suggestion, offer_id) if self.runs_commands else None,
        )


def accepted_command(suggestion: Suggestion, offer_id: str) -> types.Command:
    """The command for the client to run once the user has accepted a suggestion."""
    return types.Command("Suture: accepted", ACCEPTED, written_by(suggestion), [offer_id, *suggestion.imports])


def written_by(suggestion: Suggestion) -> str | None:
    """The tooltip of a text written by a stand-in for the user's model."""
    return f"written by the model {suggestion.stand_in}, which stands in for yours" if suggestion.stand_in else None


def snippet(text: str, behind: int) -> types.StringValue:
    """A snippet that leaves the cursor `behind` characters before the text's end."""
    end = len(text) - behind
    return types.StringValue("$0".join(re.sub(r"[\\$}]", r"\\\g<0>", part) for part in (text[:end], text[end:])))


class Stream:
    """Sends a suggestion in pieces, each the text so far; the last has `done`."""

    def __init__(
        self, client: Client, question: Question, snapshot: Snapshot, position: types.Position, extras: RequestExtras
    ):
        self._client = client
        self._kept = question.kept
        self._ended = False
        ids = {"id": extras.id, "token": extras.token}
        self._about: dict[str, Any] = {
            **{key: value for key, value in ids.items() if value is not None},
            "uri": snapshot.uri,
            "version": snapshot.version,
            "position": {"line": position.line, "character": position.character},
        }

    def send(self, text: str) -> None:
        """Send the text so far."""
        if not self._ended:
            self._client.notify(PARTIAL, {**self._about, "text": self._kept + text, "done": False})

    def end(self, suggestions: list[Suggestion]) -> None:
        """Send the answer's text; "" without one."""
        self._ended = True
        text = self._kept + suggestions[0].text if suggestions else ""
        self._client.notify(PARTIAL, {**self._about, "text": text, "done": True})


def question_of(
    snapshot: Snapshot, params: types.InlineCompletionParams, abilities: Abilities = NO_ABILITIES
) -> Question:
    """Read a request: where the cursor is, in which text.

    Where the client takes texts that replace them, the brackets auto-closed by the editor in an unfinished header are no part of the text.
    """
    from ...parser.language import traits

    text, lines, selected = snapshot.text, snapshot.lines, params.context.selected_completion_info
    invoked = params.context.trigger_kind == types.InlineCompletionTriggerKind.Invoked
    if selected is None:
        start = end = lines.offset_at(to_position(params.position))
        word, typed = "", None
        position = from_position(lines.clamp(to_position(params.position)))
        span = types.Range(position, position)
    else:
        start, end = sorted(lines.offset_at(to_position(edge)) for edge in (selected.range.start, selected.range.end))
        word, typed, span = selected.text, (text, end), selected.range
    replaced = ""
    if abilities.replaces_closers:
        closed = traits(snapshot.start.language).closed(text[:start] + word, text[end:])
        if closed:
            replaced = text[end : end + closed]
            text = text[:end] + text[end + closed :]
            typed = typed and (text, end)
            span = types.Range(span.start, from_position(lines.position_at(end + closed)))
    written = text[:start] + word + text[end:]
    place = replace(
        snapshot.start,
        text=written,
        offset=start + len(word),
        typed=typed,
        replaced=replaced,
        inside=abilities.takes_snippets,
        imports=abilities.takes_imports,
    )
    if abilities.tabulates and selected is None:  # its item keeps the leading blanks behind the word before
        before = place.cursor.before
        word = before.split()[-1] if before[-1:].strip() else ""
        span = types.Range(from_position(lines.position_at(start - len(word))), span.end)
    return Question(CompletionRequest(place, snapshot.version, invoked), span, word, abilities.runs_commands)
