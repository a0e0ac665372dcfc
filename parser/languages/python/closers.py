"""What finishes a statement, as a person would write it until there is more."""

from __future__ import annotations

import re

_PLAIN = (
    (re.compile(r"\bclass \w+:\w+(?=[\r\n]*\Z)"), "def _(): pass"),
    (re.compile(r"\bcase \w+:\w+(?=[\r\n]*\Z)"), "case _: pass"),
    (re.compile(r"\bexcept:\w+(?=[\r\n]*\Z)"), "except Exception: pass"),
    (re.compile(r":\w+(?=[\r\n]*\Z)"), ": pass"),
    (re.compile(r"(?<=[ \t])\w+(?=[\r\n]*\Z)"), "pass"),
)


def plain_closer(text: str) -> str:
    """The shortest text that finishes statements, with `pass` for its fillers and plain names."""
    return "".join(map(_plain_line, text.splitlines(keepends=True)))


def _plain_line(line: str) -> str:
    for shortest, plain in _PLAIN:
        if shortest.search(line):
            return shortest.sub(plain, line)
    return line
