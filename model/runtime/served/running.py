"""Servers of models on this machine, at their default addresses. Nothing else is asked."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ....common.json_types import is_array, is_object
from ...errors import ModelError
from .options import Address, parse_address
from .transport import Transport

_PATIENCE_S = 1.0
_OLLAMA, _LM_STUDIO, _LLAMA_CPP = "http://127.0.0.1:11434", "http://127.0.0.1:1234", "http://127.0.0.1:8080"
_MOST = 200  # models of one server


@dataclass(frozen=True, slots=True)
class Running:
    """A model of a server on this machine."""

    name: str  # as a user types it: "http://127.0.0.1:11434/v1#qwen2.5-coder:1.5b"
    server: str  # "Ollama"
    bytes: int | None = None


def running() -> list[Running]:
    """The models of servers that answer, by server."""
    return [*_ollama(), *_listed("LM Studio", _LM_STUDIO), *_listed("llama.cpp", _LLAMA_CPP)]


def _ollama() -> Iterator[Running]:
    address = _ollama_address()
    answer = None if address is None else _asked(address, "/api/tags")
    for entry in _entries(answer, "models"):
        name, size = entry.get("name"), entry.get("size")
        if isinstance(name, str):
            yield Running(f"{address}/v1#{name}", "Ollama", size if isinstance(size, int) else None)


def _ollama_address() -> str | None:
    """Ollama's address, if it is on this machine."""
    said = os.environ.get("OLLAMA_HOST", "").strip()
    if not said:
        return _OLLAMA
    try:
        address: Address = parse_address(said if "://" in said else f"http://{said}")
    except ModelError:
        return _OLLAMA
    if "//0.0.0.0" in address.url:  # all addresses of this machine
        address = Address(address.url.replace("//0.0.0.0", "//127.0.0.1"), None)
    if not address.loopback:
        return None
    return address.url if address.url.rpartition(":")[2].isdigit() else f"{address.url}:11434"


def _listed(server: str, address: str) -> Iterator[Running]:
    for entry in _entries(_asked(address, "/v1/models"), "data"):
        name = entry.get("id")
        if isinstance(name, str) and not name.startswith("text-embedding-"):
            yield Running(f"{address}/v1#{name}", server)


def _asked(address: str, path: str) -> Any:
    transport = Transport(address, patience_s=_PATIENCE_S)
    try:
        return transport.get(path)
    except ModelError:  # nobody listens there, or another program
        return None
    finally:
        transport.close()


def _entries(answer: Any, key: str) -> list[Mapping[str, Any]]:
    listed = answer.get(key) if is_object(answer) else None
    return [entry for entry in listed[:_MOST] if is_object(entry)] if is_array(listed) else []
