"""The values that can be built from the names in scope, and their least depth of nesting.

Nothing may be begun that cannot be ended. A call may be opened only if a value of each parameter's type can be written, a field named
only if a wanted type can be reached from it, and so on. Both questions are answered with numbers instead of yes or no: the *weight*
of the text, since nesting is limited (`LIMIT`; real Lua has limits, too). A type without a weight cannot be built.

Weights are the least solution of equations over the types: a primitive weighs nothing; a record, its heaviest required field and one
more; a function, its result with the parameters in scope; anything else, the lightest way through fields and calls from a name in
scope. The existing values depend only on the types of the names in scope, their roots.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush

from .api import Api
from .types import PRIMITIVES, VOID, Field, Func, Type

LIMIT = 100
"""The weight of constructs open at once. Lua itself allows 200 levels, and 255 registers in a function."""
BRACKET, UNARY, OPERATOR, MODULO, CONSTRUCTOR, BLOCK, LOOP, FUNCTION, CALL = 2, 1, 1, 2, 2, 1, 6, 2, 2
PLACE, CALLED = "<place>", "<call>"
"""The beginnings of a statement, as if they were types: an assignable place, and a call."""


def function_weight(function: Func) -> int:
    """The weight of `function(...) end` without its body."""
    return FUNCTION + len(function.params)


def call_weight(function: Func) -> int:
    """The weight of a call without its arguments."""
    return CALL + len(function.params)


@dataclass(frozen=True)
class Step:
    """One way on from a type: a field by its name, or "" for a call."""

    name: str
    target: Type
    weight: int
    field: Field | None = None


class Inhabitants:
    """The values that can be built with names of certain types in scope."""

    def __init__(
        self, api: Api, roots: frozenset[Type], kept: dict[frozenset[Type], Inhabitants] | None = None
    ) -> None:
        self._api = api
        self._roots = roots
        self._known: dict[frozenset[Type], Inhabitants] = {} if kept is None else kept
        self._known[roots] = self
        self._reach: dict[Type, Mapping[Type, int]] = {}
        self._ways: dict[tuple[Type, frozenset[Type]], int] = {}

    def with_roots(self, more: Iterable[Type]) -> Inhabitants:
        """These values with more types in scope. A primitive adds nothing: its values can be written."""
        roots = self._roots.union(type_ for type_ in more if type_ not in PRIMITIVES)
        kept = self._known.get(roots)
        return kept if kept is not None else Inhabitants(self._api, roots, self._known)

    @cached_property
    def _weights(self) -> dict[Type, int]:
        weights: dict[Type, int] = dict.fromkeys(PRIMITIVES, 0)
        while True:
            before = dict(weights)
            for record in self._api.tables.values():
                if record.is_record:
                    field_weights = [self._weight(weights, record.fields[name].type) for name in record.required()]
                    if None not in field_weights:
                        _lower(
                            weights,
                            record.name,
                            CONSTRUCTOR
                            + max(
                                (weight_of_field for weight_of_field in field_weights if weight_of_field is not None),
                                default=0,
                            ),
                        )
            for type_, weight in self._available(weights).items():
                _lower(weights, type_, weight)
            if weights == before:
                return weights

    def _weight(self, weights: dict[Type, int], type_: Type) -> int | None:
        """The weight of a type as far as it is known."""
        least = weights.get(type_)
        if not isinstance(type_, Func):
            return least
        result: int | None = 0
        if type_.result != VOID and type_.result not in PRIMITIVES:
            inner = self.with_roots(type_.params)
            result = weights.get(type_.result) if inner is self else inner.weight(type_.result)
        if result is None:
            return least
        own = function_weight(type_) + result
        return own if least is None else min(least, own)

    def _available(self, weights: dict[Type, int]) -> dict[Type, int]:
        """The types of all prefixes, with the weights of their calls."""
        weighed: dict[Type, int] = {}
        todo: list[tuple[int, int, Type]] = [(0, number, root) for number, root in enumerate(self._roots)]
        while todo:
            weight, _, type_ = heappop(todo)
            if type_ in weighed:
                continue
            weighed[type_] = weight
            for step in self._steps_from(weights, type_):
                if step.target not in weighed:
                    heappush(todo, (max(weight, step.weight), len(weighed) * 1000 + len(todo), step.target))
        return weighed

    def _steps_from(self, weights: dict[Type, int], type_: Type) -> list[Step]:
        if isinstance(type_, Func):
            weight = self._call(weights, type_)
            return [] if weight is None or type_.result == VOID else [Step("", type_.result, weight)]
        table = self._api.table(type_)
        return [] if table is None else [Step(name, each.type, 0, each) for name, each in table.readable().items()]

    def _call(self, weights: dict[Type, int], function: Func) -> int | None:
        heaviest = 0
        for param in function.params:
            weight = self._weight(weights, param)
            if weight is None:
                return None
            heaviest = max(heaviest, weight)
        return call_weight(function) + heaviest

    def weight(self, type_: Type) -> int | None:
        """The least weight of an expression of a type; None for none."""
        return self._weight(self._weights, type_)

    def call(self, function: Func) -> int | None:
        """The least weight of a call's brackets with its arguments; None where one of them cannot be written."""
        return self._call(self._weights, function)

    def steps(self, type_: Type) -> list[Step]:
        """The ways on from a prefix of a type."""
        return self._steps_from(self._weights, type_)

    def reach(self, type_: Type) -> Mapping[Type, int]:
        """The types a prefix can become, its own included: type, PLACE or CALLED -> the least weight on the way."""
        reached = self._reach.get(type_)
        if reached is None:
            reached = self._reach[type_] = self._reached(type_)
        return reached

    def _reached(self, start: Type) -> Mapping[Type, int]:
        reached: dict[Type, int] = {}
        todo: list[tuple[int, int, Type]] = [(0, 0, start)]
        count = 0
        while todo:
            weight, _, type_ = heappop(todo)
            if type_ in reached:
                continue
            reached[type_] = weight
            if isinstance(type_, Func):
                call = self.call(type_)
                if call is not None:
                    _lower(reached, CALLED, max(weight, call))
            for step in self.steps(type_):
                count += 1
                heappush(todo, (max(weight, step.weight), count, step.target))
                if step.field is not None and step.field.mutable:
                    _lower(reached, PLACE, weight)
        return reached

    def way(self, type_: Type, wanted: frozenset[Type]) -> int:
        """The least weight on the way from a prefix of a type to one of the wanted ones; more than LIMIT without any."""
        least = self._ways.get((type_, wanted))
        if least is None:
            fitting = (weight for target, weight in self.reach(type_).items() if target in wanted)
            least = self._ways[type_, wanted] = min(fitting, default=LIMIT + 1)
        return least

    def reaches(self, type_: Type, wanted: frozenset[Type], room: int) -> bool:
        """Whether a prefix of a type can become one of a wanted type within the remaining weight."""
        return self.way(type_, wanted) <= room


def _lower(weights: dict[Type, int], type_: Type, weight: int) -> None:
    if weight < weights.get(type_, weight + 1):
        weights[type_] = weight
