"""The facts of a part of a block, as a value: its bindings, reads and errors. Contents are joined like words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import Literal, NamedTuple

from .facts import NOTHING, Facts, Gathered, Joined
from .sets import NONE, minus, union

Names = frozenset[str]
ANNOTATED = "annotated name can't be global"  # in a function or a class
IN_FUNCTION, IN_CLASS, IN_TRY = (
    f"lazy import not allowed inside {where}" for where in ("functions", "classes", "try/except blocks")
)
LATE_GLOBAL = "name is assigned to before global declaration"  # the same, by a `:=` in a comprehension

Kind = Literal["file", "stub", "notebook"]
"""Stubs are never run, so a binding further down may serve their reads. Notebooks may await at their top level."""
_KINDS: dict[str, Kind] = {".pyi": "stub", ".ipynb": "notebook"}


def kind_of(path: str | PathLike[str] | None) -> Kind:
    """The kind of a document, by its file's name."""
    name = "" if path is None else fspath(path)
    return _KINDS.get(name[name.rfind(".") :], "file")


@dataclass(frozen=True, slots=True)
class Dialect:
    """Differences between versions and between files."""

    version: tuple[int, int]
    late_annotations: bool = False  # `from __future__ import annotations`
    kind: Kind = "file"

    @property
    def max_blocks(self) -> int:
        """The greatest number of nested blocks in a function (CO_MAXBLOCKS)."""
        return 20 if self.version < (3, 13) else 21

    def compiles(self, annotated: str) -> bool:
        """Whether the annotations of a "parameter", a "name" or another "target" are compiled. In functions, those of variables never are."""
        if annotated == "target" and not (3, 10) <= self.version < (3, 14):
            return self.version < (3, 10)
        return not self.late_annotations

    @property
    def evaluates_annotations(self) -> bool:
        """Whether annotations are evaluated in place."""
        return not self.late_annotations and self.version < (3, 14)


@dataclass(frozen=True, slots=True)
class Clause:
    """The line at one end of a content that belongs to a compound statement."""

    kind: str
    last: bool = False  # nothing may follow in its statement: a bare except, a case that takes anything
    catches_names: bool = False
    guarded: Names = NONE  # needed in the `try`
    catches_attributes: bool = False
    depth: int = 0  # nested blocks of its statement, as far as the content holds them
    alone: bool = True  # the content has only clauses of its statement
    has_finally: bool = False  # one follows
    is_lazy: bool = False  # a lazy import stands in it


class Unread:
    """Unread functions, as a tree; size: more than that of any tree in it."""

    __slots__ = ("size",)

    size: int


class Both(Unread):
    """The trees of two runs of statements."""

    __slots__ = ("after", "before")

    def __init__(self, before: Unread, after: Unread) -> None:
        self.size = before.size + after.size
        self.before, self.after = before, after


class Within(Unread):
    """The tree in a scope with its own names."""

    __slots__ = ("bound", "inner")

    def __init__(self, inner: Unread, bound: Names) -> None:
        self.size = inner.size + 1
        self.inner, self.bound = inner, bound


def both(a: Unread | None, b: Unread | None) -> Unread | None:
    """The tree of two runs of statements, each of which may have none."""
    return b if a is None else a if b is None else Both(a, b)


def within(inner: Unread | None, bound: Names) -> Unread | None:
    """The tree in a scope with its own names."""
    return inner if inner is None or not bound else Within(inner, bound)


class Content(NamedTuple):
    """The meaning of statements for their scope."""

    binds: Names = NONE  # bound at the end
    dels: Names = NONE  # not bound at the end, whatever came before
    needs: Names = NONE  # read at once, without a binding here before
    later: Names = NONE  # read by functions, which run later
    used: Names = NONE  # read in the scope itself
    assigned: Names = NONE  # made local by a binding
    annotated: Names = NONE
    imported: Names = NONE
    globals: Names = NONE
    nonlocals: Names = NONE
    free_nonlocals: Names = NONE  # declared nonlocal in a nested scope
    spread: Names = NONE  # declared global in a nested scope
    flags: Names = NONE  # statements that need a loop or function around them
    errors: Names = NONE
    first: Clause | None = None
    last: Clause | None = None
    only_future: bool = True  # only a string and future imports
    has_string: bool = False  # and the content begins with the string
    has_future: bool = False
    late_future: bool = False
    star_import: bool = False
    depth: int = 0  # nested blocks
    size: int = 0  # lines
    noted: Names = NONE  # read by annotations that are not evaluated: after everything the scope binds
    facts: Facts | None = None  # the values of the names
    unread: Unread | None = None  # functions whose bodies do not count in `later` and `errors`
    lost: Names = NONE  # read at once after a `del`: no earlier binding counts
    walruses: Names = NONE  # bound by `:=` in comprehensions: local in functions, and at most global in a module
    inner: Names = NONE  # those of `needs` read by an inner class or comprehension: not bound by a class around
    unbound: Names = NONE  # deleted without a binding here before
    gone: Names = NONE  # the same in a function or a class within; no binding around helps

    def gathered(self) -> Gathered:
        """The gathered facts."""
        return NOTHING if self.facts is None else self.facts.gathered()

    @property
    def local(self) -> Names:
        """The names made local in a function."""
        return self.assigned | self.imported | self.annotated | self.walruses

    @property
    def has_effects(self) -> bool:
        """Whether a simple line does more than read and bind names at once, so that the rest of the file matters."""
        return bool(
            self.errors
            or self.dels
            or self.later
            or self.noted
            or self.annotated
            or self.globals
            or self.nonlocals
            or self.star_import
            or self.has_future
        )


EMPTY = Content()


UNKNOWN = Content(only_future=False, size=1, star_import=True)
"""The content of an unknown line: it may bind any name."""


def joined(a: Content, b: Content) -> Content:
    """The content of two runs of statements, one after the other."""
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
        flags |= {ANNOTATED}
    if b.globals & a.walruses:
        flags |= {LATE_GLOBAL}
    needs, lost, inner, first, last, depth, wrong = _met(a, b)
    errors = union(errors, wrong)
    read = NONE if a.star_import else b.needs  # names read behind `import *` may come from it
    return Content(
        union(minus(a.binds, b.dels), b.binds),
        union(minus(a.dels, b.binds), b.dels),
        union(needs, minus(read, a.binds)),
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
        lost if a.star_import else union(union(lost, b.lost), read & a.dels if a.dels else NONE),
        union(a.walruses, b.walruses),
        union(inner, b.inner),
        union(a.unbound, minus(b.unbound, a.binds)),
        union(a.gone, b.gone),
    )


def _met(a: Content, b: Content) -> tuple[Names, Names, Names, Clause | None, Clause | None, int, Names]:
    """The (needs, lost, inner, first, last, depth) where two contents meet, and the errors of their clauses there."""
    wrong: Names = NONE
    needs, lost, inner, first, last, depth = a.needs, a.lost, a.inner, a.first, b.last, max(a.depth, b.depth)
    if a.last is not None and b.first is not None:
        if b.first.kind == a.last.kind and a.last.last:
            wrong = frozenset(
                (
                    "default 'except:' must be last"
                    if a.last.kind == "except"
                    else "makes remaining patterns unreachable",
                )
            )
        if b.first.kind == "else" and b.first.is_lazy and a.last.kind == "except":
            wrong |= {IN_TRY}
        has_finally = b.first.kind == "finally" or b.first.has_finally
        is_caught = a.last.kind == "try" and b.first.kind == "except"
        depth = max(depth, a.last.depth + is_caught + has_finally)
        if b.first.kind == "except" and b.first.catches_names:
            guarded = a.last.guarded
            needs, lost, inner = minus(needs, guarded), minus(lost, guarded), minus(inner, guarded)
        if b.first.alone and last is not None:
            guarded = a.last.guarded if b.first.kind == "except" else last.guarded
            last = replace(last, guarded=guarded, depth=max(a.last.depth + is_caught, last.depth))
        if first is not None and first.alone:
            first = replace(first, alone=b.first.alone, has_finally=first.has_finally or has_finally)
    elif first is not None and first.alone:
        first = replace(first, alone=False)
    return needs, lost, inner, first, last, depth, wrong


def too_late(name: str, word: str, before: Content) -> str | None:
    """The error of declaring a name behind statements that use it; None: no error. LATE_GLOBAL is found elsewhere."""
    if name in before.annotated:
        return f"annotated name {name!r} can't be {word}"
    if name in before.assigned or (word == "nonlocal" and name in before.walruses):
        return f"name {name!r} is assigned to before {word} declaration"
    if name in before.used:
        return f"name {name!r} is used prior to {word} declaration"
    return None
