"""After `@` above a method: what its parameters say that it is."""

from __future__ import annotations

import re

from .cursor import MAX_ABOVE, Cursor, indent_of

_DECORATOR = re.compile(r"[ \t]+@$")
_METHOD = re.compile(
    r"(?P<indent>[ \t]+)(?P<async>async[ \t]+)?def[ \t]+(?P<name>\w+)\([ \t]*(?P<first>\w*)[ \t]*(?P<end>[),]?)(?P<gives>[^\n]*)"
)
_OWN_KIND = ("__new__", "__init_subclass__", "__class_getitem__")  # need no decorator
_RECEIVERS = re.compile(r"_?self|this|metacls|mcs|mcls|klass|_?cls_?")  # by other names
_OTHER_CLASS = re.compile(r"type\b|\w*(?:Meta|Interface)\b")  # in whose methods `cls` or no receiver is ordinary


def kind_of_method(cursor: Cursor) -> str | None:
    """`classmethod` above `def name(cls`, `staticmethod` above a method without a receiver, `name.setter` below the property of that name."""
    method, around = _method_below(cursor)
    if method is None or method["name"] in _OWN_KIND or _OTHER_CLASS.search(around.partition("(")[2]):
        return None
    if method["first"] == "cls":
        return "classmethod"
    if method["first"] == "self":
        return f"{method['name']}.setter" if method["end"] == "," and _has_property(method, around, cursor) else None
    if _RECEIVERS.fullmatch(method["first"]):
        return None
    return "staticmethod" if method["first"] or method["end"] == ")" else None


def _method_below(cursor: Cursor) -> tuple[re.Match[str] | None, str]:
    """The header of the method that is decorated at the cursor, by nothing else, and the line of its class."""
    if _DECORATOR.match(cursor.line) is None or cursor.rest.strip():
        return None, ""
    own = indent_of(cursor.line)
    method = _METHOD.match(cursor.right[:MAX_ABOVE].partition("\n")[2])
    above = cursor.above[-1].lstrip() if cursor.above else ""
    if method is None or len(method["indent"]) != own or above.startswith(("@", ")")):
        return None, ""
    around = next((line for line in reversed(cursor.above) if line.strip() and indent_of(line) < own), "")
    return (method, around) if around.lstrip().startswith("class ") else (None, "")


def _has_property(method: re.Match[str], around: str, cursor: Cursor) -> bool:
    """Whether the property of a method's name is above it in the class that begins with the line `around`."""
    blank, name = method["indent"], method["name"]
    made = re.compile(rf"^{blank}@(?:[\w.]*property|{name}\.\w+)[^\n]*\n{blank}def[ \t]+{name}\(", re.MULTILINE)
    return made.search(cursor.left, max(0, cursor.left.rfind(around))) is not None
