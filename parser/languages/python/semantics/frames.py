"""The open constructs in a logical line of Python, a class for each kind; see automaton.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple, Self

from ....scoping.verdicts import Refused
from ....type_server import Allowed
from .line_values import Argument, Items, Parameter, Path
from .patterns import Pattern
from .targets import Elements, Operand, target_names
from .type_paths import TAKES_TYPES, either

Unpacked = tuple[Elements, bool]
"""Targets, and whether there is a comma among them."""
Clauses = tuple[tuple[bool, Items, Items, Items], Any] | None
"""The `for`s of a comprehension, linked: whether it is async, its targets, iterable and conditions."""
Tokens = tuple[str, Any] | None
"""Linked tokens, the last first."""


@dataclass(slots=True, eq=False)
class Frame:
    """An open construct, with the expression in progress; its fields hold values, so copying is cheap."""

    parent: Frame | None = None
    phase: str = ""
    assignable: bool = False
    """whether the elements may be targets"""
    items: Items = None
    elements: Elements = ()
    """held back as possible targets"""
    last: Operand = None
    """the operand before the current token"""
    path: Path | None = None
    """the operand's path, if it has one"""
    mixed: bool = False
    """whether the operand is only a part of the expression"""
    alternatives: tuple[Path | None, ...] = ()
    """of an annotation: the types before the last `|`"""
    attr: bool = False
    """whether an attribute's name comes next"""
    begin: Items = None
    """operations before the expression in progress"""
    conditional: Items = None
    """the operations on the left of an `if`, until its condition is whole"""
    star: bool = False
    """whether the element has a star"""
    spread: bool = False
    """whether an element has a star, or is a tuple with a star"""
    comma: bool = False
    names: frozenset[str] = frozenset()
    """bound within this expression"""
    types: tuple[tuple[str, Path], ...] = ()
    """the types of a comprehension's variables, in names from outside"""
    open: frozenset[str] = frozenset()
    """names read but visible nowhere, which may still be bound"""
    owed: tuple[tuple[str, Refused], ...] = ()
    """attributes that do not exist unless a `for` binds their owner; each with the owner's name"""
    walrus: tuple[str, ...] = ()
    """targets of `:=`, until its value is whole"""
    yielded: bool = False
    """whether the last keyword was `yield`"""
    allowed: Allowed | None = None
    """the names a type checker allows next"""

    def copy(self) -> Self:
        """A copy with the same parent; leaving the frame copies the parent."""
        return self.__class__(*_fields_of(self.__class__)(self))

    def outward(self) -> Iterator[Frame]:
        """The frame and those around it, innermost first."""
        frame: Frame | None = self
        while frame is not None:
            yield frame
            frame = frame.parent

    @property
    def call(self) -> Bracket | None:
        """This frame if it holds the arguments of a call; else None."""
        return self if isinstance(self, Bracket) and self.form == "call" else None

    @property
    def is_body(self) -> bool:
        """Whether this is the body of a lambda, which runs later."""
        return self.phase == "body"

    @property
    def is_annotation(self) -> bool:
        """Whether this reads an annotation."""
        return self.phase == "annotation" or self.phase == "returns"

    @property
    def in_type(self) -> bool:
        """Whether this is an annotation, or the subscript of a type in one."""
        frame: Frame | None = self
        while isinstance(frame, Bracket) and frame.form == "index":
            frame = frame.parent
        return frame is not None and frame.is_annotation

    @property
    def in_annotation(self) -> bool:
        """Whether a string here is an annotation. Within one, only subscripts of well-known types hold others: in `Float[Tensor, "n"]` it is
        not."""
        for frame in self.outward():
            if frame.is_annotation:
                return True
            if not isinstance(frame, Bracket) or frame.form != "index" or frame.called is None:
                return False
            if frame.called[-1] not in TAKES_TYPES and (frame.called[-1] != "Annotated" or frame.comma):
                return False
        return False

    def whole(self) -> Path | None:
        """The path of the expression before the current token, if its operand is all of it."""
        if self.mixed or self.star or self.attr or self.last is None:
            return None
        return either((*self.alternatives, self.path)) if self.alternatives else self.path

    def emit(self, item: Any) -> None:
        """Add an operation."""
        self.items = (item, self.items)

    def holds_back(self, name: str) -> bool:
        """Whether a name is among the possible targets before this place."""
        frame: Frame | None = self
        while frame is not None:
            if frame.assignable and frame.elements and name in target_names(frame.elements):
                return True
            frame = frame.parent
        return False


@cache
def _fields_of(kind: type[Frame]) -> Callable[[Frame], tuple[Any, ...]]:
    return attrgetter(*(field.name for field in fields(kind)))


class Start(Frame):
    """The beginning of a statement; phase: async behind that word."""

    __slots__ = ()


class Binding(NamedTuple):
    """A name bound at the end of a statement; kind: the operation's. value: see ("fact", "made") in facts.py."""

    kind: str
    name: str
    value: tuple[str, Path | None] | None


@dataclass(slots=True, eq=False)
class Simple(Frame):
    """An expression or an assignment; a simple statement of a keyword and expressions.

    phase: first, rhs, augmented, value (no targets), annotation, del.
    """

    word: str = ""
    """the keyword, or "@"; "" for none"""
    assigned: tuple[tuple[Elements, bool, Items], ...] = ()
    """the targets before each `=`, with whether there is a comma, and their reads"""
    assigned_path: Path | None = None
    """the path of the last target, if it is an attribute of something"""
    annotates: Operand = None
    """the target of the annotation in progress"""
    is_name: bool = False
    """whether that target is a name without parentheses"""
    before: Items = None
    """operations before that annotation"""
    spread_subscript: bool = False
    """whether its target is a subscript with a star"""
    binding: Binding | None = None


@dataclass(slots=True, eq=False)
class Head(Frame):
    """A header with expressions: if, while, for, with, except, else ...; phase: value, targets, target, name."""

    word: str = ""
    is_async: bool = False
    unpacked: Unpacked | None = None
    """the targets of a `for`"""
    targets: Items = None
    """the targets' operations"""
    bound: frozenset[str] = frozenset()
    """the names bound in the line, with those of the targets"""
    exception: str | None = None
    """the name bound by an `except`"""
    is_group: bool = False
    """whether this is an `except*`"""
    manager: Path | None = None
    """the context manager before an `as`"""
    managers: int = 1
    expects: frozenset[str] = frozenset()
    """words that guard code that may fail"""


@dataclass(slots=True, eq=False)
class Definition(Frame):
    """The header of a function or a class; phase: name, parameter, annotation, default, after, returns."""

    word: str = ""
    is_async: bool = False
    name: str | None = None
    type_params: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    stars: int = 0
    """stars before the next parameter"""
    by_keyword: bool = False
    """whether the next parameter must be given by keyword"""
    defaults: Items = None
    outer: Items = None
    """operations before the annotation or default in progress"""
    arguments: tuple[Argument, ...] = ()
    """the bases and keywords of a class"""


@dataclass(slots=True, eq=False)
class Alias(Frame):
    """`type X[T] = ...`; phase: name, value."""

    name: str = ""
    type_params: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class Types(Frame):
    """Type parameters; phase: "" behind a name, none before one, bound, default."""

    params: tuple[str, ...] = ()
    has_default: bool = False
    follows_default: bool = False


@dataclass(slots=True, eq=False)
class Collected(Frame):
    """An import, `global` or `nonlocal`, read once it is whole."""

    word: str = ""
    tokens: Tokens = None
    is_lazy: bool = False


@dataclass(slots=True, eq=False)
class Soft(Frame):
    """A statement behind a soft keyword; its tokens are collected until they tell whether the word is a keyword."""

    word: str = ""
    tokens: Tokens = None
    depth: int = 0
    """open brackets among the tokens"""


@dataclass(slots=True, eq=False)
class Guard(Frame):
    """The condition of a `case`."""

    pattern: Pattern | None = None


@dataclass(slots=True, eq=False)
class Bracket(Frame):
    """Brackets, or the field of a formatted string.

    phase: elem, as (a target of `with`), and of comprehensions targets, iter, later iter, cond, done.
    """

    form: str = "("
    """the opening bracket; "call", "index" and "field" for those of a call, a subscript and a field"""
    can_comp: bool = False
    """whether a comprehension's `for` may come; behind a star, from Python 3.15 on: see may_generate of LineParser"""
    called: Path | None = None
    """the operand before the brackets of a call or a subscript"""
    arguments: tuple[Argument, ...] = ()
    """the finished arguments"""
    keyword: str | None = None
    """of the next argument, see Argument"""
    keywords: frozenset[str] = frozenset()
    has_colon: bool = False
    """whether this is a dict or a slice"""
    element: Items = None
    """operations of the comprehension's element"""
    is_async: bool = False
    """whether an `async` precedes the next `for`"""
    clauses: Clauses = None
    unpacked: Unpacked | None = None
    """the targets of the last `for`"""

    @property
    def takes_arguments(self) -> bool:
        """Whether the elements are arguments."""
        return self.form == "call" or self.form == "index"


@dataclass(slots=True, eq=False)
class Lambda(Frame):
    """A lambda; phase: name, default, body."""

    params: tuple[str, ...] = ()
    outer: Items = None
    """operations of the defaults"""
    conditions: int = 0
    """conditional expressions in the body that still lack their `else`"""


class FString(Frame):
    """The text of a formatted string."""

    __slots__ = ()


class Spec(Frame):
    """The rest of a formatted string's field, behind its expression."""

    __slots__ = ()
