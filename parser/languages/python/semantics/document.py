"""A document under edit, for the static semantics: the text before a place, and the text behind it.

Readings of the left context are kept at the beginnings of logical lines, those of the right context by their distance to the end: the cost of
an edit is the lines around it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial
from typing import NamedTuple

from ....glr.effort import spend
from ....glr.text_diff import common_prefix, common_suffix
from ....scoping.checkpoints import Checkpoints, Steps
from .blocks import Segment, at_column, with_line, with_line_before
from .contents import Dialect, Kind
from .line_values import Line
from .lines import delays_annotations, function_content, lines_of, unread_content
from .reading import START_READING, Reading, read_next, within_line
from .scopes import content_of
from .statement_ends import begins_statement, blanks_end, declares, function_end, line_end
from .tokens import START, Token, lex

_FUTURE_IN = 20_000
"""Leading characters of a file searched for future imports."""
_LONG = 2_000
"""Characters of a logical line after which a reading is kept within it."""
_LONG_FUNCTION = 20_000
"""Characters of a function that is read as a whole."""
_ASK_EVERY = 64
"""Lines read between two checks for cancellation."""
_MAX_LINES = 30_000
"""Logical lines whose meanings are kept, by text, for all documents."""
_MAX_FUNCTIONS = 5_000
"""Functions whose meanings are kept, by text, for all documents."""


class _Known(NamedTuple):
    """Memos by text, for all documents."""

    lines: dict[str, tuple[Line, ...]]
    functions: dict[str, Line]


# Plain dictionaries, emptied when full: each reading of a file looks up each of its lines.
_KEPT: dict[Dialect, _Known] = {}


class Document:
    """The text of a document, with its memos, for one version of Python."""

    def __init__(self, version: tuple[int, int], kind: Kind = "file", *, late: bool = False) -> None:
        """late: annotations are never evaluated, whatever the text imports."""
        self._version = version
        self._late = late
        self.dialect = Dialect(version, late, kind)
        self.text = ""
        self.ask: Callable[[], None] = spend  # called in long readings; may raise Cancelled
        self._forget()

    def _forget(self) -> None:
        self._left = Checkpoints(START_READING)
        self._lines, self._functions = _KEPT.setdefault(self.dialect, _Known({}, {}))
        self._segments: dict[int, Segment | None] = {0: None}  # by the distance to the end
        self._unusual: dict[int, tuple[int, tuple[Line, ...]]] = {}  # by their beginnings: see `_last_line`
        self._farthest = 0

    def change(self, text: str) -> None:
        """Replace the text."""
        old, self.text = self.text, text
        late = self._late or self._begins_with_delay()
        if late != self.dialect.late_annotations:
            self.dialect = replace(self.dialect, late_annotations=late)
            self._forget()
            return
        if old == text:
            return
        self._unusual.clear()
        shared = common_prefix(old, text)
        self._left.cut(self._left.last(shared, self._holds(shared))[0])
        common = common_suffix(old, text)
        if common < self._farthest:
            self._segments = {distance: segment for distance, segment in self._segments.items() if distance <= common}
            self._farthest = max(self._segments)
        if len(self._lines) > _MAX_LINES:
            self._lines.clear()
        if len(self._functions) > _MAX_FUNCTIONS:
            self._functions.clear()

    def _begins_with_delay(self) -> bool:
        """Whether there is a `from __future__ import annotations` in a valid place."""
        text = self.text
        if "__future__" not in text[:_FUTURE_IN]:
            return False
        end = text.find("\n", text.rfind("annotations", 0, _FUTURE_IN) + 1)
        return _begins_with_delay(text[: end + 1] if end >= 0 else text, Dialect(self._version))

    def _holds(self, offset: int) -> Callable[[int, Reading], bool]:
        """A test whether a reading holds for the text up to an offset, whatever follows there.

        Between statements, it has to lie before the last statement: a function may continue behind its last line.
        """
        text = self.text
        return lambda position, reading: not reading.is_whole or begins_statement(text, position, offset)

    def before(self, offset: int) -> Reading:
        """The reading of the text up to an offset."""
        return self._left.read(offset, partial(self._steps, offset), self._holds(offset))

    def _steps(self, offset: int, position: int, reading: Reading) -> Steps[Reading]:
        text = self.text
        start = position
        lines = more = 0
        while position < offset:
            lines += 1
            if lines % _ASK_EVERY == 0:
                self.ask()
            statement = None
            if reading.is_whole:
                more = 0
                statement = self._whole_lines(text, position, offset, reading)
            if statement is not None:
                position, reading = statement
            else:
                reading, position = within_line(reading, text, position, offset, more, self.dialect)
                more = read_next(more)
            may_keep = (reading.is_whole or position - start > _LONG) and text[position - 1] == "\n"
            if may_keep:
                start = position
            yield position, reading, may_keep

    def _whole_lines(self, text: str, position: int, offset: int, reading: Reading) -> tuple[int, Reading] | None:
        """(the end of the next statement, the reading there); None if the offset is in the statement, or just behind it."""
        statement = self._statement(text, position, offset - 1)
        if statement is None:
            return None
        block, late = reading.block, reading.late
        for line in statement[1]:
            block = with_line(at_column(block, line.column, self.dialect), line, self.dialect)
            late = late or delays_annotations(line, self.dialect)
        return statement[0], Reading(block, START, None, reading.broken, late)

    def _statement(self, text: str, begin: int, most: int) -> tuple[int, tuple[Line, ...]] | None:
        """(the end of the next statement or of the blank lines here, its lines); a function is one line, its body unread.

        None if it does not end before `most`.
        """
        blank = blanks_end(text, begin, most)
        if blank > begin:
            return blank, ()
        logical = self._logical_line(text, begin, most)
        if logical is None or not logical[1]:
            return logical
        line = logical[1][-1]
        if line.header is None or line.header.kind != "def" or line.inline:
            return logical
        end = function_end(text, begin, most)
        if end is None or end <= logical[0]:
            return logical
        whole = text[begin:end]
        function = self._functions.get(whole)
        if function is None:
            is_read = declares(whole)
            if is_read and len(whole) > _LONG_FUNCTION:
                return logical
            read = function_content if is_read else unread_content
            content = read(line.header, whole, logical[0] - begin, self.dialect)
            function = self._functions[whole] = line._replace(content=content, inline=True)
        return end, (function,)

    def _logical_line(self, text: str, begin: int, most: int) -> tuple[int, tuple[Line, ...]] | None:
        """(the end of the logical line from an offset, its lines); None if it does not end before `most`, or is long."""
        end = text.find("\n", begin, most) + 1
        if not end:
            return None
        lines = self._lines.get(text[begin:end])
        if lines is not None:
            return end, lines
        whole = line_end(text, begin, most)
        if whole is not None:
            end = whole
            lines = self._lines.get(text[begin:end])
            if lines is not None:
                return end, lines
        tokens, state = lex(START, text[begin:end])
        while state != START:
            position, end = end, text.find("\n", end, most) + 1
            if not end or end - begin > _LONG:
                return None
            more, state = lex(state, text[position:end])
            tokens += more
        lines = self._lines[text[begin:end]] = tuple(lines_of(tokens, self.dialect))
        return end, lines

    def _last_line(self, text: str, begin: int) -> tuple[int, tuple[Line, ...]]:
        """(the end of the logical line from an offset, its lines), even if it is long, or the last one and unfinished."""
        statement = self._unusual.get(begin)
        if statement is not None:
            return statement
        position, state = begin, START
        tokens: list[Token] = []
        while True:
            end = text.find("\n", position) + 1 or len(text)
            more, state = lex(state, text[position:end])
            tokens += more
            position = end
            self.ask()
            if state == START or end == len(text):
                break
        if state != START:
            tokens += lex(state, "", end=True)[0]
        statement = self._unusual[begin] = position, tuple(lines_of(tokens, self.dialect))
        return statement

    def line_begin(self, offset: int) -> int:
        """The beginning of the logical line around an offset, if the text before it has been read."""
        return self._left.last(offset, lambda position, reading: reading.is_whole)[0]

    def line_end(self, offset: int) -> int:
        """The end of the logical line from an offset."""
        logical = self._logical_line(self.text, offset, len(self.text))
        return self._last_line(self.text, offset)[0] if logical is None else logical[0]

    def behind(self, offset: int) -> Segment | None:
        """The statements from the beginning of a logical line on."""
        text, size = self.text, len(self.text)
        position = offset
        statements: list[tuple[int, tuple[Line, ...]]] = []
        while size - position not in self._segments:
            begin = position
            statement = self._statement(text, begin, size)
            if statement is not None:
                position, lines = statement
            else:
                position, lines = self._last_line(text, begin)
            statements.append((size - begin, lines))
            if len(statements) % _ASK_EVERY == 0:
                self.ask()
        segment = self._segments[size - position]
        for number, (distance, lines) in enumerate(reversed(statements), 1):
            if number % _ASK_EVERY == 0:
                self.ask()
            for line in reversed(lines):
                segment = with_line_before(segment, line, self.dialect)
            self._segments[distance] = segment
            self._farthest = max(self._farthest, distance)
        return segment


@lru_cache(maxsize=16)
def _begins_with_delay(text: str, dialect: Dialect) -> bool:
    """Whether one of the future imports at the beginning of a text delays annotations."""
    while text:
        tokens, state = lex(START, text, end=True, one_line=True)
        for line in lines_of(tokens, dialect):
            if line.header is not None or delays_annotations(line, dialect):
                return line.header is None
            if not content_of(line, dialect).only_future:
                return False
        text = state.pending if state.mode == "rest" else ""
    return False
