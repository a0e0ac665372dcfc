"""A hole whose texts must pass the checks of Go's compiler that need no types, and leave no name undefined or unused.

`GoState` is a state of the hole (parser/hole.py) with a reading of the text beside it. `advance` refuses errors that no continuation
can mend; `complete` reads the rest of the text's last declaration, and takes the file's other declarations as wholes.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Self, final

from .....common.words import is_part
from ....engine_runtime import SemanticRequest
from ....hole import Hole, State
from ....scoping.allowed import MemberCheck
from ....scoping.state import SemanticState
from ....scoping.verdicts import Refused, Verdict
from .declarations import BOUNDARY, NOTHING, Declaration, Whole, behind, whole
from .document import Document
from .facts import Facts
from .hole_facts import HoleFacts
from .imports import Imported, imports_of, meaning
from .messages import method_declared, redeclared
from .package_level import PackageLevel, Places, file_version, places_of
from .reading import Broken, Reading
from .tokens import lex
from .universe import KEYWORDS, PREDECLARED

_MAIN = re.compile(r"^package[ \t]+main\b", re.M)
_FILLER = re.compile(r"(?<![\w.])x(?!\w)")
_FILLERS = 4
_BASELINES = ("", "_", "_\n", "_}\n", "_{}\n")
"""Texts for an incomplete hole, to see its errors without any text."""
_KEYWORD_BEGINNINGS = frozenset(word[:end] for word in KEYWORDS for end in range(1, len(word) + 1))
_MAX_JOINED = 8
"""The most lines that look like the beginning of a declaration without being one, as in a raw string."""


class DocumentSemantics:
    """The memory of the static semantics for one document; see SemanticLayer in engine_runtime.py."""

    def __init__(self, version: str) -> None:
        self._document = Document(version)

    def refine(self, hole: Hole, asked: SemanticRequest) -> Hole:
        if not isinstance(hole.state, State) or not hole.viable:
            return hole  # a file broken elsewhere tells nothing
        self._document.ask = hole.state.context.engine.ask
        shared = Semantics(self._document, asked)
        if shared.start is None:
            return hole
        state = GoState(hole.state, shared, shared.start)
        return Hole(state, "compile" if asked.exact and shared.is_broken(shared.start) else "none")


class Semantics:
    """The parts shared by all states of one hole."""

    def __init__(self, document: Document, asked: SemanticRequest) -> None:
        self.left, self.start, self.begin = document.before(asked.text, asked.offset)
        self.text, self.offset = asked.text, asked.offset
        self._version = document.version
        self.version = file_version(asked.text, document.version)
        self._retold = document.retold
        self.elsewhere = asked.elsewhere
        self.names, self.exact = asked.level == "names", asked.exact
        self.member = MemberCheck.at(asked)
        self._rights: dict[int, tuple[Declaration, ...] | None] = {}
        self._right_places: dict[int, Places] = {}
        self._baseline: tuple[Verdict | None] | None = None

    def is_broken(self, reading: Reading) -> bool:
        """Whether the compiler refuses the text before the place, with any text there."""
        return bool(reading.errors) or any(declaration.whole.errors for declaration in self.left)

    # -- the file's other declarations

    def right(self, offset: int) -> tuple[Declaration, ...] | None:
        """The declarations from an offset on; None where the offset is not between declarations."""
        if offset not in self._rights:
            declarations = behind(self.text, offset, self._version) if offset < len(self.text) else []
            self._rights[offset] = None if declarations is None else tuple(declarations)
        return self._rights[offset]

    @cached_property
    def boundaries(self) -> tuple[int, ...]:
        """The possible ends of the cursor's own declaration, and the file's end."""
        ends = [m.start() for _, m in zip(range(_MAX_JOINED), BOUNDARY.finditer(self.text, self.offset), strict=False)]
        return (*tuple(end for end in ends if end > self.offset), len(self.text))

    @cached_property
    def others(self) -> tuple[Declaration, ...]:
        """All declarations but the cursor's own, as far as known before it is whole."""
        for boundary in self.boundaries:
            declarations = self.right(boundary)
            if declarations is not None:
                return (*self.left, *declarations)
        return tuple(self.left)

    @cached_property
    def imported(self) -> Imported:
        """The meaning of the file's imports, without the text."""
        return self.imports_in(self.text, "")

    def imported_with(self, written: str) -> Imported:
        """The meaning of the imports with the text, which may stand among them."""
        if not written or any(name for declaration in self.left for name, _ in declaration.declared):
            return self.imported
        return self.imports_in(self.text[: self.offset] + written + self.text[self.offset :], written)

    def imports_in(self, text: str, own: str) -> Imported:
        """The imports of the file as this text; own: where names may be read, besides the other declarations."""
        around = self.text[self.begin : self.boundaries[0]] + own

        def is_read(name: str) -> bool:
            if any(name in other.qualifiers for other in self.others):
                return True
            return re.search(rf"(?<![\w.]){name}\s*\.", around) is not None

        return meaning(imports_of(text), is_read)

    @cached_property
    def declared(self) -> frozenset[str]:
        """Names at package level in the other declarations, and in one that begins at the cursor."""
        begun = (self.right(self.offset) or ())[:1] if BOUNDARY.match(self.text, self.offset) else ()
        return frozenset(name for declaration in (*begun, *self.others) for name, _ in declaration.declared)

    @cached_property
    def package(self) -> PackageLevel:
        """The kinds of names at package level, without the text."""
        right = self.others[len(self.left) :]
        places = self._left_places, self._places_behind(right)
        return PackageLevel(places, NOTHING, self.imported, self.elsewhere, self.version)

    @cached_property
    def _left_places(self) -> Places:
        return places_of(self.left)

    def _places_behind(self, right: tuple[Declaration, ...]) -> Places:
        """The names bound by the last declarations of the file."""
        if len(right) not in self._right_places:
            self._right_places[len(right)] = places_of(right)
        return self._right_places[len(right)]

    @cached_property
    def strict(self) -> bool:
        """Whether everything an undefined name could be is known."""
        return self.names and self.elsewhere is not None and not self.imported.spread

    @cached_property
    def outer_names(self) -> frozenset[str]:
        """The names outside functions, without those declared by the text or the rest of its declaration."""
        return PREDECLARED | self.declared | (self.elsewhere or frozenset()) | self.imported.names

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(self.outer_names)

    def is_beginning(self, word: str) -> bool:
        """Whether some name outside functions begins with these letters."""
        index = bisect_left(self._sorted, word)
        return index < len(self._sorted) and self._sorted[index].startswith(word)

    # -- whole files

    def verdict(self, reading: Reading, written: str) -> Verdict | None:
        """The errors of the file after the text; None where they are unknown."""
        position = self.offset
        line = self.text.find("\n", position, self.boundaries[0]) + 1 or position
        try:
            if line > position:  # behind the line the stacks are mostly the same, whatever it says
                reading, position = reading.after(self.text[position:line]), line
            for boundary in self.boundaries:
                reading = reading.after_known(
                    self.text[position:boundary], self._retold, end=boundary == len(self.text)
                )
                position = boundary
                if reading.at_top and (rest := self.right(boundary)) is not None:
                    return self._judged(reading, rest, written)
        except Broken:
            pass
        return None

    def _judged(self, reading: Reading, right: tuple[Declaration, ...], written: str) -> Verdict:
        own = whole(reading, 0 if self.exact or self.start is None else self.start.number)
        others = (*self.left, *right)
        left, following = self._left_places, self._places_behind(right)
        errors = set(own.errors)
        errors.update(redeclared(name) for name, _ in own.declared if name in left or name in following)
        seen: set[str] = set()
        for name, _ in own.declared:
            if name in seen:
                errors.add(redeclared(name))
            seen.add(name)
        wholes: tuple[Whole, ...] = (own,)
        if self.exact:
            wholes = (own, *(other.whole for other in others))
            errors.update(*(judged.errors for judged in wholes))
            errors.update(
                _repeated(wholes), _named_twice(wholes, [method for judged in wholes for method in judged.methods])
            )
        else:
            if own.methods or own.types:
                methods = [method for other in others for method in other.methods]
                errors.update(method_declared(method) for method in own.methods if method in methods)
                types = (own, *(other.whole for other in others if other.text.startswith("type")))
                errors.update(_named_twice(types, (*own.methods, *methods)))
        imported = self.imported_with(written)
        errors |= imported.errors
        package = PackageLevel((left, following), own, imported, self.elsewhere, self.version)
        if _MAIN.search(self.text):
            errors.update(_errors_of_main(own, wholes))
        for judged in wholes:
            errors.update(package.errors(judged))
        if own.methods:
            methods = [method for judged in (wholes if self.exact else (own,)) for method in judged.methods]
            if any(package.canonical(base) != base for base, _ in methods):
                seen_methods = set[tuple[str, str]]()
                for base, name in methods if self.exact else (*(m for o in others for m in o.methods), *own.methods):
                    method = package.canonical(base), name
                    if method in seen_methods:
                        errors.add(method_declared(method))
                    seen_methods.add(method)
        for name, _ in imported.certain:
            if name in seen or name in left or name in following:
                errors.add(f"{name} already declared through import of package")
        if not self.names:
            return Verdict(frozenset(errors))
        return Verdict(
            frozenset(errors),
            *self._names(own, wholes, others, seen | left.keys() | following.keys(), imported, written),
        )

    def _names(
        self,
        own: Whole,
        wholes: tuple[Whole, ...],
        others: tuple[Declaration, ...],
        declared: set[str],
        imported: Imported,
        written: str,
    ) -> tuple[frozenset[str], frozenset[str]]:
        """(undefined names, unused ones)"""
        undefined: set[str] = set()
        if self.elsewhere is not None and not imported.spread:
            read: set[str] = set()
            for judged in wholes:
                read |= judged.free
            undefined = read - PREDECLARED - self.elsewhere - declared - imported.names
            if undefined and imported.unknown:
                text = (
                    self.text[: self.offset] + written + self.text[self.offset :] if self.exact else self._own(written)
                )
                undefined = {name for name in undefined if re.search(rf"(?<![\w.]){name}\s*\.", text) is None}
        unused: set[str] = set()
        for judged in wholes:
            unused |= judged.unused
        used: set[str] = set()
        if self.exact:
            for judged in wholes:
                used |= judged.free | judged.maybe
        else:
            used = set(own.free | own.maybe).union(*(other.qualifiers for other in others))
        unused.update(f'"{path}"' for name, path in imported.certain if name not in used and path != "C")
        return frozenset(undefined), frozenset(map(_unused, unused))

    def _own(self, written: str) -> str:
        return self.text[self.begin : self.offset] + written + self.text[self.offset : self.boundaries[0]]

    def baseline(self, first: GoState) -> Verdict | None:
        """The errors without any text, for which no text is refused; None where they are unknown."""
        if self._baseline is None:
            verdict: Verdict | None = None
            for filler in ("",) if first.inner.complete else _BASELINES:
                try:
                    reading = first.reading.after(filler)
                except Broken:
                    continue
                verdict = self.verdict(reading, filler)
                if verdict is not None:
                    break
            self._baseline = (verdict,)
        return self._baseline[0]


def _errors_of_main(own: Whole, wholes: Iterable[Whole]) -> Iterator[str]:
    """The errors of `main` in the package of that name."""
    for judged in (own, *wholes):
        if any(name == "main" and word != "func" for name, word in judged.declared):
            yield "cannot declare main - must be func"
        for name, function in judged.functions:
            if name == "main" and (function.most or function.results):
                yield "func main must have no arguments and no return values"
            if name == "main" and function.types:
                yield "func main must have no type parameters"


def _named_twice(wholes: Iterable[Whole], methods: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Methods with the name of a field of their type."""
    fields = {(name, field) for whole in wholes for name, declared in whole.types for field in declared.type.fields}
    bases = {
        name: declared.type.name for whole in wholes for name, declared in whole.types if declared.type.kind == "name"
    }
    for base, name in methods:
        seen: set[str] = set()
        holder: str | None = base
        while holder is not None and holder not in seen:
            seen.add(holder)
            if (holder, name) in fields:
                yield f"field and method with the same name {name}"
            holder = bases.get(holder)


def _repeated(wholes: tuple[Whole, ...]) -> set[str]:
    """The names declared by several declarations."""
    repeated: set[str] = set()
    methods: set[tuple[str, str]] = set()
    names: set[str] = set()
    for judged in wholes:
        for method in judged.methods:
            if method in methods:
                repeated.add(method_declared(method))
            methods.add(method)
        for name, _ in judged.declared:
            if name in names:
                repeated.add(redeclared(name))
            names.add(name)
    return repeated


@final
class GoState(SemanticState):
    """The hole after some text, as a value; see State in parser/hole.py. The inner state answers for syntax."""

    __slots__ = ("_escaped", "_suspect", "reading", "shared")

    def __init__(
        self,
        inner: State,
        shared: Semantics,
        reading: Reading,
        first: Self | None = None,
        written: str = "",
        suspect: str | None = None,
        *,
        escaped: bool = False,
    ) -> None:
        """first: the hole's first state; None: this one is. written: the text so far. escaped: whether it has left the hole's function.

        suspect: a name that can only be a package's, if a point follows.
        """
        super().__init__(inner, first, written)
        self.shared = shared
        self.reading = reading
        self._suspect = suspect
        self._escaped = escaped or not reading.in_function

    def _read(self, inner: State, text: str) -> GoState:
        reading, shared = self.reading, self.shared
        if shared.member is not None:
            shared.member.check(self._written + text)
        tokens, state = lex(reading.lex, text)
        suspect, escaped = self._suspect, self._escaped
        after = Reading(reading.grammar, reading.tops, state, reading.number)
        if tokens:
            doubts: list[str] = []
            free = after.free
            for token in tokens:
                before = free
                try:
                    after.feed(token)
                except Broken:
                    return GoState(inner, shared, reading, self.first, self._written + text, escaped=True)
                escaped = escaped or not after.in_function
                if suspect is not None and token != ".":
                    doubts.append(suspect)
                suspect = None
                free = after.free
                if shared.strict and free is not before and free != before:
                    own = {name for name, _ in after.facts.declared}
                    new = [name for name in free - before if name not in shared.outer_names and name not in own]
                    new = [name for name in new if self._is_own(name, text)]
                    unknown = shared.imported.unknown
                    if unknown and new == [token]:
                        suspect = token
                    elif not (unknown and token == "."):
                        doubts += new
            self._check_news(after)
            if doubts and not escaped:
                raise Refused(doubts[0], "names")
        word = state.pending
        if word and shared.strict and not escaped and not shared.imported.unknown and word.isidentifier():
            self._check_prefix(after, word)
        return GoState(inner, shared, after, self.first, self._written + text, suspect, escaped=escaped)

    def _is_own(self, name: str, more: str) -> bool:
        """Whether a name stands in the text, at least in part; more: the end of the text."""
        text = self._written + more
        begun = self.first.reading.lex.pending if is_part(text[:1]) else ""
        return re.search(rf"(?<!\w){name}(?!\w)", begun + text) is not None

    @property
    def facts(self) -> HoleFacts:
        return HoleFacts(self.shared.text[self.shared.begin : self.shared.offset])

    def _check_news(self, after: Reading) -> None:
        """Refuse errors that no continuation can mend, and unused variables. Raises Refused."""
        before = self.reading
        if len(after.tops) == 1 and after.facts is before.facts:
            return
        errors = after.errors - before.errors
        if errors:
            raise Refused(min(errors))
        uses = after.uses
        if uses is not before.uses:
            own = {name for name, _ in after.facts.declared}
            for name, use in uses - before.uses:
                if name not in own and (message := self.shared.package.misused(name, use)) is not None:
                    raise Refused(message)
        if self.shared.names:
            first = self.first.reading.number
            for number, name in after.unused_found - before.unused_found:
                if number > first or self.shared.exact:
                    raise Refused(_unused(name))

    def _check_prefix(self, reading: Reading, word: str) -> None:
        """Refuse a name while it is typed, when it is certainly read and no name begins with it."""
        if word in _KEYWORD_BEGINNINGS or self.shared.is_beginning(word):
            return
        if word in reading.free or not reading.reads_next(word):
            return
        if not any(name.startswith(word) for name in _visible(reading.facts)):
            raise Refused(word, "names")

    def problem(self) -> Refused | None:
        """The errors of the whole file, if it ends here, caused by the text."""
        shared = self.shared
        refused = None if shared.member is None else shared.member.problem(self._written)
        if refused is not None:
            return refused
        verdict = shared.verdict(self.reading, self._written)
        if verdict is None or not (verdict.errors or verdict.undefined or verdict.unused):
            return None
        if not shared.exact:
            before = shared.baseline(self.first)
            if before is None:
                return None
            verdict = verdict.since(before)
        return verdict.refused()

    @property
    def judges_names(self) -> bool:
        shared = self.shared
        return shared.names and shared.elsewhere is not None and not shared.imported_with(self._written).spread

    def names(self) -> tuple[str, ...] | None:
        shared = self.shared
        if not shared.names:
            return None
        local = list(_visible(self.reading.facts))
        outside = sorted(shared.outer_names - PREDECLARED)
        return tuple(dict.fromkeys([*local, *outside]))

    def _renamed(self, bridge: str) -> Iterator[str]:
        """A bridge with other names in place of its undefined ones, and with ends of functions that return nothing."""
        texts = list(dict.fromkeys((bridge, _ending(bridge))))
        yield from texts[1:]
        local = [name for name in _visible(self.reading.facts) if name != "x"]
        members = () if self._written or self.shared.member is None else self.shared.member.shown()
        for name in (*members[:_FILLERS], *local[:_FILLERS], "nil", "true", "_", "int"):
            yield from (renamed for text in texts if (renamed := _FILLER.sub(name, text)) != text)


def _ending(bridge: str) -> str:
    """A bridge with `for{}` at the end of each block that was open before it: it ends a function as a return does, whatever the results."""
    depth, parts = 0, list[str]()
    for char in bridge:
        depth += (char == "{") - (char == "}")
        if depth < 0:
            parts.append("for{}" if not "".join(parts).strip() else ";for{}")
            depth = 0
        parts.append(char)
    return "".join(parts)


def _visible(facts: Facts) -> Iterator[str]:
    """Names of the enclosing blocks, those bound nearest first, and those of the declaration itself."""
    scope = facts.scope
    while scope is not None:
        yield from reversed(scope.names)
        scope = scope.parent
    yield from (name for name, _ in facts.declared)


def _unused(name: str) -> str:
    return f"{name} imported and not used" if name.startswith('"') else f"declared and not used: {name}"
