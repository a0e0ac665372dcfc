"""The sources of settings, in layers of rising priority:

defaults < the user's file < [tool.suture] of the workspace < environment < initialization options < the client's configuration

A setting that a workspace can only make stricter (`Spec.tighten`) combines the workspace's value with the result of the other layers.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ...common import untrusted
from ...common.json_types import is_object
from ...model.runtime.served.options import is_address
from .spec import SPECS, Settings, read_environment, read_layer
from .user_file import user_file

MAX_FILE_BYTES = 256_000  # of a settings file; a larger one is not read
MAX_NAMED = 3  # settings named in a message


@dataclass(frozen=True)
class Layer:
    """The valid settings from one source, and the faults of the others."""

    source: str
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    messages: tuple[str, ...] = ()
    of_workspace: bool = False  # its author may be a stranger


@dataclass(frozen=True)
class Effective:
    """The effective settings, each with its source."""

    settings: Settings
    sources: Mapping[str, str]
    messages: tuple[str, ...]


def combine(layers: Sequence[Layer]) -> Effective:
    """Put layers on top of each other, the lowest first."""
    values: dict[str, Any] = {}
    sources = dict.fromkeys(SPECS, "default")
    messages = [message for layer in layers for message in layer.messages]
    for layer in layers:
        for name, value in layer.values.items():
            if layer.of_workspace and SPECS[name].tighten is not None:
                continue
            if name == "languages":
                value = MappingProxyType({**values.get(name, {}), **value})
            values[name], sources[name] = value, layer.source
    for layer in layers:
        for name, wanted in layer.values.items() if layer.of_workspace else ():
            tighten = SPECS[name].tighten
            if tighten is None:
                continue
            held = tighten(values[name], wanted) if name in values else wanted
            if held != values.get(name):
                sources[name] = f"{sources[name]} and {layer.source}" if held != wanted else layer.source
            values[name] = held
            messages += _not_taken(layer, name, wanted, held)
    return Effective(Settings(**values), sources, tuple(messages))


def _not_taken(layer: Layer, name: str, wanted: Any, held: Any) -> Iterator[str]:
    """A message about settings less strict in a workspace than in the user's own."""
    if isinstance(wanted, bool):
        laxer = [name] if wanted != held else []
    else:
        laxer = [f"{name}.{key}" for key in wanted if name == "languages" and wanted[key] != held[key]]
    if laxer:
        more = f" and {len(laxer) - MAX_NAMED} more" if len(laxer) > MAX_NAMED else ""
        named = ", ".join(setting[:60] for setting in laxer[:MAX_NAMED]) + more
        yield f"{layer.source}: {named} is not taken from a workspace where you have set it stricter; change it in {user_file()}"


def client_layer(source: str, given: Any) -> Layer:
    """Read a client's message: the settings themselves, or an object with them under "suture"."""
    if is_object(given) and is_object(given.get("suture")):
        given = given["suture"]
    return _layer(source, *read_layer(given, source))


def environment_layer() -> Layer:
    """Read SUTURE_... of the environment."""
    return _layer("environment", *read_environment(os.environ))


def user_layer() -> Layer:
    """Read the user's file."""
    path = user_file()
    table, problem = _read_toml(path)
    if problem:
        return Layer(str(path), {}, (problem,))
    return _from_here(_layer(str(path), *read_layer(table, str(path))), path.parent)


def own_settings() -> Settings:
    """The settings of this user on this machine, in any folder: those of the file and the environment."""
    return combine((user_layer(), environment_layer())).settings


def workspace_layer(folder: Path, trusted: bool) -> Layer | None:
    """Read [tool.suture] of the pyproject.toml in a folder; None without one.

    Untrusted, it chooses no model, device or grammar, and does not open the network.
    """
    path = folder / "pyproject.toml"
    table, problem = _read_toml(path)
    tool = table.get("tool") if table else None
    given = tool.get("suture") if is_object(tool) else None
    if given is None:  # other tools report a malformed pyproject.toml
        return Layer(str(path), {}, (problem,)) if problem else None
    what = f"{path} [tool.suture]"
    layer = replace(_layer(what, *read_layer(given, what)), of_workspace=True)
    layer = _without_what_is_the_users(layer, what)
    if trusted:
        return _from_here(layer, folder)
    return refuse_files(layer, "a workspace that is not trusted")


def refuse_files(layer: Layer, whose: str) -> Layer:
    """Leave out settings that choose a model, a device or a grammar, or open the network: they make the server read its user's files."""
    kept = {name: value for name, value in layer.values.items() if not SPECS[name].trusted_only}
    refused = tuple(
        f"{layer.source}: {name} is not taken from {whose}; set it in {user_file()}"
        for name in layer.values
        if name not in kept
    )
    return replace(layer, values=kept, messages=layer.messages + refused)


def _without_what_is_the_users(layer: Layer, what: str) -> Layer:
    """A workspace's settings without those for sending code, or a secret, to a place of its choice."""
    refused = {name for name in layer.values if SPECS[name].user_only}
    if is_address(layer.values.get("model")):
        refused.add("model")
    kept = {name: value for name, value in layer.values.items() if name not in refused}
    said = tuple(
        f"{what}: {'the address of a model' if name == 'model' else name} is never taken from a workspace; "
        f"set it in {user_file()}"
        for name in sorted(refused)
    )
    return replace(layer, values=kept, messages=layer.messages + said)


def _layer(source: str, values: dict[str, Any], messages: list[str]) -> Layer:
    return Layer(source, values, tuple(messages))


def _read_toml(path: Path) -> tuple[Mapping[str, Any] | None, str]:
    """Read a file of settings: (its table, "") or (None, its fault); (None, "") without a file."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None, ""
    return parsed_toml(path, status.st_mtime_ns, status.st_size, status.st_ino)


@lru_cache(maxsize=512)
def parsed_toml(path: Path, mtime_ns: int, size: int, inode: int) -> tuple[Mapping[str, Any] | None, str]:
    """As `_read_toml`, cached by time and size, so that a changed file is read again."""
    try:
        return untrusted.parse_toml(untrusted.read_text(path, MAX_FILE_BYTES)), ""
    except FileNotFoundError:
        return None, ""
    except OSError as error:
        return None, f"{path}: {error.strerror or error}; nothing of it is used"


def _from_here(layer: Layer, folder: Path) -> Layer:
    """Resolve relative paths in a file from its folder."""
    values = dict(layer.values)
    if "model" in values and untrusted.is_folder(_seen_from(folder, values["model"])):
        values["model"] = str(_seen_from(folder, values["model"]))
    if "grammars" in values:
        values["grammars"] = tuple(
            replace(grammar, path=str(_seen_from(folder, grammar.path))) for grammar in values["grammars"]
        )
    return replace(layer, values=values)


def _seen_from(folder: Path, path: str) -> Path:
    try:
        return folder / Path(path).expanduser()
    except RuntimeError:  # ~ of an unknown user
        return folder / path
