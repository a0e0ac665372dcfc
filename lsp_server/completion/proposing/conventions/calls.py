"""What is passed on in calls: of functions and classes of this file and the open ones, and of the base class."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from .cursor import (
    DEF,
    MAX_CHARS,
    Cursor,
    body_below,
    header_of,
    indent_of,
    is_bound,
    parameters_of,
    parts_of,
    passing,
    variables_of,
)

_MAX_PARAMETERS = 2_000  # characters of a signature that are read
_CALL = re.compile(r"(?:(?P<own>(?<![\w.])self\.)|(?<![\w.]))(?P<name>[^\W\d]\w*)\($")
"""A call that has just been opened, of a function or of a method of `self`."""
_COMMENT = re.compile(r"(\"[^\"\n]*\"|'[^'\n]*')|#[^\n]*")
_KEYWORD = re.compile(r"[(,][ \t]*(?P<name>[^\W\d]\w*)=$|^[ \t]+(?P<alone>[^\W\d]\w*)=$")
_BLOCK = re.compile(r"[ \t]*(?:async[ \t]+)?(?:def|class)\b")
_SUPER = re.compile(r"super\([^()]*\)\.(?P<name>\w+)\($")
_CLASS = re.compile(r"[ \t]*class[ \t]+\w+\((?:[\w.]*\.)?(?P<base>\w+)[,)\[]")


def passed(cursor: Cursor) -> str | None:
    """`name=` in a call, where the function has something of that name."""
    name = _keyword_called(cursor)
    return name if name in parameters_of(cursor) else None


def passed_variable(cursor: Cursor) -> str | None:
    """The same, where a variable of that name is bound above."""
    name = _keyword_called(cursor)
    return name if name and is_bound(name, cursor) else None


def _keyword_called(cursor: Cursor) -> str:
    """The name of the keyword argument whose value comes next; "" for none."""
    match = _KEYWORD.search(cursor.line)
    if match is None or cursor.rest.strip()[:1] not in ("", ")", ","):
        return ""
    if _BLOCK.match(cursor.line) or (match["alone"] and _open_brackets(cursor) < 1):
        return ""
    return match["name"] or match["alone"]


def _open_brackets(cursor: Cursor) -> int:
    text = "\n".join((*cursor.above[-30:], cursor.line))
    return sum(map(text.count, "([{")) - sum(map(text.count, ")]}"))


def taken(cursor: Cursor) -> str | None:
    """`super().name(` in the method of that name: those of its parameters that the base class's method has, too."""
    method = _method_handed_up(cursor)
    taken = _taken_by_base(cursor, method[0]) if method else None
    if method is None or taken is None:
        return None
    return _call_with([part for part in method[1] if part.split("=")[0].lstrip("*") in taken], cursor)


def _method_handed_up(cursor: Cursor) -> tuple[str, list[str]] | None:
    """The name of the method that the cursor is in and how its parameters are passed on, in a call of the base class's."""
    match = _SUPER.search(cursor.line)
    header = header_of(cursor) if match else None
    found = DEF.match(header) if header else None
    if match is None or header is None or found is None or cursor.rest.strip() not in ("", ")"):
        return None
    return (found["name"], list(passing(header[found.end() :]))) if found["name"] == match["name"] else None


def _call_with(passed: Sequence[str], cursor: Cursor) -> str | None:
    return ", ".join(passed) + ("" if cursor.rest.strip() else ")") if passed else None


def _taken_by_base(cursor: Cursor, method: str) -> frozenset[str] | None:
    """The parameters of the method in the base class; None where that is in no file that is open."""
    classes = [_CLASS.match(line) for line in reversed(cursor.above) if indent_of(line) < indent_of(cursor.line)]
    base = next((found["base"] for found in classes if found), None)
    if base is None:
        return None
    nearby = (cursor.left[-MAX_CHARS:], cursor.right[:MAX_CHARS])
    for text in (*nearby, *(text[:MAX_CHARS] for _, text in cursor.others)):
        start = re.search(rf"^class[ \t]+{base}\b.*:$", text, re.MULTILINE)
        body = body_below(text, start.end()) if start else ""
        found = re.search(rf"^[ \t]+def[ \t]+{method}\(", body, re.MULTILINE)
        if found:
            return frozenset(part.split("=")[0].lstrip("*") for part in passing(body[found.end() :][:2000]))
    return None


def named_alike(cursor: Cursor) -> str | None:
    """`name(` of a function that is defined nearby, and whose required parameters all have the names of variables here: these."""
    wanted = _parameters_called(cursor)
    if not wanted or not variables_of(cursor).issuperset(wanted):
        return None
    return ", ".join(wanted) + ("" if cursor.rest.strip() else ")")


def first_alike(cursor: Cursor) -> str | None:
    """The same where only the first of several required parameters has the name of a variable: that one."""
    wanted = _parameters_called(cursor)
    return wanted[0] if len(wanted) > 1 and wanted[0] in variables_of(cursor) else None


def _parameters_called(cursor: Cursor) -> list[str]:
    """The required parameters of the function whose call has just been opened; none of the one around it, which passes on other values."""
    match = _CALL.search(cursor.line)
    if match is None or DEF.match(cursor.line) or cursor.rest.strip()[:1] not in ("", ")", ","):
        return []
    around = DEF.match(header_of(cursor) or "")
    if around and around["name"] == match["name"]:
        return []
    return _required(match["name"], bool(match["own"]), cursor)


def _required(function: str, own: bool, cursor: Cursor) -> list[str]:
    """The names of a callable's parameters without defaults that need no keyword; none where the callable is not known."""
    parts = itertools.takewhile(lambda part: part[:1] != "*", _parameters(function, own, cursor))
    return [_name_of(part) for part in parts if "=" not in part]


def _parameters(function: str, own: bool, cursor: Cursor) -> list[str]:
    """The parameters of a function or class as they are written, with `*`, but for `/`, `self` and `cls`; none where it is not defined exactly once.

    own: it is a method, called on `self`.
    """
    if function[:1].isupper() and not own:
        return _constructed(function, cursor)
    indent = r"[ \t]+" if own else ""
    header = re.compile(rf"^{indent}(?:async[ \t]+)?def[ \t]+{function}\(", re.MULTILINE)
    nearby = (cursor.left[-MAX_CHARS:], cursor.right[:MAX_CHARS])
    for texts in (nearby,) if own else (nearby, tuple(text[:MAX_CHARS] for _, text in cursor.others)):
        found = [(text, one.end()) for text in texts for one in itertools.islice(header.finditer(text), 2)]
        if found:
            return _passed(*found[0]) if len(found) == 1 else []
    return []


def _name_of(parameter: str) -> str:
    """The name of a parameter as it is written, with an annotation or a default."""
    return re.split(r"[:=]", parameter, maxsplit=1)[0].strip()


def _constructed(name: str, cursor: Cursor) -> list[str]:
    """What a class is called with: the parameters of its `__init__`, or the fields of a dataclass without bases."""
    header = re.compile(rf"^class[ \t]+{name}\b(?P<bases>[^:\n]*):.*$", re.MULTILINE)
    texts = (cursor.left[-MAX_CHARS:], cursor.right[:MAX_CHARS], *(text[:MAX_CHARS] for _, text in cursor.others))
    found = [(text, one) for text in texts for one in itertools.islice(header.finditer(text), 2)]
    if len(found) != 1:
        return []
    text, match = found[0]
    body = re.split(r"^[^\s#)\]}]", text[match.end() + 1 :], maxsplit=1, flags=re.MULTILINE)[0]
    made = re.search(r"^[ \t]+def[ \t]+__init__\(", body, re.MULTILINE)
    if made:
        return _passed(body, made.end())
    if match["bases"] == "(NamedTuple)" or (
        match["bases"] in ("", "()") and "dataclass" in _decorators_above(text, match.start())
    ):
        indent = re.match(r"[ \t]*", body.lstrip("\r\n"))
        blank = indent[0] if indent else ""
        fields = re.finditer(rf"^{blank}[^\W\d]\w*[ \t]*:(?!.*ClassVar).*$", body, re.MULTILINE)
        lines = (_COMMENT.sub(r"\1", one[0]).strip() for one in fields)
        return [line for line in lines if _name_of(line) != "_" and "init=False" not in line]
    return []


def _passed(text: str, start: int) -> list[str]:
    parts = parts_of(_COMMENT.sub(r"\1", text[start : start + _MAX_PARAMETERS]))
    return [part for part in parts if _name_of(part) not in ("self", "cls", "/")]


def _decorators_above(text: str, start: int) -> str:
    """The decorators of the class that begins at `start`, each on one line. Read upwards: many lines may be decorators of nothing."""
    first = start
    while first and text[(line := text.rfind("\n", 0, first - 1) + 1)] == "@":
        first = line
    return text[first:start]
