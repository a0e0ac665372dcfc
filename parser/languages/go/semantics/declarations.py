"""A Go file as a list of top-level declarations, each read once.

A declaration begins where a line begins with its keyword. Unclosed text between two such lines (the second was within a string or
comment) goes on with the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cached_property

from .....common.bounded import BoundedBySize
from .....common.possessive import compiled
from ....scoping.verdicts import NONE
from ..tables import grammar_version
from .kinds import NO_USES, Function, Uses
from .name_facts import Declared, Doubt
from .reading import Broken, Reading, begin
from .universe import KEYWORDS

BOUNDARY = re.compile(r"^(?:func|type|var|const|import)\b", re.M)
_PARTS = re.compile(
    r"""//[^\n]*|/\*(?s:.*?)\*/|"(?:[^"\\\n]|\\.)*"|`[^`]*`|'(?:[^'\\\n]|\\.)[^'\n]*'|[][(){};]|^[ \t]+(?:func|type|var|const)\b|(?<!\w)(?P<name>[^\W\d]\w*+)[ \t\r]*+(?=\.(?!\.))|(?P<open>["'`]|/\*)""",
    re.M,
)
_FUNCTION = re.compile(r"func\s+([^\W\d]\w*)")
_METHOD = re.compile(r"func\s*\(")
_PLAIN_METHOD = compiled(r"func\s*+\(\s*+(?:([^\W\d]\w*+)\s++)?\*?\s*+([^\W\d]\w*+)\s*+\)\s*+([^\W\d]\w*+)\s*+\(")
"""The beginning of a method whose receiver has no type arguments: the names of the receiver, its type and the method."""
_ONE = re.compile(r"(var|const|type)\s+([^\W\d]\w*(?:\s*,\s*[^\W\d]\w*)*)")
_OPENERS, _CLOSERS = ("(", "[", "{"), (")", "]", "}")
_HEADER = 400
"""The characters in which most methods have their names."""
_MAX_KEPT = 6_000_000
"""Characters of declarations with kept facts."""
_BASE_SIZE = 130
"""The size of an empty declaration, in characters."""


@dataclass(frozen=True)
class Whole:
    """The meaning of a text's declarations; see NameFacts."""

    declared: tuple[tuple[str, str], ...] = ()
    methods: tuple[tuple[str, str], ...] = ()
    types: tuple[tuple[str, Declared], ...] = ()
    functions: tuple[tuple[str, Function], ...] = ()
    reads: tuple[tuple[str, frozenset[str]], ...] = ()
    receivers: frozenset[str] = NONE
    uses: Uses = NO_USES
    doubts: frozenset[Doubt] = frozenset()
    repeated: frozenset[tuple[str, str]] = frozenset()
    keyed: frozenset[tuple[str, tuple[str, ...] | int]] = frozenset()
    free: frozenset[str] = NONE
    maybe: frozenset[str] = NONE
    errors: frozenset[str] = NONE
    unused: frozenset[str] = NONE


NOTHING = Whole()


class Declaration:
    """The text of declarations, beginning with one."""

    def __init__(self, text: str, version: str, outline: Outline | None = None) -> None:
        """version: one of CHANGES. outline: of the text, if it is known."""
        self.text, self._version = text, version
        if outline is None:
            outline = Outline(text)
            outline.read(len(text))
        self.closed, self._regular = outline.is_closed, not outline.goes_on
        self.qualifiers = frozenset(outline.names)

    @cached_property
    def whole(self) -> Whole:
        """The meaning of all its tokens; nothing where it is no Go."""
        try:
            return whole(begin(self._version).after(self.text, end=True))
        except Broken:
            return NOTHING

    @cached_property
    def declared(self) -> tuple[tuple[str, str], ...]:
        """(name, word) of its names at package level; its body is read only where necessary."""
        text = self.text
        if self._regular:
            if match := _FUNCTION.match(text):
                return () if match[1] in ("_", "init") else ((match[1], "func"),)
            if _METHOD.match(text) or text.startswith("import"):
                return ()
            if match := _ONE.match(text):
                names = re.split(r"\s*,\s*", match[2])
                return tuple((name, match[1]) for name in names if name != "_")
        return self.whole.declared

    @cached_property
    def functions(self) -> tuple[tuple[str, Function], ...]:
        """The facts of its functions; their bodies are read only where necessary."""
        if not self._regular or not _FUNCTION.match(self.text):
            return () if self._regular else self.whole.functions
        try:
            functions = begin(self._version).after(self.text[: self.text.find("{") + 1 or None]).facts.functions
        except Broken:
            return ()
        return functions or self.whole.functions

    @cached_property
    def methods(self) -> tuple[tuple[str, str], ...]:
        """(type, name) of the methods; their bodies are read only where necessary."""
        if not _METHOD.match(self.text):
            return () if self._regular else self.whole.methods
        if self._regular:
            plain = _PLAIN_METHOD.match(self.text)
            if plain is not None and KEYWORDS.isdisjoint(plain.groups()):
                return () if plain[3] == "_" else ((plain[2], plain[3]),)
            try:
                methods = begin(self._version).after(self.text[: self.text.find("{")]).facts.methods
            except Broken:
                return ()
            if methods:
                return methods
        return self.whole.methods


_OF_FACTS = tuple(field.name for field in fields(Whole) if field.name != "unused")


def whole(reading: Reading, after: int = 0) -> Whole:
    """The facts; after: only variables behind this token count as unused."""
    facts = reading.facts
    unused = frozenset(name for number, name in facts.unused_found if number > after)
    return Whole(**{name: getattr(facts, name) for name in _OF_FACTS}, unused=unused)


class Outline:
    """The brackets of a text from the beginning of a declaration on, read up to a place."""

    def __init__(self, text: str, begin: int = 0) -> None:
        self._parts = _PARTS.finditer(text, begin)
        self._next = next(self._parts, None)
        self._depth, self._reached, self._end = 0, begin, begin
        self.names: set[str] = set()
        """the names before a point"""
        self.goes_on = False
        """whether the text may have several declarations"""

    def read(self, end: int) -> None:
        """Read up to the end of a line."""
        part, depth = self._next, self._depth
        while part is not None and part.start() < end and (kind := part.lastgroup) != "open":
            self._reached = part.end()
            if kind == "name":
                self.names.add(part["name"])
            else:
                token = part[0]
                if token in _OPENERS:
                    depth += 1
                elif token in _CLOSERS:
                    depth -= 1
                elif depth == 0 and (token == ";" or token[0] in " \t"):
                    self.goes_on = True
            part = next(self._parts, None)
        self._next, self._depth, self._end = part, depth, end

    @property
    def is_open(self) -> bool:
        """Whether a string or comment begins that has no end."""
        return self._next is not None and self._next.start() < self._end

    @property
    def is_closed(self) -> bool:
        """Whether the text read ends between declarations."""
        return self._depth == 0 and self._reached <= self._end and not self.is_open


_kept: BoundedBySize[tuple[str, str], Declaration] = BoundedBySize(_MAX_KEPT, lambda kept: _BASE_SIZE + len(kept.text))
"""By the version that introduced the grammar, and text."""


def declaration(text: str, version: str, outline: Outline | None = None) -> Declaration:
    """The declarations with this text; mostly the same object for the same text. outline: of the text, if it is known."""
    key = grammar_version(version), text
    kept = _kept.used(key)
    if kept is None:
        kept = _kept[key] = Declaration(text, key[0], outline)
    return kept


def before(text: str, offset: int, version: str) -> tuple[list[Declaration], int]:
    """(the whole declarations before an offset, the beginning of the one around the offset)."""
    return _cut(text, version, 0, [m.start() for m in BOUNDARY.finditer(text, 0, offset)])


def behind(text: str, offset: int, version: str) -> list[Declaration] | None:
    """The declarations from the beginning of one on; None where the text does not end between declarations."""
    declarations, begin = _cut(
        text, version, offset, [m.start() for m in BOUNDARY.finditer(text, offset + 1)] + [len(text)]
    )
    return declarations if begin == len(text) else None


def _cut(text: str, version: str, begin: int, ends: Iterable[int]) -> tuple[list[Declaration], int]:
    """(the declarations from an offset on that end at possible ends, the beginning of the rest).

    Known ones are not read again. The others are read once: one that stays open, as while it is written, is not read again from its
    beginning for each line that might end it.
    """
    new = grammar_version(version)
    declarations: list[Declaration] = []
    outline: Outline | None = None  # of an unknown one; None between declarations
    for end in ends:
        if begin == end:
            continue
        if outline is None:
            kept = _kept.used((new, text[begin:end]))
            if kept is not None and kept.closed:
                declarations.append(kept)
                begin = end
                continue
            outline = Outline(text, begin)
        outline.read(end)
        if outline.is_open:
            break
        if outline.is_closed:
            declarations.append(declaration(text[begin:end], version, outline))
            begin, outline = end, None
    return declarations, begin
