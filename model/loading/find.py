"""Finding a model on this machine: by its path, as a preset, in another program's store, by its hub name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...common import untrusted
from ..errors import ModelError
from . import presets, stores
from .gguf import is_gguf

if TYPE_CHECKING:
    from .hub import Progress

EMBEDDED = Path(__file__).parents[1] / "embedded"
EMBEDDED_NAME = "embedded"


def find_model(
    name: str | None, *, offline: bool = True, revision: str | None = None, progress: Progress | None = None
) -> Path:
    """The folder or GGUF file of a model: by its path, as a preset, in the store of Ollama or LM Studio, by its hub name.

    None is the embedded one. `progress` hears of a file's download.
    """
    if name is None or name == EMBEDDED_NAME:
        if not (EMBEDDED / "config.json").is_file():
            raise ModelError("it is not in this installation: reinstall Suture, or name a model folder or hub name")
        return EMBEDDED
    stored = stores.find(name)
    if stored is not None:
        return stored
    folder = Path(name).expanduser()
    if untrusted.is_folder(folder):
        return _of_folder(folder)
    if untrusted.exists(folder):
        if untrusted.is_regular(folder) and is_gguf(folder):
            return folder
        raise ModelError("this is not a GGUF file: name one, or the folder that contains the model's config.json")
    if name.startswith((".", "~", "/")) or folder.is_absolute() or "\\" in name or name.count("/") > 1:
        what = "file" if name.lower().endswith(".gguf") else "folder"
        raise ModelError(f"there is no such {what}: check the path")
    from .hub import find, find_file

    preset = presets.find(name)
    if preset is not None and preset.file is not None:
        return find_file(preset.hub, preset.file, offline=offline, revision=revision, given=name, progress=progress)
    if preset is None and "/" not in name:
        meant = presets.alike(name, [EMBEDDED_NAME, *(model.name for model in stores.stored())])
        asked = f"do you mean {' or '.join(meant)}" if meant else "`suture models` lists some"
        raise ModelError(f"there is no model of that name: {asked}")
    return _of_folder(find(presets.hub_name(name), offline=offline, revision=revision, given=name))


def _of_folder(folder: Path) -> Path:
    """The folder of a model in safetensors, or the one GGUF file in it."""
    if (folder / "config.json").is_file():
        return folder
    files = sorted(path for path in folder.glob("*.gguf") if not path.name.startswith("mmproj"))
    if len(files) > 1:
        raise ModelError(f"{folder} has several GGUF files: name one, such as {files[0].name}")
    return files[0] if files else folder


def download(name: str, *, revision: str | None = None, progress: Progress | None = None) -> Path:
    """Download a model from the hub at the user's request, with resumption, and check its files' hashes; raises ModelError."""
    from .hub import check_hash

    path = find_model(name, offline=False, revision=revision, progress=progress)
    preset = presets.find(name)
    expected = preset.sha256 if preset is not None and revision is None else None
    if path.is_file():
        check_hash(path, expected)
    else:
        for file in sorted(path.glob("*.safetensors")):
            check_hash(file)
    return path


def is_here(name: str | None) -> bool:
    """Whether a model is on this machine; needs no network."""
    try:
        find_model(name)
    except ModelError:
        return False
    return True
