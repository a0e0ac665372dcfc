"""The questions to a type checker at a place: the existing names, and the wrong ones.

*The gate*: a nonsense name, the sentinel, is written at the place. Where no diagnostic names it, the checker knows too little, and nothing is
refused. Else a name is wrong if the checker, asked about it there, reports just the same of it; its list only proposes names.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ...common.json_types import is_array, is_object
from ...parser.type_server import Assigned, TypeServer

SENTINEL = "zzqxnosuchname"
_ERROR = 1  # among LSP's severities
_MODULE = re.compile(r"<module '[^']+'>")
PATIENCE_S = 60.0
"""Seconds to wait for an answer where there is time."""
MOST_ASKED = 1000
"""The most names asked about at one place."""
MOST_NAMES = 999
"""The most names of a list that counts as whole."""


class Error(NamedTuple):
    """An error reported by a checker."""

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
    """the type with the names; "" where unknown"""
    names: frozenset[str] | None = None
    """the listed names; None: any may come"""
    errors: tuple[Error, ...] = ()
    """the errors of the text, without those about the sentinel"""
    gate: Gate | None = None
    """None: any name may come"""
    assigned: Assigned = field(default_factory=Assigned)
    """the names assigned in the text"""


@dataclass(frozen=True, eq=False)
class Question:
    """The possible names at one place, and the answer once it is there: `Allowed` in parser/type_server.py."""

    server: TypeServer
    uri: str
    left: str
    """the readable text up to the names"""
    right: str
    line: str
    argument: bool
    others: Mapping[str, str] = field(default_factory=dict[str, str])
    """URI -> text of other open documents"""
    errors_alone: bool = False
    """whether it asks for no names"""
    patience_s: float = PATIENCE_S
    """the timeout of `refuses` for the answer about a name, in seconds"""
    done: threading.Event = field(default_factory=threading.Event)
    _settled: list[Answer | None] = field(default_factory=list[Answer | None])
    _names: Names = field(default_factory=lambda: Names())

    @property
    def answer(self) -> Answer | None:
        """The answer; None: there is none, or not yet."""
        return self._settled[0] if self._settled else None

    def settle(self, answer: Answer | None) -> None:
        """Set the answer, None for a failed question. To be called once, from any thread."""
        self._settled.append(answer)
        self.done.set()

    @property
    def settled(self) -> bool:
        """See `Allowed`."""
        return self.answer is not None

    @property
    def owner(self) -> str:
        """The type with the names, in words."""
        return (self.answer.owner if self.answer is not None else "") or self.line.strip()

    @property
    def is_whole(self) -> bool:
        """See `Allowed`."""
        return self.server.lists_all

    def names(self) -> frozenset[str] | None:
        """The existing names; None: any may exist, or they are not known yet."""
        answer = self.answer
        return None if answer is None or answer.names is None else answer.names | self._names.right

    def may_begin(self, begun: str) -> bool:
        """See `Allowed`."""
        names, answer = self.names(), self.answer
        if names is None or answer is None:
            return True
        return any(
            name.startswith(begun) for some in (names, answer.assigned.names, answer.assigned.strings) for name in some
        )

    def refuses(self, name: str) -> bool:
        """See `Allowed`."""
        answer, names = self.answer, self.names()
        if answer is None or answer.gate is None or names is None or name in names:
            return False
        if self.server.lists_all:
            return True
        if name in answer.gate.strange or not self.server.is_sure(
            answer.gate.subject, name, answer.assigned, answer.names or frozenset()
        ):
            return False
        self.foresee(name)
        return self._names.is_wrong(name, self.patience_s)

    def foresee(self, name: str) -> None:
        """See `Allowed`."""
        if not self.server.lists_all and name not in self.server.reserved and self._names.want(name):
            self._names.wake(self)

    def is_refused_in(self, name: str, seconds: float) -> bool:
        """See `refuses`; waits for at most `seconds`."""
        self.refuses(name)
        return self._names.is_wrong(name, seconds)

    def asked_by(self, wake: Callable[[Question], None]) -> None:
        """Set the callback for wanted names."""
        self._names.wake = wake

    def take(self) -> frozenset[str]:
        """The names to ask about next."""
        return self._names.take()

    def tell(self, asked: frozenset[str], wrong: frozenset[str], right: frozenset[str]) -> None:
        """Set the answer about some names, from any thread."""
        self._names.tell(asked, wrong, right)

    def let_go(self) -> None:
        """Wake everybody waiting."""
        if not self.done.is_set():
            self.settle(None)
        self.tell(self.take(), frozenset(), frozenset())

    def is_like(self, other: Question) -> bool:
        """Whether another question asks the same."""
        asked = self.uri, self.argument, self.errors_alone, self.left, self.right, self.others
        return asked == (other.uri, other.argument, other.errors_alone, other.left, other.right, other.others)

    def brings(self, before: Question, is_closed: Callable[[str], bool]) -> Error | None:
        """A new error in the cursor's line of this text, compared to the text of another question; None: none, or unknown.

        is_closed: whether our own rules know all members of a name in the text. An error about another type is forgiven.
        """
        forgiven = self.server.forgiven
        if self.answer is None or before.answer is None or forgiven is None:
            return None
        line, had = self.left.count("\n"), {(error.code, error.message) for error in before.answer.errors}
        for error in self.answer.errors:
            if error.line == line and (error.code, error.message) not in had:
                if not forgiven.search(f"{error.code} {error.message}") and self._is_certain(error, is_closed):
                    return error
        return None

    def _is_certain(self, error: Error, is_closed: Callable[[str], bool]) -> bool:
        """Whether our own rules confirm an error."""
        server = self.server
        first, _, _ = error.message.partition("\n")
        types = [
            group
            for match in server.quoted.finditer(server.no_type.sub("", first))
            for group in match.groups()
            if group
        ]
        if server.lacks.search(first) and len(types) > 1:
            owner, name = types[0], types.pop()
            if not server.is_sure(owner, name, server.assigned(self.left + self.right), frozenset()):
                return False
        return all(is_closed(word) for type_ in types for word in server.name.findall(server.literal.sub("", type_)))


class Names:
    """The right and wrong names known at one place, shared by the threads that want and ask them."""

    def __init__(self) -> None:
        self.right: frozenset[str] = frozenset()
        self._wrong: set[str] = set()
        self._wanted: set[str] = set()
        self._seen: set[str] = set()
        self._told = threading.Condition()
        self.wake: Callable[[Question], None] = lambda question: None
        """queues the wanted names"""

    def want(self, name: str) -> bool:
        """Want a name judged; whether it is new, neither judged nor wanted before."""
        with self._told:
            if name in self._seen or len(self._seen) >= MOST_ASKED:
                return False
            self._seen.add(name)
            self._wanted.add(name)
            return True

    def is_wrong(self, name: str, patience_s: float) -> bool:
        """Whether a name is known to be wrong, after at most `patience_s`."""
        if patience_s and name not in self._wrong and name not in self.right:
            with self._told:
                self._told.wait_for(lambda: name not in self._wanted, patience_s)
        return name in self._wrong

    def take(self) -> frozenset[str]:
        """The wanted names; they stay wanted until `tell` settles them."""
        with self._told:
            return frozenset(self._wanted)

    def tell(self, asked: frozenset[str], wrong: frozenset[str], right: frozenset[str]) -> None:
        """Note the wrong and the right ones among some names."""
        with self._told:
            self._seen |= asked
            self._wanted -= asked
            self._wrong |= wrong
            self.right |= right
            self._told.notify_all()


@dataclass(frozen=True)
class Gate:
    """The content of the diagnostics about the sentinel."""

    owner: str
    is_listed: bool
    """whether the checker lists all members; of a union it lists only the common ones"""
    may_be_none: bool
    """whether the owner may be None, too, so that the checker lists only the common names"""
    strange: frozenset[str]
    """names that the checker also fails to find elsewhere in the file, though their author uses them"""
    is_module: bool = False
    said: frozenset[tuple[str, str]] = frozenset()
    """(code, message) of each"""

    @property
    def subject(self) -> str:
        """The owner; a module's name with its kind."""
        return f"Module {self.owner}" if self.is_module else self.owner


def gate(report: Any, server: TypeServer, place: Mapping[str, int]) -> Gate | None:
    """The gate at a place, by the diagnostics of the text with the sentinel there; None: the gate is open."""
    diagnostics = list(_diagnostics(report, server.quoted))
    here = [diagnostic for diagnostic in diagnostics if diagnostic.start <= _order(place) <= diagnostic.end]
    about = next((diagnostic for diagnostic in here if SENTINEL in diagnostic.quoted), None)
    if about is None or len(about.quoted) != 2 or server.unlisted.search(about.message):
        return None
    owner, strange = about.quoted[1 - about.quoted.index(SENTINEL)], set[str]()
    for other in diagnostics:
        if other.code == about.code and len(other.quoted) == 2 and SENTINEL not in other.quoted:
            if server.variable.sub("", owner) in (server.variable.sub("", quoted) for quoted in other.quoted):
                return None  # the author uses names of it unknown to the checker
            strange.update(quoted for quoted in other.quoted if server.name.fullmatch(quoted))
    is_module = bool(server.of_module) and about.message.startswith(server.of_module)
    said = frozenset((item.code, item.first_line) for item in here if SENTINEL in item.quoted)
    if server.nothing is None or is_module:
        return Gate(owner, True, False, frozenset(strange), is_module, said)
    parts = alternatives(owner)
    some = [part for part in parts if part != server.nothing]
    return Gate(owner, len(some) == 1, len(some) < len(parts), frozenset(strange), said=said)


def wrong_names(
    report: Any, server: TypeServer, said: frozenset[tuple[str, str]], places: Mapping[str, Mapping[str, int]]
) -> frozenset[str]:
    """The names, among some at their places, with all the diagnostics of the sentinel."""
    said_of: dict[str, set[tuple[str, str]]] = {}
    for diagnostic in _diagnostics(report, server.quoted):
        for name in diagnostic.quoted:
            if name in places and diagnostic.start <= _order(places[name]) <= diagnostic.end:
                said_of.setdefault(name, set()).add((diagnostic.code, diagnostic.first_line))
    expected = {name: {(code, message.replace(SENTINEL, name)) for code, message in said} for name in said_of}
    return frozenset(name for name, here in said_of.items() if here >= expected[name])


def module_of(hovered: Any, located: Any) -> tuple[str, str] | None:
    """(the type, the file's URI) of a module, by a checker's hover and location of an expression; None for anything else."""
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
    """The names in a list of completions; None for a malformed one, or one that may be cut."""
    items = listed.get("items") if is_object(listed) else listed
    if not is_array(items) or len(items) > MOST_NAMES:
        return None
    texts = [str(item.get("insertText") or item.get("label", "")) for item in items if is_object(item)]
    if argument:
        return frozenset(text[:-1] for text in texts if text.endswith("=") and name.fullmatch(text[:-1]))
    labels = [str(item.get("label", "")) for item in items if is_object(item)]  # beside an insertion such as `?.name`
    named = (text if name.fullmatch(text) else label for text, label in zip(texts, labels, strict=True))
    return frozenset(text for text in named if name.fullmatch(text)) or None  # everything has members


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
    first_line: str
    quoted: tuple[str, ...]
    """the message's quoted parts: a name and its owner"""
    start: tuple[int, int]
    end: tuple[int, int]
    severity: object


def _diagnostics(report: Any, quoted: re.Pattern[str]) -> Iterator[_Diagnostic]:
    items = report.get("items") if is_object(report) else None
    for item in items if is_array(items) else ():
        span = item.get("range") if is_object(item) else None
        if is_object(span) and is_object(span.get("start")) and is_object(span.get("end")):
            message = str(item.get("message", ""))
            first, _, _ = message.partition("\n")  # the rest explains
            names = tuple(group for match in quoted.finditer(first) for group in match.groups() if group)
            places = _order(span["start"]), _order(span["end"])
            yield _Diagnostic(str(item.get("code")), message, first, names, *places, item.get("severity"))


def _order(position: Mapping[str, Any]) -> tuple[int, int]:
    line, character = position.get("line"), position.get("character")
    return (line, character) if isinstance(line, int) and isinstance(character, int) else (-1, -1)
