"""The client, as handlers and sessions know it: messages and questions to it."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from lsprotocol import types

from .abilities import Abilities
from .pygls_fixes import QuietLanguageServer

MAX_TOLD = 100  # different messages shown in one session; a user who has not acted by then will not read more
QUIET_S = 0.4  # work done sooner needs no progress bar
ANSWER_S = 5.0  # the timeout of a client's answers

Result = TypeVar("Result")
logger = logging.getLogger("suture.client")


@dataclass(frozen=True)
class RequestExtras:
    """The data of the current request beside its parameters."""

    id: int | str | None
    token: Any = None  # for partial results
    version: int | None = None  # of the document, as the client knows it


class Client:
    """The client of one session."""

    def __init__(self, server: QuietLanguageServer) -> None:
        self._server = server
        self._shown: set[str] = set()
        self.abilities = Abilities()

    # -- its abilities

    @property
    def capabilities(self) -> types.ClientCapabilities:
        """The client's capabilities."""
        return self._server.client_capabilities

    @property
    def position_encoding(self) -> str:
        """The units in which columns are counted: utf-8, utf-16 or utf-32."""
        encoding = self._server.workspace.position_encoding
        return str(getattr(encoding, "value", encoding))

    @property
    def folders(self) -> tuple[str, ...]:
        """The URIs of the workspace's folders."""
        workspace = self._server.workspace
        root = (workspace.root_uri,) if workspace.root_uri is not None else ()
        return tuple(folder.uri for folder in workspace.folders.values()) or root

    # -- notifications

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._server.protocol.notify(method, params)

    def log(self, text: str) -> None:
        """Write a line into the client's log."""
        self._server.window_log_message(types.LogMessageParams(types.MessageType.Info, text))

    def show(self, text: str, error: bool = False) -> None:
        """Show a message on the screen, each once in a session."""
        if text not in self._shown and len(self._shown) < MAX_TOLD:
            self._shown.add(text)
            kind = types.MessageType.Error if error else types.MessageType.Warning
            self._server.window_show_message(types.ShowMessageParams(kind, f"Suture: {text}"))

    def set_trace(self, value: types.TraceValue) -> None:
        """Set the client's trace level."""
        self._server.protocol.trace = value

    @property
    def traces(self) -> bool:
        """Whether the client wants a trace of each request."""
        return self._server.protocol.trace != types.TraceValue.Off

    def trace(self, message: str, verbose: str) -> None:
        """Trace the result of a request; `verbose` to a client that wants everything."""
        more = verbose if self._server.protocol.trace == types.TraceValue.Verbose else None
        self._server.log_trace(types.LogTraceParams(message=message, verbose=more))

    def loading(self, on: bool) -> None:
        """Report the start or the end of a model's load, which may hold the interpreter's lock for long."""
        self._server.on_loading(on)

    # -- the current request

    def take_extras(self) -> RequestExtras:
        """The data of the current request; for its handler to take once, before its first await."""
        return RequestExtras(self._server.protocol.msg_id, **self._server.protocol.take_extras())

    # -- requests

    async def apply(self, label: str, uri: str, edits: Sequence[types.TextEdit]) -> None:
        """Ask to edit a document."""
        edit = types.WorkspaceEdit(changes={uri: list(edits)})
        await _answer(self._server.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit, label)))

    async def configuration(self, items: Sequence[types.ConfigurationItem]) -> Any:
        """Ask for settings; None when the client refuses."""
        return await _answer(self._server.workspace_configuration_async(types.ConfigurationParams(items)))

    async def register(self, *registrations: types.Registration) -> None:
        """Ask the client for notifications or requests of these kinds."""
        await _answer(self._server.client_register_capability_async(types.RegistrationParams(registrations)))

    async def unregister(self, *unregistrations: types.Unregistration) -> None:
        """Ask the client to send them no more."""
        await _answer(self._server.client_unregister_capability_async(types.UnregistrationParams(unregistrations)))

    async def ask(self, text: str, choices: Sequence[str], error: bool = False) -> str | None:
        """Show a message with buttons and wait for the user without a timeout; None where no button was pressed."""
        kind = types.MessageType.Error if error else types.MessageType.Info
        actions = [types.MessageActionItem(title=choice) for choice in choices]
        params = types.ShowMessageRequestParams(kind, f"Suture: {text}", actions)
        try:
            chosen = await self._server.window_show_message_request_async(params)
        except Exception:  # the client does not support it
            logger.warning("the client refused to show a message with buttons")
            return None
        return None if chosen is None else chosen.title

    async def with_progress(self, title: str, work: Awaitable[Result]) -> Result:
        """Wait for work; if it takes a while, the client shows its progress."""
        return await self.progress(title).during(work)

    def progress(self, title: str) -> Progress:
        """The display of work that takes a while, with its progress."""
        return Progress(self._server, title, self.capabilities.window)


class Progress:
    """Work that a client shows while it goes on."""

    def __init__(self, server: QuietLanguageServer, title: str, window: types.WindowClientCapabilities | None) -> None:
        self._server, self._title = server, title
        self._shows = window is not None and bool(window.work_done_progress)
        self._token = f"suture-{uuid.uuid4()}"
        self._begun = False
        self._percent: int | None = None

    def report(self, percent: int) -> None:
        """Say how far it is."""
        self._percent = percent
        if self._begun:
            self._tell(types.WorkDoneProgressReport(percentage=percent, message=f"{percent} %"))

    async def during(self, work: Awaitable[Result]) -> Result:
        """Wait for work; if it takes a while, the client shows its progress."""
        future = asyncio.ensure_future(work)
        if not self._shows:
            return await future
        await asyncio.wait({future}, timeout=QUIET_S)
        if future.done():
            return await future
        created = asyncio.ensure_future(
            self._server.window_work_done_progress_create_async(types.WorkDoneProgressCreateParams(self._token))
        )
        await asyncio.wait({created, future}, timeout=ANSWER_S, return_when=asyncio.FIRST_COMPLETED)
        if not created.done() or created.cancelled() or created.exception() is not None:
            created.cancel()  # refused, not answered, or not needed any more
            return await future
        self._tell(types.WorkDoneProgressBegin(title=self._title, cancellable=False, percentage=self._percent))
        self._begun = True
        try:
            return await future
        finally:
            self._begun = False
            self._tell(types.WorkDoneProgressEnd())

    def _tell(self, value: Any) -> None:
        self._server.protocol.notify(types.PROGRESS, types.ProgressParams(token=self._token, value=value))


async def _answer(request: Awaitable[Any]) -> Any:
    """Wait for the client's answer; None when it refuses or gives none."""
    waiting = asyncio.ensure_future(request)
    await asyncio.wait({waiting}, timeout=ANSWER_S)
    if not waiting.done():
        waiting.cancel()
        return None
    if waiting.cancelled() or waiting.exception() is not None:
        logger.warning("the client refused a request of the server")
        return None
    return waiting.result()
