"""Find the file of a client's window.

Clients of HTTP send some hundred lines around the cursor, without a path. The window replaces its original lines in the file on the disk:
blocks of lines near its ends (anchors) show where these begin and end.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ANCHOR_LINES = (12, 5, 2)
"""Sizes of anchors, tried in turn: longer ones are less ambiguous, short files and heavy edits leave only shorter ones."""
MAX_ANCHORS = 2_000
"""The most anchors searched from each end of a window."""
MAX_LINES = 100_000
"""The most lines of a window's file."""
MIN_SHARED = 0.5
"""The least share of a window's lines in its file. Edits change few of them; another file with the same licence shares fewer."""
_DISPLACED_LINES = 20
"""The most lines inserted or deleted outside of an anchor."""


@dataclass(frozen=True)
class Window:
    """The text around a cursor, as sent by a client."""

    left: str
    right: str

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their ends, and without the trailing empty lines added by clients."""
        lines = (self.left + self.right).split("\n")
        last = len(self.left.split("\n"))
        while len(lines) > last and not lines[-1]:
            del lines[-1]
        return lines


@dataclass(frozen=True)
class Joined:
    """A file with a window written into it."""

    path: Path
    left: str
    right: str
    shared: float  # the share of the window's lines in the file on the disk


def join(window: Window, files: Iterable[tuple[Path, str]], enough: float = MIN_SHARED) -> Joined | None:
    """The file sharing most lines with a window, with the window written in; None where no file shares enough. Ties go to earlier files."""
    some = list(files)
    for size in ANCHOR_LINES:
        tried = (_joined(window, path, text, size) for path, text in some)
        fitting = [joined for joined in tried if joined is not None and joined.shared >= enough]
        if fitting:
            return max(fitting, key=lambda joined: joined.shared)
    return None


def shared_lines(window: Window, lines: Iterable[str]) -> float:
    """The share of a window's lines among `lines`, at any place."""
    others = frozenset(lines)
    return sum(line in others for line in window.lines) / max(1, len(window.lines))


def _joined(window: Window, path: Path, text: str, size: int) -> Joined | None:
    lines, disk = window.lines, text.split("\n")
    span = span_of(lines, disk, size) if len(disk) <= MAX_LINES else None
    if span is None:
        return None
    begin, end = span
    shared = _share(lines, disk[begin:end])
    above, below = disk[:begin], disk[end:]
    row = window.left.count("\n")
    left, right = window.left, "\n".join([window.right.split("\n", 1)[0], *lines[row + 1 :]])
    if row and lines[0] and begin < len(disk) and disk[begin] != lines[0] and disk[begin].endswith(lines[0]):
        left = disk[begin] + left[len(lines[0]) :]  # windows of a fixed number of characters begin within a line
    last = end - 1
    if len(lines) > row + 1 and lines[-1] and disk[last] != lines[-1] and disk[last].startswith(lines[-1]):
        right += disk[last][len(lines[-1]) :]
    return Joined(path, "".join(line + "\n" for line in above) + left, "\n".join([right, *below]), shared)


def _share(lines: Sequence[str], others: Sequence[str]) -> float:
    """The share of lines among others."""
    return (Counter(lines) & Counter(others)).total() / max(1, len(lines))


def span_of(lines: Sequence[str], disk: Sequence[str], size: int) -> tuple[int, int] | None:
    """The rows (begin, end) of a file that were edited into `lines`; None without an anchor of this size."""
    begins = begins_of(lines, disk, size)
    ends = sorted(len(disk) - row for row in begins_of(lines[::-1], disk[::-1], size))
    pairs = ((begin, end) for begin in begins for end in _around(ends, begin + len(lines)) if begin <= end)
    nearest = min(pairs, key=lambda pair: abs(pair[1] - pair[0] - len(lines)), default=None)
    if nearest is None and begins:
        return begins[0], min(len(disk), begins[0] + len(lines))
    return (max(0, ends[-1] - len(lines)), ends[-1]) if nearest is None and ends else nearest


def _around(rows: Sequence[int], row: int) -> Sequence[int]:
    """The nearest of some rows in order, on either side of a row."""
    after = bisect_left(rows, row)
    return rows[max(0, after - 1) : after + 1]


def begins_of(lines: Sequence[str], disk: Sequence[str], size: int) -> list[int]:
    """The possible first rows of `lines` in a file, in order, by their first anchor in it."""
    size = min(size, len(lines))
    anchors: dict[tuple[str, ...], int] = {}
    for start in range(min(MAX_ANCHORS, max(1, len(lines) - size + 1))):
        anchor = tuple(lines[start : start + size])
        if any(line.strip() for line in anchor):
            anchors.setdefault(anchor, start)
    begun = {anchor[0] for anchor in anchors}
    first, rows = len(lines), list[int]()
    for row, line in enumerate(disk):
        start = anchors.get(tuple(disk[row : row + size])) if line in begun else None
        if start is not None and start <= first:
            if start < first:
                first, rows = start, []
            rows.append(row)
    if first == 0:
        return rows
    tops = [row for row, line in enumerate(disk) if line == lines[0]] if lines[0].strip() else []
    return sorted({_aligned(tops, row - first, row) for row in rows})


def _aligned(tops: Sequence[int], guess: int, row: int) -> int:
    """The first row of some lines, guessed by an anchor: the nearest row with their first line, before the anchor's row, else the guess."""
    near = [top for top in _around(tops, guess) if abs(top - guess) <= _DISPLACED_LINES and 0 <= top <= row]
    return min(near, key=lambda top: abs(top - guess), default=max(0, guess))
