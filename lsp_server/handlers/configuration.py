"""Settings that the client has, and the files that hold settings: asked for at the start, followed when they change."""

from __future__ import annotations

import asyncio
from pathlib import Path

from lsprotocol import types

from ..runtime import supervisor
from ..session.session import SutureServer
from ..session.uris import file_path
from ..settings.effective import Folder
from ..settings.spec import SPECS, Settings
from .registration import SECTION, ask, register_inline_completion

SETTLE_S = 0.1  # from the first of several changes of files until they are read


def add_to(server: SutureServer) -> None:
    """Register the handlers."""
    server.follow_settings = lambda before: changed(server, before)
    server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(on_did_change_configuration)
    server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(on_did_change_watched_files)
    server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(on_did_change_workspace_folders)


async def pull(ls: SutureServer) -> None:
    """Ask the client for its settings, for all and for each folder."""
    workspace = ls.client_capabilities.workspace
    if not (workspace and workspace.configuration):
        return
    folders = ls.configuration.folders
    items = [types.ConfigurationItem(section=SECTION)]
    items += [types.ConfigurationItem(folder.uri, SECTION) for folder in folders]
    answers = await ask(ls.workspace_configuration_async(types.ConfigurationParams(items)))
    if isinstance(answers, list | tuple) and len(answers) == len(items):
        for scope, given in zip((None, *(folder.uri for folder in folders)), answers, strict=True):
            if given is not None:
                ls.configuration.set_client(given, scope)


async def on_did_change_configuration(ls: SutureServer, params: types.DidChangeConfigurationParams) -> None:
    """Take new settings: those that come along, or those that the client gives when asked."""
    before = ls.settings
    workspace = ls.client_capabilities.workspace
    if workspace and workspace.configuration:
        await pull(ls)
    elif isinstance(params.settings, dict) and isinstance(params.settings.get(SECTION), dict):
        ls.configuration.set_client(params.settings)
    ls.configuration.reread()
    await changed(ls, before)


async def on_did_change_watched_files(ls: SutureServer, params: types.DidChangeWatchedFilesParams) -> None:
    """Read the workspace's files again, once for all the changes that come together: a checkout changes hundreds."""
    if ls.rereads:
        return
    ls.rereads = True
    try:
        await asyncio.sleep(SETTLE_S)
    finally:
        ls.rereads = False
    before = ls.settings
    ls.configuration.reread()
    await changed(ls, before)


async def on_did_change_workspace_folders(ls: SutureServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
    """Take other folders, and their settings."""
    before = ls.settings
    ls.configuration.set_folders(folders_of(ls))
    await pull(ls)
    await changed(ls, before)


async def changed(ls: SutureServer, before: Settings) -> None:
    """Follow settings that may have changed."""
    names = [name for name in SPECS if getattr(before, name) != getattr(ls.settings, name)]
    if names:
        ls.log(f"changed settings: {', '.join(names)}")
    ls.tell_settings()
    await supervisor.take_settings(ls)
    await register_inline_completion(ls)


def folders_of(ls: SutureServer) -> list[Folder]:
    """Give the folders of the workspace that are on this machine."""
    found = [(folder.uri, file_path(folder.uri)) for folder in ls.workspace.folders.values()]
    root = ls.workspace.root_uri
    if not found and root is not None:
        found = [(root, file_path(root))]
    return [Folder(uri, Path(path)) for uri, path in found if path is not None]
