"""Simple statements other than imports; the value of each is a Statement."""

from __future__ import annotations

from typing import Any

from ..line_values import COMPILED, FORBIDDEN, FORBIDDEN_NOW, Field
from ..messages import ASSIGNS_DEBUG, DELETES_DEBUG
from ..messages import STARRED as STARRED_HERE
from ..operations import Operations, both, together
from ..targets import DEBUG, DUNDER_DEBUG, SPREAD_SUBSCRIPT, TEXT, Attribute, Elements, Group, unwrapped
from ..type_paths import Path
from .expressions import read_alone
from .registry import rule
from .values import Statement, Value, bind, bind_name, checked, elements_of, is_list, made_of, path_of, read, store

Targets = list[Value]
_Given = tuple[str, Path | None] | None
"""See ("fact", "made") in facts.py."""


def statement(*operations: Operations) -> Statement:
    return together(*operations), ".", ()


@rule("simples: simples ; simple")
def statements(a: Statement, semicolon: str, b: Statement) -> Statement:
    kind = "" if a[1][-1:] == b[1] == "." else b[1]
    return both(a[0], b[0]), a[1] + kind, a[2] + b[2]


@rule("simple: star_expressions", "simple: yield_expression")
def expression(value: Value) -> Statement:
    return read_alone(value), "s" if value.__class__ is tuple and value[0] is TEXT else ".", ()


@rule("simple: pass", "simple: raise")
def nothing(word: str) -> Statement:
    return statement()


@rule("simple: break", "simple: continue", "simple: return")
def jump(word: str) -> Statement:
    return statement(("flag", word))


@rule("simple: return star_expressions")
def returned(word: str, value: Value) -> Statement:
    return statement(("flag", word), ("flag", "return value"), read_alone(value))


@rule("simple: raise expression", "simple: raise expression from expression")
@rule("simple: assert expression", "simple: assert expression , expression")
def expressions(word: str, *values: Value) -> Statement:
    return statement(*map(read, values[::2]))


@rule("simple: global names", "simple: nonlocal names")
def declared(word: str, names: Any) -> Statement:
    return statement((word, names if names.__class__ is tuple else (names,)))


@rule("names: names , any_name")
def more_names(names: Any, comma: str, name: str) -> Any:
    return (*(names if names.__class__ is tuple else (names,)), name)


# -- del


@rule("simple: del del_targets", "simple: del del_targets ,")
def deleted(word: str, targets: Value, *comma: str) -> Statement:
    return statement(_delete(elements_of(targets)))


def _delete(elements: Elements) -> Operations:
    operations: Operations = None
    for star, operand, reads in elements:
        done: Operations = ("error", STARRED_HERE, COMPILED) if star else None
        if operand.__class__ is str:
            done = both(done, ("del", operand) if operand else None)
        elif operand.__class__ is Group:
            done = both(done, _delete(operand.elements))
        else:
            done = both(done, reads)
            if operand.__class__ is Attribute:
                done = both(done, ("fact", "deleted", operand.base, operand.name))
            elif operand is DEBUG:
                done = both(done, ("error", DELETES_DEBUG, FORBIDDEN_NOW))
        operations = both(operations, done)
    return operations


# -- assignments


@rule("assign_heads: targets =")
def assigned(targets: Value, sign: str) -> Targets:
    return [targets]


@rule("assign_heads: assign_heads targets =")
def assigned_again(before: Targets, targets: Value, sign: str) -> Targets:
    return [*before, targets]


@rule("assignment: assign_heads assigned")
def assign(heads: Targets, value: Value) -> Statement:
    given = None if is_list(value) else ("value", path_of(value))
    before: Operations = None
    after: Operations = None
    for targets in heads:
        elements, comma = elements_of(targets), is_list(targets)
        stars = sum(element[0] for element in elements)
        if any(operand == DUNDER_DEBUG or operand is DEBUG for _, operand, _ in elements) and stars < 2:
            before = both(before, ("error", ASSIGNS_DEBUG, FORBIDDEN))
        after = both(after, _bind(elements, comma, given))
    return statement(before, read_alone(value), after)


def _bind(elements: Elements, comma: bool, given: _Given) -> Operations:
    """Bind the targets before an `=` to a value."""
    target: Any = elements[0][1] if len(elements) == 1 and not comma and given is not None else None
    if target.__class__ is Attribute:
        return both(elements[0][2], store(target, given))
    operations = bind(elements, top=True, comma=comma)
    if target.__class__ is str:
        return both(operations, ("fact", "made", target, given)) if target else None
    return both(operations, made_of(elements, comma, given[1]) if given is not None else None)


@rule("assignment: single augmented assigned")
def augment(target: Value, sign: str, value: Value) -> Statement:
    operand: Any = unwrapped(target if target.__class__ is str else target[0])
    if operand.__class__ is str:
        bound = both(bind_name(operand), ("fact", "made", operand, None))
        return statement(read(target), read_alone(value), bound)
    stored: Operations = None
    if operand.__class__ is Attribute:
        stored = store(operand, None)
    elif operand is DEBUG:
        stored = "error", ASSIGNS_DEBUG, FORBIDDEN_NOW
    return statement(read(target), stored, read_alone(value))


@rule("assignment: annotated : expression")
def annotate(target: Value, colon: str, annotation: Value) -> Statement:
    return _annotate(target, annotation)


@rule("assignment: annotated : expression = assigned")
def annotate_value(target: Value, colon: str, annotation: Value, sign: str, value: Value) -> Statement:
    return _annotate(target, annotation, (value,))


def _annotate(target: Value, annotation: Value, values: tuple[Value, ...] = ()) -> Statement:
    """values: the assigned one, if any."""
    operand: Any = unwrapped(target if target.__class__ is str else target[0])
    is_name, path = target.__class__ is str, path_of(annotation)
    reads = None if operand.__class__ is str else target[2]
    given = together(*map(read_alone, values))
    noted = ("variable annotation", read(annotation), is_name)
    before = together(reads, checked(operand), noted)
    if operand.__class__ is Attribute:
        return statement(before, store(operand, ("annotated", path)), given)
    if operand.__class__ is not str:
        return statement(before, ("spread subscript",) if operand is SPREAD_SUBSCRIPT and not values else None, given)
    if not is_name and not values:
        return statement(before, ("annotated name", operand))
    kind = ("annotated value" if values else "annotated") if is_name else "bind"
    bound = together(bind_name(operand, kind), ("fact", "made", operand, ("annotated", path)))
    if not is_name:
        return statement(before, given, bound)
    field = Field(operand, path, bool(values), path_of(values[0]) if values else None)
    return statement(before, given, bound, ("fact", "field", field))


@rule("simple: type defined = expression")
def alias(word: str, defined: Any, sign: str, value: Value) -> Statement:
    from .definitions import as_defined

    name, parameters, bounds = as_defined(defined)
    return statement(("alias", parameters, both(bounds, read(value))), bind_name(name))
