"""Strings that look like secrets by their prefix or their randomness: the model sees none, and nobody is shown one.

Each is masked in place, at its length, so that offsets in the masked text are those of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import log2

from ...common.bounded import BoundedDict
from .secret_forms import BEHIND, FORMS, Form, Part, Span

HIDING = "X"
LEAST = 20
"""The least length of a secret by randomness alone."""
_LEAST_BITS = 3.2
"""The least entropy per character in bits: a word has less, 20 hexadecimal digits about 3.5."""
_LEAST_CHANGES = 0.15
"""The least share of changes between letters, capitals and digits: random base 32 has twice as many, base 64 four times."""
_MOST_IN_WORDS, _LEAST_ALNUM, _LEAST_LETTERS = 0.5, 0.75, 4
"""Bounds on a string: its share in words, of letters and digits, and its number of letters. Words of three letters or more make up about a
tenth of a random string, and most of a name or a path."""
_MOST_TEXTS = 40

_CANDIDATE = re.compile(r"[A-Za-z0-9+/=_.~:@%-]{8,}")
_IN_CANDIDATE = re.compile(r"[A-Za-z0-9+/=_.~:@%-]")
_MOST = 2_000
"""The most characters read of a candidate."""
_LEAST_ALONE = 40
_BEFORE_ALONE, _AFTER_ALONE = (
    re.compile(r"(?:\A|\n)[ \t#*;\"'>|]{0,40}\Z"),
    re.compile(r"(?:\\n)?[ \t\"'\\,;)]{0,20}(?:\n|\Z)"),
)
"""The surroundings of a string alone on its line, as in keys wrapped over lines."""
_BEGINNINGS = re.compile(
    r"""(?x)(?<![A-Za-z0-9])(?:
    sk-[\w-]{16,} | (?:[spr]k|whsec|rk)_(?:live_|test_)?[A-Za-z0-9]{16,} | xai-\w{20,} | gsk_\w{20,} | hf_[A-Za-z0-9]{16,} | r8_\w{20,}
    | gh[pousr]_[A-Za-z0-9]{16,} | github_pat_\w{16,} | gl(?:pat|dt|rt|ptt|oas|cbt|soat)-[\w.-]{16,} | ATATT3\w{16,} | ATBB\w{16,}
    | xox[abeoprs]-[\w-]{10,} | xapp-[\w-]{16,} | (?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{12,} | AIza[\w-]{24,} | ya29\.[\w-]{16,}
    | GOCSPX-[\w-]{16,} | npm_[A-Za-z0-9]{16,} | pypi-[\w-]{16,} | SG\.[\w-]{8,}\.[\w-]{8,} | key-[0-9a-f]{24,} | sq0[a-z]{3}-[\w-]{16,}
    | do[opr]_v1_[a-f0-9]{16,} | shp(?:at|ss|ca|pa)_[a-fA-F0-9]{16,} | lin_api_\w{16,} | gl(?:sa|c)_\w{16,} | sntry[su]_\w{16,} | dapi[a-f0-9]{24,}
    | hv[bs]\.[\w-]{16,} | dckr_pat_[\w-]{16,} | dp\.[a-z]{2,5}\.\w{16,} | PMAK-[\w-]{16,} | rubygems_[a-f0-9]{16,} | EAACEdEose0cBA\w+
    | AGE-SECRET-KEY-1[A-Z0-9]{16,} | eyJ[\w-]{8,}\.eyJ?[\w-]{8,}(?:\.[\w-]*)? | \d{8,10}:AA[\w-]{24,}
    )"""
)
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[A-Z]?[a-z]{3,}")
_SHOWN = re.compile(r"(\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|N\{[^}\n]{0,80}\}|.))|[A-Za-z0-9]")
"""A letter or digit to mask, or an escape sequence to keep."""
_HIDDEN = re.compile(HIDING + r"{8,}")


def is_random(text: str) -> bool:
    """Whether a string looks random: letters, capitals and digits in no order."""
    if len(text) < LEAST or not _DIGIT.search(text) or sum(map(str.isalpha, text)) < _LEAST_LETTERS:
        return False
    written = sum(map(str.isalnum, text))
    in_words = sum(len(word[0]) for word in _WORD.finditer(text))
    if written < _LEAST_ALNUM * len(text) or in_words > _MOST_IN_WORDS * written:
        return False
    kinds = [0 if char.isdigit() else 1 if char.islower() else 2 for char in text if char.isalnum()]
    changes = sum(kind != other for kind, other in pairwise(kinds))
    if changes < _LEAST_CHANGES * len(kinds):
        return False
    return -sum(n / len(text) * log2(n / len(text)) for n in Counter(text).values()) >= _LEAST_BITS


@dataclass(frozen=True, order=True)
class _Secret:
    """A secret, and its hint's place in the text."""

    hint: int
    first: int
    last: int


def spans(text: str) -> list[Span]:
    """The spans of the secrets in a text, in order and disjoint."""
    return _merged(_found(text))


def _found(text: str) -> tuple[list[_Secret], ...]:
    """The secrets of each kind in a text, in order."""
    return tuple(sorted(finder(text, 0, len(text))) for finder, _ in FINDERS)


def _merged(secrets: Iterable[Iterable[_Secret]]) -> list[Span]:
    merged: list[Span] = []
    for first, last in sorted((secret.first, secret.last) for kind in secrets for secret in kind):
        if merged and first <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(last, merged[-1][1])
        else:
            merged.append((first, last))
    return merged


Finder = Callable[[str, int, int], Iterable[_Secret]]
"""Gives the secrets of the hints in a part of a text."""


def _strings(text: str, start: int, end: int) -> Iterator[_Secret]:
    """Random strings, and those with the prefix of a service's keys."""
    for candidate in _CANDIDATE.finditer(text, start, min(len(text), end + _MOST)):
        first, last = candidate.start(), min(candidate.end(), candidate.start() + _MOST)
        if first > end:
            break
        yield from (_Secret(first, *key.span()) for key in _BEGINNINGS.finditer(text, first, last))
        if (text[max(0, first - 1) : first] in ('"', "'", "`") or _is_alone(text, first, last)) and is_random(
            text[first:last]
        ):
            yield _Secret(first, first, last)


def _formed(form: Form, text: str, start: int, end: int) -> Iterator[_Secret]:
    for hint in Part(text, start, end).hints(form.words):
        yield from (_Secret(hint, *span) for span in form.secrets(text, hint))


FINDERS: tuple[tuple[Finder, int], ...] = ((_strings, _MOST), *((partial(_formed, form), form.ahead) for form in FORMS))
"""The finder of each kind, and the number of characters it reads behind a hint."""


def _is_alone(text: str, first: int, last: int) -> bool:
    """Whether a long string has a line of its own."""
    if last - first < _LEAST_ALONE or _AFTER_ALONE.match(text, last) is None:
        return False
    return _BEFORE_ALONE.search(text[max(0, first - _LEAST_ALONE) : first] if first else "") is not None


@dataclass(frozen=True)
class _Known:
    text: str
    secrets: tuple[list[_Secret], ...]
    hidden: str


class Secrets:
    """Masks the secrets of texts; in an edited text, it scans only around the edit."""

    def __init__(self) -> None:
        self._known: BoundedDict[str, _Known] = BoundedDict(_MOST_TEXTS)

    def hidden(self, name: str, text: str) -> str:
        """The text of a document with its secrets masked; the same object where there are none."""
        last = self._known.used(name)
        if last is not None and last.text == text:
            return last.hidden
        secrets = _found(text) if last is None else _again(last, text)
        hidden = _without(text, _merged(secrets))
        self._known[name] = _Known(text, secrets, hidden)
        return hidden


def _again(last: _Known, text: str) -> tuple[list[_Secret], ...]:
    """The secrets of an edited text, from those of its last version."""
    from ...parser.glr.text_diff import common_prefix, common_suffix

    before = last.text
    same = common_prefix(before, text)
    behind = min(common_suffix(before, text), len(text) - same, len(before) - same)
    end, shift = min(len(text), len(text) - behind + BEHIND), len(text) - len(before)

    def again(finder: Finder, ahead: int, secrets: list[_Secret]) -> list[_Secret]:
        start = _boundary(text, max(0, same - BEHIND)) if finder is _strings else max(0, same - ahead - 1)
        kept = bisect_left(secrets, _Secret(start, 0, 0))
        later = secrets[bisect_left(secrets, _Secret(end - shift + 1, 0, 0)) :]
        moved = [_Secret(secret.hint + shift, secret.first + shift, secret.last + shift) for secret in later]
        return [*secrets[:kept], *sorted(finder(text, start, end)), *moved]

    return tuple(again(finder, ahead, secrets) for (finder, ahead), secrets in zip(FINDERS, last.secrets, strict=True))


def _boundary(text: str, place: int) -> int:
    """The place, or the beginning of the candidate around it."""
    while place and _IN_CANDIDATE.match(text, place - 1):
        place -= 1
    return place


def _without(text: str, where: list[Span]) -> str:
    if not where:
        return text
    parts: list[str] = []
    last = 0
    for start, end in where:
        parts += (text[last:start], _SHOWN.sub(lambda match: match[1] or HIDING, text[start:end]))
        last = end
    return "".join((*parts, text[last:]))


def without_secrets(text: str) -> str:
    """The text with its secrets masked."""
    return _without(text, spans(text))


def is_secret(before: str, text: str) -> bool:
    """Whether a text shows a secret, or a masked one, behind its left context."""
    tail = before[-300:]
    if _HIDDEN.search(text):
        return True
    return any(end > len(tail) for _, end in spans(tail + text))
