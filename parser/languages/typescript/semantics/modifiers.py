"""Modifiers of members and parameters: their combinations, their order, and the words they may precede."""

from __future__ import annotations

from .automaton import Checker
from .kinds import At
from .messages import CONSTRUCTOR_KIND

_ACCESS = frozenset(["public", "private", "protected"])
_NOT_BEHIND = {
    **dict.fromkeys(_ACCESS, _ACCESS | {"override", "static", "accessor", "readonly", "async", "abstract"}),
    "static": frozenset(["static", "readonly", "async", "accessor", "abstract", "override"]),
    "override": frozenset(["override", "declare", "readonly", "accessor", "async"]),
    "readonly": frozenset(["readonly", "accessor"]),
    "accessor": frozenset(["accessor", "readonly", "declare"]),
    "declare": frozenset(["declare", "async", "override", "accessor"]),
    "abstract": frozenset(["abstract", "static", "private", "async", "override", "accessor"]),
    "async": frozenset(["async", "declare", "abstract"]),
}
"""modifier -> those that may not stand before it"""
_BEFORE = {
    "field": _ACCESS | {"static", "override", "readonly", "accessor", "declare", "abstract"},
    "method": _ACCESS | {"static", "override", "abstract", "async"},
    "getter": _ACCESS | {"static", "override", "abstract"},
    "constructor": _ACCESS,
    "index": frozenset(["static", "readonly"]),
    "block": frozenset[str](),
}
"""The modifiers of each kind of member."""
_DECLARES = frozenset(["declare", "abstract"])
_NOT_PRIVATE = _ACCESS | {"declare", "abstract"}
PROPERTIES = "= properties"
"""A note among the names of a constructor: its parameters are properties."""
OF_PARAMETERS = _ACCESS | {"readonly", "override"}


def _check_order(m: Checker, words: tuple[str, ...]) -> None:
    for place, word in enumerate(words):
        if not _NOT_BEHIND[word].isdisjoint(words[:place]):
            m.error(f"'{word}' does not go behind the modifiers before it")


def kind_of_member(words: tuple[str, ...], name: str, *, has_parameters: bool) -> str:
    """The kind of a member, by the words before its name."""
    if name == "[:":
        return "index"
    if "get" in words or "set" in words:
        return "getter"
    if not has_parameters:
        return "field"
    return "constructor" if name == "constructor" and "*" not in words else "method"


def check_member(m: Checker, words: tuple[str, ...], name: str, kind: str, *, may_be_abstract: bool) -> None:
    """Refuse words that may not stand before a member of that name. may_be_abstract: whether it is in an abstract class."""
    if name == "#constructor":
        m.error("'#constructor' is no name")
    if name == "constructor":
        if kind == "field":
            m.error("a field is called 'constructor'")
        if kind in ("getter", "method") and ("static" not in words or (m.ts and kind == "getter")):
            m.error(CONSTRUCTOR_KIND)
    modifiers = tuple(word for word in words if word in _NOT_BEHIND)
    if kind == "constructor" and "async" in words and (m.ts or "static" not in words):
        m.error(CONSTRUCTOR_KIND)
    if name == "prototype" and "static" in words and (kind != "field" or not m.ts):
        m.error("a static member is called 'prototype'")
    if not m.ts:
        return
    if "@" in words and (kind in ("constructor", "index", "block") or not _DECLARES.isdisjoint(words)):
        m.error("a decorator does not stand before a member of this kind")
    _check_order(m, modifiers)
    for word in modifiers:
        if word not in _BEFORE[kind]:
            m.error(f"'{word}' does not stand before a member of this kind")
    if "abstract" in modifiers and not may_be_abstract:
        m.error("a class with abstract members is not abstract")
    if "async" in modifiers and m.context & At.AMBIENT:
        m.error("a method that is declared only is not async")
    if name[0] == "#" and not _NOT_PRIVATE.isdisjoint(modifiers):
        m.error("a modifier stands before a private name")


def check_parameter(m: Checker, words: tuple[str, ...], kind: str, *, is_constructor: bool) -> None:
    """Refuse words that may not stand before a parameter, by the kind of its first symbol."""
    _check_order(m, words)
    m.note(PROPERTIES)
    if not is_constructor:
        m.error("a parameter property is only allowed in a constructor")
    if kind != "name":
        m.error("a parameter property is no pattern, and not 'this'")
