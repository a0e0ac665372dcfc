"""Keyword arguments: the parameter that comes after the one just passed, and where `print` tells of an error."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .....common.possessive import compiled
from .callables import CALL, kind_of, name_of, parameters
from .cursor import DEF, MAX_ABOVE, Cursor, has_import, header_of, indent_of, is_bound, parameters_of, parts_of

_MAX_LINES = 60  # of a call
_LONGEST = 200  # characters of a line
_PASSED = compiled(r"(?P<name>[^\W\d]\w*+)[ \t]*+=(?!=)[ \t]*+(?P<value>\S.*)")
# An attribute or a key, as it is or as what something is made of: `row["start"]`, `int(args.start)`.
_VALUE = compiled(
    r"(?P<made>[^\W\d][\w.]*+\((?![\"']))?+[^\W\d][\w.]*?"
    r"(?:\.(?P<attribute>\w++)|(?:\[|\.get\()(?P<quote>[\"'])(?P<key>\w++)(?P=quote)[\])])\)?+"
)
_ERROR = re.compile(
    r"[ \t]*print\(f?(?P<quote>[\"'])(?:error|warning|usage|fatal|failed|could not|cannot|unknown|invalid)\b"
    r"(?:(?!(?P=quote)).)*(?<!:)(?<!: )(?P=quote),[ \t]$",
    re.IGNORECASE,
)


def next_keyword(cursor: Cursor) -> str | None:
    """The parameter after the one that has just been passed by its name, where a variable has its name, too: `width=width`."""
    found = _next(cursor)
    if found is None or (found.value != name_of(found.last) and name_of(found.last) in re.findall(r"\w+", found.value)):
        return None  # below `years=-years` comes `months=-months`
    name = name_of(found.following)
    return found.saying(name) if name in parameters_of(cursor) or is_bound(name, cursor) else None


def next_keyword_alike(cursor: Cursor) -> str | None:
    """The same with a value like the last one's: `end=row["end"]` behind `start=row["start"]`."""
    found = _next(cursor)
    value = _VALUE.fullmatch(found.value) if found else None
    if found is None or value is None:
        return None
    group = "key" if value["key"] else "attribute"
    if value[group] != name_of(found.last):
        return None
    alike = found.value[: value.start(group)] + name_of(found.following) + found.value[value.end(group) :]
    return found.saying(alike) if kind_of(found.last) == kind_of(found.following) or not value["made"] else None


@dataclass(frozen=True)
class _Next:
    """The parameter that comes next in a call."""

    last: str  # the parameter that has been passed, as its function has it
    value: str  # what has been passed for it
    following: str  # the next parameter
    end: str  # a comma behind an argument on a line of its own, else nothing

    def saying(self, value: str) -> str:
        return f"{name_of(self.following)}={value}{self.end}"


def _next(cursor: Cursor) -> _Next | None:
    call = _call_of_lines(cursor) or _call_in_line(cursor)
    if call is None:
        return None
    opener, arguments, end = call
    match = CALL.search(opener.rstrip()[-_LONGEST:]) if DEF.match(opener) is None else None
    last = _PASSED.fullmatch(arguments[-1]) if match is not None and arguments else None
    around = DEF.match(header_of(cursor) or "")
    if match is None or last is None or (around is not None and around["name"] == match["name"]):
        return None  # a call of the function around passes on other values
    said = {one["name"] for argument in arguments if (one := _PASSED.match(argument))}
    known = [part for part in parameters(match["name"], bool(match["own"]), cursor) if name_of(part).isidentifier()]
    names = [name_of(part) for part in known]
    at = names.index(last["name"]) + 1 if last["name"] in names else len(names)
    if at >= len(names) or names[at] in said or _passed_below(names[at], cursor):
        return None
    return _Next(known[at - 1], last["value"], known[at], end)


def _call_of_lines(cursor: Cursor) -> tuple[str, list[str], str] | None:
    """What opens the call whose arguments stand on lines of their own, and those above the cursor's line, which is empty."""
    if cursor.line.strip() or not cursor.line or cursor.rest.strip():
        return None
    own, arguments = indent_of(cursor.line), list[str]()
    for commented in reversed(cursor.above[-_MAX_LINES:]):
        if commented.lstrip().startswith("#"):
            continue
        line = commented.partition("  #")[0]
        if indent_of(line) < own:
            return (line, arguments[::-1], ",") if line.strip() else None
        if indent_of(line) == own:
            if not line.rstrip().endswith(","):
                return None
            arguments.append(line.strip().removesuffix(","))
    return None


def _call_in_line(cursor: Cursor) -> tuple[str, list[str], str] | None:
    """The same for a call whose arguments stand in the cursor's line."""
    if not cursor.line.endswith(", ") or cursor.rest.strip()[:1] not in ("", ")") or len(cursor.line) > _LONGEST:
        return None
    depth = 0
    for at in range(len(cursor.line) - 1, -1, -1):
        depth += (cursor.line[at] in ")]}") - (cursor.line[at] in "([{")
        if depth < 0:
            return cursor.line[: at + 1], list(parts_of(cursor.line[at + 1 :])), ""
    return None


def _passed_below(name: str, cursor: Cursor) -> bool:
    return (
        re.search(rf"^[ \t]*{name}[ \t]*=(?!=)", cursor.right[:MAX_ABOVE].partition(")\n")[0], re.MULTILINE) is not None
    )


def to_stderr(cursor: Cursor) -> str | None:
    """`print("error: ...", ` in a file that imports `sys`: `file=sys.stderr`."""
    if len(cursor.line) > _LONGEST or _ERROR.match(cursor.line) is None or cursor.rest.strip() not in ("", ")"):
        return None
    if not has_import("sys", cursor):
        return None
    return "file=sys.stderr" + ("" if cursor.rest.strip() else ")")
