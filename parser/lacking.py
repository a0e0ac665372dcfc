"""Whether the cursor's line lacks the beginning of the lines below, by columns, brackets and quotes, without parsing."""

from __future__ import annotations

import re
import sys
from itertools import islice

from ..common.brackets import CLOSERS, OPENERS
from ..common.line_ends import line_start
from ..common.words import is_part
from .enclosing import MAX_LINES
from .view import line_end

_LINE = re.compile(r"[\r\n]([ \t]*)([^ \t\r\n][^\r\n]*)")
"""A line with code: its indentation, and its code."""
_CLOSING = re.compile(r"[)\]}]+")
_TAG, _CLOSES_TAG = re.compile(r"<[\w>]"), re.compile(r"</|/?>")
_TAG_NAME = re.compile(r"<[\w.:-]*\Z")
_LONG = re.compile(r"\"\"\"|'''|`")
"""Quotes of strings over several lines."""
_LABEL = re.compile(r"(?:case\b.*|default\s*):")
"""A label, which may be as deep as the header of its block."""
_STRING = re.compile(r"\\.|\"(?:[^\"\\]|\\.)*(?:\"|$)|'(?:[^'\\]|\\.)*'")
_QUOTES = ('"""', "'''")


def lacks_beginning(text: str, offset: int) -> bool:
    """Whether a text at the cursor has to begin a block, element, string or comment that ends further below."""
    return lacks_header(text, offset) or _lacks_quotes(text, offset)


def lacks_header(text: str, offset: int) -> bool:
    """Whether the lines below are deeper than an unmatched closing bracket or tag after them, in the column of the cursor's line.
    With nothing before the cursor, the line may be meant to be as deep as the bracket."""
    start, end = line_start(text, offset), line_end(text, offset)
    begun, still_open, tags, least, in_string = text[start:offset], list[str](), list[int](), sys.maxsize, False
    column, is_blank = _column(begun), not begun.strip()
    _match_brackets(_STRING.sub("", begun) + text[offset:end], still_open)
    cuts_name = _TAG_NAME.search(begun) is not None and is_part(text[offset : offset + 1] or " ")
    own, is_label = len(still_open), _LABEL.match(text[start:end].lstrip()) is not None
    for line in _LINE.finditer(text, end):
        parts = _LONG.split(line[2])
        code, begins_in_string = _STRING.sub("0", '""'.join(parts[in_string::2])), in_string
        in_string ^= len(parts) % 2 == 0
        if begins_in_string:
            _match_brackets(code, still_open)
            continue
        width, closing = _column(line[1]), _CLOSING.match(code)
        if width < column:
            return False
        if closes_tag := _CLOSES_TAG.match(code) is not None:
            opened = not cuts_name and _opens_tag(code, text[start:end], is_blank or least < sys.maxsize)
            is_stray = width not in tags and not opened
        else:
            is_stray = closing is not None and _match_brackets(closing[0], still_open)
        if is_stray and (is_blank or width == column):
            return width < least and not (is_blank and _is_opened(text, start, width, code))
        if width == column and closing is not None and len(still_open) < own:
            return width < least < sys.maxsize
        is_labelled = width == column and _LABEL.match(code) is not None and not is_label
        if width == column and closing is None and not closes_tag and not is_labelled:
            return False
        if width > column or is_labelled:
            least = min(least, width + (closing is not None or is_labelled))
        closes_more = _match_brackets(code[closing.end() if closing else 0 :], still_open)
        if closes_more and width > column and not own:
            return not is_blank or _is_begun_below(text, start, width)
        if _opens_element(code):
            tags.append(width)
        elif code.startswith(("</", "/>")) and width in tags:
            tags.remove(width)
    return False


def _lacks_quotes(text: str, offset: int) -> bool:
    """Whether a blank line precedes lines of prose ending with closing quotes, or with the end of a comment."""
    start, end = line_start(text, offset), line_end(text, offset)
    if text[start:end].strip():
        return False
    column, are_marked = _column(text[start:offset]), True
    for number, line in enumerate(islice(_LINE.finditer(text, end), MAX_LINES)):
        if _column(line[1]) < column:
            return False
        code = line[2].rstrip()
        if code in _QUOTES:
            return number > 0 and text.count(code, 0, start) % 2 == 0 and text.count(code, end) % 2 == 1
        if are_marked and code.endswith("*/"):
            return True
        are_marked = are_marked and code.startswith("*")
    return False


def _opens_tag(code: str, own: str, is_below: bool) -> bool:
    """Whether the cursor's line has opened the element or the generic arguments closed by some code."""
    if code.startswith("</"):
        return not is_below or ("<" in own and own.rstrip().endswith(">"))
    signs = own.replace("=>", "")
    return signs.count("<") > signs.count(">")


def _opens_element(code: str) -> bool:
    """Whether code begins with an element and leaves it open."""
    return _TAG.match(code) is not None and "</" not in code and not code.endswith("/>")


def _is_opened(text: str, start: int, column: int, closing: str) -> bool:
    """Whether the nearest line above an offset no deeper than a column is in that column and opens what a line below closes."""
    for line in reversed(text[:start].splitlines()):
        code = line.strip()
        if code and (width := _column(line)) <= column and not (width == column and _LABEL.match(code)):
            still_open = list[str]()
            _match_brackets(code, still_open)
            if not still_open:
                return width == column and (_opens_element(code) or code.startswith(">"))
            return width == column and not _match_brackets(closing, still_open) and not still_open
    return False


def _is_begun_below(text: str, start: int, column: int) -> bool:
    """Whether the nearest line above an offset is less deep than a column, and has nothing begun that the lines below continue."""
    above = next((line.rstrip() for line in reversed(text[:start].splitlines()) if line.strip()), "")
    return _column(above) < column and not above.endswith((*CLOSERS, ":", ","))


def _match_brackets(code: str, still_open: list[str]) -> bool:
    """Update the open brackets by those of some code. Returns whether a closing bracket is unmatched."""
    strays = False
    for char in code:
        if char in CLOSERS:
            still_open.append(char)
        elif char in OPENERS:
            if still_open and still_open[-1] == OPENERS[char]:
                still_open.pop()
            else:
                strays = True
    return strays


def _column(code: str) -> int:
    """The column of a line's code, or of its end where it has none."""
    expanded = code.expandtabs()
    return len(expanded) - len(expanded.lstrip())
