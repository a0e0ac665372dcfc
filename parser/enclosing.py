"""The lines and blocks around a place, by layout alone: the enclosing lines, and the possible ends of their blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..common.line_ends import LINE_END

MAX_LINES = 200
"""Lines of the right context searched for the ends of blocks; a longer block is broken rather than begun."""
_CLOSING_LINE = re.compile(r"[)\]}]+")
BLANK = re.compile(r"[ \t]*")
_BLANK_LINE = re.compile(r"[ \t]*$", re.MULTILINE)


def block_ends(left: str, right: str) -> Iterator[int]:
    """Possible places of closers in a right context: the end of its first line, and behind lines deeper than one above.

    The innermost block's come first; the last is the end of the text. A line of closing brackets belongs to its block.
    """
    first = LINE_END.search(right)
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
        is_closed = width in columns and _CLOSING_LINE.fullmatch(match[2]) is not None
        columns = [column for column in columns if column < width]
        last = first.start() + match.end()
        if is_closed:
            yield last
    yield len(right.rstrip())


def enclosing_columns(left: str) -> list[int]:
    """The columns of the cursor's line and of the lines enclosing it, innermost first."""
    return [column_of(left, start) for start in enclosing_starts(left)]


def enclosing_starts(left: str) -> Iterator[int]:
    """The beginnings of a text's last line and of the lines enclosing it, each less deep than the one before."""
    starts = [0, *(match.end() for match in LINE_END.finditer(left))][-MAX_LINES:]
    last: int | None = None
    for number, start in enumerate(reversed(starts)):
        width = column_of(left, start)
        blank = _BLANK_LINE.match(left, start) is not None
        if (not blank or not number) and (last is None or width < last):
            yield start
            last = width
        if last == 0:
            break


def column_of(text: str, start: int) -> int:
    """The column of the first visible character of the line beginning at an offset."""
    blank = BLANK.match(text, start)
    assert blank is not None
    return len(blank[0].expandtabs())


def inner_indentation(text: str, column: int) -> str:
    """The indentation of a block below a header in a column, in the style of the text."""
    blanks = [match[0] for match in re.finditer(r"^[ \t]+(?=\S)", text, re.MULTILINE)]
    own = next(
        (blank for blank in blanks if len(blank.expandtabs()) == column), "\t" * (column // 8) + " " * (column % 8)
    )
    return ("" if not column else own) + ("\t" if any(blank[0] == "\t" for blank in blanks) else "    ")
