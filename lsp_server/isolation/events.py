"""What can happen to the reader of messages, beside what `process.py` says of the process that answers."""

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
    reads: bool = True  # what is still said to it


@dataclass(frozen=True)
class Ended:
    """A signal asks us to end."""

    signal: int


Event = FromClient | ClientGone | Ended | FromServer | ServerEnded
