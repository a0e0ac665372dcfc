"""A push-down automaton over tokens, with a stack that is copied, never changed, to read TypeScript for its semantics."""

from __future__ import annotations

from typing import Any, Literal

Frame = tuple[Any, ...]
Stack = tuple[Frame, Any]


class Broken(Exception):
    """The text is not of the language."""


class Pushdown:
    """The stack of an automaton, copied, never changed, once it is kept.

    A frame is a tuple: the name of the function for the next token, then that function's arguments. A method that changes the stack
    returns True, so that a taker can return its result: the token is taken.
    """

    __slots__ = ("stack",)

    stack: Stack

    def push(self, *frame: Any) -> Literal[True]:
        """Let a frame take the next token, before the others."""
        self.stack = (frame, self.stack)
        return True

    def begin(self, *frames: Frame) -> Literal[True]:
        """Let frames take the next tokens, one after the other, before the others."""
        for frame in reversed(frames):
            self.stack = (frame, self.stack)
        return True

    def pop(self) -> Literal[True]:
        """Drop the finished top frame. Raises Broken."""
        if self.stack[1] is None:
            raise Broken
        self.stack = self.stack[1]
        return True

    def replace(self, *frame: Any) -> Literal[True]:
        """Replace the top frame by another."""
        self.stack = (frame, self.stack[1])
        return True

    def become(self, *frames: Frame) -> Literal[True]:
        """Replace the top frame by these. Raises Broken."""
        self.pop()
        return self.begin(*frames)
