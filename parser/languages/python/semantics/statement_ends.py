"""The ends of logical lines and functions, found by regular expressions instead of a lexer.

A closed function matters little to the file around it, so its body is only read on demand (see unread_functions.py). Only its end is needed at once:
the first line not indented deeper, outside brackets and strings. Where the expressions do not suffice (tabs, a formatted string with fields
in its own quotes, brackets more than a few deep) the answer is None, and the text is read line by line.
"""

from __future__ import annotations

import re

from .....common.possessive import compiled

_DEPTH = 4
"""Levels of nested brackets in the expressions."""
_DECLARES = ("global", "nonlocal")
_LONE_RETURN = re.compile(r"\r(?!\n)")


def _string(quote: str) -> str:
    """A string in one or three quotes. Fields of a formatted one may hold strings in other quotes, and fields in their format."""
    other = "'" if quote == '"' else '"'
    three = quote * 3
    fewer = f"{quote}(?!{quote}{quote})"
    plain = rf"(?:[^{quote}\\]++|\\[\s\S]|{fewer})*+{three}"
    plain_short = rf"(?:[^{quote}\\\n]++|\\[\s\S])*+{quote}"
    inner = rf"[^{{}}\"'\n\\#]++|{other}[^{{}}\"'\n\\]*+{other}(?!{other})"
    field = rf"\{{\{{|\}}\}}|\{{(?:{inner}|\{{[^{{}}\"'\n\\#]*+\}})*+\}}"
    formatted = rf"(?:[^{quote}\\{{}}]++|\\[^{{}}]|{field}|{fewer})*+{three}"
    formatted_short = rf"(?:[^{quote}\\\n{{}}]++|\\[^{{}}]|{field})*+{quote}"
    return (
        rf"{quote}(?:(?<![fFtT]{quote})(?<![fFtT][rR]{quote})(?:{quote * 2}{plain}|(?!{quote * 2}){plain_short})"
        rf"|(?:(?<=[fFtT]{quote})|(?<=[fFtT][rR]{quote}))(?:{quote * 2}{formatted}|(?!{quote * 2}){formatted_short}))"
    )


def _code() -> str:
    """Code up to the end of a logical line."""
    whole = rf"{_string(chr(34))}|{_string(chr(39))}|\#[^\n]*+|\\\r?\n"
    brackets = ""
    for _ in range(_DEPTH):
        brackets = rf"[(\[{{](?:[^\"'\#()\[\]{{}}\\]++|{whole}{brackets and '|' + brackets})*+[)\]}}]"
    return rf"(?:[^\"'\#()\[\]{{}}\\\n]++|{whole}|{brackets})*+"


_CODE = _code()
_BLANK = r"[ \t\f]*+(?:\#[^\r\n]*+)?\r?\n"
_BLANKS = compiled(rf"(?:{_BLANK})*+")
_LINE = compiled(rf"{_CODE}\n")
_FUNCTION = compiled(
    rf"(?P<column>[ ]*+)(?:async[ ]++)?def[ ]{_CODE}\n(?:{_BLANK}|(?P=column)[ ]++(?=[^\s\#\\]){_CODE}(?:\n|\Z))*+"
)
_STATEMENT = re.compile(r"[ ]*+[^\s\#\\]")


def blanks_end(text: str, begin: int, end: int) -> int:
    """The end of the empty and comment-only lines."""
    match = _BLANKS.match(text, begin, end)
    return begin if match is None else match.end()


def line_end(text: str, begin: int, end: int) -> int | None:
    """The end of the logical line from an offset; None if it is uncertain, or not before `end`."""
    match = _LINE.match(text, begin, end)
    return None if match is None else match.end()


def begins_statement(text: str, begin: int, end: int) -> bool:
    """Whether a statement begins between a line's beginning and another offset."""
    return _STATEMENT.match(text, blanks_end(text, begin, end), end) is not None


def function_end(text: str, begin: int, end: int) -> int | None:
    """The end of the function defined by the line at `begin`; None if it is uncertain.

    end: the cut of the text. Only a line behind the function, or the end of the whole text, shows its end.
    """
    match = _FUNCTION.match(text, begin, end)
    if match is None:
        return None
    stop = match.end()
    if stop < len(text):
        statement = _STATEMENT.match(text, stop, end)
        if statement is None or statement.end() - 1 - stop > len(match["column"]):
            return None
    return None if _LONE_RETURN.search(text, begin, stop) is not None else stop


def declares(text: str) -> bool:
    """Whether a function with this text might bind names around it, and so has to be read."""
    return any(word in text for word in _DECLARES)
