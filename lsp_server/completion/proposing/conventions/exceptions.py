"""After `except`: the exception that the lines below `try:` are known for."""

from __future__ import annotations

import re

from .....common.possessive import compiled
from .cursor import Cursor, indent_of

_MAX_LINES = 30  # below `try:`
_LONGEST = 200  # characters of a line
_TRY = re.compile(r"[ \t]*try:")
_EXCEPT = re.compile(r"[ \t]*except[ \t]$")
_IMPORT = re.compile(r"import[ \t]+\w|from[ \t]+[\w.]+[ \t]+import\b")
_TAKEN = r"\A(?:return[ \t]++|del[ \t]++|[\w.]++[ \t]*+=[ \t]*+)?+"
_ONE = r"(?:[^(),]|\([^()]*+\))++"  # argument
# What one line raises, the surest first.
_RAISED = (
    (compiled(rf"(?<![\w.'\"])next\({_ONE}\)"), "StopIteration"),
    (compiled(r"\.(?:index|strptime|fromisoformat|relative_to)\("), "ValueError"),
    (compiled(rf"{_TAKEN}(?:int|float|UUID|uuid\.UUID)\({_ONE}\)\Z"), "ValueError"),
    (
        compiled(rf"{_TAKEN}[\w.]++\[(?:\"[^\"]*+\"|'[^']*+'|(?!(?:i|j|n|idx|index|pos)\])[^\W\d][\w.]*+)\]\Z"),
        "KeyError",
    ),
    (compiled(r"(?<![\w.])getattr\([^,()]++,[^,()]++\)"), "AttributeError"),
    (compiled(r"(?<![\w.])os\.(?:unlink|remove|stat|makedirs|mkdir|rename|kill|chmod|listdir)\("), "OSError"),
)
_CHECKED = compiled(r"(?<![\w.])subprocess\.(?:check_\w++\(|run\(.*\bcheck=True)")


def imports_tried(cursor: Cursor) -> str | None:
    """`except ` below a `try:` with an import: `ImportError`."""
    return "ImportError" if any(map(_IMPORT.match, _tried(cursor))) else None


def caught(cursor: Cursor) -> str | None:
    """The exception for which the one line below `try:` is known, or for which a command is run there that has to succeed."""
    tried = _tried(cursor)
    if len(tried) == 1:
        for pattern, raised in _RAISED:
            if pattern.search(tried[0]):
                return raised
    return "subprocess.CalledProcessError" if any(map(_CHECKED.search, tried)) else None


def _tried(cursor: Cursor) -> list[str]:
    """The lines below `try:`, without their indentation; none where the cursor's line is not its first `except`."""
    if _EXCEPT.match(cursor.line) is None or cursor.rest.strip() not in ("", ":", "as e:", "as exc:"):
        return []
    own, lines = indent_of(cursor.line), list[str]()
    for line in reversed(cursor.above[-_MAX_LINES:]):
        if line.strip() and indent_of(line) <= own:
            return lines[::-1] if _TRY.match(line) and indent_of(line) == own else []
        if line.strip() and not line.lstrip().startswith("#"):
            lines.append(line.strip()[:_LONGEST])
    return []
