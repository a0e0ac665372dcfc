"""Escapes in names: `\\u0061` stands for a letter that a name may have there, else the name is none.

The lexer takes every escape, since an automaton that tells them apart would have a thousand states.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from unicodedata import category

NO_LETTER = "an escape in a name stands for no letter"

_PIECE = re.compile(r"\\(?:u(?:\{0*(?P<braced>[0-9a-fA-F]*)(?P<end>\}?)|(?P<four>[0-9a-fA-F]{0,4}))|\Z)|[\s\S]")
_FIRST = frozenset("$_\u2118\u212e\u309b\u309c\u1885\u1886")
_LATER = _FIRST | frozenset("\u00b7\u0387\u19da\u200c\u200d") | frozenset(map(chr, range(0x1369, 0x1372)))
_FIRST_KINDS = frozenset(("Lu", "Ll", "Lt", "Lm", "Lo", "Nl"))
_LATER_KINDS = _FIRST_KINDS | {"Mn", "Mc", "Nd", "Pc"}
_FEW_DIGITS = 3
"""Digits in braces from which on their code points are looked at; fewer always lead to some letter."""


def may_be_name(word: str) -> bool:
    """Whether the escapes of a name stand for what names have; one unfinished at its end, whether it can."""
    first = True
    for piece in _PIECE.finditer(word):
        if piece[0][0] == "\\" and not any(map(_begins if first else _goes_on, _code_points(piece))):
            return False
        first = first and piece[0] == "#"
    return True


def _code_points(escape: re.Match[str]) -> Iterable[int]:
    """The code points of an escape, or of all its continuations."""
    four, braced = escape["four"], escape["braced"]
    if four is not None:
        missing = 4 - len(four)
        start = int(four or "0", 16) << 4 * missing
        return range(start, start + (1 << 4 * missing))
    if braced is None or (not escape["end"] and len(braced) < _FEW_DIGITS):
        return (ord("a"),)
    value = int(braced or "0", 16)
    more = range(1 if escape["end"] else 7 - len(braced))
    return (point for n in more for point in range(value << 4 * n, (value + 1) << 4 * n) if point <= 0x10FFFF)


def _begins(point: int) -> bool:
    char = chr(point)
    return char in _FIRST or category(char) in _FIRST_KINDS


def _goes_on(point: int) -> bool:
    char = chr(point)
    return char in _LATER or category(char) in _LATER_KINDS
