"""What a run of statements means for the scope it stands in: a `Content`, and how two that follow each other make one.

Contents form a monoid (`joined`), so those of a file can be kept and joined in any grouping: a block that is closed is one
value, whatever lies around it. `close_block` turns the content of a block into what its compound statement is outside.

The rules are those of CPython's symtable.c and compile.c for what is refused, and those of pyflakes for names: what runs at once
sees what was bound before it, what runs later (functions, lambdas) sees all that is bound.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

from .facts import Block, Facts, Joined, Lines
from .line_values import ALWAYS, ARGUMENTS, Header, Items, Line, linked
from .sets import NONE, frozen, minus, union
from .syntax import FEATURES
from .unread import Unread, both, within

Names = frozenset[str]
OF_CLASSES: Names = frozenset(("__class__",))
"""Names that code in a class sees, though nothing binds them."""
_LOOPS = ("for", "while")
_CLAUSES = ("elif", "else", "except", "finally", "case")
_CONDITIONAL = ("if", "elif", "else", "while", "try", "except", "finally")
_BLOCKS = ("for", "while", "with", "finally")
"""What takes one of the blocks that the compiler counts, a `with` one for each manager. An except clause takes two, in 3.8 one;
a `try` whose errors are caught takes one, and all that a `finally` follows takes one more."""
_OUTSIDE = {
    "return": "'return' outside function",
    "yield": "'yield' outside function",
    "yield from": "'yield' outside function",
    "await": "'await' outside function",
    "async for": "'async for' outside async function",
    "async with": "'async with' outside async function",
    "async comprehension": "asynchronous comprehension outside of an asynchronous function",
    "break": "'break' outside loop",
    "continue": "'continue' not properly in loop",
}
_IN_SCOPE = "in an annotation: "
"""Begins what is an error in annotations that are compiled: those of variables are not in functions."""
_GENERATES, _AWAITS = "yields in an annotation", "awaits in an annotation"
"""Flags of what makes a generator or a coroutine of a function, without being compiled."""
_DIRECT = frozenset(("yield", "yield from", "await"))
_SUSPENDS = frozenset(("yield", "yield from", _GENERATES, _AWAITS))
_OF_TYPES = _DIRECT | {"async comprehension"}
"""Flags of what may not stand in the scopes of types."""
_WALRUS_IN_COMPREHENSION = "walrus in comprehension"
_HIDDEN = " "
"""Behind a name that is declared nonlocal in a class which binds it: the compiler takes it for no type parameter any more."""
_CODE_IN_TYPES = "lambda or comprehension in the scope of a type"
MISPLACED = frozenset((*_OUTSIDE.values(), "nonlocal declaration not allowed at module level"))
"""Errors of statements that may stand in other blocks."""
_ANNOTATED = "annotated name can't be global"  # in a function or a class
_LEAVES_LOOP = frozenset(("break", "continue"))
_ASYNC = ("await", "async for", "async with", "async comprehension")


@dataclass(frozen=True, slots=True)
class Dialect:
    """What differs between versions and between files."""

    version: tuple[int, int]
    late_annotations: bool = False  # `from __future__ import annotations`

    @property
    def max_blocks(self) -> int:
        """Blocks that may be nested in a function (CO_MAXBLOCKS)."""
        return 20 if self.version < (3, 13) else 21

    def compiles(self, annotated: str) -> bool:
        """Are annotations of a "parameter", a "name" or another "target" compiled? In functions none of variables is."""
        return not self.late_annotations or (annotated == "target" and self.version < (3, 10))

    @property
    def evaluates_annotations(self) -> bool:
        """Are annotations evaluated where they stand?"""
        return not self.late_annotations and self.version < (3, 14)


@dataclass(frozen=True, slots=True)
class Clause:
    """The line at an end of a content, where it is part of a compound statement."""

    kind: str
    last: bool = False  # nothing may follow in its statement: a bare except, a case that takes anything
    catches_names: bool = False
    guarded: Names = NONE  # needed in the `try`
    catches_attributes: bool = False
    depth: int = 0  # blocks in blocks of its statement, as far as that belongs to the content
    alone: bool = True  # the content has nothing but clauses of its statement
    has_finally: bool = False  # one follows


class Content(NamedTuple):
    """What statements mean for their scope."""

    binds: Names = NONE  # bound at the end
    dels: Names = NONE  # not bound at the end, whatever was before
    needs: Names = NONE  # read at once, without having been bound here before
    later: Names = NONE  # read by functions, which run later
    used: Names = NONE  # read in the scope itself
    assigned: Names = NONE  # made local by a binding
    annotated: Names = NONE
    imported: Names = NONE
    globals: Names = NONE
    nonlocals: Names = NONE
    free_nonlocals: Names = NONE  # declared nonlocal in a nested scope
    spread: Names = NONE  # declared global in a nested scope
    flags: Names = NONE  # statements that belong to a loop or function around
    errors: Names = NONE
    first: Clause | None = None
    last: Clause | None = None
    only_future: bool = True  # nothing but a string and future imports
    has_string: bool = False  # and it begins with the string
    has_future: bool = False
    late_future: bool = False
    star_import: bool = False
    depth: int = 0  # blocks in blocks
    size: int = 0  # lines
    noted: Names = NONE  # read by annotations that are not evaluated: after all that the scope binds
    facts: Facts | None = None  # what the names are bound to
    unread: Unread | None = None  # functions whose bodies are not counted in `later` and `errors`
    lost: Names = NONE  # read at once after a `del`: no binding before that counts


EMPTY = Content()
_UNKNOWN = Content(only_future=False, size=1, star_import=True)
"""Of a line of which nothing is known: it may bind anything."""


def joined(a: Content, b: Content) -> Content:
    """What two runs of statements mean, one after the other."""
    if not a.size:
        return b
    if not b.size:
        return a
    errors = union(a.errors, b.errors)
    if b.globals or b.nonlocals:
        for declared, word in ((b.globals, "global"), (b.nonlocals, "nonlocal")):
            for name in declared:
                message = too_late(name, word, a)
                if message is not None:
                    errors |= {message}
    flags = union(a.flags, b.flags)
    if b.annotated and b.annotated & (a.globals | a.nonlocals):
        flags |= {_ANNOTATED}
    needs, lost, first, last, depth = a.needs, a.lost, a.first, b.last, max(a.depth, b.depth)
    if a.last is not None and b.first is not None:
        if b.first.kind == a.last.kind and a.last.last:
            errors |= {
                "default 'except:' must be last" if a.last.kind == "except" else "makes remaining patterns unreachable"
            }
        has_finally = b.first.kind == "finally" or b.first.has_finally
        is_caught = a.last.kind == "try" and b.first.kind == "except"
        depth = max(depth, a.last.depth + is_caught + has_finally)
        if b.first.kind == "except" and b.first.catches_names:
            needs, lost = minus(needs, a.last.guarded), minus(lost, a.last.guarded)
        if b.first.alone and last is not None:
            guarded = a.last.guarded if b.first.kind == "except" else last.guarded
            last = replace(last, guarded=guarded, depth=max(a.last.depth + is_caught, last.depth))
        if first is not None and first.alone:
            first = replace(first, alone=b.first.alone, has_finally=first.has_finally or has_finally)
    elif first is not None and first.alone:
        first = replace(first, alone=False)
    return Content(
        union(minus(a.binds, b.dels), b.binds),
        union(minus(a.dels, b.binds), b.dels),
        union(needs, minus(b.needs, a.binds)),
        union(a.later, b.later),
        union(a.used, b.used),
        union(a.assigned, b.assigned),
        union(a.annotated, b.annotated),
        union(a.imported, b.imported),
        union(a.globals, b.globals),
        union(a.nonlocals, b.nonlocals),
        union(a.free_nonlocals, b.free_nonlocals),
        union(a.spread, b.spread),
        flags,
        errors,
        first,
        last,
        a.only_future and b.only_future and not b.has_string,
        a.has_string,
        a.has_future or b.has_future,
        a.late_future or b.late_future or (b.has_future and (not a.only_future or b.has_string)),
        a.star_import or b.star_import,
        depth,
        a.size + b.size,
        union(a.noted, b.noted),
        a.facts if b.facts is None else b.facts if a.facts is None else Joined(a.facts, b.facts),
        both(a.unread, b.unread),
        union(union(lost, b.lost), b.needs & a.dels if a.dels else NONE),
    )


def too_late(name: str, word: str, before: Content) -> str | None:
    if name in before.annotated:
        return f"annotated name {name!r} can't be {word}"
    if name in before.assigned:
        return f"name {name!r} is assigned to before {word} declaration"
    if name in before.used:
        return f"name {name!r} is used prior to {word} declaration"
    return None


class _Builder:
    """The content of one scope's part while it is put together; parent: the scope that a comprehension or a lambda is in."""

    def __init__(self, dialect: Dialect, kind: str = "block", parent: _Builder | None = None) -> None:
        self.dialect = dialect
        self.kind = kind
        self.parent = parent
        self.binds: set[str] = set()
        self.dels: set[str] = set()
        self.needs: set[str] = set()
        self.lost: set[str] = set()
        self.later: set[str] = set()
        self.noted: set[str] = set()
        self.used: set[str] = set()
        self.assigned: set[str] = set()
        self.annotated: set[str] = set()
        self.imported: set[str] = set()
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.flags: set[str] = set()
        self.errors: set[str] = set()
        self.compiled: set[str] = set()  # errors of what is compiled
        self.has_future = self.star_import = False
        self.iterating: set[str] = set()  # targets of a comprehension
        self.walruses: set[str] = set()
        self.in_targets = False  # of a comprehension
        self.in_iterable = parent.in_iterable if parent is not None else 0

    def content(
        self,
        first: Clause | None = None,
        last: Clause | None = None,
        *,
        only_future: bool = False,
        has_string: bool = False,
        late_future: bool = False,
        facts: Facts | None = None,
    ) -> Content:
        f = frozen
        return Content(
            f(self.binds), f(self.dels), f(self.needs), f(self.later), f(self.used), f(self.assigned), f(self.annotated),
            f(self.imported), f(self.globals), f(self.nonlocals), NONE, NONE, f(self.flags), f(self.errors | self.compiled),
            first, last, only_future, has_string, self.has_future, late_future, self.star_import, 0, 1, f(self.noted), facts,
            lost=f(self.lost),
        )  # fmt: skip

    def run(self, items: Items) -> None:
        if items is None:
            return
        todo = list(linked(items))
        for item in reversed(todo):
            _RUN[item[0]](self, item)

    def _all(self, item: Any) -> None:
        self.run(item[1])

    def _use(self, item: Any) -> None:
        self.read(item[1])

    def read(self, name: str) -> None:
        self.used.add(name)
        if name not in self.binds:
            self._need(name)

    def _need(self, name: str) -> None:
        self.needs.add(name)
        if name in self.dels:
            self.lost.add(name)

    def bind(self, name: str) -> None:
        self.binds.add(name)
        self.dels.discard(name)
        self.assigned.add(name)

    def _bind(self, item: Any) -> None:
        self.bind(item[1])

    def _imported(self, item: Any) -> None:
        name = item[1]
        self.binds.add(name)
        self.dels.discard(name)
        self.imported.add(name)

    def _annotated(self, item: Any) -> None:
        kind, name = item
        self._annotate_error(name)
        self.annotated.add(name)
        if kind == "annotated value":
            self.bind(name)

    def _annotated_name(self, item: Any) -> None:
        """A name in parentheses, annotated, without a value: nothing."""

    def _annotate_error(self, name: str) -> None:
        if name in self.globals or name in self.nonlocals:
            self.flags.add(_ANNOTATED)

    def _del(self, item: Any) -> None:
        name = item[1]
        if name == "__debug__" and self.dialect.version >= (3, 10):
            self.errors.add("cannot delete __debug__")
        if name not in self.binds:
            self._need(name)
        self.binds.discard(name)
        self.dels.add(name)
        self.assigned.add(name)

    def _declare(self, item: Any) -> None:
        word, names = item
        mine = self.globals if word == "global" else self.nonlocals
        before = None
        for name in names:
            before = before or self.content()
            message = too_late(name, word, before)
            if message is not None:
                self.errors.add(message)
            mine.add(name)

    def _flag(self, item: Any) -> None:
        flag = item[1]
        if self.kind == "comp":
            if flag in ("yield", "yield from"):
                self.errors.add("'yield' inside a comprehension")
                return
        elif self.kind == "lambda":
            if flag in ("yield", "yield from"):
                return
        self.flags.add(flag)

    def _error(self, item: Any) -> None:
        _, message, found = item
        always = found == ALWAYS or (found == ARGUMENTS and self.dialect.version < (3, 9))
        (self.errors if always else self.compiled).add(message)

    def _take_errors(self, inner: _Builder) -> None:
        self.errors |= inner.errors
        self.compiled |= inner.compiled

    def _starred(self, item: Any) -> None:
        self.compiled.add("can't use starred expression here")

    def _spread_subscript(self, item: Any) -> None:
        if self.dialect.version >= (3, 9):
            self.errors.add("can't use starred expression here")

    def _noted(self, item: Any) -> None:
        self.noted.add(item[1])

    def _nothing(self, item: Any) -> None:
        pass

    def _import_star(self, item: Any) -> None:
        self.star_import = True
        if _is_future(item[1], self.dialect):
            self.errors.add("future feature * is not defined")

    def _future(self, item: Any) -> None:
        if item[2] and not _is_future(".__future__", self.dialect):
            return
        self.has_future = True
        for feature in item[1]:
            if feature == "braces":
                self.errors.add("not a chance")
            elif feature not in FEATURES:
                self.errors.add(f"future feature {feature} is not defined")

    def _annotation(self, item: Any) -> None:
        compiled, found, errors = self._annotated_by(item[1], "parameter")
        if compiled:
            self.flags |= found
            self.compiled |= errors

    def _variable_annotation(self, item: Any) -> None:
        _, items, simple = item
        compiled, found, errors = self._annotated_by(items, "name" if simple else "target")
        if compiled:
            self.flags |= {_IN_SCOPE + one for one in [*_misplaced(found), *errors]}

    def _annotated_by(self, items: Items, annotated: str) -> tuple[bool, set[str], set[str]]:
        """(is the annotation compiled, what it says that belongs to a function around, errors that are found then).

        The table of symbols is made in any case; since 3.10 one of its own where annotations are not compiled.
        """
        dialect = self.dialect
        inner = self if dialect.evaluates_annotations else _Builder(dialect, "annotation", self)
        flags, compiled = inner.flags, inner.compiled
        inner.flags, inner.compiled = set[str](), set[str]()
        inner.run(items)
        found, errors, inner.flags, inner.compiled = inner.flags, inner.compiled, flags, compiled
        if inner is not self:
            self.noted |= inner.needs | inner.noted
            self.later |= inner.later
            self.errors |= inner.errors
            if dialect.version >= (3, 10):
                if found & _DIRECT:
                    self.errors.add("expression cannot be used within an annotation")
                if inner.assigned:
                    self.errors.add("named expression cannot be used within an annotation")
            else:
                self.used |= inner.used
                self.assigned |= inner.assigned
                self.binds |= inner.binds
        if found & {"yield", "yield from"}:
            self.flags.add(_GENERATES)
        if found & {"await", "async comprehension"}:
            self.flags.add(_AWAITS)
        self.flags |= found & {_WALRUS_IN_COMPREHENSION, _CODE_IN_TYPES}
        return dialect.compiles(annotated), found, errors

    def _type_bound(self, item: Any) -> None:
        self._of_types(item[1], "a TypeVar bound", NONE)

    def _alias(self, item: Any) -> None:
        self._of_types(item[2], "a type alias", frozenset(item[1]))

    def _of_types(self, items: Items, where: str, names: Names) -> None:
        """A scope of types; names: its parameters."""
        inner = _Builder(self.dialect, "types", self)
        inner.run(items)
        self.later |= (inner.needs | inner.later) - names
        self.errors |= inner.errors | inner.compiled
        if inner.flags & _OF_TYPES or inner.assigned:
            self.errors.add(f"expression cannot be used within {where}")
        self.flags |= inner.flags & {_CODE_IN_TYPES}

    def _lambda(self, item: Any) -> None:
        _, params, defaults, body = item
        self.run(defaults)
        inner = _Builder(self.dialect, "lambda", self)
        inner.run(body)
        self.later |= (inner.needs | (inner.later - inner.binds)) - set(params)
        self._take_errors(inner)
        self.star_import |= inner.star_import
        if self.kind == "types":
            self.flags.add(_CODE_IN_TYPES)
        for flag in inner.flags:
            if flag in _ASYNC:
                self.compiled.add(_OUTSIDE["await"] if flag == "await" else _OUTSIDE["async comprehension"])

    def _walrus(self, item: Any) -> None:
        name = item[1]
        if self.in_iterable:
            self.errors.add("assignment expression cannot be used in a comprehension iterable expression")
        if self.in_targets:
            self.errors.add(f"comprehension inner loop cannot rebind assignment expression target {name!r}")
        at: _Builder = self
        while at.kind == "comp":
            if name in at.iterating:
                self.errors.add(f"assignment expression cannot rebind comprehension iteration variable {name!r}")
            at.walruses.add(name)
            at.binds.add(name)
            assert at.parent is not None
            at = at.parent
        if at is not self and at.kind == "annotation" and at.parent is not None:
            at = at.parent
        if at is not self and at.kind == "class":
            self.errors.add("assignment expression within a comprehension cannot be used in a class body")
        at.bind(name)
        if at is not self:
            at.flags.add(_WALRUS_IN_COMPREHENSION)

    def _comp(self, item: Any) -> None:
        _, kind, element, gens = item
        inner = _Builder(self.dialect, "comp", self)
        before = frozenset(self.binds)  # a `:=` in it binds here, too
        is_async = False
        for number, (has_async, targets, iterable, conditions) in enumerate(gens):
            is_async |= has_async
            at = self if number == 0 else inner
            at.in_iterable += 1
            at.run(iterable)
            at.in_iterable -= 1
            assigned = set(inner.assigned)
            inner.in_targets = True
            inner.run(targets)
            inner.in_targets = False
            for name in inner.assigned - assigned | (inner.binds & inner.walruses & _bound_by(targets)):
                if name in inner.walruses:
                    inner.errors.add(f"comprehension inner loop cannot rebind assignment expression target {name!r}")
            inner.iterating |= _bound_by(targets)
            inner.run(conditions)
        inner.run(element)
        for name in inner.needs - before:
            self._need(name)
        self.later |= inner.later - inner.iterating
        self._take_errors(inner)
        self.star_import |= inner.star_import
        awaits = "await" in inner.flags
        nested = "async comprehension" in inner.flags
        generator = kind in ("(", "call")
        if is_async or awaits or nested:
            self._async_comprehension(generator, is_async=is_async, awaits=awaits, nested=nested)
        self.flags |= inner.flags & {_WALRUS_IN_COMPREHENSION}
        if self.kind == "types":
            self.flags.add(_CODE_IN_TYPES)

    def _async_comprehension(self, generator: bool, *, is_async: bool, awaits: bool, nested: bool) -> None:
        if nested and self.dialect.version < (3, 11):
            if not is_async and not awaits:
                self.compiled.add(_OUTSIDE["async comprehension"])
                return
            nested = False
        if not generator:
            self.flags.add("async comprehension")

    METHODS: ClassVar[dict[str, Any]] = {
        "all": _all,
        "use": _use,
        "noted": _noted,
        "bind": _bind,
        "imported": _imported,
        "annotated": _annotated,
        "annotated value": _annotated,
        "annotated name": _annotated_name,
        "del": _del,
        "global": _declare,
        "nonlocal": _declare,
        "flag": _flag,
        "error": _error,
        "starred": _starred,
        "fact": _nothing,
        "import *": _import_star,
        "future": _future,
        "annotation": _annotation,
        "variable annotation": _variable_annotation,
        "spread subscript": _spread_subscript,
        "type bound": _type_bound,
        "alias": _alias,
        "lambda": _lambda,
        "walrus": _walrus,
        "comp": _comp,
    }
    """By the name of the operation."""


def _bound_by(items: Items) -> set[str]:
    found: set[str] = set()
    for item in linked(items):
        if item[0] == "bind":
            found.add(item[1])
        elif item[0] == "all":
            found |= _bound_by(item[1])
    return found


_RUN = _Builder.METHODS


def simple_content(line: Line, dialect: Dialect) -> Content:
    """The content of a line without a header."""
    builder = _Builder(dialect)
    builder.run(line.items)
    kinds = line.kinds.replace("r", "f" if _is_future(".__future__", dialect) else ".")
    rest = kinds.removeprefix("s").lstrip("f")
    return builder.content(
        only_future=bool(kinds) and not rest,
        has_string=kinds[:1] == "s",
        late_future="f" in rest,
        facts=_facts(line.items),
    )


def _is_future(module: str, dialect: Dialect) -> bool:
    """Is it `__future__`? Before 3.13 the compiler does not look at the dots before it."""
    return (module.lstrip(".") if dialect.version < (3, 13) else module) == "__future__"


def _facts(items: Items) -> Facts | None:
    return None if items is None else Lines(items)


def inline_content(line: Line, dialect: Dialect) -> Content:
    """The content of a line with a header and statements behind it."""
    assert line.header is not None
    builder = _Builder(dialect, "class" if line.header.kind == "class" else "block")
    builder.run(line.items)
    return close_block(line.header, builder.content(facts=_facts(line.items)), dialect)


def content_of(line: Line, dialect: Dialect) -> Content:
    """The content of a whole line."""
    if line.content is not None:
        return line.content
    try:
        return simple_content(line, dialect) if line.header is None else inline_content(line, dialect)
    except (
        RecursionError,
        KeyError,
        IndexError,
        TypeError,
        ValueError,
    ):  # hundreds of lambdas in each other; no Python
        return _UNKNOWN


def close_block(header: Header, body: Content, dialect: Dialect) -> Content:
    """What a compound statement, or a clause of one, is for the scope it stands in."""
    kind = header.kind
    if kind == "def":
        return _function(header, body, dialect)
    if kind == "class":
        return _class(header, body, dialect)
    builder = _Builder(dialect)
    builder.run(header.items)
    clause = _clause(header, body)
    if kind == "except" and header.name is not None:
        builder.bind(header.name)
    head = builder.content(clause if kind in _CLAUSES else None, clause)
    flags, errors, needs, lost, dels, depth = body.flags, body.errors, body.needs, body.lost, body.dels, body.depth
    if kind in _LOOPS:
        flags = minus(flags, _LEAVES_LOOP)
    if kind in _CONDITIONAL:
        dels = lost = NONE
    if header.star and flags & {"break", "continue", "return"}:
        errors |= {"'break', 'continue' and 'return' cannot appear in an 'except*' block"}
    if kind in _BLOCKS:
        depth += header.managers
    elif kind == "except":
        depth += 1 if dialect.version < (3, 9) else 2
    inside = body._replace(
        flags=flags, errors=errors, needs=needs, lost=lost, dels=dels, depth=depth, first=None, last=None, only_future=False,
        late_future=body.has_future, size=max(1, body.size),
    )  # fmt: skip
    clause = replace(clause, depth=depth)
    whole = joined(head, inside)
    gone = frozenset((header.name,)) if kind == "except" and header.name is not None else NONE
    return whole._replace(
        binds=minus(whole.binds, gone),
        later=minus(whole.later, gone),
        noted=minus(whole.noted, gone),
        first=None if head.first is None else clause,
        last=clause,
        late_future=whole.late_future or whole.has_future,
        facts=None if header.items is None and body.facts is None else Block(header, body.facts),
        unread=within(whole.unread, gone),
    )


def _clause(header: Header, body: Content) -> Clause:
    if header.kind == "try":
        return Clause("try", guarded=body.needs)
    if header.kind == "except":
        return Clause("except", header.bare, header.catches_names, catches_attributes=header.catches_attributes)
    if header.kind == "case":
        pattern = header.pattern
        return Clause("case", pattern is not None and pattern.irrefutable is not None and not header.guard)
    return Clause(header.kind)


def _misplaced(flags: Collection[str]) -> Names:
    """The errors of statements and annotations that belong to a function or a loop around, where there is none."""
    errors = {_OUTSIDE[flag] for flag in flags if flag in _OUTSIDE}
    return frozenset(errors.union(flag.removeprefix(_IN_SCOPE) for flag in flags if flag.startswith(_IN_SCOPE)))


def _scope_errors(body: Content, parameters: Names, dialect: Dialect, *, is_async: bool = False) -> Names:
    errors = body.errors
    for word, declared in (("global", body.globals), ("nonlocal", body.nonlocals)):
        for name in declared & parameters:
            errors |= {f"name {name!r} is parameter and {word}"}
    for name in body.globals & body.nonlocals:
        errors |= {f"name {name!r} is nonlocal and global"}
    for flag in ("break", "continue"):
        if flag in body.flags:
            errors |= {_OUTSIDE[flag]}
    if _ANNOTATED in body.flags:
        errors |= {_ANNOTATED}
    suspends = (is_async or not body.flags.isdisjoint(_SUSPENDS)) and dialect.version >= (3, 13)
    if body.depth + suspends > dialect.max_blocks:
        errors |= {"too many statically nested blocks"}
    if body.has_future:
        errors |= {"from __future__ imports must occur at the beginning of the file"}
    if body.star_import:
        errors |= {"import * only allowed at module level"}
    return errors


def _head(header: Header, dialect: Dialect) -> tuple[_Builder, Names, Names]:
    """(what the header does in the scope around it, errors and names read where type parameters are seen)"""
    builder = _Builder(dialect)
    builder.run(header.items)
    if not header.type_params:
        return builder, NONE, NONE
    scoped = _Builder(dialect, "types", builder)
    scoped.run(header.scoped)
    errors = scoped.errors | scoped.compiled
    if scoped.flags & _OF_TYPES or scoped.assigned:
        errors = errors | {"expression cannot be used within the definition of a generic"}
    builder.flags |= scoped.flags & {_CODE_IN_TYPES}
    types = frozen(header.type_params)
    builder.needs |= scoped.needs - types
    builder.later |= scoped.later - types
    builder.noted |= scoped.noted - types
    return builder, frozen(errors), types


def _function(header: Header, body: Content, dialect: Dialect) -> Content:
    builder, more_errors, types = _head(header, dialect)
    parameters = frozenset(header.params)
    errors = _scope_errors(body, parameters, dialect, is_async=header.is_async) | more_errors
    flags = body.flags
    if not header.is_async:
        errors |= {_OUTSIDE[flag] for flag in _ASYNC if flag in flags}
    else:
        if "yield from" in flags:
            errors |= {"'yield from' inside async function"}
    awaits = header.is_async or _AWAITS in flags
    if awaits and "return value" in flags and flags & {"yield", "yield from", _GENERATES}:
        errors |= {"'return' with value in async generator"}
    local = (parameters | body.assigned | body.imported | body.annotated) - body.globals - body.nonlocals
    free = _without(body.free_nonlocals, local)
    for name in free - _without(free, body.globals):
        errors |= {f"no binding for nonlocal {name.removesuffix(_HIDDEN)!r} found"}
    free = _without(free, body.globals) | body.nonlocals
    for name in free & types:
        errors |= {f"nonlocal binding not allowed for type parameter {name!r}"}
    given = parameters | types | body.globals | body.nonlocals
    bound = minus(given, body.dels) | body.binds
    builder.later |= (body.needs - given) | body.lost | ((body.later | body.noted) - bound)
    builder.errors |= errors
    if header.name is not None:
        builder.bind(header.name)
    return builder.content()._replace(
        free_nonlocals=_without(free, types),
        spread=union(body.spread, body.globals),
        size=body.size + 1,
        facts=Block(header, body.facts),
        unread=within(body.unread, bound),
    )


def _class(header: Header, body: Content, dialect: Dialect) -> Content:
    builder, more_errors, types = _head(header, dialect)
    errors = _scope_errors(body, NONE, dialect) | more_errors
    errors |= _misplaced(body.flags)
    if dialect.version == (3, 12) and _CODE_IN_TYPES in body.flags:
        errors |= {"cannot use a lambda or comprehension in annotation scope within class scope"}
    if _WALRUS_IN_COMPREHENSION in body.flags:
        errors |= {"assignment expression within a comprehension cannot be used in a class body"}
    free = body.nonlocals
    if body.free_nonlocals:
        local = (body.assigned | body.imported | body.annotated) - body.globals - body.nonlocals
        inner = body.free_nonlocals - _given_by_class(dialect)
        free |= {name + _HIDDEN if name in local else name for name in inner}
    errors |= {f"nonlocal binding not allowed for type parameter {name!r}" for name in free & types}
    given = types | OF_CLASSES | body.globals | body.nonlocals
    builder.needs |= (body.needs - given | body.lost) - builder.binds
    builder.later |= (body.later | (body.noted - body.binds)) - given
    builder.errors |= errors
    if header.name is not None:
        builder.bind(header.name)
    return builder.content()._replace(
        free_nonlocals=_without(free, types),
        spread=union(body.spread, body.globals),
        size=body.size + 1,
        facts=Block(header, body.facts),
        unread=within(body.unread, given),
    )


def _without(free: Names, names: Names) -> Names:
    """What is declared nonlocal without names that are bound."""
    return frozen(free - names - {name + _HIDDEN for name in names}) if free and names else free or NONE


def _given_by_class(dialect: Dialect) -> Names:
    """What a function in a class may declare nonlocal though nothing binds it."""
    return frozenset(("__class__",) if dialect.version < (3, 12) else ("__class__", "__classdict__"))


def module_errors(body: Content, dialect: Dialect) -> Names:
    """What the compiler refuses in a whole file."""
    errors = body.errors | _misplaced(body.flags)
    errors |= {f"no binding for nonlocal {name.removesuffix(_HIDDEN)!r} found" for name in body.free_nonlocals}
    if body.nonlocals:
        errors |= {"nonlocal declaration not allowed at module level"}
    if body.late_future:
        errors |= {"from __future__ imports must occur at the beginning of the file"}
    if body.depth > dialect.max_blocks:
        errors |= {"too many statically nested blocks"}
    return errors
