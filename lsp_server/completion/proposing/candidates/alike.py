"""Continuations of lines that are alike: `"end": shift.end,` below `"id": shift.id,` and `"start": shift.start,`.

Two neighbouring lines that differ in one name only, at any number of places, are a pattern. The next line's name is the one already written
in it, or the one after theirs in a listing: a function's parameters, a class's fields, a table's keys. Nothing is parsed; a line is its
words, blanks and signs.
"""

from __future__ import annotations

import keyword
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

_MAX_TOKENS = 80
"""The most words, blanks and signs of a line; longer lines are no pattern."""
_MOST_LISTED = 400
"""The most words of a listing, taken from its end."""
_TOKEN = re.compile(r"[^\W\d]\w*|\d[\w.]*|\s+|[^\w\s]")  # words, numbers, blanks and signs
_LISTED = re.compile(r"""(?P<blank>[ \t]*)(?:self\.|["'])?(?P<name>[^\W\d]\w*)["']?[ \t]*(?::|=(?!=)|,)""")
_PARAMETERS = re.compile(r"\b(?:def|function|func(?:[ \t]+\([^()\n]*\))?)[ \t]+\w+[ \t]*\((?P<parameters>[^()]*)\)")
_PARAMETER = re.compile(r"[^\W\d]\w*")
_OWN = frozenset(("self", "cls"))


@dataclass(frozen=True)
class Pattern:
    """A line equal to its neighbour above except for a name."""

    tokens: tuple[str, ...]  # of the lower line, as far as both are alike
    upper: str  # the name in the upper line
    lower: str
    places: tuple[int, ...]  # of the differing tokens; both lines may have the name elsewhere, too
    is_whole: bool  # whether both lines are alike to their ends

    @property
    def times(self) -> int:
        """The number of places where the lines differ."""
        return len(self.places)

    def with_name(self, name: str) -> str:
        """The line with another name."""
        return "".join(name if index in self.places else token for index, token in enumerate(self.tokens))


def pattern_of(upper: str, lower: str) -> Pattern | None:
    """The common pattern of two lines; None unless they differ in exactly one name."""
    first, second = tokens_of(upper.rstrip()), tokens_of(lower.rstrip())
    if not first or not second or max(len(first), len(second)) > _MAX_TOKENS:
        return None
    pair: tuple[str, str] | None = None
    places: list[int] = []
    alike = 0
    for token, other in zip(first, second, strict=False):
        if token != other:
            if pair is None and _is_name(token) and _is_name(other):
                pair = token, other
            if (token, other) != pair:
                break
            places.append(alike)
        elif pair is not None and token == pair[0]:
            break
        alike += 1
    if pair is None or pair[1] in first[: places[0]]:
        return None
    return Pattern(second[:alike], *pair, tuple(places), alike == len(first) == len(second))


def goes_on(pattern: Pattern, line: str) -> str | None:
    """The rest of a line begun like a pattern, with a name of its own; None if it is begun otherwise or its name does not recur."""
    begun = tokens_of(line)
    name = name_in(pattern, line)
    if not pattern.is_whole or pattern.places[-1] < len(begun) or pattern.tokens.count(pattern.lower) > pattern.times:
        return None
    whole = pattern.with_name(name) if _is_name(name) and name not in pattern.tokens else ""
    return whole[len(line) :] if whole and whole.startswith(line) else None


def name_in(pattern: Pattern, line: str) -> str:
    """The name in a begun line at the place of a pattern's own; "" for none. The line's last word may continue, so it does not count."""
    begun = tokens_of(line)[:-1]
    return begun[pattern.places[0]] if pattern.places[0] < len(begun) else ""


@lru_cache(maxsize=2048)
def tokens_of(line: str) -> tuple[str, ...]:
    """The words, numbers, blanks and signs of a line."""
    return tuple(_TOKEN.findall(line))


def next_name(pattern: Pattern, texts: Iterable[str]) -> str | None:
    """The name after those of a pattern in the listings of some texts; None if there is none."""
    following = Counter(
        third
        for text in texts
        if pattern.upper in text and pattern.lower in text
        for listing in listings(text)
        for first, second, third in zip(listing, listing[1:], listing[2:], strict=False)
        if (first, second) == (pattern.upper, pattern.lower)
    )
    return max(following, key=following.__getitem__, default=None)


def listings(text: str) -> Iterator[Sequence[str]]:
    """Names listed one after another: at the beginnings of neighbouring lines, and as parameters."""
    run: list[str] = []
    indent: str | None = None
    for line in text.split("\n"):
        match = _LISTED.match(line)
        name = match["name"] if match and not keyword.iskeyword(match["name"]) else None
        if match is None or name is None or (indent is not None and match["blank"] != indent):
            if len(run) > 2:
                yield run[-_MOST_LISTED:]
            run = []
        indent = match["blank"] if match is not None and name is not None else None
        run += [name] if name is not None else []
    if len(run) > 2:
        yield run[-_MOST_LISTED:]
    for match in _PARAMETERS.finditer(text):
        names = [
            parameter[0]
            for part in match["parameters"].split(",")
            if (parameter := _PARAMETER.match(part.lstrip(" \t\n*")))
        ]
        if len(names) > 2:
            yield [name for name in names if name not in _OWN]


def _is_name(token: str) -> bool:
    return token.isidentifier() and not keyword.iskeyword(token)
