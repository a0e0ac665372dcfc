"""What a suggestion says that is there already: the lines that follow, the line above, its own line again."""

from __future__ import annotations

import re
from collections.abc import Iterator

_LINE_END = re.compile(r"\r\n|\r|\n")
_SHOWN_BELOW = 40  # lines of the right context that are compared, more than a suggestion has


def cuts(left: str, suggestion: str, right: str) -> Iterator[int]:
    """How much of a suggestion to show, in characters, if it repeats what is there; 0: none of it.

    - It is, or begins with, the line that follows: none. Its last lines are those that follow: what is before them.
    - It is a whole line, the same as the one above: none. A line of it is the same as the one before: what is before it.
    Lines without a letter or digit (closing brackets) say too little to count.
    """
    lines, ends = _lines(left, suggestion)
    rest, *following = _LINE_END.split(right[: 200 * _SHOWN_BELOW], maxsplit=_SHOWN_BELOW)
    below = [line.rstrip() for line in following if line.strip()] if not rest.strip() else []
    first = lines[0]
    if below and _says_something(first) and first == below[0]:
        yield 0
        return
    start = _line_before(left)
    above = _LINE_END.split(left[: len(left) - len(start)].rstrip())[-1]
    if not start.strip() and _says_something(first) and first == above:
        yield 0
        return
    for i in range(1, len(lines)):
        tail = [line for line in lines[i:] if line]
        same_as_below = tail == below[: len(tail)] and any(map(_says_something, tail))
        if same_as_below or (_says_something(lines[i]) and lines[i] == lines[i - 1]):
            yield ends[i - 1]
            return


def _lines(left: str, suggestion: str) -> tuple[list[str], list[int]]:
    """The suggestion's lines as they will stand in the file, without white space behind, and where they end in it."""
    ends = [match.start() for match in _LINE_END.finditer(suggestion)] + [len(suggestion)]
    lines = _LINE_END.split(_line_before(left) + suggestion)
    return [line.rstrip() for line in lines], ends


def _line_before(left: str) -> str:
    return left[max(left.rfind("\n"), left.rfind("\r")) + 1 :]


def _says_something(line: str) -> bool:
    return any(char.isalnum() for char in line)
