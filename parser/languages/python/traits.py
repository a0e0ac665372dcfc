"""Python's conventions, for those who show its texts."""

from __future__ import annotations

import io
import re

from ...language_runtime import Repeats, Traits
from .closers import closers_to_replace
from .notebooks import cell_as_python

_HEADERS = {
    "async": "async def a():",
    "case": "case 1:",
    "class": "class A:",
    "def": "def a():",
    "elif": "elif 1:",
    "else": "else:",
    "except": "except:",
    "except*": "except* A:",
    "finally": "finally:",
    "for": "for a in ():",
    "if": "if 1:",
    "try": "try:",
    "while": "while 1:",
    "with": "with 1:",
}
# Of 22 other suggestions that repeated one of the three nearest lines, at most 2 were right.
_REPEATS = Repeats(
    re.compile(r"@.*|pass|break|continue|(?:else|try|finally):|return|pass  # pragma: no cover|\.\.\."),
    in_other_blocks=False,
)

_LINE_END = re.compile(rb"\r\n|\r|\n")


def declared_encoding(start: bytes) -> str:
    """The encoding declared by the first lines of a file (PEP 263)."""
    import tokenize  # which editors do not need

    # tokenize takes a lone \r for part of a line, so it gets the first two lines as they really end.
    first_lines = io.BytesIO(b"\n".join(_LINE_END.split(start, 2)[:2]))
    return tokenize.detect_encoding(first_lines.readline)[0]


TRAITS = Traits(
    repeats=_REPEATS,
    filler="pass",
    block="",
    leaves=re.compile(r"(?:return|raise|pass|break|continue)\b"),
    headers=_HEADERS,
    candidates="python",
    quotes="\"'",
    closed=closers_to_replace,
    cell=cell_as_python,
)
