"""The names in scope: a value extended by definitions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import NamedTuple

from ...scoped.stack import NameRule, Stack
from .api import Api
from .inhabitants import CONSTRUCTOR, LIMIT, PLACE, Inhabitants, function_weight
from .lexer import LONGEST_NAME
from .types import PRIMITIVES, VOID, Func, Table, Type

MOST_LOCALS = 80
"""The most local variables visible at once, without parameters."""
RESERVED_PREFIX = "__slua"
"""of names introduced by the translation"""


class Variable(NamedTuple):
    """The value of a name."""

    type: Type
    mutable: bool


class Scope:
    """The names at one place. Equal definitions in the same order give the same object, so scopes compare by identity."""

    def __init__(
        self, api: Api, variables: Mapping[str, Variable], own: frozenset[str], count: int, inhabitants: Inhabitants
    ) -> None:
        self.api = api
        self.variables = variables
        self.own = own
        """those of the innermost block"""
        self.count = count
        """the number of local variables, without parameters"""
        self.inhabitants = inhabitants
        self._after: dict[object, Scope] = {}
        self._names: dict[frozenset[Type], _Names] = {}
        self._rules: dict[Type | None, NameRule] = {}
        self.shortest: dict[tuple[Type, int], str] = {}
        """the results of shortest.py"""

    @staticmethod
    def of(api: Api) -> Scope:
        """The globals of an API."""
        variables = {name: Variable(type_, False) for name, type_ in api.globals.items()}
        inhabitants = api.memo.get("inhabitants")
        if not isinstance(inhabitants, Inhabitants):
            inhabitants = api.memo["inhabitants"] = Inhabitants(api, frozenset(api.globals.values()))
        return Scope(api, variables, frozenset(), 0, inhabitants)

    def inner(self) -> Scope:
        """The scope at the beginning of a block."""
        if not self.own:
            return self
        return self._known("inner", lambda: Scope(self.api, self.variables, frozenset(), self.count, self.inhabitants))

    def defined(self, name: str, type_: Type, *, mutable: bool = True, counts: bool = True) -> Scope:
        """The scope after a definition in the innermost block."""

        def make() -> Scope:
            variables = {**self.variables, name: Variable(type_, mutable)}
            inhabitants = self.inhabitants.with_roots((type_,))
            return Scope(self.api, variables, self.own | {name}, self.count + counts, inhabitants)

        return self._known((name, type_, mutable, counts), make)

    def with_type(self, record: Table) -> Scope:
        """The scope after the definition of a type in a script."""

        def make() -> Scope:
            api = self.api.define(record)
            types = frozenset(variable.type for variable in self.variables.values())
            return Scope(api, self.variables, self.own, self.count, Inhabitants(api, types))

        return self._known((record.name, tuple((name, field.type) for name, field in record.fields.items())), make)

    def _known(self, key: object, make: Callable[[], Scope]) -> Scope:
        scope = self._after.get(key)
        if scope is None:
            scope = self._after[key] = make()
        return scope

    @cached_property
    def comparable(self) -> frozenset[Type]:
        """The types compared by `==`."""
        return PRIMITIVES.union(self.api.tables)

    def names(self, wanted: frozenset[Type], room: int) -> frozenset[str]:
        """The first names of prefixes that can become one of these types within the remaining weight."""
        names = self._names.get(wanted)
        if names is None:
            names = self._names[wanted] = _Names(self, wanted)
        return names.within(room)

    def new_name(self, replacing: Type | None = None) -> NameRule:
        """The rule for names that may be defined here; replacing: the type of the new variable, where it is known.

        A name of an outer block may be shadowed where no value is lost that could be needed: if it stands for a primitive, or for
        something of the same type.
        """
        rule = self._rules.get(replacing)
        if rule is None:
            hidden = {
                name
                for name, variable in self.variables.items()
                if variable.type not in PRIMITIVES and variable.type != replacing
            }
            rule = NameRule(self.api.reserved | self.own | hidden, LONGEST_NAME, RESERVED_PREFIX)
            self._rules[replacing] = rule
        return rule

    @cached_property
    def all_types(self) -> frozenset[str]:
        """The names of types a script can write; those with a point belong to tables registered by scripts."""
        return PRIMITIVES.union(name for name in self.api.tables if "." not in name)

    def types(self, room: int) -> frozenset[str]:
        """The primitives, records and classes with a value that can be written within the remaining weight."""
        weight = self.inhabitants.weight
        return frozenset(name for name in self.all_types if _fits(weight(name), room))

    def buildable(self, type_: Type, room: int) -> bool:
        """Whether a value of a type can be written within the remaining weight."""
        return _fits(self.inhabitants.weight(type_), room)


def scope_of(stack: Stack | None) -> Scope | None:
    """The names at the top of a stack."""
    while stack is not None:
        scope = getattr(stack.frame, "scope", None) or getattr(getattr(stack.frame, "block", None), "scope", None)
        if isinstance(scope, Scope):
            return scope
        stack = stack.below
    return None


class _Names:
    """Names by the weight needed on the way to wanted types."""

    def __init__(self, scope: Scope, wanted: frozenset[Type]) -> None:
        way = scope.inhabitants.way
        weights = {name: way(variable.type, wanted) for name, variable in scope.variables.items()}
        if PLACE in wanted:
            weights.update((name, 0) for name, variable in scope.variables.items() if assignable(variable))
        self._weights = {name: weight for name, weight in weights.items() if weight <= LIMIT}
        self._heaviest = max(self._weights.values(), default=0)
        self._all = frozenset(self._weights)

    def within(self, room: int) -> frozenset[str]:
        if room >= self._heaviest:
            return self._all
        return frozenset(name for name, weight in self._weights.items() if weight <= room)


def assignable(variable: Variable) -> bool:
    """Whether the variable itself can be assigned to. A function cannot, since it could then call itself."""
    return variable.mutable and not isinstance(variable.type, Func)


def _fits(weight: int | None, room: int) -> bool:
    return weight is not None and weight <= room


def function_fits(scope: Scope, function: Func, room: int) -> bool:
    """Whether a function of a type can be written within a weight."""
    own = function_weight(function)
    if own > room:
        return False
    if function.result == VOID:
        return True
    weight = scope.inhabitants.with_roots(function.params).weight(function.result)
    return weight is not None and own + weight <= room


def constructor_fits(scope: Scope, name: str, room: int) -> bool:
    """Whether a record of a name can be built within a weight."""
    record = scope.api.table(name)
    if record is None or not record.is_record:
        return False
    inner = room - CONSTRUCTOR
    return inner >= 0 and all(scope.buildable(record.fields[key].type, inner) for key in record.required())
