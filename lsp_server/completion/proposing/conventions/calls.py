"""Calls: what is passed on to functions, classes and the base class, to `field`, `append` and `pytest.raises`, and the call of `main`."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from .....common.possessive import compiled
from .callables import CALL, required
from .cursor import (
    DEF,
    MAX_ABOVE,
    MAX_CHARS,
    Cursor,
    body_below,
    bound_by,
    has_import,
    header_of,
    indent_of,
    is_bound,
    parameters_of,
    parts_of,
    passing,
    variables_of,
)
from .plurals import plurals

_KEYWORD = re.compile(r"[(,][ \t]*(?P<name>[^\W\d]\w*)=$|^[ \t]+(?P<alone>[^\W\d]\w*)=$")
_BLOCK = re.compile(r"[ \t]*(?:async[ \t]+)?(?:def|class)\b")
_SUPER = re.compile(r"super\([^()]*\)\.(?P<name>\w+)\($")
_CLASS = re.compile(r"[ \t]*class[ \t]+\w+\((?:[\w.]*\.)?(?P<base>\w+)[,)\[]")
_EXCEPTION = re.compile(r"class[ \t]+\w+\([\w., ]*(?:Error|Exception|Warning)\)")
_FIELD = re.compile(
    r"[ \t]+\w+[ \t]*:[ \t]*(?:typing\.)?(?P<kind>[Ll]ist|[Dd]ict|[Ss]et)\b(?:\[[^=]*\])?[ \t]*=[ \t]*(?:\w+\.)?[fF]ield\($"
)
_TO_COLLECTION = re.compile(r"\b_*(?P<many>[^\W\d_]\w*)\.(?:append|appendleft|add|remove|discard)\($")
_IF_MAIN = re.compile(r"if[ \t]+__name__[ \t]*==[ \t]*[\"']__main__[\"'][ \t]*:")
_MAIN = compiled(
    r"^(?P<async>async[ \t]++)?+def[ \t]++main\((?P<parameters>[^()\n]*+)\)(?P<gives>[^:\n]*+):", re.MULTILINE
)
_NUMBER = ("-> int", "-> int | None", "-> None | int", "-> Optional[int]", "-> typing.Optional[int]")
_STATUS = re.compile(r"-?\d+|None|(?:\w+\.)*[A-Z][A-Z\d_]*")
_RAISES = re.compile(r"\b(?:pytest\.raises|self\.assertRaises)\((?P<error>[\w.]*)")


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


def handed_up(cursor: Cursor) -> str | None:
    """`super().name(` in the method of that name, where nothing is known of the base class: the method's own parameters."""
    method = _method_handed_up(cursor)
    if method is None or _taken_by_base(cursor, method[0]) is not None:
        return None
    outermost = next((line for line in reversed(cursor.above) if line.strip() and not indent_of(line)), "")
    if _EXCEPTION.match(outermost):
        return None  # exceptions mostly make a message of their parameters
    return _call_with(method[1], cursor)


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
    match = CALL.search(cursor.line)
    if match is None or DEF.match(cursor.line) or cursor.rest.strip()[:1] not in ("", ")", ","):
        return []
    around = DEF.match(header_of(cursor) or "")
    if around and around["name"] == match["name"]:
        return []
    return required(match["name"], bool(match["own"]), cursor)


def default_factory(cursor: Cursor) -> str | None:
    """`rooms: list[Room] = field(`: `default_factory=list`."""
    match = _FIELD.fullmatch(cursor.line)
    if match is None or cursor.rest.strip()[:1] not in ("", ")"):
        return None
    return f"default_factory={match['kind'].lower()}" + ("" if cursor.rest.strip() else ")")


def member(cursor: Cursor) -> str | None:
    """`rooms.append(`: the variable `room`, where one of the two lines above has it.

    Not that of a loop, which is mostly for something else.
    """
    match = _TO_COLLECTION.search(cursor.line)
    if match is None or cursor.rest.strip()[:1] not in ("", ")"):
        return None
    name = next((one for one in sorted(variables_of(cursor)) if match["many"] in plurals(one)), None)
    if name is None:
        return None
    near = itertools.islice((line for line in reversed(cursor.above) if line.strip()), 2)
    if not any(re.search(rf"(?<![\w.]){name}\b", line) for line in near):
        return None
    own = indent_of(cursor.line)
    function = itertools.takewhile(
        lambda line: indent_of(line) >= own or DEF.match(line) is None, reversed(cursor.above)
    )
    if any(name in bound_by(line, "for") for line in function):
        return None
    return name + ("" if cursor.rest.strip() else ")")


def main(cursor: Cursor) -> str | None:
    """Below `if __name__ == "__main__":` the call of `main`, if that needs no arguments and returns nothing."""
    match = _main_above(cursor)
    if match is None or match["gives"].strip() not in ("", "-> None") or _returned_by(match, cursor):
        return None
    if match["async"]:
        return "asyncio.run(main())" if has_import("asyncio", cursor) else None
    return "main()"


def exits(cursor: Cursor) -> str | None:
    """The same where `main` is annotated to return a number, or returns nothing else: it is what the program exits with."""
    match = _main_above(cursor)
    if match is None or match["async"]:
        return None
    gives = match["gives"].strip()
    given = _returned_by(match, cursor)
    if gives not in _NUMBER and (gives or not given or not all(map(_STATUS.fullmatch, given))):
        return None
    if has_import("sys", cursor):
        return "sys.exit(main())"
    return "raise SystemExit(main())" if gives else None


def _main_above(cursor: Cursor) -> re.Match[str] | None:
    """The header of `main`, which needs no arguments, for a cursor in the first line below `if __name__ == "__main__":`."""
    if cursor.line.strip() or not cursor.line or cursor.rest.strip() or "main(" in cursor.right[:MAX_ABOVE]:
        return None
    if not _IF_MAIN.match(next((line for line in reversed(cursor.above) if line.strip()), "")):
        return None
    match = _MAIN.search(cursor.left[-MAX_CHARS:])
    if match is None or any(part[:1] != "*" and "=" not in part for part in parts_of(match["parameters"])):
        return None
    return match


def _returned_by(match: re.Match[str], cursor: Cursor) -> list[str]:
    """What the lines of a function's body return."""
    body = re.split(r"^\S", cursor.left[-MAX_CHARS:][match.end() :], maxsplit=1, flags=re.MULTILINE)[0]
    return [line.strip() for line in re.findall(r"^[ \t]+return[ \t]+(\S.*)", body, re.MULTILINE)]


def raised_above(cursor: Cursor) -> str | None:
    """`pytest.raises(`: the exception of the last two above, or of the only one."""
    match = next((one for one in _RAISES.finditer(cursor.line) if one.end() == len(cursor.line)), None)
    if match is None or match["error"] or cursor.rest.strip()[:1] not in ("", ")"):
        return None
    above = [one["error"] for one in _RAISES.finditer(cursor.left[-MAX_ABOVE : len(cursor.left) - len(cursor.line)])]
    last = above[-2:]
    return last[0] or None if last and len(set(last)) == 1 else None
