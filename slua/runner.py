"""Running scripts in real Lua, within budgets, against a host written in Python.

A host is an object for each global of the API, and a class for each of its classes. Binding checks the presence of everything the API
declares, with as many parameters. Then values are translated at the border: objects of classes stay objects (a script sees a proxy, always
the same for the same object), records are copied, functions are wrapped.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from types import SimpleNamespace
from typing import Any, Literal, cast

from ..parser.languages.slua.api import Api
from ..parser.languages.slua.types import BOOLEAN, NUMBER, STRING, VOID, Func, Table, Type

Outcome = Literal["done", "instructions", "memory"]
_STEP = 1_000  # instructions between two checks of the budget

_SETUP = """
local sethook, budget, step, exhausted = debug.sethook, 0, ...
return function(n) budget = n end,
  function() return budget end,
  function() sethook(function() budget = budget - step; if budget <= 0 then error(exhausted, 0) end end, "", step) end,
  function() sethook() end,
  load,
  function(object, read, write)
    return setmetatable(object, {
      __index = function(o, k) return read(o, k) end,
      __newindex = function(o, k, v) write(o, k, v) end,
      __metatable = false,
    })
  end
"""


class BindingError(TypeError):
    """A host lacks parts declared in its API."""


class HostError(RuntimeError):
    """The host has failed, or has returned a value of a type other than its API's; never a script's fault."""


class OutOfBudget(RuntimeError):  # no error of the script, only its end
    """A script has used up its budget; `resource` is "instructions" or "memory"."""

    def __init__(self, resource: Outcome) -> None:
        super().__init__(f"the script ran out of {resource}")
        self.resource: Outcome = resource


@dataclass(frozen=True)
class Budget:
    """The budget of one run."""

    instructions: int = 1_000_000
    """of Lua's virtual machine, counted in steps of a thousand"""
    memory: int = 32 * 2**20
    """bytes of all scripts of a runner together"""


@dataclass
class Result:
    """The outcome of a run. The value is None unless `outcome` is "done"."""

    outcome: Outcome
    value: Any = None
    registered: list[tuple[str, Any]] = field(default_factory=list[tuple[str, Any]])
    """(the last call's name, its record) of a loaded script"""


class Runner:
    """Lua with the globals of an API; for one thread."""

    def __init__(self, api: Api, implementations: Mapping[str, Any], budget: Budget = Budget()) -> None:
        """implementations: objects by the names of globals, and classes by the names of the API's classes; a record's name may have a
        function to make one from keyword arguments (by default SimpleNamespace). Raises BindingError."""
        try:
            lua54: Any = import_module("lupa.lua54")
        except ImportError:
            raise ImportError("running scripts needs lupa: pip install 'suture[slua]'") from None
        check_binding(api, implementations)
        self.api = api
        self.budget = budget
        self._implementations = dict(implementations)
        self._lua54 = lua54
        self._lua: Any = lua54.LuaRuntime(
            encoding=None,
            unpack_returned_tuples=True,
            register_eval=False,
            register_builtins=False,
            max_memory=budget.memory,
            attribute_filter=_nothing,
        )
        self._exhausted = b"out of instructions"
        setup = self._lua.eval(b"load")(_SETUP.encode(), b"setup", b"t")
        (self._set_budget, self._get_budget, self._hook_on, self._hook_off, self._load, self._with_class) = setup(
            _STEP, self._exhausted
        )
        self._depth = 0
        self._stand_ins: dict[
            int, tuple[Any, Any]
        ] = {}  # id -> (object, proxy): kept, so that equal objects have equal proxies
        self._classes: dict[str, tuple[Any, Any]] = {}

    def extend(self, api: Api) -> None:
        """Switch to an API extended by a script; the existing objects stay."""
        self.api = api
        self._classes.clear()

    def load(self, lua: str, name: str = "script", interface: Table | None = None) -> Result:
        """Run a translated script once: it registers its record. interface: the definitions of the script's own type."""
        registered: list[tuple[str, Any]] = []
        env: dict[bytes, Any] = {}
        for key, type_ in self.api.globals.items():
            env[key.encode()] = self._to_lua(self._implementations[key], type_, key)
        for kind in self.api.kinds.values():
            env[kind.call.encode()] = self._registering(kind.call, kind.record, registered, interface)
        loaded = self._load(lua.encode(), name.encode(), b"t", self._lua.table_from(env))
        if isinstance(loaded, tuple):
            raise AssertionError(f"not Lua: {loaded[1]!r}")
        result = self.run(lambda: loaded())
        result.registered = registered if result.outcome == "done" else []
        return result

    def run(self, function: Callable[..., Any], *arguments: Any) -> Result:
        """Call a function of a script, with a budget of its own."""
        try:
            with self._running():
                return Result("done", function(*arguments))
        except OutOfBudget as end:
            return Result(end.resource)

    @contextmanager
    def _running(self) -> Generator[None, None, None]:
        """Let Lua run within the context; the outermost of nested contexts sets the budget."""
        if self._depth == 0:
            self._set_budget(self.budget.instructions)
            self._hook_on()
        self._depth += 1
        try:
            yield
        except self._lua54.LuaMemoryError:
            raise OutOfBudget("memory") from None
        except self._lua54.LuaError as error:
            text = str(error)
            if self._exhausted.decode() in text:
                raise OutOfBudget("instructions") from None
            if "not enough memory" in text:
                raise OutOfBudget("memory") from None
            raise
        finally:
            self._depth -= 1
            if self._depth == 0:
                self._hook_off()

    def _registering(
        self, name: str, record: str, registered: list[tuple[str, Any]], interface: Table | None
    ) -> Callable[[Any], None]:
        def register(value: Any) -> None:
            registered.append((name, self._from_lua(value, record, interface)))

        return register

    # Values across the border. `own` is the type defined by the current script.

    def _table(self, type_: Type, own: Table | None) -> Table | None:
        return own if own is not None and type_ == own.name else self.api.table(type_)

    def _to_lua(self, value: Any, type_: Type, where: str, own: Table | None = None) -> Any:
        if type_ == NUMBER and isinstance(value, int | float) and not isinstance(value, bool):
            try:
                return float(value)
            except OverflowError:
                return math.copysign(math.inf, value)
        if type_ == STRING and isinstance(value, str):
            return value.encode("utf-8", "replace")
        if type_ == BOOLEAN and isinstance(value, bool):
            return value
        if isinstance(type_, Func) and callable(value):
            return self._host_function(value, type_, where, own)
        table = self._table(type_, own)
        if table is not None and table.is_record:
            return self._lua_record(value, table, where, own)
        if table is not None and value is not None and not isinstance(value, int | float | str):
            return self._stand_in(value, table)
        raise HostError(f"{where} gave {value!r}, expected {type_}")

    def _lua_record(self, value: Any, table: Table, where: str, own: Table | None) -> Any:
        given = _attributes(value)
        fields: dict[bytes, Any] = {}
        for name, member in table.fields.items():
            item = given.get(name) if given is not None else getattr(value, name, None)
            if item is not None or not member.optional:
                fields[name.encode()] = self._to_lua(item, member.type, f"{where}.{name}", own)
        return self._lua.table_from(fields)

    def _stand_in(self, value: Any, table: Table) -> Any:
        kept = self._stand_ins.get(id(value))
        if kept is not None:
            return kept[1]
        made = self._lua.table_from({1: value})
        self._with_class(made, *self._class(table))
        self._stand_ins[id(value)] = value, made
        return made

    def _class(self, table: Table) -> tuple[Any, Any]:
        """The reader and the writer of the fields of a class's objects."""
        kept = self._classes.get(table.name)
        if kept is not None:
            return kept
        methods: dict[str, Any] = {}

        def read(stand_in: Any, key: bytes) -> Any:
            name = key.decode()
            current = self.api.tables[table.name].fields[name]
            if isinstance(current.type, Func):
                if name not in methods:
                    methods[name] = self._method(table.name, name, current.type, current.static)
                return methods[name]
            where = f"{table.name}.{name}"
            try:
                value = getattr(stand_in[1], name)
            except Exception as error:
                raise HostError(f"{where} failed: {error!r}") from error
            return self._to_lua(value, current.type, where)

        def write(stand_in: Any, key: bytes, value: Any) -> None:
            name = key.decode()
            type_ = self.api.tables[table.name].fields[name].type
            try:
                setattr(stand_in[1], name, self._from_lua(value, type_))
            except Exception as error:
                raise HostError(f"{table.name}.{name} cannot be set: {error!r}") from error

        self._classes[table.name] = read, write
        return read, write

    def _method(self, owner: str, name: str, function: Func, static: bool) -> Callable[..., Any]:
        if static:
            return self._host_function(
                lambda *values: getattr(self._implementations[owner], name)(*values), function, f"{owner}.{name}"
            )

        def call(stand_in: Any, *arguments: Any) -> Any:
            return self._host_function(getattr(stand_in[1], name), function, f"{owner}.{name}")(*arguments)

        return call

    def _host_function(
        self, function: Callable[..., Any], signature: Func, where: str, own: Table | None = None
    ) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            values = [
                self._from_lua(value, param, own) for value, param in zip(arguments, signature.params, strict=True)
            ]
            try:
                result = function(*values)
            except (OutOfBudget, HostError):
                raise
            except Exception as error:
                raise HostError(f"{where} failed: {error!r}") from error
            return None if signature.result == VOID else self._to_lua(result, signature.result, where, own)

        return call

    def _from_lua(self, value: Any, type_: Type, own: Table | None = None) -> Any:
        if type_ == STRING:
            return value.decode("utf-8", "replace")
        if type_ in (NUMBER, BOOLEAN):
            return value
        if isinstance(type_, Func):
            return self._script_function(value, type_, own)
        table = self._table(type_, own)
        if table is None or not table.is_record:  # an interface not defined by this kind of script is opaque
            return value[1] if table is not None else value
        fields: dict[str, Any] = {}
        for name, each in table.fields.items():
            item = value[name.encode()]
            fields[name] = None if item is None else self._from_lua(item, each.type, own)
        make = self._implementations.get(table.name, SimpleNamespace)
        return make(**fields)

    def _script_function(self, function: Any, signature: Func, own: Table | None) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            if len(arguments) != len(signature.params):
                raise HostError(f"a function of type {signature} was called with {len(arguments)} arguments")
            with self._running():
                pairs = zip(arguments, signature.params, strict=True)
                result = function(*[self._to_lua(value, param, "the host", own) for value, param in pairs])
                return None if signature.result == VOID else self._from_lua(result, signature.result, own)

        return call


def _nothing(value: object, name: object, setting: bool) -> Any:
    """Hide every attribute of every Python object from scripts."""
    raise AttributeError("scripts have no access to Python")


def check_binding(api: Api, implementations: Mapping[str, Any]) -> None:
    """Raise BindingError unless each declared global, class and function is present, with as many parameters."""
    missing: list[str] = []
    for name, table_name in api.globals.items():
        if name not in implementations:
            missing.append(f"global {name}")
        else:
            missing += _lacking(implementations[name], api.tables[table_name], name, fields=True)
    for table in api.tables.values():
        if table.is_record or table.name in api.globals.values() or "." in table.name:
            continue
        if table.name not in implementations:
            missing.append(f"class {table.name}")
        else:
            missing += _lacking(implementations[table.name], table, table.name, fields=False)
    if missing:
        raise BindingError("the host lacks " + ", ".join(missing))


def _lacking(target: Any, table: Table, where: str, *, fields: bool) -> list[str]:
    """The missing parts of an object or class; fields: whether fields other than functions count, too."""
    lacking: list[str] = []
    for name, member in table.fields.items():
        if not isinstance(member.type, Func):
            if fields and not hasattr(target, name):
                lacking.append(f"{where}.{name}")
            continue
        function = getattr(target, name, None)
        if not callable(function):
            lacking.append(f"function {where}.{name}")
            continue
        count = len(member.type.params) + (inspect.isclass(target) and not member.static)
        try:
            inspect.signature(function).bind(*[None] * count)
        except TypeError:
            lacking.append(f"{len(member.type.params)} parameters of {where}.{name}")
        except ValueError:  # built-in functions have no signature
            continue
    return lacking


def _attributes(value: Any) -> Any:
    """The fields of a mapping or an object by name; None where they must be read one by one."""
    if isinstance(value, Mapping):
        return cast(Mapping[str, Any], value)
    fields: Any = vars(value) if hasattr(value, "__dict__") else None  # pyright: ignore[reportUnknownVariableType]
    return fields  # pyright: ignore[reportUnknownVariableType]
