"""Reading text: the checkers of all readings that are still possible, each with the characters of a token in progress."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from .checker import Broken, Checker
from .kinds import At
from .tokens import next_token

_MOST = 12
"""Readings at once; later ones are let go."""
_ASK_EVERY = 16
"""Tokens between two questions whether to stop."""
_DEEP = 40
"""Frames in which stacks are compared; readings that differ in more than these stay two."""


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


def start(dialect: str, *, ambient: bool = False) -> tuple[Reading, ...]:
    """Before any text; ambient: of a declaration file."""
    checker = Checker(dialect)
    checker.context |= At.AMBIENT if ambient else 0
    return (Reading(checker),)


def advanced(
    readings: Iterable[Reading], text: str, *, end: bool = False, ask: Callable[[], None] | None = None
) -> tuple[Reading, ...]:
    """After more text; () where none of the readings takes it. end: the file ends there. ask: called now and then, may raise Cancelled."""
    live = [_Live(one.checker.copy(), one.pending + text, 0) for one in readings]
    for one in live:
        one.checker.fresh = ()
    found: list[Reading] = []
    fed = 0
    while live:
        one = live[0] if len(live) == 1 else max(live, key=lambda one: one.rest)
        checker = one.checker
        alone = len(live) == 1
        while True:
            token, position = next_token(checker, one.text, one.position, end=end)
            if token is None:
                live.remove(one)
                found.append(Reading(checker, one.text[one.position :]))
                break
            one.position = position
            fed += 1
            if ask is not None and not fed % _ASK_EVERY:
                ask()
            try:
                checker.feed(token)
            except Broken:
                live.remove(one)
                break
            if checker.forked or checker.commits is not None or not alone:
                break
        else:
            continue
        if checker.forked:
            live += [_Live(other, one.text, one.position) for other in checker.forked]
            for other in checker.forked:
                other.forked = ()
            checker.forked = ()
        if checker.commits is not None:
            mark, checker.commits = checker.commits, None
            live = [other for other in live if mark not in other.checker.doubts]
            found = [other for other in found if mark not in other.checker.doubts]
        if len(live) > 1:
            live = _distinct(live)
    return tuple(found)


def _distinct(live: list[_Live]) -> list[_Live]:
    found: list[_Live] = []
    for one in live:
        if not any(
            one.rest == other.rest
            and _same_stack(one.checker.stack, other.checker.stack)
            and _same_stack(one.checker.braces, other.checker.braces)
            for other in found
        ):
            found.append(one)
    return found[:_MOST]


def _same_stack(one: Linked, other: Linked) -> bool:
    """Are two stacks equal, as far as they are not the same object? Python compares nested pairs by recursion, which has a limit."""
    for _ in range(_DEEP):
        if one is other:
            return True
        if one is None or other is None or one[0] != other[0]:
            return False
        one, other = one[1], other[1]
    return False
