"""Whether the weights of a model folder are all there, in safetensors, and whole: looked up in the headers, in no time."""

import json
import struct
from pathlib import Path

from .errors import ModelError

_INDEX = "model.safetensors.index.json"
_HEADER_LIMIT = 100_000_000  # bytes, as in the safetensors library


def check_weights(folder: Path) -> None:
    """Raise a ModelError unless `folder` has whole weights in safetensors."""
    for name in weight_files(folder):
        _check_file(folder / name)


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


def _check_file(path: Path) -> None:
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            start = file.read(8)
            length = struct.unpack("<Q", start)[0] if len(start) == 8 else -1
            if not 0 < length <= min(size, _HEADER_LIMIT):
                raise ValueError(length)
            header = json.loads(file.read(length))
            ends = [entry["data_offsets"][1] for name, entry in header.items() if name != "__metadata__"]
    except FileNotFoundError:
        raise ModelError(f"{path.name} is missing: download all files of the model") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError):
        raise ModelError(f"{path.name} is damaged: download it again") from None
    expected = 8 + length + max(ends, default=0)
    if size < expected:
        raise ModelError(f"{path.name} is only half there ({size:,} of {expected:,} bytes): download it again")
