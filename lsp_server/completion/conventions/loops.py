"""After `for room in`: what is called `rooms`."""

from __future__ import annotations

import re

from .cursor import MAX_ABOVE, MAX_CHARS, Cursor, header_of, variables_of
from .plurals import plurals

_FOR = re.compile(r"\bfor[ \t]+(?P<name>[^\W\d]\w*)[ \t]+in[ \t]$")
_OF_MAPPINGS = ("items", "keys", "values")


def plural(cursor: Cursor) -> str | None:
    """`for room in `: the variable or the own attribute that is called `rooms`."""
    match = _FOR.search(cursor.line)
    if match is None or cursor.rest.strip()[:1] not in ("", ":", *")]}"):
        return None
    name = match["name"]
    here = variables_of(cursor)
    for many in plurals(name):
        if many in here:
            return many
        if re.search(rf"\bself\.{many}\b(?!\()", cursor.left) and "self" in (header_of(cursor) or ""):
            return f"self.{many}"
    return None


def plural_of(cursor: Cursor) -> str | None:
    """`for room in `: `house.rooms`, where a variable `house` has such an attribute, by its use above or its class's name."""
    match = _FOR.search(cursor.line)
    if match is None or cursor.rest.strip()[:1] not in ("", ":", *")]}"):
        return None
    here = variables_of(cursor) - {"self", "cls", match["name"]}
    texts = (cursor.left[-MAX_CHARS:], cursor.right[:MAX_CHARS], *(text[:MAX_CHARS] for _, text in cursor.others))
    for many in plurals(match["name"]):
        if many in _OF_MAPPINGS:
            continue
        used = {one for one in re.findall(rf"(?<![\w.])(\w+)\.{many}\b(?!\()", cursor.left[-MAX_ABOVE:]) if one in here}
        if len(used) == 1:
            return f"{used.pop()}.{many}"
        owners = {
            f"{name}.{many}{call}"
            for name in here
            for text in texts
            if (call := _of_class(text, name, many)) is not None
        }
        if len(owners) == 1:
            return owners.pop()
    return None


def _of_class(text: str, variable: str, attribute: str) -> str | None:
    """What follows an attribute of a variable to read it, where a text defines a class that is called as the variable is: "()" of a method."""
    name = variable.replace("_", "").lower()
    for match in re.finditer(r"^class[ \t]+(\w+).*:$", text, re.MULTILINE):
        if match[1].lower() == name:
            body = re.split(r"^\S", text[match.end() + 1 :], maxsplit=1, flags=re.MULTILINE)[0]
            if re.search(rf"^[ \t]+def[ \t]+{attribute}\(self\)", body, re.MULTILINE):
                made = re.search(rf"@(?:cached_)?property\b.*\n[ \t]+def[ \t]+{attribute}\(", body)
                return "" if made else "()"
            if re.search(rf"\bself\.{attribute}[ \t]*[:=]|^[ \t]+{attribute}[ \t]*:", body, re.MULTILINE):
                return ""
    return None
