"""The thought in a longer text: whether its task is described, and its end. Nobody wants the text behind the end, if a model does not stop:
its tests, examples of its use, the same function again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....common.line_ends import line_start
from ....common.words import compiled

_HEADER = compiled(
    r"(?P<blank>[ \t]*+)(?:(?:async|export|default|public|private|protected|static)[ \t]+)*"
    r"(?:(?:def|func|function|fn)[ \t]+(?:\([^)\n]*\)[ \t]*)?"
    r"|(?:const|let|var)[ \t]+(?=\w+[ \t]*(?::[^=\n]*)?=[ \t]*(?:async[ \t]*)?(?:function\b|\([^\n]*=>))"
    r"|(?!(?:if|for|while|switch|catch|with|function)\b)(?=\w+[ \t]*\([^\n]*\)[^(=\n]*\{\s*\Z))(?P<name>\w++)"
)
"""A function's header in one line: with its keyword, as a constant, or as a method in braces."""
_EXAMPLE = re.compile(
    r"[ \t]*(?:#|//)[ \t]*(?:(?:examples?|usage|tests?)[ \t]*:?[ \t]*$|(?:example|sample)s?[ \t]+(?:usages?|of)\b"
    r"|tests?[ \t]+(?:cases?|the[ \t]+(?:function|method|code))\b|driver[ \t]+(?:code|program)\b)",
    re.IGNORECASE,
)
_PARAMETERS = re.compile(r"[ \t]*(?:<[^()\n]*>)?\((?P<all>[^()\n]*)\)")
_CALL = re.compile(
    r"\s*(?:(?:return|await|yield|from)\s+)*(?P<of>(?:self|cls|this)\.)?(?P<name>\w+)\((?P<arguments>[^()\n]*)\);?\s*"
)
_COMMENTS = ("#", "//")
_DOCSTRING_ENDS = ('"""', "'''")
_LONGEST_HEADER = 400  # characters
_WORD = compiled(r"\w++")
_REACH = 10_000  # characters above to search for the functions around


def ends(left: str, text: str) -> Iterator[int]:
    """The places where a text of several lines can end with its thought, in order."""
    around = functions_around(left)
    start = 0
    for line in text.splitlines(keepends=True):
        whole = line if start else left[line_start(left) :] + line
        header = _header(whole)
        again = header is not None and header["name"] in around
        if (start and _EXAMPLE.match(line)) or again:
            yield start
        start += len(line)


def calls_itself(left: str, text: str) -> bool:
    """Whether a text makes a function's first statement an endless call of the function itself, with its own parameters."""
    before = left[line_start(left) :]
    call = _CALL.fullmatch((before + text).partition("\n")[0])
    above = left[: len(left) - len(before)].rstrip()
    header_line = (before_docstring(above) or above).rpartition("\n")[2]
    header = None if call is None else _header(header_line)
    parameters = None if header is None else _PARAMETERS.match(header_line, header.end())
    if call is None or header is None or parameters is None or header["name"] != call["name"]:
        return False
    taken = [_WORD.match(parameter.strip()) for parameter in parameters["all"].split(",") if parameter.strip()]
    names = [name[0] if name is not None else "" for name in taken]
    if bool(call["of"]) and names[:1] in (["self"], ["cls"]):
        names = names[1:]
    elif not call["of"] and names[:1] in (["self"], ["cls"]):
        return False  # another function of the same name
    return names == [argument.strip() for argument in call["arguments"].split(",") if argument.strip()]


def announces_code(text: str) -> bool:
    """Whether a text's comments announce missing code: they end it, or stand above a single word."""
    *above, last = text.strip().split("\n")
    return _is_comment(last) or (bool(above) and last.strip().isidentifier() and all(map(_is_comment, above)))


def without_last_comments(text: str) -> str:
    """A truncated text without its last comments: the code they announce is missing."""
    while "\n" in (text := text.rstrip()) and _is_comment(text.rpartition("\n")[2]):
        text = text.rpartition("\n")[0]
    return text


def _is_comment(line: str) -> bool:
    return line.lstrip(" \t").startswith(_COMMENTS)


def is_documented(left: str) -> bool:
    """Whether a docstring or a comment describes the body that begins at the end of a text."""
    above = left.rstrip()
    header = before_docstring(above) or above
    if without_comments(header, _COMMENTS) != above:
        return True
    lines = header.split("\n")
    if _column(lines[-1]) not in list(functions_around(left).values())[:1]:
        return False  # no function's own body
    first = next((number for number in range(len(lines) - 1, 0, -1) if _header(lines[number])), 0)
    return first > 0 and lines[first - 1].lstrip().startswith((*_COMMENTS, "/*", "*/"))


def without_comments(above: str, comments: str | tuple[str, ...]) -> str:
    """Some code without its last lines of comments."""
    while above.rpartition("\n")[2].lstrip(" \t").startswith(comments):
        above = above.rpartition("\n")[0].rstrip()
    return above


def before_docstring(above: str) -> str:
    """The code before a final string in three quotes; "" if there is none."""
    quotes = above[-3:]
    begin = above.rfind(quotes, 0, -3) if quotes in _DOCSTRING_ENDS else -1
    return above[:begin].rstrip("rRuU").rstrip() if begin >= 0 else ""


def functions_around(left: str) -> dict[str, int]:
    """The functions whose bodies contain the end of a text, by name, the innermost first, with their columns."""
    lines = left[-_REACH:].split("\n")
    column = _column(lines[-1])
    functions: dict[str, int] = {}
    for line in reversed(lines[:-1]):
        begun = line.lstrip()
        # A signature of several lines ends with a closing bracket at its header's column.
        if begun and begun[0] not in ")]}" and _column(line) < column:
            column = _column(line)
            header = _header(line)
            if header is not None:
                functions.setdefault(header["name"], column)
    return functions


def _header(line: str) -> re.Match[str] | None:
    """A function's header at the beginning of a line."""
    return _HEADER.match(line) if len(line) <= _LONGEST_HEADER else None


def _column(line: str) -> int:
    line = line.expandtabs()
    return len(line) - len(line.lstrip())
