"""GGUF models in the stores of other programs on this machine: Ollama, LM Studio, llama.cpp. They are read in place."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...common import untrusted
from ..errors import ModelError

OLLAMA, LM_STUDIO, LLAMA_CPP = "ollama:", "lmstudio:", "llama.cpp:"
_MODEL_LAYER = "application/vnd.ollama.image.model"
_DIGEST = re.compile(r"sha256[:-]([0-9a-f]{64})")
_MOST = 2000  # files visited in one store


@dataclass(frozen=True, slots=True)
class Stored:
    """A model in the store of another program."""

    name: str  # as typed by a user: "ollama:qwen2.5-coder:1.5b"
    path: Path
    bytes: int


def find(name: str) -> Path | None:
    """The file of a stored model; None for other names. Raises ModelError."""
    if not name.startswith((OLLAMA, LM_STUDIO, LLAMA_CPP)):
        return None
    wanted = name if ":" in name.removeprefix(OLLAMA) or not name.startswith(OLLAMA) else f"{name}:latest"
    models = stored()
    for model in models:
        if model.name == wanted:
            return model.path
    there = ", ".join(model.name for model in models[:6]) or "none at all"
    raise ModelError(f"there is no such model on this machine (there is {there}): see `suture models`")


def stored() -> list[Stored]:
    """All GGUF models of other programs, by name."""
    return sorted([*_ollama(), *_lm_studio(), *_llama_cpp()], key=lambda model: model.name.lower())


def _ollama() -> Iterator[Stored]:
    own = os.environ.get("OLLAMA_MODELS")
    folders = [Path(own)] if own else [Path.home() / ".ollama" / "models", Path("/usr/share/ollama/.ollama/models")]
    for folder in folders:
        manifests = folder / "manifests"
        for path in _files(manifests, "*"):
            host, *owner, model, tag = path.relative_to(manifests).parts if len(path.parts) > 3 else ("",) * 4
            blob = _blob(path, folder / "blobs")
            if blob is not None:
                is_official = host == "registry.ollama.ai" and owner == ["library"]
                shown = (
                    model
                    if is_official
                    else "/".join([*([] if host == "registry.ollama.ai" else [host]), *owner, model])
                )
                yield Stored(f"{OLLAMA}{shown}:{tag}", blob, blob.stat().st_size)


def _blob(manifest: Path, blobs: Path) -> Path | None:
    """The file with the weights named by a manifest."""
    try:
        layers = untrusted.read_json(manifest, 1_000_000)["layers"]
        digests = [_DIGEST.fullmatch(layer["digest"]) for layer in layers if layer["mediaType"] == _MODEL_LAYER]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    paths = [blobs / f"sha256-{digest[1]}" for digest in digests if digest]
    return paths[0] if len(paths) == 1 and paths[0].is_file() else None


def _lm_studio() -> Iterator[Stored]:
    for folder in (Path.home() / ".lmstudio" / "models", Path.home() / ".cache" / "lm-studio" / "models"):
        yield from _below(folder, LM_STUDIO)


def _llama_cpp() -> Iterator[Stored]:
    own = os.environ.get("LLAMA_CACHE")
    yield from _below(Path(own) if own else Path.home() / ".cache" / "llama.cpp", LLAMA_CPP)


def _below(folder: Path, prefix: str) -> Iterator[Stored]:
    for path in _files(folder, "*.gguf"):
        if not path.name.startswith("mmproj"):
            yield Stored(prefix + path.relative_to(folder).as_posix(), path, path.stat().st_size)


def _files(folder: Path, pattern: str) -> Iterator[Path]:
    try:
        for number, path in enumerate(folder.rglob(pattern)):
            if number >= _MOST:
                return
            if path.is_file():
                yield path
    except OSError:
        return
