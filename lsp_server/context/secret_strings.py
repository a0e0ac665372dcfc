"""Strings that look like secrets, by how they begin or by how random they are: the model does not see them, and nobody is shown one.

Each is hidden in place, by as many letters as it has, so that offsets in the masked text are those of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import log2

from ...common.bounded import BoundedDict

HIDING = "X"
LEAST = 20
"""Characters of a string that is a secret by its randomness alone."""
_LEAST_NAMED = 8
"""The same of one that a name calls a password, a key or a token."""
_LEAST_BITS = 3.2
"""A character's, by how often each is in the string: a word has fewer, 20 hexadecimal digits about 3.5."""
_LEAST_CHANGES = 0.15
"""How often letters, capitals and digits follow on each other: in random base 32 twice as often, in base 64 four times."""
_MOST_IN_WORDS, _LEAST_ALNUM, _LEAST_LETTERS = 0.5, 0.75, 4
"""Of a string's characters: in words of three letters or more are about a tenth of a random one's, and most of a name's or a path's."""
_AROUND = 2_000
"""Characters on both sides of an edit that are looked at again."""
_MOST_TEXTS = 40

_CANDIDATE = re.compile(r"[A-Za-z0-9+/=_.~:@%-]{8,}")
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
_IN_ADDRESS = re.compile(r"://[^\s/:@'\"]{1,100}:([^\s/@'\"]{3,200})@")
_SLACK_HOOK = re.compile(r"hooks\.slack\.com/services/([A-Za-z0-9/]{20,})")
_NAMED = re.compile(
    r"(?i)(?:passw(?:or)?d|passphrase|pwd|secret|token|api_?key|access_?key|private_?key|auth_?key|credentials?|client_?secret)\w{0,20}"
    r"[\"'\]]{0,2}\s{0,4}(?::\s{0,4}\w{1,20}\s{0,4})?[:=]{1,2}>?\s{0,4}[bru]?[\"'`]\Z"
)
_DIGIT, _LETTER = re.compile(r"\d"), re.compile(r"[A-Za-z]")
_WORD = re.compile(r"[A-Z]?[a-z]{3,}")
_ALNUM = re.compile(r"[A-Za-z0-9]")
_HIDDEN = re.compile(HIDING + r"{8,}")

Span = tuple[int, int]


def is_random(text: str) -> bool:
    """Whether a string looks as if nobody could remember it: letters, capitals and digits without an order."""
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


def spans(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """Where secrets are in a text, or a part of it; in order, and apart from each other."""
    end = len(text) if end is None else end
    secrets = sorted(_found(text, start, end))
    merged: list[Span] = []
    for first, last in secrets:
        if merged and first <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(last, merged[-1][1])
        else:
            merged.append((first, last))
    return merged


def _found(text: str, start: int, end: int) -> Iterator[Span]:
    for candidate in _CANDIDATE.finditer(text, start, end):
        first, last = candidate.span()
        quoted = text[max(0, first - 1) : first] in ('"', "'", "`")
        for beginning in _BEGINNINGS.finditer(text, first, last):
            yield beginning.span()
        if (quoted and is_random(candidate[0])) or (
            quoted and last - first >= _LEAST_NAMED and _is_password(text, first, candidate[0])
        ):
            yield first, last
    for pattern, hint in ((_IN_ADDRESS, "://"), (_SLACK_HOOK, "hooks.slack")):
        if text.find(hint, start, end) >= 0:
            yield from (beginning.span(1) for beginning in pattern.finditer(text, start, end))


def _is_password(text: str, first: int, string: str) -> bool:
    """Whether a string with digits in it stands where its name says that it is secret."""
    if not (_DIGIT.search(string) and _LETTER.search(string)):
        return False
    return _NAMED.search(text, max(0, first - 80), first) is not None


@dataclass(frozen=True)
class _Known:
    text: str
    spans: list[Span]
    hidden: str


class Secrets:
    """Hides the secrets of texts; of one that was edited, only the lines around the edit are looked at."""

    def __init__(self) -> None:
        self._known: BoundedDict[str, _Known] = BoundedDict(_MOST_TEXTS)

    def hidden(self, name: str, text: str) -> str:
        """The text of a document with its secrets hidden; the same object where there are none."""
        last = self._known.used(name)
        if last is not None and last.text == text:
            return last.hidden
        where = spans(text) if last is None else _again(last, text)
        hidden = _without(text, where)
        self._known[name] = _Known(text, where, hidden)
        return hidden


def _again(last: _Known, text: str) -> list[Span]:
    """Where secrets are in a text that was another before."""
    from ...parser.glr.text_diff import common_prefix, common_suffix

    before = last.text
    same = common_prefix(before, text)
    behind = min(common_suffix(before, text), len(text) - same, len(before) - same)
    start = max(text.rfind("\n", 0, same) + 1, same - _AROUND)
    line_end = text.find("\n", len(text) - behind)
    end = min(len(text) if line_end < 0 else line_end, len(text) - behind + _AROUND)
    shift = len(text) - len(before)
    first = bisect_left(last.spans, (start, start))
    kept = [span for span in last.spans[:first] if span[1] <= start]
    later = [
        (first_char + shift, other + shift)
        for first_char, other in last.spans
        if first_char + shift >= end and first_char >= same
    ]
    return [*kept, *spans(text, start, end), *later]


def _without(text: str, where: list[Span]) -> str:
    if not where:
        return text
    parts: list[str] = []
    last = 0
    for start, end in where:
        parts += (text[last:start], _ALNUM.sub(HIDING, text[start:end]))
        last = end
    return "".join((*parts, text[last:]))


def without_secrets(text: str) -> str:
    """The text with its secrets hidden."""
    return _without(text, spans(text))


def is_secret(before: str, text: str) -> bool:
    """Whether a text shows a secret, or a hidden one, behind its left context."""
    tail = before[-300:]
    if _HIDDEN.search(text):
        return True
    return any(end > len(tail) for _, end in spans(tail + text))
