"""Calls and subscripts; the value of arguments is (arguments, operations), that of slices has whether there is a colon, and a star, too."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

from ..line_values import ARGUMENTS, SETS_ATTRIBUTES, TELLS_VERSION, Argument
from ..operations import Operations, both, together
from ..targets import SINGLE, SPREAD, SPREAD_SUBSCRIPT, VALUE, Group, unwrapped
from ..type_paths import INDEX, LONGEST_PATH, SLICE, Path, call, subscript
from .places import Cell, Places
from .registry import keeps, rule
from .values import VERSIONS, Value, checked, path_of, read

CHANGES_ATTRIBUTES = frozenset(("setattr", "delattr"))
CHANGES_NAMES = frozenset(("globals", "locals"))
TELLS_TYPE = frozenset(("isinstance", "issubclass", "hasattr", "vars", "type", "callable", "cast"))
SPECIAL_CALLS = CHANGES_ATTRIBUTES | CHANGES_NAMES | TELLS_TYPE
OF_UNBOUND = {"__setattr__": 3, "__delattr__": 2}
"""The number of arguments of these methods when the first one is the object."""
Arguments = tuple[Argument, ...]

_argument = partial(cast(Any, tuple).__new__, Argument)
_UNKNOWN = (Argument(None, None),)
_DYNAMIC = ("fact", "dynamic")


@rule("n_free: free_primary ( )", "n_tied: tied_primary ( )")
def called_alone(function: Value, opening: str, closing: str) -> Value:
    return called(function, opening, ((), None), closing)


@rule("n_free: free_primary ( arguments )", "n_tied: tied_primary ( arguments )")
def called(function: Value, opening: str, given: tuple[Arguments, Operations], closing: str) -> Value:
    arguments, operations = given
    path = path_of(function)
    if path is None:
        return VALUE, None, both(read(function), operations)
    name = path[-1]
    if name in SPECIAL_CALLS:
        operations = both(operations, special(name, arguments))
    elif name in SETS_ATTRIBUTES and len(path) > 1:
        owner = path[:-1] if len(arguments) < OF_UNBOUND[name] else arguments[0].path
        operations = both(operations, ("fact", "sets", name_of(owner)))
    elif path == ("exec",) and len(arguments) < 2:
        operations = both(operations, _DYNAMIC)
    return VALUE, _called(path, arguments), both(read(function), operations)


def _called(path: Path | None, arguments: Arguments) -> Path | None:
    return None if path is None or len(path) >= LONGEST_PATH else (*path, call(path, arguments))


def special(name: str, arguments: Arguments) -> Operations:
    """The effect of a function that tells or changes the type of its first argument."""
    if arguments and arguments[0].keyword not in (None, "*", "**"):
        return None
    path = arguments[0].path if arguments else None
    if name in CHANGES_NAMES or (name == "vars" and not arguments):
        return _DYNAMIC
    if name in CHANGES_ATTRIBUTES:
        return "fact", "patched", name_of(path)
    return ("fact", "probed", path) if path is not None else None


def name_of(path: Path | None) -> str:
    """The name of the object that gets attributes; "" if it is unnamed."""
    if path == ("super", "()"):
        return "super()"
    return path[0] if path is not None and len(path) == 1 else ""


@rule("n_free: free_primary generator", "n_tied: tied_primary generator")
def called_with_generator(function: Value, generator: Value) -> Value:
    _, _, element, clauses = generator[2]
    return VALUE, _called(path_of(function), _UNKNOWN), both(read(function), ("comp", "call", element, clauses))


@rule("positional_argument: named_expression")
def positional(value: Value) -> Any:
    return (_argument((None, path_of(value))),) if value != "" else (), read(value)


@rule("positional_argument: * expression", "double_star_argument: ** expression")
def starred(star: str, value: Value) -> Any:
    return (_argument((star, None)),), read(value)


@rule("keyword: name = expression")
def keyword(name: str, sign: str, value: Value) -> Any:
    versions = VERSIONS if name in TELLS_VERSION else None
    return (_argument((name, path_of(value))),), together(versions, checked(name), read(value))


@rule("positionals+", "double_stars+")
def more(a: Any, comma: str, b: Any) -> Any:
    return a[0] + b[0], both(a[1], b[1])


@rule("keywords: keywords , * expression")
def more_starred(a: Any, comma: str, star: str, value: Value) -> Any:
    return more(a, comma, starred(star, value))


@rule("keywords: positionals , keyword", "keywords: keywords , keyword", "double_stars: double_stars , keyword")
def more_keywords(a: Any, comma: str, b: Any) -> Any:
    arguments, operations = more(a, comma, b)
    name = arguments[-1].keyword
    if any(argument.keyword == name for argument in a[0]):
        operations = both(operations, ("error", f"keyword argument repeated: {name}", ARGUMENTS))
    return arguments, operations


keeps(0, "arguments+")


# -- subscripts


@rule("free_single: free_primary [ slices ]", "tied_single: tied_primary [ slices ]", below=True)
@rule("free_single: free_primary [ slices , ]", "tied_single: tied_primary [ slices , ]", below=True)
def subscripted(places: Places, cell: Cell, owner: Value, opening: str, slices: Any, *rest: str) -> Value:
    arguments, operations, has_colon, has_star = slices
    path = path_of(owner)
    if path is not None:
        if path[-1] in SPECIAL_CALLS:
            operations = both(operations, special(path[-1], arguments))
        elif path == ("sys", "modules") and arguments and arguments[0].path == ("__name__",):
            operations = both(operations, _DYNAMIC)
        if len(path) >= LONGEST_PATH:
            path = None
        elif places.in_type(cell):
            path = (*path, subscript(argument.path for argument in arguments))
        else:
            path = (*path, SLICE if has_colon else INDEX)
    return SPREAD_SUBSCRIPT if has_star else SINGLE, path, both(read(owner), operations)


@rule("slice: named_expression")
def index(value: Value) -> Any:
    spread = value.__class__ is tuple and (value[0] is SPREAD or _is_spread(value[0], value[1]))
    return (*positional(value), False, spread)


def _is_spread(operand: Any, path: Path | None) -> bool:
    """Whether an operand is a tuple with a star; the path of a list tells it apart."""
    operand = unwrapped(operand)
    return operand.__class__ is Group and path is None and any(element[0] for element in operand.elements)


@rule("slice: :")
def colon(sign: str) -> Any:
    return (), None, True, False


@rule("slice+")
def slice_(*parts: Value) -> Any:
    operations: Operations = None
    for part in parts:
        if part != ":":
            operations = both(operations, read(part))
    return () if parts[-1] == ":" else _UNKNOWN, operations, True, False


@rule("slice: * expression")
def starred_slice(star: str, value: Value) -> Any:
    return (*starred(star, value), False, True)


@rule("slices+")
def more_slices(a: Any, comma: str, b: Any) -> Any:
    return a[0] + b[0], both(a[1], b[1]), a[2] or b[2], a[3] or b[3]
