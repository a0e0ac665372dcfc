"""The models on this machine, and the facts of each, read from its files without loading it."""

import re
from dataclasses import dataclass
from pathlib import Path

from ...common import untrusted
from ..errors import ModelError
from ..prompting import fim_template
from . import memory
from .checkpoint import read_folder
from .find import EMBEDDED, EMBEDDED_NAME, find_model
from .gguf import FAMILY_KEY, ORDER_KEY, read_gguf
from .gguf_vocabulary import tokens_of


@dataclass(frozen=True, slots=True)
class Cached:
    """A model in the hub's local cache."""

    hub: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Info:
    """A model's facts and needs."""

    name: str
    folder: str
    architecture: str
    parameters: int
    stored_bytes: int
    number_types: tuple[str, ...]  # as stored
    context: int  # tokens
    vocabulary: int
    template: str
    order: str  # "psm" prefix first, "spm" suffix first
    licence: str | None
    gpu_bytes: int  # memory in 16 bits
    cpu_bytes: int  # memory in 32 bits


def cached() -> list[Cached]:
    """The models in the hub's local cache, by name; needs no network."""
    from huggingface_hub import scan_cache_dir
    from huggingface_hub.errors import CacheNotFound

    try:
        repositories = scan_cache_dir().repos
    except (CacheNotFound, OSError, ValueError):
        return []
    # Some repositories are a configuration alone, all that another tool needed.
    models = [Cached(repo.repo_id, repo.size_on_disk) for repo in repositories if repo.repo_type == "model"]
    return sorted(models, key=lambda model: model.hub.lower())


def info(name: str | None, revision: str | None = None) -> Info:
    """The facts of the model of this name or folder; a ModelError says why it cannot be used."""
    shown = name or EMBEDDED_NAME
    try:
        folder = find_model(name, revision=revision)
        if folder.is_file():
            return _info_of_gguf(shown, folder)
        contents = read_folder(folder)
    except ModelError as error:
        raise ModelError(f"cannot use the model {shown}: {error}") from error.__cause__
    weights = contents.weights
    return Info(
        name=shown,
        folder=str(folder),
        architecture=str(contents.config.get("model_type", "unknown")),
        parameters=weights.parameters,
        stored_bytes=weights.bytes,
        number_types=weights.kinds,
        context=contents.limit,
        vocabulary=len(contents.vocabulary),
        template=contents.template.name,
        order=contents.template.order,
        licence=_licence(folder),
        gpu_bytes=memory.needed(weights.parameters, 2),
        cpu_bytes=memory.needed(weights.parameters, 4),
    )


def _info_of_gguf(name: str, path: Path) -> Info:
    gguf = read_gguf(path)
    tokens = tokens_of(gguf)
    ids = {spelling: token for token, spelling in enumerate(tokens.pieces)}
    template = fim_template.detect(
        ids,
        family=gguf.text(FAMILY_KEY),
        order=gguf.text(ORDER_KEY),
        opening=tokens.opening,
        ends=gguf.ends,
        added=frozenset(tokens.controls),
    )
    needs = int(gguf.bytes * 1.15)
    return Info(
        name=name,
        folder=str(path),
        architecture=gguf.architecture,
        parameters=gguf.parameters,
        stored_bytes=gguf.bytes,
        number_types=(gguf.stored,),
        context=gguf.context,
        vocabulary=len(tokens.pieces),
        template=template.name,
        order=template.order,
        licence=gguf.text("general.license"),
        gpu_bytes=needs,
        cpu_bytes=needs,
    )


def _licence(folder: Path) -> str | None:
    """The licence in the head of the model card."""
    try:
        card = untrusted.read_text(folder / "README.md", 2_000_000, "replace")[:4000]
    except OSError:
        return None
    head = re.match(r"---\n(.*?)\n---", card, re.DOTALL)
    said = re.search(r"^licen[cs]e(?:_name)?:\s*(\S+)", head[1], re.MULTILINE) if head else None
    return said[1] if said else None


def is_embedded(name: str | None) -> bool:
    """Whether a name means the bundled model."""
    return name in (None, "", EMBEDDED_NAME) or (Path(name).expanduser() == EMBEDDED)
