r"""Backslash escapes in string literals, as an automaton over short strings.

"" no escape; "\\" after the backslash; "x2", "x1", "u4" ... hexadecimal digits to come; "U" and "U00.." the digits read
(they have an upper bound); "N", "N{..." a character's name so far (see character_names.py).
"""

from __future__ import annotations

import re
from string import hexdigits

from . import character_names

_HEX = frozenset(hexdigits)
_HEX_DIGIT = "[0-9a-fA-F]"
_MAX_CODE_POINT = 0x10FFFF


def after_backslash(char: str, *, raw: bool, is_bytes: bool) -> str:
    r"""The escape that starts with this character after "\\"."""
    if raw:
        return ""
    if char == "x":
        return "x2"
    if not is_bytes and char in "uUN":
        return {"u": "u4", "U": "U", "N": "N"}[char]
    return ""


def short(*, raw: bool, is_bytes: bool) -> str:
    r"""A pattern for the rest of a whole escape after "\\", except names and "\U"."""
    if raw:
        return any_but("\r", is_bytes=is_bytes)
    if is_bytes:
        return rf"(?:{any_but(chr(13) + 'x', is_bytes=True)}|x{_HEX_DIGIT}{{2}})"
    return rf"(?:[^\rxuUN]|x{_HEX_DIGIT}{{2}}|u{_HEX_DIGIT}{{4}})"


def any_but(chars: str, *, is_bytes: bool) -> str:
    """A pattern for one character of a string other than these."""
    if not is_bytes:
        return f"[^{re.escape(chars)}]"
    return f"[{re.escape(''.join(char for char in map(chr, range(128)) if char not in chars))}]"


def inside_escape(escape: str, char: str) -> str | None:
    """The escape after one more character; None when it is an error."""
    kind = escape[0]
    if kind in "xu":
        if char not in _HEX:
            return None
        left = int(escape[1]) - 1
        return f"{kind}{left}" if left else ""
    if kind == "U":
        digits = escape[1:] + char
        if char not in _HEX or int(digits.ljust(8, "0"), 16) > _MAX_CODE_POINT:
            return None
        return "U" + digits if len(digits) < 8 else ""
    if escape == "N":
        return "N{" if char == "{" else None
    if char == "}":
        return "" if character_names.is_name(escape[2:]) else None
    return escape + char if char.isascii() and character_names.may_begin(escape[2:] + char) else None


def escape_closer(escape: str) -> str:
    """The shortest text that completes an escape."""
    if not escape:
        return ""
    if escape == "\\":
        return "n"
    if escape[0] in "xu":
        return "0" * int(escape[1])
    if escape[0] == "U":
        return "0" * (9 - len(escape))
    return ("{" if escape == "N" else "") + character_names.shortest_rest(escape[2:]) + "}"
