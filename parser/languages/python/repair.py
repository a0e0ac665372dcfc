"""Left contexts with mistakes in them, read with as few lines changed as that takes.

Where reading dies, a few edits of what lies around that place are tried: a line's indentation, a bracket or quotes too many, a line left out, a
header that stands in for a broken one. The one after which most can be read counts, and reading goes on from there. Unlike a new start at
a later line (recovery.py), an edit keeps the blocks and brackets that are open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ....common.words import compiled, is_part
from ...glr.incremental import PrefixText
from ...glr.layout import Frame
from ...glr.prefix import Engine, PrefixState, Raw
from .lexer.strings import triple_quoted
from .openings import columns, indentation

HEADERS = {
    "if": "if x:",
    "elif": "if x:pass\n{}elif x:",
    "else": "if x:pass\n{}else:",
    "for": "for x in x:",
    "while": "while x:",
    "try": "try:",
    "except": "try:pass\n{}except x:",
    "finally": "try:pass\n{}finally:",
    "with": "with x:",
    "async": "async def x():",
    "def": "def x():",
    "class": "class x:",
    "match": "match x:",
    "case": "case x:",
}
"""What stands in for headers, by their first words; {} is for the indentation."""
HEADER = compiled(
    r"(def|class)\s+\w|(async|if|elif|while|for|with|except|match|case)\b(?=[^=]|==)|(else|try|finally)\s*:"
)
"""What the line of a header begins with; broken lines and text do, too, but seldom."""
_BRACKET = re.compile(r"[()\[\]{}]")
_TRIPLE = re.compile("\"\"\"|'''")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_OPENING = {closing: opening for opening, closing in _CLOSING.items()}
_SIGN, _SIGNS, _LINE = range(3)
"""What edits cost: of indentation, or a single sign; of quotes, a line of signs alone, a header that another stands in for; of any other line."""
_SWALLOWED = 2
"""What it costs that quotes are left out, and others then take in everything up to the cursor."""
_MAX_EDITS = 16
_FAR = 1_500
"""Characters read behind a mistake after which it makes no difference how many more are."""
_SHORT = 500
"""Characters of a line that are read anew after each key."""
_LOOK_BACK = 4_000
"""Characters in which the opening bracket is looked for."""


class Edit(NamedTuple):
    """A piece of a text, from start to end, and what takes its place."""

    start: int
    end: int
    text: str

    def of(self, text: str) -> str:
        return text[: self.start] + self.text + text[self.end :]


class Reading(NamedTuple):
    """A text that was edited, as it was read."""

    text: str
    state: PrefixState
    cost: int
    """of the edits: the more of what somebody wrote they take away, the higher"""
    brackets: str
    """those that are open, outermost first; "" where they are not known"""


class Repairs:
    """The edits of one document's left context; those of the lines above the cursor are kept while its own line changes.

    start: what is read before the texts; text: readings of one of them.
    """

    def __init__(self, engine: Engine, start: Raw, text: PrefixText) -> None:
        self._engine, self.start, self._text = engine, start, text
        self._known: tuple[tuple[str, int | None], list[Reading]] | None = None

    def readings(self, text: str, never_closed: int | None = None) -> list[Reading]:
        """The text up to its end after the fewest edits found. The cursor's line is never edited.

        never_closed: the offset of triple quotes without closing ones.
        """
        start = text.rfind("\n") + 1
        start += len(text) - start - len(text[start:].lstrip(" \t"))
        before, line = text[:start], text[start:]
        if self._known is None or self._known[0] != (before, never_closed):
            edited = before if never_closed is None else Edit(never_closed, never_closed + 3, "").of(before)
            self._known = (before, never_closed), self._search(edited, 0)
            if self._known[1]:
                self._read(self._known[1][0].text)  # which is what is read on, mostly
        lines_above = self._known[1]
        found = [
            _reading(above.text + line, state, above.cost)
            for above in lines_above
            if (state := self._read_on(above, line)) is not None
        ]
        if found:
            return found
        above = lines_above[0] if lines_above else None
        return self._search((above.text if above else before) + line, above.cost if above else 0)

    def _search(self, edited: str, cost: int) -> list[Reading]:
        """A text after the fewest edits with which it can be read; cost: of those that it has had."""
        swallowed: list[Reading] = []  # in strings that began before the mistake, which take in everything
        for _ in range(_MAX_EDITS):
            dead = self._read(edited)
            if isinstance(dead, PrefixState):
                return [*swallowed, _reading(edited, dead, cost)]
            tried = list(self._tried(edited, dead))
            whole = [
                _reading(new, after, cost + more) for _, new, after, more in tried if isinstance(after, PrefixState)
            ]
            if any(triple_quoted(reading.state.lex) is None for reading in whole):
                return [*swallowed, *whole]
            swallowed += whole
            behind = len(edited) - _end_of_line(edited, dead)
            part = ((left, new, more) for left, new, after, more in tried if not isinstance(after, PrefixState))
            left, best, more = min(part, key=lambda one: (one[0], one[2]), default=(behind, "", 0))
            if left >= behind:
                break
            edited, cost = best, cost + more
        return swallowed

    def headers(self, text: str, state: PrefixState) -> Iterator[Reading]:
        """A text that can be read, without the bracket that a header opened last and left open at its end."""
        edits = list(_of_bracket(text, text.rfind("\n") + 1)) if state.stacks.depth else []
        start, end = _span_of_line(text, edits[0].start) if edits else (0, 0)
        if edits and text[start:end].rstrip().endswith(":"):
            yield from self._all(text, [edit for edit in _of_line(text, start, end) if edit.text.endswith(":\n")])

    def others(self, text: str, state: PrefixState, below: list[int]) -> Iterator[Reading]:
        """Other readings of a text that can be read: without the bracket that an earlier line opened last, or with a block in another column, one
        of those of lines below the cursor."""
        edits = list(_of_bracket(text, text.rfind("\n") + 1)) if state.stacks.depth else []
        frame: Frame = state.frame
        while frame.parent is not None:
            for column in below if frame.column not in below else ():
                if frame.parent.column < column < frame.column:
                    edits += _of_column(text, frame, column)
            frame = frame.parent
        yield from self._all(text, edits)

    def _all(self, text: str, edits: list[Edit]) -> Iterator[Reading]:
        """The readings after one of these edits."""
        for edit in edits:
            new = edit.of(text)
            after = self._read(new)
            if isinstance(after, PrefixState):
                yield _reading(new, after, _cost(text[edit.start : edit.end], edit.text))

    def without_quotes(self, text: str, at: int) -> PrefixState | None:
        """The text without the triple quotes at an offset."""
        edited = Edit(at, at + 3, "").of(text)
        state = self._read(edited)
        return state if isinstance(state, PrefixState) else None

    def _tried(self, text: str, dead: int) -> Iterator[tuple[int, str, PrefixState | int, int]]:
        """(characters that are not read, text, reading, cost), for each edit."""
        enough = max(0, len(text) - dead - _FAR)
        for edit in dict.fromkeys([*self._characters(text, dead), *self._lines(text, dead)]):
            new = edit.of(text)
            after = self._read(new)
            left, taken = max(enough, len(new) - after) if isinstance(after, int) else 0, text[edit.start : edit.end]
            swallows = (
                isinstance(after, PrefixState) and triple_quoted(after.lex) is not None and _TRIPLE.fullmatch(taken)
            )
            yield left, new, after, _cost(taken, edit.text) + (_SWALLOWED if swallows else 0)

    def _read_on(self, above: Reading, line: str) -> PrefixState | None:
        if len(line) <= _SHORT:  # and a long one is not read again from its beginning
            return self._engine.read_text(above.state, line)
        state = self._read(above.text + line)
        return state if isinstance(state, PrefixState) else None

    def _read(self, text: str) -> PrefixState | int:
        self._text.change(text)
        return self._text.read(len(text))

    def _characters(self, text: str, dead: int) -> Iterator[Edit]:
        """Indentation, a bracket that lacks, a bracket or quotes too many."""
        last = text.rfind("\n") + 1
        start = text.rfind("\n", 0, dead) + 1
        if start < last:
            yield from self._of_indentation(text, start, dead, self._before(text, start))
            if text[dead] in ")]}":
                yield Edit(dead, dead + 1, "")
            above = len(text[:start].rstrip())
            if not text[start:dead].strip() and above and is_part(text[above - 1]):
                line = text[text.rfind("\n", 0, above) + 1 : above]
                if dead - start > len(line) - len(line.lstrip(" \t")):
                    yield Edit(above, above, "(")
            if text[dead] == "\n":
                quote = max(text.rfind(char, start, dead) for char in "\"'")
                yield from [Edit(quote, quote + 1, "")] if quote >= 0 else []
        quotes = _last_triple(text, dead + 1)
        if quotes and text.count("\n", quotes[-1], dead) <= 1:  # what came after them died
            yield from (Edit(at, at + 3, "") for at in quotes if at < last)

    def _lines(self, text: str, dead: int) -> Iterator[Edit]:
        """The line where reading dies, or the one before, or the one with the bracket that is open there."""
        last = text.rfind("\n") + 1
        start, end = text.rfind("\n", 0, dead) + 1, _end_of_line(text, dead)
        if start < last:
            yield from _of_line(text, start, end)
            if text[start:dead].strip() and not _brackets(text[start:dead]):
                yield Edit(dead, end - text.endswith("\n", start, end), "")
        above = _end_above(text, start)
        if above:
            yield from _of_line(text, text.rfind("\n", 0, above) + 1, _end_of_line(text, above))
        before = self._before(text, start)
        if before is not None and before.stacks.depth:
            edits = list(_of_bracket(text, start))
            yield from edits
            header, end = _span_of_line(text, edits[0].start) if edits else (0, 0)
            if text[header:end].rstrip().endswith(":"):
                yield from _of_line(text, header, end)

    def _before(self, text: str, start: int) -> PrefixState | None:
        self._text.change(text)
        state = self._text.read(start)
        return state if isinstance(state, PrefixState) else None

    def _of_indentation(self, text: str, start: int, dead: int, before: PrefixState | None) -> Iterator[Edit]:
        """The columns of open blocks for a line that begins in none of them."""
        indent = text[start:dead]
        if before is None or before.stacks.depth or indent.strip(" \t"):
            return
        frame: Frame | None = before.frame
        column, outside = columns(indent)[0], False
        while frame is not None and not outside:
            outside = frame.column < column
            yield Edit(start, dead, indentation(frame.column, frame.alt_column))
            frame = frame.parent


def _last_triple(text: str, end: int) -> list[int]:
    """The offsets of the last two triple quotes of a text up to an end, as they are found from its beginning: of a row of quotes by threes."""
    found: list[int] = []
    while len(found) < 2 and (last := max(text.rfind(quotes, 0, end) for quotes in ('"""', "'''"))) >= 0:
        start = last
        while start and text[start - 1] == text[last]:
            start -= 1
        found += reversed(range(start, last + 1, 3))
        end = start
    return found[1::-1]


def _cost(taken: str, put: str) -> int:
    """That of an edit which takes one thing away and puts another in its place."""
    if not taken.strip() or (len(taken) == 1 and not is_part(taken)):
        return _SIGN
    is_header = put.endswith(":\n")
    return _LINE if any(char.isalpha() for char in taken) and not is_header else _SIGNS


def _reading(text: str, state: PrefixState, cost: int) -> Reading:
    brackets = _brackets(text[text.rfind("\n", 0, max(0, len(text) - _LOOK_BACK)) + 1 :]) if state.stacks.depth else ""
    open_ones = brackets[len(brackets) - state.stacks.depth :]
    return Reading(text, state, cost, open_ones if set(open_ones) <= set(_CLOSING) else "")


def _end_of_line(text: str, at: int) -> int:
    return text.find("\n", at) + 1 or len(text)


def _of_line(text: str, start: int, end: int) -> Iterator[Edit]:
    """A header for a line that looks like one, no line, or a statement."""
    line = text[start:end]
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    header = HEADER.match(line.lstrip())
    below = text[end:].lstrip("\n")
    if header is not None and len(below) - len(below.lstrip(" \t")) > len(indent):
        yield Edit(start, end, indent + HEADERS[header[1] or header[2] or header[3]].format(indent) + "\n")
    without = Edit(start, end, ""), Edit(start, end, indent + "pass\n")
    yield from reversed(without) if _line_above(text, start).endswith(":") else without


def _end_above(text: str, start: int) -> int:
    """Where the last line before an offset ends that has something on it other than a comment, without blanks; 0 where there is none."""
    while end := len(text[:start].rstrip()):
        start = text.rfind("\n", 0, end) + 1
        if not text[start:end].lstrip().startswith("#"):
            return end
    return 0


def _line_above(text: str, start: int) -> str:
    """The line that `_end_above` finds, without its indentation."""
    end = _end_above(text, start)
    return text[text.rfind("\n", 0, end) + 1 : end].strip()


def _span_of_line(text: str, at: int) -> tuple[int, int]:
    """Of the line at an offset."""
    return text.rfind("\n", 0, at) + 1, _end_of_line(text, at)


def _of_column(text: str, frame: Frame, column: int) -> Iterator[Edit]:
    """A column for the first line of the innermost block: the last one there whose line above is further left."""
    end = len(text)
    while end > 0 and len(text) - end < _LOOK_BACK:
        start = text.rfind("\n", 0, end - 1) + 1
        line = text[start:end]
        indent = line[: len(line) - len(line.lstrip(" \t"))]
        if line.strip() and columns(indent)[0] < frame.column:
            return
        if columns(indent)[0] == frame.column and _line_above(text, start).endswith(":"):
            yield Edit(start, start + len(indent), indentation(column, column))
            return
        end = start


def _brackets(text: str) -> str:
    """The brackets that a text opens, outermost first, or what closes others; quotes are taken for text."""
    found = ""
    for char in _BRACKET.findall(text):
        opening = _OPENING.get(char)
        found = found[:-1] if opening is not None and found.endswith(opening) else found + char
    return found


def _of_bracket(text: str, start: int) -> Iterator[Edit]:
    """The innermost bracket that is open before a line: closed at its own line's end, left out, and its line left out."""
    depth = 0
    for bracket in reversed([*_BRACKET.finditer(text, max(0, start - _LOOK_BACK), start)]):
        at, char = bracket.start(), bracket[0]
        depth += 1 if char in _OPENING else -1
        if depth < 0:
            end = _end_of_line(text, at)
            yield Edit(end - 1, end - 1, _CLOSING[char])
            yield Edit(at, at + 1, "")
            yield Edit(text.rfind("\n", 0, at) + 1, end, "")
            return
