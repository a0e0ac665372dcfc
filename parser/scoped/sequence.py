"""A frame for constructs that are a fixed sequence of symbols and other constructs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from .stack import WORD, Done, Expected, Frame, NameRule, Token


@dataclass(frozen=True, slots=True)
class New:
    """A part: a new name, introduced here."""

    rule: NameRule
    what: str
    suggestion: str


@dataclass(frozen=True, slots=True)
class Maybe:
    """The last part: an optional symbol."""

    text: str


Part = str | New | Maybe | Frame
"""A part of a sequence: a keyword or punctuation, a new name, an optional symbol, or the frame of a construct."""


@dataclass(frozen=True)
class Sequence(Frame):
    """Parts one after the other; a subclass gives them, and their common meaning."""

    index: int = 0
    values: tuple[object, ...] = ()
    """the values of the new names and constructs so far"""

    def part(self) -> Part | None:
        """The next part; None after the last."""
        raise NotImplementedError

    def result(self) -> object:
        """The meaning of the parts together."""
        return None

    def frames(self) -> tuple[Frame, ...] | Done:
        """The frames to push for this one, including those of a construct that comes next."""
        part = self.part()
        if part is None:
            return Done(self.result())
        if isinstance(part, str | New | Maybe):
            return (self,)
        inner = begun(part)
        assert not isinstance(inner, Done), "a construct has symbols of its own"
        return (self, *inner)

    def _next(self, *values: object) -> Self:
        return replace(self, index=self.index + 1, values=self.values + values)

    def expected(self) -> Expected:
        part = self.part()
        if isinstance(part, New):
            return Expected(new_name=part.rule, what=part.what)
        text = part.text if isinstance(part, Maybe) else part
        assert isinstance(text, str)
        return Expected.only(text)

    def shift(self, token: Token) -> tuple[Frame, ...] | Done:
        return self._next(*((token.text,) if isinstance(self.part(), New) and token.kind == WORD else ())).frames()

    def end(self) -> Done | None:
        return Done(self.result()) if isinstance(self.part(), Maybe) else None

    def resume(self, value: object) -> tuple[Frame, ...] | Done:
        return self._next(value).frames()

    def way_out(self) -> str:
        part = self.part()
        if isinstance(part, New):
            return part.suggestion
        return part if isinstance(part, str) else ""


def begun(frame: Frame) -> tuple[Frame, ...] | Done:
    """The frames to push for a construct."""
    return frame.frames() if isinstance(frame, Sequence) else (frame,)
