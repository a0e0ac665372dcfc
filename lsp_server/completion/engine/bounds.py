"""A client's bounds on its texts, such as those an HTTP request brings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..proposing.editing import ASKED_MS, ASKED_TOKENS
from ..proposing.shown import Suggestion

_LEAST_TOKENS = 16
"""Tokens a model may always write: of a shorter text nobody knows whether it is worth a look."""


@dataclass(frozen=True)
class Bounds:
    """The number of texts a client takes, their length, and the texts to end before."""

    texts: int = 1
    max_tokens: int | None = None
    text_ms: float | None = None
    stops: tuple[str, ...] = ()

    def options(self, max_tokens: int | None) -> dict[str, Any]:
        """The options that make a model write little more than needed. max_tokens: by the settings."""
        needed = None if self.max_tokens is None else max(self.max_tokens, _LEAST_TOKENS)
        tokens = {} if needed is None else {"max_tokens": min(needed, max_tokens or ASKED_TOKENS)}
        return tokens if self.text_ms is None else {**tokens, "text_ms": min(self.text_ms, ASKED_MS)}

    def beginnings(self, text: str, pieces: Sequence[bytes]) -> Iterator[str]:
        """The text, if within the bounds, or else its beginnings within them, the longest first. pieces: its tokens."""
        stopped = min((start for stop in self.stops if (start := text.find(stop)) >= 0), default=len(text))
        ends = [len(b"".join(pieces[:count]).decode(errors="ignore")) for count in range(len(pieces))]
        within = self.max_tokens is None or self.max_tokens >= len(pieces)
        most = stopped if within or self.max_tokens is None else min(stopped, ends[self.max_tokens])
        yield text[:most]
        yield from (text[:end] for end in reversed(ends) if end < most)

    def cut(self, suggestion: Suggestion, text: str, tokens: int) -> Suggestion:
        """A suggestion of a beginning of its text; tokens: the number that spells it."""
        made = suggestion.completion
        if text != suggestion.text:
            stopped = any(suggestion.text.startswith(stop, len(text)) for stop in self.stops)
            made = replace(made, ended="model" if stopped else "length")
        return replace(suggestion, text=text, behind=0, completion=replace(made, tokens=tokens))
