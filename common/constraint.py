"""The one thing that a model wants from a language: which texts fit between left and right context."""

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
"""Asked now and then in long work, whether to stop."""


class TextMasks(Protocol):
    """Masks of a vocabulary's tokens of text.

    A packed mask is ((size + 31) // 32,) int32, token i is bit i % 32 of number i // 32; it is not to be written to.
    """

    def prepare(self, state: Any, progress: Progress | None = None) -> None:
        """Prepare the masks, or load prepared ones, for the language of a state."""
        ...

    def text(self, state: Any, pending: bytes = b"") -> tuple[Hashable, np.ndarray]:
        """(a key, the packed mask) after the first bytes of a character; equal keys stand for equal masks."""
        ...


def never() -> bool:
    """For callers that never cancel: whether to stop is always answered with no."""
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
        """Whether the text has closed nothing that was open before it: no bracket, no block."""
        ...

    @property
    def missing(self) -> float:
        """An estimate of the characters that are still missing before the hole is complete; 0 where it is, or where nobody knows."""
        ...

    @property
    def doubtful(self) -> bool:
        """Whether the text ends in a word that exists nowhere, which only something unusual behind it could make right."""
        return False

    @property
    def fits(self) -> int:
        """The known types in the text that fit their places, less those that do not; 0 where none is known."""
        return 0

    @property
    def next_words(self) -> frozenset[str] | None:
        """The words of which one comes next, without a blank, where all others are refused or doubtful; None: not known."""
        return None

    def bridges(self, stop: Callable[[], bool] = ...) -> Sequence[str]:
        """The shortest known texts that make the hole complete, best first; () when none was found in the bound.

        `stop` is asked during the search, whether to give it up.
        """
        ...

    def refusal(self, text: str) -> str | None:
        """Why a text is refused, or "" as the end of the hole, in words, where more than syntax does it; None: syntax, or not known."""
        return None

    def new_masks(self, spellings: Sequence[bytes | None], size: int, folder: Path) -> TextMasks | None:
        """Masks of a vocabulary for all states of this kind, given the bytes of its tokens (None: no text), the size of a mask, and a
        folder for prepared masks. None: each token has to be checked alone."""
        return None


@dataclass(frozen=True)
class NoConstraint(Constraint):
    """Takes every text; `complete`: whether every text is said to make a valid file, or none."""

    complete: bool = True  # pyright: ignore[reportIncompatibleMethodOverride]
    stays_in_hole: bool = True  # pyright: ignore[reportIncompatibleMethodOverride]
    missing: float = 0.0  # pyright: ignore[reportIncompatibleMethodOverride]

    def advance(self, text: str) -> Self:
        """Take more text."""
        return self

    def admits(self, partial: bytes) -> bool:
        """Take more bytes."""
        return True

    def bridges(self, stop: Callable[[], bool] = never) -> Sequence[str]:
        """No bridges: a text without a grammar needs none."""
        return ()


@dataclass(frozen=True)
class Wrapper(Constraint):
    """A constraint that is as another, but for a subclass's changes. It has no masks, since those of the other know nothing of the changes."""

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
