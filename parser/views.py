"""The search for a view: what to hide so that a broken text can be read.

The text is read from its beginning, past the cursor's line as if that ended in some usual way (view_reader.py), up to where it dies. There the
language offers edits (`Mender`): such as add, and stand-ins for the smallest units around. A best-first search takes the cheapest after which all
is read; it sees past the next error, since an edit that only leads to another one costs what mends that, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple

from ..common.line_ends import line_start
from .conflicts import Unmarked, conflicts
from .glr.prefix import Engine, PrefixState
from .glr.suffix import SuffixContext, SuffixText
from .glr.text_diff import common_prefix, common_suffix
from .hole import Bridging, Context, State, find_bridges
from .language_runtime import Session
from .view import Broken, Hidden, Mender, View, line_end
from .view_reader import Death, Ends, Reader

_MOST_READ = 400
"""Texts that one search reads."""
_MOST_HIDDEN = 40
_FAR = 1_200
"""Characters of progress after which an edit is as good as one after which more is read."""
_BEHIND = 3.0
"""What it costs that another edit leads that much further."""
_ERROR = 0.7
"""What a further error costs, at least."""


class _Node(NamedTuple):
    view: View
    way: int
    """see `Reader.error`"""
    cost: float
    left: int
    """characters from the error on, and one more; 0 where there is none"""
    closed: int = 0
    """see `Death`"""


class Views:
    """The views of one document, of which the last one is kept."""

    def __init__(
        self,
        engine: Engine,
        mender: Mender,
        is_viable: Callable[[str, int], bool],
        finish: Callable[[PrefixState], Iterable[str]],
    ) -> None:
        """is_viable: can a text be made a valid file at an offset? finish: the shortest texts that close all that is open."""
        self._engine, self._mender, self._is_viable = engine, mender, is_viable
        self._reader = Reader(engine, finish)
        self._unmarked = Unmarked()
        self._last: View | None = None
        self._place = 0
        self._failed: tuple[str, str, Ends] | None = None

    def view(self, text: str, offset: int) -> View | None:
        """The view of a broken text; None where there is none."""
        start = View.of(text, offset, self._conflicts(text, offset))
        kept = self._kept(text, offset)
        if kept is not None:
            self._last = kept
            return kept
        line = line_start(text, offset)
        failed = text[:line], text[line_end(text, offset) :], self._reader.ends(start.text, start.offset)
        if self._failed == failed:
            return None
        found = self._search(start) or self._alone(text, offset)
        self._last, self._failed = found, failed if found is None else None
        return found

    def _conflicts(self, text: str, offset: int) -> tuple[Hidden, ...]:
        if self._unmarked.holds(text):
            return ()
        return tuple(Hidden(cut.start, cut.end, "") for cut in conflicts(text, offset))

    def _kept(self, text: str, offset: int) -> View | None:
        """What is hidden of the last text, where that still makes a view of this one and all of it is needed."""
        last = self._last
        if last is None:
            return None
        old = last.original
        prefix = common_prefix(old, text)
        suffix = min(common_suffix(old, text), min(len(old), len(text)) - prefix)
        held = line_start(text, offset), line_end(text, offset)
        pieces = list[Hidden]()
        for piece in last.hidden:
            moved = 0 if piece.end <= prefix else len(text) - len(old)
            if piece.end > prefix and piece.start < len(old) - suffix:
                return None
            piece = Hidden(piece.start + moved, piece.end + moved, piece.text)
            if piece.start < held[1] and piece.end > held[0] and not piece.start >= held[0] <= piece.end <= offset:
                return None
            pieces.append(piece)
        view = View.of(text, offset, pieces)
        line = line_start(old, last.place)
        same_line = (
            line_start(text, offset) == line and prefix >= line and len(old) - suffix <= line_end(old, last.place)
        )
        if same_line:
            return view if self._is_viable(view.text, view.offset) else None
        if _is_beside(last) or _is_beside(view) or not self._is_whole(view):
            return None
        return self._least(view, _always)

    def _search(self, start: View) -> View | None:
        """The view with the cheapest edits found with which the text can be read to its end."""
        self._place = start.place
        order, queue = count(), list[tuple[float, int, _Node]]()
        ways = self._reader.ways(start)
        for way, cost in ways.items():
            node = _node(start, way, cost, self._reader.error(start, way))
            heappush(queue, (node.cost + _ERROR * bool(node.left), next(order), node))
        seen, read, viable, least = set[tuple[int, tuple[Hidden, ...]]](), 0, None, dict.fromkeys(ways, 1 << 60)
        while queue and read < _MOST_READ:
            node = heappop(queue)[2]
            if not node.left:
                return self._least(node.view, self._is_adding)
            self._engine.ask()
            if viable is None and node.view.hidden and self._is_viable(node.view.text, node.view.offset):
                viable = node.view
            if len(node.view.hidden) > _MOST_HIDDEN:
                continue
            children = list[_Node]()
            for child, cost in self._children(node):
                if (node.way, child.hidden) in seen:
                    continue
                seen.add((node.way, child.hidden))
                read += 1
                after = _node(child, node.way, node.cost + cost, self._reader.error(child, node.way))
                if (after.left, -after.closed) < (node.left, -node.closed):
                    children.append(after)
            best = least[node.way] = min([least[node.way], *(child.left for child in children)])
            for child in children:
                behind = _BEHIND * min(1.0, (child.left - best) / _FAR) + _ERROR if child.left else 0.0
                heappush(queue, (child.cost + behind, next(order), child))
        return viable

    def _alone(self, text: str, offset: int) -> View | None:
        """A view in which all but the cursor's line is hidden."""
        start, end = line_start(text, offset), line_end(text, offset)
        for begin, before, after in self._mender.alone(text, offset):
            pieces = Hidden(0, max(begin, start), before), Hidden(end, len(text), after)
            view = View.of(text, offset, pieces)
            if self._is_viable(view.text, view.offset):
                return view
        return None

    def _children(self, node: _Node) -> Iterator[tuple[View, float]]:
        view = node.view
        held = line_start(view.text, view.offset), line_end(view.text, view.offset)

        def before(offset: int) -> PrefixState | None:
            return self._reader.before(view, offset, node.way)

        broken = Broken(view.text, len(view.text) - node.left + 1, held, view.offset, before)
        for edit in self._mender.edits(broken):
            if edit.start < edit.end and not (broken.is_free(edit.start, edit.end) or edit.end <= view.offset):
                continue
            if view.text[edit.start : edit.end] != edit.text:
                yield view.edited(edit), edit.cost

    def _is_whole(self, view: View) -> bool:
        """Can the text be read to its end?"""
        return any(self._reader.error(view, way) is None for way in self._reader.ways(view))

    def _is_adding(self, piece: Hidden) -> bool:
        return piece.start == piece.end >= self._place

    def _least(self, view: View, may_go: Callable[[Hidden], bool]) -> View:
        """The view without the pieces that need not be hidden."""
        for piece in view.hidden:
            if may_go(piece):
                other = View.of(view.original, view.place, (one for one in view.hidden if one is not piece))
                if self._is_viable(other.text, other.offset) if may_go is not _always else self._is_whole(other):
                    view = other
        return view


def _node(view: View, way: int, cost: float, dead: Death | None) -> _Node:
    if dead is None:
        return _Node(view, way, cost, 0)
    return _Node(view, way, cost, len(view.text) - dead.offset + 1, dead.closed)


def _is_beside(view: View) -> bool:
    """Whether a piece is next to the cursor's line: what it hides depends on how that line may go on."""
    text = view.original
    start, end = line_start(text, view.place), line_end(text, view.place)
    return any(
        not (text[end : piece.start] if piece.start >= end else text[piece.end : start]).strip()
        for piece in view.hidden
    )


def _always(_: Hidden) -> bool:
    return True


def new_views(engine: Engine, bridging: Bridging, mender: Mender, viewed: Session) -> Views:
    """The views of a document; viewed: a session for their texts."""
    nothing = SuffixContext(engine, SuffixText(""), 0)

    def is_viable(text: str, offset: int) -> bool:
        return viewed.hole(text, offset, engine.stop, level="syntax").viable

    def finish(left: PrefixState) -> list[str]:
        return find_bridges(State(left, Context(engine, nothing, bridging)), 1)

    return Views(engine, mender, is_viable, finish)
