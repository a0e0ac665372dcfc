"""Find the file that a client's window is part of.

Clients of HTTP send some hundred lines around the cursor, without a path. The window replaces the lines of the file on the disk that
it was edited from: blocks of its lines near both ends (anchors) say where these begin and end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

ANCHOR_LINES = (12, 5, 2)
"""Sizes of anchors, tried in turn: longer ones are found in fewer files, short files and heavy edits leave only shorter ones."""
MIN_SHARED = 0.5
"""The share of a window's lines that its file has to have. Edits change few of them; another file with the same licence shares fewer."""
_DISPLACED_LINES = 20
"""Lines that may have been inserted or deleted outside of an anchor."""


@dataclass(frozen=True)
class Window:
    """The text around a cursor as a client sent it."""

    left: str
    right: str

    @property
    def lines(self) -> list[str]:
        """The lines without their ends, and without the empty ones at the end that clients add."""
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
    shared: float  # the share of the window's lines that the file has on the disk


def join(window: Window, files: Callable[[], Iterable[tuple[Path, str]]], enough: float = MIN_SHARED) -> Joined | None:
    """The file that a window shares most lines with, with the window in it; None where none shares enough. Files: earlier ones win."""
    for size in ANCHOR_LINES:
        blocks = _anchors(window.lines, size)
        hits = ((path, text) for path, text in files() if any(block in text for block in blocks))
        best: Joined | None = None
        for path, text in hits:
            joined = _joined(window, path, text, size)
            if joined is not None and joined.shared >= enough and (best is None or joined.shared > best.shared):
                best = joined
        if best is not None:
            return best
    return None


def _anchors(lines: Sequence[str], size: int) -> list[str]:
    """Blocks of lines that cover a window, those near its ends first."""
    starts = {*range(0, max(1, len(lines) - size + 1), size), max(0, len(lines) - size)}
    from_ends = sorted(starts, key=lambda start: min(start, len(lines) - size - start))
    blocks = ("\n".join(lines[start : start + size]) for start in from_ends)
    return [block for block in dict.fromkeys(blocks) if block.strip()]


def _joined(window: Window, path: Path, text: str, size: int) -> Joined | None:
    lines, disk = window.lines, text.split("\n")
    span = _span(lines, disk, size)
    if span is None:
        return None
    begin, end = span
    shared = _share(lines, disk[begin:end])
    above, below = disk[:begin], disk[end:]
    row = window.left.count("\n")
    left, right = window.left, "\n".join([window.right.split("\n", 1)[0], *lines[row + 1 :]])
    if row and lines[0] and begin < len(disk) and disk[begin] != lines[0] and disk[begin].endswith(lines[0]):
        left = disk[begin] + left[len(lines[0]) :]  # windows of so many characters begin within a line
    last = end - 1
    if len(lines) > row + 1 and lines[-1] and disk[last] != lines[-1] and disk[last].startswith(lines[-1]):
        right += disk[last][len(lines[-1]) :]
    return Joined(path, "".join(line + "\n" for line in above) + left, "\n".join([right, *below]), shared)


def _share(lines: Sequence[str], others: Sequence[str]) -> float:
    """The share of lines that stand among others."""
    return (Counter(lines) & Counter(others)).total() / max(1, len(lines))


def _span(lines: Sequence[str], disk: Sequence[str], size: int) -> tuple[int, int] | None:
    """The rows of a file, as (begin, end), that were edited into some lines; None where no anchor of a size is found."""
    begins, ends = _begins(lines, disk, size), [len(disk) - row for row in _begins(lines[::-1], disk[::-1], size)]
    pairs = [(begin, end) for begin in begins for end in ends if begin <= end]
    if pairs:
        return min(pairs, key=lambda pair: abs(pair[1] - pair[0] - len(lines)))
    if begins:
        return begins[0], min(len(disk), begins[0] + len(lines))
    return (max(0, ends[0] - len(lines)), ends[0]) if ends else None


def _begins(lines: Sequence[str], disk: Sequence[str], size: int) -> list[int]:
    """Rows of a file at which some lines may begin, by the first anchor in them that it has."""
    size = min(size, len(lines))
    rows_of: dict[str, list[int]] = {}
    for row, line in enumerate(disk):
        rows_of.setdefault(line, []).append(row)
    for start in range(max(1, len(lines) - size + 1)):
        block = list(lines[start : start + size])
        rows = [row for row in rows_of.get(block[0], ()) if list(disk[row : row + size]) == block]
        if rows and any(line.strip() for line in block):
            return [_aligned(lines, disk, start, row) for row in rows]
    return []


def _aligned(lines: Sequence[str], disk: Sequence[str], start: int, row: int) -> int:
    """The row of a file at which some lines begin of which line `start` stands at a row."""
    guess = row - start
    near = range(max(0, guess - _DISPLACED_LINES), min(row, guess + _DISPLACED_LINES) + 1)
    same = [begin for begin in near if disk[begin] == lines[0]] if lines[0].strip() else []
    return min(same, key=lambda begin: abs(begin - guess)) if same else max(0, guess)
