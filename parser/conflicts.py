"""Merge conflicts: a file with its conflict markers, as one of its two sides."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from .glr.text_diff import common_prefix, common_suffix

_MARKER = re.compile(r"^(?:<{7}|\|{7}|>{7})(?: [^\r\n]*)?(?:\r\n?|\n|\Z)|^={7}(?:\r\n?|\n|\Z)", re.MULTILINE)
_LENGTH, _SIGNS = 7, "<|>="
_BEGINNINGS = tuple(sign * _LENGTH for sign in _SIGNS)
_OURS, _THEIRS, _END = "<=>"


class Unmarked:
    """The last text of a document without conflict markers, so that only the changed lines of the next one are searched."""

    def __init__(self) -> None:
        self._text = ""

    def holds(self, text: str, offset: int) -> bool:
        """Whether this text has no marker either, nor one at the beginning of an offset's right context."""
        here = sorted((common_prefix(self._text, text), len(text) - common_suffix(self._text, text)))
        end = text.find("\n", here[1])
        changed = text[text.rfind("\n", 0, here[0]) + 1 : len(text) if end < 0 else end + 1]
        if any(sign * _LENGTH in changed for sign in _SIGNS) and _MARKER.search(changed) is not None:
            return False
        self._text = text
        return not text.startswith(_BEGINNINGS, offset) or _MARKER.match(text[offset:]) is None


class Cut(NamedTuple):
    """The offsets of a part left out of a text."""

    start: int
    end: int


def conflicts(text: str, offset: int) -> list[Cut]:
    """The parts to leave out of a text: markers, and the other side of each conflict.

    The side of the offset is kept, else the first one. A marker without its partners is left out alone.
    """
    return [cut for cut in _cuts(text, offset) if cut.start < cut.end]


class _Marker(NamedTuple):
    """The line of a marker; kind: its first character."""

    kind: str
    start: int
    end: int


def _markers(text: str, offset: int) -> Iterator[_Marker]:
    """The lines of markers; each side of the offset is searched alone, since a right context may begin with one."""
    for start, part in (0, text[:offset]), (offset, text[offset:]):
        for match in _MARKER.finditer(part):
            yield _Marker(match[0][0], start + match.start(), start + match.end())


def _cuts(text: str, offset: int) -> Iterator[Cut]:
    """The parts to leave out, in order."""
    conflict: list[_Marker] = []
    for marker in _markers(text, offset):
        if marker.kind == _OURS:
            yield from _alone(conflict)
            conflict = [marker]
        elif conflict and marker.kind == _END:
            yield from _side([*conflict, marker], offset)
            conflict = []
        elif conflict:
            conflict.append(marker)
        else:
            yield from _alone([marker])
    yield from _alone(conflict)


def _alone(markers: list[_Marker]) -> Iterator[Cut]:
    """Cuts of markers outside of a whole conflict; seven equals signs stay, for they also underline headings."""
    return (Cut(marker.start, marker.end) for marker in markers if marker.kind != _THEIRS)


def _side(marks: list[_Marker], offset: int) -> Iterator[Cut]:
    """The cuts that leave one side of a whole conflict."""
    sides = range(len(marks) - 1)
    kept = next((i for i in sides if marks[i].end <= offset <= marks[i + 1].start), 0)
    yield Cut(marks[0].start, marks[kept].end)
    yield Cut(marks[kept + 1].start, marks[-1].end)
