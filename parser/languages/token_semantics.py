"""What the semantics of languages share that are read token by token (Go, TypeScript): a push-down automaton, and a state of the hole that asks it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar

from ..bridging.astar import never
from ..hole import State

Frame = tuple[Any, ...]
Stack = tuple[Frame, Any]


class Broken(Exception):
    """The text is not of the language."""


class Refused(Exception):
    """The compiler, or a name that does not exist, refuses a text; kind: "compile" or "names"."""

    def __init__(self, message: str, kind: str = "compile") -> None:
        super().__init__(message)
        self.kind = kind

    @property
    def words(self) -> str:
        """For a person."""
        return f"name {str(self)!r} is not defined" if self.kind == "names" else str(self)


class Pushdown:
    """The stack of an automaton that is copied, never changed, once it is kept.

    A frame is a tuple: the name of the function that takes the next token, then what that needs to know.
    """

    __slots__ = ("stack",)

    stack: Stack

    def push(self, *frame: Any) -> None:
        """A frame takes the next token, before the others."""
        self.stack = (frame, self.stack)

    def pop(self) -> None:
        """The frame on top is done. Raises Broken."""
        if self.stack[1] is None:
            raise Broken
        self.stack = self.stack[1]

    def replace(self, *frame: Any) -> None:
        """Another frame in the place of that on top."""
        self.stack = (frame, self.stack[1])


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


class BaseSemanticState(State):
    """The hole after some text, as a value, with a reading of the text beside it; see State. What concerns syntax alone is the inner state's."""

    __slots__ = ("_complete", "_first", "_written", "inner")

    def __init__(self, inner: State, first: BaseSemanticState | None, written: str) -> None:
        """first: the hole's first state; None: this one is. written: the text so far."""
        self.inner = inner
        self._first = first
        self._written = written
        self._complete: bool | None = None
        self._left, self._context = inner.left, inner.context

    def _read(self, inner: State, text: str) -> Self:
        """After more text, of which the inner state is given. Raises Refused."""
        raise NotImplementedError

    def problem(self) -> Refused | None:
        """What is wrong with the whole file, if it ends here, that was not without the text."""
        raise NotImplementedError

    def _renamed(self, bridge: str) -> Iterator[str]:
        """A bridge with other names where the ones in it do not exist."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BaseSemanticState)
            and (self._first or self) is (other._first or other)
            and self._written == other._written
        )

    def __hash__(self) -> int:
        return hash(self.inner)

    @property
    def stays_in_hole(self) -> bool:
        return self.inner.stays_in_hole

    def new_masks(self, spellings: Sequence[bytes | None], size: int, folder: Path) -> None:
        """None: which tokens may come depends on names, so that each has to be checked alone."""

    def advance(self, text: str) -> Self | None:
        """After more text; None when no completion of the hole starts like this."""
        inner = self.inner.advance(text)
        if inner is None:
            return None
        try:
            return self._read(inner, text)
        except Refused:
            return None

    def why_refused(self, text: str) -> Refused | None:
        """Why the compiler, or a name, refuses a text that parses; None where neither does."""
        inner = self.inner.advance(text)
        if inner is None:
            return None
        try:
            self._read(inner, text)
        except Refused as refused:
            return refused
        return None

    @property
    def complete(self) -> bool:
        """Is left + text so far + right a file that compiles, as far as it is looked at, with no new name undefined or unused?"""
        if self._complete is None:
            self._complete = self.inner.complete and self.problem() is None
        return self._complete

    def refusal(self, text: str) -> str | None:
        if not text:
            refused = self.problem() if self.inner.complete else None
        else:
            refused = self.why_refused(text)
        return None if refused is None else refused.words

    def bridges(self, stop: Callable[[], bool] = never) -> Sequence[str]:
        """Short texts that make it complete; see State."""
        return tuple(self._bridges(stop))

    def _bridges(self, stop: Callable[[], bool]) -> Iterator[str]:
        for text in self.inner.bridges(stop):
            for one in (text, *self._renamed(text)):
                after = self.advance(one)
                if after is not None and after.complete:
                    yield one
                    break
