"""The head of a GGUF file: the model's architecture, its vocabulary, its sizes; without reading the weights.

The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, versions 2 and 3, little-endian. Everything in it is checked against
the file's size, so that a damaged or hostile file raises a ModelError instead of taking much memory.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, cast

from ...common import untrusted
from ..errors import ModelError, first_line

MAGIC = b"GGUF"
_SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_TEXT, _ARRAY = 8, 9
_MOST_DIMENSIONS = 8
_MOST_VALUES = 20_000_000  # in all arrays of a head: a vocabulary of 300,000 tokens has a million
_MOST_HEAD = 1 << 29  # bytes
# The quantisation of a file's weights, by general.file_type, in llama.cpp's names.
_FILE_TYPES = {0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K", 11: "Q3_K_S",
               12: "Q3_K_M", 13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K", 24: "IQ1_S",
               25: "IQ4_NL", 26: "IQ3_S", 27: "IQ3_M", 28: "IQ2_S", 29: "IQ2_M", 30: "IQ4_XS", 32: "BF16",
               38: "MXFP4"}  # fmt: skip

ORDER_KEY, FAMILY_KEY = "suture.fim_order", "suture.fim_family"  # of a file with its own prompt
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6  # types of tokens


@dataclass(frozen=True, slots=True)
class Gguf:
    """The head of a file."""

    path: Path
    fields: Mapping[str, Any]
    parameters: int
    bytes: int  # of the file

    @property
    def architecture(self) -> str:
        """The model's architecture, such as "qwen2"."""
        return str(self.fields.get("general.architecture", "unknown"))

    @property
    def name(self) -> str:
        """The model's name in the file."""
        return str(self.fields.get("general.name") or self.path.stem)

    @property
    def stored(self) -> str:
        """The quantisation of its weights: "Q4_K_M"."""
        kind = self.fields.get("general.file_type")
        return _FILE_TYPES.get(kind, "quantised") if isinstance(kind, int) else "unknown"

    @property
    def context(self) -> int:
        """The longest sequence, in tokens."""
        length = self.count("context_length")
        return length if length > 0 else 4096

    def count(self, key: str) -> int:
        """A number of the architecture, such as of layers or heads; the largest where layers differ, 0 without one."""
        value = self.fields.get(f"{self.architecture}.{key}")
        numbers = cast(list[Any], value) if isinstance(value, list) else [value]
        return max((number for number in numbers if isinstance(number, int)), default=0)

    def text(self, key: str) -> str | None:
        """A text field; None without one."""
        value = self.fields.get(key)
        return value if isinstance(value, str) else None

    @property
    def tokens(self) -> list[str]:
        """The vocabulary, by id."""
        tokens = self.fields.get("tokenizer.ggml.tokens")
        if not isinstance(tokens, list) or not tokens:
            raise ModelError(f"{self.path.name} has no vocabulary: use a GGUF file of a whole model")
        return cast(list[str], tokens)

    @property
    def token_types(self) -> list[int]:
        """NORMAL, CONTROL, ... by id."""
        types = self.fields.get("tokenizer.ggml.token_type")
        if isinstance(types, list) and len(cast(list[int], types)) == len(self.tokens):
            return cast(list[int], types)
        return [NORMAL] * len(self.tokens)

    @property
    def ends(self) -> list[int]:
        """The file's end-of-text tokens."""
        keys = ("eos_token_id", "eot_token_id", "eom_token_id")
        named = [self.fields.get(f"tokenizer.ggml.{key}") for key in keys]
        return [token for token in named if isinstance(token, int) and 0 <= token < len(self.tokens)]


def is_gguf(path: Path) -> bool:
    """Whether a file is GGUF, by its first bytes."""
    try:
        with untrusted.opened(path, 1 << 62) as file:
            return file.read(4) == MAGIC
    except OSError:
        return False


def read_gguf(path: Path) -> Gguf:
    """Read the head of a file; raises ModelError."""
    try:
        size = path.stat().st_size
        if not untrusted.is_regular(path):  # opening a pipe blocks
            raise ValueError("it is not a regular file")
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            reader = _Reader(data)
            return reader.read(path, size)
    except FileNotFoundError:
        raise ModelError(f"there is no file {path}: check the path") from None
    except (OSError, ValueError, struct.error, OverflowError, MemoryError) as error:
        raise ModelError(f"{path.name} is not a complete GGUF file ({first_line(error)}): download it again") from None


class _Reader:
    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self._at = 0
        self._values = 0

    def read(self, path: Path, size: int) -> Gguf:
        magic, version, tensors, pairs = struct.unpack_from("<4sIQQ", self._data, 0)
        self._at = 24
        if magic != MAGIC:
            raise ValueError("it does not begin as one")
        if version not in (2, 3):
            raise ValueError(f"its version is {version}")
        fields = {self._text(): self._value(self._number("<I")) for _ in range(self._count(pairs, 13))}
        parameters, end = 0, 0
        for _ in range(self._count(tensors, 24)):
            self._text()
            dimensions = self._number("<I")
            if dimensions > _MOST_DIMENSIONS:
                raise ValueError("a tensor with too many dimensions")
            parameters += prod(self._number("<Q") for _ in range(dimensions))
            self._number("<I")
            end = max(end, self._number("<Q"))
        if not tensors:
            raise ValueError("it has no weights")
        if self._at + end >= size:
            raise ValueError(f"only {size:,} bytes of it are here")
        split = fields.get("split.count")
        if isinstance(split, int) and split > 1:
            raise ValueError(f"it is one of {split} parts: join them with llama-gguf-split")
        return Gguf(path, fields, parameters, size)

    def _count(self, count: int, least: int) -> int:
        """Check a number of things of at least `least` bytes each."""
        if count * least > len(self._data) - self._at:
            raise ValueError("it is shorter than its header says")
        if self._at + count * least > _MOST_HEAD:
            raise ValueError("its header is too large")
        return count

    def _array(self, count: int, least: int) -> int:
        """The same for the values of an array, bounded in all arrays together."""
        self._values += self._count(count, least)
        if self._values > _MOST_VALUES:
            raise ValueError("its header is too large")
        return count

    def _number(self, form: str) -> Any:
        number = struct.unpack_from(form, self._data, self._at)[0]
        self._at += struct.calcsize(form)
        return number

    def _text(self) -> str:
        length = self._count(self._number("<Q"), 1)
        start = self._at
        self._at += length
        return self._data[start : start + length].decode(errors="replace")

    def _value(self, kind: int, depth: int = 0) -> Any:
        if kind in _SCALARS:
            return self._number(_SCALARS[kind])
        if kind == _TEXT:
            return self._text()
        if kind == _ARRAY and depth < 3:
            item, count = self._number("<I"), self._number("<Q")
            if item in _SCALARS:
                form = _SCALARS[item]
                count = self._array(count, struct.calcsize(form))
                numbers = list(struct.unpack_from(f"<{count}{form[1]}", self._data, self._at))
                self._at += count * struct.calcsize(form)
                return numbers
            return [self._value(item, depth + 1) for _ in range(self._array(count, 8))]
        raise ValueError(f"a value of the unknown kind {kind}")
