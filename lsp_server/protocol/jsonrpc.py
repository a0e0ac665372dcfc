"""JSON-RPC messages from untrusted bytes; anything else is refused in bounded time and memory."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from ...common.json_types import is_object
from ...common.possessive import compiled

PARSE_ERROR, INVALID_REQUEST, INTERNAL_ERROR = -32700, -32600, -32603
REQUEST_CANCELLED, SERVER_CANCELLED, REQUEST_FAILED = -32800, -32802, -32803

TEXTS = "suture/texts"
"""The request of our own sent by the endpoint over HTTP."""
MAX_VALUES = 2_000_000
"""The most values in a message: each costs some 60 bytes in memory, whatever its length in the message."""
# Possessive, and the end may stand in place of a quote: so no text is read twice.
_TEXT = compiled(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)


@dataclass(frozen=True)
class Refusal:
    """The reason for refusing bytes: the code and the text of a JSON-RPC error."""

    code: int
    message: str
    id: int | str | None = None


def parse(body: bytes) -> dict[str, Any] | Refusal:
    """Read a message; a Refusal for anything else."""
    if _values(body) > MAX_VALUES:
        return Refusal(INVALID_REQUEST, "the message has too many values")
    try:
        data = json.loads(body.decode("utf-8"))
    except UnicodeDecodeError:
        return Refusal(PARSE_ERROR, "the message is not UTF-8")
    except RecursionError:
        return Refusal(PARSE_ERROR, "the message is nested too deeply")
    except ValueError:
        return Refusal(PARSE_ERROR, "the message is not JSON")
    return data if is_object(data) and "suture" in data and "jsonrpc" not in data else check(data)


def check(data: Any) -> dict[str, Any] | Refusal:
    """The JSON value as a message, or the Refusal of it."""
    if isinstance(data, list):
        return Refusal(INVALID_REQUEST, "batches are not part of the language server protocol")
    if not is_object(data) or data.get("jsonrpc") != "2.0":
        return Refusal(INVALID_REQUEST, "this is not a JSON-RPC 2.0 message")
    number = data.get("id")
    if isinstance(number, bool) or not isinstance(number, int | str | None):
        return Refusal(INVALID_REQUEST, "an identifier must be a number or text")
    method = data.get("method")
    if "method" in data and not isinstance(method, str):
        return Refusal(INVALID_REQUEST, "a method must be text", number)
    if "method" not in data and (number is None or ("result" in data) == ("error" in data)):
        return Refusal(INVALID_REQUEST, "this is neither a request, a notification nor an answer")
    return data


def encode(message: dict[str, Any]) -> bytes:
    """A message as bytes."""
    return json.dumps(message, separators=(",", ":")).encode()


def answer(number: int | str | None, result: Any) -> bytes:
    """An answer."""
    return encode({"jsonrpc": "2.0", "id": number, "result": result})


def error(number: int | str | None, code: int, message: str) -> bytes:
    """An error as the answer."""
    return encode({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}})


def notification(method: str, params: Any) -> bytes:
    """A notification."""
    return encode({"jsonrpc": "2.0", "method": method, "params": params})


def request(number: int | str, method: str, params: Any) -> bytes:
    """A request."""
    return encode({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def _values(body: bytes) -> int:
    """An upper bound of the number of values; marks within strings are left out only where it matters."""
    count = body.count(b",") + body.count(b"[") + body.count(b"{")
    if count <= MAX_VALUES:
        return count
    body = _TEXT.sub(b"", body)
    return body.count(b",") + body.count(b"[") + body.count(b"{")
