"""The journal of a session: the messages to replay for bringing a new answering process to the session's state.

It holds the client's initialization and settings, and each open document's text with the changes since. Changes are applied in bulk, when
there are many or nobody types, so a keystroke costs one entry in a list.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ...common.json_types import is_object
from ..session.documents import Change, Document, Encoding
from ..session.status import snooze_minutes

MAX_CHARS = 64_000_000
"""The limit of all documents together; a document beyond it is not restored."""
MAX_CHANGES = 512
"""The most changes kept for a document before they are applied, in some milliseconds for a large one."""
IDLE_CHANGES = 32
"""The fewest changes worth applying while nobody types."""
SNOOZE = "suture.snooze"
NOTEBOOK = "suture/notebook"
"""See handlers/notebooks.py."""
_ENCODINGS = ("utf-8", "utf-16", "utf-32")


@dataclass
class Kept:
    """An open document."""

    language_id: str
    version: int | None
    text: str | None  # None: there was no room
    changes: list[Change] = field(default_factory=list[Change])
    characters: int = 0  # of the text and the changes


class Journal:
    """Follows the messages of a client."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self.initialize: dict[str, Any] | None = None  # its parameters
        self.initialized = False
        self.encoding: Encoding = "utf-16"
        self._clock = clock
        self._documents: dict[str, Kept] = {}
        self._notebooks: dict[str, list[str]] = {}  # the cells of each, in order
        self._configuration: Any = None
        self._trace: Any = None
        self._snooze: tuple[float, float] | None = None  # when it began, and minutes

    @property
    def uris(self) -> list[str]:
        """The open documents."""
        return list(self._documents)

    @property
    def lost(self) -> list[str]:
        """The open documents too large to restore."""
        return [uri for uri, kept in self._documents.items() if kept.text is None]

    def answered_initialize(self, result: Any) -> None:
        """Take the position encoding from the answer to `initialize`."""
        capabilities = result.get("capabilities") if is_object(result) else None
        encoding = capabilities.get("positionEncoding") if is_object(capabilities) else None
        self.encoding = encoding if encoding in _ENCODINGS else "utf-16"

    def note(self, method: str, params: Any) -> None:
        """Follow a message of the client; malformed parameters change nothing."""
        handler = self._HANDLERS.get(method)
        if handler is not None:
            try:
                handler(self, params)
            except (KeyError, TypeError, AttributeError):
                pass  # the server process refuses it, too

    def fold(self, least: int = IDLE_CHANGES) -> None:
        """Apply the changes of documents with at least `least` of them."""
        for kept in self._documents.values():
            if len(kept.changes) >= least:
                self._fold(kept)

    def replay(self) -> Iterator[tuple[str, Any, bool]]:
        """Give the messages to replay after `initialize`: method, parameters, and whether it is a request."""
        if not self.initialized:
            return
        yield "initialized", {}, False
        if self._trace is not None:
            yield "$/setTrace", self._trace, False
        if self._configuration is not None:
            yield "workspace/didChangeConfiguration", self._configuration, False
        for uri, cells in self._notebooks.items():
            yield NOTEBOOK, {"uri": uri, "cells": cells}, False
        if self._snooze is not None:
            left = self._snooze[1] - (self._clock() - self._snooze[0]) / 60
            if left > 0:
                yield "workspace/executeCommand", {"command": SNOOZE, "arguments": [left]}, True

    def opening(self, uri: str) -> Any:
        """Give the parameters of `didOpen` for a document's present text; None for a text too large to keep."""
        kept = self._documents.get(uri)
        if kept is None or kept.text is None:
            return None
        self._fold(kept)
        item = {"uri": uri, "languageId": kept.language_id, "version": kept.version, "text": kept.text}
        return {"textDocument": item}

    # -- messages

    def _on_initialize(self, params: Any) -> None:
        if self.initialize is None and is_object(params):
            self.initialize = params

    def _on_initialized(self, params: Any) -> None:
        self.initialized = True

    def _on_open(self, params: Any) -> None:
        item = params["textDocument"]
        uri, language_id, version, text = item["uri"], item["languageId"], item["version"], item["text"]
        if isinstance(uri, str) and isinstance(language_id, str) and isinstance(text, str):
            self._documents.pop(uri, None)
            self._documents[uri] = kept = Kept(language_id, version, text, characters=len(text))
            self._make_room(kept)

    def _on_change(self, params: Any) -> None:
        kept, changes = self._documents.get(params["textDocument"]["uri"]), params["contentChanges"]
        if kept is None:
            return
        read = [
            _change(change) for change in changes
        ]  # all of them first: the server takes a message whole or not at all
        kept.version = params["textDocument"].get("version")
        for change in read:
            if change.range is None:  # also the way back for a document once too large
                kept.text, kept.changes, kept.characters = change.text, [], len(change.text)
            elif kept.text is not None:
                kept.changes.append(change)
                kept.characters += len(change.text)
        if len(kept.changes) >= MAX_CHANGES:
            self._fold(kept)
        self._make_room(kept)

    def _on_close(self, params: Any) -> None:
        self._documents.pop(params["textDocument"]["uri"], None)

    def _on_notebook(self, params: Any) -> None:
        notebook = params["notebookDocument"]
        self._notebooks[notebook["uri"]] = [cell["document"] for cell in notebook["cells"]]
        for item in params["cellTextDocuments"]:
            self._on_open({"textDocument": item})

    def _on_cells(self, params: Any) -> None:
        """Follow the changes of a notebook, as handlers/notebooks.py does."""
        cells: Any = params["change"].get("cells") or {}
        structure: Any = cells.get("structure")
        if structure is not None:
            array, notebook_cells = structure["array"], self._notebooks[params["notebookDocument"]["uri"]]
            added = [cell["document"] for cell in array.get("cells") or ()]
            notebook_cells[array["start"] : array["start"] + array["deleteCount"]] = added
            for closed in structure.get("didClose") or ():
                self._on_close({"textDocument": closed})
            for item in structure.get("didOpen") or ():
                self._on_open({"textDocument": item})
        for edit in cells.get("textContent") or ():
            self._on_change({"textDocument": edit["document"], "contentChanges": edit["changes"]})

    def _on_notebook_closed(self, params: Any) -> None:
        for cell in params["cellTextDocuments"]:
            self._on_close({"textDocument": cell})
        self._notebooks.pop(params["notebookDocument"]["uri"], None)

    def _on_configuration(self, params: Any) -> None:
        self._configuration = params

    def _on_trace(self, params: Any) -> None:
        self._trace = params

    def _on_command(self, params: Any) -> None:
        if params["command"] == SNOOZE:
            self._snooze = self._clock(), snooze_minutes(params.get("arguments") or [])

    def _on_folders(self, params: Any) -> None:
        """Change the session's initial folders."""
        if self.initialize is None:
            return
        event = params["event"]
        removed = {folder["uri"] for folder in event["removed"]}
        there: list[Any] = self.initialize.get("workspaceFolders") or []
        folders = [entry for entry in there if entry["uri"] not in removed]
        added = [entry for entry in event["added"] if isinstance(entry["uri"], str)]
        self.initialize = {**self.initialize, "workspaceFolders": folders + added}

    # -- texts

    def _fold(self, kept: Kept) -> None:
        if kept.text is None or not kept.changes:
            return
        document = Document("", "", None, kept.text, self.encoding)
        for change in kept.changes:
            document.apply(change)
        kept.text, kept.changes = document.text, []
        kept.characters = len(kept.text)

    def _make_room(self, kept: Kept) -> None:
        if sum(document.characters for document in self._documents.values()) > MAX_CHARS:
            self._fold(kept)
            if sum(document.characters for document in self._documents.values()) > MAX_CHARS:
                kept.text, kept.changes, kept.characters = None, [], 0

    _HANDLERS: ClassVar[dict[str, Callable[[Journal, Any], None]]] = {
        "initialize": _on_initialize,
        "initialized": _on_initialized,
        "textDocument/didOpen": _on_open,
        "textDocument/didChange": _on_change,
        "textDocument/didClose": _on_close,
        "notebookDocument/didOpen": _on_notebook,
        "notebookDocument/didChange": _on_cells,
        "notebookDocument/didClose": _on_notebook_closed,
        "workspace/didChangeConfiguration": _on_configuration,
        "workspace/didChangeWorkspaceFolders": _on_folders,
        "workspace/executeCommand": _on_command,
        "$/setTrace": _on_trace,
    }


def _change(given: Any) -> Change:
    text, span = given["text"], given.get("range")
    if not isinstance(text, str):
        raise TypeError
    if span is None:
        return Change(text)
    first, last = span["start"], span["end"]
    return Change(text, (_position(first), _position(last)))


def _position(given: Any) -> tuple[int, int]:
    line, character = given["line"], given["character"]
    if not (type(line) is int and type(character) is int):
        raise TypeError
    return line, character
