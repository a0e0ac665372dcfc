"""The weights of a model folder: a check of their headers (complete, in safetensors, untruncated), and their numbers."""

import math
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...common import untrusted
from ...common.mapped import BFLOAT16_BITS, mapped
from ..errors import ModelError, first_line

_INDEX = "model.safetensors.index.json"
_HEADER_LIMIT = 25_000_000  # bytes; the largest models take some 10 MB
_MAX_INDEX = 50_000_000  # bytes
_MAX_TENSORS = 500_000
_MAX_SHARDS = 10_000
EIGHT_BITS = "suture_eight_bits"
"""In config.json: matrices are quantised to 8 bits, each with a tensor of its rows' scales, a format of our own."""
_FACTORS = ".factors"


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of a model, as stored."""

    parameters: int
    bytes: int
    kinds: tuple[str, ...]  # number types, the most frequent first: "BF16", "F32", ...
    tensors: int = 0
    widest: int = 0  # the largest dimension of a tensor


def check_weights(folder: Path) -> Weights:
    """Raise a ModelError unless `folder` has complete weights in safetensors; return their sizes."""
    counts: dict[str, int] = {}
    size = tensors = widest = 0
    for name in weight_files(folder):
        for kind, shape, stored in _tensors(folder / name):
            counts[kind] = counts.get(kind, 0) + math.prod(shape)
            size += stored
            tensors += 1
            widest = max(widest, *shape, 1)
        if tensors > _MAX_TENSORS:
            raise ModelError(f"its weights are more than {_MAX_TENSORS:,} tensors: use another model")
    kinds = tuple(sorted(counts, key=lambda kind: -counts[kind]))
    return Weights(sum(counts.values()), size, kinds, tensors, widest)


def read_arrays(folder: Path) -> dict[str, np.ndarray]:
    """All tensors of a model's folder in float32, in memory of their own; raises ModelError for a number type that is no float."""
    arrays: dict[str, np.ndarray] = {}
    for name in weight_files(folder):
        size = (folder / name).stat().st_size
        try:
            mapped_arrays, _ = mapped(folder / name, size, _HEADER_LIMIT)
        except (OSError, ValueError) as error:
            raise ModelError(f"its weights cannot be read ({first_line(error)}): download it again") from error
        for key, array in mapped_arrays.items():
            factors = mapped_arrays.get(f"{key}{_FACTORS}")
            if not key.endswith(_FACTORS):
                arrays[key] = _widened(array, key) if factors is None else array * factors.astype(np.float32)
    return arrays


def narrowed(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Arrays quantised to 8 bits: each row of a matrix as integers up to 127 with its scale; vectors unchanged."""
    stored: dict[str, np.ndarray] = {}
    for name, array in arrays.items():
        if array.ndim != 2:
            stored[name] = array
            continue
        factors = np.maximum(np.abs(array).max(1, keepdims=True), 1e-8) / 127
        stored[name] = np.rint(array / factors).astype(np.int8)
        stored[f"{name}{_FACTORS}"] = factors
    return stored


def _widened(array: np.ndarray, name: str) -> np.ndarray:
    if array.dtype == BFLOAT16_BITS:
        wide = array.view(np.uint16).astype(np.uint32)
        wide <<= 16  # bfloat16 is the upper half of float32
        return wide.view(np.float32)
    if array.dtype.kind != "f":
        raise ModelError(f"its weights are not floating-point numbers ({name}): use another model")
    return array.astype(np.float32)


def weight_files(folder: Path) -> list[str]:
    """The names of the weight files: one, or the index's shards."""
    if untrusted.is_regular(folder / "model.safetensors"):
        return ["model.safetensors"]
    if untrusted.exists(folder / _INDEX):
        try:
            shards = untrusted.read_json(folder / _INDEX, _MAX_INDEX)["weight_map"].values()
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            raise ModelError(f"{_INDEX} cannot be read: download it again") from None
        names = sorted({str(shard) for shard in shards})
        if len(names) > _MAX_SHARDS:
            raise ModelError(f"{_INDEX} names more than {_MAX_SHARDS:,} files: download it again")
        for name in names:  # a name with folders would lead out of the model's own
            if Path(name).name != name or not name.endswith(".safetensors"):
                raise ModelError(
                    f"{_INDEX} names {name}, which is no safetensors file of its folder: use another model"
                )
        return names
    if any(folder.glob("*.bin")) or any(folder.glob("*.pt")) or any(folder.glob("*.pth")):
        raise ModelError("its weights are pickle files, which can run code: use a revision with model.safetensors")
    raise ModelError(f"{folder} has no model.safetensors: download all files of the model")


def _tensors(path: Path) -> Iterator[tuple[str, list[int], int]]:
    """The number type, shape and bytes of each tensor of an untruncated file."""
    for entry in _header(path):
        start, end = entry["data_offsets"]
        yield entry["dtype"], entry["shape"], end - start


def _is_entry(entry: Any) -> bool:
    """Whether a part of a header fits the format."""
    offsets, shape = entry["data_offsets"], entry["shape"]
    numbers = [*offsets, *shape]
    right = len(offsets) == 2 and len(shape) <= 16 and all(type(n) is int and 0 <= n < 1 << 62 for n in numbers)
    return right and isinstance(entry["dtype"], str)


def _header(path: Path) -> list[dict[str, Any]]:
    try:
        size = path.stat().st_size
        if not untrusted.is_regular(path):
            raise ValueError("a pipe or a device")
        with path.open("rb") as file:
            start = file.read(8)
            length = struct.unpack("<Q", start)[0] if len(start) == 8 else -1
            if not 0 < length <= min(size, _HEADER_LIMIT):
                raise ValueError(length)
            header = untrusted.parse_json(file.read(length))
            entries = [entry for name, entry in header.items() if name != "__metadata__"]
            if not all(map(_is_entry, entries)):
                raise ValueError("no entry of a tensor")
            ends = [entry["data_offsets"][1] for entry in entries]
    except FileNotFoundError:
        raise ModelError(f"{path.name} is missing: download all files of the model") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError):
        raise ModelError(f"{path.name} is damaged: download it again") from None
    expected = 8 + length + max(ends, default=0)
    if size < expected:
        raise ModelError(f"{path.name} is incomplete ({size:,} of {expected:,} bytes): download it again")
    return entries
