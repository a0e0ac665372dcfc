"""`textDocument/inlineCompletion`: the request that everything is about. `answering.py` answers it."""

from __future__ import annotations

from dataclasses import dataclass

from lsprotocol import types

from ..answering import Asked, answer
from ..client import SutureServer, language_of
from ..documents import Document
from ..engine import Place
from ..suggest import Suggestion
from .positions import from_position, to_position

NOTHING = types.InlineCompletionList(items=[])  # null would leave old ghost text on Neovim's screen


def add_to(server: SutureServer) -> None:
    """Register the handler."""
    # Without options pygls does not advertise the capability.
    server.feature(types.TEXT_DOCUMENT_INLINE_COMPLETION, types.InlineCompletionOptions())(on_inline_completion)


async def on_inline_completion(ls: SutureServer, params: types.InlineCompletionParams) -> types.InlineCompletionList:
    """Answer with suggestions that fit, or with none; the newest request of a document wins."""
    document = ls.documents.get(params.text_document.uri)
    language = language_of(document) if document is not None and ls.settings.enable else None
    if document is None or language is None:
        return NOTHING
    question = question_of(document, language, params)
    return question.answer(await answer(ls, question.asked))


@dataclass(frozen=True)
class Question:
    """A request for a suggestion, and what its answer needs to keep."""

    asked: Asked
    range: types.Range
    kept: str = ""  # what the editor's own completion list would insert; the answer starts with it

    def answer(self, suggestions: list[Suggestion]) -> types.InlineCompletionList:
        """Put suggestions into the protocol's form."""
        # Without a range, VS Code replaces the word at the cursor and the rest of its line.
        items = [
            types.InlineCompletionItem(insert_text=self.kept + suggestion.text, range=self.range)
            for suggestion in suggestions
        ]
        return types.InlineCompletionList(items=items)


def question_of(document: Document, language: str, params: types.InlineCompletionParams) -> Question:
    """Read a request: where the cursor is, in which text."""
    text, selected = document.text, params.context.selected_completion_info
    invoked = params.context.trigger_kind == types.InlineCompletionTriggerKind.Invoked
    if selected is None:
        position = from_position(document.clamp(to_position(params.position)))
        place = Place(document.uri, language, text, document.offset_at(to_position(params.position)))
        return Question(Asked(place, document.version, invoked), types.Range(position, position))
    start, end = sorted(document.offset_at(to_position(edge)) for edge in (selected.range.start, selected.range.end))
    place = Place(document.uri, language, text[:start] + selected.text + text[end:], start + len(selected.text))
    return Question(Asked(place, document.version, invoked), selected.range, selected.text)
