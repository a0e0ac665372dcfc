"""The parameters of a `def` above a body: what that uses and nothing binds."""

from __future__ import annotations

import ast
import itertools
import re
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from .....model.name_lm.needed import LISTED, globals_of
from .cursor import ALWAYS_THERE, DEF, MAX_CHARS, Cursor, indent_of, variables_of

_MOST_PARAMETERS = 5
_MOST_LINES = 12  # of a header
_KEPT = 4  # cursors and bodies: each rule asks for the same ones
_RECEIVERS = ("self", "cls")
_MOST_READ = 40  # names of a body; more of them are a table
_IMPORT = re.compile(r"[ \t]*(?:from|import)\b[^()]*\([^()]*$")  # over several lines
_CLASS = re.compile(r"[ \t]*class\b")
_STARRED = re.compile(r"\w*(?:args|kwargs|kw|kwds)")
_PROPERTY = re.compile(r"[ \t]*@(?:[\w.]*property|\w+\.getter)\b")


def receiver_below(cursor: Cursor) -> str | None:
    """`def name(` above a body that uses `self`, and no other name that nothing binds."""
    names = _needed(cursor)
    return names[0] if len(names) == 1 and names[0] in _RECEIVERS else None


def used_below(cursor: Cursor) -> str | None:
    """`def name(` above a body: the one name that the body uses and nothing binds, behind the receiver of a method."""
    names = _needed(cursor)
    return ", ".join(names) if sum(name not in _RECEIVERS for name in names) == 1 else None


def _needed(cursor: Cursor) -> Sequence[str]:
    """The parameters that the body below a begun `def name(` needs: the receiver, what it uses and nothing binds, and what it hands on with stars."""
    begun = DEF.fullmatch(cursor.line) is not None and cursor.rest.strip()[:1] in ("", ")")
    return _needed_below(cursor) if begun else ()


@lru_cache(_KEPT)
def _needed_below(cursor: Cursor) -> Sequence[str]:
    indent = indent_of(cursor.line)
    lines = cursor.right[:MAX_CHARS].split("\n")[1:]
    body = list(itertools.takewhile(lambda line: not line.strip() or indent_of(line) > indent, lines))
    names = _names_of("\n".join(body))
    if not names.free or len(names.free) > _MOST_READ or "import *" in cursor.left:
        return ()
    around = _closed_over(cursor)
    above, below = cursor.left[-MAX_CHARS:].split("\n"), lines[len(body) :]
    at_margin = globals_of(_without_arguments(above)) | globals_of(_without_arguments(below))
    free = [name for name in names.free if name not in around | at_margin and not name[0].isupper()]
    if not free or len(free) > _MOST_PARAMETERS:
        return ()
    own = [name for name in _RECEIVERS if name in free and indent] or _receiver_unused(cursor)
    if any(map(_PROPERTY.match, _decorators(cursor))):
        return own
    named = [name for name in free if name not in own and name not in names.starred]
    starred = [f"{stars}{name}" for stars in ("*", "**") for name in free if names.starred.get(name) == stars]
    return (*own, *named, *starred)


def _without_arguments(lines: Sequence[str]) -> str:
    """Lines without those that only hold names and belong to no import: arguments of calls, and parameters."""
    kept: list[str] = []
    importing = False
    for line in lines:
        if importing:
            importing = ")" not in line
        elif _IMPORT.match(line):
            importing = True
        elif line[:1] in (" ", "\t") and LISTED.fullmatch(line):
            continue
        kept.append(line)
    return "\n".join(kept)


def _closed_over(cursor: Cursor) -> frozenset[str]:
    """What the functions around a nested function bind."""
    depth, found, is_nested = indent_of(cursor.line), set[str](), False
    for at in range(len(cursor.above) - 1, -1, -1) if depth else ():
        line = cursor.above[at]
        if not line.strip() or indent_of(line) >= depth or line.lstrip()[:1] in ("#", ")"):
            continue
        depth = indent_of(line)
        header = DEF.match(line)
        if header is not None:
            is_nested = True
            parameters = "\n".join((line[header.end() :], *cursor.above[at + 1 : at + _MOST_LINES])).partition("):")[0]
            found.update(re.findall(r"\w+", parameters.partition(") ->")[0]))
        elif _CLASS.match(line) and not depth:
            break
    return frozenset(found | variables_of(cursor)) if is_nested else frozenset()


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
            first = line[header.end() :].strip() or "".join(above[at + 1 : at + 2]).strip()
            if re.match(r"(?:self|cls)\b", first) is None:
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


@lru_cache(_KEPT)
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
