"""`textDocument/completion`, for editors that know no inline completion: the suggestion is an entry of their list."""

from __future__ import annotations

from functools import partial
from itertools import takewhile

from lsprotocol import types

from ...common.words import compiled
from ..completion.asking.service import CompletionRequest, CompletionService
from ..completion.engine.cursor_context import CursorContext
from ..completion.proposing.shown import Suggestion
from ..protocol.client import Client
from ..session.snapshot import Snapshot
from .dispatch import Dispatcher
from .feedback import ACCEPTED
from .positions import from_position, to_position

TRIGGERS = (" ", ".", "(", "[", "{", "=", ",", ":")
_WORD = compiled(r"\w*\Z")
_MAX_LABEL = 60  # characters of a list's entry
# Incomplete: at the next keystroke the editor asks again, instead of filtering its list.
NOTHING = types.CompletionList(is_incomplete=True, items=[])


def add_for_client(dispatcher: Dispatcher) -> None:
    """Offer entries for the list to clients that have no inline completion."""
    documents = dispatcher.session.client.capabilities.text_document
    if documents is None or documents.inline_completion is None:
        options = types.CompletionOptions(trigger_characters=list(TRIGGERS))
        handler = partial(on_completion, dispatcher.session.service)
        dispatcher.on_document(types.TEXT_DOCUMENT_COMPLETION, handler, NOTHING, options)


async def on_completion(
    service: CompletionService, snapshot: Snapshot, client: Client, params: types.CompletionParams
) -> types.CompletionList:
    """Answer with one entry, or with none."""
    if service.snoozed:
        return NOTHING
    place = snapshot.cursor(snapshot.lines.offset_at(to_position(params.position)))
    suggestions = await service.answer(CompletionRequest(place, snapshot.version))
    items = [
        entry(snapshot, place, suggestion, service.offer(place, suggestion).id, client) for suggestion in suggestions
    ]
    return types.CompletionList(is_incomplete=True, items=items)


def entry(
    snapshot: Snapshot, place: CursorContext, suggestion: Suggestion, offer_id: str, client: Client
) -> types.CompletionItem:
    """Make an entry that replaces the word before the cursor by itself and the suggestion.

    Editors keep an entry while its `filterText` starts with that word, so the two begin alike.
    """
    match = _WORD.search(place.text, max(0, place.offset - 200), place.offset)
    word = match[0] if match else ""
    start = from_position(snapshot.lines.position_at(place.offset - len(word)))
    end = from_position(snapshot.lines.position_at(place.offset))
    mode, indents = _insertion(client)
    text = word + (_unindented(place, suggestion.text) if indents else suggestion.text)
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
        insert_text_mode=mode,
        text_edit=types.TextEdit(types.Range(start, end), text),
        command=types.Command("Suture: accepted", ACCEPTED, arguments=[offer_id]),
    )


def _insertion(client: Client) -> tuple[types.InsertTextMode | None, bool]:
    """The mode in which texts are to be inserted, for a client that can be told; whether it indents the lines of a text by itself."""
    documents = client.capabilities.text_document
    list_ = documents.completion if documents is not None else None
    item = list_.completion_item if list_ is not None else None
    modes = (
        item.insert_text_mode_support.value_set
        if item is not None and item.insert_text_mode_support is not None
        else ()
    )
    if types.InsertTextMode.AsIs in modes:
        return types.InsertTextMode.AsIs, False
    return None, list_ is not None and list_.insert_text_mode == types.InsertTextMode.AdjustIndentation


def _unindented(place: CursorContext, text: str) -> str:
    """A text for a client that puts the indentation of the cursor's line before each further line; up to a line that has less."""
    line = place.text[place.text.rfind("\n", 0, place.offset) + 1 : place.offset]
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    first, *others = text.split("\n")
    kept = takewhile(lambda other: other.startswith(indent) or not other.strip(), others)
    return "\n".join([first, *(other.removeprefix(indent) for other in kept)])
