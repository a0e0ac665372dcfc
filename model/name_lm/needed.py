"""The names that the code behind the cursor reads and nothing binds: what is written at the cursor mostly binds one of them.

Nothing is parsed; lines are read with regular expressions, since the code on either side of a cursor is seldom whole.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

_MOST = 6
"""Names that are given."""
_KEPT_LINES = 4000
"""Lines of which is kept what they do: nearly all were there at the last keystroke, too."""
_KNOWN = frozenset((*keyword.kwlist, *dir(builtins), "self", "cls", "match", "case", "type", "_", "__file__"))
_STRING = re.compile(
    r"(?P<prefix>\b[a-zA-Z]{1,2})?(?:\"\"\".*?(?:\"\"\"|\Z)|'''.*?(?:'''|\Z)|\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?)",
    re.DOTALL,
)
_FIELD = re.compile(r"\{([^{}]*)\}")
_COMMENT = re.compile(r"#.*")
_NAME = re.compile(r"(?<![\w.])([^\W\d]\w*)")
_KEYWORD_ARGUMENT = re.compile(r"[(,]\s*([^\W\d]\w*)\s*=(?!=)")
_TARGETS = re.compile(r"\s*((?:\(?[*\w ,]+\)?))(?::[^=]*)?=(?!=)")
_BINDS = re.compile(
    r"\bfor\s+(?P<loop>[\w ,()*]+?)\s+in\b|\bas\s+(?P<alias>\(?[\w ,]+\)?)|\blambda\s+(?P<lambda>[^:]*):|(?P<walrus>\w+)\s*:="
    r"|\b(?:def|class)\s+(?P<defined>\w+)|\b(?:import|global|nonlocal)\s+(?P<imported>[\w ,().]+)"
)
_PARAMETERS = re.compile(r"\bdef\s+\w+\s*\((.*)")
_IMPORT = re.compile(r"\s*(?:from|import)\b")
_TOP = re.compile(r"(?:(?:async\s+)?def|class)\s+(\w+)|((?:\w+\s*,\s*)*\w+)\s*(?::[^=\n]*)?=(?!=)")


def needed_names(function: str, around: str, right: str, rest: str) -> list[str]:
    """The names that are read behind the cursor and that nothing binds, in the order of their first use.

    function: the text from the header of the cursor's function to the cursor; around: the text before that. right: the text behind the
    cursor to the end of the function; rest: the text behind that.
    """
    before = around + function
    if "import *" in before or before.count('"""') % 2 or before.count("'''") % 2:  # any name may come; no name does
        return []
    code: str | None = None
    needed: list[str] = []
    for name in _read_and_not_bound(_code(right)):
        if _occurs(name, function):
            code = _code(function) if code is None else code
            if _occurs(name, code):
                continue
        if not _is_global(name, around) and not _is_global(name, rest):
            needed.append(name)
            if len(needed) == _MOST:
                break
    return needed


def uses_of(line: str, names: Sequence[str]) -> tuple[int, int]:
    """How many of some names a line binds, and how many it reads without having bound them."""
    read = _read_line(_code(line))
    bound = {*read.first, *read.last}
    return sum(name in bound for name in names), sum(name in set(_read_and_not_bound(line)) for name in names)


@dataclass(frozen=True, slots=True)
class _Line:
    """What a line does with names."""

    first: frozenset[str]  # binds for all of the line: imports, loops, parameters
    reads: tuple[str, ...]
    last: tuple[str, ...]  # binds when it has read


def _read_and_not_bound(code: str) -> Iterator[str]:
    """The names that some lines read, before any of them binds one."""
    bound = set(_KNOWN)
    given = set[str]()
    for text in code.split("\n"):
        line = _read_line(text)
        bound |= line.first
        for name in line.reads:
            if name not in bound and name not in given:
                given.add(name)
                yield name
        bound.update(line.last)


@lru_cache(_KEPT_LINES)
def _read_line(line: str) -> _Line:
    if _IMPORT.match(line):
        return _Line(frozenset(_NAME.findall(line)), (), ())
    found = _BINDS.finditer(line)
    first = {name for match in found for text in match.groups() if text for name in _NAME.findall(text)}
    header = _PARAMETERS.search(line)
    if header is not None:
        return _Line(frozenset((*first, *_NAME.findall(header[1]))), (), ())
    targets = _TARGETS.match(line) if "=" in line else None
    keywords = _KEYWORD_ARGUMENT.findall(line) if "=" in line else ()
    reads = [name for name in _NAME.findall(line, targets.end() if targets else 0) if name not in keywords]
    return _Line(frozenset(first), tuple(reads), tuple(_NAME.findall(targets[1])) if targets else ())


def _code(text: str) -> str:
    """A text without comments, and with strings that hold no more than what they read."""
    return _COMMENT.sub("", _STRING.sub(_fields, text))


def _fields(string: re.Match[str]) -> str:
    """What a string reads: the fields of one that is formatted."""
    if "f" not in (string["prefix"] or "").lower():
        return '""'
    return " ".join(field.split(":")[0].split("!")[0] for field in _FIELD.findall(string[0]))


def _occurs(name: str, text: str) -> bool:
    """Whether a text has a name, other than as an attribute. No regular expression: each name would need one of its own."""
    at = text.find(name)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(name) : at + len(name) + 1]
        if not (before.isalnum() or before in ("_", ".")) and not (after.isalnum() or after == "_"):
            return True
        at = text.find(name, at + len(name))
    return False


def _is_global(name: str, text: str) -> bool:
    """Whether the module binds a name in a part of it; a name in brackets that are open at a line's start counts as imported."""
    at = text.find(name)
    while at >= 0:
        start = text.rfind("\n", 0, at) + 1
        end = text.find("\n", at)
        line = text[start : end if end >= 0 else len(text)]
        if line[:1] not in (" ", "\t"):
            match = _TOP.match(line)
            if (match is not None and name in _NAME.findall(match[1] or match[2])) or _binds(name, line):
                return True
        elif _IMPORT.match(line) or line.strip().rstrip(",") == name:
            if _occurs(name, line):
                return True
        at = text.find(name, at + len(name))
    return False


def _binds(name: str, line: str) -> bool:
    return any(name in _NAME.findall(text) for match in _BINDS.finditer(line) for text in match.groups() if text) or (
        _IMPORT.match(line) is not None and _occurs(name, line)
    )
