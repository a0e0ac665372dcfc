"""What kind of text a place is in: code, a comment or a string."""

from __future__ import annotations

from typing import Literal

from ...hole import State
from ...lexing.base import LexState
from .fstrings import in_text

Region = Literal["code", "comment", "string"]

_REGIONS: dict[str, Region] = {
    "comment": "comment",
    "line_comment": "comment",
    "opened": "string",
    "string": "string",
    "text": "string",
}


def region(state: State) -> Region:
    """Give the kind of text at a state, for Python; a field of an f-string is code, from its brace on.

    The lexer of a grammar file does not know which of its terminals are comments or strings: all of it is code.
    """
    lex: LexState = state.left.lex
    if lex.kind == "cr":
        lex = lex.data
    if lex.kind == "fstring":
        return "string" if in_text(lex) else "code"
    if lex.kind == "text" and lex.data.pending == "{":
        return "code"
    return _REGIONS.get(lex.kind, "code")
