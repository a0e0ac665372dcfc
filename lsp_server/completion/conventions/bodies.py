"""The parameters of a `def` above a body: what that uses and nothing binds."""

from __future__ import annotations

import ast
import itertools
import re
import textwrap
import warnings
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ....model.name_lm.needed import globals_of
from .cursor import ALWAYS_THERE, DEF, MAX_ABOVE, MAX_CHARS, Cursor, indent_of, variables_of

_MOST_PARAMETERS = 5
_KEPT_BODIES = 4  # each rule asks for the same body
_RECEIVERS = ("self", "cls")
_STARRED = re.compile(r"\w*(?:args|kwargs|kw|kwds)")
_PROPERTY = re.compile(r"[ \t]*@(?:[\w.]*property|\w+\.getter)\b")
_ANNOTATED = re.compile(
    r"^[ \t]*(?:async[ \t]+)?def[ \t]+\w+\((?:(?:self|cls)\b(?:,[ \t]*)?)?(?:\*,[ \t]*)?\*{0,2}(?P<first>(?!(?:self|cls)\b)\w+[ \t]*:?)",
    re.MULTILINE,
)


def receiver_below(cursor: Cursor) -> str | None:
    """`def name(` above a body that uses `self`, and no other name that nothing binds."""
    names = _needed(cursor)
    return names[0] if len(names) == 1 and names[0] in _RECEIVERS else None


def used_below(cursor: Cursor) -> str | None:
    """`def name(` above a body: the one name that the body uses and nothing binds, behind the receiver of a method."""
    names = _needed(cursor)
    return ", ".join(names) if sum(name not in _RECEIVERS for name in names) == 1 else None


def several_below(cursor: Cursor) -> str | None:
    """The same of a method whose body uses several such names, in the order of their first use.

    Only the first where functions are annotated: what is between two names no body says.
    """
    names = _needed(cursor)
    if len(names) < 3 or names[0] not in _RECEIVERS:
        return None
    return ", ".join(names[:2] if _is_annotated(cursor) and names[1][0] != "*" else names)


def _is_annotated(cursor: Cursor) -> bool:
    """Whether the nearest function with a parameter, above or else below, annotates it."""
    above = _ANNOTATED.findall(cursor.left[-MAX_ABOVE : len(cursor.left) - len(cursor.line)])[-1:]
    return any(one.endswith(":") for one in above or _ANNOTATED.findall(cursor.right[:MAX_ABOVE])[:1])


def _needed(cursor: Cursor) -> list[str]:
    """The parameters that the body below a begun `def name(` needs: the receiver, what it uses and nothing binds, and what it hands on with stars."""
    match = DEF.fullmatch(cursor.line)
    if match is None or cursor.rest.strip()[:1] not in ("", ")"):
        return []
    body = itertools.takewhile(
        lambda line: not line.strip() or indent_of(line) > len(match["indent"]),
        cursor.right[:MAX_CHARS].split("\n")[1:],
    )
    names = _names_of("\n".join(body))
    free = [name for name in names.free if name not in _closed_over(cursor)] if names.free else []
    if free:
        at_margin = globals_of(cursor.left[-MAX_CHARS:]) | globals_of(cursor.right[:MAX_CHARS])
        free = [name for name in free if name not in at_margin and not name[0].isupper()]
    if not free or len(free) > _MOST_PARAMETERS or "import *" in cursor.left:
        return []
    own = [name for name in _RECEIVERS if name in free and match["indent"]] or _receiver_unused(cursor)
    if any(map(_PROPERTY.match, _decorators(cursor))):
        return own
    named = [name for name in free if name not in own and name not in names.starred]
    starred = [f"{stars}{name}" for stars in ("*", "**") for name in free if names.starred.get(name) == stars]
    return [*own, *named, *starred]


def _closed_over(cursor: Cursor) -> frozenset[str]:
    """What the functions around a nested function bind."""
    depth, found, nearest = indent_of(cursor.line), set[str](), ""
    for line in reversed(cursor.above) if depth else ():
        if not line.strip() or indent_of(line) >= depth:
            continue
        depth = indent_of(line)
        header = DEF.match(line)
        nearest = nearest or line
        if header is not None:
            found.update(re.findall(r"\w+", line[header.end() :]))
    return frozenset(found | variables_of(cursor)) if DEF.match(nearest) else frozenset(found)


def _receiver_unused(cursor: Cursor) -> list[str]:
    """What a method takes first whose body does not use it; nothing for functions and static methods."""
    own = indent_of(cursor.line)
    decorators = "".join(_decorators(cursor))
    if not own or "@staticmethod" in decorators:
        return []
    above = cursor.above
    for at in range(len(above) - 1, -1, -1):
        line = above[at]
        header = DEF.match(line)
        if header is not None and len(header["indent"]) == own and not (at and "@staticmethod" in above[at - 1]):
            if re.match(r"(?:self|cls)\b|$", line[header.end() :]) is None:
                return []
            break
        if line.strip() and indent_of(line) < own and line.lstrip()[:1] not in ("#", ")"):
            if not line.lstrip().startswith("class "):
                return []
            break
    else:
        return []
    return ["cls" if "@classmethod" in decorators else "self"]


def _decorators(cursor: Cursor) -> Iterator[str]:
    return itertools.takewhile(lambda line: line.lstrip().startswith("@"), reversed(cursor.above))


class _Names(NamedTuple):
    """The names in a body."""

    free: tuple[str, ...]  # read and not bound, in the order of the text
    starred: dict[str, str]  # handed on as `*args` or `**kwargs`, with their stars


@lru_cache(_KEPT_BODIES)
def _names_of(body: str) -> _Names:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(textwrap.dedent(body))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _Names((), {})
    used: list[tuple[int, int, str]] = []
    bound = set(ALWAYS_THERE | {"_", "__class__"})
    starred: dict[str, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                used.append((node.lineno, node.col_offset, name))
            case (
                ast.Name(id=name)
                | ast.arg(arg=name)
                | ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
                | ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
                | ast.MatchMapping(rest=str(name))
            ):
                bound.add(name)
            case ast.alias(name=name, asname=other):
                bound.add(other or name.split(".")[0])
            case ast.Starred(value=ast.Name(id=name)) if _STARRED.fullmatch(name):
                starred[name] = "*"
            case ast.keyword(arg=None, value=ast.Name(id=name)) if _STARRED.fullmatch(name):
                starred[name] = "**"
            case _:
                pass
    return _Names(tuple(dict.fromkeys(name for _, _, name in sorted(used) if name not in bound)), starred)
