"""The client's settings and the settings files: read at the start, followed when they change."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

from lsprotocol import types

from ...common.json_types import is_array, is_object
from ..protocol.client import Client
from ..runtime import supervisor
from ..session.session import Session
from ..session.uris import file_path
from ..settings.effective import Folder
from ..settings.spec import SPECS, Settings
from .dispatch import Dispatcher
from .registration import SECTION, register_inline_completion

SETTLE_S = 0.1  # the window, from the first changed file on, in which changes are read together


def add_to(dispatcher: Dispatcher) -> None:
    """Register the handlers."""
    dispatcher.session.follow_settings = partial(changed, dispatcher.session)
    dispatcher.on_session(types.WORKSPACE_DID_CHANGE_CONFIGURATION, on_did_change_configuration)
    dispatcher.on_session(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, on_did_change_watched_files)
    dispatcher.on_session(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, on_did_change_workspace_folders)


async def pull(session: Session) -> None:
    """Ask the client for its settings, globally and for each folder."""
    workspace = session.client.capabilities.workspace
    if not (workspace and workspace.configuration):
        return
    folders = session.configuration.folders
    items = [types.ConfigurationItem(section=SECTION)]
    items += [types.ConfigurationItem(folder.uri, SECTION) for folder in folders]
    answers = await session.client.configuration(items)
    if is_array(answers) and len(answers) == len(items):
        for scope, given in zip((None, *(folder.uri for folder in folders)), answers, strict=True):
            if given is not None:
                session.configuration.set_client(given, scope)


async def on_did_change_configuration(
    session: Session, client: Client, params: types.DidChangeConfigurationParams
) -> None:
    """Take new settings: the client's answer to a request for them, or those in the message."""
    before = session.settings
    workspace = session.client.capabilities.workspace
    if workspace and workspace.configuration:
        await pull(session)
    elif is_object(params.settings) and is_object(params.settings.get(SECTION)):
        session.configuration.set_client(params.settings)
    session.configuration.reread()
    await changed(session, before)


async def on_did_change_watched_files(
    session: Session, client: Client, params: types.DidChangeWatchedFilesParams
) -> None:
    """Read the workspace's files again, once for a burst of changes: a checkout changes hundreds."""
    if session.rereads:
        return
    session.rereads = True
    try:
        await asyncio.sleep(SETTLE_S)
    finally:
        session.rereads = False
    before = session.settings
    session.configuration.reread()
    await changed(session, before)


async def on_did_change_workspace_folders(
    session: Session, client: Client, params: types.DidChangeWorkspaceFoldersParams
) -> None:
    """Take the workspace's new folders and their settings."""
    before = session.settings
    session.configuration.set_folders(folders_of(client))
    await pull(session)
    await changed(session, before)


async def changed(session: Session, before: Settings) -> None:
    """Apply settings that may have changed."""
    names = [name for name in SPECS if getattr(before, name) != getattr(session.settings, name)]
    if names:
        session.client.log(f"changed settings: {', '.join(names)}")
    session.show_problems_of_settings()
    await supervisor.take_settings(session)
    await register_inline_completion(session)


def folders_of(client: Client) -> list[Folder]:
    """The folders of the workspace on this machine."""
    folders = [(uri, file_path(uri)) for uri in client.folders]
    return [Folder(uri, Path(path)) for uri, path in folders if path is not None]
