"""Operands, operators, comprehensions and formatted strings."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

from .. import type_paths
from ..line_values import COMPILED, TELLS_VERSION
from ..messages import STARRED as STARRED_HERE
from ..operations import both, together
from ..roles import Cell
from ..string_annotations import names_in_string, text_of
from ..targets import DEBUG, DUNDER_DEBUG, SINGLE, TEXT, VALUE, Attribute
from ..type_paths import LONGEST_PATH, either
from .places import ANNOTATION, LITERAL, PATTERN, Places
from .registry import rule
from .values import STARRED, VERSIONS, Value, all_of, bind, checked, constant, elements_of, is_list, path_of, read

_STRING = ("#str",)
_LIST = ("#list",)
_attribute = partial(cast(Any, tuple).__new__, Attribute)

# -- atoms


@rule("n_atom: NUMBER", "n_atom: IMAGINARY", "simple: pass", "simple: raise", "format_spec: SPEC")
def nothing(token: str) -> Value:
    return None


@rule("n_atom: None", "n_atom: ...", below=True)
def constant_of_types(places: Places, cell: Cell, token: str) -> Value:
    return constant(None, (token,)) if places.in_type(cell) else None


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
        noted = names_in_string(text) if places.is_annotation(cell) else ()
        return TEXT, type_paths.read(text), together(*(("noted", name) for name in noted))
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


@rule("str: FSTRING_START TEMPLATE_END", "str: FSTRING_START fields TEMPLATE_END")
def formatted(begin: str, *fields: Any) -> Value:
    return VALUE, _STRING, read(fields[0]) if len(fields) > 1 else None


@rule("fields+")
def fields(a: Value, b: Value) -> Value:
    return all_of(read(a), read(b))


@rule("field+")
def field(begin: str, value: Value, *rest: Any) -> Value:
    specification = rest[-2] if len(rest) > 1 and rest[-2].__class__ is tuple else None
    return constant(both(read(value), read(specification)))


# -- primaries


@rule("free_single: free_primary . name", "tied_single: tied_primary . name")
def attribute(owner: Value, dot: str, name: str) -> Value:
    operations = read(owner)
    path = path_of(owner)
    if name == DUNDER_DEBUG or not name:
        return DEBUG if name else SINGLE, None, operations
    if path is None:
        return _attribute(("", name)), None, operations
    base = path[0] if len(path) == 1 else "super()" if path == ("super", "()") else ""
    if name in TELLS_VERSION:
        operations = both(operations, VERSIONS)
    if base and base[0] != "#":
        operations = both(operations, ("fact", "mention", base, name))
    return _attribute((base, name)), (*path, name) if len(path) < LONGEST_PATH else None, operations


# -- operators


@rule("n_disjunction+", "n_conjunction+", "n_comparison+", "n_bitxor+", "n_bitand+", "n_shift+", "n_sum+", "n_term+")
@rule("n_power+", "key_value: expression : expression", "key_values+")
def binary(a: Value, operator: str, b: Value) -> Value:
    return constant(both(read(a), read(b)))


@rule("n_bitor+", below=True)
def union(places: Places, cell: Cell, a: Value, operator: str, b: Value) -> Value:
    path = either((path_of(a), path_of(b))) if places.in_type(cell) else None
    return constant(both(read(a), read(b)), path)


@rule("n_factor+", "n_inversion+", "key_value: ** bitor", "format_spec: SPEC fields", "guard: if named_expression")
@rule("n_atom: ( yield_expression )", "n_atom: ( walrus )")
def unary(sign: str, value: Value, *rest: str) -> Value:
    return constant(read(value))


@rule("n_await+")
def awaited(word: str, value: Value) -> Value:
    return VALUE, None, both(("flag", "await"), read(value))


@rule("n_expression: disjunction if disjunction else expression")
def conditional(a: Value, if_: str, condition: Value, else_: str, b: Value) -> Value:
    return all_of(read(condition), read(a), read(b))


@rule("walrus: name := expression")
def walrus(name: str, sign: str, value: Value) -> Value:
    return all_of(checked(name), read(value), ("walrus", name) if name else None)


@rule("yield_expression: yield", "yield_expression+")
def yielded(word: str, *parts: Value) -> Value:
    from_ = ("flag", "yield from") if len(parts) > 1 else None
    return VALUE, None, together(("flag", "yield"), from_, read(parts[-1]) if parts else None)


@rule("star_expressions: targets", "star_expressions: n_list")
def alone(value: Value) -> Value:
    """An expression that may not be a lone starred one."""
    if value.__class__ is tuple and value[0] is STARRED:
        return VALUE, None, both(value[2], ("error", STARRED_HERE, COMPILED))
    return value


# -- comprehensions: the value of a clause is (whether it is async, operations of its targets, of its iterable, of its conditions, a Clause)


@rule("generator+")
@rule("n_atom: [ named_expression comprehension ]", "n_atom: { named_expression comprehension }")
@rule("n_atom: [ * bitor comprehension ]", "n_atom: { * bitor comprehension }")
@rule("n_atom: { ** expression comprehension }")
def comprehension(opening: str, *parts: Any) -> Value:
    *_, element, clauses, _ = parts
    return VALUE, _LIST if opening == "[" else None, ("comp", opening, read(element), clauses)


@rule("n_atom: { expression : expression comprehension }")
def dict_comprehension(opening: str, key: Value, colon: str, value: Value, clauses: Any, closing: str) -> Value:
    return VALUE, None, ("comp", "{", both(read(key), read(value)), clauses)


@rule("comprehension: comprehension for_clause")
def more_clauses(a: Any, b: Any) -> Any:
    return a + b


@rule("for_clause: for targets in disjunction", "for_clause: async for targets in disjunction")
def clause(*parts: Any) -> Any:
    *words, targets, _, iterable = parts
    is_async, elements, comma = words[0] == "async", elements_of(targets), is_list(targets)
    unpacked = elements, comma, None if is_async else path_of(iterable)
    return ((is_async, bind(elements, top=True, comma=comma), read(iterable), None, unpacked),)


@rule("for_clause: for_clause if disjunction")
def condition(clause: Any, if_: str, value: Value) -> Any:
    ((is_async, targets, iterable, conditions, unpacked),) = clause
    return ((is_async, targets, iterable, both(conditions, read(value)), unpacked),)
