"""Events for the reader of messages, beside those of `process.py` about the process that answers."""

from __future__ import annotations

from dataclasses import dataclass

from .process import FromServer, ServerEnded


@dataclass(frozen=True)
class FromClient:
    """A message of the client."""

    body: bytes


@dataclass(frozen=True)
class ClientGone:
    """The client has gone, or cannot be understood any more."""

    why: str = ""
    reads: bool = True  # the last messages to it


@dataclass(frozen=True)
class Ended:
    """A signal asks us to end."""

    signal: int


Event = FromClient | ClientGone | Ended | FromServer | ServerEnded
