"""The protocol for explaining the holes of a language to people."""

from __future__ import annotations

from typing import Protocol

from ..hole import HoleState
from .explanation import Explanation
from .hole_grammar import HoleGrammar
from .rejection import Rejection


class Explainer(Protocol):
    """Tells which texts a hole accepts, and why it refuses others. `before` is always the text up to a state, for the places of open
    brackets and blocks."""

    def explain(self, state: HoleState, before: str | None = None) -> Explanation:
        """The possible continuations of a state of a hole."""
        ...

    def why_rejected(self, state: HoleState, middle: str, before: str | None = None) -> Rejection | None:
        """Where a middle dies, for both contexts; None when it does not."""
        ...

    def why_not_complete(self, state: HoleState, before: str | None = None) -> Rejection | None:
        """Where the right context breaks when it follows at once; None when it does not break, or too far away."""
        ...

    def why_text_breaks(self, state: HoleState, text: str, before: str | None = None) -> Rejection | None:
        """Where a text after a state dies, whatever its right context; None when it does not."""
        ...

    def why_left_breaks(self, before: str) -> Rejection | None:
        """Where a left context breaks; None when it does not."""
        ...

    def counted(self, state: HoleState) -> int:
        """The number of relevant characters of the right context."""
        ...

    def grammar(self, state: HoleState, before: str) -> HoleGrammar | None:
        """The grammar of the fitting texts; None where the language has none."""
        ...
