"""A broken text as one that can be read: each piece that cannot be is hidden behind a stand-in that binds its words.

Whoever asks, reads the text of the view, and does not know that the document was broken: stacks, names, attributes, closers. See views.py for how
one is found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
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
        moved = 0
        for piece in self.hidden:
            begin = piece.start + moved
            if offset < begin:
                break
            if offset < begin + len(piece.text):
                return piece.start
            moved += len(piece.text) - (piece.end - piece.start)
        return offset - moved

    def closers(self, closers: Iterable[Closer]) -> tuple[Closer, ...]:
        """What is pending behind the view's offset, as it is in the document."""
        return tuple(Closer(self.outside(self.offset + one.at) - self.place, one.text) for one in closers)

    def hole(self, state: HoleState, pending: Iterable[Closer] = ()) -> Hole:
        """A hole of the view's text as one of the document."""
        hidden = tuple((piece.start, piece.end) for piece in self.hidden)
        return Hole(state, self.step, self.closers(pending), hidden)

    def shared(self, other: View) -> tuple[int, int] | None:
        """How many characters the texts of two views of one document share at least at the front and at the end; None for those of two."""
        if other.original is not self.original:
            return None
        pieces, others = list(self.hidden), list(other.hidden)
        moved = 0
        while pieces and others and pieces[0] == others[0]:
            moved += len(pieces[0].text) - (pieces[0].end - pieces[0].start)
            del pieces[0], others[0]
        begin = min((piece.start for piece in (*pieces[:1], *others[:1])), default=len(self.original))
        front = begin + moved
        if not pieces and not others:
            return front, front
        moved = 0
        while pieces and others and pieces[-1] == others[-1]:
            moved += len(pieces[-1].text) - (pieces[-1].end - pieces[-1].start)
            del pieces[-1], others[-1]
        last = max((piece.end for piece in (*pieces[-1:], *others[-1:])), default=begin)
        return front, len(self.original) - last + moved

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
        kept, moved = list[Hidden](), 0
        first, last = start, end
        for piece in self.hidden:
            begin = piece.start + moved
            stop = begin + len(piece.text)
            moved += len(piece.text) - (piece.end - piece.start)
            if stop < start or begin > end:
                kept.append(piece)
                continue
            first, last = min(first, begin), max(last, stop)
        text = self.text[first:start] + text + self.text[end:last]
        begin, stop = self._begin(first), self._end(last)
        pieces = sorted([*kept, Hidden(begin, stop, text)])
        return View.of(self.original, self.place, pieces)

    def _begin(self, offset: int) -> int:
        moved = 0
        for piece in self.hidden:
            if piece.start + moved >= offset:
                break
            moved += len(piece.text) - (piece.end - piece.start)
        return offset - moved

    def _end(self, offset: int) -> int:
        moved = 0
        for piece in self.hidden:
            if piece.start + moved + len(piece.text) > offset:
                break
            moved += len(piece.text) - (piece.end - piece.start)
        return offset - moved


def _moved(pieces: Iterable[Hidden], offset: int) -> int:
    moved = 0
    for piece in pieces:
        if piece.start >= offset and not piece.start == piece.end == offset:
            break
        if piece.start == piece.end == offset:
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
