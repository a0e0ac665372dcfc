"""The values that can be built from the names in scope, and their least depth of nesting.

Nothing may be begun that cannot be ended. A call may only be opened if a value of each parameter's type can be written, a field may only be
named if a wanted type can be reached from it, and so on. Both questions are answered with numbers, not only with yes or no: the *weight*
that the text needs, since nesting is limited (`LIMIT`; real Lua has limits, too). A type without a weight cannot be built.

Weights are the least solution of equations over the types: a primitive weighs nothing; a record, its heaviest required field and
one more; a function, its result with the parameters in scope; anything else, the lightest way through fields and calls from a name in scope.
Which values there are depends only on the types of the names in scope, their roots.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush

from .api import Api
from .types import PRIMITIVES, VOID, Field, Func, Type

LIMIT = 100
"""The weight of constructs that may be open at once. Lua itself allows 200 levels, and 255 registers in a function."""
BRACKET, UNARY, OPERATOR, MODULO, CONSTRUCTOR, BLOCK, LOOP, FUNCTION, CALL = 2, 1, 1, 2, 2, 1, 6, 2, 2
PLACE, CALLED = "<place>", "<call>"
"""The beginnings of a statement, as if they were types: something that can be assigned to, and a call."""


def function_weight(one: Func) -> int:
    """Of `function(...) end` without its body."""
    return FUNCTION + len(one.params)


def call_weight(one: Func) -> int:
    """Of a call without its arguments."""
    return CALL + len(one.params)


@dataclass(frozen=True)
class Step:
    """One way on from a type: a field by its name, or "" for a call."""

    name: str
    target: Type
    weight: int
    field: Field | None = None


class Inhabitants:
    """The values that can be built where names of certain types are in scope."""

    def __init__(
        self, api: Api, roots: frozenset[Type], known: dict[frozenset[Type], Inhabitants] | None = None
    ) -> None:
        self._api = api
        self._roots = roots
        self._known: dict[frozenset[Type], Inhabitants] = {} if known is None else known
        self._known[roots] = self
        self._reach: dict[Type, Mapping[Type, int]] = {}
        self._ways: dict[tuple[Type, frozenset[Type]], int] = {}

    def with_roots(self, more: Iterable[Type]) -> Inhabitants:
        """Those with more types in scope. A primitive adds nothing: its values can be written."""
        roots = self._roots.union(one for one in more if one not in PRIMITIVES)
        known = self._known.get(roots)
        return known if known is not None else Inhabitants(self._api, roots, self._known)

    @cached_property
    def _weights(self) -> dict[Type, int]:
        weights: dict[Type, int] = dict.fromkeys(PRIMITIVES, 0)
        while True:
            before = dict(weights)
            for record in self._api.tables.values():
                if record.is_record:
                    found = [self._weight(weights, record.fields[name].type) for name in record.required()]
                    if None not in found:
                        _lower(
                            weights,
                            record.name,
                            CONSTRUCTOR + max((one for one in found if one is not None), default=0),
                        )
            for one, weight in self._available(weights).items():
                _lower(weights, one, weight)
            if weights == before:
                return weights

    def _weight(self, weights: dict[Type, int], one: Type) -> int | None:
        """The weight of a type as far as it is known."""
        known = weights.get(one)
        if not isinstance(one, Func):
            return known
        result: int | None = 0
        if one.result != VOID and one.result not in PRIMITIVES:
            inner = self.with_roots(one.params)
            result = weights.get(one.result) if inner is self else inner.weight(one.result)
        if result is None:
            return known
        own = function_weight(one) + result
        return own if known is None else min(known, own)

    def _available(self, weights: dict[Type, int]) -> dict[Type, int]:
        """The types of all prefixes, with the weights of their calls."""
        found: dict[Type, int] = {}
        todo: list[tuple[int, int, Type]] = [(0, at, root) for at, root in enumerate(self._roots)]
        while todo:
            weight, _, one = heappop(todo)
            if one in found:
                continue
            found[one] = weight
            for step in self._steps_from(weights, one):
                if step.target not in found:
                    heappush(todo, (max(weight, step.weight), len(found) * 1000 + len(todo), step.target))
        return found

    def _steps_from(self, weights: dict[Type, int], one: Type) -> list[Step]:
        if isinstance(one, Func):
            weight = self._call(weights, one)
            return [] if weight is None or one.result == VOID else [Step("", one.result, weight)]
        table = self._api.table(one)
        return [] if table is None else [Step(name, each.type, 0, each) for name, each in table.readable().items()]

    def _call(self, weights: dict[Type, int], one: Func) -> int | None:
        heaviest = 0
        for param in one.params:
            weight = self._weight(weights, param)
            if weight is None:
                return None
            heaviest = max(heaviest, weight)
        return call_weight(one) + heaviest

    def weight(self, one: Type) -> int | None:
        """The least weight of an expression of a type; None where there is none."""
        return self._weight(self._weights, one)

    def call(self, one: Func) -> int | None:
        """The least weight of a call's brackets with its arguments; None where one of them cannot be written."""
        return self._call(self._weights, one)

    def steps(self, one: Type) -> list[Step]:
        """The ways on from a prefix of a type."""
        return self._steps_from(self._weights, one)

    def reach(self, one: Type) -> Mapping[Type, int]:
        """The types that a prefix can become, its own included: type, PLACE or CALLED -> the least weight on the way."""
        known = self._reach.get(one)
        if known is None:
            known = self._reach[one] = self._reached(one)
        return known

    def _reached(self, start: Type) -> Mapping[Type, int]:
        found: dict[Type, int] = {}
        todo: list[tuple[int, int, Type]] = [(0, 0, start)]
        count = 0
        while todo:
            weight, _, one = heappop(todo)
            if one in found:
                continue
            found[one] = weight
            if isinstance(one, Func):
                call = self.call(one)
                if call is not None:
                    _lower(found, CALLED, max(weight, call))
            for step in self.steps(one):
                count += 1
                heappush(todo, (max(weight, step.weight), count, step.target))
                if step.field is not None and step.field.mutable:
                    _lower(found, PLACE, weight)
        return found

    def way(self, one: Type, wanted: frozenset[Type]) -> int:
        """The least weight on the way from a prefix of a type to one of the wanted ones; more than LIMIT where there is none."""
        known = self._ways.get((one, wanted))
        if known is None:
            found = (weight for target, weight in self.reach(one).items() if target in wanted)
            known = self._ways[one, wanted] = min(found, default=LIMIT + 1)
        return known

    def reaches(self, one: Type, wanted: frozenset[Type], room: int) -> bool:
        """Can a prefix of a type become something of a wanted one within the weight that is left?"""
        return self.way(one, wanted) <= room


def _lower(weights: dict[Type, int], one: Type, weight: int) -> None:
    if weight < weights.get(one, weight + 1):
        weights[one] = weight
