"""The states of the lexer of TypeScript and JavaScript: between symbols, or in one of some kind; each is a value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from itertools import product

LINE_ENDS = "\n\u2028\u2029"
BLANKS = " \t\v\f\u00a0\ufeff\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
EXTENDS = "extends"


class Part(IntEnum):
    """A position in a regular expression, a template, a comment, a tag, or a possible tag."""

    FIRST, CHARS, ESCAPE, CLASS, CLASS_ESCAPE, FLAGS, DOLLAR, LINE, BLOCK, STAR, NAME, AFTER, EXTENDS, EXTENDED = range(
        14
    )


class Tag(IntEnum):
    """A position in a tag: in its name, or behind it."""

    OPENING, CLOSING, REST = range(3)


@dataclass(frozen=True, slots=True)
class StartOfFile:
    """The possible place of `#!`; hash: its first character has been read."""

    hash: bool


@dataclass(frozen=True, slots=True)
class Hashbang:
    """In the line that begins with `#!`."""


@dataclass(frozen=True, slots=True)
class Between:
    """Between symbols of code."""

    line_end: bool
    """whether a line has ended since the last one"""
    adjacent: bool
    """directly behind a `>`"""


@dataclass(frozen=True, slots=True)
class InSymbol:
    """In a symbol of code or a comment."""

    q: int
    """state of the automaton"""
    line_end: bool
    """whether a line has ended before it"""
    adjacent: bool
    """whether it is an `=` directly behind a `>`"""


@dataclass(frozen=True, slots=True)
class InRegex:
    """In a regular expression."""

    part: Part
    line_end: bool


@dataclass(frozen=True, slots=True)
class InTemplate:
    """Among the characters of a template."""

    part: Part
    q: int
    """in an escape: state of the automaton in a string, else 0"""


@dataclass(frozen=True, slots=True)
class InTag:
    """Between the symbols of a tag."""

    tag: Tag


@dataclass(frozen=True, slots=True)
class TagSlash:
    """Behind a `/` in a tag."""

    tag: Tag


@dataclass(frozen=True, slots=True)
class TagComment:
    """In a comment in a tag."""

    tag: Tag
    part: Part


@dataclass(frozen=True, slots=True)
class TagName:
    """In the name of an element."""

    text: str | None
    """up to here; None: unknown"""
    closes: bool


@dataclass(frozen=True, slots=True)
class AttributeName:
    """In the name of an attribute."""


@dataclass(frozen=True, slots=True)
class TagString:
    """In a string in a tag."""

    quote: str


@dataclass(frozen=True, slots=True)
class InText:
    """In the text between tags."""

    begun: bool
    """whether it has characters yet"""


@dataclass(frozen=True, slots=True)
class TextLess:
    """Behind a `<` in the text between tags."""


@dataclass(frozen=True, slots=True)
class LessSlash:
    """Behind `</` in code, where the slash can only begin a comment."""

    line_end: bool
    """whether a line has ended before it"""


@dataclass(frozen=True, slots=True)
class Less:
    """Behind a `<` that begins a tag or the type parameters of an arrow function: a comma, `=` or `extends` behind its first name decides."""

    part: Part
    line_end: bool
    const: bool
    """whether `const` has come before the name"""
    text: str | None
    """the name up to here; None: unknown"""
    read: int
    """characters of `extends` read so far"""


@dataclass(frozen=True, slots=True)
class LessComment:
    """In a comment behind such a `<`, or behind a slash that may begin one."""

    less: Less
    """the state before the slash"""
    part: Part


def all_less() -> Iterator[Less | LessComment]:
    """Every state behind such a `<`; names of elements are unknown in them."""
    for line_end, const in product((False, True), repeat=2):
        parts = [(part, 0) for part in (Part.FIRST, Part.NAME, Part.AFTER, Part.EXTENDED)]
        for part, read in [*parts, *((Part.EXTENDS, read) for read in range(1, len(EXTENDS) + 1))]:
            less = Less(part, line_end, const, "" if part == Part.FIRST else None, read)
            yield less
            if part != Part.EXTENDS or read == len(EXTENDS):
                yield from (LessComment(less, comment) for comment in (Part.FIRST, Part.LINE, Part.BLOCK, Part.STAR))
