"""A document that is being edited, as the static semantics see it: what stands before a place, and what behind it.

Readings of the left context are kept at the beginnings of logical lines, those of the right context by their distance to the end:
an edit costs the lines around it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass

from ....glr.text_diff import common_prefix, common_suffix
from .lines import FILE, Open, Segment, at_column, read_line, with_line, with_line_before
from .scopes import Dialect, content_of
from .syntax import Line, LineParser, Refused
from .tokens import NEWLINE, START, Lex, Token, lex

_FUTURE = re.compile(r"^from\s+__future__\s+import\b[^\n#;]*\bannotations\b", re.MULTILINE)
_FUTURE_IN = 20_000
_LONG = 2_000
"""Characters of a logical line after which a reading is kept within it."""
_ASK_EVERY = 64
"""Lines read between two questions whether to stop."""
_MAX_LINES = 30_000
"""Logical lines of which is kept what they mean, for all documents: by their text, and the longer ones by their first physical line."""
_ALIKE = 16
"""Logical lines with the same first physical line that are kept."""
# Plain dictionaries, which are emptied together: the second names lines of the first, and each line of a file is looked up at each reading.
_KEPT: dict[Dialect, tuple[dict[str, tuple[Line, ...]], dict[str, set[str]]]] = {}


@dataclass(frozen=True, eq=False, slots=True)
class Reading:
    """What is known after some text."""

    block: Open  # the one that the current logical line belongs to
    lex: Lex
    parser: LineParser | None  # of the current logical line; None before its first token. Never changed: copied
    broken: bool = False  # is there a line that is no Python?
    late: bool = False  # is there a `from __future__ import annotations`?


def _never_stopped() -> None:
    pass


START_READING = Reading(FILE, START, None)


class Document:
    """The text of a document, with what is remembered of it. For one version of Python."""

    def __init__(self, version: tuple[int, int], *, late: bool = False) -> None:
        """late: annotations are not evaluated, whatever the text imports."""
        self._version = version
        self._late = late
        self.dialect = Dialect(version, late)
        self.text = ""
        self.ask: Callable[[], None] = _never_stopped  # called in long readings; may raise Cancelled
        self._forget()

    def _forget(self) -> None:
        self._offsets: list[int] = [0]
        self._readings: list[Reading] = [START_READING]
        self._lines, self._longer = _KEPT.setdefault(self.dialect, ({}, {}))
        self._segments: dict[int, Segment | None] = {0: None}  # by the distance to the end
        self._farthest = 0

    def change(self, text: str) -> None:
        """The text is now this one."""
        old, self.text = self.text, text
        late = self._late or ("__future__" in text[:_FUTURE_IN] and _FUTURE.search(text[:_FUTURE_IN]) is not None)
        if late != self.dialect.late_annotations:
            self.dialect = Dialect(self._version, late)
            self._forget()
            return
        if old == text:
            return
        keep = bisect_right(self._offsets, common_prefix(old, text))
        del self._offsets[max(1, keep) :], self._readings[max(1, keep) :]
        common = common_suffix(old, text)
        if common < self._farthest:
            self._segments = {distance: segment for distance, segment in self._segments.items() if distance <= common}
            self._farthest = max(self._segments)
        if len(self._lines) > _MAX_LINES:
            self._lines.clear()
            self._longer.clear()

    def before(self, offset: int) -> Reading:
        """What is known of the text up to an offset."""
        at = bisect_right(self._offsets, offset) - 1
        position, reading = self._offsets[at], self._readings[at]
        text = self.text
        start = position
        lines = 0
        while position < offset:
            lines += 1
            if lines % _ASK_EVERY == 0:
                self.ask()
            end = text.find("\n", position, offset) + 1 or offset
            if reading.parser is None and reading.lex == START and end < offset:
                end, reading = self._whole_lines(text, position, end, offset, reading)
            else:
                reading = advanced(reading, text[position:end], self.dialect)
            position = end
            whole = reading.parser is None and reading.lex == START
            if position > self._offsets[-1] and (whole or position - start > _LONG) and text[position - 1] == "\n":
                start = position
                self._offsets.append(position)
                self._readings.append(reading)
        return reading

    def _whole_lines(self, text: str, position: int, end: int, offset: int, reading: Reading) -> tuple[int, Reading]:
        """The next logical line, as known by its text; of one that is long, or has the offset in it, the next physical line."""
        known = self._logical_line(text, position, offset - 1)
        if known is None:
            return end, advanced(reading, text[position:end], self.dialect)
        block, late = reading.block, reading.late
        for one in known[1]:
            block = with_line(at_column(block, one.column, self.dialect), one, self.dialect)
            late = late or delays_annotations(one)
        return known[0], Reading(block, START, None, reading.broken, late)

    def _logical_line(self, text: str, begin: int, most: int) -> tuple[int, tuple[Line, ...]] | None:
        """The logical line that begins at an offset: its end, its meaning; None where it does not end before `most`, or is long."""
        end = text.find("\n", begin, most) + 1
        first = text[begin:end]
        known = self._lines.get(first)
        if known is not None:
            return (end, known) if end else None
        for longer in self._longer.get(first, ()):
            if text.startswith(longer, begin):
                end = begin + len(longer)
                return (end, self._lines[longer]) if end <= most else None
        tokens, state = lex(START, first)
        while state != START:
            position, end = end, text.find("\n", end, most) + 1
            if not end or end - begin > _LONG:
                return None
            more, state = lex(state, text[position:end])
            tokens += more
        if not end:
            return None
        return end, self._remembered(text[begin:end], len(first), tokens)

    def _last_line(self, text: str, begin: int) -> tuple[int, tuple[Line, ...]]:
        """The logical line that begins at an offset: its end, its meaning; it may be long, or the last and not whole."""
        position, state = begin, START
        tokens: list[Token] = []
        while True:
            end = text.find("\n", position) + 1 or len(text)
            more, state = lex(state, text[position:end])
            tokens += more
            position = end
            if state == START or end == len(text):
                break
        if state != START:
            tokens += lex(state, "", end=True)[0]
        return position, tuple(lines_of(tokens, self.dialect))

    def _remembered(self, line: str, first: int, tokens: list[Token]) -> tuple[Line, ...]:
        """The meaning of a logical line, from now on known; first: characters of its first physical line."""
        if len(line) > first:
            alike = self._longer.setdefault(line[:first], set())
            if len(alike) >= _ALIKE:  # as one is edited, it leaves others behind
                alike.clear()
            alike.add(line)
        known = self._lines[line] = tuple(lines_of(tokens, self.dialect))
        return known

    def behind(self, offset: int) -> Segment | None:
        """The statements of the text from an offset on, where a logical line begins."""
        text, size = self.text, len(self.text)
        position = offset
        found: list[tuple[int, tuple[Line, ...]]] = []
        while size - position not in self._segments:
            begin = position
            known = self._logical_line(text, begin, size)
            if known is not None:
                position, lines = known
            else:
                position, lines = self._last_line(text, begin)
            found.append((size - begin, lines))
            if len(found) % _ASK_EVERY == 0:
                self.ask()
        segment = self._segments[size - position]
        for distance, lines in reversed(found):
            for line in reversed(lines):
                segment = with_line_before(segment, line, self.dialect)
            self._segments[distance] = segment
            self._farthest = max(self._farthest, distance)
        return segment


def lines_of(tokens: list[Token], dialect: Dialect) -> list[Line]:
    """The logical lines that whole tokens make; what is no Python is left out."""
    found: list[Line] = []
    begin = 0
    for at, token in enumerate(tokens):
        if token == NEWLINE:
            line = read_line(tokens[begin : at + 1])
            begin = at + 1
            if line is not None:
                if line.header is None or line.inline:
                    line = line._replace(content=content_of(line, dialect))
                found.append(line)
    return found


def delays_annotations(line: Line) -> bool:
    """Is this a `from __future__ import annotations`?"""
    return line.future is not None and "annotations" in line.future


def advanced(reading: Reading, text: str, dialect: Dialect, *, end: bool = False) -> Reading:
    """What is known after more text, refusing nothing."""
    tokens, state = lex(reading.lex, text, end=end)
    block, parser, broken, late = reading.block, reading.parser, reading.broken, reading.late
    if parser is not None and tokens:
        parser = parser.copy()
        parser.context = None
    for token in tokens:
        if isinstance(token, int):
            block = at_column(block, token, dialect)
            parser = LineParser(token)
        elif parser is not None:
            try:
                parser.feed(token)
            except (
                Refused,
                KeyError,
                IndexError,
                AttributeError,
                AssertionError,
                TypeError,
                ValueError,
                RecursionError,
            ):
                parser, broken = None, True
                continue
            if parser.line is not None:
                block = with_line(block, parser.line, dialect)
                late = late or delays_annotations(parser.line)
                parser = None
    return Reading(block, state, parser, broken, late)
