"""The settings of one session: each folder's for its files, and one set for the server as a whole."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from pathlib import Path
from typing import Any

from ...common.bounded import BoundedDict
from ...common.reach import Reach
from .sources import (
    Effective,
    Layer,
    client_layer,
    combine,
    environment_layer,
    refuse_files,
    user_layer,
    workspace_layer,
)
from .spec import SPECS, Settings
from .user_file import user_file

_MAX_FOLDERS = 4096  # with cached settings
_MAX_UP = 64  # folders above a file searched for settings, beside the workspace's


@dataclass(frozen=True)
class Folder:
    """A folder of the workspace: the client's URI of it, and its path."""

    uri: str
    path: Path


class Configuration:
    """The layers of settings, and their result; files are read lazily."""

    def __init__(
        self, options: Any = None, folders: Sequence[Folder] = (), trusted: bool = False, remote: bool = False
    ):
        """remote: the client came over a network; neither it nor its workspace may make the server read files."""
        self.trusted = trusted and not remote
        self._remote = remote
        self._options = self._client_layer("initialization options", options)
        self._folders = tuple(folders)
        self._by_path = {folder.path: folder for folder in self._folders}
        self._clients: dict[str | None, Layer] = {}  # by the folder's URI; None: for all
        self._known: BoundedDict[Path | None, Effective] = BoundedDict(_MAX_FOLDERS)
        self._versions: BoundedDict[tuple[str, Path | None], str] = BoundedDict(_MAX_FOLDERS)
        self._reaches: BoundedDict[Path, Reach] = BoundedDict(_MAX_FOLDERS)
        self._stamps: dict[Path, object] = {}  # of the files looked for
        self.reread()

    @property
    def folders(self) -> tuple[Folder, ...]:
        """The folders of the workspace."""
        return self._folders

    def reread(self) -> None:
        """Read the files and the environment again."""
        self._stamps.clear()
        self._stamp(user_file())
        self._user, self._environment = user_layer(), environment_layer()
        self._forget()

    def files_changed(self) -> bool:
        """Whether a settings file has changed, by some stat calls: for a check now and then."""
        self._versions.clear()  # `Versions.around` checks dates itself
        return any(stamp != _stamp_of(path) for path, stamp in list(self._stamps.items()))

    def set_folders(self, folders: Sequence[Folder]) -> None:
        """Replace the workspace's folders."""
        self._folders = tuple(folders)
        self._by_path = {folder.path: folder for folder in self._folders}
        self._forget()

    def set_client(self, given: Any, folder_uri: str | None = None) -> None:
        """Set the client's configuration, for a folder or for all."""
        self._clients[folder_uri] = self._client_layer("editor", given)
        self._forget()

    def _client_layer(self, source: str, given: Any) -> Layer:
        layer = client_layer(source, given)
        return refuse_files(layer, "a client over the network") if self._remote else layer

    def whole(self) -> Effective:
        """The settings of the server as a whole: those of the first folder."""
        return self._effective(self._folders[0].path if self._folders else None)

    def settings(self, path: str | None) -> Settings:
        """The settings for a file; those common to all folders are as in `whole`."""
        return self._effective(None if path is None else Path(path).parent).settings

    def effective(self, path: str | None) -> Effective:
        """The settings for a file with their sources."""
        return self._effective(None if path is None else Path(path).parent)

    def folder_of(self, path: str | Path) -> Folder | None:
        """The innermost workspace folder around a file."""
        path = Path(path)
        return next((self._by_path[above] for above in (path, *path.parents) if above in self._by_path), None)

    def reach(self, path: str | None) -> Reach:
        """The reach of a document's imports: its workspace, else its repository."""
        if path is None:
            return Reach(os.devnull, False)
        here = Path(path).parent
        if here not in self._reaches:
            folder = self.folder_of(path)
            reach = Reach.around(path, self.trusted) if folder is None else Reach(str(folder.path), self.trusted)
            self._reaches[here] = replace(reach, runs=self.trusted)
        return self._reaches[here]

    def version(self, path: str | None, language: str) -> str | None:
        """The language version of a file: the setting's, else that of files around it; None for languages without versions."""
        from ...parser.language import versions

        declared = versions(language)
        if declared is None:
            return None
        chosen = self.settings(path).version(language)
        if chosen is not None:
            return declared.named(chosen) or declared.default
        here = language, None if path is None else Path(path).parent
        if here not in self._versions:
            self._versions[here] = declared.around(path, self.reach(path))
        return self._versions[here]

    def _effective(self, here: Path | None) -> Effective:
        if here not in self._known:
            self._known[here] = self._combined(here)
        return self._known[here]

    def _combined(self, here: Path | None) -> Effective:
        folder = self.folder_of(here) if here is not None else None
        workspace = None
        if here is not None and folder is not None:
            reach = Reach(str(folder.path), self.trusted)  # for each folder between them, too
            for above in _upwards(here, folder.path):
                self._stamp(above / "pyproject.toml")
                if reach.allows(above / "pyproject.toml"):
                    workspace = workspace_layer(above, self.trusted)
                if workspace is not None:
                    break
        client = self._clients.get(folder.uri if folder else None) or self._clients.get(None)
        layers = (self._user, workspace, self._environment, self._options, client)
        effective = combine([layer for layer in layers if layer is not None])
        first = self._folders[0].path if self._folders else None
        if here == first:
            return effective
        whole = self._effective(first)
        settings = {
            name: getattr(whole.settings if SPECS[name].whole_server else effective.settings, name) for name in SPECS
        }
        sources = {name: (whole if SPECS[name].whole_server else effective).sources[name] for name in SPECS}
        return Effective(Settings(**settings), sources, effective.messages)

    def _stamp(self, path: Path) -> None:
        self._stamps[path] = _stamp_of(path)

    def _forget(self) -> None:
        self._known.clear()
        self._versions.clear()
        self._reaches.clear()


def _upwards(here: Path, root: Path) -> Iterator[Path]:
    """The nearest folders from one upwards, the workspace's last."""
    inside = takewhile(lambda above: above != root, (here, *here.parents))
    yield from islice(inside, _MAX_UP)
    yield root


def _stamp_of(path: Path) -> object:
    """A value that changes with a file; None without one."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
