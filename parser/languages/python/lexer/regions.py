"""What kind of text a place is in: code, a comment or a string."""

from __future__ import annotations

from collections.abc import Callable

from ....lexing.base import LexState, Region

_REGIONS: dict[str, Region] = {
    "comment": "comment",
    "line_comment": "comment",
    "opened": "string",
    "string": "string",
    "text": "string",
}


def region(lex: LexState, in_text: Callable[[LexState], bool] | None) -> Region:
    """The kind of text that comes next; a field of an f-string is code, from its brace on.

    in_text: is a state of kind "fstring" in literal text? None where there are no such states.
    """
    if lex.kind == "cr":
        lex = lex.data
    if lex.kind == "fstring":
        return "string" if in_text is not None and in_text(lex) else "code"
    if lex.kind == "text" and lex.data.pending == "{":
        return "code"
    return _REGIONS.get(lex.kind, "code")
