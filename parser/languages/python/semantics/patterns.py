"""What the pattern of a `case` binds and reads, and what the compiler refuses in one."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, NamedTuple

from .....common.words import is_name


class Pattern(NamedTuple):
    """A whole pattern. irrefutable: the name that takes anything, "_" for the wildcard; None: something may not match."""

    captures: tuple[str, ...]
    reads: tuple[str, ...]
    errors: tuple[str, ...]
    irrefutable: str | None


class _Part(NamedTuple):
    captures: frozenset[str]
    irrefutable: str | None = None
    star: bool = False


def read_pattern(tokens: Sequence[str]) -> Pattern:
    """The pattern with these tokens, which are known to be one."""
    reader = _Reader(tokens)
    part = reader.sequence("")
    return Pattern(tuple(dict.fromkeys(reader.captures)), tuple(reader.reads), tuple(reader.errors), part.irrefutable)


class _Reader:
    def __init__(self, tokens: Sequence[str]) -> None:
        self._tokens = tokens
        self._at = 0
        self.captures: list[str] = []
        self.reads: list[str] = []
        self.errors: list[str] = []

    def _next(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self) -> str:
        token = self._next()
        self._at += 1
        return token

    def _capture(self, name: str) -> frozenset[str]:
        if name == "_":
            return frozenset()
        if name == "__debug__":
            self.errors.append("cannot assign to __debug__")
        self.captures.append(name)
        return frozenset((name,))

    def _together(self, captures: frozenset[str], more: frozenset[str]) -> frozenset[str]:
        for name in captures & more:
            self.errors.append(f"multiple assignments to name {name!r} in pattern")
        return captures | more

    def sequence(self, closing: str) -> _Part:
        """Patterns with commas between them up to a closing bracket, or one pattern without a comma."""
        captures: frozenset[str] = frozenset()
        first: _Part | None = None
        count = stars = commas = 0
        while self._next() not in (closing, ""):
            part = self._starred()
            count += 1
            stars += part.star
            captures = self._together(captures, part.captures)
            first = first or part
            if self._next() == ",":
                self._take()
                commas += 1
            else:
                break
        if closing:
            self._take()
        if stars > 1:
            self.errors.append("multiple starred expressions in sequence pattern")
        if count == 1 and not commas and first is not None and closing != "]":
            return first
        return _Part(captures)

    def _starred(self) -> _Part:
        if self._next() == "*":
            self._take()
            return _Part(self._capture(self._take()), star=True)
        return self._pattern()

    def _pattern(self) -> _Part:
        part = self._alternatives()
        if self._next() == "as":
            self._take()
            part = _Part(self._together(part.captures, self._capture(self._take())), part.irrefutable)
        return part

    def _alternatives(self) -> _Part:
        parts = [self._closed()]
        while self._next() == "|":
            self._take()
            parts.append(self._closed())
        for part in parts[:-1]:
            if part.irrefutable == "_":
                self.errors.append("wildcard makes remaining patterns unreachable")
            elif part.irrefutable is not None:
                self.errors.append(f"name capture {part.irrefutable!r} makes remaining patterns unreachable")
        if any(part.captures != parts[0].captures for part in parts):
            self.errors.append("alternative patterns bind different names")
        return _Part(parts[0].captures, parts[-1].irrefutable)

    def _closed(self) -> _Part:
        token = self._take()
        if token == "(":
            return self.sequence(")")
        if token == "[":
            return self.sequence("]")
        if token == "{":
            return self._mapping()
        if is_name(token) and token not in ("None", "True", "False"):
            dotted = False
            while self._next() == ".":
                self._take()
                self._take()
                dotted = True
            if self._next() == "(":
                self._take()
                self.reads.append(token)
                return self._class()
            if dotted:
                self.reads.append(token)
                return _Part(frozenset())
            return _Part(self._capture(token), token)
        self._literal(token)
        return _Part(frozenset())

    def _literal(self, token: str) -> Any:
        """The value of a literal; None where it is not known."""
        text = [self._source(token)]
        while self._next() in ("+", "-", 'f"') or self._next()[:1] in ('"', "#"):
            text.append(self._source(self._take()))
        try:
            return ast.literal_eval(" ".join(text))
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return _Unknown()

    def _source(self, token: str) -> str:
        """What stands for a token of a literal in the file; a formatted string, which is none, is taken to its end."""
        if token != 'f"':
            return token[1:] if token[0] in '"#' else token
        self.errors.append("patterns may only match literals and attribute lookups")
        depth = 1
        while depth and self._next():
            depth += {'f"': 1, '"f': -1}.get(self._take(), 0)
        return token

    def _class(self) -> _Part:
        captures: frozenset[str] = frozenset()
        seen: set[str] = set()
        while self._next() not in (")", ""):
            if self._at + 1 < len(self._tokens) and self._tokens[self._at + 1] == "=":
                name = self._take()
                self._take()
                if name in seen:
                    self.errors.append(f"attribute name repeated in class pattern: {name}")
                if name == "__debug__":
                    self.errors.append("cannot assign to __debug__")
                seen.add(name)
            captures = self._together(captures, self._pattern().captures)
            if self._next() == ",":
                self._take()
        self._take()
        return _Part(captures)

    def _mapping(self) -> _Part:
        captures: frozenset[str] = frozenset()
        keys: set[Any] = set()
        while self._next() not in ("}", ""):
            token = self._take()
            if token == "**":
                captures = self._together(captures, self._capture(self._take()))
            else:
                if is_name(token) and token not in ("None", "True", "False"):
                    self.reads.append(token)
                    while self._next() == ".":
                        self._take()
                        self._take()
                else:
                    key = self._literal(token)
                    if key in keys:
                        self.errors.append(f"mapping pattern checks duplicate key ({key!r})")
                    keys.add(key)
                self._take()  # the colon
                captures = self._together(captures, self._pattern().captures)
            if self._next() == ",":
                self._take()
        self._take()
        return _Part(captures)


class _Unknown:
    """A value that equals no other."""
