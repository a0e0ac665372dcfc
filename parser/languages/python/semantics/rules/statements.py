"""Simple statements other than imports. Their values are like those of expressions; that of `simples` is (kinds, features, operations), see Line."""

from __future__ import annotations

from typing import Any

from ..line_values import COMPILED, FORBIDDEN, FORBIDDEN_NOW, Field
from ..messages import ASSIGNS_DEBUG, DELETES_DEBUG
from ..messages import STARRED as STARRED_HERE
from ..operations import Operations, both, together
from ..targets import DEBUG, DUNDER_DEBUG, SPREAD_SUBSCRIPT, TEXT, Attribute, Elements, Group, Mark, unwrapped
from ..type_paths import Path
from .definitions import as_defined
from .imports import FUTURE, RELATIVE_FUTURE
from .registry import rule
from .values import (
    Value,
    all_of,
    bind,
    bind_name,
    checked,
    constant,
    elements_of,
    is_list,
    made_of,
    path_of,
    read,
    store,
)

Statements = tuple[str, tuple[str, ...], Operations]
_Given = tuple[str, Path | None] | None
"""See ("fact", "made") in facts.py."""
_KINDS: dict[Any, str] = {TEXT: "s", FUTURE: "f", RELATIVE_FUTURE: "r"}


@rule("simples: simple")
def statement(value: Value) -> Statements:
    if value.__class__ is tuple and value[0].__class__ is Mark and value[0] in _KINDS:
        kind = _KINDS[value[0]]
        return kind, value[1] if kind != "s" else (), value[2]
    return ".", (), read(value)


@rule("simples: simples ; simple")
def statements(before: Statements, semicolon: str, value: Value) -> Statements:
    kind, features, operations = statement(value)
    kinds = before[0] if before[0][-1:] == kind == "." else before[0] + kind
    return kinds, before[1] + features, both(before[2], operations)


@rule("simple: break", "simple: continue", "simple: return")
def jump(word: str) -> Value:
    return constant(("flag", word))


@rule("simple: return star_expressions")
def returned(word: str, value: Value) -> Value:
    return all_of(("flag", word), ("flag", "return value"), read(value))


@rule("simple: raise expression", "simple: raise expression from expression")
@rule("simple: assert expression", "simple: assert expression , expression")
def expressions(word: str, *values: Value) -> Value:
    return all_of(*map(read, values[::2]))


@rule("simple: global names", "simple: nonlocal names")
def declared(word: str, names: Any) -> Value:
    return constant((word, names[0]))


# -- del


@rule("simple: del del_targets", "simple: del del_targets ,")
def deleted(word: str, targets: Value, *comma: str) -> Value:
    return constant(_delete(elements_of(targets)))


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


@rule("assign_heads+")
def assigned(*parts: Any) -> list[Value]:
    *before, targets, _ = parts
    return [*(before[0] if before else ()), targets]


@rule("assignment: assign_heads assigned")
def assign(heads: list[Value], value: Value) -> Value:
    given = None if is_list(value) else ("value", path_of(value))
    before: Operations = None
    after: Operations = None
    for targets in heads:
        elements, comma = elements_of(targets), is_list(targets)
        stars = sum(element[0] for element in elements)
        if any(operand == DUNDER_DEBUG or operand is DEBUG for _, operand, _ in elements) and stars < 2:
            before = both(before, ("error", ASSIGNS_DEBUG, FORBIDDEN))
        after = both(after, _bind(elements, comma, given))
    return constant(both(both(before, read(value)), after))


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
def augment(target: Value, sign: str, value: Value) -> Value:
    operand: Any = unwrapped(target if target.__class__ is str else target[0])
    if operand.__class__ is str:
        bound = both(bind_name(operand), ("fact", "made", operand, None))
        return all_of(read(target), read(value), bound)
    stored: Operations = None
    if operand.__class__ is Attribute:
        stored = store(operand, None)
    elif operand is DEBUG:
        stored = "error", ASSIGNS_DEBUG, FORBIDDEN_NOW
    return all_of(read(target), stored, read(value))


@rule("assignment: annotated : expression", "assignment: annotated : expression = assigned")
def annotate(target: Value, colon: str, annotation: Value, *values: Value) -> Value:
    """values: "=" and what is assigned, if anything."""
    operand: Any = unwrapped(target if target.__class__ is str else target[0])
    is_name, path = target.__class__ is str, path_of(annotation)
    reads = None if operand.__class__ is str else target[2]
    after = read(values[1]) if values else None
    if operand.__class__ is Attribute:
        after = both(store(operand, ("annotated", path)), after)
    elif operand.__class__ is not str:
        after = after if values or operand is not SPREAD_SUBSCRIPT else ("spread subscript",)
    elif not is_name and not values:
        after = ("annotated name", operand)
    else:
        kind = ("annotated value" if values else "annotated") if is_name else "bind"
        after = together(after, bind_name(operand, kind), ("fact", "made", operand, ("annotated", path)))
    if is_name:
        field = Field(operand, path, bool(values), path_of(values[1]) if values else None)
        after = both(after, ("fact", "field", field))
    return all_of(reads, checked(operand), ("variable annotation", read(annotation), is_name), after)


@rule("simple: type defined = expression")
def alias(word: str, defined: Any, sign: str, value: Value) -> Value:
    name, parameters, bounds = as_defined(defined)
    return all_of(("alias", parameters, both(bounds, read(value))), bind_name(name))
