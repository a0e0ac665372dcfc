"""Operands, operators, lambdas, comprehensions and formatted strings."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

from .. import type_paths
from ..line_values import ALWAYS, COMPILED, TELLS_VERSION
from ..messages import STARRED as STARRED_HERE
from ..messages import duplicate_argument
from ..operations import Operations, both, together
from ..string_annotations import names_in_string, text_of
from ..targets import DEBUG, DUNDER_DEBUG, SINGLE, TEXT, VALUE, Attribute
from ..type_paths import LONGEST_PATH, either
from .places import ANNOTATION, LITERAL, PATTERN, Cell, Places
from .registry import keeps, rule
from .values import STARRED, VERSIONS, Value, bind, checked, constant, elements_of, is_list, path_of, read, value_of

_STRING = ("#str",)
_LIST = ("#list",)
_attribute = partial(cast(Any, tuple).__new__, Attribute)

# -- atoms


@rule("n_atom: NUMBER", "n_atom: IMAGINARY")
def number(token: str) -> Value:
    return None


@rule("n_atom: None", "n_atom: ...", below=True)
def constant_of_types(places: Places, cell: Cell, token: str) -> Value:
    return value_of((token,), None) if places.in_type(cell) else None


@rule("n_atom: True", "n_atom: False", below=True)
def truth(places: Places, cell: Cell, token: str) -> Value:
    return None if places.in_type(cell) else (VALUE, (token,), None)


@rule("str: STRING", below=True)
def string(places: Places, cell: Cell, token: str) -> Value:
    place = places.place_of(cell)
    if place == PATTERN:
        return LITERAL, (token[1:],), None
    if place == ANNOTATION:
        text = text_of(token[1:])
        noted = places.is_annotation(cell)
        names = together(*(("noted", name) for name in names_in_string(text))) if noted else None
        return TEXT, type_paths.read(text), names
    return TEXT, _STRING, ("fact", "slot", text_of(token[1:])) if places.in_slots(cell) else None


@rule("bytes: BYTES", below=True)
def bytes_(places: Places, cell: Cell, token: str) -> Value:
    return (LITERAL, (token[1:],), None) if places.place_of(cell) == PATTERN else None


@rule("bytes: bytes BYTES")
def more_bytes(value: Value, token: str) -> Value:
    return None if value is None else (LITERAL, (*value[1], token[1:]), None)


@rule("strs: strs str", "tstrings: tstrings tstring")
def strings(a: Value, b: Value) -> Value:
    if a[0] is LITERAL and b[0] is LITERAL:
        return LITERAL, a[1] + b[1], None
    return TEXT if a[0] is TEXT and b[0] is TEXT else VALUE, b[1], both(a[2], b[2])


@rule("str: FSTRING_START TEMPLATE_END")
def empty_formatted(begin: str, end: str) -> Value:
    return VALUE, _STRING, None


@rule("str: FSTRING_START fields TEMPLATE_END")
def formatted(begin: str, fields: Operations, end: str) -> Value:
    return VALUE, _STRING, fields


rule("fields: fields field")(both)


@rule("field+")
def field(begin: str, value: Value, *rest: Any) -> Operations:
    specification = rest[-2] if len(rest) > 1 and rest[-2].__class__ is tuple else None
    return both(read_alone(value), specification)


@rule("format_spec: SPEC")
def no_fields(begin: str) -> Operations:
    return None


keeps(1, "format_spec: SPEC fields")


def read_alone(value: Value) -> Operations:
    """The operations of an expression that may not be a lone starred one."""
    operations = read(value)
    if value.__class__ is tuple and value[0] is STARRED:
        return both(operations, ("error", STARRED_HERE, COMPILED))
    return operations


# -- primaries


@rule("free_single: free_primary . name", "tied_single: tied_primary . name")
def attribute(owner: Value, dot: str, name: str) -> Value:
    operations = read(owner)
    path = path_of(owner)
    if name == DUNDER_DEBUG or not name:
        return DEBUG if name else SINGLE, None, operations
    if path is None:
        return _attribute(("", name, None, "")), None, operations
    head = path[0]
    base = head if len(path) == 1 else "super()" if path == ("super", "()") else ""
    if name in TELLS_VERSION:
        operations = both(operations, VERSIONS)
    if base and base[0] != "#":
        operations = both(operations, ("fact", "mention", base, name))
    return _attribute((base, name, None, head)), (*path, name) if len(path) < LONGEST_PATH else None, operations


# -- operators


@rule("n_disjunction+", "n_conjunction+", "n_comparison+", "n_bitxor+", "n_bitand+", "n_shift+", "n_sum+", "n_term+")
@rule("n_power+", "key_value: expression : expression")
def binary(a: Value, operator: str, b: Value) -> Value:
    return constant(both(read(a), read(b)))


@rule("n_bitor+", below=True)
def union(places: Places, cell: Cell, a: Value, operator: str, b: Value) -> Value:
    path = either((path_of(a), path_of(b))) if places.in_type(cell) else None
    return value_of(path, both(read(a), read(b)))


@rule("n_factor+", "n_inversion+", "key_value: ** bitor")
def unary(operator: str, value: Value) -> Value:
    return constant(read(value))


@rule("n_await+")
def awaited(word: str, value: Value) -> Value:
    return VALUE, None, both(("flag", "await"), read(value))


@rule("n_expression: disjunction if disjunction else expression")
def conditional(a: Value, if_: str, condition: Value, else_: str, b: Value) -> Value:
    return constant(together(read(condition), read(a), read(b)))


@rule("walrus: name := expression")
def walrus(name: str, sign: str, value: Value) -> Value:
    return constant(together(checked(name), read(value), ("walrus", name) if name else None))


@rule("yield_expression: yield")
def lone_yield(word: str) -> Value:
    return VALUE, None, ("flag", "yield")


@rule("yield_expression: yield star_expressions")
def yielded(word: str, value: Value) -> Value:
    return VALUE, None, both(("flag", "yield"), read_alone(value))


@rule("yield_expression: yield from expression")
def yielded_from(word: str, from_: str, value: Value) -> Value:
    return VALUE, None, together(("flag", "yield"), ("flag", "yield from"), read(value))


# -- lambdas: the values of parameters are (names, operations of the defaults)


@rule("n_expression: lambda : expression")
def lambda_(word: str, colon: str, body: Value) -> Value:
    return VALUE, None, ("lambda", (), None, read(body))


@rule("n_expression: lambda lambda_parameters : expression")
def lambda_of(word: str, parameters: Any, colon: str, body: Value) -> Value:
    return VALUE, None, ("lambda", *parameters, read(body))


@rule("l_plain: name")
def parameter(name: str) -> Any:
    return (name,), checked(name)


@rule("l_default: name = expression")
def default(name: str, sign: str, value: Value) -> Any:
    return (name,), both(checked(name), read(value))


@rule("l_bare_star: *")
def bare_star(star: str) -> Any:
    return (), None


@rule("l_after_star: * name", "l_double_star: ** name")
def starred_parameter(star: str, name: str) -> Any:
    return parameter(name)


@rule(*(f"l_{kind}+" for kind in ("plain", "defaults", "plain_slash", "defaults_slash", "bare_star", "after_star")))
@rule("l_double_star+", "lambda_parameters+")
def parameters(before: Any, comma: str, *rest: Any) -> Any:
    if not rest or (rest[-1].__class__ is str and rest[-1] in ("*", "/")):
        return before
    (name,), operations = parameter(rest[-1]) if rest[-1].__class__ is str else rest[-1]
    error = ("error", duplicate_argument(name), ALWAYS) if name in before[0] else None
    return (*before[0], name), together(before[1], error, operations)


# -- comprehensions: the value of a clause is (whether it is async, operations of its targets, of its iterable, of its conditions, a Clause)


@rule("generator: ( named_expression comprehension )")
@rule("n_atom: [ named_expression comprehension ]", "n_atom: { named_expression comprehension }")
def comprehension(opening: str, element: Value, clauses: Any, closing: str) -> Value:
    return VALUE, _LIST if opening == "[" else None, ("comp", opening, read(element), clauses)


@rule("generator: ( * expression comprehension )", "n_atom: { ** expression comprehension }")
@rule("n_atom: [ * bitor comprehension ]", "n_atom: { * bitor comprehension }")
def spread_comprehension(opening: str, star: str, element: Value, clauses: Any, closing: str) -> Value:
    return comprehension(opening, element, clauses, closing)


@rule("n_atom: { expression : expression comprehension }")
def dict_comprehension(opening: str, key: Value, colon: str, value: Value, clauses: Any, closing: str) -> Value:
    return VALUE, None, ("comp", "{", both(read(key), read(value)), clauses)


@rule("comprehension: comprehension for_clause")
def more_clauses(a: Any, b: Any) -> Any:
    return a + b


@rule("for_clause: for targets in disjunction")
def clause(for_: str, targets: Value, in_: str, iterable: Value) -> Any:
    elements, comma = elements_of(targets), is_list(targets)
    return ((False, bind(elements, top=True, comma=comma), read(iterable), None, (elements, comma, path_of(iterable))),)


@rule("for_clause: async for targets in disjunction")
def async_clause(word: str, *rest: Any) -> Any:
    ((_, targets, iterable, _, (elements, comma, _)),) = clause(*rest)
    return ((True, targets, iterable, None, (elements, comma, None)),)


@rule("for_clause: for_clause if disjunction")
def condition(clause: Any, if_: str, value: Value) -> Any:
    ((is_async, targets, iterable, conditions, unpacked),) = clause
    return ((is_async, targets, iterable, both(conditions, read(value)), unpacked),)
