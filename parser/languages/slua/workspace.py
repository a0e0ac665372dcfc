"""The API of a script in a folder: the nearest API file above it, with the records of the other scripts beside it."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable
from os import PathLike, scandir
from pathlib import Path

from ....common.bounded import BoundedDict
from ....common.reach import ANYWHERE, Reach
from ....common.untrusted import is_regular, read_text, trusted_owners
from .api import Api, ApiError
from .check import check
from .parse import parse
from .syntax import Script

_MOST_BYTES = 1 << 20
"""The size of an API file."""
_MOST_SCRIPT_BYTES = 1 << 16
_MOST_SCRIPTS = 200
_MOST_FOLDERS = 32
_KNOWN_S = 2.0
"""Seconds before the files are looked at again."""
_KEPT = 32


def nearest_api(path: str | PathLike[str], workspace: str | PathLike[str] | None = None) -> Path | None:
    """The API file in the folder of a script or the nearest one above it, within the workspace; of several the first by name."""
    reach = ANYWHERE if workspace is None else Reach(str(workspace))
    for folder in list(Path(path).absolute().parents)[:_MOST_FOLDERS]:
        if not reach.holds(folder):
            return None
        names = sorted(_names(folder, ".slua-api"))
        nearest = next(
            (folder / name for name in names if is_regular(folder / name) and reach.allows(folder / name)), None
        )
        if nearest is not None:
            return nearest
    return None


def _read(file: Path, script: Path) -> Api | ApiError:
    try:
        return Api.parse(read_text(file, _MOST_BYTES, owners=trusted_owners(script.parent)))
    except ApiError as error:
        return ApiError(f"{file}:{error}")


def registered_by(script: Script, api: Api) -> Api:
    """The API for later scripts, with this script's records."""
    rule = api.kinds[script.kind].registers
    if rule is None:
        return api
    name = script.literal(rule.key)
    assert name is not None, "such a script says its name in a literal"
    return api.registered(script.kind, name, {} if script.interface is None else script.interface.fields)


class Surroundings:
    """The files around scripts, read again after a change; one object for a language, since scripts of a folder share their API."""

    def __init__(self) -> None:
        self._files: BoundedDict[Path, tuple[tuple[int, int], Api | ApiError]] = BoundedDict(_KEPT)
        self._texts: BoundedDict[Path, tuple[tuple[int, int], str]] = BoundedDict(_MOST_SCRIPTS * 4)
        self._after: BoundedDict[tuple[int, str], tuple[Api, Api | None]] = BoundedDict(_MOST_SCRIPTS * 8)
        self._known: BoundedDict[tuple[Path, Path | None], tuple[float, Api | None]] = BoundedDict(_KEPT)

    def api(self, path: str | PathLike[str], workspace: str | PathLike[str] | None = None) -> Api | None:
        """The API of a script; the same object while nothing changes. None without an API file; raises ApiError."""
        key = Path(path).absolute(), None if workspace is None else Path(workspace)
        kept = self._known.used(key)
        if kept is None or time.monotonic() - kept[0] > _KNOWN_S:
            nearest = self._found(*key)
            kept = time.monotonic(), nearest
            self._known[key] = kept
        return kept[1]

    def _found(self, path: Path, workspace: Path | None) -> Api | None:
        file = nearest_api(path, workspace)
        if file is None:
            return None
        try:
            stamp = _stamp(file)
            kept = self._files.used(file)
            if kept is None or kept[0] != stamp:
                kept = stamp, _read(file, path)
                self._files[file] = kept
        except OSError as error:
            raise ApiError(f"{file}: cannot be read: {error.strerror}") from None
        if isinstance(kept[1], ApiError):
            raise kept[1]
        reach = ANYWHERE if workspace is None else Reach(str(workspace))
        return self.with_folder(kept[1], path.parent, [path.name], reach)

    def with_folder(
        self, api: Api, folder: str | PathLike[str], without: Collection[str], reach: Reach = ANYWHERE
    ) -> Api:
        """The API after the readable scripts of a folder, except those with some names."""
        return self._with_scripts(api, self._scripts(Path(folder), without, reach))

    def _scripts(self, folder: Path, without: Collection[str], reach: Reach) -> list[str]:
        """The texts of the scripts in a folder, except those with some names."""
        names = sorted(name for name in _names(folder, ".slua") if name not in without)
        owners, texts = trusted_owners(folder), list[str]()
        for file in (folder / name for name in names[:_MOST_SCRIPTS]):
            if not reach.allows(file):
                continue
            try:
                stamp = _stamp(file)
                kept = self._texts.used(file)
                if kept is None or kept[0] != stamp:
                    kept = stamp, read_text(file, _MOST_SCRIPT_BYTES, owners=owners)
                    self._texts[file] = kept
            except OSError:
                continue
            texts.append(kept[1])
        return texts

    def _with_scripts(self, api: Api, texts: Iterable[str]) -> Api:
        """The API after all scripts that can come one after the other, in any order."""
        if all(kind.registers is None for kind in api.kinds.values()):
            return api
        left = list(texts)
        while left:
            waiting: list[str] = []
            for text in left:
                after = self._registered(api, text)
                if after is None:
                    waiting.append(text)
                else:
                    api = after
            if len(waiting) == len(left):
                break
            left = waiting
        return api

    def _registered(self, api: Api, text: str) -> Api | None:
        key = id(api), text
        kept = self._after.used(key)
        if kept is None:
            wrong = check(text, api) is not None
            after = None if wrong else registered_by(parse(text, api), api)
            kept = api, after  # the API is kept, so that its number stays its own
            self._after[key] = kept
        return kept[1]


def _names(folder: Path, suffix: str) -> list[str]:
    """The names of a folder's files with this suffix; () where it cannot be read."""
    try:
        with scandir(folder) as entries:
            return [entry.name for entry in entries if entry.name.endswith(suffix)]
    except (OSError, ValueError):
        return []


def _stamp(file: Path) -> tuple[int, int]:
    status = file.stat()
    return status.st_mtime_ns, status.st_size
