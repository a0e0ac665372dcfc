"""A mock host made from an API alone: it answers every call with some value of the right type, and reports the calls.

With it a script can run without its program at hand.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from ..parser.languages.slua.api import Api
from ..parser.languages.slua.syntax import Script
from ..parser.languages.slua.types import BOOLEAN, NUMBER, STRING, VOID, Func, Table, Type

_DEEPEST = 3
"""The deepest nesting of callbacks passed to host calls."""
_OBJECTS = 2
"""The most objects of each class."""


@dataclass(frozen=True)
class HostCall:
    """The calls of a script to the host."""

    owner: str
    """the class"""
    name: str
    arguments: tuple[Any, ...]
    result: Any


class Rehearsal:
    """Implementations of an API for `Api.bind`; the same seed gives the same answers."""

    def __init__(self, api: Api, seed: int = 0, tell: Callable[[HostCall], None] = lambda call: None) -> None:
        self._api = api
        self._random = random.Random(seed)
        self._tell = tell
        self._objects: dict[str, list[Any]] = {}
        self._depth = 0
        self._classes = {name: self._class(table) for name, table in api.tables.items() if not table.is_record}

    @property
    def implementations(self) -> Mapping[str, Any]:
        """The objects to bind: classes by their names, an object for each global."""
        return {
            **{name: table for name, table in self._classes.items() if name not in self._api.globals.values()},
            **{name: self._classes[table]() for name, table in self._api.globals.items()},
        }

    def value(self, type_: Type, own: Table | None = None) -> Any:
        """Some value of a type; own: the interface defined by the current script."""
        pick = self._random
        if type_ == NUMBER:
            return float(pick.randrange(10))
        if type_ == STRING:
            return pick.choice(("one", "two", "three"))
        if type_ == BOOLEAN:
            return pick.random() < 0.5
        if isinstance(type_, Func):
            return self._function(type_, own)
        table = own if own is not None and type_ == own.name else self._api.table(type_)
        if table is None:
            return SimpleNamespace()
        if table.is_record:
            fields = ((name, each) for name, each in table.fields.items() if not each.optional)
            return SimpleNamespace(**{name: self.value(each.type, own) for name, each in fields})
        objects = self._objects.setdefault(table.name, [])
        if len(objects) < _OBJECTS:
            objects.append(self._classes[table.name]())
        return pick.choice(objects)

    def _function(self, function: Func, own: Table | None) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            return None if function.result == VOID else self.value(function.result, own)

        return call

    def hooks(self, script: Script, record: Any) -> Iterator[tuple[str, list[Any]]]:
        """The functions of a script's registered record, by name, with arguments to call them with."""
        for name, field in self._api.tables[self._api.kinds[script.kind].record].fields.items():
            if isinstance(field.type, Func) and getattr(record, name, None) is not None:
                yield name, [self.value(param, script.interface) for param in field.type.params]

    def _class(self, table: Table) -> type:
        rehearsal = self

        def missing(this: Any, name: str) -> Any:  # a field's first read
            field = table.fields.get(name)
            if field is None:
                raise AttributeError(name)
            value = rehearsal.value(field.type)
            setattr(this, name, value)
            return value

        members: dict[str, Any] = {"__getattr__": missing}
        for name, field in table.fields.items():
            if isinstance(field.type, Func):
                method = self._method(table.name, name, field.type, field.static)
                members[name] = staticmethod(method) if field.static else method
        return type(table.name, (), members)

    def _method(self, owner: str, name: str, function: Func, static: bool) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            given = arguments if static else arguments[1:]
            result = None if function.result == VOID else self.value(function.result)
            self._tell(HostCall(owner, name, given, result))
            if self._depth < _DEEPEST:
                self._depth += 1
                try:
                    for argument, param in zip(given, function.params, strict=True):
                        if isinstance(param, Func):
                            argument(*map(self.value, param.params))
                finally:
                    self._depth -= 1
            return result

        return call


def in_words(value: Any) -> str:
    """A value of a host or a script, in sLua's notation."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    if isinstance(value, SimpleNamespace):
        return (
            "{ "
            + ", ".join(f"{name} = {in_words(field)}" for name, field in vars(value).items() if field is not None)
            + " }"
        )
    return "function" if callable(value) else type(value).__name__
