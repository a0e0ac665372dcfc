"""The names read behind the cursor without a binding: the text at the cursor mostly binds one of them.

Nothing is parsed; lines are read with regular expressions, since the code on either side of a cursor is seldom whole.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from ...common.words import compiled, is_part

_MOST = 6
"""The most names returned."""
_LONGEST_LINE = 400
"""The most characters of a line read; longer ones are tables, and slow for regular expressions."""
_MOST_LINES = 200
"""The most lines above one searched for the header of its block."""
_KEPT_LINES = 4000
"""The most lines with a cached analysis: nearly all were there at the last keystroke, too."""
_KEPT_TEXTS = 4
"""The most texts with cached module bindings: they stay the same while a function is written."""
_NO_HEADER = frozenset(("", " ", "\t", "#", ")", "]", "}"))
"""The beginnings of lines possible in the middle of a block."""
_NOTHING = frozenset[str]()
_KNOWN = frozenset(
    (
        *keyword.kwlist,
        *dir(builtins),
        "self",
        "cls",
        "match",
        "case",
        "type",
        "_",
        "__file__",
        "__class__",
        "__path__",
        "__annotations__",
    )
)
_STRING = re.compile(
    r"(?P<prefix>\b[a-zA-Z]{1,2})?(?:\"\"\".*?(?:\"\"\"|\Z)|'''.*?(?:'''|\Z)|\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?)",
    re.DOTALL,
)
_FIELD = re.compile(r"\{([^{}]*)\}")
_COMMENT = re.compile(r"#.*")
_NAME = compiled(r"(?<![\w.])([^\W\d]\w*)")
_KEYWORD_ARGUMENT = compiled(r"([(,]\s*)[^\W\d]\w*\s*=(?!=)")
_ANNOTATED = compiled(r"\s*([^\W\d]\w*)\s*:\s*[^\s=:][^=:]*")
_TARGETS = compiled(
    r"\s*+(?!(?:if|elif|else|for|while|with|try|except|finally|case|lambda)\b)((?:\(?[*\w ,]+\)?))(?::[^=]*)?=(?!=)"
)
_BINDS = compiled(
    r"(?<!\w)(?:for\s+(?P<loop>[\w(*][\w ,()*]{0,200}?)(?<! )\s++in\b|as\s+(?P<alias>\(?[\w ,]+\)?)|lambda\s+(?P<lambda>[^:]*):"
    r"|(?P<walrus>\w+) ?:=|(?:def|class)\s+(?P<defined>\w+)|(?:import|global|nonlocal)\s+(?P<imported>[\w ,().]+))"
)
_PARAMETERS = compiled(r"\bdef\s+\w+\s*\((.*)")
_IMPORT = re.compile(r"\s*(?:from|import)\b")
# Each part ends where the next begins; otherwise an open bracket is searched to the end of the text from each of its lines.
_JOINED = compiled(r"\b(?:import\s*|def\s+\w+\s*)\([^()\n]*+\n[^()]*+\)")
_OPEN = re.compile(r"(?:if|elif|else|try|except|finally|with|for|while|async\s+(?:with|for))\b")
_LISTED = compiled(  # the rest of an import in brackets, or a text like it
    r"[ \t]++\(?(?:[^\W\d]\w*+(?:[ \t]++as[ \t]++[^\W\d]\w*+)?+[ \t]*+(?:,[ \t]*+|(?=[)#]|\Z)))++\)?[ \t]*+(?:#.*)?"
)
_TOP = compiled(r"(?:(?:async\s+)?def|class)\s+(\w+)|((?:\w+\s*,\s*)*\w+)\s*(?::[^=\n]*)?=(?!=)")


def needed_names(function: str, around: str, right: str, rest: str) -> list[str]:
    """The names read behind the cursor without a binding, in the order of their first use.

    function: the text from the header of the cursor's function to the cursor; around: the text before that. right: the text behind the
    cursor to the end of the function; rest: the text behind that.
    """
    before = around + function
    if "import *" in before or before.count('"""') % 2 or before.count("'''") % 2:  # binds any name; is a string
        return []
    code: str | None = None
    needed: list[str] = []
    for name in _read_and_not_bound(_code(right)):
        if _occurs(name, function):
            code = _code(function) if code is None else code
            if _occurs(name, code):
                continue
        if name not in _globals_of(around) and name not in _globals_of(rest):
            needed.append(name)
            if len(needed) == _MOST:
                break
    return needed


@dataclass(frozen=True, slots=True)
class _Line:
    """The names bound and read in a line."""

    first: frozenset[str]  # bound for the whole line: imports, loops, parameters
    reads: tuple[str, ...]
    last: tuple[str, ...]  # bound after the line's reads


def _read_and_not_bound(code: str) -> Iterator[str]:
    """The names read in some lines before a binding."""
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
    if len(line) > _LONGEST_LINE:
        return _Line(frozenset(), (), ())
    if _IMPORT.match(line):
        return _Line(frozenset(_NAME.findall(line)), (), ())
    bindings = _BINDS.finditer(line)
    first = {name for match in bindings for text in match.groups() if text for name in _NAME.findall(text)}
    header = _PARAMETERS.search(line)
    if header is not None:
        return _Line(frozenset((*first, *_NAME.findall(header[1]))), (), ())
    targets = _TARGETS.match(line) if "=" in line else None
    bound = targets or _ANNOTATED.fullmatch(line)
    value = line[targets.end() :] if targets else line[bound.end(1) :] if bound else line
    reads = _NAME.findall(_KEYWORD_ARGUMENT.sub(r"\1", value) if "=" in value else value)
    return _Line(frozenset(first), tuple(reads), tuple(_NAME.findall(bound[1])) if bound else ())


def _code(text: str) -> str:
    """A text without comments, and with only the names read in strings."""
    return _JOINED.sub(lambda match: match[0].replace("\n", " "), _COMMENT.sub("", _STRING.sub(_fields, text)))


def _fields(string: re.Match[str]) -> str:
    """The code read in a string: the fields of an f-string."""
    if "f" not in (string["prefix"] or "").lower():
        return '""'
    return " ".join(field.split(":")[0].split("!")[0].rstrip("= ") for field in _FIELD.findall(string[0]))


def _occurs(name: str, text: str) -> bool:
    """Whether a text has a name, except as an attribute. Not by a regular expression: each name would need its own."""
    offset = text.find(name)
    while offset >= 0:
        before, after = text[offset - 1 : offset], text[offset + len(name) : offset + len(name) + 1]
        if before != "." and not is_part(before) and not is_part(after):
            return True
        offset = text.find(name, offset + len(name))
    return False


@lru_cache(_KEPT_TEXTS)
def _globals_of(text: str) -> frozenset[str]:
    """The names bound by the module in a part of it; one in brackets open at a line's start counts as imported.

    All at once: there may be many names, and each of them may occur in every line.
    """
    bound_names = set[str]()
    is_open, header = False, 0  # whether the nearest header above is a block's, and its line
    for number, line in enumerate(text.split("\n")):
        bound, bound_in_block = _bound_at_top(line[:_LONGEST_LINE])
        bound_names |= bound
        if is_open and number - header <= _MOST_LINES:
            bound_names |= bound_in_block
        if line[:1] not in _NO_HEADER:
            is_open, header = _OPEN.match(line) is not None, number
    return frozenset(bound_names)


@lru_cache(2 * _KEPT_LINES)
def _bound_at_top(line: str) -> tuple[frozenset[str], frozenset[str]]:
    """The names bound by a line of the module, and those it binds inside an `if`, `try` and so on."""
    imported = _NAME.findall(line) if _IMPORT.match(line) else []
    code = line.lstrip(" \t")
    match = _TOP.match(code)
    assigned: list[str] = _NAME.findall(match[1] or match[2]) if match is not None else []
    if code == line:
        annotated = _ANNOTATED.fullmatch(line)
        if annotated is not None and not keyword.iskeyword(annotated[1]):
            assigned.append(annotated[1])
        groups = (text for binding in _BINDS.finditer(line) for text in binding.groups() if text)
        return frozenset((*imported, *assigned, *_NAME.findall("\n".join(groups)))), _NOTHING
    listed = _LISTED.fullmatch(line)
    if imported or listed:
        names = imported or [
            name for part in line.split("#")[0].strip(" \t()").split(",") for name in part.split()[-1:]
        ]
        return frozenset(names), _NOTHING
    return frozenset(_NAME.findall(code) if code.startswith("global ") else ()), frozenset(assigned)
