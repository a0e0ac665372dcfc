"""Lists of expressions, and displays of them in brackets, many of which may become targets."""

from __future__ import annotations

from ..operations import both
from ..targets import SINGLE, SPREAD, SPREAD_SUBSCRIPT, TEXT, VALUE, Attribute, Group
from .registry import rule
from .values import SEVERAL, STARRED, Value, constant, element_of, elements_of, is_list, read

_LIST, _DICT, _SET = ("#list",), ("#dict",), ("#set",)


@rule("star_target: * single", "star_target: * sequence", "n_star_expression: * n_bitor", "n_star_named: * n_bitor")
@rule("star_named: * bitor")
def starred(star: str, value: Value) -> Value:
    _, operand, operations = element_of(value)
    return STARRED, None, read(value), operand, operations


@rule("two_targets+", "n_list: target_list , n_star_expression", "n_list: n_list , n_star_expression")
@rule("n_list: n_list , star_target", "n_two_named+", "star_nameds+", "two_expressions+")
@rule("del_targets+", "subject: star_named , star_nameds", "subject: star_named , star_nameds ,")
def more(a: Value, comma: str, b: Value, *last: str) -> Value:
    before = a[3] if is_list(a) else (None, element_of(a))
    if is_list(b):
        for element in elements_of(b):
            before = before, element
    else:
        before = before, element_of(b)
    return SEVERAL, None, both(read(a), read(b)), before


@rule("targets: target_list ,", "star_expressions: n_list ,", "subject: star_named ,")
@rule("expression_tuple+")
def ended(value: Value, comma: str) -> Value:
    return value if is_list(value) else (SEVERAL, None, read(value), (None, element_of(value)))


# -- in brackets


@rule("parenthesised: ( single )", "sequence: ( sequence )", "del_sequence: ( del_sequence )")
def parenthesised(opening: str, value: Value, closing: str) -> Value:
    element = element_of(value)
    operand = element[1]
    if operand is SINGLE or operand is SPREAD_SUBSCRIPT or operand.__class__ is Attribute:
        return operand, None, element[2]
    return Group((element,), True), value[1] if value.__class__ is tuple else None, read(value)


@rule("sequence+", "del_sequence+")
def display(opening: str, *parts: Value) -> Value:
    path = None if opening == "(" else _LIST
    if len(parts) == 1:
        return Group((), False), path, None
    targets = more(*parts[:3]) if len(parts) == 4 else parts[0]
    return Group(elements_of(targets), False), path, read(targets)


@rule("n_atom: ( n_expression )")
def expression(opening: str, value: Value, closing: str) -> Value:
    return (TEXT, None, value[2]) if value is not None and value[0] is TEXT else constant(read(value))


@rule("n_atom: ( n_named_list , )", "n_atom: ( n_two_named )")
def tuple_(opening: str, values: Value, *rest: str) -> Value:
    spread = any(element[0] for element in elements_of(values))
    return (SPREAD, None, read(values)) if spread else constant(read(values))


@rule("n_atom: [ n_named_list ]", "n_atom: [ n_named_list , ]", "n_atom: { set_items }", "n_atom: { set_items , }")
def list_or_set(opening: str, values: Value, *rest: str) -> Value:
    return VALUE, _LIST if opening == "[" else _SET, read(values)


@rule("n_atom: { }", "n_atom: { key_values }", "n_atom: { key_values , }")
def dict_(opening: str, *values: Value) -> Value:
    return VALUE, _DICT, read(values[0]) if len(values) > 1 else None
