"""The dispatch of messages to handlers, with the objects they work on; no handler sees the server object.

There are two kinds. A handler *of a document* answers about a `Snapshot`, immutable while it waits for the model. A handler *of the session*
changes the session: it runs where the messages are read, in the order of arrival.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeVar

from ..protocol.client import Client
from ..protocol.pygls_fixes import QuietLanguageServer
from ..session.session import Session
from ..session.snapshot import Snapshot

Params = TypeVar("Params")
Result = TypeVar("Result")


class Dispatcher:
    """Registers the handlers of one conversation."""

    def __init__(self, server: QuietLanguageServer, session: Session) -> None:
        self.session = session
        self._server = server

    def on_session(self, method: str, handler: Callable[[Session, Client, Params], Any]) -> None:
        """Call a handler with the session for each message of a method."""
        self._server.feature(method)(partial(handler, self.session, self.session.client))

    def on_document(
        self,
        method: str,
        handler: Callable[[Snapshot, Client, Params], Awaitable[Result]],
        nothing: Result,
        options: Any = None,
        uri_of: Callable[[Params], str] = lambda params: params.text_document.uri,  # type: ignore[attr-defined]
    ) -> None:
        """Call a handler with a message's document; the answer is `nothing` where no suggestions are wanted."""

        async def answer(params: Params) -> Result:
            snapshot = self.session.snapshot(uri_of(params))
            return nothing if snapshot is None else await handler(snapshot, self.session.client, params)

        self._server.feature(method, options)(answer)

    def on_command(self, name: str, handler: Callable[[Session, Client, list[Any]], Any]) -> None:
        """Call a handler with the arguments of an advertised command."""

        def run(*arguments: Any) -> Any:
            return handler(self.session, self.session.client, list(arguments))

        self._server.command(name)(run)

    def on_hidden_command(self, name: str, handler: Callable[[Session, Client, list[Any]], Any]) -> None:
        """Call a handler with the arguments of a command answered but not advertised."""
        self._server.protocol.hidden_commands[name] = partial(handler, self.session, self.session.client)

    def advertise(self, method: str, options: Any) -> None:
        """Offer a capability in the answer to `initialize`."""
        self._server.advertise(method, options)
