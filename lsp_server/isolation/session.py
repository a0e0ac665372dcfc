"""The relay's knowledge of the conversation with one client."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...common.bounded import BoundedDict
from ...common.json_types import is_object
from ..protocol.jsonrpc import REQUEST_FAILED, answer, error
from .journal import Journal

INLINE = "textDocument/inlineCompletion"
_ASKED = 1  # the kind of trigger, in both methods
SUGGESTING = frozenset({INLINE, "textDocument/completion"})
MAX_SHOWN = 1000
"""The most messages remembered, so that a new process does not show them again."""


@dataclass
class Pending:
    """A request of the client without an answer yet."""

    method: str
    since: float
    uri: str | None = None
    asked: bool = False
    """whether the user asked for it, rather than the editor while they typed"""
    cancelled: bool = False

    def is_late(self, waited_s: float, unasked_s: float, asked_s: float) -> bool:
        """Whether it requests a suggestion, and has waited for its limit: `asked_s` where the user asked, else `unasked_s`."""
        return self.method in SUGGESTING and waited_s >= (asked_s if self.asked else unasked_s)


@dataclass
class RelayedSession:
    """The state of the conversation with one client."""

    journal: Journal
    pending: dict[int | str, Pending] = field(default_factory=dict[int | str, Pending])
    # The present process's requests, unanswered by the client.
    asked: set[int | str] = field(default_factory=set[int | str])
    progress: dict[int | str, None] = field(default_factory=dict[int | str, None])  # progress shown by the client
    registrations: dict[str, Any] = field(default_factory=dict[str, Any])
    shown: BoundedDict[str, None] = field(default_factory=lambda: BoundedDict[str, None](MAX_SHOWN))
    initialize_body: bytes = b""
    initialize_id: int | str | None = None
    initialize_answered: bool = False
    client_pid: int | None = None
    shutdown_id: int | str | None = None
    shutdown_s: float | None = None
    shutdown: bool = False

    def start_again(self, journal: Journal) -> None:
        """Forget a failed `initialize` and the messages after it, which the server refused: the client may try again."""
        self.journal, self.initialize_id, self.initialize_body, self.client_pid = journal, None, b"", None

    def shows(self, text: str, again: bool) -> bool:
        """Note a message for the user; whether to show it: each once, unless `again`."""
        new = text not in self.shown
        self.shown[text] = None
        return new or again

    def note_progress(self, params: Any) -> None:
        """Note the progress shown by the client."""
        if not is_object(params) or not is_object(params.get("value")):
            return
        token, kind = params.get("token"), params["value"].get("kind")
        if isinstance(token, int | str):
            if kind == "begin":
                self.progress[token] = None
            elif kind == "end":
                self.progress.pop(token, None)

    def register(self, params: Any) -> tuple[bool, list[Any]]:
        """Note the server's registrations: whether the client has all of them, and those to unregister first."""
        held = self.registrations
        wanted: list[Any] = params.get("registrations") or [] if is_object(params) else []
        old = [
            {"id": registration["id"], "method": registration["method"]}
            for registration in wanted
            if held.get(registration["id"], registration) != registration
        ]
        done = all(held.get(registration["id"]) == registration for registration in wanted)
        held.update((registration["id"], registration) for registration in wanted)
        return done, old

    def unregister(self, params: Any) -> None:
        """Note the registrations taken back by the server."""
        for registration in params.get("unregisterations") or () if is_object(params) else ():
            self.registrations.pop(registration.get("id"), None)


def uri_of(params: Any) -> str | None:
    """The URI of a message's document."""
    document = params.get("textDocument") if is_object(params) else None
    uri = document.get("uri") if is_object(document) else None
    return uri if isinstance(uri, str) else None


def is_asked(params: Any) -> bool:
    """Whether the user invoked a request for a suggestion, by its parameters."""
    context = params.get("context") if is_object(params) else None
    return is_object(context) and context.get("triggerKind") == _ASKED


def nothing_for(number: int | str, method: str) -> bytes:
    """The empty answer to a request, while the server has no other."""
    if method == INLINE:
        return answer(number, {"items": []})
    if method == "textDocument/completion":
        return answer(number, None)
    return error(number, REQUEST_FAILED, "the server process does not answer now; it comes back by itself")
