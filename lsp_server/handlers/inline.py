"""`textDocument/inlineCompletion`: the request that everything is about. `service.py` answers it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from lsprotocol import types

from ..completion.pipeline import CursorContext
from ..completion.service import CompletionRequest, answer
from ..completion.suggestion import Suggestion
from ..session.documents import Document
from ..session.session import PARTIAL, SutureServer
from ..telemetry.feedback import ShownSuggestion
from .feedback import ACCEPTED
from .positions import from_position, to_position
from .registration import is_dynamic

NOTHING = types.InlineCompletionList(items=[])  # null would leave old ghost text on Neovim's screen


def add_to(server: SutureServer) -> None:
    """Register the handler."""
    server.feature(types.TEXT_DOCUMENT_INLINE_COMPLETION)(on_inline_completion)


def add_for_client(server: SutureServer) -> None:
    """Offer the capability at once to a client that cannot be asked to register it."""
    if not is_dynamic(server):
        # Without options pygls does not advertise the capability.
        options = types.InlineCompletionOptions()
        server.protocol.fm.feature_options[types.TEXT_DOCUMENT_INLINE_COMPLETION] = options


async def on_inline_completion(ls: SutureServer, params: types.InlineCompletionParams) -> types.InlineCompletionList:
    """Answer with suggestions that fit, or with none; the newest request of a document wins."""
    extras = ls.protocol.take_extras()
    request_id = ls.protocol.msg_id
    document = ls.documents.get(params.text_document.uri)
    language = ls.language_for(document) if document is not None else None
    if document is None or language is None or ls.snoozed():
        return NOTHING
    if extras.get("version") is not None and document.version is not None and extras["version"] < document.version:
        return NOTHING  # asked of a text that has changed since
    question = question_of(ls.place(document, language), document, params)
    asked = question.asked
    if not ls.settings.streaming and extras.get("token") is None:
        return question.answer(ls, await answer(ls, asked))
    stream = Stream(ls, question, document, params.position, {"id": request_id, "token": extras.get("token")})
    suggestions: list[Suggestion] = []
    # How certain a text is shows at its end alone: pieces of one that is then hidden would come and go on the screen.
    held_back = not asked.invoked and ls.engine.least_certainty(asked.place) > 0
    try:
        suggestions = await answer(ls, asked if held_back else replace(asked, on_text=stream.send))
    finally:
        stream.end(suggestions)
    return question.answer(ls, suggestions)


@dataclass(frozen=True)
class Question:
    """A request for a suggestion, and what its answer needs to keep."""

    asked: CompletionRequest
    range: types.Range
    kept: str = ""  # what the editor's own completion list would insert; the answer starts with it

    def answer(self, ls: SutureServer, suggestions: list[Suggestion]) -> types.InlineCompletionList:
        """Put suggestions into the protocol's form."""
        offers = [ls.feedback.offer(self.asked.place, suggestion, self.kept) for suggestion in suggestions]
        return types.InlineCompletionList(items=[self._item(offer) for offer in offers])

    def _item(self, offer: ShownSuggestion) -> types.InlineCompletionItem:
        return types.InlineCompletionItem(
            insert_text=self.kept + offer.suggestion.text,
            # Without a range, VS Code replaces the word at the cursor and the rest of its line.
            range=self.range,
            command=types.Command("Suture: accepted", ACCEPTED, arguments=[offer.id]),
        )


class Stream:
    """Sends a suggestion in pieces, each the text so far; the last has `done`."""

    def __init__(
        self, ls: SutureServer, question: Question, document: Document, position: types.Position, ids: dict[str, Any]
    ):
        self._ls = ls
        self._kept = question.kept
        self._ended = False
        self._about = {
            **{key: value for key, value in ids.items() if value is not None},
            "uri": document.uri,
            "version": document.version,
            "position": {"line": position.line, "character": position.character},
        }

    def send(self, text: str) -> None:
        """Send the text so far."""
        if not self._ended:
            self._ls.protocol.notify(PARTIAL, {**self._about, "text": self._kept + text, "done": False})

    def end(self, suggestions: list[Suggestion]) -> None:
        """Send the text as the answer has it; "" where there is none."""
        self._ended = True
        text = self._kept + suggestions[0].text if suggestions else ""
        self._ls.protocol.notify(PARTIAL, {**self._about, "text": text, "done": True})


def question_of(place: CursorContext, document: Document, params: types.InlineCompletionParams) -> Question:
    """Read a request: where the cursor is, in which text. `place` says the rest."""
    text, selected = document.text, params.context.selected_completion_info
    invoked = params.context.trigger_kind == types.InlineCompletionTriggerKind.Invoked
    if selected is None:
        position = from_position(document.clamp(to_position(params.position)))
        place = replace(place, text=text, offset=document.offset_at(to_position(params.position)))
        return Question(CompletionRequest(place, document.version, invoked), types.Range(position, position))
    start, end = sorted(document.offset_at(to_position(edge)) for edge in (selected.range.start, selected.range.end))
    typed = text, end
    text = text[:start] + selected.text + text[end:]
    place = replace(place, text=text, offset=start + len(selected.text), typed=typed)
    return Question(CompletionRequest(place, document.version, invoked), selected.range, selected.text)
