"""Headers of blocks that a right context needs and that are not open yet, told by the columns that its lines return to."""

from __future__ import annotations

from collections.abc import Sequence


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


def blocks_before(returns: Sequence[tuple[int, str]], column: int) -> str:
    """The same for a right context that begins with a line of its own, and what a clause (`else:`) there is one of."""
    text = blocks(returns, column)
    lines, indent = text[: text.rfind("\n") + 1], text[text.rfind("\n") + 1 :]
    word = returns[0][1] if returns else ""
    statement = {"except": "try:x", "finally": "try:x", "else": "if x:x", "elif": "if x:x"}.get(word)
    return lines + (f"{indent}{statement}\n" if statement else "")
