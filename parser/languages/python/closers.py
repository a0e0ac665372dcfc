"""What finishes a statement, as a person would write it until there is more."""

from __future__ import annotations

import re

_PLAIN = (
    (re.compile(r"\bclass \w+:\w+\Z"), "def _(): pass"),
    (re.compile(r"\bcase \w+:\w+\Z"), "case _: pass"),
    (re.compile(r"\bexcept:\w+\Z"), "except Exception: pass"),
    (re.compile(r":\w+\Z"), ": pass"),
    (re.compile(r"(?<=[ \t])\w+\Z"), "pass"),
)


def plain_closer(text: str) -> str:
    """The shortest text that finishes a statement, with `pass` for its filler and plain names."""
    for shortest, plain in _PLAIN:
        if shortest.search(text):
            return shortest.sub(plain, text)
    return text
