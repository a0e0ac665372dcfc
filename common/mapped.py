"""The arrays of a safetensors file as views of its memory-mapped pages: read on demand, and shared by all processes mapping the file."""

from __future__ import annotations

import math
import mmap
import os
from typing import Any

import numpy as np

from . import untrusted
from .json_types import is_object

BFLOAT16_BITS = np.dtype([("bfloat16", np.uint16)])
"""The dtype for bfloat16, unknown to NumPy: the upper half of each float32."""

_KINDS = {
    **{"U8": np.uint8, "U16": np.uint16, "U32": np.uint32, "U64": np.uint64},
    **{"I8": np.int8, "I16": np.int16, "I32": np.int32, "I64": np.int64},
    **{"F16": np.float16, "F32": np.float32, "F64": np.float64, "BF16": BFLOAT16_BITS},
}
_MOST_ARRAYS = 10_000
_MOST_DIMENSIONS = 16


def mapped(
    path: str | os.PathLike[str], max_bytes: int, max_header: int
) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """The read-only arrays of a file, and its metadata; the file must not be changed in place meanwhile.

    Raises OSError (UntrustedFileError for no regular file, or more than `max_bytes`), or ValueError for another format, a truncated file, or
    a header of more than `max_header` bytes.
    """
    with untrusted.opened(path, max_bytes) as file:
        length = int.from_bytes(file.read(8), "little")
        if not 0 < length <= max_header:
            raise ValueError("it is damaged")
        header = untrusted.parse_json(file.read(length))
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    if not is_object(header) or len(header) > _MOST_ARRAYS:
        raise ValueError("its header is none")
    about: Any = header.pop("__metadata__", {})
    if not is_object(about) or not all(isinstance(value, str) for value in about.values()):
        raise ValueError("its header is none")
    return {name: _array(data, 8 + length, name, entry) for name, entry in header.items()}, about


def _array(data: mmap.mmap, begin: int, name: str, entry: Any) -> np.ndarray:
    """One array of the data from `begin` on, behind the header; raises ValueError for a malformed entry."""
    try:
        (start, end), shape, kind = entry["data_offsets"], tuple(entry["shape"]), np.dtype(_KINDS[entry["dtype"]])
        numbers = [start, end, *shape]
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"{name} is no array") from None
    if len(shape) > _MOST_DIMENSIONS or not all(type(n) is int and 0 <= n < 1 << 48 for n in numbers):
        raise ValueError(f"{name} is no array")
    if end - start != math.prod(shape) * kind.itemsize:
        raise ValueError(f"{name} has another size")
    if begin + end > len(data):
        raise ValueError("it is incomplete")
    return np.frombuffer(data, kind, math.prod(shape), begin + start).reshape(shape)
