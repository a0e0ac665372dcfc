"""The interface between model and language: the texts that fit between left and right context."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self

if TYPE_CHECKING:
    import numpy as np

Progress = Callable[[int, int], None]
"""Called with (lexer states done, lexer states in all)."""
Stop = Callable[[], bool]
"""Polled during long work: whether to stop."""


class TextMasks(Protocol):
    """Masks of a vocabulary's text tokens.

    A packed mask is ((size + 31) // 32,) int32, token i is bit i % 32 of number i // 32; it is read-only.
    """

    def prepare(self, state: Any, progress: Progress | None = None) -> None:
        """Prepare the masks, or load prepared ones, for the language of a state."""
        ...

    def text(self, state: Any, pending: bytes = b"") -> tuple[Hashable, np.ndarray]:
        """(a key, the packed mask) after the first bytes of a character; equal keys stand for equal masks."""
        ...


def never() -> bool:
    """Never stop: for callers without cancellation."""
    return False


class Constraint(Protocol):
    """An immutable state of a hole after some generated text: holding, copying and comparing one is free."""

    __slots__ = ()

    def advance(self, text: str) -> Self | None:
        """The state after `text`, or None when no completion starts like this."""
        ...

    def admits(self, partial: bytes) -> bool:
        """Whether a character whose UTF-8 encoding starts with `partial` (1 to 3 bytes) can come next."""
        ...

    @property
    def complete(self) -> bool:
        """Whether left context + text so far + right context is a valid file."""
        ...

    @property
    def stays_in_hole(self) -> bool:
        """Whether the text has closed no bracket and no block opened before it."""
        ...

    @property
    def missing(self) -> float:
        """An estimate of the characters missing until the hole is complete; 0 where it is complete, or where unknown."""
        ...

    @property
    def doubtful(self) -> bool:
        """Whether the text ends in an unknown word, valid only if something unusual follows."""
        return False

    @property
    def fits(self) -> int:
        """The number of known types in the text that fit their places, less the others; 0 without known types."""
        return 0

    @property
    def next_words(self) -> frozenset[str] | None:
        """The possible next words, without a blank, where all others are refused or doubtful; None: unknown."""
        return None

    def bridges(self, stop: Callable[[], bool] = ...) -> Sequence[str]:
        """The shortest known texts to complete the hole, best first; () when none was found within the bound.

        `stop` is polled during the search.
        """
        ...

    def refusal(self, text: str) -> str | None:
        """Why more than syntax refuses a text, or the hole's end (""), in words; None: syntax alone, or unknown."""
        return None

    def new_masks(self, spellings: Sequence[bytes | None], size: int, folder: Path) -> TextMasks | None:
        """Masks of a vocabulary for all states of this kind, from the bytes of its tokens (None: no text), a mask's size, and a folder for
        prepared masks. None: check each token alone."""
        return None


@dataclass(frozen=True)
class NoConstraint(Constraint):
    """Accepts every text; `complete`: whether every text counts as making a valid file, or none."""

    complete: bool = True  # pyright: ignore[reportIncompatibleMethodOverride]
    stays_in_hole: bool = True  # pyright: ignore[reportIncompatibleMethodOverride]
    missing: float = 0.0  # pyright: ignore[reportIncompatibleMethodOverride]

    def advance(self, text: str) -> Self:
        """Accept more text."""
        return self

    def admits(self, partial: bytes) -> bool:
        """Accept more bytes."""
        return True

    def bridges(self, stop: Callable[[], bool] = never) -> Sequence[str]:
        """No bridges: a text without a grammar needs none."""
        return ()


@dataclass(frozen=True)
class Wrapper(Constraint):
    """A constraint that delegates to another, but for a subclass's changes. It has no masks: the other's would ignore the changes."""

    inner: Constraint

    def admits(self, partial: bytes) -> bool:
        return self.inner.admits(partial)

    @property
    def complete(self) -> bool:
        return self.inner.complete

    @property
    def stays_in_hole(self) -> bool:
        return self.inner.stays_in_hole

    @property
    def missing(self) -> float:
        return self.inner.missing

    @property
    def doubtful(self) -> bool:
        return self.inner.doubtful

    @property
    def fits(self) -> int:
        return self.inner.fits

    @property
    def next_words(self) -> frozenset[str] | None:
        return self.inner.next_words

    def bridges(self, stop: Callable[[], bool] = never) -> Sequence[str]:
        return self.inner.bridges(stop)

    def refusal(self, text: str) -> str | None:
        return self.inner.refusal(text)
