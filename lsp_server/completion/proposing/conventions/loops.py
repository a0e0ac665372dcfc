"""After `for room in`: what is called `rooms`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .cursor import MAX_ABOVE, MAX_CHARS, Cursor, body_below, header_of, variables_of
from .plurals import plurals

_FOR = re.compile(r"\bfor[ \t]+(?P<name>[^\W\d]\w*)[ \t]+in[ \t]$")
_CLASS = re.compile(r"^class[ \t]+(\w+).*:$", re.MULTILINE)
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
        owners = {f"{name}.{many}{call}" for text in texts for name, call in _owners(text, here, many)}
        if len(owners) == 1:
            return owners.pop()
    return None


def _owners(text: str, variables: frozenset[str], attribute: str) -> Iterator[tuple[str, str]]:
    """The variables that are called as classes of a text with an attribute, and what follows it to read it: "()" for a method."""
    called: dict[str, list[str]] = {}
    for name in variables:
        called.setdefault(name.replace("_", "").lower(), []).append(name)
    for match in _CLASS.finditer(text):  # once for all variables: there may be thousands of either
        if match[1].lower() in called and (call := _read_by(attribute, body_below(text, match.end()))) is not None:
            yield from ((name, call) for name in called.pop(match[1].lower()))


def _read_by(attribute: str, body: str) -> str | None:
    """What follows an attribute to read it, if the body of a class has it."""
    if re.search(rf"^[ \t]+def[ \t]+{attribute}\(self\)", body, re.MULTILINE):
        made = re.search(rf"@(?:cached_)?property\b.*\n[ \t]+def[ \t]+{attribute}\(", body)
        return "" if made else "()"
    is_field = re.search(rf"\bself\.{attribute}[ \t]*[:=]|^[ \t]+{attribute}[ \t]*:", body, re.MULTILINE)
    return "" if is_field else None
