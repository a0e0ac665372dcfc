"""What a server must be able to do, whatever its protocol: draft tokens, choose among some, score texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ...errors import ServerUnavailable
from .plugin_request import PluginRequest
from .transport import Cancel


@dataclass(frozen=True, slots=True)
class Drafted:
    """One step of a greedy draft."""

    token: int
    log_probs: Mapping[int, float]  # of the best tokens here, and of the one taken; in nats, of the whole vocabulary


class Draft(Protocol):
    """A draft on its way."""

    def next(self, cancelled: Cancel) -> Drafted | None:
        """The next step, None after the last. Raises Cancelled and ModelError."""
        ...

    def close(self) -> None:
        """Ask for no more."""
        ...


class Dialect(Protocol):
    """How one kind of server is asked. Used by one thread at a time."""

    @property
    def name(self) -> str:
        """For a person: "llama.cpp", "vLLM"."""
        ...

    def draft(self, ids: Sequence[int], tokens: int, around: PluginRequest | None = None) -> Draft:
        """Go on from `ids`, greedily, for up to so many tokens; within the file `around`, if the server can hold them to it."""
        ...

    def among(self, ids: Sequence[int], allowed: Sequence[int] | None, cancelled: Cancel) -> Mapping[int, float]:
        """Log probabilities after `ids` of the best of the `allowed` tokens, one at least; None: of many more tokens than
        a draft tells. {} where the server cannot."""
        ...

    def score(self, ids: Sequence[int], text: Sequence[int], cancelled: Cancel) -> float | None:
        """The log probability of `text` after `ids`; None where the server cannot."""
        ...

    def read(self, ids: Sequence[int], cancelled: Cancel) -> float:
        """Let the server read a prompt and keep it; the milliseconds a new token took, 0 where it does not say."""
        ...

    def recover(self, problem: ServerUnavailable) -> None:
        """Make the server answer again after it failed with a problem, if that is ours to do. Raises ServerUnavailable."""
        ...

    def close(self) -> None:
        """Let go of connections and processes."""
        ...
