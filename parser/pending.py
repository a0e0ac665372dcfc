"""Pending code: the closers missing behind a cursor in unfinished code.

People write from top to bottom: a bracket is open, a header has no block, a `try` no `except`. No short text at the cursor makes such a file
valid; *closers* behind it, each in its place, do: brackets, quotes, a block, a clause, the function below a decorator.

This is an insert-only repair of the right context (Fischer and Mauney 1992, "A simple, fast, and effective LL(1) error repair algorithm",
do the same at errors), guided by layout: a construct continues as long as lines are indented deeper than its first one. The engine finds
the text closing everything: the shortest one that connects with the end of a file.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from ..common.line_ends import LINE_END
from .enclosing import BLANK, block_ends, column_of, enclosing_starts, inner_indentation
from .hole import Closer, Hole, State, find_bridges
from .pending_hole import LONG_ENDS

MAX_STEPS = 24
"""Places tried with a text before the repair gives up."""
_DONE = -1
_MOST_BRACKETS = 2
_OUT_OF_LINE = 1
"""The cost, beside its letters, of a closer in the cursor's line above deeper lines, which seem to belong to it."""
_PIECE = re.compile(rf"</[\w.:-]*+>|{LONG_ENDS}|\w+|\s+|[^\w\s]")
"""A word, blanks, a sign, an end of a string or comment; a closing tag of a markup is one unit, with its name."""
_END_TAG = re.compile(r"</([\w.:-]*+)>")
_SAID = ("", "0", "x")
_FILLER = re.compile(r"\bx\b")
"""The name a search writes where any name may stand."""
_PARTS = (".x", ":0", "x:0", " in x", " x in x")
"""Other endings of code in brackets, such as a condition, an unnamed function, or a loop; of any language."""
_ENDS = ("", ":", ")", "]", "}", "):", " {", ",", '"', "'", "=0")
"""The usual ends of a line, after an operand or none; of any language."""
_QUOTES = ('"', "'", "`", '"""', "'''")
_BLANKS = (" ", "\n")
_BRACKETS_CLOSED = (")", "]", "}")
_MOST_OPEN = 8
"""Brackets and quotes that one line has opened, at most."""
_NEXT_LINE = re.compile(r"(?:[ \t]*(?:\r\n|\n|\r))+([ \t]*)(?=\S)")
_BLOCK = "{;"
"""An unambiguous beginning of a block in brackets; see `Closing.statements`."""
_EXPRESSION = "-0"
"""A text no declared name begins with."""
_OTHER_NAME = "qz"
"""A word unlikely to be a keyword of any language."""
_BRACKETS = re.compile(r"[)\]}]+")
_OPENING = re.compile(r"[(\[{]")
_LINE_OF_BRACKETS = re.compile(r"^[ \t]*[)\]}]+\Z", re.MULTILINE)
_WORD_BEGUN = re.compile(r"\w+\Z")
_OPENS = re.compile(r"[(\[{]\s*\Z")

HoleAt = Callable[[str, str], Hole]
"""(left context, right context) -> the hole between them, by syntax alone"""


def mended(right: str, closers: tuple[Closer, ...]) -> str:
    """A right context with its closers."""
    parts, done = list[str](), 0
    for closer in closers:
        parts += right[done : closer.at], closer.text
        done = closer.at
    return "".join(parts) + right[done:]


@dataclass(frozen=True)
class Closing:
    """How people close unfinished code in a language."""

    plain: Callable[[str, str], Iterable[str]] | None = None
    """(the shortest closer, the indentation of a block there) -> the same closer in other words, the best first"""
    statements: Mapping[str, str] = field(default_factory=dict[str, str])
    """code possible below a header or a decorator, which cannot end a file, in a language without a name as filler -> the unambiguous
    beginning of such a statement; "": used only where the shortest text begins with its first word"""
    filler: str = ""
    """a keyword usable as any expression, for one behind the closers of lines; "": none"""


def pending(hole_at: HoleAt, left: str, right: str, closing: Closing) -> tuple[Closer, ...]:
    """The fewest closers that finish, behind a cursor, the code begun around it.

    () if nothing is missing, since some text in the cursor's line makes the file valid; and if the file is broken rather than unfinished.
    """
    closers = _Repair(hole_at, left, right, closing).found()
    begun = _WORD_BEGUN.search(left)
    if begun is None or not any(_OPENING.search(closer.text) for closer in closers):
        return closers
    # The word may be the beginning of one with fewer closers, such as Go's `range`.
    before = _Repair(hole_at, left[: begun.start()], right, closing).found()
    fits = before and _letters(before) < _letters(closers) and hole_at(left, mended(right, before)).viable
    return before if fits else closers


def _letters(closers: Iterable[Closer]) -> int:
    """The number of characters of closers, without surrounding blanks."""
    return sum(len(closer.text.strip()) for closer in closers)


def is_in_word(text: str, offset: int) -> bool:
    """Whether a place in a text is behind a letter."""
    return re.match(r"\w", text[max(0, offset - 1) : offset]) is not None


def is_lacking(state: State, depth: int, in_word: bool = False) -> bool:
    """Whether a hole may need closers. Not if one of the usual ends of a line makes the file valid.

    depth: of brackets at the start of the line. Another line writes their closers. in_word: whether the hole may begin in a word.
    """
    if state.complete:
        return False
    state = _behind_symbol(state)
    for said in _SAID:
        after = state.advance(f" {said}" if in_word and said else said)
        for end in _ENDS:
            whole = None if after is None else after.advance(end)
            if whole is not None and whole.complete and whole.left.stacks.depth >= depth:
                return False
    return not any(_fits_when_closed(state, said, depth) for said in _SAID)


def _fits_when_closed(state: State, said: str, depth: int) -> bool:
    """Whether some text makes a file valid together with the closers of its line's brackets, and perhaps a comma."""
    after, closed = state.advance(said), ""
    while after is not None and after.region == "code" and after.left.stacks.depth > depth and len(closed) < _MOST_OPEN:
        after, end = _closed(after)
        closed += end
    return bool(closed) and after is not None and _comma(after, depth) is not None


def open_in_line(state: State, depth: int) -> str:
    """The closers of the quotes and brackets opened in the cursor's line, if these, and perhaps a comma, make the file valid behind some
    text; else "". A string of several lines has none: people write its end last, and so do texts.

    depth: of brackets at the start of the line.
    """
    state = state if state.complete else _behind_symbol(state)
    for said in ("",) if state.complete or state.region == "string" else (*_SAID, *_PARTS):
        after, closed = state.advance(said), ""
        for _ in range(_MOST_OPEN):
            if after is None or after.complete or (after.region == "code" and after.left.stacks.depth <= depth):
                break
            after, end = _closed(after)
            closed = closed + end if len(end) < 2 else ""
        if closed and after is not None and (comma := _comma(after, depth)) is not None:
            return closed + comma
    return ""


def _comma(state: State, depth: int) -> str | None:
    """The comma missing before a right context that begins with the next of several elements, or ""; None if that makes no valid file."""
    if state.complete:
        return ""
    after = state.advance(",") if state.region == "code" and state.left.stacks.depth == depth else None
    return "," if after is not None and after.complete else None


def rest_of_symbol(state: State) -> str:
    """The end of a state's unfinished symbol, if no other can begin before it is longer, such as `=` behind `if x =`; else ""."""
    if _may_go_on(state):
        return ""
    after, rest = state, ""
    for char in next(iter(find_bridges(state, 1)), ""):
        after, rest = after.advance(char), rest + char
        if after is None or _may_go_on(after):
            return "" if after is None else rest
    return ""


def _may_go_on(state: State) -> bool:
    """Whether something other than the rest of a state's symbol may follow."""
    return state.region != "code" or state.complete or any(state.advance(blank) is not None for blank in _BLANKS)


def _behind_symbol(state: State) -> State:
    return state.advance(rest_of_symbol(state)) or state


def _closed(state: State) -> tuple[State | None, str]:
    """The state behind the closer of its string, or of its innermost bracket, and the closer."""
    depth, ends = state.left.stacks.depth, _QUOTES if state.region == "string" else _BRACKETS_CLOSED
    for end in ends:
        after = state.advance(end)
        if after is not None and (after.region != state.region or after.left.stacks.depth < depth):
            return after, end
    return None, ""


class _Repair:
    """One search for closers."""

    def __init__(self, hole_at: HoleAt, left: str, right: str, closing: Closing) -> None:
        self._hole_at = hole_at
        self._language = closing
        self._memo: dict[tuple[str, int], Hole] = {}
        self._left = left
        self._right = right
        self._newline = "\n"
        end = LINE_END.search(right)
        self._rest = right[: end.start()] if end else right
        if end:
            self._newline = end[0]
        self._line = re.split(r"[\r\n]", left)[-1]
        self._ends = list(dict.fromkeys(block_ends(left, right)))
        below = _NEXT_LINE.match(right, len(self._rest))
        self._goes_on = below is not None and len(below[1].expandtabs()) > column_of(self._line, 0)

    def found(self) -> tuple[Closer, ...]:
        """See `pending`."""
        ways: list[tuple[str, tuple[Closer, ...]]] = []
        likely, others = self._heads()
        for heads in (likely, others):
            for comma in ("", ","):  # the right context may begin with the next of several
                for head in () if ways else heads:
                    if self._completes(self._left + head + comma, 0):
                        if ways and heads is not likely and any(map(str.isalnum, head[len(ways[-1][0]) :])):
                            break  # with a header's block in its line
                        return ()
                    closers = self._closers(head + comma)
                    if closers is not None:
                        ways.append((head + comma, closers))
        if not ways:
            return ()
        # The way with the longer head wins: a person first continues the line.
        head, closers = min(reversed(ways), key=lambda way: _letters(way[1]))
        closers_said, before = closers, self._left + head
        for number, closer in enumerate(closers):
            before += self._right[closers[number - 1].at if number else 0 : closer.at]
            for text in self._written(before, closer.text):
                other = (*closers_said[:number], Closer(closer.at, text), *closers_said[number + 1 :])
                if self._completes(self._left + head, 0, mended(self._right, other)):
                    closers_said = other
                    break
            before += closers_said[number].text
        # If closers need an expression, a text is missing, and may end the line.
        return () if any(_FILLER.search(closer.text) for closer in closers_said) else closers_said

    def _written(self, before: str, closer: str) -> Iterator[str]:
        """The ways a person might write a closer behind a text, the best first."""
        brackets = _BRACKETS.match(closer)
        closed = brackets[0] if brackets is not None else ""
        own, rest = self._on_own_lines(before, closed), closer[len(closed) :]
        tag = _END_TAG.match(closer)
        if tag is not None:
            yield from self._under_opening(before, closer, tag[1])
        rests = [rest]
        if self._language.plain is not None:
            state = self._state(before)
            column = 0 if state is None else state.left.frame.column
            rests = [*self._language.plain(rest, self._newline + inner_indentation(before, column)), rest]
        for begun in dict.fromkeys((own, closed)):
            yield from (begun + rest for rest in rests)

    def _under_opening(self, before: str, closer: str, name: str) -> Iterator[str]:
        """The closing tag of an element, on its own line, in the column of the line above where the element begins."""
        for start in enclosing_starts(before):
            blank = BLANK.match(before, start)
            if blank is not None and re.match(rf"<{re.escape(name)}[^\w.:-]", before[blank.end() :]):
                yield self._newline + blank[0] + closer
                return

    def _on_own_lines(self, before: str, brackets: str) -> str:
        """Closing brackets behind a text, on their own lines if the opening ones end lines, in the column of the opening line."""
        said = line = ""
        starts = list(enclosing_starts(before))
        depth = self._depth(before)
        for number, bracket in enumerate(brackets):
            while starts and self._depth(before[: starts[0]]) >= depth - number:
                starts.pop(0)
            if not starts:
                return said + brackets[number:]
            opening = LINE_END.split(before[starts[0] :], maxsplit=1)
            opener = _OPENS.search(opening[0])
            # The contents are on their own lines, or will be.
            if opener is not None and (len(opening) > 1 or opener[0][0] == "{") and opening[0] != line:
                line = opening[0]
                own = self._newline + line[: len(line) - len(line.lstrip(" \t"))] + bracket
                comma = (
                    "" if self._state(before + said + own) is not None else ","
                )  # some languages end a list's lines with one
                said += comma + own
            else:
                said += bracket
        return said

    def _depth(self, text: str) -> int:
        """The number of open brackets behind a text."""
        state = self._state(text)
        return 0 if state is None else state.left.stacks.depth

    def _heads(self) -> tuple[Sequence[str], Sequence[str]]:
        """Texts for the search to write at the cursor, parts of the shortest text closing everything: the likely ones, and others."""
        first = self._state(self._left)
        if first is None:
            return (), ()
        depth = min(first.left.stacks.depth, self._depth(self._left[: len(self._left) - len(self._line)]))
        head = begun = rest_of_symbol(first)
        likely, others = [begun], list[str]()
        left = self._left + begun
        blank = " " if is_in_word(left, len(left)) and self._state(left + " ") is not None else ""
        whole = blank + (self._shortest(left + blank) or "")
        if blank and not LINE_END.split(whole)[0].strip():
            whole = self._shortest(left) or whole  # it may go on without a blank
        said = False
        for piece in _PIECE.findall(LINE_END.split(whole)[0]):
            head += piece
            state = first.advance(head)
            now = -1 if state is None else state.left.stacks.depth
            # This line closes nothing of the lines above, and does not write a header's whole block in brackets.
            if now < depth or (piece == "}" and "{" in head):
                break
            said = said or not piece.isspace()
            if self._is_block_meant(self._left + head[:-1], piece):
                continue
            # A word behind a sign may be a header's block.
            is_block = said and piece[0].isalnum() and head[len(begun) :].strip() != piece
            (others if others or is_block else likely).append(head)
        gap = " " if is_in_word(self._rest, 1) else ""
        others += (begun + blank + word + gap for word in _SAID if word and self._rest[:1].strip())
        return likely, others

    def _closers(self, head: str) -> tuple[Closer, ...] | None:
        """The closers behind a text at the cursor; None if unknown."""
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
            offset = self._ends[place]
            following = self._ends[place + 1] if place + 1 < len(self._ends) else len(self._right)
            for closing in self._candidates(text, at_cursor=not place):
                cost = spent + len(closing.strip()) + (_OUT_OF_LINE if closing and not place and self._goes_on else 0)
                now = (*closers, Closer(offset, closing)) if closing else closers
                if self._completes(text + closing, offset):
                    heapq.heappush(queue, (cost, next(order), _DONE, "", now))
                    continue
                step = place + 1, text + closing + self._right[offset:following]
                if step[0] < len(self._ends) and step not in seen and self._state(step[1]) is not None:
                    seen.add(step)
                    heapq.heappush(queue, (cost, next(order), *step, now))
        return None

    def _candidates(self, text: str, at_cursor: bool) -> Iterator[str]:
        """Texts that may close code behind a text, also with a comma before the next of several elements."""
        for closing in self._closing(text, at_cursor):
            yield closing
            if (closing or not at_cursor) and self._state(text + closing + ",") is not None:
                yield closing + ","

    def _closing(self, text: str, at_cursor: bool) -> Iterator[str]:
        """Texts that may close code behind a text. at_cursor: whether that text ends in the cursor's line."""
        yield ""
        for lead in ("", self._newline):
            state = self._state(text + lead)
            whole = self._shortest(text + lead) if state is not None else None
            if not whole or (lead and whole.startswith(self._newline)):
                continue
            brackets = _BRACKETS.match(whole)
            if brackets is not None and not lead:  # the right context may close the outer ones
                yield from (whole[:end] for end in range(1, min(len(brackets[0]), _MOST_BRACKETS + 1)))
            tag = _END_TAG.match(whole)
            if tag is not None and not lead:
                yield tag[0]
            if not lead:
                yield from self._finished(text, whole, "" if brackets is None else brackets[0])
                is_below = not at_cursor and _LINE_OF_BRACKETS.search(text) is not None
                yield from self._filled(text, whole, is_below=is_below)
            clause = lead + whole[: self._clause_end(text + lead, whole)]
            if clause != lead and self._is_closing(text, clause) and not self._is_block_meant(text, clause):
                yield clause
            part = lead
            for line in whole.splitlines(keepends=True):
                part += line
                if part.strip() and self._is_closing(text, part) and not self._is_block_meant(text, part):
                    yield part.rstrip("\r\n")

    def _clause_end(self, text: str, whole: str) -> int:
        """The end of the clause, with a block in brackets, at the beginning of a text behind another; or the place before the text closes a
        bracket of the other; 0 if there is none."""
        end, depth = 0, self._depth(text)
        for piece in _PIECE.findall(whole):
            end += len(piece)
            if piece in _BRACKETS_CLOSED:
                now = self._depth(text + whole[:end])
                if now < depth:
                    return end - len(piece)
                if piece == "}" and now == depth:
                    return end
        return 0

    def _is_block_meant(self, text: str, end: str) -> bool:
        """Whether a text is closed with an empty statement in a block's place."""
        if _BLOCK not in self._language.statements.values():
            return False
        return any(
            self._state(text + end[:index] + _BLOCK) is not None for index, char in enumerate(end) if char == ";"
        )

    def _finished(self, text: str, whole: str, brackets: str) -> Iterator[str]:
        """Brackets and the statement needed behind them, also with the closers of everything else. whole: the shortest text closing all."""
        if len(brackets) == len(whole.rstrip()):
            return
        for statement, beginning in self._language.statements.items():
            part = brackets + self._newline
            is_begun = beginning and self._state(text + part + beginning) is not None
            if not is_begun and statement.split()[0] != whole[len(brackets) :].split()[0]:
                continue
            part += statement.replace("\n", self._newline)
            rest = self._shortest(text + part)
            if rest is not None:
                yield part
                if self._is_closing(text + part, self._newline + rest):
                    yield part + self._newline + rest

    def _filled(self, text: str, whole: str, *, is_below: bool) -> Iterator[str]:
        """The shortest text closing everything behind a text, or its beginning, if it has expressions only behind a bracket around whole
        lines: the condition of `do {`, the other branch of `a ? (`. No text within these lines can write it.

        is_below: whether the text's last line is such a bracket.
        """
        if not self._language.filler or _FILLER.search(whole) is None:
            return
        said, begun, level = "", False, self._depth(text) if is_below else None
        for piece in _PIECE.findall(whole):
            depth = self._depth(text + said)
            if piece in _BRACKETS_CLOSED:
                if begun and level is not None and depth <= level:
                    yield said
                if self._closes_lines(text + said, piece):
                    level = depth - 1
            if _FILLER.fullmatch(piece):
                if level is None or depth < level or self._state(text + said + _EXPRESSION) is None:
                    return
                piece, begun = self._language.filler, True
            said += piece
        yield said

    def _closes_lines(self, before: str, bracket: str) -> bool:
        """Whether a bracket behind a text closes whole lines, or a block that will have some."""
        above = self._depth(self._left[: len(self._left) - len(self._line)])
        is_above = self._depth(before) <= above or self._state(before + ";") is not None
        return is_above and self._on_own_lines(before, bracket) != bracket

    def _is_closing(self, text: str, part: str) -> bool:
        """Whether a text only closes code, and adds no content."""
        state, before = self._state(text), part[:1]
        for piece in _PIECE.findall(part):
            if state is None:
                return False
            # Where indentation makes blocks, a word of the cursor's line is content behind a sign other than a colon.
            if piece[0].isalnum() and state.context.engine.blocks is not None and before not in "\r\n:":
                return False
            before = before if piece.isspace() or before in "\r\n" else piece
            if piece[0].isalnum() and self._is_said(state, piece):
                return False
            state = state.advance(piece)
        return not part.strip()[:1].isalnum() or part[:1] in "\r\n"

    def _is_said(self, state: State, word: str) -> bool:
        """Whether a word is a number, or replaceable by any other. Where indentation makes blocks, such a word fills a block, except in
        brackets."""
        if word[0].isdigit():
            return True
        if state.context.engine.blocks is not None:
            return state.left.stacks.depth > 0
        return state.advance(_OTHER_NAME + word) is not None

    def _completes(self, text: str, offset: int, right: str | None = None) -> bool:
        hole = self._hole(text, offset) if right is None else self._hole_at(text, right)
        return hole.fallback == "none" and hole.state is not None and hole.state.complete

    def _shortest(self, text: str) -> str | None:
        """The shortest text closing everything open behind a text."""
        state = self._state(text)
        bridges = find_bridges(state, 1) if state is not None else ()
        return bridges[0] if bridges else None

    def _state(self, text: str) -> Any:
        hole = self._hole(text, len(self._right))
        return hole.state if hole.fallback == "none" else None

    def _hole(self, text: str, offset: int) -> Hole:
        hole = self._memo.get((text, offset))
        if hole is None:
            hole = self._memo[text, offset] = self._hole_at(text, self._right[offset:])
        return hole
