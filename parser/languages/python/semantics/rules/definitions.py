"""Headers of functions and classes, lambdas, and type parameters.

The value of parameters is (parameters, operations of annotations, of defaults); that of type parameters, (names, "=" for each default, operations).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ..line_values import ALWAYS, FORBIDDEN_NOW, Header, Parameter
from ..messages import duplicate_argument
from ..operations import Operations, both, together
from ..targets import VALUE
from ..type_paths import Path
from .registry import header, keeps, rule
from .values import Value, checked, joined, path_of, read

Parameters = tuple[tuple[Parameter, ...], Operations, Operations]
_NO_PARAMETERS: Parameters = ((), None, None)
_STARS = ("*", "**")

# -- parameters


@rule("plain_parameter: name", "star_parameter: name", "l_plain: name")
def parameter(name: str) -> Parameters:
    return ((Parameter(name, ""),), checked(name), None) if name else _NO_PARAMETERS


@rule("plain_parameter+", "star_parameter+")
def annotated(name: str, colon: str, *annotation: Value) -> Parameters:
    path = path_of(annotation[0]) if len(annotation) == 1 else None
    parameters = (Parameter(name, "", path),) if name else ()
    return parameters, both(checked(name), ("annotation", read(annotation[-1]))), None


@rule("default_parameter+", "l_default+")
def default(plain: Any, sign: str, value: Value) -> Parameters:
    parameters, annotations, _ = parameter(plain) if plain.__class__ is str else plain
    return tuple(parameter._replace(default=True) for parameter in parameters), annotations, read(value)


@rule("plain+", "defaults+", "plain_slash+", "defaults_slash+", "double_star+")
@rule("l_plain+", "l_defaults+", "l_plain_slash+", "l_defaults_slash+", "l_double_star+")
@rule("after_star: * star_parameter", "after_star: positional , * star_parameter")
@rule("l_after_star: * name", "l_after_star: l_positional , * name")
def more(*parts: Any) -> Parameters:
    """With a parameter more, behind a comma or its stars, or with a slash, before which all are given by position."""
    *_, sign, last = parts
    before = parts[0] if "," in parts else _NO_PARAMETERS
    if last == "/":
        return tuple(parameter._replace(kind="/") for parameter in before[0]), before[1], before[2]
    return _more(before, last, "" if sign == "," else sign)


@rule("after_star+", "l_after_star+")
def by_keyword(before: Parameters, comma: str, last: Any) -> Parameters:
    return _more(before, last, "=")


def _more(before: Parameters, last: Any, kind: str) -> Parameters:
    added, annotations, defaults = parameter(last) if last.__class__ is str else last
    error: Operations = None
    if added and any(parameter.name == added[0].name for parameter in before[0]):
        error = "error", duplicate_argument(added[0].name), ALWAYS
    if kind:
        added = tuple(parameter._replace(kind=kind) for parameter in added)
    return before[0] + added, together(before[1], error, annotations), both(before[2], defaults)


@rule("bare_star: *", "l_bare_star: *")
def bare_star(star: str) -> Parameters:
    return _NO_PARAMETERS


keeps(0, "bare_star+", "l_bare_star+", "parameters+", "lambda_parameters+")


@rule("n_expression: lambda : expression", "n_expression: lambda lambda_parameters : expression")
def lambda_(word: str, *parts: Any) -> Value:
    *given, _, body = parts
    parameters, checks, defaults = given[0] if given else _NO_PARAMETERS
    names = tuple(parameter.name for parameter in parameters)
    return VALUE, None, ("lambda", names, both(checks, defaults), read(body))


@rule("returns: -> expression")
def returns(arrow: str, annotation: Value) -> tuple[Any, Path | None, Operations]:
    return VALUE, path_of(annotation), ("annotation", read(annotation))


# -- type parameters


@rule("type_parameter: name", "type_parameter+")
def type_parameter(*parts: Any) -> Any:
    """A type parameter, with its stars, bound and default, if any."""
    is_starred = parts[0] in _STARS
    name, signs = parts[is_starred], parts[is_starred + 1 :]
    operations = checked(name)
    if name == "__classdict__":
        operations = "error", f"reserved name {name!r} cannot be used for a type parameter", FORBIDDEN_NOW
    for sign, value in pairwise(signs):
        if sign == "*" or (sign in (":", "=") and value != "*"):
            operations = both(operations, read(value))
    return (name,) if name else (), "=" if "=" in signs else "", operations


@rule("type_parameters: type_parameters , type_parameter")
def more_types(before: Any, comma: str, last: Any) -> Any:
    names, signs, operations = joined(before, comma, last)
    for name in last[0]:
        if name in before[0]:
            operations = both(operations, ("error", f"duplicate type parameter '{name}'", ALWAYS))
        if before[1] and not last[1]:
            late = f"non-default type parameter '{name}' follows default type parameter"
            operations = both(operations, ("error", late, ALWAYS))
    return names, signs, operations


@rule("defined: name [ type_parameters ]", "defined: name [ type_parameters , ]")
def generic(name: str, opening: str, types: Any, *rest: str) -> Any:
    return name, types[0], ("type bound", types[2]) if types[2] is not None else None


def as_defined(defined: Any) -> tuple[str, tuple[str, ...], Operations]:
    """(name, type parameters, operations of these)"""
    return (defined, (), None) if defined.__class__ is str else defined


# -- headers


@header("function")
def function(parts: dict[str, Any]) -> Header:
    name, types, bounds = as_defined(parts["defined"])
    parameters, annotations, defaults = parts.get("parameters") or _NO_PARAMETERS
    result = parts.get("returns")
    scoped = together(checked(name), bounds, annotations, read(result))
    items = defaults if types else both(defaults, scoped)
    names = tuple(parameter.name for parameter in parameters)
    is_async, scoped = "async" in parts, scoped if types else None
    return Header("def", items, name, is_async, names, types, scoped, signature=parameters, returns=path_of(result))


@header("class")
def class_(parts: dict[str, Any]) -> Header:
    name, types, bounds = as_defined(parts["defined"])
    arguments, _, operations = parts.get("arguments") or ((), "", None)
    whole = together(checked(name), bounds, operations)
    items, scoped = (None, whole) if types else (whole, None)
    return Header("class", items, name, False, (), types, scoped, arguments=arguments)
