"""The questions to a type checker at a place: the possible names, and whether there may be others.

*The gate*: a nonsense name, the sentinel, is written at the place. Where a diagnostic names it, there are no other names than those that the checker lists, so
exactly these may come. Where none does, the checker knows too little, and nothing is refused.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ...common.json_types import is_array, is_object
from ...parser.type_server import TypeServer

SENTINEL = "zzqxnosuchname"
_ERROR = 1  # among LSP's severities
_MODULE = re.compile(r"<module '[^']+'>")
MOST_NAMES = 999
"""The most names of a list that is not taken to be cut."""


class Error(NamedTuple):
    """An error that a checker reports."""

    line: int
    """of the text, from 0"""
    code: str
    message: str


@dataclass(frozen=True)
class Answer:
    """The answer of a type checker at a place."""

    by: str
    """the checker and its version"""
    owner: str = ""
    """the type that has the names; "" where nobody says"""
    names: frozenset[str] | None = None
    """all possible names; None: there may be others"""
    errors: tuple[Error, ...] = ()
    """the errors of the text, without those about the sentinel"""


@dataclass(frozen=True, eq=False)
class Question:
    """Names that may come at one place, and the answer once it is there: `Allowed` in parser/type_server.py."""

    server: TypeServer
    uri: str
    left: str
    """the readable text up to the names"""
    right: str
    line: str
    argument: bool
    others: Mapping[str, str] = field(default_factory=dict[str, str])
    """URI -> text of other documents that are being edited"""
    errors_alone: bool = False
    """whether no names are asked for"""
    done: threading.Event = field(default_factory=threading.Event)
    _settled: list[Answer | None] = field(default_factory=list[Answer | None])

    @property
    def answer(self) -> Answer | None:
        """None: there is none, or not yet."""
        return self._settled[0] if self._settled else None

    def settle(self, answer: Answer | None) -> None:
        """Take the answer, None: there will be none. May be called from any thread, once."""
        self._settled.append(answer)
        self.done.set()

    @property
    def owner(self) -> str:
        """The type that has the names, in words."""
        return (self.answer.owner if self.answer is not None else "") or self.line.strip()

    def names(self) -> frozenset[str] | None:
        """All possible names; None: unknown, or not known yet."""
        return self.answer.names if self.answer is not None else None

    def is_like(self, other: Question) -> bool:
        """Whether another question asks the same."""
        asked = self.uri, self.argument, self.errors_alone, self.left, self.right, self.others
        return asked == (other.uri, other.argument, other.errors_alone, other.left, other.right, other.others)

    def brings(self, before: Question) -> Error | None:
        """An error in the cursor's line of this text that the text of another question lacks; None: none, or unknown."""
        forgiven = self.server.forgiven
        if self.answer is None or before.answer is None or forgiven is None:
            return None
        line, had = self.left.count("\n"), {(error.code, error.message) for error in before.answer.errors}
        for error in self.answer.errors:
            if error.line == line and (error.code, error.message) not in had:
                if not forgiven.search(f"{error.code} {error.message}"):
                    return error
        return None


class Gate(NamedTuple):
    """The content of a diagnostic about the sentinel."""

    owner: str
    is_closed: bool
    may_be_none: bool
    """whether it is about something that may be None, too, so that the checker lists the names that both have"""
    strange: frozenset[str]
    """names that the checker also fails to find elsewhere in the file, where their author does find them"""
    is_module: bool = False


def gate(report: Any, server: TypeServer, place: Mapping[str, int]) -> Gate | None:
    """The gate at a place, by the diagnostics of the text with the sentinel there; None: it is open."""
    diagnostics = list(_diagnostics(report, server.quoted))
    here = (diagnostic for diagnostic in diagnostics if diagnostic.start <= _order(place) <= diagnostic.end)
    about = next((diagnostic for diagnostic in here if SENTINEL in diagnostic.quoted), None)
    if about is None or len(about.quoted) != 2 or server.unlisted.search(about.message):
        return None
    owner, strange = about.quoted[1 - about.quoted.index(SENTINEL)], set[str]()
    for other in diagnostics:
        if other.code == about.code and len(other.quoted) == 2 and SENTINEL not in other.quoted:
            if server.variable.sub("", owner) in (server.variable.sub("", quoted) for quoted in other.quoted):
                return None  # the author knows names of it that the checker does not
            strange.update(quoted for quoted in other.quoted if server.name.fullmatch(quoted))
    is_module = bool(server.of_module) and about.message.startswith(server.of_module)
    if server.nothing is None or is_module:
        return Gate(owner, True, False, frozenset(strange), is_module)
    parts = alternatives(owner)
    some = [part for part in parts if part != server.nothing]
    return Gate(owner, len(some) == 1, len(some) < len(parts), frozenset(strange))


def module_of(hovered: Any, located: Any) -> tuple[str, str] | None:
    """(the type, the file's URI) of a module, by what a checker says of an expression; None where it is none."""
    contents = hovered.get("contents") if is_object(hovered) else None
    module = _MODULE.match(str(contents.get("value"))) if is_object(contents) else None
    first = located[0] if is_array(located) and len(located) == 1 else None
    uri = (first.get("uri") or first.get("targetUri")) if is_object(first) else None
    return (module[0], uri) if module is not None and isinstance(uri, str) else None


def errors_of(report: Any, server: TypeServer) -> tuple[Error, ...]:
    """The errors of a text, without those about the sentinel."""
    return tuple(
        Error(item.start[0], item.code, item.message)
        for item in _diagnostics(report, server.quoted)
        if item.severity == _ERROR and SENTINEL not in item.message
    )


def names_of(listed: Any, name: re.Pattern[str], *, argument: bool) -> frozenset[str] | None:
    """The names in a list of completions; None where it is none, or may have been cut."""
    items = listed.get("items") if is_object(listed) else listed
    if not is_array(items) or len(items) > MOST_NAMES:
        return None
    texts = [str(item.get("insertText") or item.get("label", "")) for item in items if is_object(item)]
    if argument:
        return frozenset(text[:-1] for text in texts if text.endswith("=") and name.fullmatch(text[:-1]))
    labels = [str(item.get("label", "")) for item in items if is_object(item)]  # beside an insertion such as `?.name`
    named = (text if name.fullmatch(text) else label for text, label in zip(texts, labels, strict=True))
    return frozenset(text for text in named if name.fullmatch(text)) or None  # all things have members


def alternatives(type_: str) -> list[str]:
    """The parts of a union; one part for another type."""
    parts, depth = [""], 0
    for char in type_.replace("->", "  "):
        depth += (char in "([{<") - (char in ")]}>")
        if char == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts]


class _Diagnostic(NamedTuple):
    code: str
    message: str
    quoted: tuple[str, ...]
    """the quoted parts of the message: a name, and its owner"""
    start: tuple[int, int]
    end: tuple[int, int]
    severity: object


def _diagnostics(report: Any, quoted: re.Pattern[str]) -> Iterator[_Diagnostic]:
    items = report.get("items") if is_object(report) else None
    for item in items if is_array(items) else ():
        span = item.get("range") if is_object(item) else None
        if is_object(span) and is_object(span.get("start")) and is_object(span.get("end")):
            message = str(item.get("message", ""))
            first, _, _ = message.partition("\n")  # what follows explains
            names = tuple(group for match in quoted.finditer(first) for group in match.groups() if group)
            places = _order(span["start"]), _order(span["end"])
            yield _Diagnostic(str(item.get("code")), message, names, *places, item.get("severity"))


def _order(position: Mapping[str, Any]) -> tuple[int, int]:
    line, character = position.get("line"), position.get("character")
    return (line, character) if isinstance(line, int) and isinstance(character, int) else (-1, -1)
