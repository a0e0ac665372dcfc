"""The bindings, reads and errors of a `case`'s pattern."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from .....common.words import is_name
from .messages import ASSIGNS_DEBUG


class Pattern(NamedTuple):
    """A whole pattern. irrefutable: the name that matches anything, "_" for the wildcard; None: the pattern may not match."""

    captures: tuple[str, ...]
    reads: tuple[str, ...]
    errors: tuple[str, ...]
    irrefutable: str | None


class _Part(NamedTuple):
    captures: frozenset[str] = frozenset()
    irrefutable: str | None = None


_CONSTANTS = frozenset(("None", "True", "False"))


def read_pattern(tokens: Sequence[str]) -> Pattern:
    """The pattern of these tokens. If they are not one, as in the annotation of `case[place]`, their names are read."""
    try:
        (match,) = ast.parse(f"match 0:\n case {' '.join(_sources(tokens))}: 0").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        behind = zip(tokens, ("", *tokens), strict=False)
        names = (token for token, before in behind if is_name(token) and token not in _CONSTANTS and before != ".")
        return Pattern((), tuple(names), (), None)
    assert isinstance(match, ast.Match)
    reader = _Reader()
    irrefutable = reader.part(match.cases[0].pattern).irrefutable
    return Pattern(tuple(dict.fromkeys(reader.captures)), tuple(reader.reads), tuple(reader.errors), irrefutable)


def _sources(tokens: Sequence[str]) -> Iterator[str]:
    """Texts for the tokens, with empty formatted strings, and a distinct string for each one without its text.

    The sign of `+1`, a pattern since Python 3.15, is left out.
    """
    depth = 0
    for index, token in enumerate(tokens):
        depth -= token == '"f'
        if token == 'f"':
            if not depth:
                yield 'f""'
            depth += 1
        elif not depth and token != '"f':
            if token == "+" and (not index or tokens[index - 1][0] != "#"):
                continue
            yield f'"{index}"' if token == '"' else token[1:] if token[0] in '"#' else token


class _Reader:
    """Reads a pattern's tree, and gathers its bindings, reads and errors."""

    def __init__(self) -> None:
        self.captures: list[str] = []
        self.reads: list[str] = []
        self.errors: list[str] = []

    def part(self, node: ast.pattern) -> _Part:
        """One pattern within the whole."""
        match node:
            case ast.MatchAs(pattern=None, name=name):
                return _Part(self._capture(name), name or "_")
            case ast.MatchAs(pattern=pattern, name=name):
                assert pattern is not None
                inner = self.part(pattern)
                return _Part(self._together((inner.captures, self._capture(name))), inner.irrefutable)
            case ast.MatchStar(name=name):
                return _Part(self._capture(name))
            case ast.MatchOr(patterns=patterns):
                return self._alternatives([self.part(alternative) for alternative in patterns])
            case ast.MatchSequence(patterns=patterns):
                if sum(isinstance(pattern, ast.MatchStar) for pattern in patterns) > 1:
                    self.errors.append("multiple starred expressions in sequence pattern")
                return _Part(self._together(self.part(pattern).captures for pattern in patterns))
            case ast.MatchMapping():
                return self._mapping(node)
            case ast.MatchClass():
                self._value(node.cls)
                for index, name in enumerate(node.kwd_attrs):
                    if name in node.kwd_attrs[:index]:
                        self.errors.append(f"attribute name repeated in class pattern: {name}")
                    if name == "__debug__":
                        self.errors.append(ASSIGNS_DEBUG)
                return _Part(
                    self._together(self.part(pattern).captures for pattern in (*node.patterns, *node.kwd_patterns))
                )
            case ast.MatchValue(value=value):
                self._value(value)
            case _:
                pass  # None, True, False
        return _Part()

    def _capture(self, name: str | None) -> frozenset[str]:
        if name is None:
            return frozenset()
        if name == "__debug__":
            self.errors.append(ASSIGNS_DEBUG)
        self.captures.append(name)
        return frozenset((name,))

    def _together(self, parts: Iterable[frozenset[str]]) -> frozenset[str]:
        captures: frozenset[str] = frozenset()
        for more in parts:
            self.errors += (f"multiple assignments to name {name!r} in pattern" for name in captures & more)
            captures |= more
        return captures

    def _alternatives(self, parts: list[_Part]) -> _Part:
        for part in parts[:-1]:
            if part.irrefutable is not None:
                what = "wildcard" if part.irrefutable == "_" else f"name capture {part.irrefutable!r}"
                self.errors.append(f"{what} makes remaining patterns unreachable")
        if any(part.captures != parts[0].captures for part in parts):
            self.errors.append("alternative patterns bind different names")
        return _Part(parts[0].captures, parts[-1].irrefutable)

    def _mapping(self, node: ast.MatchMapping) -> _Part:
        captures: list[frozenset[str]] = []
        keys: set[Any] = set()
        for key, pattern in zip(node.keys, node.patterns, strict=True):
            self._value(key)
            captures.append(self.part(pattern).captures)
            if not isinstance(key, ast.Attribute | ast.JoinedStr):
                value = ast.literal_eval(key)
                if value in keys:
                    self.errors.append(f"mapping pattern checks duplicate key ({value!r})")
                keys.add(value)
        return _Part(self._together((*captures, self._capture(node.rest))))

    def _value(self, node: ast.expr) -> None:
        """Read a class, or a value to compare with."""
        while isinstance(node, ast.Attribute):
            node = node.value
        if isinstance(node, ast.Name):
            self.reads.append(node.id)
        elif isinstance(node, ast.JoinedStr):
            self.errors.append("patterns may only match literals and attribute lookups")
