"""Brackets of a piece of code, without strings and comments; by regular expressions alone, since no tree of a broken file can be trusted."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from .grammars import CHECKED

PAIRS = {"(": ")", "[": "]", "{": "}"}
CLOSERS = {closer: opener for opener, closer in PAIRS.items()}
_CHARACTER = r"'(?:\\.[^'\n]{0,8}|[^'\\\n])'"
_LONG = r"'(?:\\.|[^'\\])*+'?"


@cache
def pieces(name: str) -> re.Pattern[str]:
    """Finds the brackets of a language, and the strings and comments, skipped as a whole."""
    rules = CHECKED[name]
    parts = [r'"(?:\\.|[^"\\])*+"?', _LONG if rules.long_quotes else _CHARACTER]
    if rules.line_comment:
        # In a shell `$#` and `a#b` are none.
        parts.append(
            (r"(?<![^\s;(){}])" if rules.line_comment == "#" else "") + rf"{re.escape(rules.line_comment)}[^\r\n]*"
        )
    if rules.block_comment:
        parts.append(r"/\*(?:[^*]|\*(?!/))*+(?:\*/)?")
    return re.compile("|".join((*parts, r"(?P<bracket>[()\[\]{}])")), re.DOTALL)


def brackets(name: str, text: str) -> Iterable[str]:
    """The brackets of a text."""
    return (match["bracket"] for match in pieces(name).finditer(text) if match["bracket"])


def opened(name: str, text: str) -> list[str]:
    """The brackets a text leaves open, the outermost first. Unmatched closing ones are skipped."""
    left_open: list[str] = []
    for bracket in brackets(name, text):
        if bracket in PAIRS:
            left_open.append(bracket)
        elif CLOSERS[bracket] in left_open:
            while left_open.pop() != CLOSERS[bracket]:
                pass
    return left_open


def first_closed(name: str, text: str) -> str | None:
    """The first unmatched bracket closed by a text, as its opener; None where there is none."""
    depth = 0
    for bracket in brackets(name, text):
        depth += 1 if bracket in PAIRS else -1
        if depth < 0:
            return CLOSERS[bracket]
    return None


def deepest(name: str, text: str) -> int:
    """The number of unmatched brackets closed by a text."""
    depth = least = 0
    for bracket in brackets(name, text):
        depth += 1 if bracket in PAIRS else -1
        least = min(least, depth)
    return -least
