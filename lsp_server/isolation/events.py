"""Events for the relay, beside those of `process.py` about the answering process."""

from __future__ import annotations

from dataclasses import dataclass

from .process import FromServer, ServerEnded


@dataclass(frozen=True)
class FromClient:
    """A message of the client."""

    body: bytes


@dataclass(frozen=True)
class ClientGone:
    """The client has gone, or its messages are no longer intelligible."""

    why: str = ""
    reads: bool = True  # whether the client still reads our last messages


@dataclass(frozen=True)
class Ended:
    """A signal asks us to end."""

    signal: int


Event = FromClient | ClientGone | Ended | FromServer | ServerEnded
