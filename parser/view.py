"""A broken text as one that can be read: each piece that cannot be is hidden behind a stand-in that binds its words.

Whoever asks, reads the text of the view, and does not know that the document was broken: stacks, names, attributes, closers. See views.py for how
one is found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from ..common.line_ends import LINE_END, line_start
from .glr.prefix import PrefixState
from .hole import Closer, Hole, HoleState


class Hidden(NamedTuple):
    """A piece of a text, from start to end, and what stands for it."""

    start: int
    end: int
    text: str


class Edit(NamedTuple):
    """The same in a text that may have been edited; cost: the more of what somebody wrote is hidden, the higher."""

    start: int
    end: int
    text: str
    cost: float


@dataclass(frozen=True)
class View:
    """A text in which pieces are hidden, and an offset in it."""

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
        """The offset in the view of one in the document."""
        return _moved(self.hidden, offset)

    def outside(self, offset: int) -> int:
        """The offset in the document of one in the view; of a stand-in, where the piece begins."""
        for piece, begin in self._placed():
            if begin <= offset < begin + len(piece.text):
                return piece.start
        return offset - self._moved_by(lambda piece, begin: begin + len(piece.text) <= offset)

    def _placed(self) -> Iterator[tuple[Hidden, int]]:
        """(piece, where its stand-in begins)"""
        moved = 0
        for piece in self.hidden:
            yield piece, piece.start + moved
            moved += len(piece.text) - (piece.end - piece.start)

    def _moved_by(self, is_before: Callable[[Hidden, int], bool]) -> int:
        """Characters that some of the pieces add; is_before: whether one does, by where its stand-in begins."""
        return sum(
            len(piece.text) - piece.end + piece.start for piece, begin in self._placed() if is_before(piece, begin)
        )

    def closers(self, closers: Iterable[Closer]) -> tuple[Closer, ...]:
        """What is pending behind the view's offset, as it is in the document."""
        return tuple(Closer(self.outside(self.offset + one.at) - self.place, one.text) for one in closers)

    def hole(self, state: HoleState, pending: Iterable[Closer] = ()) -> Hole:
        """A hole of the view's text as one of the document."""
        hidden = tuple((piece.start, piece.end) for piece in self.hidden)
        return Hole(state, self.step, self.closers(pending), hidden)

    @property
    def step(self) -> str:
        """The sides of the cursor on which something is hidden; see `Hole.fallback`."""
        start = line_start(self.original, self.place)
        left = any(piece.start < self.place for piece in self.hidden)
        right = any(piece.start >= self.place for piece in self.hidden)
        if any(start <= piece.start < self.place and piece.end > piece.start for piece in self.hidden):
            return "line"
        return "both" if left and right else "left" if left else "right" if right else "none"

    def edited(self, edit: Edit) -> View:
        """The view after an edit of its text; what it touches of a stand-in becomes one piece with that."""
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
    """A text, where its reading dies, and the cursor's line, which is not hidden."""

    text: str
    dead: int
    held: tuple[int, int]
    """the beginning and the end of the cursor's line, without what ends it"""
    offset: int
    """of the cursor"""
    before: Callable[[int], PrefixState | None]
    """an offset -> what is read before it, as far as that can be read"""

    def is_free(self, start: int, end: int) -> bool:
        """Is this a piece without anything of the cursor's line?"""
        return end <= self.held[0] or start > self.held[1] or (start == end == self.held[1])


class Mender(Protocol):
    """What a language offers where a text dies."""

    def beginnings(self, broken: Broken) -> Iterable[Edit]:
        """The cursor's line in another column, or without its beginning, the shortest first."""
        ...

    def declared(self, code: str) -> Iterable[str]:
        """The names that some code binds."""
        ...

    def binding(self, names: Sequence[str], before: PrefixState) -> Iterable[str]:
        """Statements that bind some names, the best first, of those that can stand behind what is read."""
        ...

    def edits(self, broken: Broken) -> Iterable[Edit]:
        """Edits that may let the reading go on, the best first."""
        ...

    def alone(self, text: str, offset: int) -> Iterable[tuple[Hidden, ...]]:
        """All before the cursor's line or its end, and all behind it, and what may stand for these, where nothing else helps."""
        ...


def line_end(text: str, offset: int) -> int:
    """Where the line of an offset ends, without what ends it."""
    end = LINE_END.search(text, offset)
    return len(text) if end is None else end.start()
