"""A hole whose texts must pass the checks of TypeScript that need no types, and bring in no undefined name.

`TypeScriptState` is a state of the hole (parser/hole.py) with the readings of the text beside it. `advance` refuses errors that no
continuation can mend; `complete` looks at the whole file, whose part behind the text is read once.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Self, final

from .....common.words import compiled
from ....engine_runtime import SemanticRequest
from ....hole import Hole, State
from ....scoping.allowed import MemberCheck
from ....scoping.state import SemanticState
from ....scoping.verdicts import Refused
from ..versions import DEFAULT_VERSION
from .automaton import Broken, Checker, Token
from .document import Document, Readings
from .escapes import NO_LETTER
from .expressions import NAME as NAME_IN_EXPRESSION
from .joining import Outcome
from .kinds import At, Use, left
from .libraries import is_declaration_file
from .reading import Reading, advanced
from .tokens import KEYWORDS, may_go_on
from .types import NAME as NAME_IN_TYPE

_FILLER = re.compile(r"(?<![\w.$])x(?![\w$])")
_FILLERS = 4
_BASELINES = ("", "_", "_;\n", "_}\n", "{}\n", "_)\n", "_: _,\n")
"""Texts for an incomplete hole, to see its errors without any text; where none fits, a bridge does."""
_READ = Use.VALUE | Use.TYPE | Use.SPACE | Use.ANY | Use.QUERY
_WORD = compiled(r"[^\W\d][\w$]*|\$[\w$]*")
_MODULE = re.compile(r"^[ \t]*(?:import\b(?!\s*\()|export\b)", re.M)


class DocumentSemantics:
    """The memory of the static semantics for one document; see SemanticLayer in engine_runtime.py."""

    def __init__(self, dialect: str, version: str = DEFAULT_VERSION) -> None:
        """dialect: "js", "ts" or "tsx"; version: of TypeScript."""
        self._dialect, self._version = dialect, version
        self._document: Document | None = None

    def refine(self, hole: Hole, asked: SemanticRequest) -> Hole:
        if not isinstance(hole.state, State) or not hole.viable:
            return hole  # a file broken elsewhere tells nothing
        if self._document is None:
            self._document = Document(self._dialect, ambient=is_declaration_file(asked.path), version=self._version)
        document = self._document
        document.ask = hole.state.context.engine.ask
        shared = Semantics(document, asked, hole.state.bridges)
        if not shared.start:
            return hole
        state = TypeScriptState(hole.state, shared, shared.start)
        is_broken = asked.exact and all(reading.checker.errors for reading in shared.start)
        return replace(hole, state=state, fallback="compile" if is_broken else "none")


class Semantics:
    """The parts shared by all states of one hole."""

    def __init__(self, document: Document, asked: SemanticRequest, bridges: Callable[[], Sequence[str]]) -> None:
        """bridges: returns short texts that make the hole complete by syntax."""
        self.document, self.offset, self._bridges = document, asked.offset, bridges
        self.start = document.before(asked.text, asked.offset)
        self.elsewhere = asked.elsewhere
        self.exact = asked.exact
        self.names = asked.level == "names"
        self.member = MemberCheck.at(asked, "_$")
        self._text = asked.text

    @property
    def knows_all(self) -> bool:
        """Whether everything an undefined name in a module could be is known."""
        return self.names and self.elsewhere is not None

    @cached_property
    def strict(self) -> bool:
        """Whether everything an undefined name could be is known. Scripts have their names from anywhere."""
        return self.knows_all and _MODULE.search(self._text) is not None

    @cached_property
    def at_top(self) -> bool:
        """Whether the hole is outside functions, where a name may be read before its declaration further down."""
        return not any(reading.checker.context & At.IN_FUNCTION for reading in self.start)

    @cached_property
    def behind(self) -> dict[str, int]:
        """The names declared by the right context in scopes open at the hole; where it is not understood, all its words."""
        declared = self.document.declared_behind(self.start, self.offset)
        return dict.fromkeys(_WORD.findall(self._text, self.offset), -1) if declared is None else declared

    def is_known(self, name: str, how: int) -> bool:
        """Whether a name is known without a declaration in the file itself."""
        return self.document.library.has(name, how & _READ) or (self.elsewhere is not None and name in self.elsewhere)

    def is_read(self, name: str) -> bool:
        """Whether the file, without any text, reads a name without a declaration."""
        return name in self._free_without_text

    @cached_property
    def _sorted(self) -> list[str]:
        known_names = self.document.library
        outside = (self.elsewhere or frozenset[str]()) | self.behind.keys() | self._free_without_text
        return sorted({"arguments", *known_names.values, *known_names.types, *known_names.namespaces, *outside})

    def is_beginning(self, word: str) -> bool:
        """Whether some name outside the text begins with these letters."""
        index = bisect_left(self._sorted, word)
        return index < len(self._sorted) and self._sorted[index].startswith(word)

    def outcomes(self, readings: Readings) -> list[Outcome]:
        """The errors of the file behind a text, in each reading; known names are left out."""
        outcomes: list[Outcome] = []
        for outcome in self.document.outcomes(readings, self.offset):
            free: dict[str, int] = {}
            if self.knows_all and outcome.module:
                free = {n: how for n, how in outcome.free.items() if how & _READ and not self.is_known(n, how)}
            outcomes.append(Outcome(outcome.errors, free, outcome.module))
        return outcomes

    @cached_property
    def _free_without_text(self) -> frozenset[str]:
        return frozenset(self.baseline.free)

    @cached_property
    def baseline(self) -> Outcome:
        """The errors without any text, for which no text is refused."""
        errors: set[str] = set()
        free: dict[str, int] = {}
        for reading in self.start:
            errors |= reading.checker.errors
        for filler in chain(_BASELINES, (_FILLER.sub("_", bridge) for bridge in self._bridges())):
            outcomes = self.outcomes(advanced(self.start, filler))
            for outcome in outcomes:
                errors |= outcome.errors
                free |= outcome.free
            if outcomes:
                free.pop("_", None)
                break
        return Outcome(frozenset(errors), free, True)


@final
class TypeScriptState(SemanticState):
    """The hole after some text, as a value; see State in parser/hole.py. The inner state answers for syntax."""

    __slots__ = ("_reason", "readings", "shared")

    def __init__(
        self,
        inner: State,
        shared: Semantics,
        readings: Readings,
        first: Self | None = None,
        written: str = "",
        reason: Refused | None = None,
    ) -> None:
        """first: the hole's first state; None: this one is. written: the text so far. readings: () where the text is not understood.

        reason: why some readings were dropped, if any were.
        """
        super().__init__(inner, first, written)
        self.shared = shared
        self.readings = readings
        self._reason = reason

    def _read(self, inner: State, text: str) -> TypeScriptState:
        shared = self.shared
        if shared.member is not None:
            shared.member.check(self._written + text)
        accepted = self._known_errors
        kept: list[Reading] = []
        reason: Refused | None = None
        readings = advanced(self.readings, text) if self.readings else ()
        for reading in readings:
            refused = self._refused(reading, accepted) or self._refused_word(reading)
            if refused is None:
                kept.append(reading)
            else:
                reason = reason or refused
        if not kept:
            if reason is not None:
                raise reason.anew()
            if self._reason is not None and self.readings:
                raise self._reason.anew()
        return TypeScriptState(inner, shared, tuple(kept), self.first, self._written + text, reason or self._reason)

    @property
    def _known_errors(self) -> frozenset[str]:
        """Errors for which no text is refused."""
        errors: frozenset[str] = frozenset()
        for reading in self.first.readings:
            errors |= reading.checker.errors
        return errors

    def _refused(self, reading: Reading, accepted: frozenset[str]) -> Refused | None:
        checker = reading.checker
        if not may_go_on(reading.pending):
            return Refused(NO_LETTER)
        new = checker.errors - accepted
        if new:
            return Refused(min(new))
        shared = self.shared
        if shared.strict and not shared.at_top and checker.context & At.IN_FUNCTION:
            for name, how in checker.fresh:
                how = left(how, shared.behind.get(name, 0)) & _READ
                if how and name[0] != "#" and not shared.is_known(name, how):
                    if _missing(checker, name, how) and not shared.is_read(name):
                        return Refused(name, "names")
        return None

    def _refused_word(self, reading: Reading) -> Refused | None:
        """Refuse a name while it is typed, when it is certainly read and no name begins with it."""
        shared = self.shared
        if not shared.strict or shared.at_top or not reading.checker.context & At.IN_FUNCTION:
            return None
        word = self._unknown_word(reading)
        if word is None:
            return None
        frame = _probe(reading.checker, word)
        certain = frame is not None and frame[0] == "e" and frame[3] == NAME_IN_EXPRESSION and not frame[2]
        return Refused(word, "names") if certain else None

    def _unknown_word(self, reading: Reading) -> str | None:
        """The word at the end of the text, where no name and no keyword begins with it."""
        match = _WORD.fullmatch(reading.pending.strip()) if reading.pending else None
        if match is None or reading.pending[-1:].isspace():
            return None
        word = match[0]
        if any(keyword.startswith(word) for keyword in _AFTER_OPERANDS) or self.shared.is_beginning(word):
            return None
        return None if any(name.startswith(word) for name in visible(reading.checker)) else word

    @property
    def doubtful(self) -> bool:
        """Whether the text ends in a word that probably exists nowhere, and could only be, say, a parameter."""
        if not self.shared.strict or not self.readings:
            return False
        for reading in self.readings:
            word = self._unknown_word(reading)
            if word is None:
                return False
            frame = _probe(reading.checker, word)
            if frame is not None and not (
                (frame[0] == "e" and frame[3] == NAME_IN_EXPRESSION)
                or (frame[0] == "t" and frame[2] == NAME_IN_TYPE)
                or frame[0] == "param"
            ):
                return False
        return not all(
            (frame := _probe(reading.checker, "_")) is None or frame[0] == "param" for reading in self.readings
        )

    def problem(self) -> Refused | None:
        """The errors of the whole file, if it ends here, caused by the text."""
        shared = self.shared
        refused = None if shared.member is None else shared.member.problem(self._written)
        if refused is not None or not self.readings:
            return refused
        outcomes = shared.outcomes(self.readings)
        if not outcomes:
            return self._reason
        if any(not outcome.errors and not outcome.free for outcome in outcomes):
            return None
        base = None if shared.exact else shared.baseline
        for outcome in outcomes:
            errors = outcome.errors if base is None else outcome.errors - base.errors
            free = outcome.free.keys() if base is None else outcome.free.keys() - base.free.keys()
            if not errors and not free:
                return None
            refused = refused or (Refused(min(errors)) if errors else Refused(min(free), "names"))
        return refused

    @property
    def judges_names(self) -> bool:
        return self.shared.strict or (self.shared.knows_all and _MODULE.search(self._written) is not None)

    def names(self) -> tuple[str, ...] | None:
        if not self.shared.names:
            return None
        local = [name for reading in self.readings[:1] for name in visible(reading.checker)]
        outside = sorted(name for name in self.shared.behind if _WORD.fullmatch(name))
        return tuple(dict.fromkeys([*local, *outside]))

    def _renamed(self, bridge: str) -> Iterator[str]:
        if _FILLER.search(bridge) is not None:
            local = [name for name in self.names() or () if name != "x"]
            members = () if self._written or self.shared.member is None else self.shared.member.shown()
            for name in (*members[:_FILLERS], *local[:_FILLERS], "undefined", "null", "string", "_"):
                yield _FILLER.sub(name, bridge)


_AFTER_OPERANDS = KEYWORDS | frozenset(
    ["as", "satisfies", "of", "async", "is", "get", "set", "static", "type", "interface", "declare", "namespace"]
)


def visible(checker: Checker) -> Iterator[str]:
    """Names of the enclosing scopes, the last declared first."""
    scope = checker.scope
    while True:
        yield from (name for name in reversed(scope.names) if _WORD.fullmatch(name))
        if scope.parent is None:
            return
        scope = scope.parent


_IN_PARTS = frozenset(["namespace", "enum", "augmented", "global"])
"""Scopes with other parts that may declare a name."""


def _missing(checker: Checker, name: str, how: int) -> bool:
    """Whether no enclosing scope declares a name, in the spaces where it is read."""
    scope = checker.scope
    while True:
        kinds = scope.names.get(name)
        if kinds is not None:
            how = left(how, kinds)
        if not how & _READ or scope.kind in _IN_PARTS:
            return False
        if scope.parent is None:
            return True
        scope = scope.parent


def _probe(checker: Checker, word: str) -> tuple[object, ...] | None:
    """The top frame behind a word; None where the word may not come."""
    probe = checker.copy()
    try:
        probe.feed(Token("name", word, False))
    except Broken:
        return None
    return probe.stack[0]
