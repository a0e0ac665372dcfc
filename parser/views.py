"""The search for a view: what to hide so that a broken text can be read.

The text is read from its beginning, past the cursor's line as if that ended in some usual way (view_reader.py), up to where it dies. There the
language offers edits (`Mender`): such as add, and stand-ins for the smallest units around. A best-first search takes the cheapest after which all
is read; it sees past the next error, since an edit that only leads to another one costs what mends that, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple

from ..common.line_ends import line_start
from .conflicts import Unmarked, conflicts
from .engine_runtime import EngineRuntime
from .glr.prefix import Engine, PrefixState
from .glr.text_diff import common_prefix, common_suffix
from .hole import finishing
from .language_runtime import Session
from .view import Broken, Hidden, Mender, View, line_end
from .view_reader import Ends, Reader

MOST_READ = 400
"""Texts that one search reads."""
_QUOTES = ('"""', "'''")
"""They begin and end strings of several lines, in any language that has such."""
_MOST_HIDDEN = 40
_FAR = 1_200
"""Characters of progress after which an edit is as good as one after which more is read."""
_BEHIND = 3.0
"""What it costs that another edit leads that much further."""
_ERROR = 0.7
"""What a further error costs, at least."""
_AT_MARGIN = re.compile(r"^[^\s)\]}/*]", re.MULTILINE)
"""Where an item at the margin begins."""


class _Node(NamedTuple):
    """A view on the way, read or not."""

    view: View
    way: int
    """see `Reader.error`"""
    cost: float
    above: tuple[int, int]
    """`left` and the open brackets of the view that this one was made from"""
    left: int = -1
    """characters from the error on, and one more; 0 where there is none; -1 where it is not read yet"""
    open: int = 0
    """brackets, where the text is read to its end"""


class Views:
    """The views of one document. While one stays a view, what it hides stays hidden; `renewed` looks anew."""

    def __init__(
        self,
        engine: Engine,
        mender: Mender,
        reader: Reader,
        is_viable: Callable[[str, int], bool],
    ) -> None:
        """is_viable: can a text be made a valid file at an offset?"""
        self._engine, self._mender, self._reader, self._is_viable = engine, mender, reader, is_viable
        self._unmarked = Unmarked()
        self._last: View | None = None
        self._answer: tuple[str, int, View | None] = "", 0, None
        self._place = 0
        self._failed: tuple[str, str, Ends | str] | None = None
        self._renewed: tuple[str, int] | None = None
        self._sound: tuple[str, str] | None = None  # what is around a line for which `_is_sound` holds

    def view(self, text: str, offset: int, *, viable: bool, most: int = MOST_READ) -> View | None:
        """The view of a text; None where there is none, and where none is needed.

        viable: can the text be made a valid file as it is? Then a view is only needed where the cursor's line would have to close brackets that
        end above, by layout, or quotes that make strings of code, or begin a comment that ends further down. most: texts that a search reads.
        """
        if viable and (self._reader.is_exact or self._is_sound(text, offset)):
            self.skip(text, offset)
            return None
        if self._answer[1] != offset or self._answer[0] != text:
            view = self._kept(text, offset)
            if view is None:
                view = self._closed(text, offset, most) if viable else self._found(text, offset, most)
            self._set(text, offset, view)
        return self._answer[2]

    def skip(self, text: str, offset: int) -> None:
        """Note a text that needs no view: where it is another one around the cursor's line, the last view's pieces are mended."""
        if self._last is not None and _around(text, offset) != _around(self._last.original, self._last.place):
            self._last = None

    def renewed(self, text: str, offset: int, *, viable: bool, most: int = MOST_READ) -> View | None:
        """The same, which nobody waits for: what is hidden only since it was before is looked at again."""
        if self._renewed != (text, offset):
            self._failed = self._sound = self._last = None
            self._answer = "", 0, None
            self._renewed = text, offset
        return self.view(text, offset, viable=viable, most=most)

    def _is_sound(self, text: str, offset: int) -> bool:
        """Do quotes of three come in pairs, and are the brackets that are open above the cursor's line on lines that are less deep? In languages
        with braces: is a text valid with the likely ends of the cursor's line?"""
        around = _around(text, offset)
        if self._sound != around:
            if self._engine.blocks is None:
                view = View.of(text, offset)
                ways = self._reader.ways(view).items()
                odd = all(cost or self._reader.error(view, way) is not None for way, cost in ways)
            else:
                odd = any(text.count(quote) % 2 for quote in _QUOTES) or self._reader.leaves_brackets(text, offset)
            self._sound = self._sound if odd else around
        return self._sound == around

    def _closed(self, text: str, offset: int, most: int) -> View | None:
        """The view of a viable text in which brackets are closed, or quotes hidden, above the cursor's line; None where none need be."""
        view, is_whole = self._search(View.of(text, offset, self._conflicts(text, offset)), most)
        if is_whole and view is not None and view.hidden:
            return view
        self._sound = _around(text, offset)
        return None

    def _set(self, text: str, offset: int, view: View | None) -> None:
        self._answer, self._last = (text, offset, view), view or self._last

    def _conflicts(self, text: str, offset: int) -> tuple[Hidden, ...]:
        if self._unmarked.holds(text):
            return ()
        return tuple(Hidden(cut.start, cut.end, "") for cut in conflicts(text, offset))

    def _kept(self, text: str, offset: int) -> View | None:
        """The last view, where all of what it hides still makes one."""
        if self._last is None:
            return None
        same_line, pieces = self._pieces(self._last, text, offset)
        view = View.of(text, offset, pieces)
        if len(pieces) < len(self._last.hidden) or (not same_line and _is_beside(self._last)):
            return None
        if not same_line and (_is_beside(view) or not set(self._conflicts(text, offset)).issubset(pieces)):
            return None
        return view if self._is_viable(view.text, view.offset) else None

    def _pieces(self, last: View, text: str, offset: int) -> tuple[bool, list[Hidden]]:
        """Whether only the cursor's line is another than in the last view, and what that hides of the text, but for what has changed and the
        cursor's line."""
        old = last.original
        prefix = common_prefix(old, text)
        suffix = min(common_suffix(old, text), min(len(old), len(text)) - prefix)
        if suffix and text[-suffix] == "\n" and "\r" in (text[-suffix - 1 : -suffix], old[-suffix - 1 : -suffix]):
            suffix -= 1  # nothing stands within the end of a line
        start, end = line_start(text, offset), line_end(text, offset)
        pieces = list[Hidden]()
        for piece in last.hidden:
            moved = 0 if piece.end <= prefix else len(text) - len(old)
            if piece.end > prefix and piece.start < len(old) - suffix:
                continue
            piece = Hidden(piece.start + moved, piece.end + moved, piece.text)
            if piece.start >= end or piece.end <= start or (piece.start >= start and piece.end <= offset):
                pieces.append(piece)
        same = line_start(old, last.place) == start <= prefix and len(old) - suffix <= line_end(old, last.place)
        return same, pieces

    def _found(self, text: str, offset: int, most: int) -> View | None:
        """A view that is looked for: with what the last one hides elsewhere, else from the beginning."""
        conflicting = self._conflicts(text, offset)
        start = View.of(text, offset, conflicting)
        failed = *_around(text, offset), self._reader.ends(start) or text
        if self._failed == failed:
            return None
        if self._last is not None:
            view = View.of(text, offset, self._pieces(self._last, text, offset)[1])
            pieces = [piece for piece in view.hidden if not _is_next_to(view, piece)]
            if pieces and set(conflicting).issubset(pieces):
                view, is_whole = self._search(View.of(text, offset, pieces), most)
                if view is not None and is_whole:
                    return view
        view = self._search(start, most)[0] or self._alone(text, offset)
        self._failed = failed if view is None else None
        return view

    def _search(self, start: View, most: int) -> tuple[View | None, bool]:
        """The view with the cheapest edits found with which the text can be read to its end, and whether it can; or one that is viable.

        Edits are read in the order of their costs, so that those which cost more than what mends the text are not.
        """
        self._place = start.place
        order, queue = count(), list[tuple[float, int, _Node]]()
        ways, all_of_it = self._reader.ways(start), (len(start.text) + 2, 0)
        for way, cost in ways.items():
            heappush(queue, (cost, next(order), _Node(start, way, cost, all_of_it)))
        seen, read, viable, least = set[tuple[int, tuple[Hidden, ...]]](), 0, None, dict.fromkeys(ways, 1 << 60)
        while queue and read < min(most, self._reader.most):
            self._engine.ask()
            cost, _, node = heappop(queue)
            if node.left < 0:
                read += 1
                length = len(node.view.text)
                dead = self._reader.error(node.view, node.way, length - node.above[0] + 1)
                left = (0, 0) if dead is None else (length - dead.offset + 1, -dead.closed)
                if left < node.above:
                    least[node.way] = min(least[node.way], left[0])
                    node = node._replace(left=left[0], open=left[1])
                    heappush(queue, (node.cost + self._behind(node, least), next(order), node))
                continue
            if not node.left:
                return self._least(node.view), True
            if (now := node.cost + self._behind(node, least)) > cost:
                heappush(queue, (now, next(order), node))
                continue
            if (
                viable is None
                and not self._reader.is_exact
                and node.view.hidden
                and self._is_viable(node.view.text, node.view.offset)
            ):
                viable = node.view
            if len(node.view.hidden) > _MOST_HIDDEN:
                continue
            for child, more in self._children(node):
                self._engine.ask()
                if (node.way, child.hidden) not in seen:
                    seen.add((node.way, child.hidden))
                    unread = _Node(child, node.way, node.cost + more, (node.left, node.open))
                    heappush(queue, (unread.cost, next(order), unread))
        return viable, False

    def _alone(self, text: str, offset: int) -> View | None:
        """A view in which all but the cursor's line is hidden."""
        for pieces in self._mender.alone(text, offset):
            view = View.of(text, offset, pieces)
            if self._is_viable(view.text, view.offset):
                return view
        return None

    @staticmethod
    def _behind(node: _Node, least: Mapping[int, int]) -> float:
        """What it costs that a view is not whole: a further error, and that another one leads further."""
        return _BEHIND * min(1.0, (node.left - least[node.way]) / _FAR) + _ERROR if node.left else 0.0

    def _children(self, node: _Node) -> Iterator[tuple[View, float]]:
        view = node.view
        held = line_start(view.text, view.offset), line_end(view.text, view.offset)

        def before(offset: int) -> PrefixState | None:
            return self._reader.before(view, offset, node.way)

        broken = Broken(view.text, len(view.text) - node.left + 1, held, view.offset, before)
        for edit in self._mender.edits(broken):
            is_free = broken.is_free(edit.start, edit.end) or (self._reader.is_exact and edit.start > view.offset)
            if edit.start < edit.end and not (is_free or edit.end <= view.offset):
                continue
            if view.text[edit.start : edit.end] != edit.text:
                yield view.edited(edit), edit.cost

    def _least(self, view: View) -> View:
        """The view without what it adds behind the cursor that a text there may bring."""
        for piece in view.hidden:
            if piece.start == piece.end >= self._place and self._is_in_reach(view.original, piece):
                other = View.of(view.original, view.place, (one for one in view.hidden if one is not piece))
                if self._is_viable(other.text, other.offset):
                    view = other
        return view

    def _is_in_reach(self, text: str, piece: Hidden) -> bool:
        """May a text at the cursor bring it? Not from another item at the margin, in languages with braces."""
        return self._engine.blocks is not None or _AT_MARGIN.search(text, self._place, piece.start) is None


def _around(text: str, offset: int) -> tuple[str, str]:
    """What is above and below the line of an offset."""
    return text[: line_start(text, offset)], text[line_end(text, offset) :]


def _is_beside(view: View) -> bool:
    """Whether a piece is next to the cursor's line: what it hides depends on how that line may go on."""
    return any(_is_next_to(view, piece) for piece in view.hidden)


def _is_next_to(view: View, piece: Hidden) -> bool:
    text = view.original
    start, end = line_start(text, view.place), line_end(text, view.place)
    return not (text[end : piece.start] if piece.start >= end else text[piece.end : start]).strip()


def new_views(runtime: EngineRuntime, mender: Mender, viewed: Session) -> Views:
    """The views of a document; viewed: a session for their texts."""
    engine = runtime.engine

    def is_viable(text: str, offset: int) -> bool:
        return viewed.hole(text, offset, engine.stop, level="syntax").viable

    if runtime.new_reader is not None:
        return Views(engine, mender, runtime.new_reader(is_viable), is_viable)
    return Views(engine, mender, Reader(engine, finishing(engine, runtime.bridging)), is_viable)
