"""What an editor inserts when somebody presses Enter at the end of a line, as a guess."""

from __future__ import annotations

import re

_LEAVES = re.compile(r"(?:return|raise|pass|break|continue)\b")
_OPENERS = (":", "(", "[", "{")
_SPACES = "    "


def after_enter(text: str, offset: int, language: str, newline: str = "\n") -> str | None:
    """Give the line end and the indentation that follow a line; None where the cursor is not at the end of one that has text."""
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    line = text[start:offset]
    if not line.strip() or text[offset : offset + 1] not in ("", "\n", "\r"):
        return None
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    unit = "\t" if indent.startswith("\t") else _SPACES
    if line.rstrip().endswith(_OPENERS):
        indent += unit
    elif language == "python" and _LEAVES.match(line.lstrip()):
        indent = indent.removesuffix(unit)
    return newline + indent
