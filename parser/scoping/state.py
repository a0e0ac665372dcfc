"""A hole whose texts are read by the semantics of its language beside the grammar."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Self

from ...common.constraint import never
from ..hole import State
from .verdicts import Refused


class SemanticState(State):
    """The hole after some text, as a value, with a reading of the text beside it; see State. The inner state answers for syntax."""

    __slots__ = ("_complete", "_first", "_written", "inner")

    def __init__(self, inner: State, first: Self | None, written: str) -> None:
        """first: the hole's first state; None: this one is. written: the text so far."""
        self.inner = inner
        self._first = first
        self._written = written
        self._complete: bool | None = None
        self._left, self._context = inner.left, inner.context

    @property
    def first(self) -> Self:
        """The hole's first state. It does not refer to itself: only a full collection would free it, with everything it holds."""
        return self._first or self

    def _read(self, inner: State, text: str) -> Self:
        """The state after more text; inner: the inner state after it. Raises Refused."""
        raise NotImplementedError

    def problem(self) -> Refused | None:
        """The problems of the whole file, if it ends here, caused by the text."""
        raise NotImplementedError

    def _renamed(self, bridge: str) -> Iterator[str]:
        """A bridge with other names in place of its undefined ones."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SemanticState) and self.first is other.first and self._written == other._written

    def __hash__(self) -> int:
        return hash(self.inner)

    @property
    def stays_in_hole(self) -> bool:
        return self.inner.stays_in_hole

    def new_masks(self, spellings: Sequence[bytes | None], size: int, folder: Path) -> None:
        """None: the tokens allowed depend on names, so each has to be checked alone."""

    def advance(self, text: str) -> Self | None:
        if not text:
            return self
        inner = self.inner.advance(text)
        if inner is None:
            return None
        try:
            return self._read(inner, text)
        except Refused:
            return None

    def why_refused(self, text: str) -> Refused | None:
        """The refusal of a text that parses, by the compiler or for a name; None where there is none."""
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
        """Whether left + text so far + right is a file that compiles, as far as it is checked, with no new name undefined or unused."""
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
        """Short texts that make the file complete; see State."""
        return tuple(self._bridges(stop))

    def _bridges(self, stop: Callable[[], bool]) -> Iterator[str]:
        for text in self.inner.bridges(stop):
            for candidate in (text, *self._renamed(text)):
                after = self.advance(candidate)
                if after is not None and after.complete:
                    yield candidate
                    break
