"""A guess of the indentation that an editor inserts for Enter at the end of a line."""

from __future__ import annotations

from ..cursor import Cursor
from ..style import REACH, indentation

_OPENERS = (":", "(", "[", "{")
_SPACES = "    "


def after_enter(cursor: Cursor, language: str) -> str | None:
    """Return the line end and indentation that follow a line; None unless the cursor is at the end of a line with text."""
    from ....parser.language import traits

    line, indent = cursor.before, cursor.blank
    if not line.strip() or cursor.rest:
        return None
    unit = "\t" if indent.startswith("\t") else indentation(cursor.left[-REACH:]) or _SPACES
    if line.rstrip().endswith(_OPENERS):
        indent += unit
    elif (leaves := traits(language).leaves) is not None and leaves.match(line.lstrip()):
        indent = indent.removesuffix(unit)
    return cursor.newline + indent
