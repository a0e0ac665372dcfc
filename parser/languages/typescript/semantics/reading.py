"""Reading text: the checkers of all readings that are still possible, each with the characters of a token in progress."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from .automaton import AMBIENT
from .checker import Broken, Checker
from .tokens import next_token

_MOST = 12
"""Readings at once; later ones are let go."""


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
    checker.context |= AMBIENT if ambient else 0
    return (Reading(checker),)


def advanced(readings: Iterable[Reading], text: str, *, end: bool = False) -> tuple[Reading, ...]:
    """After more text; () where none of the readings takes it. end: the file ends there."""
    live = [_Live(one.checker.copy(), one.pending + text, 0) for one in readings]
    for one in live:
        one.checker.fresh = ()
    found: list[Reading] = []
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
            and one.checker.stack == other.checker.stack
            and one.checker.braces == other.checker.braces
            for other in found
        ):
            found.append(one)
    return found[:_MOST]
