"""After `@` above a method: what its parameters say that it is."""

from __future__ import annotations

import re

from .cursor import MAX_ABOVE, Cursor, indent_of

_DECORATOR = re.compile(r"[ \t]+@$")
_METHOD = re.compile(
    r"(?P<indent>[ \t]+)(?:async[ \t]+)?def[ \t]+(?P<name>\w+)\([ \t]*(?P<first>\w*)[ \t]*(?P<end>[),]?)"
)


def kind_of_method(cursor: Cursor) -> str | None:
    """`classmethod` above `def name(cls`, `staticmethod` above a method without a receiver, `name.setter` below the property of that name."""
    method = _method_below(cursor)
    if method is None:
        return None
    if method["first"] == "cls":
        return "classmethod"
    if method["first"] != "self":
        return "staticmethod" if method["first"] or method["end"] == ")" else None
    return f"{method['name']}.setter" if method["end"] == "," and _has_property(method, cursor) else None


def property_below(cursor: Cursor) -> str | None:
    """`property` above a method that takes only `self`."""
    method = _method_below(cursor)
    return "property" if method is not None and (method["first"], method["end"]) == ("self", ")") else None


def _method_below(cursor: Cursor) -> re.Match[str] | None:
    """The header of the method that is decorated at the cursor, by nothing else."""
    if _DECORATOR.match(cursor.line) is None or cursor.rest.strip():
        return None
    own = indent_of(cursor.line)
    method = _METHOD.match(cursor.right[:MAX_ABOVE].partition("\n")[2])
    if method is None or len(method["indent"]) != own or (cursor.above and cursor.above[-1].lstrip().startswith("@")):
        return None
    around = next((line for line in reversed(cursor.above) if line.strip() and indent_of(line) < own), "")
    return method if around.lstrip().startswith("class ") else None


def _has_property(method: re.Match[str], cursor: Cursor) -> bool:
    """Whether the property that a method sets is above."""
    blank, name = method["indent"], method["name"]
    made = re.compile(rf"^{blank}@(?:[\w.]*property|{name}\.\w+)[^\n]*\n{blank}def[ \t]+{name}\(", re.MULTILINE)
    return made.search(cursor.left, max(0, len(cursor.left) - MAX_ABOVE)) is not None
