"""The characters of identifiers; each Python version's Unicode adds some.

The running interpreter knows them, except those new since Python 3.8: they are listed here as hexadecimal ranges.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from functools import cache

Version = tuple[int, ...]

_AT_ONCE = 64
"""Characters classified together."""
_EMPTY = 4096
"""Characters classified together where most likely none belongs in an identifier."""
_ASTRAL = 0x10000

# (the first Python version, characters that may start an identifier, characters that may only continue one)
_ADDED: tuple[tuple[Version, str, str], ...] = (
    (  # Unicode 13.0
        (3, 9),
        (
            "8be-8c7 d04 31bb-31bf 4db6-4dbf 9ff0-9ffc a7c7-a7ca a7f5-a7f6 ab68-ab69 10e80-10ea9 10eb0-10eb1 "
            "10fb0-10fc4 11147 11460-11461 11900-11906 11909 1190c-11913 11915-11916 11918-1192f 1193f 11941 11fb0 "
            "18af3-18cd5 18d00-18d08 2a6d7-2a6dd 30000-3134a"
        ),
        (
            "b55 d81 1abf-1ac0 a82c 10eab-10eac 111ce-111cf 11930-11935 11937-11938 1193b-1193e 11940 11942-11943 "
            "11950-11959 16fe4 16ff0-16ff1 1fbf0-1fbf9"
        ),
    ),
    (  # Unicode 14.0
        (3, 11),
        (
            "870-887 889-88e 8b5 8c8-8c9 c5d cdd 170d 171f 1b4c 2c2f 2c5f 9ffd-9fff a7c0-a7c1 a7d0-a7d1 a7d3 "
            "a7d5-a7d9 a7f2-a7f4 10570-1057a 1057c-1058a 1058c-10592 10594-10595 10597-105a1 105a3-105b1 105b3-105b9 "
            "105bb-105bc 10780-10785 10787-107b0 107b2-107ba 10f70-10f81 11071-11072 11075 11740-11746 11ab0-11abf "
            "12f90-12ff0 16a70-16abe 1aff0-1aff3 1aff5-1affb 1affd-1affe 1b11f-1b122 1df00-1df1e 1e290-1e2ad "
            "1e7e0-1e7e6 1e7e8-1e7eb 1e7ed-1e7ee 1e7f0-1e7fe 2a6de-2a6df 2b735-2b738"
        ),
        (
            "898-89f 8ca-8d2 c3c 1715 180f 1ac1-1ace 1dfa 10f82-10f85 11070 11073-11074 110c2 16ac0-16ac9 1cf00-1cf2d "
            "1cf30-1cf46 1e2ae"
        ),
    ),
    (  # Unicode 15.0
        (3, 12),
        (
            "1123f-11240 11f02 11f04-11f10 11f12-11f33 1342f 13441-13446 1b132 1b155 1df25-1df2a 1e030-1e06d "
            "1e4d0-1e4eb 2b739 31350-323af"
        ),
        (
            "cf3 ece 10efd-10eff 11241 11f00-11f01 11f03 11f34-11f3a 11f3e-11f42 11f50-11f59 13440 13447-13455 1e08f "
            "1e4ec-1e4f9"
        ),
    ),
    (  # Unicode 15.1
        (3, 13),
        "2ebf0-2ee5d",
        "200c-200d 30fb ff65",
    ),
    (  # Unicode 16.0
        (3, 14),
        (
            "1c89-1c8a a7cb-a7cd a7da-a7dc 105c0-105f3 10d4a-10d65 10d6f-10d85 10ec2-10ec4 11380-11389 1138b 1138e "
            "11390-113b5 113b7 113d1 113d3 11bc0-11be0 13460-143fa 16100-1611d 16d40-16d6c 18cff 1e5d0-1e5ed 1e5f0"
        ),
        (
            "897 10d40-10d49 10d69-10d6d 10efc 113b8-113c0 113c2 113c5 113c7-113ca 113cc-113d0 113d2 113e1-113e2 "
            "116d0-116e3 11bf0-11bf9 11f5a 1611e-16139 16d70-16d79 1ccf0-1ccf9 1e5ee-1e5ef 1e5f1-1e5fa"
        ),
    ),
)


def may_start(char: str, version: Version) -> bool:
    """Whether an identifier may start with the character."""
    added = _added(char)
    return char.isidentifier() if added is None else added[1] and version >= added[0]


def may_continue(char: str, version: Version) -> bool:
    """Whether an identifier may contain the character after its first."""
    added = _added(char)
    return ("a" + char).isidentifier() if added is None else version >= added[0]


@cache
def representatives(low: int, high: int, version: Version) -> tuple[str, ...]:
    """Characters between two code points such that each one between them behaves like one of these."""
    by_kind: dict[tuple[bool, bool], str] = {}
    first = low
    while first <= high and len(by_kind) < 3:
        codes = range(first, min(high + 1, first + _EMPTY))
        if first >= _ASTRAL and _is_old(codes) and _are_unprintable(codes):
            by_kind.setdefault((False, False), chr(first))
            first += _EMPTY
            continue
        codes = codes[:_AT_ONCE]
        first += _AT_ONCE
        chars = list(map(chr, codes))
        if _is_old(codes):  # as many are: then the interpreter classifies them, fast
            kinds = zip(map(str.isidentifier, chars), [("a" + char).isidentifier() for char in chars], strict=True)
        else:
            kinds = ((may_start(char, version), may_continue(char, version)) for char in chars)
        for kind, char in zip(kinds, chars, strict=True):
            by_kind.setdefault(kind, char)
    return tuple(by_kind.values())


def _are_unprintable(codes: range) -> bool:
    """Whether none of these characters beyond U+FFFF is printable, and so none in an identifier. Most code points there are unassigned."""
    text = array("I", codes).tobytes().decode("utf-32")
    return len(repr(text)) == len("''") + len("\\U0010ffff") * len(text)


def _is_old(codes: range) -> bool:
    """Whether all of them are older than the characters listed here."""
    firsts, ranges = _ranges()
    index = bisect_right(firsts, codes[-1]) - 1
    return index < 0 or ranges[index][0] < codes[0]


def _added(char: str) -> tuple[Version, bool] | None:
    """(the version that added the character, whether it may start an identifier); None for older ones, and for characters of no
    identifier."""
    if char.isascii():
        return None
    firsts, ranges = _ranges()
    index = bisect_right(firsts, ord(char)) - 1
    if index < 0 or ord(char) > ranges[index][0]:
        return None
    return ranges[index][1:]


@cache
def _ranges() -> tuple[list[int], list[tuple[int, Version, bool]]]:
    """(the first code points of the ranges, ascending; their last ones, versions and kinds)."""
    last_of: dict[int, tuple[int, Version, bool]] = {}
    for version, starts, parts in _ADDED:
        for text, may_start in ((starts, True), (parts, False)):
            for item in text.split():
                first, _, last = item.partition("-")
                last_of[int(first, 16)] = int(last or first, 16), version, may_start
    ordered = sorted(last_of)
    return ordered, [last_of[first] for first in ordered]
