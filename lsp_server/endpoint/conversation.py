"""A client of our own language server: documents in, suggestions out. The relay keeps the server alive as it does for an editor."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from ...common.bounded import BoundedDict
from ..isolation.events import ClientGone, FromClient
from ..isolation.limits import limits_of
from ..isolation.relay import Relay
from ..isolation.serving import start
from ..protocol.jsonrpc import TEXTS, Refusal, answer, notification, parse, request

MAX_OPEN = 8
"""The most open documents."""
START_S = 60.0


@dataclass
class _Document:
    language: str
    text: str
    version: int = 1


class Conversation:
    """One session with the server, for one folder; safe to call from any thread."""

    def __init__(self, folder: Path, log: Callable[[str], None], *, trusted: bool = False) -> None:
        self._numbers = count(1)
        self._waiting: dict[int, Future[Any]] = {}
        self._lock = threading.Lock()
        self._documents: BoundedDict[str, _Document] = BoundedDict(MAX_OPEN)
        self._relay = Relay(start, self._received, log, limits_of(os.environ))
        threading.Thread(target=self._relay.run, name="suture-relay", daemon=True).start()
        capabilities: dict[str, Any] = {
            "general": {"positionEncodings": ["utf-32"]},
        }
        options = {"workspaceTrusted": trusted}
        folders = [{"uri": folder.as_uri(), "name": folder.name}]
        params: dict[str, Any] = {
            "processId": None,
            "rootUri": folder.as_uri(),
            "workspaceFolders": folders,
            "capabilities": capabilities,
        }
        self._ask("initialize", {**params, "initializationOptions": options})[1].result(START_S)
        self._tell("initialized", {})

    def texts(self, uri: str, language: str, left: str, right: str, bounds: dict[str, Any]) -> tuple[int, Future[Any]]:
        """Ask for the texts at a cursor: the request's number, for `cancel`, and its answer as of `suture/texts`; None without one."""
        with self._lock:
            self._write(uri, language, left + right)
            position = {"line": left.count("\n"), "character": len(left) - left.rfind("\n") - 1}
            return self._ask(TEXTS, {"textDocument": {"uri": uri}, "position": position, "bounds": bounds})

    def cancel(self, number: int) -> None:
        """Cancel a request."""
        if number in self._waiting:
            self._tell("$/cancelRequest", {"id": number})

    def close(self) -> None:
        """End the session."""
        self._relay.post(ClientGone(reads=False))

    def _write(self, uri: str, language: str, text: str) -> None:
        """Open a document, or update its text."""
        document = self._documents.used(uri)
        if document is not None and document.language != language:
            self._close(uri)
            document = None
        if document is None:
            if len(self._documents) == MAX_OPEN:
                self._close(next(iter(self._documents)))
            self._documents[uri] = _Document(language, text)
            opened = {"uri": uri, "languageId": language, "version": 1, "text": text}
            self._tell("textDocument/didOpen", {"textDocument": opened})
        elif document.text != text:
            document.text, document.version = text, document.version + 1
            changed = {"uri": uri, "version": document.version}
            self._tell("textDocument/didChange", {"textDocument": changed, "contentChanges": [{"text": text}]})

    def _close(self, uri: str) -> None:
        del self._documents[uri]
        self._tell("textDocument/didClose", {"textDocument": {"uri": uri}})

    def _ask(self, method: str, params: Any) -> tuple[int, Future[Any]]:
        number, future = next(self._numbers), Future[Any]()
        self._waiting[number] = future
        self._relay.post(FromClient(request(number, method, params)))
        return number, future

    def _tell(self, method: str, params: Any) -> None:
        self._relay.post(FromClient(notification(method, params)))

    def _received(self, body: bytes) -> None:
        """Take a message of the server, in the relay's thread."""
        message = parse(body)
        if isinstance(message, Refusal):
            return
        number = message.get("id")
        if "method" in message:
            if number is not None:
                items = (
                    message.get("params", {}).get("items", ())
                    if message["method"] == "workspace/configuration"
                    else None
                )
                self._relay.post(FromClient(answer(number, None if items is None else [None] * len(items))))
            return
        future = self._waiting.pop(number, None) if isinstance(number, int) else None
        if future is not None:
            future.set_result(message.get("result"))
