"""Cells of a notebook as Python: lines and cells of IPython's magics are not Python."""

from __future__ import annotations

import re

_CELL_MAGIC = re.compile(r"(?P<blank>\s*)%%(?P<name>\S*)")
_OF_PYTHON = frozenset(("capture", "debug", "ipytest", "prun", "pypy", "python", "python3", "time", "timeit"))
"""The magics of cells with Python behind their first line."""
_MAGIC = re.compile(r"^(?P<blank>[ \t]*)(?:[%!].*|\?.*|[\w.]+\?{1,2}[ \t]*)$", re.MULTILINE)
_ASSIGNED_MAGIC = re.compile(r"^(?P<targets>[ \t]*[\w.,* \t\[\]]+=[ \t]*)[%!].*$", re.MULTILINE)


def cell_as_python(text: str, is_above: bool) -> str | None:
    """The code of a cell, as long as the cell; None for a cell in another language.

    is_above: the cells below it need only its names. Then the code may have any length, and has no magics.
    """
    magic = _CELL_MAGIC.match(text)
    if magic is not None:
        if magic["name"] not in _OF_PYTHON:
            return None
        begin = len(magic["blank"])
        text = f"{text[:begin]}# {text[begin + 2 :]}"
    if is_above:
        text = _ASSIGNED_MAGIC.sub(r"\g<targets>()", _MAGIC.sub(r"\g<blank>pass", text))
    return text
