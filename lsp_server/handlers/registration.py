"""Dynamic registrations with the client: the methods and files the server wants to hear of."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from ..protocol.client import Client
from ..session.session import Session

SECTION = "suture"
FILES = ("**/pyproject.toml", "**/.python-version")
REGISTRATION = "suture-inline"


async def register_settings(client: Client) -> None:
    """Ask a client with dynamic registration for notifications of changed settings."""
    workspace = client.capabilities.workspace
    registrations: list[types.Registration] = []
    if workspace and workspace.did_change_configuration and workspace.did_change_configuration.dynamic_registration:
        options: Any = types.DidChangeConfigurationRegistrationOptions(section=SECTION)
        registrations.append(
            types.Registration("suture-configuration", types.WORKSPACE_DID_CHANGE_CONFIGURATION, options)
        )
    if workspace and workspace.did_change_watched_files and workspace.did_change_watched_files.dynamic_registration:
        options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(glob) for glob in FILES])
        registrations.append(types.Registration("suture-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options))
    if registrations:
        await client.register(*registrations)


def is_dynamic(client: Client) -> bool:
    """Whether the client supports dynamic registration of inline completion."""
    documents = client.capabilities.text_document
    return bool(documents and documents.inline_completion and documents.inline_completion.dynamic_registration)


async def register_inline_completion(session: Session) -> None:
    """Ask the client to send requests for the supported languages; again when they have changed."""
    from ...parser import checked_names, guarantee, languages

    others = (name for name, language in checked_names().items() if guarantee(language) == "checked")
    on = (name for name, wanted in session.settings.languages.items() if wanted)
    names = tuple(dict.fromkeys((*languages(), *others, *on)))
    if not is_dynamic(session.client) or names == session.registered_languages:
        return
    if session.registered_languages:
        old = types.Unregistration(REGISTRATION, types.TEXT_DOCUMENT_INLINE_COMPLETION)
        await session.client.unregister(old)
    session.registered_languages = names
    options = types.InlineCompletionRegistrationOptions(document_selector=selector(session, names))
    new = types.Registration(REGISTRATION, types.TEXT_DOCUMENT_INLINE_COMPLETION, options)
    await session.client.register(new)


def selector(session: Session, languages: tuple[str, ...]) -> list[Any]:
    """The document selector: by language, and for a user's own language by its file names too."""
    chosen: list[Any] = [types.TextDocumentFilterLanguage(language=name) for name in languages]
    patterns = [pattern for grammar in session.backend.grammars for pattern in grammar.patterns]
    return chosen + [types.TextDocumentFilterPattern(pattern=f"**/{pattern}") for pattern in patterns]
