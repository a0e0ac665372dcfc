"""What the code around a cursor lacks behind it: the closers of what has been begun and not finished.

People write from top to bottom: a bracket is open, a header has no block, a `try` no `except`. No short text at the cursor makes such a file
valid, but with *closers* behind it, each where it belongs, it is: brackets, quotes, a block, a clause, the function below a decorator.

This is an insert-only repair of the right context (Fischer and Mauney 1992, "A simple, fast, and effective LL(1) error repair algorithm",
do the same at errors), guided by layout: a construct that begins in a line goes on as long as lines are indented deeper. What closes
all that is open is asked of the engine: the shortest text that connects with the end of a file.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from .hole import Closer, Hole, State, find_bridges

MAX_LINES = 200
"""Lines of the right context in which the ends of blocks are looked for; what goes on longer is broken rather than begun."""
MAX_STEPS = 24
"""Places tried with a text before a repair is given up."""
_DONE = -1
_PIECE = re.compile(r"\w+|\s+|[^\w\s]")
_SAID = ("", "0", "x")
_ENDS = ("", ":", ")", "]", "}", "):", " {", ",", '"', "'", "=0")
"""What a line usually ends with, after an operand or none; of any language."""
_LINE_END = re.compile(r"\r\n|\n|\r")


HoleAt = Callable[[str, str], Hole]
"""(left context, right context) -> the hole between them, by syntax alone"""


def mended(right: str, closers: tuple[Closer, ...]) -> str:
    """A right context with its closers."""
    parts, done = list[str](), 0
    for closer in closers:
        parts += right[done : closer.at], closer.text
        done = closer.at
    return "".join(parts) + right[done:]


def pending(hole_at: HoleAt, left: str, right: str, plain: Callable[[str], str] = str) -> tuple[Closer, ...]:
    """The fewest closers with which the code that is begun around a cursor is finished behind it.

    () where nothing is lacking, since some text in the cursor's line makes the file valid; and where the file is broken rather than begun.
    plain: gives a closer as a person would write it.
    """
    return _Repair(hole_at, left, right, plain).found()


def is_lacking(state: State, depth: int) -> bool:
    """May something be lacking in a hole? Not where one of the usual ends of a line makes the file valid.

    depth: of brackets at the start of the line. What closes one of these is for another line to write.
    """
    if state.complete:
        return False
    for said in _SAID:
        after = state.advance(said)
        for end in _ENDS:
            whole = None if after is None else after.advance(end)
            if whole is not None and whole.complete and whole.left.stacks.depth >= depth:
                return False
    return True


class _Repair:
    """One search for closers."""

    def __init__(self, hole_at: HoleAt, left: str, right: str, plain: Callable[[str], str]) -> None:
        self._hole_at = hole_at
        self._plain = plain
        self._memo: dict[tuple[str, int], Hole] = {}
        self._left = left
        self._right = right
        self._newline = "\n"
        end = _LINE_END.search(right)
        self._rest = right[: end.start()] if end else right
        if end:
            self._newline = end[0]
        self._line = re.split(r"[\r\n]", left)[-1]
        self._ends = list(dict.fromkeys(block_ends(left, right)))

    def found(self) -> tuple[Closer, ...]:
        """See `pending`."""
        ways: list[tuple[str, tuple[Closer, ...]]] = []
        heads = list(self._heads())
        for comma in ("", ","):  # what follows may be the next of several
            for head in heads:
                if self._completes(self._left + head + comma, 0):
                    return ()
                closers = self._closers(head + comma)
                if closers is not None:
                    ways.append((head + comma, closers))
            if ways:
                break
        if not ways:
            return ()
        # Of two ways the one whose head says more: a person writes on in the line before anything else.
        head, closers = min(reversed(ways), key=lambda way: sum(len(closer.text.strip()) for closer in way[1]))
        plain = tuple(Closer(closer.at, self._plain(closer.text)) for closer in closers)
        state = self._hole_at(self._left + head, mended(self._right, plain)).state
        return plain if state is not None and state.complete else closers

    def _heads(self) -> Iterator[str]:
        """What may be written at the cursor for the search's sake: parts of the shortest text that closes all."""
        first = self._state(self._left)
        if first is None:
            return
        begun = self._left[: len(self._left) - len(self._line)]
        before = self._state(begun)
        depth = first.left.stacks.depth if before is None else before.left.stacks.depth
        yield ""
        whole = self._shortest(self._left)
        if whole is None:
            return
        head, said, deepest = "", False, first.left.stacks.depth
        for piece in _PIECE.findall(_LINE_END.split(whole)[0]):
            head += piece
            state = first.advance(head)
            now = -1 if state is None else state.left.stacks.depth
            # What a line above has opened is not for this line to write, nor a header's block, be it in words or in brackets of its own.
            if now < depth or (said and piece[0].isalnum()) or (now < deepest and deepest > first.left.stacks.depth):
                return
            said, deepest = said or not piece.isspace(), max(deepest, now)
            yield head

    def _closers(self, head: str) -> tuple[Closer, ...] | None:
        """What is lacking behind a text at the cursor; None where that is not known."""
        order = count()
        start = self._left + head + self._rest
        if self._state(start) is None:
            return None
        queue: list[tuple[int, int, int, str, tuple[Closer, ...]]] = [(0, next(order), 0, start, ())]
        seen = {(0, start)}
        for _ in range(MAX_STEPS):
            if not queue:
                return None
            spent, _, place, text, closers = heapq.heappop(queue)
            if place == _DONE:
                return closers
            at = self._ends[place]
            following = self._ends[place + 1] if place + 1 < len(self._ends) else len(self._right)
            for closing in self._candidates(text):
                cost = spent + len(closing.strip())
                for comma in ("", ","):  # what follows may be the next of several
                    if self._completes(text + closing + comma, at):
                        whole = closing + comma
                        now = (*closers, Closer(at, whole)) if whole else closers
                        heapq.heappush(queue, (cost, next(order), _DONE, "", now))
                        break
                else:
                    step = place + 1, text + closing + self._right[at:following]
                    if step[0] < len(self._ends) and step not in seen and self._state(step[1]) is not None:
                        seen.add(step)
                        now = (*closers, Closer(at, closing)) if closing else closers
                        heapq.heappush(queue, (cost, next(order), *step, now))
        return None

    def _candidates(self, text: str) -> Iterator[str]:
        """What may close something behind a text."""
        yield ""
        for lead in ("", self._newline):
            state = self._state(text + lead)
            whole = self._shortest(text + lead) if state is not None else None
            if not whole or (lead and whole.startswith(self._newline)):
                continue
            part = lead
            for line in whole.splitlines(keepends=True):
                part += line
                if part.strip() and self._is_closing(text, part):
                    yield part.rstrip("\r\n")

    def _is_closing(self, text: str, part: str) -> bool:
        """Does it close, rather than say something? Within brackets it then has no words."""
        state = self._state(text)
        for piece in _PIECE.findall(part):
            if state is None:
                return False
            if piece[0].isalnum() and state.left.stacks.depth:
                return False
            state = state.advance(piece)
        return not part.strip()[:1].isalnum() or part[:1] in "\r\n"

    def _completes(self, text: str, at: int) -> bool:
        hole = self._hole(text, at)
        return hole.fallback == "none" and hole.state is not None and hole.state.complete

    def _shortest(self, text: str) -> str | None:
        """The shortest text that closes all that is open behind a text."""
        state = self._state(text)
        found = [] if state is None else find_bridges(state, 1)
        return found[0] if found else None

    def _state(self, text: str) -> Any:
        hole = self._hole(text, len(self._right))
        return hole.state if hole.fallback == "none" else None

    def _hole(self, text: str, at: int) -> Hole:
        found = self._memo.get((text, at))
        if found is None:
            found = self._memo[text, at] = self._hole_at(text, self._right[at:])
        return found


def block_ends(left: str, right: str) -> Iterator[int]:
    """Where closers may belong in a right context: at the end of its first line, and behind the lines that are deeper than one above.

    Those of the innermost block come first; the last is the end of the text.
    """
    first = _LINE_END.search(right)
    if first is None:
        yield len(right)
        return
    yield first.start()
    columns = enclosing_columns(left)
    last = first.start()
    for number, match in enumerate(re.finditer(r"(?:\r\n|\n|\r)([ \t]*)([^\r\n]*)", right[first.start() :])):
        if number > MAX_LINES:
            return
        if not match[2]:
            continue
        width = len(match[1].expandtabs())
        ended = [column for column in columns if column >= width]
        if ended and last != first.start():
            yield last
        columns = [column for column in columns if column < width]
        last = first.start() + match.end()
    yield len(right.rstrip())


def enclosing_columns(left: str) -> list[int]:
    """The columns of the cursor's line and of the lines above that are each less deep than the one before."""
    lines = _LINE_END.split(left)
    found: list[int] = []
    for line in reversed(lines[-MAX_LINES:]):
        if not line.strip() and line is not lines[-1]:
            continue
        width = len(line[: len(line) - len(line.lstrip(" \t"))].expandtabs())
        if not found or width < found[-1]:
            found.append(width)
        if not width:
            break
    return found
