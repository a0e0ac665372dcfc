"""The end of a longer text's thought: the text behind it, where a model does not stop, nobody wants.

Its tests, examples of its use, the same function again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....common.line_ends import line_start
from ....common.words import compiled

_HEADER = compiled(
    r"(?P<blank>[ \t]*+)(?:(?:async|export|public|private|static)[ \t]+)*(?:def|func|function|fn)[ \t]+(?P<name>\w++)"
)
_EXAMPLE = re.compile(
    r"[ \t]*(?:#|//)[ \t]*(?:(?:examples?|usage|tests?)[ \t]*:?[ \t]*$|(?:example|sample)s?[ \t]+(?:usages?|of)\b"
    r"|tests?[ \t]+(?:cases?|the[ \t]+(?:function|method|code))\b|driver[ \t]+(?:code|program)\b)",
    re.IGNORECASE,
)
_COMMENTS = ("#", "//")
_REACH = 10_000  # characters above in which the functions around are looked for


def ends(left: str, text: str) -> Iterator[int]:
    """Where a text of several lines can end because its thought does, the first place first."""
    around = functions_around(left)
    start = 0
    for line in text.splitlines(keepends=True):
        whole = line if start else left[line_start(left) :] + line
        header = _HEADER.match(whole)
        again = header is not None and header["name"] in around
        if (start and _EXAMPLE.match(line)) or again:
            yield start
        start += len(line)


def announces_code(text: str) -> bool:
    """Whether a text's comments are about code that is not there: they end it, or only a word is below them."""
    *above, last = text.strip().split("\n")
    return _is_comment(last) or (bool(above) and last.strip().isidentifier() and all(map(_is_comment, above)))


def without_last_comments(text: str) -> str:
    """A text that was cut off, without the comments with which it ends: the code that they announce is not there."""
    while "\n" in (text := text.rstrip()) and _is_comment(text.rpartition("\n")[2]):
        text = text.rpartition("\n")[0]
    return text


def _is_comment(line: str) -> bool:
    return line.lstrip(" \t").startswith(_COMMENTS)


def functions_around(left: str) -> dict[str, int]:
    """The names of the functions whose bodies the end of a text is in, the innermost first, and the columns at which they begin."""
    lines = left[-_REACH:].split("\n")
    column = _column(lines[-1])
    functions: dict[str, int] = {}
    for line in reversed(lines[:-1]):
        begun = line.lstrip()
        # A signature of several lines ends with a closing bracket at its header's column.
        if begun and begun[0] not in ")]}" and _column(line) < column:
            column = _column(line)
            header = _HEADER.match(line)
            if header is not None:
                functions.setdefault(header["name"], column)
    return functions


def _column(line: str) -> int:
    line = line.expandtabs()
    return len(line) - len(line.lstrip())
