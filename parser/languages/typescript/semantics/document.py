"""A document under edit: the readings of the text before a place, and of the text behind it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ....glr.text_diff import common_prefix, common_suffix
from ....scoping.checkpoints import Checkpoints, strides
from ..versions import DEFAULT_VERSION
from .automaton import Token
from .checker import Broken, Checker
from .joining import Outcome, Summary, chain, join
from .kinds import Use
from .libraries import library
from .messages import used_early
from .reading import Reading, advanced, start

_STRIDE = 4_000
"""Characters of the right context read as one piece."""
_LONG = 400_000
"""Texts of so many characters have pieces twice as long, and so on, since each place asks the one behind it."""
_MOST_PLACES = 40
"""The most entries kept for one place in the right context."""

Readings = tuple[Reading, ...]
_END = Token("", "", True)


class Document:
    """The readings of a document in one dialect, kept for its next text."""

    def __init__(self, dialect: str, *, ambient: bool = False, version: str = DEFAULT_VERSION) -> None:
        """ambient: whether it is a declaration file; version: of TypeScript."""
        self.ask: Callable[[], None] | None = None  # called in long readings; may raise Cancelled
        self._kept = Checkpoints(start(dialect, ambient=ambient, version=version))
        self.library = library(version)
        """The names that need no declaration."""
        self._ts = dialect.startswith("ts")
        self._left = ""
        self._text = ""
        self._behind: dict[
            int, list[tuple[tuple[Any, ...], Summary | None]]
        ] = {}  # distance to the end -> (place, summary of the text behind it)

    def before(self, text: str, offset: int) -> Readings:
        """The readings of the text before an offset; () where it is not understood."""
        text = without_mark(text)
        if text != self._text:
            common = common_suffix(self._text, text)
            self._behind = {distance: places for distance, places in self._behind.items() if distance <= common}
            self._text = text
        own = text[:offset]
        self._kept.cut(common_prefix(self._left, own))
        self._left = own
        line = own.rfind("\n") + 1
        readings = self._kept.read(line, strides(own, line, partial(advanced, ask=self.ask), self.ask))
        return advanced(readings, own[line:], ask=self.ask)

    def outcomes(self, readings: Readings, offset: int) -> list[Outcome]:
        """The errors of the file in each reading, if the text from an offset on follows; [] where it is not understood."""
        text = self._text
        first = text.find("\n", offset) + 1 or len(text)
        if first - offset > _STRIDE:
            first = offset + _STRIDE
        is_end = first == len(text)
        read = [
            (reading.checker, self._summary(reading, first))
            for reading in advanced(readings, text[offset:first], end=is_end, ask=self.ask)
        ]
        wrong = {mark for _, behind in read if behind is not None for mark in behind.committed}
        outcomes: list[Outcome] = []
        for checker, behind in read:
            doubted = {mark.error for mark in wrong.intersection(checker.doubts)}
            if behind is None or "" in doubted:
                continue
            errors = doubted | checker.errors | behind.errors | _early_errors(checker, behind)
            sloppy = set(checker.sloppy | behind.sloppy)
            _, free = join(chain(checker.scope), behind.levels, errors.add, sloppy.add, ts=self._ts)
            for name in [name for name, how in free.items() if name[0] == "#" or how & Use.EXPORTED]:
                errors.add(f"'{name}' is not declared in {'a class around it' if name[0] == '#' else 'the file'}")
                del free[name]
            module = checker.module or behind.module
            errors |= sloppy if module else checker.scripts | behind.scripts
            outcomes.append(Outcome(frozenset(errors), free, module))
        return outcomes

    def declared_behind(self, readings: Readings, offset: int) -> dict[str, int] | None:
        """The names declared by the text from an offset on in scopes open there; None: it is not understood."""
        text = self._text
        first = text.find("\n", offset) + 1 or len(text)
        for reading in advanced(
            tuple(Reading(r.checker.at_hole(), r.pending) for r in readings), text[offset:first], end=first == len(text)
        ):
            behind = self._summary(reading, first)
            if behind is not None:
                scopes = (*behind.levels, *chain(reading.checker.scope), *reading.checker.levels)
                declared: dict[str, int] = {}
                for scope in scopes:
                    for name, kinds in scope.names.items():
                        declared[name] = declared.get(name, 0) | kinds
                return declared
        return None

    def _summary(self, reading: Reading, position: int) -> Summary | None:
        """The meaning of the text from a position on, behind a reading."""
        text = self._text
        distance = len(text) - position
        key = (reading.pending.strip(), *reading.checker.place)
        kept = self._behind.setdefault(distance, [])
        for place, summary in kept:
            if place == key:
                return summary
        summary = self._read_on(reading, position)
        if len(kept) >= _MOST_PLACES:
            kept.clear()
        kept.append((key, summary))
        return summary

    def _read_on(self, reading: Reading, position: int) -> Summary | None:
        text = self._text
        size = len(text)
        # The same places, whatever stands before: counted from the end.
        stride = _STRIDE * (1 + size // _LONG)
        stop = size - (size - position - 1) // stride * stride if position < size else size
        stop = text.find("\n", stop) + 1 or size
        at_hole = Reading(reading.checker.at_hole(), reading.pending)
        if self.ask is not None:
            self.ask()
        best: Summary | None = None
        for advanced_reading in advanced((at_hole,), text[position:stop], end=stop == size, ask=self.ask):
            summary = (
                _ended(advanced_reading)
                if stop == size
                else self._joined(advanced_reading, self._summary(advanced_reading, stop))
            )
            if summary is not None and (best is None or len(summary.errors) < len(best.errors)):
                best = summary
        return best

    def _joined(self, reading: Reading, behind: Summary | None) -> Summary | None:
        if behind is None:
            return None
        checker = reading.checker
        errors = set(checker.errors) | behind.errors | _early_errors(checker, behind)
        goes_on = "" in checker.unready or "" in checker.binding  # the declaration begun before this text
        sloppy = set(checker.sloppy | behind.sloppy)
        kept, _ = join(chain(checker.scope), behind.levels, errors.add, sloppy.add, ts=self._ts)
        return Summary(
            (*checker.levels, *kept),
            frozenset(errors),
            frozenset(sloppy),
            checker.scripts | behind.scripts,
            checker.early | behind.early if goes_on else checker.early,
            checker.module or behind.module,
            (*checker.committed, *behind.committed),
        )


def _early_errors(checker: Checker, behind: Summary) -> set[str]:
    return {used_early(name) for name in behind.early if checker.is_unready(name)}


def _ended(reading: Reading) -> Summary | None:
    """The summary at the end of the file."""
    checker: Checker = reading.checker.copy()
    try:
        checker.feed(_END)
    except Broken:
        return None
    if checker.stack[1] is not None:
        return None
    return Summary(
        (*checker.levels, *chain(checker.scope)),
        checker.errors,
        checker.sloppy,
        checker.scripts,
        checker.early,
        checker.module,
        checker.committed,
    )


def without_mark(text: str) -> str:
    """The text with a comment in place of its hashbang line."""
    start = text.startswith("\ufeff")
    return f"{text[:start]}//{text[start + 2 :]}" if text.startswith("#!", start) else text
