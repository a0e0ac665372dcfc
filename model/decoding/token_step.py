"""The tokens allowed next: bytes become characters; forced bytes come first, then the constraint decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...common.constraint import Constraint
from ...common.utf8 import split_utf8
from ..prompting.spelling_tree import SpellingTree

_ASCII = 128


class DecodingState(NamedTuple):
    """A place in the generated text, with everything that decides the next tokens."""

    state: Constraint  # after all whole characters
    forced: bytes = b""  # text left of the cursor to spell again before anything new
    pending: bytes = b""  # the first bytes of a character
    piece: str = ""  # the characters finished by the last token

    @property
    def closed(self) -> bool:
        """Whether the text so far is whole: it could end here, or be bridged from here."""
        return not self.forced and not self.pending

    def after(self, spelling: bytes, advance: Callable[[str], Constraint | None] | None = None) -> DecodingState | None:
        """The position after a token spelled like this; None if it is not allowed here.

        advance: as the state's own; None: that.
        """
        state, forced, pending, _ = self
        if forced:
            if forced.startswith(spelling):
                return DecodingState(state, forced[len(spelling) :])
            if not spelling.startswith(forced):
                return None
            spelling = spelling[len(forced) :]
        split = split_utf8(pending + spelling)
        if split is None:
            return None
        text, rest = split
        following = state.advance(text) if advance is None else advance(text)
        if following is None or (rest and not following.admits(rest)):
            return None
        # A call of the class takes three times as long.
        return tuple.__new__(DecodingState, (following, b"", rest, text))  # pyright: ignore[reportUnknownMemberType]


class TokenChecker:
    """The checks at one position: each rejection is kept as its shortest dead text, so a search through the whole vocabulary asks the
    constraint about few of its tokens."""

    __slots__ = ("_alive", "_dead", "_position")

    def __init__(self, position: DecodingState) -> None:
        self._position = position
        self._dead: set[str] = set()
        self._alive: dict[str, Constraint] = {"": position.state}

    def read(self, spelling: bytes) -> DecodingState | None:
        """The position after a token spelled like this; None if it is not allowed here."""
        return self._position.after(spelling, self._advance)

    def narrow(self, logits: np.ndarray, tree: SpellingTree) -> None:
        """Set tokens to minus infinity whose first character is not allowed: one check per such character.

        logits: (tokens,), changed in place.
        """
        here = self._position
        if here.forced or here.pending:
            return
        for byte, low, high in tree.children(0, len(tree.ids), 0)[1]:
            if byte >= _ASCII:
                break
            ids = tree.ids[low:high]
            ids = ids[ids < len(logits)]  # a model's rows may be shorter than its vocabulary, or longer
            if (logits[ids] > -np.inf).any() and self._advance(chr(byte)) is None:
                logits[ids] = -np.inf

    def _advance(self, text: str) -> Constraint | None:
        alive = self._alive.get(text)
        if alive is not None:
            return alive
        if self._dead and any(text[:end] in self._dead for end in range(1, len(text) + 1)):
            return None
        state = self._position.state.advance(text)
        if state is None:
            self._dead.add(self._shortest_dead(text))
        else:
            self._alive[text] = state
        return state

    def _shortest_dead(self, text: str) -> str:
        state = self._position.state
        for end in range(1, len(text)):
            alive = self._alive.get(text[:end]) or state.advance(text[end - 1])
            if alive is None:
                return text[:end]
            self._alive[text[:end]] = state = alive
        return text
