"""A broken text in a readable form: each unreadable piece is hidden behind a stand-in that binds its words.

Stacks, names, attributes and closers come from the view's text, as if the document were not broken. See views.py for the search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol

from ..common.line_ends import LINE_END, line_start
from .glr.prefix import PrefixState
from .hole import Closer, Hole, HoleState


class Hidden(NamedTuple):
    """A piece of a text, from start to end, and its stand-in."""

    start: int
    end: int
    text: str


class Edit(NamedTuple):
    """The same in a text possibly edited before; cost: the higher, the more written text is hidden."""

    start: int
    end: int
    text: str
    cost: float


@dataclass(frozen=True)
class View:
    """A text with hidden pieces, and an offset in it."""

    text: str
    offset: int
    """in `text`"""
    hidden: tuple[Hidden, ...]
    """with offsets of the document, in order"""
    original: str
    place: int
    """the offset in `original`"""

    @classmethod
    def of(cls, text: str, offset: int, hidden: Iterable[Hidden] = ()) -> View:
        """The view of a text with some pieces hidden."""
        pieces = tuple(hidden)
        parts, done = list[str](), 0
        for piece in pieces:
            parts += text[done : piece.start], piece.text
            done = piece.end
        parts.append(text[done:])
        return cls("".join(parts), _moved(pieces, offset), pieces, text, offset)

    def inside(self, offset: int) -> int:
        """The view's offset for an offset of the document."""
        return _moved(self.hidden, offset)

    def outside(self, offset: int) -> int:
        """The document's offset for an offset of the view; within a stand-in, the beginning of its piece."""
        for piece, begin in self._placed():
            if begin <= offset < begin + len(piece.text):
                return piece.start
        return offset - self._moved_by(lambda piece, begin: begin + len(piece.text) <= offset)

    def _placed(self) -> Iterator[tuple[Hidden, int]]:
        """(piece, the beginning of its stand-in)"""
        moved = 0
        for piece in self.hidden:
            yield piece, piece.start + moved
            moved += len(piece.text) - (piece.end - piece.start)

    def _moved_by(self, is_before: Callable[[Hidden, int], bool]) -> int:
        """The characters added by some of the pieces; is_before: whether a piece counts, by the beginning of its stand-in."""
        return sum(
            len(piece.text) - piece.end + piece.start for piece, begin in self._placed() if is_before(piece, begin)
        )

    def closers(self, closers: Iterable[Closer]) -> tuple[Closer, ...]:
        """The closers pending behind the view's offset, placed in the document."""
        return tuple(Closer(self.outside(self.offset + closer.at) - self.place, closer.text) for closer in closers)

    def hole(self, state: HoleState, pending: Iterable[Closer] = ()) -> Hole:
        """A hole of the view's text as one of the document."""
        hidden = tuple((piece.start, piece.end) for piece in self.hidden)
        return Hole(state, self.step, self.closers(pending), hidden)

    @property
    def step(self) -> str:
        """The sides of the cursor with hidden pieces; see `Hole.fallback`."""
        start = line_start(self.original, self.place)
        left = any(piece.start < self.place for piece in self.hidden)
        right = any(piece.start >= self.place for piece in self.hidden)
        if any(start <= piece.start < self.place and piece.end > piece.start for piece in self.hidden):
            return "line"
        return "both" if left and right else "left" if left else "right" if right else "none"

    def edited(self, edit: Edit) -> View:
        """The view after an edit of its text; the edit and the stand-ins it touches become one piece."""
        start, end, text = edit.start, edit.end, edit.text
        touched = [
            (piece, begin) for piece, begin in self._placed() if begin <= end and begin + len(piece.text) >= start
        ]
        kept = [piece for piece, begin in self._placed() if (piece, begin) not in touched]
        first = min([start, *(begin for _, begin in touched)])
        last = max([end, *(begin + len(piece.text) for piece, begin in touched)])
        text = self.text[first:start] + text + self.text[end:last]
        first -= self._moved_by(lambda _, begin: begin < first)
        last -= self._moved_by(lambda piece, begin: begin + len(piece.text) <= last)
        return View.of(self.original, self.place, sorted([*kept, Hidden(first, last, text)]))


def _moved(pieces: Iterable[Hidden], offset: int) -> int:
    moved = 0
    for piece in pieces:
        if piece.start >= offset:
            break
        if offset < piece.end:
            return piece.start + moved
        moved += len(piece.text) - (piece.end - piece.start)
    return offset + moved


class Broken(NamedTuple):
    """A text, the place where its reading dies, and the cursor's line, which is not hidden."""

    text: str
    dead: int
    held: tuple[int, int]
    """the beginning and the end of the cursor's line, without its line end"""
    offset: int
    """of the cursor"""
    before: Callable[[int], PrefixState | None]
    """an offset -> the reading before it; None if the text dies before"""

    def is_free(self, start: int, end: int) -> bool:
        """Whether a piece has nothing of the cursor's line."""
        return end <= self.held[0] or start > self.held[1] or (start == end == self.held[1])


class Mender(Protocol):
    """A language's remedies where a text dies."""

    openings: ClassVar[Sequence[str]]
    """Whole lines that begin a block or a list, and usual ends of such lines, the most frequent first"""

    def beginnings(self, broken: Broken) -> Iterable[Edit]:
        """The cursor's line in another column, or without its beginning, the shortest first."""
        ...

    def declared(self, code: str) -> Iterable[str]:
        """The names bound by some code."""
        ...

    def binding(self, names: Sequence[str], before: PrefixState) -> Iterable[str]:
        """Statements that bind some names and fit behind the text read, the best first."""
        ...

    def edits(self, broken: Broken) -> Iterable[Edit]:
        """Edits that may let the reading continue, the best first."""
        ...

    def alone(self, text: str, offset: int) -> Iterable[tuple[Hidden, ...]]:
        """The last resort: everything before the cursor's line or its end, and everything behind it, with their stand-ins."""
        ...


def line_end(text: str, offset: int) -> int:
    """The end of an offset's line, before its line end."""
    end = LINE_END.search(text, offset)
    return len(text) if end is None else end.start()
