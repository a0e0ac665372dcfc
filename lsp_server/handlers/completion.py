"""`textDocument/completion`, for editors that know no inline completion: the suggestion is an entry of their list."""

from __future__ import annotations

import re

from lsprotocol import types

from ..completion.pipeline import CursorContext
from ..completion.service import CompletionRequest, answer
from ..completion.suggestion import Suggestion
from ..session.documents import Document
from ..session.session import SutureServer
from .feedback import ACCEPTED
from .positions import from_position, to_position

TRIGGERS = (" ", ".", "(", "[", "{", "=", ",", ":")
_WORD = re.compile(r"\w*\Z")
_MAX_LABEL = 60  # characters of a list's entry


def add_for_client(server: SutureServer) -> None:
    """Offer entries for the list to clients that have no inline completion."""
    documents = server.client_capabilities.text_document
    if documents is None or documents.inline_completion is None:
        options = types.CompletionOptions(trigger_characters=list(TRIGGERS))
        server.feature(types.TEXT_DOCUMENT_COMPLETION, options)(on_completion)


async def on_completion(ls: SutureServer, params: types.CompletionParams) -> types.CompletionList:
    """Answer with one entry, or with none."""
    document = ls.documents.get(params.text_document.uri)
    language = ls.language_for(document) if document is not None else None
    if document is None or language is None or ls.snoozed():
        return types.CompletionList(is_incomplete=True, items=[])
    offset = document.offset_at(to_position(params.position))
    place = ls.place(document, language, offset)
    suggestions = await answer(ls, CompletionRequest(place, document.version))
    # Incomplete: at the next keystroke the editor asks again, instead of filtering what it has.
    return types.CompletionList(is_incomplete=True, items=[entry(ls, document, place, one) for one in suggestions])


def entry(ls: SutureServer, document: Document, place: CursorContext, suggestion: Suggestion) -> types.CompletionItem:
    """Make an entry that replaces the word before the cursor by itself and the suggestion.

    Editors keep an entry while its `filterText` starts with that word, so the two begin alike.
    """
    found = _WORD.search(place.text, max(0, place.offset - 200), place.offset)
    word = found[0] if found else ""
    start = from_position(document.position_at(place.offset - len(word)))
    end = from_position(document.position_at(place.offset))
    text = word + suggestion.text
    first, _, rest = text.strip().partition("\n")
    label = first if len(first) <= _MAX_LABEL and not rest else first[: _MAX_LABEL - 1] + "…"
    return types.CompletionItem(
        label=label,
        label_details=types.CompletionItemLabelDetails(description="Suture"),
        kind=types.CompletionItemKind.Text,
        detail="Suture",
        documentation=types.MarkupContent(types.MarkupKind.PlainText, text),
        # First: an entry that spans several words is not found among hundreds of names. Not "\0", at which
        # Emacs gives up the whole message.
        sort_text=" ",
        filter_text=text,
        insert_text_format=types.InsertTextFormat.PlainText,
        insert_text_mode=types.InsertTextMode.AsIs,
        text_edit=types.TextEdit(types.Range(start, end), text),
        command=types.Command("Suture: accepted", ACCEPTED, arguments=[ls.feedback.offer(place, suggestion).id]),
    )
