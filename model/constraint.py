"""The one thing that a model wants from a language: which texts fit between left and right context."""

from collections.abc import Callable, Sequence
from typing import Protocol, Self


class Constraint(Protocol):
    """An immutable state of a hole after some generated text: holding, copying and comparing one is free."""

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

    def bridges(self, stop: Callable[[], bool] = ...) -> Sequence[str]:
        """The shortest known texts that make the hole complete, best first; () when none was found in the bound.

        `stop` is asked during the search, whether to give it up.
        """
        ...
