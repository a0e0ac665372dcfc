"""Texts that say next to nothing: they are never shown, asked for or not."""

from __future__ import annotations

import re

from ....common.words import compiled
from ..cursor import Cursor
from .repetition import IMPORTING
from .thoughts import functions_around

_QUOTES = ('""', "''", '""' * 3, "''" * 3)
_COMMENT_SIGNS = ("#", "//", "--")
_PATH = compiled(r"\s*(?:\w++\.)+\w++\s*")
_OPERAND = re.compile(r"[\w)\]}\"'`]\Z")  # brackets behind it are a call's
_DEFINES = re.compile(r"\s*(?:async\s+)?(?:def|class|lambda|func|function)\b")
_EMPTY_ARGUMENT = re.compile(r"(?P<call>\w+\()?(?:(?<=[(,])|(?<=[(, ])(?P<name>\w+)=)(?P<quotes>\"\"|'')[)\]}]*\Z")
_UNCALLED = re.compile(
    r"(?:=|\b(?:return|yield|await|in|and|or|not)\b)[ \t]*(?P<path>(?P<module>[^\W\d]\w*)\.[a-z]\w*)\s*\Z"
)
_ONE_NAME = re.compile(r"\b(?:return|yield|await)\b[ \t]*(?P<name>[^\W\d]\w*)\s*\Z")
_OFTEN_EMPTY = frozenset(("default", "end", "fill", "newline", "prefix", "safe", "sep", "suffix", "value"))
"""Keywords often given an empty string: 70 of the 232 in 760 files of Python."""


def says_too_little(cursor: Cursor, text: str, written: str) -> bool:
    """Whether a text is only one of these, or breaks an expression off behind its first word.

    - Quotes with nothing in them, a comment's sign, or `()` where a value ends.
    - A call's argument of empty quotes found nowhere in the file: of 126,830 calls in 760 files of Python, 63 have nothing else.
    - A path that continues at a statement's beginning; at a value's end a function otherwise always called, or the one around.
    """
    said, before = text.strip(), cursor.before
    if said in _QUOTES or said in _COMMENT_SIGNS or (said == "()" and not _OPERAND.search(before)):
        return True
    path = not before.strip() and _PATH.fullmatch(text) is not None
    goes_on = written.startswith(text) and written[len(text) :][:1] in tuple(".([")
    little = (path and goes_on) or goes_on_behind(before, text, written) or passes_nothing(cursor, said)
    return little or is_uncalled(cursor, text) or gives_itself(cursor, text)


def is_uncalled(cursor: Cursor, text: str) -> bool:
    """Whether a text ends a value with a module's function that the file calls in all other places.

    Of 4,659 values ending in a dotted name, in 1,500 files of Python, 4 are such.
    """
    line = (cursor.before + text).rpartition("\n")[2]
    named = _UNCALLED.search(line) if text.strip() and not cursor.rest.strip() else None
    if named is None or re.search(rf"^[ \t]*import [\w., ]*\b{named['module']}\b", cursor.text, re.MULTILINE) is None:
        return False
    uses = re.findall(rf"(?<![\w.]){re.escape(named['path'])}(?!\w)(\(?)", cursor.text)
    return bool(uses) and all(uses)


def gives_itself(cursor: Cursor, text: str) -> bool:
    """Whether a text makes a function return itself, named nowhere else in it, instead of a call's result.

    Of 141,110 values in 2,500 files of Python, 5 are such, all in functions that trace a program.
    """
    line = (cursor.before + text).rpartition("\n")[2]
    named = _ONE_NAME.search(line) if text.strip() and not cursor.rest.strip() else None
    if named is None or named["name"] not in functions_around(cursor.left + text[: len(text) - len(text.lstrip())]):
        return False
    above = (cursor.left + text)[: -len(named[0])]
    uses = re.findall(rf"(?<![\w.])(?:(def|func|function)[ \t]+)?{re.escape(named['name'])}(?!\w)", above)
    return bool(uses) and bool(uses[-1])


def passes_nothing(cursor: Cursor, text: str) -> bool:
    """Whether a text writes, at its end, an argument of empty quotes found nowhere in the file."""
    line = (cursor.before + text).rpartition("\n")[2]
    passed = _EMPTY_ARGUMENT.search(line)
    if passed is None or passed.end("quotes") <= len(line) - len(text) or _DEFINES.match(line):
        return False
    if passed["name"] is None and passed["call"] is None:
        return False  # behind others, as in `replace("-", "")`
    said = line[passed.start("call" if passed["name"] is None else "name") : passed.end("quotes")]
    return passed["name"] not in _OFTEN_EMPTY and said not in cursor.text


def goes_on_behind(before: str, text: str, written: str) -> bool:
    """Whether a text is a single word that begins an expression, with more written behind it."""
    begins = not (before[-1:].isalnum() or before[-1:] in ("_", ".")) and IMPORTING.match(before.lstrip()) is None
    rest = written[len(text) :].partition("\n")[0].lstrip(" \t") if written.startswith(text) else ""
    return begins and text.strip().isidentifier() and rest[:1] not in ("", ",", ")", "]", "}", ":", ";", "=", "#")
