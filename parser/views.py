"""The search for a view: the pieces to hide so that a broken text can be read.

The text is read from its beginning, past the cursor's line with a usual end (view_reader.py), until it dies. There the language offers
edits (`Mender`): additions, and stand-ins for the smallest units around. A best-first search takes the cheapest edits after which
everything is read; it sees past the next error, since an edit leading to another error also costs the mending of that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from heapq import heappop, heappush
from itertools import chain, count
from typing import NamedTuple

from ..common.line_ends import line_start
from .conflicts import Unmarked, conflicts
from .engine_runtime import EngineRuntime
from .glr.prefix import Engine, PrefixState
from .glr.text_diff import common_prefix, common_suffix
from .hole import HoleState, finishing
from .lacking import lacks_beginning
from .language_runtime import Session
from .lexing.base import Region
from .view import Broken, Edit, Hidden, Mender, View, line_end
from .view_reader import Reader, region

MOST_READ = 400
"""Texts read in one search."""
_FILLING = ("x", "x,")
"""Fillers of a blank line in a block or in brackets."""
_QUOTES = ('"""', "'''")
"""The quotes of strings over several lines, in any language with such strings."""
_MOST_HIDDEN = 40
_MISPLACED = 6.0
"""The cost of reading the cursor in a string or a comment without need."""
_MOST_UNDONE = 2_000
"""Characters of a change undone by a view."""
_FAR = 1_200
"""Characters of progress behind the best edit at which `_BEHIND` is reached in full."""
_BEHIND = 3.0
"""The cost if another edit leads that much further."""
_ERROR = 0.7
"""The least cost of a further error."""
_WORD, _IN_WORD = re.compile(r"\w+"), re.compile(r"\w\w")
_JOINING = re.compile(r"(?:[\w .,:=<>\"'`]|/(?![/*]))*")
_AT_MARGIN = re.compile(r"^[^\s)\]}/*]", re.MULTILINE)
"""The beginning of an item at the margin."""


class _Node(NamedTuple):
    """A view on the way, read or not."""

    view: View
    way: int
    """see `Reader.error`"""
    cost: float
    above: tuple[int, int]
    """`left` and the open brackets of the view before the last edit"""
    left: int = -1
    """characters from the error on, and one more; 0 without an error; -1 before the reading"""
    open: int = 0
    """open brackets, if the text is read to its end"""


class Views:
    """The views of one document. Only a change may be at fault: the rest is read as it was a key ago, until `renewed` searches anew, or a
    text in a new line of the cursor mends it."""

    def __init__(
        self,
        engine: Engine,
        mender: Mender,
        reader: Reader,
        read: Callable[[str, int], HoleState | None],
        before: Callable[[str, int], PrefixState | int],
    ) -> None:
        """read: a hole's first state, if some text in it makes a valid file; before: the reading before an offset, or the place where
        the text dies."""
        self._engine, self._mender, self._reader, self._read_text, self._before = engine, mender, reader, read, before
        self._unmarked = Unmarked()
        self._last = View.of("", 0)  # of the last text
        self._whole = self._last  # of the last one valid as it stood when the cursor came to a line
        self._judged = "", True  # the last text asked about: whether it is valid as it stands
        self._answer: tuple[str, int, View | None] = "", 0, None
        self._own: Region = "code"  # the cursor's region in the text itself, in a search
        self._failed: tuple[str, str] | None = None  # the text around a line for which a search found nothing
        self._renewed: tuple[str, int] | None = None
        self._sound: tuple[str, str] | None = None  # the text around a line for which `_is_sound` holds

    def view(self, text: str, offset: int, *, viable: bool, most: int = MOST_READ) -> View | None:
        """The view of a text; None if there is none, or none is needed.

        viable: whether the text as it is can be made a valid file. Then a view is only needed if the cursor's line would have to close
        brackets that end above by layout, or quotes that turn code into strings, or begin a comment that ends further down. most: texts
        read in a search.
        """
        if viable and (self._reader.is_exact or self._is_sound(text, offset)):
            self.skip(text, offset, None)
            return None
        if self._answer[1] != offset or self._answer[0] != text:
            carried, is_same = _carried(self._last, text, offset)
            is_whole = len(carried.hidden) == len(self._last.hidden)
            holds = is_same or (is_whole and _is_blameless(carried, self._whole))
            if not viable:
                view = self._unchanged(carried, is_same) or self._found(carried, most)
                view = view if holds or view is None else self._needed(view, carried.hidden, most)
            elif lacks_beginning(text, offset) and self._reader.region(View.of(text, offset)) != "comment":
                view = None
            elif carried.hidden and holds and self._read(carried) is not None:
                view = carried
            else:
                view = self._closed(text, offset, most)
            self._answer, self._last = (text, offset, view), view or carried
        return self._answer[2]

    def skip(self, text: str, offset: int, state: HoleState | None) -> None:
        """Note a text that needs no view; state: of its hole, if it may be valid as it is. The hidden pieces count as mended, unless only
        the cursor's line has changed."""
        last = self._last
        if text is last.original and not last.hidden and self._judged[0] is text:  # a jump
            self._last = View.of(text, offset)
            self._whole = self._last if self._judged[1] else self._whole
            return
        start, end = _line(text, offset)
        if last.hidden:
            carried, is_same = _carried(last, text, offset)
            kept = (piece for piece in carried.hidden if is_same and (piece.end <= start or piece.start >= end))
        else:  # the usual case: two texts are not compared at each key
            (own, own_end), behind = _line(last.original, last.place), len(text) - end
            is_same = last.original != "" and (own, len(last.original) - own_end) == (start, behind)
            kept = ()
        self._last = View.of(text, offset, kept)
        if not is_same and state is not None:
            if self._judged[0] != text:
                self._judged = text, state.complete
            if self._judged[1]:
                self._whole = self._last

    def renewed(self, text: str, offset: int, *, viable: bool, most: int = MOST_READ) -> View | None:
        """The same while nobody waits: pieces hidden only because they were before are examined again."""
        if self._renewed != (text, offset):
            self._failed = self._sound = None
            self._last = View.of("", 0)
            if not viable:
                self._whole = self._last
            self._answer = "", 0, None
            self._renewed = text, offset
        return self.view(text, offset, viable=viable, most=most)

    def _read(self, view: View) -> HoleState | None:
        return self._read_text(view.text, view.offset)

    def _is_sound(self, text: str, offset: int) -> bool:
        """Whether triple quotes come in pairs, and brackets open above the cursor's line are on lines less deep; in languages with braces,
        whether the text is valid with one of the likely ends of the cursor's line."""
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
        """The view of a viable text with closed brackets, or hidden quotes, around the cursor's line; None if none is needed."""
        view, is_whole = self._search(View.of(text, offset, self._conflicts(text, offset)), most)
        if is_whole and view is not None and view.hidden and not self._is_joined(text, offset):
            return view
        self._sound = _around(text, offset)
        return None

    def _needed(self, view: View, carried: Sequence[Hidden], most: int) -> View:
        """The view without those of the carried pieces that a text in a new line of the cursor makes needless."""
        less, text = view, view.original
        for piece in (piece for piece in view.hidden if piece in carried):
            other = View.of(text, view.place, (kept for kept in less.hidden if kept is not piece))
            may_go = _left_open(text[piece.start : piece.end]) != _left_open(piece.text)
            if other.hidden and may_go and self._read(other) is not None:
                less = other
        mended, is_read = (view, True) if less is view else self._search(less, most)
        return view if mended is None or not is_read else mended

    def _is_joined(self, text: str, offset: int) -> bool:
        """Whether the cursor's line continues behind the cursor, and words and quotes joining its parts make the text valid, without brackets
        or a comment."""
        start, end = _line(text, offset)
        state = self._read_text(text, offset) if text[offset:end].strip() else None
        words = None if state is None else next(iter(state.bridges()), None)
        if words is None or _JOINING.fullmatch(words) is None:
            return False
        line = text[start:offset] + words + text[offset:end]
        return all(line.count(quote) % 2 == 0 for quote in "\"'`" if quote in words)

    def _conflicts(self, text: str, offset: int) -> tuple[Hidden, ...]:
        if self._unmarked.holds(text, offset):
            return ()
        return tuple(Hidden(cut.start, cut.end, "") for cut in conflicts(text, offset))

    def _unchanged(self, carried: View, is_same: bool) -> View | None:
        """The view with everything read as before, except for a broken beginning of the cursor's line. is_same: whether the cursor is still
        in the same line."""
        conflicting = self._conflicts(carried.original, carried.place)
        plain = View.of(carried.original, carried.place, conflicting)
        for view in chain((carried,), self._undone(carried), (plain,) if carried.hidden else ()):
            if set(conflicting).issubset(view.hidden):
                if view.hidden and (state := self._read(view)) is not None:
                    if not is_same and view.step != "line" and state.complete:
                        self._whole = view
                    return view
                if (cut := self._cut(view)) is not None:
                    return cut
        return None

    def _undone(self, carried: View) -> Iterator[View]:
        """The views that undo the changes since the file was whole: all, or those before the last key."""
        text, last = carried.original, self._last
        undone = _undone(carried, self._whole.text)
        if undone is None:
            place = min(carried.place, common_prefix(last.original, text))
            undone = _undone(_carried(last, last.original, place)[0], self._whole.text)
            undone = None if undone is None else _carried(undone, text, carried.place)[0]
        if undone is not None and undone.hidden != carried.hidden:
            yield undone

    def _cut(self, view: View) -> View | None:
        """The view without the beginning of the cursor's line, or with the line in another column; None if more than the line is broken."""
        text, (start, end) = view.text, _line(view.text, view.offset)
        body = min(end - len(text[start:end].lstrip(" \t")), view.offset)
        left, all_of_it = self._before(text, body), self._before(text, view.offset)
        if not isinstance(left, PrefixState) or (isinstance(all_of_it, PrefixState) and not self._reader.is_exact):
            return None
        rest = text[view.offset : end]
        if (
            self._engine.blocks is not None
            and left.stacks.depth
            and not rest.strip()
            and not self._is_closed(view, body)
        ):
            return None
        lexer = self._engine.lexer
        own = region(lexer, partial(self._before, text), text, view.offset)

        def before(_: int) -> PrefixState:
            return left

        for edit in self._mender.beginnings(Broken(text, view.offset, (start, end), view.offset, before)):
            self._engine.ask()
            if edit.start == body:
                after = self._engine.read_text(left, edit.text + text[edit.end : view.offset])
                if after is None or lexer.region(after.lex) not in ("code", own):
                    continue
            shorter = view.edited(edit)
            if self._read(shorter) is not None:
                return self._bound(view, edit, left) if edit.start == body < edit.end else shorter
        return None

    def _is_closed(self, view: View, body: int) -> bool:
        """Whether the brackets around the cursor's line, beginning at an offset, are closed behind it."""
        state = self._read(view.edited(Edit(body, view.offset, "", 0.0)))
        filled = () if state is None else (state, *(state.advance(text) for text in _FILLING))
        return any(after is not None and after.complete for after in filled)

    def _bound(self, view: View, cut: Edit, left: PrefixState) -> View:
        """The view without the beginning of the cursor's line. Above stand the line as it was when the cursor came to it, and a statement
        binding the other names of the beginning, as far as these can be read."""
        text, (start, end) = view.text, _line(view.text, view.offset)
        line, indent = _before(self._whole.text, text, start, end)[cut.start - start :], text[start : cut.start]
        begun = text[cut.end : view.offset] or ("" if self._engine.blocks is None else "x")
        plain = self._engine.read_text(left, begun)
        for above in (f"{line}\n{indent}", "") if line.strip() and plain is not None else ("",):
            pieces = (text[cut.start : cut.end], "" if above else line)
            names = list(dict.fromkeys(name for piece in pieces for name in self._mender.declared(piece)))
            names = [name for name in names if name not in _WORD.findall(above)]
            forms = [f"{form}\n{indent}" for form in self._mender.binding(names, left)] if names else []
            for said in (*(above + form for form in forms), *filter(None, (above,))):
                other, after = view.edited(cut._replace(text=said)), self._engine.read_text(left, said + begun)
                is_alike = after is not None and (plain is None or after.nesting == plain.nesting)  # said no header
                if is_alike and self._read(other) is not None:
                    return other
        return view.edited(cut)

    def _found(self, carried: View, most: int) -> View | None:
        """A view by search: with the pieces hidden by the last one, else from the beginning."""
        around = _around(carried.original, carried.place)
        start = View.of(carried.original, carried.place, self._conflicts(carried.original, carried.place))
        if carried.hidden and set(start.hidden).issubset(carried.hidden) and self._failed != around:
            view, is_whole = self._search(carried, most)
            if view is not None and is_whole:
                return view
        view = self._search(start, most)[0] if self._failed != around else None
        self._failed = around if view is None else None
        return view or self._alone(start)

    def _search(self, start: View, most: int) -> tuple[View | None, bool]:
        """The view with the cheapest edits found that let the text be read to its end, and True; else a viable view or None, and False.

        Edits are read in the order of their costs, so that none is read that costs more than mending the text.
        """
        self._own = self._reader.region(start)
        order, queue = count(), list[tuple[float, int, _Node]]()
        ways, all_of_it = self._reader.ways(start), (len(start.text) + 2, 0)
        for way, cost in ways.items():
            heappush(queue, (cost, next(order), _Node(start, way, cost, all_of_it)))
        seen, read, least = set[tuple[int, tuple[Hidden, ...]]](), 0, dict.fromkeys(ways, 1 << 60)
        looked_at = list[View]()
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
                    cost = node.cost + (0.0 if left[0] or self._is_in_place(node.view) else _MISPLACED)
                    node = node._replace(left=left[0], open=left[1], cost=cost)
                    heappush(queue, (node.cost + self._behind(node, least), next(order), node))
                continue
            if not node.left:
                return self._least(node.view), True
            if (now := node.cost + self._behind(node, least)) > cost:
                heappush(queue, (now, next(order), node))
                continue
            if node.view.hidden and not self._reader.is_exact:
                looked_at.append(node.view)
            if len(node.view.hidden) > _MOST_HIDDEN:
                continue
            for child, more in self._children(node):
                self._engine.ask()
                if (node.way, child.hidden) not in seen:
                    seen.add((node.way, child.hidden))
                    unread = _Node(child, node.way, node.cost + more, (node.left, node.open))
                    heappush(queue, (unread.cost, next(order), unread))
        return next(
            (view for view in looked_at if self._read(view) is not None and self._is_in_place(view)), None
        ), False

    def _is_in_place(self, view: View) -> bool:
        """Whether the cursor is in a string or a comment only if it is in the text itself."""
        return self._reader.region(view) in ("code", self._own)

    def _alone(self, start: View) -> View | None:
        """A view with everything hidden but the cursor's line."""
        for pieces in self._mender.alone(start.original, start.place):
            view = View.of(start.original, start.place, pieces)
            if self._read(view) is not None and self._is_in_place(view):
                return view
        return None

    @staticmethod
    def _behind(node: _Node, least: Mapping[int, int]) -> float:
        """The cost of a view's being incomplete: a further error, and the progress of a view that leads further."""
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
        """The view without its additions behind the cursor that a text there may bring."""
        for piece in view.hidden:
            if piece.start == piece.end >= view.place and self._is_in_reach(view, piece):
                other = View.of(view.original, view.place, (other for other in view.hidden if other is not piece))
                if self._read(other) is not None:
                    view = other
        return view

    def _is_in_reach(self, view: View, piece: Hidden) -> bool:
        """Whether a text at the cursor may bring an addition. In languages with braces, not behind another item at the margin."""
        return self._engine.blocks is not None or _AT_MARGIN.search(view.original, view.place, piece.start) is None


def _left_open(code: str) -> tuple[int, ...]:
    """For each kind of brackets how many more are opened than closed; for each quote of strings over several lines whether one is odd."""
    brackets = (code.count(opening) - code.count(closing) for opening, closing in ("()", "[]", "{}", "<>"))
    return (*brackets, *(code.count(quote) % 2 for quote in (*_QUOTES, "`")))


def _around(text: str, offset: int) -> tuple[str, str]:
    """The text above and below the line of an offset."""
    return text[: line_start(text, offset)], text[line_end(text, offset) :]


def _line(text: str, offset: int) -> tuple[int, int]:
    """The beginning and the end of an offset's line, without its line end."""
    return line_start(text, offset), line_end(text, offset)


def _shared(old: str, text: str) -> tuple[int, int]:
    """The numbers of characters two texts share at the front and at the end, none counted twice, and no part of a line end."""
    front = common_prefix(old, text)
    back = min(common_suffix(old, text), min(len(old), len(text)) - front)
    if back and text[-back] == "\n" and "\r" in (text[-back - 1 : -back], old[-back - 1 : -back]):
        back -= 1
    return front, back


def _carried(last: View, text: str, offset: int) -> tuple[View, bool]:
    """The view of a text with the pieces of the last view, except for changed ones, those in the cursor's line, and the beginning of the
    cursor's last line; and whether the cursor is still in that line and everything else is the same."""
    old = last.original
    front, back = _shared(old, text)
    (own, own_end), (start, end) = _line(old, last.place), _line(text, offset)
    is_same = bool(old) and own == start <= front and len(old) - back <= own_end
    pieces = list[Hidden]()
    for piece in last.hidden:
        moved = 0 if piece.end <= front else len(text) - len(old)
        if (piece.end > front and piece.start < len(old) - back) or (own < piece.end <= last.place and not is_same):
            continue
        piece = Hidden(piece.start + moved, piece.end + moved, piece.text)
        cuts_word = _IN_WORD.match(text, piece.end - 1) is not None
        if piece.start >= end or piece.end <= start or (is_same and piece.end <= offset and not cuts_word):
            pieces.append(piece)
    return View.of(text, offset, pieces), is_same


def _is_blameless(view: View, whole: View) -> bool:
    """Whether the cursor's line has not changed since the text was valid, so that what is hidden elsewhere is at fault."""
    text = view.original
    front, back = _shared(whole.text, text)
    start, end = _line(text, view.place)
    return bool(whole.text) and not whole.hidden and (end < front or start > len(text) - back)


def _before(old: str, text: str, start: int, end: int) -> str:
    """The piece of an old text in the place of a piece of a text; "" if there are other differences, too."""
    front, back = _shared(old, text)
    return old[start : len(old) - len(text) + end] if start <= front and len(text) - back <= end else ""


def _undone(view: View, whole: str) -> View | None:
    """The view of a text with its differences from a whole one undone; None if there are none, many, or some in the cursor's line."""
    text = view.text
    front, back = _shared(whole, text)
    begin, end = line_start(text, front), line_end(text, len(text) - back)
    start, stop = _line(text, view.offset)
    before = whole[begin : len(whole) - len(text) + end]
    if whole == text or (begin <= stop and end >= start) or max(end - begin, len(before)) > _MOST_UNDONE:
        return None
    return view.edited(Edit(begin, end, before, 0.0))


def new_views(
    runtime: EngineRuntime, mender: Mender, viewed: Session, before: Callable[[str, int], PrefixState | int]
) -> Views:
    """The views of a document; viewed: a session for their texts; before: see Views."""
    engine = runtime.engine

    def read(text: str, offset: int) -> HoleState | None:
        return viewed.hole(text, offset, engine.stop, level="syntax").state

    if runtime.new_reader is not None:
        return Views(
            engine, mender, runtime.new_reader(lambda text, offset: read(text, offset) is not None), read, before
        )
    return Views(engine, mender, Reader(engine, finishing(engine, runtime.bridging), mender.openings), read, before)
