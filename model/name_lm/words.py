"""The words of a document around its cursor: the number, nearness and roles of each one's uses in the cursor's function.

One pass of a regular expression over a few thousand characters; nothing is parsed. The signs beside a word
tell its role: `x =` and `for x in` bind, and a word behind a dot is an attribute of the word before the dot.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ...common.line_ends import with_line_feeds
from ...common.words import compiled
from .needed import needed_names

LANGUAGES = frozenset(("", "python"))
"""The languages read here; "": unknown."""
REACH_LEFT, REACH_RIGHT = 6000, 3000
"""The characters read on each side."""
FAR = 4000
"""The largest distance, in words or lines."""
BEFORE, HERE, BELOW, AFTER = range(4)
"""The zones of a word: before the function, in it before the cursor, in it behind the cursor, behind it."""
_BINDING_REACH = 100_000
"""The characters on each side searched for bindings."""
_MODULE_REACH = 2500
"""The characters before the cursor that count as its function at module level."""
_WORD = compiled(
    r"(?:([^\W\d]\w*)\.|(\.)?)([^\W\d]\w*)(?=[ ]?(=(?!=)|[(.:,)\]]|in\b|))"
)  # base, dot, word, the text after it
_LINE_END = ("", "", "", "")
_KEPT_LINES = 4000
_lines: dict[str, list[tuple[str, ...]]] = {}
"""The cached words of lines; emptied where there are too many."""
_HEADER = re.compile(r"([ \t]*)(?:async[ \t]+)?def[ \t]")
_BLOCK = re.compile(r"^([ \t]*)(?:async[ \t]+)?(def|class)\b", re.MULTILINE)
_CODE_BELOW = re.compile(r"\n([ \t]*)(?=[^ \t\n#])")
_HEADER_END = re.compile(r"\)[^()\n]*:[ \t]*(?:#.*)?\n")
_PARAMETER = compiled(r"[(,*]\s*([^\W\d]\w*)\s*(?=[,:=)])")
_BINDS = frozenset(("for", "as", "global", "nonlocal"))
_DEFINES = frozenset(("def", "class"))
_IMPORTS = frozenset(("from", "import"))


@dataclass(slots=True)
class Word:
    """The uses of a word: as a plain name, or as an attribute."""

    text: str
    times: list[int] = field(default_factory=lambda: [0, 0, 0, 0])  # by zone
    last: int = -FAR  # the last use's number among the words, counted from the cursor
    last_line: int = -FAR
    bound: int = -FAR  # its last binding in the function before the cursor
    is_parameter: bool = False
    is_imported: bool = False
    is_defined: bool = False  # by `def` or `class`, or as a field of a class
    calls: int = 0  # times before a parenthesis
    dots: int = 0  # times before a dot
    bases: dict[str, int] = field(default_factory=dict[str, int])  # of an attribute: its uses behind each word
    needed: float = 0.0  # for names read behind the cursor without a binding: 1 for the first, 1/2 for the second


@dataclass(frozen=True, slots=True)
class Words:
    """The words around a cursor."""

    names: dict[str, Word]
    attributes: dict[str, Word]
    needs_header: bool = (
        False  # whether the code below is indented deeper than the cursor's line, if that has an indentation
    )


def read_words(left: str, right: str) -> Words:
    """The words before and behind a place between words."""
    left, right = with_line_feeds(left), with_line_feeds(right)
    indent = _indent_below(right)
    start, depth, end = _bounds(left, right, indent)
    words = Words({}, {}, _is_deeper(indent, left))
    zones = (left[max(0, len(left) - REACH_LEFT) : start], left[start:], right[:end], right[end:REACH_RIGHT])
    read = [_words_in(text) for text in zones]
    count = -len(read[BEFORE]) - len(read[HERE])
    lines = -zones[BEFORE].count("\n") - zones[HERE].count("\n")
    for zone, matches in enumerate(read):
        count, lines = _take(words, matches, zone, count, lines)
    if depth >= 0:
        header = _HEADER_END.search(left, start)
        for match in _PARAMETER.finditer(left, start, header.end() if header else len(left)):
            parameter = words.names.get(match[1])
            if parameter is not None:
                parameter.is_parameter, parameter.bound = (
                    True,
                    max(parameter.bound, parameter.last if sum(parameter.times) == 1 else -FAR // 2),
                )
    for rank, name in enumerate(_needed(left, right, start, depth, end)):
        if name in words.names:
            words.names[name].needed = 1 / (1 + rank)
    return words


def _needed(left: str, right: str, start: int, depth: int, end: int) -> list[str]:
    outer = _enclosing_function(left, start, depth)
    around, rest = left[max(0, outer - _BINDING_REACH) : outer], right[end : end + _BINDING_REACH]
    whole = end if end < len(right) and right[end] == "\n" else max(0, right.rfind("\n", 0, end))  # lines
    return needed_names(left[outer:], around, right[:whole], rest)


def _indent_below(right: str) -> str:
    below = _CODE_BELOW.search(right)
    return below[1] if below is not None else ""


def _bounds(left: str, right: str, indent: str) -> tuple[int, int, int]:
    """(the beginning of the cursor's function, the indentation of its header, its end in the right context)"""
    # A missing line presumably has the indentation of the next one.
    start, depth = _function(left if left[-1:] not in ("", "\n") else left + indent)
    return start, depth, _function_end(right, depth)


def _is_deeper(indent: str, left: str) -> bool:
    """Whether code with this indentation lies deeper than a line at the cursor."""
    line = left[left.rfind("\n") + 1 :]
    if line:
        return len(indent) > len(line) - len(line.lstrip(" \t"))
    above = left.rstrip()
    line = above[above.rfind("\n") + 1 :]
    return len(indent) > len(line) - len(line.lstrip(" \t")) + line.endswith(":")


def _enclosing_function(left: str, start: int, depth: int) -> int:
    """The beginning of the outermost function around the one with a header at `start`, indented by `depth`."""
    while depth > 0:
        around = left[max(0, start - REACH_LEFT) : start]
        header = next(
            (header_above for header_above in reversed(list(_BLOCK.finditer(around))) if len(header_above[1]) < depth),
            None,
        )
        if header is None or header[2] == "class":
            break
        start, depth = start - len(around) + header.start(), len(header[1])
    return start


def _words_in(text: str) -> list[tuple[str, ...]]:
    """The matches of the expression in a text, cached by line: nearly all were there at the last keystroke, too."""
    if len(_lines) > _KEPT_LINES:
        _lines.clear()
    matches: list[tuple[str, ...]] = []
    for line in text.split("\n"):
        words = _lines.get(line)
        if words is None:
            words = _lines[line] = _WORD.findall(line)
        matches += words
        matches.append(_LINE_END)
    matches.pop()
    return matches


def _take(words: Words, matches: list[tuple[str, ...]], zone: int, count: int, lines: int) -> tuple[int, int]:
    names, attributes = words.names, words.attributes
    previous = first = ""  # words of the line
    for base, dot, text, follows in matches:
        count += 1
        if not text:
            lines += 1
            previous = first = ""
            continue
        if base:
            word = names.get(base) or names.setdefault(base, Word(base))
            word.times[zone] += 1
            word.dots += 1
            if zone <= HERE:
                word.last, word.last_line = count, lines
            if previous in _BINDS and zone == HERE:
                word.bound = count
        if base or dot:
            word = attributes.get(text) or attributes.setdefault(text, Word(text))
            word.bases[base] = word.bases.get(base, 0) + 1
            if follows == "=":
                word.is_defined = True
        else:
            word = names.get(text) or names.setdefault(text, Word(text))
            if previous in _DEFINES:
                word.is_defined = True
                (attributes.get(text) or attributes.setdefault(text, Word(text))).is_defined = True
            elif first in _IMPORTS:
                word.is_imported |= text not in _IMPORTS and previous != "from"
            elif follows == "=" or previous in _BINDS or (follows == "in" and first == "for"):
                if zone == HERE:
                    word.bound = count
                if follows == "=" and not first:
                    word.is_defined = True
            elif follows == ":" and not first:  # a field of a class
                (attributes.get(text) or attributes.setdefault(text, Word(text))).is_defined = True
        word.times[zone] += 1
        if follows == "(":
            word.calls += 1
        elif follows == ".":
            word.dots += 1
        if zone <= HERE:
            word.last, word.last_line = count, lines
        previous = text
        first = first or base or text
    return count, lines


def _function(left: str) -> tuple[int, int]:
    """The beginning of the header of the cursor's function, and its indentation; -1 at module level."""
    line = left[left.rfind("\n") + 1 :]
    depth = len(line) - len(line.lstrip(" \t"))
    least = max(0, len(left) - REACH_LEFT)
    begin = len(left)
    while depth:
        keyword = left.rfind("def ", least, begin)
        if keyword < 0:
            break
        begin = left.rfind("\n", 0, keyword) + 1
        header = _HEADER.match(left, begin)
        if header is not None and len(header[1]) < depth:
            return begin, len(header[1])
    return max(least, left.rfind("\n", 0, max(0, len(left) - _MODULE_REACH)) + 1), -1


def _function_end(right: str, depth: int) -> int:
    """The end of the cursor's function."""
    if depth < 0:
        return min(len(right), REACH_RIGHT // 2)
    outdented = re.compile(rf"\n[ \t]{{0,{depth}}}[^\s)\]}}]").search(right, 0, REACH_RIGHT)
    return outdented.start() if outdented is not None else min(len(right), REACH_RIGHT)
