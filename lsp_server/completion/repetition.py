"""What a suggestion says that is there already: the lines that follow, the line above, its own line or words again."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

_LINE_END = re.compile(r"\r\n|\r|\n")
_SHOWN_BELOW = 40  # lines of the right context that are compared, more than a suggestion has
_PIECE = re.compile(r"\w+|[^\w\s]")
_KEY = re.compile(r"""(["'])(\w+)\1\s*:|[()\[\]{}]""")
# Words and signs that come twice in a row: 3 of 10,000 lines of code that somebody wrote have that, with 3 pieces it is 7.
_PERIOD = 4
_ALTERNATIVES = ("or", "and")  # between two that are the same, words of which there need be one less
_LONGEST = 240  # words and signs that are looked at


def cuts(left: str, suggestion: str, right: str) -> Iterator[int]:
    """How much of a suggestion to show, in characters, if it repeats what is there; 0: none of it.

    - It is, or begins with, the line that follows: none. Its last lines are those that follow: what is before them.
    - It is a whole line, the same as the one above: none. A line of it is the same as the one before: what is before it.
    Lines without a letter or digit (closing brackets) say too little to count.
    - Some words and signs come twice in a row, or a key twice in a mapping: what is before the second, or less of it.
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
    yield from _before_loop(start, suggestion)


def _before_loop(before: str, suggestion: str) -> Iterator[int]:
    """How much of a suggestion to show if it goes round in circles, the most first; what the user began is no circle."""
    again = _again(before + suggestion)
    if again is None or again < len(before) or _again(before) is not None:
        return
    ends = [piece.end() for piece in _PIECE.finditer(suggestion, 0, again - len(before))]
    yield from reversed(ends)
    yield 0


def _again(text: str) -> int | None:
    """Where a text first says the same again that it has just said."""
    pieces = list(itertools.islice(_PIECE.finditer(text), _LONGEST))
    words = [piece[0] for piece in pieces]
    starts: list[int] = []
    for period in range(_PERIOD, len(words) // 2 + 2):
        same = 0  # of how many words up to here the one a period later is the same
        round_again = None
        for i in range(len(words) - period):
            same = same + 1 if words[i] == words[i + period] else 0
            first = i + 2 - period  # of what comes twice, if it does, without what is between
            if same < period - 1 or not any(map(_is_name, words[first : first + period])):
                continue
            if words[first + period - 1] in _ALTERNATIVES:
                starts.append(pieces[first + period].start())
                round_again = None
                break
            if same >= period and round_again is None:
                round_again = pieces[i + 1].start()
        if round_again is not None:
            starts.append(round_again)
    keys: list[str] = []
    for match in _KEY.finditer(text):
        if match[2] is None:
            keys.clear()  # another mapping
        elif match[2] in keys:
            starts.append(match.start())
            break
        else:
            keys.append(match[2])
    return min(starts, default=None)


def _is_name(word: str) -> bool:
    return word[0].isalpha() or word[0] == "_"


def _lines(left: str, suggestion: str) -> tuple[list[str], list[int]]:
    """The suggestion's lines as they will stand in the file, without white space behind, and where they end in it."""
    ends = [match.start() for match in _LINE_END.finditer(suggestion)] + [len(suggestion)]
    lines = _LINE_END.split(_line_before(left) + suggestion)
    return [line.rstrip() for line in lines], ends


def _line_before(left: str) -> str:
    return left[max(left.rfind("\n"), left.rfind("\r")) + 1 :]


def _says_something(line: str) -> bool:
    return any(char.isalnum() for char in line)
