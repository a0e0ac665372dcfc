"""A push-down automaton over tokens, whose stack is copied, never changed, to read TypeScript for its semantics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeVar

Frame = tuple[Any, ...]
Stack = tuple[Frame, Any]


class Broken(Exception):
    """The text is not of the language."""


class Pushdown:
    """The stack of an automaton that is copied, never changed, once it is kept.

    A frame is a tuple: the name of the function that takes the next token, then that function's arguments. A method that changes the stack gives True, so
    that a taker can return it: the token is taken.
    """

    __slots__ = ("stack",)

    stack: Stack

    def push(self, *frame: Any) -> Literal[True]:
        """A frame takes the next token, before the others."""
        self.stack = (frame, self.stack)
        return True

    def begin(self, *frames: Frame) -> Literal[True]:
        """Frames take the next tokens, one after the other, before the others."""
        for frame in reversed(frames):
            self.stack = (frame, self.stack)
        return True

    def pop(self) -> Literal[True]:
        """The frame on top is done. Raises Broken."""
        if self.stack[1] is None:
            raise Broken
        self.stack = self.stack[1]
        return True

    def replace(self, *frame: Any) -> Literal[True]:
        """Another frame in the place of that on top."""
        self.stack = (frame, self.stack[1])
        return True

    def become(self, *frames: Frame) -> Literal[True]:
        """These in the place of the frame on top. Raises Broken."""
        self.pop()
        return self.begin(*frames)


Machine = TypeVar("Machine", bound=Pushdown)
T = TypeVar("T")
Take = Callable[[Machine, T, Frame], bool]
"""Takes a token; False where it is left to the frame below."""


def feed(machine: Machine, token: T, takes: dict[str, Take[Machine, T]], steps: int) -> None:
    """One more token; steps: frames that may leave it to the next, which only broken text reaches. Raises Broken."""
    for _ in range(steps):
        frame = machine.stack[0]
        if takes[frame[0]](machine, token, frame):
            return
    raise Broken(token)
