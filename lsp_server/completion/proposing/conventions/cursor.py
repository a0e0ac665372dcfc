"""The text around a cursor, and what is read from it for several rules: the function, its parameters, the names that it binds."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass

from .....common.possessive import compiled

MAX_ABOVE = 20_000  # characters next to the cursor, in which lines are looked for
MAX_CHARS = 100_000  # of a file, in which definitions are looked for

DEF = re.compile(r"(?P<indent>[ \t]*)(?:async[ \t]+)?def[ \t]+(?P<name>\w+)[ \t]*\(")
# Possessive wherever two parts can take the same characters: a hostile line is read once.
ASSIGNED = compiled(r"(?P<name>[^\W\d]\w*+)(?:\s*+:[^=]++)?+\s*+(?:[-+*/|&^%@]|//|\*\*|<<|>>)?=(?!=)")
_BINDS = re.compile(r"(?:^|[ \t:(,])(?P<by>for|as)[ \t]+\(?(?P<names>[\w, \t]+)")

_NEXT_BLOCK = re.compile(r"^\S", re.MULTILINE)

ALWAYS_THERE = frozenset(dir(builtins)) | {"__file__", "__name__", "__doc__", "__all__", "__path__", "__version__"}


@dataclass(frozen=True)
class Cursor:
    """The text around a cursor, as the rules read it."""

    left: str
    right: str
    line: str  # before the cursor
    rest: str  # of the line, behind it
    above: tuple[str, ...]  # lines, the nearest last
    others: tuple[tuple[str, str], ...]  # path and text of other files


def body_below(text: str, start: int) -> str:
    """The lines below a header that ends at `start`, as far as they are indented. Only these are copied: there may be many headers."""
    end = _NEXT_BLOCK.search(text, start + 1)
    return text[start + 1 : end.start() if end else len(text)]


def indent_of(line: str) -> int:
    """How many blanks and tabs a line begins with."""
    return len(line) - len(line.lstrip(" \t"))


def header_of(cursor: Cursor) -> str | None:
    """The header of the function that the cursor is in, on one line, from `def` to its colon."""
    depth = indent_of(cursor.line)
    for at in range(len(cursor.above) - 1, -1, -1):
        line = cursor.above[at]
        if not line.strip() or indent_of(line) >= depth:
            continue
        if DEF.match(line):
            header = line.strip()
            for more in cursor.above[at + 1 :]:
                if _closed(header):
                    break
                header += " " + more.strip()
            return header
        if line.lstrip()[:1] in ")]}":  # the end of a header or call of several lines
            continue
        depth = indent_of(line)
        if depth == 0:
            return None
    return None


def _closed(text: str) -> bool:
    return sum(map(text.count, "([{")) == sum(map(text.count, ")]}"))


def parameters_of(cursor: Cursor) -> frozenset[str]:
    """The names of the parameters of the function that the cursor is in, but for `self` and `cls`."""
    header = header_of(cursor)
    match = DEF.match(header) if header else None
    if header is None or match is None:
        return frozenset()
    return frozenset(name.split("=")[-1].lstrip("*") for name in passing(header[match.end() :]))


def passing(parameters: str) -> Iterator[str]:
    """How the parameters behind an opening bracket are passed on, but for `self` and `cls`."""
    only_keywords = False
    for part in parts_of(parameters):
        match = re.match(r"(\*{0,2})(\w*)", part)
        stars, name = (match[1], match[2]) if match else ("", "")
        if name in ("self", "cls") or part.startswith("/"):
            continue
        if stars == "*":
            only_keywords = True
        if name:
            yield f"{stars}{name}" if stars else f"{name}={name}" if only_keywords else name


def parts_of(parameters: str) -> Iterator[str]:
    """What stands between the commas behind an opening bracket, up to the closing one."""
    depth, part = 0, ""
    for char in parameters:
        depth += (char in "([{") - (char in ")]}")
        if depth < 0:
            break
        if char == "," and depth == 0:
            yield part.strip()
            part = ""
        else:
            part += char
    if part.strip():
        yield part.strip()


def variables_of(cursor: Cursor) -> frozenset[str]:
    """What the function around the cursor binds before its line: parameters, assigned names, loops' variables."""
    found = set(parameters_of(cursor))
    own = depth = indent_of(cursor.line)
    for line in reversed(cursor.above):
        indent = indent_of(line)
        if not line.strip() or (not depth and indent):  # at module level, lines of functions and classes bind nothing
            continue
        if indent < own and DEF.match(line):
            break
        depth = min(depth, indent)
        assigned = ASSIGNED.match(line.strip())
        if assigned:
            found.add(assigned["name"])
        found.update(bound_by(line, "for"), bound_by(line, "as"))
    return frozenset(found)


def is_bound(name: str, cursor: Cursor) -> bool:
    """Whether a line above the cursor binds a variable of the function around it. Keywords of calls look like that, but for the blanks."""
    if name not in variables_of(cursor):
        return False
    # What an annotation takes is not given back: it takes the blanks before `=`, too, and there may be very many.
    assigned = rf"{name}(?:[ \t]*+:[^=]{{2,}}+(?<=[ \t])|[ \t]++)=[ \t]"
    bound = re.compile(rf"[ \t]*(?:{assigned}|(?:async[ \t]+)?(?:for|with)\b.*\b{name}\b)")
    return any(bound.match(line) for line in reversed(cursor.above))


def bound_by(line: str, keyword: str) -> set[str]:
    """What a line binds by `for` or `as`."""
    bound = (one["names"] for one in _BINDS.finditer(line) if one["by"] == keyword)
    return {name.strip() for names in bound for name in re.split(r"\bin\b", names)[0].split(",")}
