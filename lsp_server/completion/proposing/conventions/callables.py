"""What functions and classes of this file and the open ones are called with."""

from __future__ import annotations

import itertools
import re

from .cursor import MAX_CHARS, Cursor, parts_of

_MAX_PARAMETERS = 2_000  # characters of a signature that are read
CALL = re.compile(r"(?:(?P<own>(?<![\w.])self\.)|(?<![\w.]))(?P<name>[^\W\d]\w*)\($")
"""A call that has just been opened, of a function or of a method of `self`."""
_COMMENT = re.compile(r"(\"[^\"\n]*\"|'[^'\n]*')|#[^\n]*")


def required(function: str, own: bool, cursor: Cursor) -> list[str]:
    """The names of a callable's parameters without defaults that need no keyword; none where the callable is not known."""
    parts = itertools.takewhile(lambda part: part[:1] != "*", parameters(function, own, cursor))
    return [name_of(part) for part in parts if "=" not in part]


def parameters(function: str, own: bool, cursor: Cursor) -> list[str]:
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


def name_of(parameter: str) -> str:
    """The name of a parameter as it is written, with an annotation or a default."""
    return re.split(r"[:=]", parameter, maxsplit=1)[0].strip()


def kind_of(parameter: str) -> str:
    """The annotation of a parameter as it is written; "" without one."""
    return parameter.partition(":")[2].partition("=")[0].strip()


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
        return [line for line in lines if name_of(line) != "_" and "init=False" not in line]
    return []


def _passed(text: str, start: int) -> list[str]:
    parts = parts_of(_COMMENT.sub(r"\1", text[start : start + _MAX_PARAMETERS]))
    return [part for part in parts if name_of(part) not in ("self", "cls", "/")]


def _decorators_above(text: str, start: int) -> str:
    """The decorators of the class that begins at `start`, each on one line. Read upwards: many lines may be decorators of nothing."""
    first = start
    while first and text[(line := text.rfind("\n", 0, first - 1) + 1)] == "@":
        first = line
    return text[first:start]
