"""Whether the weights of a model folder are all there, in safetensors, and whole: looked up in the headers, in no time."""

import json
import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import ModelError

_INDEX = "model.safetensors.index.json"
_HEADER_LIMIT = 100_000_000  # bytes, as in the safetensors library


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of a model, as stored."""

    parameters: int
    bytes: int
    kinds: tuple[str, ...]  # number types, the most frequent first: "BF16", "F32", ...


def check_weights(folder: Path) -> Weights:
    """Raise a ModelError unless `folder` has whole weights in safetensors; say how large they are."""
    counts: dict[str, int] = {}
    size = 0
    for name in weight_files(folder):
        for kind, elements, stored in _tensors(folder / name):
            counts[kind] = counts.get(kind, 0) + elements
            size += stored
    return Weights(sum(counts.values()), size, tuple(sorted(counts, key=lambda kind: -counts[kind])))


def weight_files(folder: Path) -> list[str]:
    """The names of the weight files: one, or the shards that the index names."""
    if (folder / "model.safetensors").is_file():
        return ["model.safetensors"]
    if (folder / _INDEX).is_file():
        try:
            shards = json.loads((folder / _INDEX).read_text(encoding="utf-8"))["weight_map"].values()
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            raise ModelError(f"{_INDEX} cannot be read: download it again") from None
        names = sorted({str(shard) for shard in shards})
        for name in names:  # a name with folders in it would lead out of the model's own
            if Path(name).name != name or not name.endswith(".safetensors"):
                raise ModelError(
                    f"{_INDEX} names {name}, which is no safetensors file of its folder: use another model"
                )
        return names
    if any(folder.glob("*.bin")) or any(folder.glob("*.pt")) or any(folder.glob("*.pth")):
        raise ModelError("its weights are pickle files, which can run code: use a revision with model.safetensors")
    raise ModelError(f"{folder} has no model.safetensors: download all files of the model")


def _tensors(path: Path) -> Iterator[tuple[str, int, int]]:
    """The number type, elements and bytes of each tensor of a file that is whole."""
    for entry in _header(path):
        start, end = entry["data_offsets"]
        yield entry["dtype"], math.prod(entry["shape"]), end - start


def _header(path: Path) -> list[dict[str, Any]]:
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            start = file.read(8)
            length = struct.unpack("<Q", start)[0] if len(start) == 8 else -1
            if not 0 < length <= min(size, _HEADER_LIMIT):
                raise ValueError(length)
            header = json.loads(file.read(length))
            entries = [entry for name, entry in header.items() if name != "__metadata__"]
            ends = [entry["data_offsets"][1] for entry in entries]
    except FileNotFoundError:
        raise ModelError(f"{path.name} is missing: download all files of the model") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError):
        raise ModelError(f"{path.name} is damaged: download it again") from None
    expected = 8 + length + max(ends, default=0)
    if size < expected:
        raise ModelError(f"{path.name} is only half there ({size:,} of {expected:,} bytes): download it again")
    return entries
