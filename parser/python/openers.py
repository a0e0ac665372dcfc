"""The last resort when the search of a bridge gives up: end the statement, and open by a list of patterns the one that the
right context goes on with, in blocks at the columns that it returns to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

_STARTS = """
|if |for x in |with |while |elif |except |x = |return |def x|class x|for |assert |lambda |@|case |match |def |class |import |\
from x import |from |del |raise |else|with x as |for x, |not |global |x: |yield |await |async |except* |finally|try
"""
_HEADS = tuple(start.strip("\n") for start in _STARTS.split("|"))
TAILS = ("", "x", "x ", "''", "x=", "x:", "x for x in ", "x if x ", "x,", "f'{", 'f"{', "*", "0", "x.", "x:x")

_MIXED = 3
"""Innermost brackets of which each may be a call's or not."""


def openers(brackets: str, tails: Sequence[str]) -> Iterator[str]:
    """Beginnings of statements that have these brackets open, plain ones first; tails: their ends."""
    shapes = (brackets, as_calls(brackets), as_items(brackets), as_annotation(brackets))
    for tail, inside, head in product(tails, dict.fromkeys(shapes), _HEADS):
        yield head + inside + tail


def as_calls(brackets: str) -> str:
    """The brackets as those of calls and subscripts."""
    return "".join(bracket if bracket == "{" else "x" + bracket for bracket in brackets)


def as_items(brackets: str) -> str:
    """The brackets with each one in a brace as the value of a dictionary's key."""
    return brackets[:-1].replace("{", "{x:") + brackets[-1:]


def as_annotation(brackets: str) -> str:
    """The brackets within the annotation of a parameter, where there are more than the parameters' own."""
    return f"{brackets[0]}x:{as_calls(brackets[1:])}" if brackets[1:] and brackets[0] == "(" else brackets


def forms(brackets: str) -> Iterator[str]:
    """The brackets bare, as calls and subscripts, in dictionaries, and the innermost ones mixed of these."""
    yield from (brackets, as_calls(brackets), as_items(brackets))
    outer, inner = brackets[:-_MIXED], brackets[-_MIXED:]
    for called in product((False, True), repeat=len(inner)):
        mixed = "".join("x" * (call and bracket != "{") + bracket for call, bracket in zip(called, inner, strict=True))
        yield as_items(outer + mixed)


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
