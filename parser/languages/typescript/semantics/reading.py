"""Reading text: the checkers of all readings still possible, each with the characters of a token in progress."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ..versions import DEFAULT_VERSION, major_of
from .automaton import Mark
from .checker import Broken, Checker
from .kinds import At
from .tokens import next_token

_MOST = 12
"""The most readings at once; later ones are dropped."""
_ASK_EVERY = 16
"""Tokens between two questions whether to stop."""
_DEEP = 40
"""The most frames compared of two stacks; readings that differ beyond stay two."""


Linked = tuple[Any, Any] | None
"""An entry and those below it."""


class Reading(NamedTuple):
    """One way to read some text. The checker is never changed, but copied."""

    checker: Checker
    pending: str = ""


class _Live:
    __slots__ = ("checker", "position", "text")

    def __init__(self, checker: Checker, text: str, position: int) -> None:
        self.checker, self.text, self.position = checker, text, position

    @property
    def rest(self) -> int:
        return len(self.text) - self.position


def start(dialect: str, *, ambient: bool = False, version: str = DEFAULT_VERSION) -> tuple[Reading, ...]:
    """The readings before any text; ambient: of a declaration file."""
    checker = Checker(dialect, major_of(version))
    checker.context |= At.AMBIENT if ambient else 0
    return (Reading(checker),)


def advanced(
    readings: Iterable[Reading], text: str, *, end: bool = False, ask: Callable[[], None] | None = None
) -> tuple[Reading, ...]:
    """The readings after more text; () where none takes it. end: the file ends there. ask: called now and then, may raise Cancelled."""
    live = [_Live(reading.checker.copy(), reading.pending + text, 0) for reading in readings]
    for alive in live:
        alive.checker.fresh = ()
    waiting: list[Reading] = []
    fed = 0
    while live:
        alive = live[0] if len(live) == 1 else max(live, key=lambda alive: alive.rest)
        checker = alive.checker
        alone = len(live) == 1
        while True:
            token, position = next_token(checker, alive.text, alive.position, end=end)
            if token is None:
                live.remove(alive)
                waiting.append(Reading(checker, alive.text[alive.position :]))
                break
            alive.position = position
            fed += 1
            if ask is not None and not fed % _ASK_EVERY:
                ask()
            try:
                checker.feed(token)
            except Broken:
                live.remove(alive)
                break
            if checker.forked or checker.commits is not None or not alone:
                break
        else:
            continue
        if checker.forked:
            live += [_Live(other, alive.text, alive.position) for other in checker.forked]
            for other in checker.forked:
                other.forked = ()
            checker.forked = ()
        if checker.commits is not None:
            mark, checker.commits = checker.commits, None
            live = [other for other in live if _outlives(other.checker, mark)]
            waiting = [other for other in waiting if _outlives(other.checker, mark)]
        if len(live) > 1:
            live = _distinct(live)
    return tuple(waiting)


def _outlives(checker: Checker, mark: Mark) -> bool:
    """Whether a reading goes on once those with a mark are wrong; it may have an error then."""
    if mark not in checker.doubts:
        return True
    if mark.error:
        checker.error(mark.error)
    return bool(mark.error)


def _distinct(live: list[_Live]) -> list[_Live]:
    """One of those that read on alike, with the fewest errors."""
    distinct: list[_Live] = []
    for alive in sorted(live, key=lambda alive: len(alive.checker.errors)):
        if not any(
            alive.rest == other.rest
            and _same_stack(alive.checker.stack, other.checker.stack)
            and _same_stack(alive.checker.braces, other.checker.braces)
            for other in distinct
        ):
            distinct.append(alive)
    return distinct[:_MOST]


def _same_stack(stack: Linked, other: Linked) -> bool:
    """Whether two stacks are equal, apart from shared parts. Python compares nested pairs by recursion, which has a limit."""
    for _ in range(_DEEP):
        if stack is other:
            return True
        if stack is None or other is None or stack[0] != other[0]:
            return False
        stack, other = stack[1], other[1]
    return False
