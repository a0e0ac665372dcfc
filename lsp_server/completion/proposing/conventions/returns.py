"""After `return`: the variable that was just built, or filled by a block above."""

from __future__ import annotations

import re

from .....common.possessive import compiled
from .cursor import ASSIGNED, Cursor, header_of, indent_of

_BUILT = re.compile(
    r"(?P<name>[^\W\d]\w*)(?:\.(?:append|extend|add|update|insert|sort|reverse|write|setdefault|appendleft)\(|\[.*\]\s*[-+*/|]?=(?!=))"
)
_EMPTY = compiled(
    r"(?P<name>[^\W\d]\w*+)(?:\s*+:[^=]++)?+\s*+=\s*+(?:\[.*\]|\{.*\}|\(\)|\"\"|''|-?\d+|None|False|True|\w*(?:list|dict|set|str|Counter|OrderedDict|StringIO|BytesIO|deque|defaultdict)\(.*\))\s*$"
)
# What a value written in a file is, and how functions are annotated that give such a value.
_KINDS = {
    "collection": (
        re.compile(r"[\[{]|\(\)|(?:\w+\.)?(?:list|dict|set|Counter|OrderedDict|deque|defaultdict)\("),
        re.compile(
            r"(?:\w+\.)*(?:[Ll]ist|[Dd]ict|[Ss]et|[Ff]rozen[Ss]et|[Tt]uple|(?:Mutable)?(?:Sequence|Mapping)|Iterable|Iterator|Collection"
            r"|Counter|OrderedDict|[Dd]efault[Dd]ict|[Dd]eque)\b"
        ),
    ),
    "number": (re.compile(r"-?\d"), re.compile(r"(?:int|float)$")),
    "text": (re.compile(r"[\"']"), re.compile(r"str$")),
    "truth": (re.compile(r"(?:True|False)$"), re.compile(r"bool$")),
}
_CLASS_NAME = compiled(r"(?:\w++\.)*+[A-Z]\w+$")
_RETURN = re.compile(r"[ \t]+return[ \t]$")


def returned(cursor: Cursor) -> str | None:
    """After `return`: what the statement before has assigned or filled."""
    if cursor.rest.strip() or not _RETURN.match(cursor.line):
        return None
    previous = next((line for line in reversed(cursor.above) if line.strip()), "")
    indent = indent_of(cursor.line)
    if indent_of(previous) != indent:
        return None
    bare = previous.strip()
    match = ASSIGNED.match(bare) or _BUILT.match(bare)
    if match is None or match["name"] == "self" or _annotated_as_it(match["name"], cursor) is False:
        return None
    return match["name"]


def as_annotated(cursor: Cursor) -> str | None:
    """The same as `collected`, where the function is annotated to give what the variable is."""
    name = _filled(cursor)
    return name if name and _annotated_as_it(name, cursor) else None


def collected(cursor: Cursor) -> str | None:
    """After `return` behind a loop or another block: what was empty before it and is named in it.

    Nothing where the function is annotated to give something else.
    """
    name = _filled(cursor)
    return name if name and _annotated_as_it(name, cursor) is None else None


def _filled(cursor: Cursor) -> str | None:
    """After `return` behind a loop or another block: what was empty before it and is named in it."""
    if cursor.rest.strip() or not _RETURN.match(cursor.line):
        return None
    indent = indent_of(cursor.line)
    inside: list[str] = []
    for line in reversed(cursor.above):
        if line.strip() and indent_of(line) > indent:
            inside.append(line)
        elif line.strip() and indent_of(line) < indent:
            return None
        elif line.strip() and inside:
            match = _EMPTY.match(line.strip())
            if match and re.search(rf"\b{match['name']}\b", "\n".join(inside)):
                return match["name"]
            inside.append(line)
        elif line.strip():
            return None
    return None


def _annotated_as_it(name: str, cursor: Cursor) -> bool | None:
    """Whether the function is annotated to give what a variable was bound to last; None: not known."""
    bound = compiled(rf"[ \t]++{name}(?:[ \t]*+:[^=]++)?+[ \t]*+=(?!=)[ \t]*(?P<value>.+)")
    last = next((match["value"].strip() for line in reversed(cursor.above) if (match := bound.match(line))), "")
    _, arrow, result = (header_of(cursor) or "").partition("#")[0].rpartition("->")
    given = result.strip(" \t:\"'") if arrow else ""
    kind = next((kind for kind, (value, _) in _KINDS.items() if value.match(last)), None)
    wanted = next((kind for kind, (_, annotated) in _KINDS.items() if annotated.match(given)), None)
    if kind is None:
        return None
    if wanted is None:
        return False if kind == "collection" and _CLASS_NAME.match(given) and given != "Any" else None
    return wanted == kind
