"""The last resort when the search of a bridge gives up: end the statement, and open by a list of patterns the one that the
right context goes on with, in blocks at the columns that it returns to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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
TAILS = ("", "x", "x ", "''", "x=", "x:", "x for x in ", "x if x ", "x,", "f'{", 'f"{', "*", "0", "x.")
_OPENING = {")": "(", "]": "[", "}": "{"}
_SCANNED = 4_000
"""Characters of the right context that are looked at for brackets."""
_STRINGS = re.compile(r"'''.*?'''|\"\"\".*?\"\"\"|'[^'\n]*'|\"[^\"\n]*\"|#[^\n]*", re.DOTALL)


def openers(right: str, tails: Sequence[str]) -> Iterator[str]:
    """Beginnings of statements that the right context may continue, plain ones first; tails: their ends."""
    brackets = _unmatched(right)
    insides = dict.fromkeys(["".join(brackets), "".join("x" + b if b in "([" else b for b in brackets)])
    for tail, inside, head in product(tails, insides, _HEADS):
        yield head + inside + tail


def blocks(returns: Sequence[tuple[int, str]], column: int) -> str:
    """Headers, each on a line of its own, for blocks deeper than column that the right context returns to.

    returns: the columns that its lines come back to, deepest first, each with the keyword that tells the kind of the
    statement at that column.
    """
    text, at, kind = "", " " * column, ""
    for to, word in reversed(returns):
        if to > column:
            header = "try:" if kind in ("except", "finally") else "match x:" if word == "case" else "if x:"
            text += at + header + "\n"
            at = " " * to
        kind = word
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
