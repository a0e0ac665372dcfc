"""Headers of statements and clauses other than definitions."""

from __future__ import annotations

from typing import Any

from ..line_values import Header
from ..operations import Operations, both, each, together
from ..type_paths import ELEMENT, ENTERED
from .expressions import read_alone
from .registry import header, rule
from .values import Value, bind, checked, elements_of, is_list, made_of, path_of, read

EXPECTS_ERRORS = frozenset(("raises", "assertRaises", "assertRaisesRegex", "suppress"))
"""Words that guard code that may fail."""
_CATCHES_ATTRIBUTES = frozenset(
    ("AttributeError", "ImportError", "ModuleNotFoundError", "TypeError", "NameError", "Exception")
)
_SECOND_TRY = frozenset(("AttributeError", "TypeError"))


@header("if_head")
def if_(parts: dict[str, Any]) -> Header:
    return Header("elif" if "elif" in parts else "if", read(parts["named_expression"]))


@header("while")
def while_(parts: dict[str, Any]) -> Header:
    return Header("while", read(parts["named_expression"]))


@header("else", "try", "finally")
def clause(parts: dict[str, Any]) -> Header:
    return Header(next(iter(parts)))


@header("for")
def for_(parts: dict[str, Any]) -> Header:
    targets, iterated, is_async = parts["targets"], parts["iterated"], "async" in parts
    elements, comma, path = elements_of(targets), is_list(targets), path_of(iterated)
    bound = bind(elements, top=True, comma=comma)
    made = made_of(elements, comma, (*path, ELEMENT)) if path is not None and not is_async else None
    flag = ("flag", "async for") if is_async else None
    return Header("for", together(read_alone(iterated), bound, made, flag), None, is_async)


@header("match")
def match(parts: dict[str, Any]) -> Header:
    subject = parts["subject"]
    probed = [path_of(subject)]
    if is_list(subject):
        probed = [(operation[1],) for operation in each(read(subject)) if operation[0] == "use"]
    facts = (("fact", "probed", path) for path in probed if path is not None)
    return Header("match", together(read(subject), *facts))


# -- with: the value of items is a tuple of (operations, targets, the managers' paths)


@rule("with_item: expression", "no_as_items: expression")
def manager(value: Value) -> Any:
    return ((read(value), None, path_of(value)),)


@rule("with_item: expression as star_target", "as_items: expression as star_target")
def manager_as(value: Value, as_: str, target: Value) -> Any:
    elements = elements_of(target)
    return ((both(read(value), bind(elements, top=True)), elements, path_of(value)),)


@rule("with_items+", "as_items: as_items , with_item")
def managers(a: Any, comma: str, b: Any) -> Any:
    return a + b


@rule("no_as_items+")
def more_managers(before: Any, comma: str, value: Value) -> Any:
    return before + manager(value)


@rule("as_items: no_as_items , expression as star_target")
def first_as(before: Any, comma: str, value: Value, as_: str, target: Value) -> Any:
    return before + manager_as(value, as_, target)


@header("with")
def with_(parts: dict[str, Any]) -> Header:
    is_async = "async" in parts
    items = parts.get("with_items") or parts["as_items"]
    is_plain, expects = "with_items" in parts, False
    operations: Operations = None
    for done, elements, path in items:
        operations = both(operations, done)
        if is_plain and path is not None:
            expects = expects or not EXPECTS_ERRORS.isdisjoint(path)
            if elements is not None and not is_async:
                operations = both(operations, made_of(elements, False, (*path, ENTERED)))
    if is_async:
        operations = both(operations, ("flag", "async with"))
    return Header(
        "with", operations, None, is_async, catches_attributes=expects, managers=len(items) if is_plain else 1
    )


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
