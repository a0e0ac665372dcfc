"""`textDocument/completion`, for editors without inline completion: the suggestion is an entry of their list."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import takewhile

from lsprotocol import types

from ...common.words import compiled
from ..completion.asking.service import CompletionRequest, CompletionService
from ..completion.engine.cursor_context import CursorContext
from ..completion.proposing.shown import Suggestion
from ..protocol.abilities import Abilities, Indenting
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
    """Offer entries for the list to clients without inline completion."""
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
    indenting = client.abilities.indenting
    place = snapshot.cursor(snapshot.lines.offset_at(to_position(params.position)))
    if indenting is Indenting.UNKNOWN and place.cursor.blank:  # the client may indent further lines once more
        place = replace(place, settings=replace(snapshot.settings, max_lines=1))
    suggestions = await service.answer(CompletionRequest(place, snapshot.version))
    items = [
        entry(snapshot, place, suggestion, service.offer(place, suggestion).id, client.abilities)
        for suggestion in suggestions
    ]
    return types.CompletionList(is_incomplete=True, items=items)


def entry(
    snapshot: Snapshot, place: CursorContext, suggestion: Suggestion, offer_id: str, abilities: Abilities
) -> types.CompletionItem:
    """An entry that replaces the word before the cursor by the same word and the suggestion.

    Editors keep an entry while its `filterText` starts with that word, so the two begin alike.
    """
    match = _WORD.search(place.text, max(0, place.offset - 200), place.offset)
    word = match[0] if match else ""
    start = from_position(snapshot.lines.position_at(place.offset - len(word)))
    end = from_position(snapshot.lines.position_at(place.offset))
    indenting = abilities.indenting
    text = word + (_unindented(place, suggestion.text) if indenting is Indenting.ADJUSTED else suggestion.text)
    first, _, rest = text.strip().partition("\n")
    label = first if len(first) <= _MAX_LABEL and not rest else first[: _MAX_LABEL - 1] + "…"
    return types.CompletionItem(
        label=label,
        label_details=types.CompletionItemLabelDetails(description="Suture"),
        kind=types.CompletionItemKind.Text,
        detail="Suture",
        documentation=types.MarkupContent(types.MarkupKind.PlainText, text),
        # Sort first: nobody finds an entry of several words among hundreds of names. Not "\0": Emacs gives up the whole message.
        sort_text=" ",
        filter_text=text,
        insert_text_format=types.InsertTextFormat.PlainText,
        insert_text_mode=types.InsertTextMode.AsIs if indenting is Indenting.AS_ASKED else None,
        text_edit=types.TextEdit(types.Range(start, end), text),
        command=types.Command("Suture: accepted", ACCEPTED, arguments=[offer_id]) if abilities.runs_commands else None,
    )


def _unindented(place: CursorContext, text: str) -> str:
    """The text less the indentation of the cursor's line, for a client that adds it to each further line; up to a line with less."""
    indent = place.cursor.blank
    first, *others = text.split("\n")
    kept = takewhile(lambda other: other.startswith(indent) or not other.strip(), others)
    return "\n".join([first, *(other.removeprefix(indent) for other in kept)])
