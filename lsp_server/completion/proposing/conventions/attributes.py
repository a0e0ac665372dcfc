"""Parameters that a method keeps as attributes of `self`, and members of an enumeration."""

from __future__ import annotations

import itertools
import re

from .....common.possessive import compiled
from .cursor import DEF, MAX_ABOVE, MAX_CHARS, Cursor, body_below, header_of, indent_of, parameters_of, parts_of

_NEARBY = 30  # lines above in which the same is said of other members

_SELF = compiled(r"[ \t]++self\.(?P<name>\w++)(?:[ \t]*+:[^=()]++)?+[ \t]*+=[ \t]$")
_KEPT = compiled(r"[ \t]++self\.(?P<name>\w++)(?:[ \t]*+:[^=]++)?+[ \t]*+=[ \t]*(?P<value>\w+)[ \t]*")
_MEMBER = re.compile(r"(?<![\w.])(?P<name>_*[A-Z]\w*)\.?$")
_RETURNED = re.compile(r"return[ \t]+(?P<name>_*[A-Z]\w*)\.\w+")
_MEMBERS = re.compile(r"^(?P<blank>[ \t]+)[^\W_]\w*[ \t]*=(?!=)", re.MULTILINE)


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


def next_member(cursor: Cursor) -> str | None:
    """`return Level.` below `return Level.LOW`: the next member in the direction of the lines above, or the only one left.

    Behind `return` and `return Level`, too.
    """
    if cursor.rest.strip()[:1] not in ("", *")]},:"):
        return None
    own = indent_of(cursor.line)
    nearby = itertools.takewhile(
        lambda line: indent_of(line) >= own or DEF.match(line) is None, reversed(cursor.above[-_NEARBY:])
    )
    function = [line.strip() for line in nearby]
    match, begun = _MEMBER.search(cursor.line), cursor.line.lstrip()
    if match is not None:
        said, name = match.group(), match["name"]
    else:
        returned = (_RETURNED.fullmatch(line) for line in function if line.startswith("return"))
        before = next(returned, None) if begun == "return " else None
        said, name = "", before["name"] if before is not None else ""
    if not name:
        return None
    start = f"{begun.removesuffix(said)}{name}."
    after = (line.removeprefix(start) for line in function if line.startswith(start))
    used = [word[0] for rest in after if (word := re.match(r"\w+", rest))]
    following = _following(used, members_of(name, cursor) if used else [])
    return f"{name}.{following}".removeprefix(said) if following else None


def _following(used: list[str], members: list[str]) -> str | None:
    """The member that comes after those used, of which the last one is the first here."""
    left = [name for name in members if name not in used]
    if used and len(left) == 1:
        return left[0]
    at = [members.index(name) for name in used[:2] if name in members]
    if len(at) != min(len(used), 2) or not left:
        return None
    ends = {0: 1, len(members) - 1: -1}
    step = at[0] - at[1] if len(at) == 2 else ends.get(at[0], 0)
    following = at[0] + step
    known = abs(step) == 1 and 0 <= following < len(members) and members[following] in left
    return members[following] if known else None


def members_of(name: str, cursor: Cursor) -> list[str]:
    """The members of an enumeration of this file or an open one, in their order."""
    header = re.compile(
        rf"^class[ \t]+{name}\([\w., \t]*\b(?:Enum|IntEnum|StrEnum|Flag|IntFlag)\)[ \t]*:.*$", re.MULTILINE
    )
    for text in (
        cursor.left[-MAX_CHARS:],
        cursor.right[:MAX_CHARS],
        *(text[:MAX_CHARS] for _, text in cursor.others),
    ):
        start = header.search(text)
        if start:
            body = body_below(text, start.end())
            blank = next((one["blank"] for one in _MEMBERS.finditer(body)), "")
            return re.findall(rf"^{blank}([^\W_]\w*)[ \t]*=(?!=)", body, re.MULTILINE) if blank else []
    return []
