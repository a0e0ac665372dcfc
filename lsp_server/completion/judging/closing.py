"""The closers of a text's open brackets and quote: they make the beginning of a call fit, with the cursor inside.

As in an editor that closes brackets, `area(` comes with its `)`, and the cursor stays before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ....parser import Hole

_CLOSERS = {"(": ")", "[": "]", "{": "}"}
_PIECE = re.compile(r"[\"']|\\.|[()\[\]{}]", re.DOTALL)
_END = re.compile(r"[\w)\]}\"'(\[{]\Z")  # a place to stop: not behind a comma, an operator or a dot


def closers_of(text: str) -> str:
    """The closers of the brackets and the quote left open by a line of code; "" if there are none, or they do not match."""
    opened: list[str] = []
    quote = ""
    for piece in _PIECE.findall(text):
        if quote:
            quote = "" if piece == quote else quote
        elif piece in ('"', "'"):
            quote = piece
        elif piece in _CLOSERS:
            opened.append(_CLOSERS[piece])
        elif piece[0] != "\\" and (not opened or opened.pop() != piece):
            return ""
    return quote + "".join(reversed(opened))


def closing_in(hole: Hole) -> Callable[[str], str]:
    """A function from a text's beginning to the closers that make the file valid and allow more text before them; "" for none."""

    def closing(begun: str) -> str:
        closers = closers_of(begun) if hole.state is not None and "\n" not in begun and _END.search(begun) else ""
        if not closers or hole.state is None:
            return ""
        after = hole.state.advance(begun + closers)
        return closers if after is not None and after.complete else ""

    return closing
