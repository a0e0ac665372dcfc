"""The beginning and the end of a session: initialize, initialized, shutdown."""

from __future__ import annotations

from typing import Any, cast

from lsprotocol import types

from ..runtime import supervisor
from ..session.documents import Documents, Encoding
from ..session.session import SutureServer
from ..settings.effective import Configuration
from . import completion, configuration, documents, inline
from .registration import register_inline_completion, register_settings


def add_to(server: SutureServer) -> None:
    """Register the handlers."""
    server.feature(types.INITIALIZE)(on_initialize)
    server.feature(types.INITIALIZED)(on_initialized)
    server.feature(types.SHUTDOWN)(on_shutdown)


def on_initialize(ls: SutureServer, params: types.InitializeParams) -> None:
    """Take the client's choices, and offer what fits them."""
    encoding = ls.workspace.position_encoding
    ls.documents = Documents(cast(Encoding, getattr(encoding, "value", encoding)))
    options = params.initialization_options
    trusted = said(options, "workspaceTrusted")
    ls.configuration = Configuration(options, configuration.folders_of(ls), trusted=trusted, remote=ls.remote)
    ls.wants_status = said(options, "statusNotification")
    ls.protocol.trace = params.trace or types.TraceValue.Off
    inline.add_for_client(ls)
    completion.add_for_client(ls)
    ls.backend.begin(ls.settings)


async def on_initialized(ls: SutureServer, params: types.InitializedParams) -> None:
    """Ask the client for its settings, and load the model in the background, so that the first suggestion is quick."""
    ls.spawn(register_settings(ls))
    ls.spawn(register_inline_completion(ls))
    await configuration.pull(ls)
    ls.tell_settings()
    ls.publish_status()
    ls.spawn(register_own_languages(ls))
    if model_changed(ls):
        ls.backend.begin(ls.settings)
    if ls.settings.enable:
        await supervisor.load(ls)


async def register_own_languages(ls: SutureServer) -> None:
    """Make the user's own languages known, to the client too."""
    await supervisor.register_grammars(ls)
    await register_inline_completion(ls)
    for document in list(ls.documents):  # opened before its language was known
        language = ls.language_for(document)
        if language is not None and language in {grammar.name for grammar in ls.backend.grammars}:
            await documents.prepare(ls, document, language)


def model_changed(ls: SutureServer) -> bool:
    """Whether the client's configuration says other than its initialization options did."""
    return ls.settings != ls.backend.settings


def on_shutdown(ls: SutureServer, params: None) -> None:
    """Stop generating; pygls ends the requests that still wait."""
    ls.worker.cancel_all()
    ls.backend.loader.cancel_all()
    ls.counting.usage.flush()  # some milliseconds; after the answer the client may end the process at any time


def said(options: Any, key: str) -> bool:
    """Whether an initialization option that is no setting is on."""
    if isinstance(options, dict):
        options = options.get("suture") if isinstance(options.get("suture"), dict) else options
        return options.get(key) is True
    return False
