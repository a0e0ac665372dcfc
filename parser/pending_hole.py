"""A hole before a right context with missing closers: a text may bring these itself, or leave them to be written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from ..common.constraint import never
from .hole import Closer, Hole, HoleState
from .lexing.base import Region
from .scoping.facts import Facts

_LEFT_TO_BRING = 2
"""Closers, innermost first, each tried as the last one brought by a text; or the text brings all."""
_UNIT = re.compile(r"\s*[)\]}]|\"{3}|'{3}|[\"'`]|(?:\r\n|\n|\r)?[^\r\n]+")
LONG_ENDS = r"\"{3}|'{3}|\*/|-->"
"""Ends of strings and comments of several characters."""
_LONG_END = re.compile(rf"\s*({LONG_ENDS}|</[\w.:-]*>|\w+)")
_LONGEST_END = 64
"""Characters of a text remembered, to see whether they begin such an end."""


def fewer(closers: Sequence[Closer]) -> Iterator[tuple[Closer, ...]]:
    """The closers left to write if a text brings the others: the first ones, which close the innermost code."""
    units = [Closer(closer.at, unit) for closer in closers for unit in _UNIT.findall(closer.text)]
    for brought in dict.fromkeys((*range(1, _LEFT_TO_BRING + 1), len(units))):
        if brought <= len(units):
            yield tuple(units[brought:])


def begins(text: str, closers: Sequence[Closer]) -> bool:
    """Whether a text ends with the beginning of its closer, such as `""` before three quotes: then it has written half of an end."""
    end = _LONG_END.match(closers[0].text) if closers and not closers[0].at else None
    if end is None:
        return False
    if end[1][0].isalnum():
        last = text[text.rfind("\n") + 1 :].strip()
        return 0 < len(last) < len(end[1]) and end[1].startswith(last)
    return any(text.endswith(end[1][:size]) for size in range(1, len(end[1])))


def pending_behind(hole: Hole, text: str) -> tuple[Closer, ...]:
    """The closers still to be written behind a text in a hole to make the file valid."""
    after = hole.state.advance(text) if isinstance(hole.state, PendingState) else None
    return hole.pending if after is None else after.pending


class PendingState(HoleState):
    """A hole after some text, as a value, with several possible right contexts: with all closers, or with fewer.

    It is complete if it is with any of them. It has no masks: each token is checked alone, with more than one right context.
    """

    __slots__ = ("_closers", "_cut", "_first", "_others", "_tail", "_text")

    def __init__(
        self,
        first: HoleState,
        closers: tuple[Closer, ...],
        others: Sequence[tuple[HoleState, tuple[Closer, ...]]],
        text: str = "",
        *,
        cut: bool = False,
        tail: str = "",
    ) -> None:
        """first: with the closers. others: with fewer, the most first, in their state before a text. cut: whether only a part of the right
        context is read; then the closers must stay. tail: the end of the text written so far."""
        self._first, self._closers, self._text, self._cut, self._tail = first, closers, text, cut, tail
        self._others: Sequence[tuple[HoleState, tuple[Closer, ...]]] = others

    def placed(self, placed: Callable[[Sequence[Closer]], tuple[Closer, ...]]) -> PendingState:
        """The same with the closers elsewhere."""
        others = [(state, placed(closers)) for state, closers in self._others]
        return PendingState(self._first, placed(self._closers), others, self._text, cut=self._cut, tail=self._tail)

    def _reached(self) -> Sequence[tuple[HoleState, tuple[Closer, ...]]]:
        """The others after the text, advanced on demand."""
        if self._text:
            after = ((state.advance(self._text), closers) for state, closers in self._others)
            self._others, self._text = [(state, closers) for state, closers in after if state is not None], ""
        return self._others

    def advance(self, text: str) -> PendingState | None:
        first, tail = self._first.advance(text), (self._tail + text)[-_LONGEST_END:]
        if first is not None:
            return PendingState(first, self._closers, self._others, self._text + text, cut=self._cut, tail=tail)
        after = ((state.advance(text), closers) for state, closers in self._reached())
        alive = [(state, closers) for state, closers in after if state is not None]
        return PendingState(*alive[0], alive[1:], cut=self._cut, tail=tail) if alive else None

    def admits(self, partial: bytes) -> bool:
        return self._first.admits(partial) or any(state.admits(partial) for state, _ in self._reached())

    @property
    def complete(self) -> bool:
        """Whether the file is valid with all closers, or with fewer."""
        return self._first_fits or any(map(self._fits, self._reached()))

    @property
    def _first_fits(self) -> bool:
        """Whether the file is valid with all closers; see `_fits`."""
        return self._fits((self._first, self._closers))

    def _fits(self, other: tuple[HoleState, tuple[Closer, ...]]) -> bool:
        """Whether the file is valid with some closers, and the text has begun none of them, nor closed what they close and opened the same
        again: typed up to that bracket, it would lack others."""
        state, closers = other
        return state.complete and not begins(self._tail, closers) and (not closers or state.stays_in_hole)

    @property
    def pending(self) -> tuple[Closer, ...]:
        """The fewest closers that make the file valid; all of them if it never is."""
        if self._cut and self._first_fits:
            return self._closers
        fitting = (other[1] for other in reversed(self._reached()) if self._fits(other))
        return next(fitting, self._closers)

    @property
    def stays_in_hole(self) -> bool:
        return self._first.stays_in_hole

    @property
    def missing(self) -> float:
        if self._first.complete and not self._first_fits:
            return 0.0 if self.complete else min((state.missing or 1.0 for state, _ in self._reached()), default=1.0)
        return self._first.missing if self._first_fits or not self.complete else 0.0

    @property
    def doubtful(self) -> bool:
        return self._first.doubtful

    @property
    def fits(self) -> int:
        return self._first.fits

    @property
    def next_words(self) -> frozenset[str] | None:
        return self._first.next_words

    @property
    def facts(self) -> Facts:
        return self._first.facts

    @property
    def region(self) -> Region:
        return self._first.region

    def bridges(self, stop: Callable[[], bool] = never) -> Sequence[str]:
        if self.complete:
            return ("",)
        fitting = tuple(filter(self._completes, () if self._first.complete else self._first.bridges(stop)))
        others = (text for state, _ in self._reached() for text in state.bridges(stop))
        return fitting or tuple(islice(filter(self._completes, others), 1))

    def _completes(self, text: str) -> bool:
        """Whether more text makes it complete."""
        after = self.advance(text)
        return after is not None and after.complete

    def refusal(self, text: str) -> str | None:
        return self._first.refusal(text)

    def names(self) -> tuple[str, ...] | None:
        return self._first.names()

    @property
    def judges_names(self) -> bool:
        return self._first.judges_names

    def attributes(self) -> tuple[str, ...] | None:
        return self._first.attributes()

    def possible(self, text: str) -> tuple[str, ...]:
        return self._first.possible(text)
