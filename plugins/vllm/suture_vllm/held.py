"""A request in progress, with its state at the last token read."""

from __future__ import annotations

from collections.abc import Sequence

from .followed import Followed, Follower


class Held:
    """One request constrained to its file."""

    def __init__(self, follower: Follower, start: Followed, output: Sequence[int] | None = None) -> None:
        """`output`: the growing list of the request's tokens, if the model runner has one."""
        self.read = 0
        self.now = start
        self._start = start
        self._follower = follower
        self._output = output

    def take(self, tokens: Sequence[int]) -> Followed:
        """Follow some tokens."""
        for token in tokens:
            self.now = self._follower.after(self.now, token)
        self.read += len(tokens)
        return self.now

    def restart(self) -> None:
        """Forget the tokens read: some were taken back."""
        self.read, self.now = 0, self._start

    def take_output(self) -> Followed | None:
        """Follow the list's new tokens; None if its last token is not known yet (-1 stands for it)."""
        output = self._output or ()
        if len(output) < self.read:
            self.restart()
        fresh = list(output[self.read :])
        if any(token < 0 for token in fresh):
            return None
        return self.take(fresh)
