"""The reads, bindings and declarations of one statement, as content: one method for each kind of operation."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, ClassVar

from .contents import ANNOTATED, LATE_GLOBAL, Clause, Content, Dialect, Names, too_late
from .facts import Facts
from .import_statements import FEATURES, is_future
from .line_values import is_found
from .messages import (
    DELETES_DEBUG,
    OUTSIDE,
    STARRED,
    WALRUS_IN_CLASS,
    WALRUS_IN_ITERABLE,
    YIELD_IN_COMPREHENSION,
    expression_within,
    loop_rebinds,
    no_feature,
    walrus_rebinds,
)
from .operations import Operations, each
from .sets import NONE, frozen

_IN_SCOPE = "in an annotation: "
"""The prefix of errors in compiled annotations: those of variables are not compiled in functions."""
GENERATES, AWAITS = "yields in an annotation", "awaits in an annotation"
"""Flags that turn a function into a generator or a coroutine, even without being compiled."""
_DIRECT = frozenset(("yield", "yield from", "await"))
OF_TYPES = _DIRECT | {"async comprehension"}
"""Flags forbidden in the scopes of types."""
WALRUS_IN_COMPREHENSION = "walrus in comprehension"
CODE_IN_TYPES = "lambda or comprehension in the scope of a type"
ASYNC = ("await", "async for", "async with", "async comprehension")


class Builder:
    """The content of one scope's part under construction; parent: the builder of the scope around a comprehension or a lambda."""

    def __init__(self, dialect: Dialect, kind: str = "block", parent: Builder | None = None) -> None:
        self.dialect = dialect
        self.kind = kind
        self.parent = parent
        self.binds: set[str] = set()
        self.dels: set[str] = set()
        self.needs: set[str] = set()
        self.lost: set[str] = set()
        self.unbound: set[str] = set()
        self.inner: set[str] = set()  # see Content
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
        self.compiled: set[str] = set()  # errors of compiled parts
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
            lost=f(self.lost), walruses=f(self.walruses), unbound=f(self.unbound), inner=f(self.inner),
        )  # fmt: skip

    def run(self, items: Operations) -> None:
        for item in each(items):
            _RUN[item[0]](self, item)

    def _use(self, item: Any) -> None:
        self.read(item[1])

    def read(self, name: str) -> None:
        self.used.add(name)
        if name not in self.binds:
            self.need(name)

    def _touch(self, item: Any) -> None:
        self.used.add(item[1])

    def _read_deleted(self, item: Any) -> None:
        self.used.add(item[1])
        self.needs.add(item[1])
        self.lost.add(item[1])

    def need(self, name: str) -> None:
        """Note the read of a name that is not bound here before."""
        if self.star_import:
            return
        if self.dialect.kind == "stub" and self.kind in ("block", "class"):
            self.noted.add(name)
            return
        self.needs.add(name)
        if name in self.dels:
            self.lost.add(name)

    def bind(self, name: str, made: set[str] | None = None) -> None:
        """Bind a name; made: the set for this way of binding, else `assigned`."""
        self.binds.add(name)
        self.dels.discard(name)
        (self.assigned if made is None else made).add(name)

    def _bind(self, item: Any) -> None:
        self.bind(item[1])

    def _imported(self, item: Any) -> None:
        self.bind(item[1], self.imported)

    def _annotated(self, item: Any) -> None:
        kind, name = item
        if name in self.globals or name in self.nonlocals:
            self.flags.add(ANNOTATED)
        self.annotated.add(name)
        if kind == "annotated value":
            self.bind(name)
        elif self.dialect.kind == "stub":  # a stub has no values
            self.binds.add(name)

    def _del(self, item: Any) -> None:
        name = item[1]
        if name == "__debug__" and self.dialect.version >= (3, 10):
            self.errors.add(DELETES_DEBUG)
        if name not in self.binds:
            self.need(name)
            self.unbound.add(name)
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
            if word == "global" and name in self.walruses:
                self.flags.add(LATE_GLOBAL)
            mine.add(name)

    def _flag(self, item: Any) -> None:
        flag = item[1]
        if self.kind not in ("comp", "lambda") or flag not in ("yield", "yield from"):
            self.flags.add(flag)
        elif self.kind == "comp":
            self.errors.add(YIELD_IN_COMPREHENSION)

    def _error(self, item: Any) -> None:
        _, message, when = item
        version = self.dialect.version
        if is_found(when, version, compiled=False):
            self.errors.add(message)
        elif is_found(when, version, compiled=True):
            self.compiled.add(message)

    def _take_errors(self, inner: Builder) -> None:
        self.errors |= inner.errors
        self.compiled |= inner.compiled

    def _spread_subscript(self, item: Any) -> None:
        if self.dialect.version >= (3, 9):
            self.errors.add(STARRED)

    def _noted(self, item: Any) -> None:
        self.noted.add(item[1])

    def _nothing(self, item: Any) -> None:
        """Take a fact, or a name in parentheses annotated without a value, which binds nothing."""

    def _import_star(self, item: Any) -> None:
        self.star_import = True
        if is_future(item[1], self.dialect.version):
            self.errors.add(no_feature("*"))

    def _future(self, item: Any) -> None:
        if item[2] and not is_future(".__future__", self.dialect.version):
            return
        self.has_future = True
        for feature in item[1]:
            if feature == "braces":
                self.errors.add("not a chance")
            elif feature not in FEATURES:
                self.errors.add(no_feature(feature))

    def _annotation(self, item: Any) -> None:
        compiled, content, errors = self._annotated_by(item[1], "parameter")
        if compiled:
            self.flags |= content
            self.compiled |= errors

    def _variable_annotation(self, item: Any) -> None:
        _, items, simple = item
        compiled, content, errors = self._annotated_by(items, "name" if simple else "target")
        if compiled:
            self.flags |= {_IN_SCOPE + error for error in [*misplaced(content), *errors]}

    def _annotated_by(self, items: Operations, annotated: str) -> tuple[bool, set[str], set[str]]:
        """(whether the annotation is compiled, its content for a function around, its errors).

        The compiler always builds the symbol table; since 3.10 annotations get a table of their own if they are not compiled.
        """
        dialect = self.dialect
        inner = self if dialect.evaluates_annotations else Builder(dialect, "annotation", self)
        flags, compiled = inner.flags, inner.compiled
        inner.flags, inner.compiled = set[str](), set[str]()
        inner.run(items)
        content, errors, inner.flags, inner.compiled = inner.flags, inner.compiled, flags, compiled
        if inner is not self:
            self.noted |= inner.needs | inner.noted
            self.later |= inner.later
            self.errors |= inner.errors
            if dialect.version >= (3, 10):
                if content & _DIRECT:
                    self.errors.add(expression_within("an annotation"))
                if inner.assigned:
                    self.errors.add("named expression cannot be used within an annotation")
            if dialect.version >= (3, 14) and "async comprehension" in content:
                self.errors.add(OUTSIDE["async comprehension"])
            else:
                self.used |= inner.used
                self.assigned |= inner.assigned
                self.binds |= inner.binds
        if content & {"yield", "yield from"}:
            self.flags.add(GENERATES)
        if content & {"await", "async comprehension"}:
            self.flags.add(AWAITS)
        self.flags |= content & {WALRUS_IN_COMPREHENSION, CODE_IN_TYPES}
        return dialect.compiles(annotated), content, errors

    def _type_bound(self, item: Any) -> None:
        self._of_types(item[1], "a TypeVar bound", NONE)

    def _alias(self, item: Any) -> None:
        self._of_types(item[2], "a type alias", frozenset(item[1]))

    def _of_types(self, items: Operations, where: str, names: Names) -> None:
        """Take a scope of types; names: its parameters."""
        inner = Builder(self.dialect, "types", self)
        inner.run(items)
        self.noted |= (inner.needs | inner.noted) - names
        self.later |= inner.later - names
        self.errors |= inner.errors | inner.compiled
        if inner.flags & OF_TYPES or inner.assigned:
            self.errors.add(expression_within(where))
        self.flags |= inner.flags & {CODE_IN_TYPES}

    def _lambda(self, item: Any) -> None:
        _, params, defaults, body = item
        self.run(defaults)
        inner = Builder(self.dialect, "lambda", self)
        inner.run(body)
        self.later |= (inner.needs | (inner.later - inner.binds)) - set(params)
        self._take_errors(inner)
        self.star_import |= inner.star_import
        if self.kind == "types":
            self.flags.add(CODE_IN_TYPES)
        misplaced_here = self.compiled if self.dialect.version < (3, 14) else self.errors
        for flag in inner.flags:
            if flag in ASYNC:
                misplaced_here.add(OUTSIDE["await"] if flag == "await" else OUTSIDE["async comprehension"])

    def _walrus(self, item: Any) -> None:
        name = item[1]
        if self.in_iterable:
            self.errors.add(WALRUS_IN_ITERABLE)
        if self.in_targets:
            self.errors.add(loop_rebinds(name))
        builder: Builder = self
        while builder.kind == "comp":
            if name in builder.iterating:
                self.errors.add(walrus_rebinds(name))
            builder.walruses.add(name)
            builder.binds.add(name)
            assert builder.parent is not None
            builder = builder.parent
        if builder is not self and builder.kind == "annotation" and builder.parent is not None:
            builder = builder.parent
        if builder is not self and builder.kind == "class":
            self.errors.add(WALRUS_IN_CLASS)
        made_local = builder is self or builder.kind != "block"
        builder.bind(name, builder.assigned if made_local else builder.walruses)
        if builder is not self:
            builder.flags.add(WALRUS_IN_COMPREHENSION)

    def _comp(self, item: Any) -> None:
        _, kind, element, gens = item
        inner = Builder(self.dialect, "comp", self)
        before = frozenset(self.binds)  # a `:=` in the comprehension binds here, too
        is_async = False
        for number, (has_async, targets, iterable, conditions, _) in enumerate(gens):
            is_async |= has_async
            evaluated_in = self if number == 0 else inner
            evaluated_in.in_iterable += 1
            evaluated_in.run(iterable)
            evaluated_in.in_iterable -= 1
            assigned = set(inner.assigned)
            inner.in_targets = True
            inner.run(targets)
            inner.in_targets = False
            for name in inner.assigned - assigned | (inner.binds & inner.walruses & _bound_by(targets)):
                if name in inner.walruses:
                    inner.errors.add(loop_rebinds(name))
            inner.iterating |= _bound_by(targets)
            inner.run(conditions)
        inner.run(element)
        for name in inner.needs - before:
            self.need(name)
        if self.dialect.kind != "stub":
            self.inner |= inner.needs
        self.later |= inner.later - inner.iterating
        self._take_errors(inner)
        self.star_import |= inner.star_import
        awaits = "await" in inner.flags
        nested = "async comprehension" in inner.flags
        generator = kind in ("(", "call")
        if is_async or awaits or nested:
            self._async_comprehension(generator, is_async=is_async, awaits=awaits, nested=nested)
        self.flags |= inner.flags & {WALRUS_IN_COMPREHENSION}
        if self.kind == "types":
            self.flags.add(CODE_IN_TYPES)

    def _async_comprehension(self, generator: bool, *, is_async: bool, awaits: bool, nested: bool) -> None:
        if nested and self.dialect.version < (3, 11):
            if not is_async and not awaits:
                self.compiled.add(OUTSIDE["async comprehension"])
                return
            nested = False
        if not generator:
            self.flags.add("async comprehension")

    METHODS: ClassVar[dict[str, Any]] = {
        "use": _use,
        "touch": _touch,
        "lost": _read_deleted,
        "noted": _noted,
        "bind": _bind,
        "imported": _imported,
        "annotated": _annotated,
        "annotated value": _annotated,
        "annotated name": _nothing,
        "del": _del,
        "global": _declare,
        "nonlocal": _declare,
        "flag": _flag,
        "error": _error,
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


def _bound_by(items: Operations) -> set[str]:
    return {item[1] for item in each(items) if item[0] == "bind"}


_RUN = Builder.METHODS


def misplaced(flags: Collection[str]) -> Names:
    """The errors of statements and annotations that need a function or a loop around them and have none."""
    errors = {OUTSIDE[flag] for flag in flags if flag in OUTSIDE}
    return frozenset(errors.union(flag.removeprefix(_IN_SCOPE) for flag in flags if flag.startswith(_IN_SCOPE)))
