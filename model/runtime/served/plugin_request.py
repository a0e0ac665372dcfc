"""A client's message to a server's plugin, which constrains drafts to the file: one argument of a request, as text.

The text is JSON, compressed and in base64. That keeps requests small, and code out of the log of arguments when a request fails. The plugin
for vLLM (`plugins/vllm`) reads it with `unpacked`; the client checks every token all the same.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from dataclasses import dataclass
from typing import Any

from ....common.json_types import is_array, is_object

ARGUMENT = "suture"
"""The name of the argument, in `vllm_xargs`."""
QUESTION = "?"
"""A value to ask for a plugin: it refuses the request, with GREETING in its message."""
GREETING = "suture-vllm, format 1"
MOST_CHARS = 262_144
"""The most characters of both contexts together: opening a hole takes time while a server's other requests wait."""
_MOST_TOKENS = 16_384
_MOST_BYTES = 8 * MOST_CHARS  # of JSON; a character takes six bytes at most, as \\uXXXX


@dataclass(frozen=True, slots=True)
class PluginRequest:
    """The file around a draft. The prompt ends where `left` and the tokens `written` end."""

    left: str
    right: str
    language: str
    version: str | None = None  # of the language; None: its default
    written: tuple[int, ...] = ()  # tokens in the hole at the prompt's end
    forced: bytes = b""  # the required beginning of the first token in the hole
    ends: tuple[int, ...] = ()  # tokens that end a text, besides the model's own

    @property
    def size(self) -> int:
        """Characters of both contexts."""
        return len(self.left) + len(self.right)


def packed(request: PluginRequest) -> str:
    """The argument's value."""
    fields: dict[str, Any] = {"left": request.left, "right": request.right, "language": request.language}
    fields |= {"version": request.version} if request.version is not None else {}
    fields |= {"written": request.written} if request.written else {}
    fields |= {"forced": request.forced.hex()} if request.forced else {}
    fields |= {"ends": request.ends} if request.ends else {}
    return base64.b64encode(zlib.compress(json.dumps(fields).encode(), 1)).decode()


def unpacked(value: object) -> PluginRequest:
    """The request in an argument's value. Raises ValueError, with a message that quotes nothing of it."""
    if not isinstance(value, str):
        raise ValueError("has to be a string")
    fields = _fields(value)
    if unknown := sorted(set(fields) - {"left", "right", "language", "version", "written", "forced", "ends"}):
        raise ValueError(f"has {len(unknown)} unknown fields")
    left, right, language = (_text(fields, name) for name in ("left", "right", "language"))
    version = fields.get("version")
    if version is not None and not isinstance(version, str):
        raise ValueError("version has to be a string")
    if len(left) + len(right) > MOST_CHARS:
        raise ValueError(f"left and right are longer than {MOST_CHARS:,} characters together")
    try:
        forced = bytes.fromhex(_text(fields, "forced", ""))
    except ValueError:
        raise ValueError("forced has to be a string of hexadecimal digits") from None
    return PluginRequest(left, right, language, version, _ids(fields, "written"), forced, _ids(fields, "ends"))


def _fields(value: str) -> dict[str, Any]:
    try:
        reader = zlib.decompressobj()
        text = reader.decompress(base64.b64decode(value, validate=True), _MOST_BYTES)
        if reader.unconsumed_tail or not reader.eof:
            raise ValueError
        fields = json.loads(text)
    except (binascii.Error, zlib.error, ValueError, RecursionError):
        raise ValueError("is not JSON, compressed by zlib and in base64, or too long") from None
    if not is_object(fields):
        raise ValueError("is no JSON object")
    return dict(fields)


def _text(fields: dict[str, Any], name: str, otherwise: str | None = None) -> str:
    text = fields.get(name, otherwise)
    if not isinstance(text, str):
        raise ValueError(f"{name} has to be a string")
    return text


def _ids(fields: dict[str, Any], name: str) -> tuple[int, ...]:
    ids = fields.get(name, [])
    if not is_array(ids) or len(ids) > _MOST_TOKENS or not all(type(token) is int and token >= 0 for token in ids):
        raise ValueError(f"{name} has to be a list of token ids")
    return tuple(ids)
