"""The last resort when the search of a bridge gives up: end the statement, and open by a list of patterns the one that the
right context goes on with, in blocks at the columns that it returns to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

_HEADS = (
    *(
        "",
        "if ",
        "for x in ",
        "with ",
        "while ",
        "elif ",
        "except ",
        "x = ",
        "return ",
        "def x",
        "class x",
        "for ",
        "assert ",
    ),
    *(
        "lambda ",
        "@",
        "case ",
        "match ",
        "def ",
        "class ",
        "import ",
        "from x import ",
        "from ",
        "del ",
        "raise ",
        "else",
    ),
    *("with x as ", "for x, ", "not ", "global ", "try", "finally", "x: ", "yield ", "await ", "async ", "except* "),
)
_TAILS = (
    "",
    "x",
    "x ",
    "''",
    "x=",
    "x:",
    "x for x in ",
    "x if x ",
    "x,",
    "'''",
    '"""',
    "'",
    '"',
    "#",
    "f'{",
    'f"{',
    "*",
    "0",
    "x.",
)
_OPENING = {")": "(", "]": "[", "}": "{"}
_SCANNED = 4_000
"""Characters of the right context that are looked at for brackets and columns."""
_STRINGS = re.compile(r"'''.*?'''|\"\"\".*?\"\"\"|'[^'\n]*'|\"[^\"\n]*\"|#[^\n]*", re.DOTALL)
_LINE = re.compile(r"^([ \t]*)([^\s#]+)", re.MULTILINE)


def openers(right: str) -> Iterator[str]:
    """Beginnings of statements that the right context may continue, plain ones first."""
    brackets = _unmatched(right)
    insides = dict.fromkeys(["".join(brackets), "".join("x" + b if b in "([" else b for b in brackets)])
    for tail, inside, head in product(_TAILS, insides, _HEADS):
        yield head + inside + tail


def blocks(right: str, column: int) -> str:
    """Headers, each on a line of its own, for blocks deeper than column that the right context returns to."""
    first_end = right.find("\n")
    if first_end < 0:
        return ""
    levels: list[tuple[str, str]] = []  # deepest first
    lowest = None
    for match in _LINE.finditer(_STRINGS.sub("", right[first_end : first_end + _SCANNED])):
        indent, word = match[1], match[2]
        if len(indent) <= column:
            break
        if lowest is None or len(indent) < lowest:
            levels.append((indent, word))
            lowest = len(indent)
        elif len(indent) == lowest and levels and word.startswith(("except", "finally", "case")):
            levels[-1] = indent, word
    text, at = "", " " * column
    for i, (indent, _) in enumerate(reversed(levels)):
        # The block at `indent` is opened by a statement one level out, whose own continuation decides its kind.
        outer = levels[len(levels) - i][1] if i else ""
        header = (
            "try:" if outer.startswith(("except", "finally")) else "match x:" if outer.startswith("case") else "if x:"
        )
        text += at + header + "\n"
        at = indent
    return text + at


def _unmatched(right: str) -> list[str]:
    """The opening brackets that the right context's first statement closes, outermost first."""
    found: list[str] = []
    depth = 0
    for char in _STRINGS.sub("", right[:_SCANNED]):
        if char in "([{":
            depth += 1
        elif char in ")]}":
            if depth:
                depth -= 1
            else:
                found.append(_OPENING[char])
    return found[::-1]
