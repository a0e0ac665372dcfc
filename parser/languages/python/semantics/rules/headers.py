"""Headers of statements and clauses other than definitions."""

from __future__ import annotations

from typing import Any

from ..line_values import Header
from ..operations import both, each, together
from ..type_paths import ELEMENT, ENTERED
from .registry import header, rule
from .values import Value, bind, checked, elements_of, is_list, joined, made_of, path_of, read

EXPECTS_ERRORS = frozenset(("raises", "assertRaises", "assertRaisesRegex", "suppress"))
"""Words that guard code that may fail."""
_CATCHES_ATTRIBUTES = frozenset(
    ("AttributeError", "ImportError", "ModuleNotFoundError", "TypeError", "NameError", "Exception")
)
_SECOND_TRY = frozenset(("AttributeError", "TypeError"))


@header("if_head", "while", "else", "try", "finally")
def clause(parts: dict[str, Any]) -> Header:
    word = next(word for word in parts if word != "if_head")
    return Header(word, read(parts.get("named_expression")))


@header("for")
def for_(parts: dict[str, Any]) -> Header:
    targets, iterated, is_async = parts["targets"], parts["iterated"], "async" in parts
    elements, comma, path = elements_of(targets), is_list(targets), path_of(iterated)
    bound = bind(elements, top=True, comma=comma)
    made = made_of(elements, comma, (*path, ELEMENT)) if path is not None and not is_async else None
    flag = ("flag", "async for") if is_async else None
    return Header("for", together(read(iterated), bound, made, flag), None, is_async)


@header("match")
def match(parts: dict[str, Any]) -> Header:
    subject = parts["subject"]
    probed = [path_of(subject)]
    if is_list(subject):
        probed = [(operation[1],) for operation in each(read(subject)) if operation[0] == "use"]
    facts = (("fact", "probed", path) for path in probed if path is not None)
    return Header("match", together(read(subject), *facts))


# -- with: the value of items is (paths and targets of the managers, "", operations)


@rule("with_item: expression", "no_as_items: expression", "with_item+", "as_items: expression as star_target")
def manager(value: Value, *as_: Value) -> Any:
    elements = elements_of(as_[1]) if as_ else ()
    return ((path_of(value), elements),), "", both(read(value), bind(elements, top=True))


@rule("no_as_items+", "as_items: no_as_items , expression as star_target")
def more_managers(before: Any, comma: str, *item: Value) -> Any:
    return joined(before, comma, manager(*item))


rule("with_items+", "as_items: as_items , with_item")(joined)


@header("with")
def with_(parts: dict[str, Any]) -> Header:
    is_async = "async" in parts
    # Parentheses may hold a tuple, too.
    items, _, operations = parts.get("with_items") or ((), "", parts["as_items"][2])
    expects = any(path is not None and not EXPECTS_ERRORS.isdisjoint(path) for path, _ in items)
    for path, elements in () if is_async else items:
        operations = both(operations, made_of(elements, False, (*path, ENTERED)) if path is not None else None)
    if is_async:
        operations = both(operations, ("flag", "async with"))
    return Header("with", operations, None, is_async, catches_attributes=expects, managers=len(items) or 1)


@header("except", "star_except")
def except_(parts: dict[str, Any]) -> Header:
    caught, name = parts.get("expression", parts.get("expression_tuple", "")), parts.get("name")
    is_bare = caught == ""
    items = both(read(caught), checked(name))
    names = {operation[1] for operation in each(items) if operation[0] == "use"}
    return Header(
        "except",
        items,
        name,
        bare=is_bare,
        star="*" in parts,
        catches_names=is_bare or "NameError" in names,
        catches_attributes=is_bare or not names.isdisjoint(_CATCHES_ATTRIBUTES),
        is_second_try=not names.isdisjoint(_SECOND_TRY),
    )
