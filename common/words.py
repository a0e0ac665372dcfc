r"""Regular expressions for names in any script.

`\w` leaves out characters allowed in names: combining marks, `·`, letters added to Unicode after the running Python. Here every character is
part of a word, except ASCII signs, Latin-1 signs, and blocks of punctuation and symbols. Outside of strings and comments, no language allows
others.
"""

from __future__ import annotations

import re
from functools import lru_cache

from . import possessive

_PART = (
    r"0-9A-Za-z_\xaa\xb5\xb7\xba\xc0-\xd6\xd8-\xf6\xf8-\u1fff\u200c\u200d\u203f\u2040\u2054\u2071-\u209f\u20d0-\u218f"
    r"\u2c00-\u2dff\u3005-\u3007\u3021-\U0010ffff"
)
# The other characters. Sets are written with them where possible, since `re` compiles a set character by character.
_FAR_SIGNS = (
    r"\x80-\xa9\xab-\xb4\xb6\xb8\xb9\xbb-\xbf\xd7\xf7\u2000-\u200b\u200e-\u203e\u2041-\u2053\u2055-\u2070"
    r"\u20a0-\u20cf\u2190-\u2bff\u2e00-\u3004\u3008-\u3020"
)
_SIGNS = r"\x00-/:-@\[-\^`{-\x7f" + _FAR_SIGNS
_ASCII_SIGNS = [char for char in map(chr, range(128)) if not (char.isalnum() or char == "_")]
_WRITTEN = re.compile(r"\\[\s\S]|\[(?P<no>\^?)(?P<inside>\]?(?:\\[\s\S]|[^\]\\])*)\]")
_ITEM = re.compile(r"\\[\s\S]|[\s\S]")
_NO_CLASS = re.compile(r"(?:\\[tnrf\W]|[^\\])+")
_EDGE = rf"(?:(?<![^{_SIGNS}])(?=[^{_SIGNS}])|(?<=[^{_SIGNS}])(?![^{_SIGNS}]))"


@lru_cache(maxsize=256)
def compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    r"""Compile a pattern whose `\w`, `\W`, `\b` and `[^\W\d]` mean names in any script; groups may be possessive."""
    return possessive.compiled(spelled(pattern), flags)


def spelled(pattern: str) -> str:
    r"""The pattern for `re`. Within brackets, `\W` is allowed only as `[^\W\d]` and `[^\W_]`."""
    return _WRITTEN.sub(_spelled, pattern)


def _spelled(match: re.Match[str]) -> str:
    text, inside = match[0], match["inside"]
    if inside is not None:
        if text in (r"[^\W\d]", r"[^\W_]"):
            return f"[^{_SIGNS}{'0-9' if text[-2] == 'd' else '_'}]"
        items = _ITEM.findall(inside)
        return _set([item for item in items if item != r"\w"], bool(match["no"])) if r"\w" in items else text
    return {r"\w": f"[^{_SIGNS}]", r"\W": f"[{_SIGNS}]", r"\b": _EDGE}.get(text, text)


def _set(others: list[str], negated: bool) -> str:
    """A set of the parts of words and further characters."""
    more = "".join(others)
    if more and not (more.isascii() and _NO_CLASS.fullmatch(more)):
        return f"[{'^' if negated else ''}{_PART}{more}]"
    within = re.compile(f"[{more}]") if more else None
    signs = "".join(re.escape(char) for char in _ASCII_SIGNS if within is None or not within.match(char))
    return f"[{'' if negated else '^'}{signs}{_FAR_SIGNS}]"


def words_of(text: str) -> frozenset[str]:
    """The words between blanks, for sets in source code."""
    return frozenset(text.split())


def is_part(char: str) -> bool:
    """Whether the character may continue a name."""
    return _ONE.match(char) is not None


def is_name(token: str) -> bool:
    """Whether a language's symbol is a name or a keyword."""
    return token.isidentifier() or (not token.isascii() and _NAME.fullmatch(token) is not None)


def rest_of_word(text: str, offset: int = 0) -> str:
    """The letters, digits and underscores of a text from an offset on."""
    match = _PARTS.match(text, offset)
    assert match is not None
    return match[0]


OPERAND = compiled(r"(?<![\w.])[^\W\d]\w*")
"""A word other than an attribute."""
OPERAND_AT_END = compiled(r"(?<![\w.])[^\W\d]\w*\Z")
_ONE = compiled(r"\w")
_PARTS = compiled(r"\w*")
_NAME = compiled(r"[^\W\d]\w*+")
