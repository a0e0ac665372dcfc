"""The document's style where its language leaves a choice (quotes, semicolons, indentation), and conversion of texts to it.

A model writes in the usual style. A text is changed only if it stays as valid as before, and only where the document is clear around the
cursor: four of five of its strings, statements or indentation steps have to agree.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from .cursor import Cursor

if TYPE_CHECKING:
    from ...parser.hole import HoleState
    from ...parser.language_runtime import Traits

REACH = 20_000
"""The most characters read on each side of the cursor."""
_OTHERS = 4
"""How many times as often as all others together the document's way has to occur."""
_STRING = re.compile(
    r"(?P<attribute>(?<=[\w-])=)?(?<![\w\"'`])[fFrRbBuU]{0,2}(?P<quote>[\"'])(?!(?P=quote))(?P<text>(?:[^\"'\\\n]|\\[^\"'\n])*)(?P=quote)(?![\w\"'`])"
)
_INDENT = re.compile(r"^([ \t]*)(?=[^\s*#/])", re.MULTILINE)
_ALIKE = str.maketrans('"', "'")
_STEPS = ("\t", "  ", "    ", "        ")
_GOES_ON = re.compile(r"\s*[(\[`+\-/*.,?:&|=<]")
"""The beginnings of a line that continues the one above."""


@dataclass(frozen=True)
class Style:
    """A document's style; "" and None if the document shows none."""

    quote: str = ""
    attribute_quote: str = ""
    """of strings directly behind a name and `=`, as in tags"""
    ended: bool | None = None
    """whether statements end with the mark that their language makes optional"""
    unit: str = ""
    """one indentation step"""


def in_style(text: str, cursor: Cursor, state: HoleState | None, traits: Traits) -> str:
    """A text converted to the document's style, if the file stays as valid as before."""
    if state is None or not (
        "\n" in text or any(mark in text for mark in (*traits.quotes, traits.statement_end) if mark)
    ):
        return text
    style = style_of(cursor, traits)
    changed = _indented(
        text, cursor.blank if cursor.before.strip() or not text[:1].isspace() else None, style.unit, state
    )
    changed = _quoted(changed, cursor.before, style, state)
    if style.ended is False:
        changed = _unended(changed, cursor, traits.statement_end, state)
    after = state.advance(changed) if changed not in (text, "") else None
    return changed if not changed or (after is not None and after.complete) else text


def ends_alike(text: str, end: str) -> bool:
    """Whether a text has this end, with any quotes."""
    return text.translate(_ALIKE).endswith(end.translate(_ALIKE))


def style_of(cursor: Cursor, traits: Traits) -> Style:
    """The style of the text around a cursor, without the cursor's line."""
    above = cursor.left[max(0, cursor.line_start - REACH) : cursor.line_start]
    text = above + cursor.right[len(cursor.rest) : REACH]
    quotes = {True: Counter[str](), False: Counter[str]()}
    for match in _STRING.finditer(text) if traits.quotes else ():
        quotes[match["attribute"] is not None][match["quote"]] += 1
    ended = Counter(match["end"] for match in traits.statement.finditer(text)) if traits.statement else Counter[str]()
    mark = _most(ended)
    return Style(
        _most(quotes[False]) or "", _most(quotes[True]) or "", None if mark is None else mark != "", indentation(text)
    )


def indentation(text: str) -> str:
    """The indentation step of a text: a tab or blanks; "" if the text shows none."""
    lines = pairwise(("", *_INDENT.findall(text)))
    steps = Counter(lower.removeprefix(upper) for upper, lower in lines if lower.startswith(upper) and lower != upper)
    step = max(steps, key=steps.__getitem__, default="")
    return step if step in _STEPS else ""


def _most(counts: Counter[str]) -> str | None:
    """The value at least `_OTHERS` times as frequent as all others together; None if there is none."""
    for value, count in counts.most_common(1):
        if count >= _OTHERS * (counts.total() - count):
            return value
    return None


def _is_code(state: HoleState, text: str) -> bool:
    """Whether the position behind a text is in code."""
    after = state.advance(text)
    return after is not None and after.region == "code"


def _quoted(text: str, before: str, style: Style, state: HoleState) -> str:
    """A text with the document's quotes; before: the text before it in its line."""
    line, offset, start = before + text, len(before), len(before)
    while (match := _STRING.search(line, offset)) is not None:
        quote = style.quote if match["attribute"] is None else style.attribute_quote
        first, last = match.start("quote"), match.end() - 1
        is_string = _is_code(state, line[start:first])
        if is_string and quote not in ("", match["quote"]):
            line = line[:first] + quote + line[first + 1 : last] + quote + line[last + 1 :]
        offset = last + 1 if is_string else first + 1
    return line[start:]


def _unended(text: str, cursor: Cursor, mark: str, state: HoleState) -> str:
    """A text without the optional marks at the ends of its lines."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        kept = line.rstrip().removesuffix(mark)
        is_last = number == len(lines) - 1
        behind = "\n".join(lines[number + 1 :]) + (cursor.right if is_last else "")
        if kept == line.rstrip() or (is_last and cursor.rest.strip()) or _GOES_ON.match(behind):
            continue
        if (kept.strip() or len(lines) == 1) and _is_code(state, "\n".join((*lines[:number], kept))):
            lines[number] = kept
    return "\n".join(lines)


def _indented(text: str, blank: str | None, unit: str, state: HoleState) -> str:
    """A text of several lines with the document's indentation steps; blank: the indentation of its first line, None if the text brings its
    own."""
    first, *lines = text.split("\n")
    written = [line for line in lines if line.strip()]
    if not unit or blank is None or not all(line.startswith(blank) for line in written):
        return text
    steps = [line[len(blank) : len(line) - len(line.lstrip(" \t"))] for line in lines]
    own = min(filter(None, steps), key=len, default="")
    if own not in _STEPS or own == unit or any(step != own * (len(step) // len(own)) for step in steps):
        return text
    offset = len(first)
    for line in lines:
        if not _is_code(state, text[: offset + 1]):
            return text
        offset += 1 + len(line)
    return "\n".join(
        (
            first,
            *(
                blank + unit * (len(step) // len(own)) + line.lstrip(" \t")
                for step, line in zip(steps, lines, strict=True)
            ),
        )
    )
