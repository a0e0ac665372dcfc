"""Fenced code of a Markdown document, as a document in the fence's language (CommonMark 0.31, section 4.5)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from .judged import is_judged

if TYPE_CHECKING:
    from .cursor_context import CursorContext

MARKDOWN = frozenset(("markdown", "mdx", "quarto", "rmd"))
"""The editors' names of languages with fenced code."""
_FENCE = re.compile(r"^(?P<marks>`{3,}|~{3,})[ \t]*(?P<info>[^`\r\n]*)(?P<end>\r\n|\r|\n|\Z)", re.MULTILINE)
_LANGUAGE = re.compile(r"\{?\.?(?P<name>[\w+#-]+)")
_NEXT_END = re.compile(r"[\r\n]")
_PROSE_CHARS = 1_500
"""The most characters of the document above the code in the prompt."""
_PROMPT = re.compile(r"\s*(?:>>>|In \[|\$ )")
"""The beginning of a session at a prompt, not a file."""


class Fence(NamedTuple):
    """The code between two fences: its language, by the editors' name, and its offsets."""

    language: str
    start: int
    end: int


def in_fence(place: CursorContext) -> CursorContext:
    """A place in fenced code as one in a document of that code; the blocks of the same language above it are its cells above.

    Any other place unchanged: in prose, in code of unjudged languages, and in a session at a prompt.
    """
    if place.language not in MARKDOWN:
        return place
    fences = list(_fences(place.text, place.offset))
    here = next((fence for fence in fences if fence.start <= place.offset <= fence.end), None)
    if here is None or not is_judged(here.language) or _PROMPT.match(place.text, here.start, here.end):
        return place
    above = (
        place.text[block.start : block.end]
        for block in fences
        if block.end < here.start and block.language == here.language
    )
    shift = here.end - len(place.text)
    typed = place.typed and (place.typed[0][here.start : len(place.typed[0]) + shift], place.typed[1] - here.start)
    return replace(
        place,
        language=here.language,
        version=None,
        text=place.text[here.start : here.end],
        offset=place.offset - here.start,
        typed=typed,
        imports=False,
        is_cell=True,
        above=tuple(above),
        prose=place.text[max(0, here.start - _PROSE_CHARS) : here.start],
    )


def _fences(text: str, cursor: int) -> Iterator[Fence]:
    """The fenced code of a document, in order. An unclosed block ends with its line at the cursor."""
    opening: re.Match[str] | None = None
    for mark in (*_FENCE.finditer(text), None):
        if mark is not None and opening is not None and not mark["marks"].startswith(opening["marks"]):
            continue
        if opening is not None:
            is_closed = mark is not None and not mark["info"].strip()
            limit = len(text) if mark is None else _line_end(text, mark.start() - 1)
            end = limit if is_closed else min(limit, _line_end(text, max(cursor, opening.end())))
            if opening.end() <= end and opening["end"]:
                yield Fence(_language(opening["info"]), opening.end(), end)
            mark = None if is_closed else mark
        opening = mark


def _line_end(text: str, offset: int) -> int:
    """The end of the line at an offset, or of the line ending there."""
    if text[offset : offset + 1] == "\n" and text[offset - 1 : offset] == "\r":
        return offset - 1
    match = _NEXT_END.search(text, offset)
    return len(text) if match is None else match.start()


def _language(info: str) -> str:
    """The language at the beginning of a fence's info string, by the editors' name; "" if there is none."""
    from ....parser import checkable, language_for_path, languages

    word = _LANGUAGE.match(info)
    name = "" if word is None else word["name"].lower()
    if name in languages():
        return name
    return (name and (language_for_path(f"x.{name}") or checkable(name, "") or checkable("", f"x.{name}"))) or ""
