"""Regular expressions as ordered NFAs: the branches stand in the order of Python's `re`.

Python's own parser reads the expression, so syntax, flags and character categories mean the same as in `re`. The order of the
branches is kept, because it lets an automaton find the very match of backtracking, non-greedy repeats included (Cox, "Regular
Expression Matching: the Virtual Machine Approach", 2009). Forms that are no regular expression in the strict sense are refused:
back-references, anchors, look-around except one character behind and a negative one ahead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from . import charsets
from .charsets import CharSet

# Imported like this since typeshed leaves out both modules.
sre: Any = import_module("re._constants")
sre_parser: Any = import_module("re._parser")

_MAX_NODES = 50_000
_CATEGORIES: dict[Any, str] = {
    sre.CATEGORY_DIGIT: r"\d",
    sre.CATEGORY_NOT_DIGIT: r"\D",
    sre.CATEGORY_SPACE: r"\s",
    sre.CATEGORY_NOT_SPACE: r"\S",
    sre.CATEGORY_WORD: r"\w",
    sre.CATEGORY_NOT_WORD: r"\W",
}
_REFUSED: dict[Any, str] = {
    sre.ASSERT: "look-around",
    sre.ASSERT_NOT: "look-around",
    sre.GROUPREF: "a back-reference",
    sre.GROUPREF_EXISTS: "a conditional group",
    sre.ATOMIC_GROUP: "an atomic group",
    sre.POSSESSIVE_REPEAT: "a possessive repeat",
    sre.AT: "an anchor such as ^, $ or \\b",
}


class UnsupportedRegexp(ValueError):
    """The expression asks for something beyond a finite automaton of this kind."""


@dataclass(frozen=True, slots=True)
class Char:
    """One character of a set; with `behind`, none: the character before must be of the set."""

    chars: CharSet
    after: int
    behind: bool = False


@dataclass(frozen=True, slots=True)
class Ahead:
    """No character, but the next one, if any, must be of a set."""

    chars: CharSet
    after: int


@dataclass(frozen=True, slots=True)
class Split:
    """Branches, preferred ones first; a loop reached by its own body without a character goes on to the exit."""

    branches: tuple[int, ...]
    exit: int = -1


@dataclass(frozen=True, slots=True)
class Match:
    """The end of an expression."""

    label: int


Node = Char | Ahead | Split | Match


@dataclass
class RegexNfa:
    """Nodes by number; expressions are added one by one."""

    nodes: list[Node] = field(default_factory=list[Node])

    def add(self, regexp: str, label: int) -> int:
        """Add an expression; the number of its first node. Raises UnsupportedRegexp."""
        try:
            parsed = sre_parser.parse(regexp)
        except re.error as error:
            raise UnsupportedRegexp(str(error)) from error
        return self._sequence(parsed, self._node(Match(label)), parsed.state.flags)

    def _node(self, node: Node) -> int:
        if len(self.nodes) >= _MAX_NODES:
            raise UnsupportedRegexp(f"it needs more than {_MAX_NODES} nodes (a long bounded repeat?)")
        self.nodes.append(node)
        return len(self.nodes) - 1

    def _sequence(self, items: Sequence[Any], after: int, flags: int) -> int:
        for operator, argument in reversed(list(items)):
            after = self._item(operator, argument, after, flags)
        return after

    def _item(self, operator: Any, argument: Any, after: int, flags: int) -> int:
        if operator is sre.BRANCH:
            branches = [self._sequence(branch, after, flags) for branch in argument[1]]
            return self._node(Split(tuple(branches)))
        if operator is sre.SUBPATTERN:
            _, added, removed, items = argument
            if added & (re.ASCII | re.UNICODE):
                flags &= ~(re.ASCII | re.UNICODE)
            return self._sequence(items, after, (flags | added) & ~removed)
        if operator is sre.MAX_REPEAT or operator is sre.MIN_REPEAT:
            return self._repeat(argument, after, flags, operator is sre.MAX_REPEAT)
        if operator in (sre.ASSERT, sre.ASSERT_NOT) and argument[0] < 0 and len(argument[1]) == 1:
            behind, what = argument[1][0]
            chars = self._chars(behind, what, flags)
            if chars is not None:
                seen = chars if operator is sre.ASSERT else charsets.complement(chars)
                return self._node(Char(seen, after, behind=True))
        if operator is sre.ASSERT_NOT and argument[0] > 0 and len(argument[1]) == 1:
            what, of = argument[1][0]
            chars = self._chars(what, of, flags)
            if chars is not None:
                return self._node(Ahead(charsets.complement(chars), after))
        if operator is sre.FAILURE:
            return self._node(Split(()))
        chars = self._chars(operator, argument, flags)
        if chars is None:
            raise UnsupportedRegexp(f"{_REFUSED.get(operator, operator)} is not supported in a terminal")
        return self._node(Char(chars, after))

    def _repeat(self, argument: Any, after: int, flags: int, greedy: bool) -> int:
        low, high, items = argument
        if high is sre.MAXREPEAT:
            loop = self._node(Split(()))
            body = self._sequence(items, loop, flags)
            self.nodes[loop] = Split((body, after) if greedy else (after, body), after)
            entry = loop
        else:
            entry = after
            for _ in range(high - low):
                body = self._sequence(items, entry, flags)
                if body == entry:  # of nothing, any number is nothing
                    break
                entry = self._node(Split((body, after) if greedy else (after, body)))
        for _ in range(low):
            body = self._sequence(items, entry, flags)
            if body == entry:
                break
            entry = body
        return entry

    def _chars(self, operator: Any, argument: Any, flags: int) -> CharSet | None:
        """The characters of an item for one character; None for others."""
        unicode = flags & re.ASCII
        if operator is sre.ANY:
            return charsets.ANY if flags & re.DOTALL else charsets.complement(((10, 10),))
        if operator is sre.LITERAL or operator is sre.NOT_LITERAL:
            chars: CharSet = ((argument, argument),)
            if flags & re.IGNORECASE:
                chars = charsets.ignoring_case(chars, unicode)
            return chars if operator is sre.LITERAL else charsets.complement(chars)
        if operator is not sre.IN:
            return None
        negated = bool(argument) and argument[0][0] is sre.NEGATE
        ranges: list[tuple[int, int]] = []
        plain: list[tuple[int, int]] = []
        for kind, value in argument[negated:]:
            if kind is sre.CATEGORY:
                ranges += charsets.matching(_CATEGORIES[value], unicode)
            elif kind is sre.LITERAL:
                plain.append((value, value))
            elif kind is sre.RANGE:
                plain.append(value)
            else:
                raise UnsupportedRegexp(f"{kind} is not supported in a terminal")
        if flags & re.IGNORECASE:
            plain = list(charsets.ignoring_case(charsets.union(plain), unicode))
        chars = charsets.union(ranges + plain)
        return charsets.complement(chars) if negated else chars

    def sets(self) -> Iterator[CharSet]:
        """The sets used."""
        return (node.chars for node in self.nodes if isinstance(node, Char | Ahead))
