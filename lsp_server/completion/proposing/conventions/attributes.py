"""Parameters that a method keeps as attributes of `self`, and members of an enumeration."""

from __future__ import annotations

import re

from .....common.possessive import compiled
from .cursor import DEF, MAX_ABOVE, Cursor, header_of, indent_of, parameters_of, parts_of

_SELF = compiled(r"[ \t]++self\.(?P<name>\w++)(?:[ \t]*+:[^=()]++)?+[ \t]*+=[ \t]$")
_KEPT = compiled(r"[ \t]++self\.(?P<name>\w++)(?:[ \t]*+:[^=]++)?+[ \t]*+=[ \t]*(?P<value>\w+)[ \t]*")


def kept(cursor: Cursor) -> str | None:
    """`self.name = ` in a method that has such a parameter."""
    match = _SELF.match(cursor.line)
    if match is None or cursor.rest.strip():
        return None
    names = parameters_of(cursor)
    return next((name for name in (match["name"], match["name"].lstrip("_")) if name in names), None)


def keeps_next(cursor: Cursor) -> str | None:
    """A line of `__init__` behind `self.name = name`: the same for the next parameter."""
    start = cursor.line.strip()
    if start not in ("", "self.") or not indent_of(cursor.line) or cursor.rest.strip():
        return None
    last = _KEPT.fullmatch(next((line for line in reversed(cursor.above) if line.strip()), ""))
    header = header_of(cursor) if last is not None and indent_of(last[0]) == indent_of(cursor.line) else None
    match = DEF.match(header) if header else None
    if last is None or header is None or match is None or match["name"] != "__init__":
        return None
    names = [re.split(r"[:=]", part)[0].strip() for part in parts_of(header[match.end() :])]
    mark = last["name"].removesuffix(last["value"])
    if last["value"] not in names or last["name"] != mark + last["value"] or mark not in ("", "_"):
        return None
    name = next(iter(names[names.index(last["value"]) + 1 :]), "")
    if not name.isidentifier() or re.search(
        rf"^[ \t]+self\._?{name}\b[ \t]*[:=]", cursor.right[:MAX_ABOVE], re.MULTILINE
    ):
        return None
    return f"{'' if start else 'self.'}{mark}{name} = {name}"
