"""Sets of characters, as sorted disjoint ranges of code points."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from itertools import groupby

CharSet = tuple[tuple[int, int], ...]
"""First and last code point of each range."""

LAST = 0x10FFFF
ANY: CharSet = ((0, LAST),)


def union(ranges: Iterable[tuple[int, int]]) -> CharSet:
    """The ranges, sorted and joined."""
    out: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if out and low <= out[-1][1] + 1:
            out[-1] = out[-1][0], max(high, out[-1][1])
        else:
            out.append((low, high))
    return tuple(out)


def complement(chars: CharSet) -> CharSet:
    """All other characters."""
    out: list[tuple[int, int]] = []
    after = 0
    for low, high in chars:
        if after < low:
            out.append((after, low - 1))
        after = high + 1
    if after <= LAST:
        out.append((after, LAST))
    return tuple(out)


@cache
def _everything() -> str:
    return "".join(map(chr, range(LAST + 1)))


@cache
def matching(pattern: str, flags: int) -> CharSet:
    """The characters matched by a regular expression for one character, as in Python's `re`."""
    runs = re.finditer(f"(?:{pattern})+", _everything(), flags | re.DOTALL)
    return union((m.start(), m.end() - 1) for m in runs)


@cache
def category(name: str) -> CharSet:
    """The characters of a general category of Unicode, such as Lu, or of several, such as L; () when there is none."""
    return union(r for full, ranges in _categories().items() if full.startswith(name) for r in ranges)


@cache
def _categories() -> dict[str, CharSet]:
    categories: dict[str, list[tuple[int, int]]] = {}
    for name, run in groupby(range(LAST + 1), lambda i: unicodedata.category(chr(i))):
        members = list(run)
        categories.setdefault(name, []).append((members[0], members[-1]))
    return {name: tuple(ranges) for name, ranges in categories.items()}


@cache
def _cased() -> str:
    """The characters with upper and lower case; there are none beyond the first two planes."""
    return "".join(c for c in map(chr, range(0x20000)) if c.lower() != c or c.upper() != c)


def ignoring_case(chars: CharSet, flags: int) -> CharSet:
    """These characters, and those equal to one of them under `re.IGNORECASE`."""
    ranges = "".join(f"{_escape(low)}-{_escape(high)}" for low, high in chars)
    characters = re.findall(f"[{ranges}]", _cased(), flags | re.IGNORECASE) if ranges else []
    return union([*chars, *((ord(c), ord(c)) for c in characters)])


def escaped(chars: CharSet) -> str:
    """The set as written within the brackets of a regular expression."""
    return "".join(_escape(low) if low == high else f"{_escape(low)}-{_escape(high)}" for low, high in chars)


def _escape(code_point: int) -> str:
    return f"\\U{code_point:08x}"


class Classes:
    """Classes of the characters that a number of sets cannot tell apart."""

    def __init__(self, sets: Iterable[CharSet]) -> None:
        events: dict[int, int] = {0: 0}
        self.members: dict[CharSet, int] = {}
        for chars in sets:
            if chars not in self.members:
                bit = 1 << len(self.members)
                self.members[chars] = bit
                for low, high in chars:
                    events[low] = events.get(low, 0) ^ bit
                    events[high + 1] = events.get(high + 1, 0) ^ bit
        self.starts: list[int] = []
        self.ids: list[int] = []
        ids: dict[int, int] = {}
        mask = 0
        for start in sorted(events):
            mask ^= events[start]
            if start <= LAST:
                number = ids.setdefault(mask, len(ids))
                if not self.ids or self.ids[-1] != number:
                    self.starts.append(start)
                    self.ids.append(number)
        self._masks = list(ids)

    def of(self, chars: CharSet) -> frozenset[int]:
        """The classes of one of the sets."""
        bit = self.members[chars]
        return frozenset(i for i, mask in enumerate(self._masks) if mask & bit)
