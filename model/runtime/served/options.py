"""Addresses of servers, and the user's settings for them: plain values, read without a connection."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from ...errors import ModelError


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """The user's settings for a server."""

    key_env: str | None = None  # the environment variable with the key
    ca: str | None = None  # a file with certificates
    tokenizer: str | None = None  # a folder or file with the model's tokenizer.json
    template: str | None = None  # the family of the prompt, instead of the one the vocabulary implies
    order: str | None = None  # "psm" or "spm"
    plain_http: bool = False  # an explicit yes to code on the network without encryption


NO_OPTIONS = ServerOptions()


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a served model."""

    url: str  # without /v1 and the name
    model: str | None

    @property
    def loopback(self) -> bool:
        """Whether it is on this machine."""
        host = urlsplit(self.url).hostname or ""
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host == "localhost" or host.endswith(".localhost")


def is_address(name: str | None) -> bool:
    """Whether a model's name is the address of a server."""
    return name is not None and name.lower().startswith(("http://", "https://"))


def parse_address(text: str) -> Address:
    """Read an address; raises ModelError."""
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError:
        raise ModelError("this is not an address: write it as http://127.0.0.1:8000/v1#name") from None
    if not parts.hostname or parts.scheme not in ("http", "https"):
        raise ModelError("this is not an address: write it as http://127.0.0.1:8000/v1#name")
    if parts.username or parts.password:
        raise ModelError("a key does not belong in an address: name its environment variable with model_key_env")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    path = parts.path.rstrip("/").removesuffix("/v1")
    return Address(f"{parts.scheme}://{host}{f':{port}' if port else ''}{path}", parts.fragment or None)
