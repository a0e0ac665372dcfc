"""The lines and blocks around a place, by layout alone: the line that encloses another, and the lines where its blocks may end."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..common.line_ends import LINE_END

MAX_LINES = 200
"""Lines of the right context in which the ends of blocks are looked for; a longer block is broken rather than begun."""
_CLOSING_LINE = re.compile(r"[)\]}]+")
BLANK = re.compile(r"[ \t]*")
_BLANK_LINE = re.compile(r"[ \t]*$", re.MULTILINE)


def block_ends(left: str, right: str) -> Iterator[int]:
    """Where closers may belong in a right context: at the end of its first line, and behind the lines that are deeper than one above.

    Those of the innermost block come first; the last is the end of the text. A line of closing brackets belongs to the block that it closes.
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
    """The columns of the cursor's line and of the lines above that are each less deep than the one before."""
    return [column_of(left, start) for start in enclosing_starts(left)]


def enclosing_starts(left: str) -> Iterator[int]:
    """Where the last line of a text begins, and the lines above that are each less deep than the one before."""
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
    """Of the first character that is no blank in the line that begins at an offset."""
    blank = BLANK.match(text, start)
    assert blank is not None
    return len(blank[0].expandtabs())


def inner_indentation(text: str, column: int) -> str:
    """The indentation of a block that a column opens, as elsewhere in the text."""
    blanks = [match[0] for match in re.finditer(r"^[ \t]+(?=\S)", text, re.MULTILINE)]
    own = next(
        (blank for blank in blanks if len(blank.expandtabs()) == column), "\t" * (column // 8) + " " * (column % 8)
    )
    return ("" if not column else own) + ("\t" if any(blank[0] == "\t" for blank in blanks) else "    ")
