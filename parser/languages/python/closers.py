"""The ends of statements as a person would write them for now."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .layout import ASYNC, HEADERS, one_of

_PLAIN = (
    (re.compile(r"\bclass \w+:\w+(?=[\r\n]*\Z)"), "def _(): pass"),
    (re.compile(r"\bcase \w+:\w+(?=[\r\n]*\Z)"), "case _: pass"),
    (re.compile(r"\bexcept:\w+(?=[\r\n]*\Z)"), "except Exception: pass"),
    (re.compile(r":\w+(?=[\r\n]*\Z)"), ": pass"),
    (re.compile(r"(?<=[ \t])\w+(?=[\r\n]*\Z)"), "pass"),
)
_HEADER = re.compile(rf"(?:{ASYNC})?(?!try|match|case){one_of(HEADERS)}\b")
"""Lines that start a block; `try` and `match` need more than one statement."""
_CLOSED = re.compile(r"[)\]}\"']+:?")
_NEXT_LINE = re.compile(r"\s*^([ \t]*)\S", re.MULTILINE)
_MAX_BELOW = 10_000  # characters searched for the next line
_BLOCK = re.compile(r"([^\r\n]*:)\w+(?=[\r\n]|\Z)")


def plain_closers(text: str, inside: str) -> Iterator[str]:
    """The shortest text that finishes statements, with `pass` in place of its fillers and plain names.

    inside: a line end and the indentation of a block below the statement. A header in the cursor's line without a block gets one there.
    """
    block = _BLOCK.match(text)
    if block is not None:
        yield f"{block[1]}{inside}pass{_rest(text[block.end() :])}"
    yield _rest(text)


def _rest(text: str) -> str:
    return "".join(map(_plain_line, text.splitlines(keepends=True)))


def _plain_line(line: str) -> str:
    for shortest, plain in _PLAIN:
        if shortest.search(line):
            return shortest.sub(plain, line)
    return line


def closers_to_replace(left: str, right: str) -> int:
    """The number of characters behind the cursor that an editor added to close a header without a block; a suggestion may replace them.

    With `def area(|)`, no text between the brackets makes the file valid; `self):` and a block in the place of `)` do.
    """
    line = left[left.rfind("\n") + 1 :].expandtabs()
    bare = line.lstrip(" ")
    rest = re.split(r"[\r\n]", right, maxsplit=1)[0]
    if not (_HEADER.match(bare) and _CLOSED.fullmatch(rest.rstrip())):
        return 0
    below = _NEXT_LINE.match(right[len(rest) :][:_MAX_BELOW])
    has_block = below is not None and len(below[1].expandtabs()) > len(line) - len(bare)
    return 0 if has_block else len(rest.rstrip())
