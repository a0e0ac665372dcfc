"""Headers of functions and classes, and type parameters; the value of parameters is (parameters, operations of annotations, of defaults)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ..line_values import ALWAYS, FORBIDDEN_NOW, Header, Parameter
from ..messages import duplicate_argument
from ..operations import Operations, both, together
from ..type_paths import Path
from .registry import header, keeps, rule
from .values import Value, checked, path_of, read

Parameters = tuple[tuple[Parameter, ...], Operations, Operations]
_NO_PARAMETERS: Parameters = ((), None, None)

# -- parameters


@rule("plain_parameter: name", "star_parameter: name")
def parameter(name: str) -> Parameters:
    return ((Parameter(name, ""),), checked(name), None) if name else _NO_PARAMETERS


@rule("plain_parameter: name : expression", "star_parameter: name : expression")
def annotated(name: str, colon: str, annotation: Value) -> Parameters:
    parameters = (Parameter(name, "", path_of(annotation)),) if name else ()
    return parameters, both(checked(name), ("annotation", read(annotation))), None


@rule("star_parameter: name : * bitor")
def spread(name: str, colon: str, star: str, annotation: Value) -> Parameters:
    return (Parameter(name, ""),), both(checked(name), ("annotation", read(annotation))), None


@rule("default_parameter: plain_parameter = expression")
def default(plain: Parameters, sign: str, value: Value) -> Parameters:
    return tuple(parameter._replace(default=True) for parameter in plain[0]), plain[1], read(value)


@rule("plain+", "defaults+", "plain_slash+", "defaults_slash+")
def more(before: Parameters, comma: str, last: Parameters) -> Parameters:
    return _more(before, last, "")


def _more(before: Parameters, last: Parameters, kind: str) -> Parameters:
    added = tuple(parameter._replace(kind=kind) for parameter in last[0]) if kind else last[0]
    operations = before[1]
    if added and any(parameter.name == added[0].name for parameter in before[0]):
        operations = both(operations, ("error", duplicate_argument(added[0].name), ALWAYS))
    return before[0] + added, both(operations, last[1]), both(before[2], last[2])


@rule("plain_slash: plain , /", "defaults_slash: defaults , /")
def by_position(before: Parameters, comma: str, slash: str) -> Parameters:
    return tuple(parameter._replace(kind="/") for parameter in before[0]), before[1], before[2]


@rule("bare_star: *")
def bare_star(star: str) -> Parameters:
    return _NO_PARAMETERS


keeps(0, "bare_star: positional , *", "parameters+")


@rule("after_star: * star_parameter", "double_star: ** plain_parameter")
def starred(star: str, last: Parameters) -> Parameters:
    return _more(_NO_PARAMETERS, last, star)


@rule("after_star: positional , * star_parameter", "double_star: positional , ** plain_parameter")
@rule("double_star: after_star , ** plain_parameter")
def more_starred(before: Parameters, comma: str, star: str, last: Parameters) -> Parameters:
    return _more(before, last, star)


@rule("after_star+")
def by_keyword(before: Parameters, comma: str, last: Parameters) -> Parameters:
    return _more(before, last, "=")


@rule("returns: -> expression")
def returns(arrow: str, annotation: Value) -> tuple[Path | None, Operations]:
    return path_of(annotation), ("annotation", read(annotation))


# -- type parameters: (names, operations, whether the last has a default, whether one has)


@rule("type_parameter: name")
def type_parameter(name: str) -> Any:
    error: Operations = None
    if name == "__classdict__":
        error = "error", f"reserved name {name!r} cannot be used for a type parameter", FORBIDDEN_NOW
    return (name,) if name else (), both(checked(name), error), False


@rule("type_parameter+")
def bounded(*parts: Any) -> Any:
    """A type parameter with stars, a bound or a default."""
    starred = parts[0] in ("*", "**")
    names, operations, _ = type_parameter(parts[starred])
    signs = parts[starred + 1 :]
    for sign, value in pairwise(signs):
        if sign in (":", "=") and value != "*":
            operations = both(operations, read(value))
    if "*" in signs:
        operations = both(operations, read(signs[-1]))
    return names, operations, "=" in signs


@rule("type_parameters: type_parameters , type_parameter")
def more_types(a: Any, comma: str, b: Any) -> Any:
    error: Operations = None
    if b[0] and b[0][0] in a[0]:
        error = "error", f"duplicate type parameter '{b[0][0]}'", ALWAYS
    if a[2] and not b[2] and b[0]:
        late = "error", f"non-default type parameter '{b[0][0]}' follows default type parameter", ALWAYS
        error = both(error, late)
    return a[0] + b[0], together(a[1], b[1], error), a[2] or b[2]


@rule("defined: name [ type_parameters ]", "defined: name [ type_parameters , ]")
def generic(name: str, opening: str, types: Any, *rest: str) -> Any:
    return name, types[0], ("type bound", types[1]) if types[1] is not None else None


def as_defined(defined: Any) -> tuple[str, tuple[str, ...], Operations]:
    """(name, type parameters, operations of these)"""
    return (defined, (), None) if defined.__class__ is str else defined


# -- headers


@header("function")
def function(parts: dict[str, Any]) -> Header:
    name, types, bounds = as_defined(parts["defined"])
    parameters, annotations, defaults = parts.get("parameters") or _NO_PARAMETERS
    result, returned = parts.get("returns") or (None, None)
    scoped = together(checked(name), bounds, annotations, returned)
    items = defaults if types else both(defaults, scoped)
    names = tuple(parameter.name for parameter in parameters)
    is_async, scoped = "async" in parts, scoped if types else None
    return Header("def", items, name, is_async, names, types, scoped, signature=parameters, returns=result)


@header("class")
def class_(parts: dict[str, Any]) -> Header:
    name, types, bounds = as_defined(parts["defined"])
    arguments, operations = parts.get("arguments") or ((), None)
    scoped = together(checked(name), bounds, operations)
    return Header(
        "class", None if types else scoped, name, False, (), types, scoped if types else None, arguments=arguments
    )
