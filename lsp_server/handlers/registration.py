"""Requests of the server to its client: which methods and files it wants to hear of."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from lsprotocol import types

from ..session.session import SutureServer

logger = logging.getLogger("suture.configuration")

SECTION = "suture"
FILES = ("**/pyproject.toml", "**/.python-version")
PULL_S = 5.0  # a client that does not answer by then has nothing to say
REGISTRATION = "suture-inline"


async def ask(request: Any) -> Any:
    """Wait for the client's answer; None when it refuses or gives none."""
    waiting = asyncio.ensure_future(request)
    await asyncio.wait({waiting}, timeout=PULL_S)
    if not waiting.done():
        waiting.cancel()
        return None
    if waiting.cancelled() or waiting.exception() is not None:
        logger.warning("the client refused a request of the server")
        return None
    return waiting.result()


async def register_settings(ls: SutureServer) -> None:
    """Ask a client that wants to be asked to tell of changes of settings."""
    workspace = ls.client_capabilities.workspace
    registrations = []
    if workspace and workspace.did_change_configuration and workspace.did_change_configuration.dynamic_registration:
        options: Any = types.DidChangeConfigurationRegistrationOptions(section=SECTION)
        registrations.append(
            types.Registration("suture-configuration", types.WORKSPACE_DID_CHANGE_CONFIGURATION, options)
        )
    if workspace and workspace.did_change_watched_files and workspace.did_change_watched_files.dynamic_registration:
        options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(glob) for glob in FILES])
        registrations.append(types.Registration("suture-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options))
    if registrations:
        await ask(ls.client_register_capability_async(types.RegistrationParams(registrations)))


def is_dynamic(ls: SutureServer) -> bool:
    """Whether the client registers the capability when asked."""
    documents = ls.client_capabilities.text_document
    return bool(documents and documents.inline_completion and documents.inline_completion.dynamic_registration)


async def register_inline_completion(ls: SutureServer) -> None:
    """Ask the client to send requests for the languages there are; again when they have changed."""
    from ...parser import languages

    known = languages()
    if not is_dynamic(ls) or known == ls.registered_languages:
        return
    if ls.registered_languages:
        old = types.Unregistration(REGISTRATION, types.TEXT_DOCUMENT_INLINE_COMPLETION)
        await ask(ls.client_unregister_capability_async(types.UnregistrationParams([old])))
    ls.registered_languages = known
    options = types.InlineCompletionRegistrationOptions(document_selector=selector(ls, known))
    new = types.Registration(REGISTRATION, types.TEXT_DOCUMENT_INLINE_COMPLETION, options)
    await ask(ls.client_register_capability_async(types.RegistrationParams([new])))


def selector(ls: SutureServer, languages: tuple[str, ...]) -> list[Any]:
    """Give the documents to ask about: by their language, and a user's own language by its file names too."""
    chosen: list[Any] = [types.TextDocumentFilterLanguage(language=name) for name in languages]
    patterns = [pattern for grammar in ls.backend.grammars for pattern in grammar.patterns]
    return chosen + [types.TextDocumentFilterPattern(pattern=f"**/{pattern}") for pattern in patterns]
