"""The version of Go required by a `//go:build` line, by the rule of go/build/constraint."""

from __future__ import annotations

import re

_LINE = re.compile(r"(?:\s|//(?!go:build\b)[^\n]*\n|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/)*//go:build[ \t]+([^\n]*)\n")
"""Behind blank lines and comments."""
_TOKEN = re.compile(r"[ \t\r]*(?:(&&|\|\||[!()])|([\w.]+))")
_MINOR = re.compile(r"[0-9]{1,9}")
_LEAST = 21
"""Build lines cannot select an older version."""
_NONE = -1
_DEEPEST = 50


class _Wrong(Exception):
    """The text is no condition."""


def stated_minor(text: str) -> int | None:
    """The N of the Go 1.N implied by a file's build condition; None where it implies none."""
    line = _LINE.match(text)
    if line is None:
        return None
    try:
        minor = _Condition(line[1]).minor()
    except _Wrong:
        return None
    return None if minor == _NONE else max(minor, _LEAST)


class _Condition:
    """A reader of a condition. A part is the least version implied by it, and the least implied by its negation."""

    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, str]] = []
        self._depth = place = 0
        text = text.rstrip()
        while place < len(text):
            token = _TOKEN.match(text, place)
            if token is None:
                raise _Wrong
            self._tokens.append((token[1] or "", token[2] or ""))
            place = token.end()
        self._tokens.reverse()

    def minor(self) -> int:
        versions = self._either()
        if self._tokens:
            raise _Wrong
        return versions[0]

    def _takes(self, sign: str) -> bool:
        return bool(self._tokens) and self._tokens[-1][0] == sign and bool(self._tokens.pop())

    def _either(self) -> tuple[int, int]:
        versions = self._both()
        while self._takes("||"):
            other = self._both()
            versions = min(versions[0], other[0]), max(versions[1], other[1])
        return versions

    def _both(self) -> tuple[int, int]:
        versions = self._negated()
        while self._takes("&&"):
            other = self._negated()
            versions = max(versions[0], other[0]), min(versions[1], other[1])
        return versions

    def _negated(self) -> tuple[int, int]:
        if not self._takes("!"):
            return self._part()
        if self._tokens and self._tokens[-1][0] == "!":
            raise _Wrong
        least, against = self._part()
        return against, least

    def _part(self) -> tuple[int, int]:
        self._depth += 1
        if not self._tokens or self._depth > _DEEPEST:
            raise _Wrong
        if self._takes("("):
            versions = self._either()
            if not self._takes(")"):
                raise _Wrong
        else:
            sign, tag = self._tokens.pop()
            if sign:
                raise _Wrong
            minor = "0" if tag == "go1" else tag.partition("go1.")[2]
            versions = (int(minor) if _MINOR.fullmatch(minor) else _NONE), _NONE
        self._depth -= 1
        return versions
