"""The beginning and the end of a session: initialize, initialized, shutdown."""

from __future__ import annotations

from functools import partial
from typing import cast

from lsprotocol import types

from ..protocol.abilities import abilities_of, said
from ..protocol.client import Client
from ..runtime import supervisor
from ..session.documents import Encoding
from ..session.session import Session
from ..settings.effective import Configuration
from . import completion, configuration, documents, inline
from .dispatch import Dispatcher
from .registration import register_inline_completion, register_settings


def add_to(dispatcher: Dispatcher) -> None:
    """Register the handlers."""
    dispatcher.on_session(types.INITIALIZE, partial(on_initialize, dispatcher))
    dispatcher.on_session(types.INITIALIZED, on_initialized)
    dispatcher.on_session(types.SHUTDOWN, on_shutdown)


def on_initialize(dispatcher: Dispatcher, session: Session, client: Client, params: types.InitializeParams) -> None:
    """Take the client's choices, and offer the fitting capabilities."""
    session.documents.count_in(cast(Encoding, client.position_encoding))
    options = params.initialization_options
    trusted = said(options, "workspaceTrusted")
    folders = configuration.folders_of(client)
    session.configuration = Configuration(options, folders, trusted=trusted, remote=session.remote)
    session.status.wanted = said(options, "statusNotification")
    client.abilities = abilities_of(params)
    session.offer.wanted = said(options, "modelOffer")
    client.set_trace(params.trace or types.TraceValue.Off)
    inline.add_for_client(dispatcher)
    completion.add_for_client(dispatcher)
    session.backend.begin(session.settings)


async def on_initialized(session: Session, client: Client, params: types.InitializedParams) -> None:
    """Ask the client for its settings, and load the model in the background for a quick first suggestion."""
    session.spawn(register_settings(client))
    session.spawn(register_inline_completion(session))
    await configuration.pull(session)
    session.show_problems_of_settings()
    session.status.publish()
    session.spawn(register_own_languages(session))
    if session.settings != session.backend.settings:  # the configuration differs from the initialization options
        session.backend.begin(session.settings)
    if session.settings.enable:
        await supervisor.load(session)
    session.offer.resume()


async def register_own_languages(session: Session) -> None:
    """Register the user's own languages, with the client too."""
    await supervisor.register_grammars(session)
    await register_inline_completion(session)
    for document in list(session.documents):  # opened before its language was known
        language = session.language_for(document)
        if language is not None and language in {grammar.name for grammar in session.backend.grammars}:
            await documents.prepare(session, document, language)


def on_shutdown(session: Session, client: Client, params: None) -> None:
    """Stop generating; pygls ends the pending requests."""
    session.backend.worker.cancel_all()
    session.backend.loader.cancel_all()
    session.counting.usage.flush()  # some milliseconds; after the answer the client may end the process at any time
