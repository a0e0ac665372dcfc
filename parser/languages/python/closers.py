"""What finishes a statement, as a person would write it until there is more."""

from __future__ import annotations

import re
from collections.abc import Iterator

_PLAIN = (
    (re.compile(r"\bclass \w+:\w+(?=[\r\n]*\Z)"), "def _(): pass"),
    (re.compile(r"\bcase \w+:\w+(?=[\r\n]*\Z)"), "case _: pass"),
    (re.compile(r"\bexcept:\w+(?=[\r\n]*\Z)"), "except Exception: pass"),
    (re.compile(r":\w+(?=[\r\n]*\Z)"), ": pass"),
    (re.compile(r"(?<=[ \t])\w+(?=[\r\n]*\Z)"), "pass"),
)
_BLOCK = re.compile(r"([^\r\n]*:)\w+(?=[\r\n]|\Z)")


def plain_closers(text: str, inside: str) -> Iterator[str]:
    """The shortest text that finishes statements, with `pass` for its fillers and plain names.

    inside: a line end and the indentation of a block below the statement. A block that a header in the cursor's line lacks stands there.
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
