"""Short texts for values of a type, which end a script where nobody writes on."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import product

from ...scoped.stack import NameRule
from .inhabitants import CALLED, CONSTRUCTOR, PLACE, call_weight, function_weight
from .scope import Scope
from .types import BOOLEAN, NUMBER, STRING, VOID, Func, Type

_ROOMS = (60, 40, 20)
"""Weights that suffice for nearly all texts; the same text serves any larger remaining weight."""
_LITERALS: dict[Type, str] = {NUMBER: "0", STRING: '""', BOOLEAN: "true"}


def shortest(scope: Scope, type_: Type, room: int) -> str:
    """A short expression of a type, within the remaining weight."""
    room = next((less for less in _ROOMS if less <= room and scope.buildable(type_, less)), room)
    key = (type_, room)
    text_kept = scope.shortest.get(key)
    if text_kept is None:
        text_kept = scope.shortest[key] = min(_texts(scope, type_, room), key=lambda text: (len(text), text))
    return text_kept


def shortest_operand(scope: Scope, type_: Type, room: int) -> str:
    """As `shortest`, without a constructor."""
    if type_ in _LITERALS:
        return _LITERALS[type_]
    way = _prefix(scope, type_, room)
    assert way is not None, "such an operand is only wanted where one was written before"
    return way


def _prefix(scope: Scope, type_: Type, room: int) -> str | None:
    starts = [(name, variable.type) for name, variable in scope.variables.items()]
    return _way(scope, starts, frozenset((type_,)), room)


def _texts(scope: Scope, type_: Type, room: int) -> Iterator[str]:
    if type_ in _LITERALS:
        yield _LITERALS[type_]
        return
    way = _prefix(scope, type_, room)
    if way is not None:
        yield way
    if isinstance(type_, Func):
        text = _function(scope, type_, room)
    else:
        text = _record(scope, type_, room)
    if text is not None:
        yield text


def _function(scope: Scope, function: Func, room: int) -> str | None:
    inner, names = scope.inner(), list[str]()
    for param in function.params:
        names.append(fresh_name(inner))
        inner = inner.defined(names[-1], param, counts=False)
    room -= function_weight(function)
    if room < 0 or (function.result != VOID and not inner.buildable(function.result, room)):
        return None
    body = "" if function.result == VOID else f" return {shortest(inner, function.result, room)};"
    return f"function({', '.join(names)}){body} end"


def _record(scope: Scope, name: str, room: int) -> str | None:
    record = scope.api.table(name)
    room -= CONSTRUCTOR
    if record is None or not record.is_record or room < 0:
        return None
    parts: list[str] = []
    for key, field in record.fields.items():
        if field.optional:
            continue
        if not scope.buildable(field.type, room):
            return None
        rule = scope.api.key_rule(name, key)
        parts.append(f"{key} = " + (shortest(scope, field.type, room) if rule is None else f'"{free_name(rule)}"'))
    return f"{{{', '.join(parts)}}}"


def arguments(scope: Scope, function: Func, room: int) -> str | None:
    """The brackets of a call with short arguments; None where they cannot be written within the remaining weight."""
    weight = scope.inhabitants.call(function)
    if weight is None or weight > room:
        return None
    return f"({', '.join(shortest(scope, param, room - call_weight(function)) for param in function.params)})"


def shortest_way(scope: Scope, start: Type, wanted: frozenset[Type], room: int) -> str:
    """The text that turns a prefix of a type into a wanted one."""
    way = _way(scope, [("", start)], wanted, room)
    assert way is not None, "a prefix is only begun if it leads somewhere"
    return way


def shortest_field(scope: Scope, start: str, wanted: frozenset[Type], room: int) -> str:
    """The text that turns a prefix, followed by a point, into a wanted one."""
    table = scope.api.table(start)
    assert table is not None
    starts: list[tuple[str, Type]] = []
    for name, each in table.readable().items():
        starts.append((name, PLACE if each.mutable and PLACE in wanted else each.type))
    way = _way(scope, starts, wanted, room)
    assert way is not None, "a point is only accepted where a field leads on"
    return way


def _way(scope: Scope, starts: list[tuple[str, Type]], wanted: frozenset[Type], room: int) -> str | None:
    """The shortest text from one of these starts to a wanted type."""
    todo: list[tuple[int, str, str]] = []
    types: dict[str, Type] = {}

    def add(text: str, type_: Type) -> None:
        types[text] = type_
        heappush(todo, (len(text), text, ""))

    for text, type_ in starts:
        add(text, type_)
    seen: set[Type] = set()
    while todo:
        _, text, _ = heappop(todo)
        type_ = types[text]
        if type_ in wanted:
            return text
        if type_ in seen:
            continue
        seen.add(type_)
        if isinstance(type_, Func):
            brackets = arguments(scope, type_, room)
            if brackets is None:
                continue
            add(text + brackets, CALLED if CALLED in wanted else type_.result)
        elif (table := scope.api.table(type_)) is not None:
            for name, each in table.readable().items():
                add(f"{text}.{name}", PLACE if each.mutable and PLACE in wanted else each.type)
    return None


def fresh_name(scope: Scope) -> str:
    """A short unused name."""
    rule = scope.new_name()
    return next(name for name in _short_names() if name not in scope.variables and rule.allows(name))


def free_name(rule: NameRule) -> str:
    """A short name that a rule allows."""
    return next(name for name in _short_names() if rule.allows(name))


def _short_names() -> Iterator[str]:
    letters = "abcdefghijklmnopqrstuvwxyz"
    for size in range(1, 5):
        yield from map("".join, product(letters, repeat=size))
