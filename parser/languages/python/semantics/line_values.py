"""The values that describe a logical line of Python: the line with its header, the operands, the facts about names.

Operations are nested tuples, each with its kind first; content_builder.py reads them. Lists of operations are linked, the last first, so that
copying a parser costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import dropwhile
from typing import Any, NamedTuple, Protocol

from ....type_server import Allowed
from .allowed_names import Members
from .messages import given_twice, no_keyword
from .operations import Operations
from .type_paths import Path

LAZY = "lazy import"
"""A flag: lazy imports are forbidden in functions, classes and `try`."""
SETS_ATTRIBUTES = frozenset(("__setattr__", "__delattr__"))
TELLS_VERSION = frozenset(("version_info", "hexversion", "PY2", "PY3", "six"))
"""The names that code uses to check the version of Python: such code may use another version's form of a module."""


class Context(Protocol):
    """The surroundings of a line, for a parser that refuses early."""

    in_function: bool
    in_async: bool
    in_loop: bool
    nested: bool
    """whether the line is in a function or a class"""
    version: tuple[int, int]

    @property
    def error_of_lazy_import(self) -> str | None:
        """The error of a lazy import here; None: it is allowed."""
        ...

    def compiles(self, annotated: str) -> bool:
        """Whether annotations are compiled here; annotated: see Dialect in contents.py."""
        ...

    open_ended: bool
    """whether the rest may bind a name read here, however unlikely"""

    def is_fixed(self, name: str) -> bool:
        """Whether a `for` in brackets is unlikely to bind a name, because it is a class, a module or a method's own object."""
        ...

    def visible(self, name: str) -> bool:
        """Whether a read here may find a binding of the name."""
        ...

    def has_prefix(self, prefix: str) -> bool:
        """Whether a visible name, or a keyword in an expression, starts with the prefix."""
        ...

    def deferred(self) -> Context:
        """The surroundings of an annotation: unless evaluated in place, it sees all later bindings."""
        ...

    def within(self) -> Context:
        """The surroundings of a comprehension, which does not see the names bound by a class around it."""
        ...

    def later(self) -> Context:
        """The surroundings of a string annotation or a lambda's body, evaluated once everything is bound."""
        ...

    def inside(self, header: Header) -> Context:
        """The surroundings of the statements on the line of a header."""
        ...

    def members(self, path: Path) -> Members | None:
        """The attributes of an expression's value; None: unknown."""
        ...

    def signature(self, path: Path) -> Signature | None:
        """The arguments accepted by an expression's value; None: unknown."""
        ...

    def importable(self, module: str) -> Members | None:
        """The possible names in `from module import`; None: unknown."""
        ...

    def told(self, allowed: Allowed) -> Members | None:
        """The names allowed by a type checker; None: unknown."""
        ...


ALWAYS, ARGUMENTS, COMPILED = "always", "arguments", "compiled"
FORBIDDEN, FORBIDDEN_NOW = "forbidden", "forbidden now"
"""When an error of an expression counts: always; if the expression is compiled, or in 3.8 always; only if it is compiled. A forbidden name
counts like an argument, and always since 3.14; or only since 3.14.
"""


def is_found(when: str, version: tuple[int, int], *, compiled: bool) -> bool:
    """Whether a version reports an error of this kind; compiled: whether it compiles the expression."""
    if when in (FORBIDDEN, FORBIDDEN_NOW) and version >= (3, 14):
        return True
    always = when == ALWAYS or (when in (ARGUMENTS, FORBIDDEN) and version < (3, 9))
    return always or (compiled and when != FORBIDDEN_NOW)


class Pattern(NamedTuple):
    """The pattern of a `case`. irrefutable: the name that matches anything, "_" for the wildcard; None: the pattern may not match."""

    captures: tuple[str, ...]
    reads: tuple[str, ...]
    errors: tuple[str, ...]
    irrefutable: str | None


class Header(NamedTuple):
    """The first part of a compound statement, up to its colon."""

    kind: str
    """def, class, for, while, if, elif, else, try, except, finally, with, match, case"""
    items: Operations = None
    """the reads and bindings in the scope around it"""
    name: str | None = None
    """of a function or class; an exception's name"""
    is_async: bool = False
    params: tuple[str, ...] = ()
    type_params: tuple[str, ...] = ()
    scoped: Operations = None
    """the parts evaluated in the scope of the type parameters"""
    bare: bool = False
    """an `except:`"""
    star: bool = False
    """an `except*`"""
    catches_names: bool = False
    """an except clause that catches a NameError"""
    catches_attributes: bool = False
    """an except clause that catches missing names (an AttributeError, an ImportError ...); a `with` that expects an error"""
    is_second_try: bool = False
    """an except clause whose body replaces a missing name, or a call with other arguments"""
    pattern: Pattern | None = None
    guard: bool = False
    signature: tuple[Parameter, ...] = ()
    arguments: tuple[Argument, ...] = ()
    """of a class: its bases and keywords"""
    returns: Path | None = None
    """the annotation of a function's result"""
    managers: int = 1
    """of a `with`: the number of its managers; those in parentheses count as one"""


class Parameter(NamedTuple):
    """A parameter of a function; kind: "/" (positional only), "" , "=" (keyword only), "*" or "**"."""

    name: str
    kind: str
    annotation: Path | None = None
    default: bool = False
    """whether the parameter has a default"""


class Field(NamedTuple):
    """An annotated name in a scope; is_certain: not within another statement."""

    name: str
    annotation: Path | None
    has_value: bool
    value: Path | None
    is_certain: bool = True


class Argument(NamedTuple):
    """An argument of a call; keyword: None for a positional one, "*" or "**" behind stars; path: None for any other expression, and behind a
    star."""

    keyword: str | None
    path: Path | None


class Signature(NamedTuple):
    """The parameters of something, and a description of it; given: the number of parameters already bound, such as a method's own object.

    home: the place that resolves its annotations, see homes.py; None: unknown.
    """

    owner: str
    parameters: tuple[Parameter, ...]
    given: int = 0
    home: Any = None

    def keywords(self) -> Members | None:
        """The parameters allowed as keywords; None: any."""
        if any(parameter.kind == "**" for parameter in self.parameters):
            return None
        own = self._by_position()[: self.given]
        names = (parameter.name for parameter in self._by_keyword() if parameter not in own)
        return Members(self.owner, frozenset(names))

    def takes_more(self, arguments: tuple[Argument, ...]) -> bool:
        """Whether another positional argument may follow some arguments."""
        return self.is_variadic() or self._given(arguments) < len(self._by_position())

    def parameter(self, before: tuple[Argument, ...], keyword: str | None) -> Parameter | None:
        """The parameter for the next argument; before: the arguments before it."""
        if keyword is not None:
            return next((candidate for candidate in self._by_keyword() if candidate.name == keyword), None)
        if any(argument.keyword == "*" for argument in before):
            return None
        variadic = [parameter for parameter in self.parameters if parameter.kind == "*"]
        return next(iter((*self._by_position()[self._given(before) :], *variadic)), None)

    def is_variadic(self) -> bool:
        """Whether the number of positional arguments is unlimited."""
        return any(parameter.kind == "*" for parameter in self.parameters)

    def bound(self, arguments: tuple[Argument, ...]) -> frozenset[str]:
        """The names of the parameters given by position."""
        given = self._by_position()[: self._given(arguments)]
        return frozenset(parameter.name for parameter in given if parameter.kind != "/")

    def refuses(self, arguments: tuple[Argument, ...]) -> str | None:
        """The reason why a call with these arguments is an error, whatever their values; None: it may be valid."""
        kinds = frozenset(argument.keyword for argument in arguments)
        positions, given = self._by_position(), self._given(arguments)
        if given > len(positions) and not self.is_variadic():
            most = len(positions) - self.given
            return f"{self.owner} takes {f'at most {most}' if most else 'no'} argument{'s'[: most != 1]} by position"
        twice = self.bound(arguments) & kinds
        if twice:
            return given_twice(self.owner, min(twice))
        allowed = self.keywords()
        named = [argument.keyword for argument in arguments if argument.keyword not in (None, "*", "**")]
        strange = [keyword for keyword in named if allowed is not None and keyword not in allowed.names]
        if strange:
            return no_keyword(self.owner, min(strange))
        lacking = [repr(parameter.name) for parameter in self.lacking(arguments)]
        if not lacking:
            return None
        return f"{self.owner} lacks {'arguments' if lacking[1:] else 'argument'} {', '.join(lacking)}"

    def lacking(self, arguments: tuple[Argument, ...]) -> list[Parameter]:
        """The parameters missing in a call with these arguments, whatever their values."""
        kinds = frozenset(argument.keyword for argument in arguments)
        missing = self._by_position()[self._given(arguments) :]
        if "*" in kinds:  # it may supply all up to the first one named
            missing = [*dropwhile(lambda parameter: parameter.kind != "" or parameter.name not in kinds, missing)]
        by_keyword = (parameter for parameter in self.parameters if parameter.kind == "=")
        return [
            parameter
            for parameter in (*missing, *by_keyword)
            if not parameter.default and (parameter.kind == "/" or (parameter.name not in kinds and "**" not in kinds))
        ]

    def _by_position(self) -> list[Parameter]:
        return [parameter for parameter in self.parameters if parameter.kind in ("", "/")]

    def _by_keyword(self) -> list[Parameter]:
        return [parameter for parameter in self.parameters if parameter.kind in ("", "=")]

    def _given(self, arguments: tuple[Argument, ...]) -> int:
        """The least number of positional arguments."""
        return self.given + sum(argument.keyword is None for argument in arguments)


class Line(NamedTuple):
    """A logical line."""

    column: int
    header: Header | None
    items: Operations
    """of its simple statements; behind a header, of those on the same line"""
    inline: bool = False
    """whether statements follow the header on its line"""
    decorator: bool = False
    features: tuple[str, ...] = ()
    """the names in each `from __future__ import`; those of a relative one behind a dot"""
    kinds: str = ""
    """of its simple statements: "s" a string, "f" a future import, "r" a relative one, "." one or several others"""
    content: Any = None
    """its content, if kept"""


def linked(items: Any) -> Iterator[Any]:
    """The items of a linked list, the last first."""
    while items is not None:
        yield items[0]
        items = items[1]
