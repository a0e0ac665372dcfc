"""Names that exist but are not imported: the model's refused wishes, retried with the import in place.

While a text is written as usual, each place is noted where the model's first choice is an importable name or the beginning of one. If there
is one, a text is made for the document with the import. If certain enough, it is shown, with the edit that adds the import.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ....common.constraint import Constraint, Wrapper
from ....common.words import OPERAND, OPERAND_AT_END
from ....parser.importing import Importer, ImportRequest, Insertion, combined, inserted, length_of

if TYPE_CHECKING:
    from typing import Self

    from ....parser import Session
    from ..cursor import Cursor
    from .shown import Suggestion

MOST = 2
"""The most times a text is made anew for one more import."""
_BEGUN = 8
"""The most names for a beginning."""


class Importable:
    """The names importable at a place."""

    def __init__(self, importer: Importer, asked: ImportRequest, offset: int) -> None:
        self._importer = importer
        self._asked = asked
        self._offset = offset
        self._statements: Mapping[str, str] | None = None
        self._sorted: list[str] = []

    @property
    def statements(self) -> Mapping[str, str]:
        """Name -> the statement that imports it."""
        if self._statements is None:
            self._statements = self._importer.importable(self._asked)
            self._sorted = sorted(self._statements)
        return self._statements

    def beginning(self, word: str) -> list[str]:
        """A few names with this beginning, the most usual ones first."""
        statements = self.statements
        begin = bisect_left(self._sorted, word)
        end = begin
        while end < len(self._sorted) and self._sorted[end].startswith(word):
            end += 1
        if end - begin <= _BEGUN:
            return self._sorted[begin:end]
        names = frozenset(self._sorted[begin:end])
        return [name for name in statements if name in names][:_BEGUN]

    def insertions(self, names: Sequence[str]) -> tuple[Insertion, ...]:
        """The imports of some names; () if one of them cannot be imported."""
        text, offset, added = self._asked.text, self._offset, tuple[Insertion, ...]()
        for name in names:
            here = inserted(text, added)
            more = self._importer.insertions(
                here, offset + length_of(added), self.statements[name], replace(self._asked, text=here)
            )
            if not more:
                return ()
            added = combined(added, more)
        return added


class Watch:
    """Notes names that the model wanted but was refused."""

    def __init__(self, importable: Importable, left: str) -> None:
        """left: the left context."""
        begun = OPERAND_AT_END.search(left[-200:])
        self.importable = importable
        self._before = begun[0] if begun is not None else " " if left[-1:].isspace() else left[-1:]
        self._asked: set[str] = set()
        self.wanted: dict[str, None] = {}
        """importable names, the first one first"""

    def over(self, constraint: Constraint) -> Constraint:
        """A constraint that reports its questions here."""
        return _Watched(constraint, self, "", first=False)

    def is_first(self, text: str) -> bool:
        """Whether this is the first question about a text's continuations. The decoder asks about the model's first choice first."""
        if text in self._asked:
            return False
        self._asked.add(text)
        return True

    def refused(self, text: str, more: str) -> None:
        """Note that a continuation of a text was refused or doubtful."""
        whole, begin = self._before + text + more, len(self._before + text)
        for match in OPERAND.finditer(whole):
            if match.end() < begin:
                continue
            if match.end() == len(whole):
                names = self.importable.beginning(match[0])
            else:
                names = [match[0]] if match[0] in self.importable.statements else []
            self.wanted.update(dict.fromkeys(names))


@dataclass(frozen=True)
class _Watched(Wrapper):
    """A constraint that notes its refusals."""

    watch: Watch
    text: str
    first: bool
    """whether the model's first choice led here"""

    def advance(self, text: str) -> Self | None:
        first = self.watch.is_first(self.text)
        after = self.inner.advance(text)
        if after is None:
            if first:
                self.watch.refused(self.text, text)
            return None
        return replace(self, inner=after, text=self.text + text, first=first)

    @property
    def doubtful(self) -> bool:
        doubtful = self.inner.doubtful
        if doubtful and self.first:
            self.watch.refused(self.text, "")
        return doubtful


def with_imports(
    watch: Watch,
    session: Session,
    cursor: Cursor,
    suggest: Callable[[Watch], Suggestion | None],
    cancelled: Callable[[], bool] | None = None,
) -> Suggestion | None:
    """A text with the imports of the model's wish; None if no such text is valid.

    suggest: makes a text for the document with the imports. Raises Cancelled.
    """
    wanted, importable = watch.wanted, watch.importable
    for _ in range(MOST):
        names = list(wanted)
        insertions = importable.insertions(names)
        if not insertions:
            return None
        session.inserted = insertions
        again = Watch(importable, cursor.left)
        try:
            suggestion = suggest(again)
        finally:
            session.inserted = ()
        if suggestion is not None:
            used = list(_used(names, cursor.left, suggestion.text))
            return _judged(importable, session, cursor, suggestion, used, cancelled) if used else None
        if wanted.keys() >= again.wanted.keys():
            return None
        wanted = wanted | again.wanted
    return None


def _used(names: Sequence[str], left: str, text: str) -> Iterator[str]:
    """Those of some names used by a text, including the word in front of it."""
    begun = OPERAND_AT_END.search(left[-200:])
    words = frozenset(OPERAND.findall((begun[0] if begun is not None else left[-1:]) + text))
    yield from (name for name in names if name in words)


def _judged(
    importable: Importable,
    session: Session,
    cursor: Cursor,
    suggestion: Suggestion,
    names: Sequence[str],
    cancelled: Callable[[], bool] | None,
) -> Suggestion | None:
    """A suggestion with its imports, if the document is valid with both, and not without them. Raises Cancelled."""
    from ....parser.pending import mended

    insertions = importable.insertions(names)
    whole, offset = cursor.left + mended(cursor.right, suggestion.pending), cursor.offset
    if not insertions or _is_valid(session, whole, offset, suggestion.text, cancelled):
        return None
    if not _is_valid(session, inserted(whole, insertions), offset + length_of(insertions), suggestion.text, cancelled):
        return None
    statements = tuple(importable.statements[name] for name in names)
    return replace(suggestion, edits=insertions, imports=statements)


def _is_valid(session: Session, text: str, offset: int, written: str, cancelled: Callable[[], bool] | None) -> bool:
    hole = session.hole(text, offset, cancelled)
    after = hole.state.advance(written) if hole.state is not None and hole.viable else None
    return after is not None and after.complete
