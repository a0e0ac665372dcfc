"""Calls and subscripts. The value of arguments is (arguments, "", operations); that of slices has the signs ":" and "*" among them."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

from ..line_values import ARGUMENTS, SETS_ATTRIBUTES, TELLS_VERSION, Argument
from ..operations import Operations, both, together
from ..roles import Cell
from ..targets import SINGLE, SPREAD, SPREAD_SUBSCRIPT, VALUE, Group, unwrapped
from ..type_paths import INDEX, LONGEST_PATH, SLICE, Path, call, subscript
from .places import Places
from .registry import keeps, rule
from .values import VERSIONS, Value, checked, joined, path_of, read

CHANGES_ATTRIBUTES = frozenset(("setattr", "delattr"))
CHANGES_NAMES = frozenset(("globals", "locals"))
TELLS_TYPE = frozenset(("isinstance", "issubclass", "hasattr", "vars", "type", "callable", "cast"))
_SPECIAL_CALLS = CHANGES_ATTRIBUTES | CHANGES_NAMES | TELLS_TYPE
_EFFECTIVE = _SPECIAL_CALLS | SETS_ATTRIBUTES | {"exec"}
_OF_UNBOUND = {"__setattr__": 3, "__delattr__": 2}
"""The number of arguments of these methods when the first one is the object."""

_argument = partial(cast(Any, tuple).__new__, Argument)
_UNKNOWN = (Argument(None, None),)
_DYNAMIC = ("fact", "dynamic")


@rule("n_free: free_primary ( )", "n_tied: tied_primary ( )")
@rule("n_free: free_primary ( arguments )", "n_tied: tied_primary ( arguments )")
def called(function: Value, opening: str, *given: Any) -> Value:
    arguments, _, operations = given[0] if len(given) > 1 else ((), "", None)
    path = path_of(function)
    if path is not None and path[-1] in _EFFECTIVE:
        operations = both(operations, _effect(path, arguments))
    return VALUE, _called(path, arguments), both(read(function), operations)


@rule("n_free: free_primary generator", "n_tied: tied_primary generator")
def called_with_generator(function: Value, generator: Value) -> Value:
    _, _, element, clauses = generator[2]
    return VALUE, _called(path_of(function), _UNKNOWN), both(read(function), ("comp", "call", element, clauses))


def _called(path: Path | None, arguments: tuple[Argument, ...]) -> Path | None:
    return None if path is None or len(path) >= LONGEST_PATH else (*path, call(path, arguments))


def _effect(path: Path, arguments: tuple[Argument, ...]) -> Operations:
    """What a call of a function, known by its path, does to names and attributes."""
    name = path[-1]
    if name in _SPECIAL_CALLS:
        return _special(name, arguments)
    if name in SETS_ATTRIBUTES and len(path) > 1:
        owner = path[:-1] if len(arguments) < _OF_UNBOUND[name] else arguments[0].path
        return "fact", "sets", _name_of(owner)
    return _DYNAMIC if path == ("exec",) and len(arguments) < 2 else None


def _special(name: str, arguments: tuple[Argument, ...]) -> Operations:
    """The effect of a function that tells or changes the type of its first argument."""
    if arguments and arguments[0].keyword not in (None, "*", "**"):
        return None
    path = arguments[0].path if arguments else None
    if name in CHANGES_NAMES or (name == "vars" and not arguments):
        return _DYNAMIC
    if name in CHANGES_ATTRIBUTES:
        return "fact", "patched", _name_of(path)
    return ("fact", "probed", path) if path is not None else None


def _name_of(path: Path | None) -> str:
    """The name of the object that gets attributes; "" if it is unnamed."""
    if path == ("super", "()"):
        return "super()"
    return path[0] if path is not None and len(path) == 1 else ""


@rule("positional_argument: named_expression")
def positional(value: Value) -> Any:
    return (_argument((None, path_of(value))),) if value != "" else (), "", read(value)


@rule("positional_argument: * expression", "double_star_argument: ** expression", "slice: * expression")
def starred(star: str, value: Value) -> Any:
    return (_argument((star, None)),), star, read(value)


@rule("keyword: name = expression")
def keyword(name: str, sign: str, value: Value) -> Any:
    versions = VERSIONS if name in TELLS_VERSION else None
    return (_argument((name, path_of(value))),), "", together(versions, checked(name), read(value))


@rule("keywords: keywords , * expression")
def more_starred(before: Any, comma: str, star: str, value: Value) -> Any:
    return joined(before, comma, starred(star, value))


@rule("keywords: positionals , keyword", "keywords: keywords , keyword", "double_stars: double_stars , keyword")
def more_keywords(before: Any, comma: str, last: Any) -> Any:
    arguments, signs, operations = joined(before, comma, last)
    name = arguments[-1].keyword
    if any(argument.keyword == name for argument in before[0]):
        operations = both(operations, ("error", f"keyword argument repeated: {name}", ARGUMENTS))
    return arguments, signs, operations


rule("positionals+", "double_stars+", "slices+")(joined)
keeps(0, "arguments+")


# -- subscripts


@rule("free_single: free_primary [ slices ]", "tied_single: tied_primary [ slices ]", below=True)
@rule("free_single: free_primary [ slices , ]", "tied_single: tied_primary [ slices , ]", below=True)
def subscripted(places: Places, cell: Cell, owner: Value, opening: str, slices: Any, *rest: str) -> Value:
    arguments, signs, operations = slices
    path = path_of(owner)
    if path is not None:
        if path[-1] in _SPECIAL_CALLS:
            operations = both(operations, _special(path[-1], arguments))
        elif path == ("sys", "modules") and arguments and arguments[0].path == ("__name__",):
            operations = both(operations, _DYNAMIC)
        if len(path) >= LONGEST_PATH:
            path = None
        elif places.in_type(cell):
            path = (*path, subscript(argument.path for argument in arguments))
        else:
            path = (*path, SLICE if ":" in signs else INDEX)
    return SPREAD_SUBSCRIPT if "*" in signs else SINGLE, path, both(read(owner), operations)


@rule("slice: named_expression")
def index(value: Value) -> Any:
    arguments, _, operations = positional(value)
    return arguments, "*" if value.__class__ is tuple and _is_spread(value[0], value[1]) else "", operations


def _is_spread(operand: Any, path: Path | None) -> bool:
    """Whether an operand is a tuple with a star; the path of a list tells it apart."""
    operand = unwrapped(operand)
    if operand.__class__ is Group:
        return path is None and any(element[0] for element in operand.elements)
    return operand is SPREAD


@rule("slice: :", "slice+")
def slice_(*parts: Value) -> Any:
    operations = together(*(read(part) for part in parts if part != ":"))
    return () if parts[-1] == ":" else _UNKNOWN, ":", operations
