"""The lines above a window needed by its code: the headers around the cursor, a docstring, the imports.

They are found by layout and by words common to many languages, since prompts are made for files without a grammar, too. A line found in error
costs some tokens and breaks nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from ...common.words import compiled

_MOST_HEADER, _MOST_IMPORT, _MOST_COMMENT = 40, 60, 8  # lines
_MOST_ABOVE = 400_000  # characters searched
_MODIFIERS = (
    "abstract async const declare default export final get override private protected pub public readonly set static"
)
_NAMES = "class|def|enum|fn|func|function|impl|interface|module|namespace|struct|trait|type"
_CONTROL = "case|catch|do|elif|else|except|finally|for|if|match|return|select|switch|try|until|while|with"
_DEFINITION = re.compile(
    rf"\s*(?:(?:{'|'.join(_MODIFIERS.split())})\s+)*(?:{_NAMES})\b"  # def f(x):
    r"|.*=>\s*\{?\s*$"  # const f = (x) => {
    rf"|\s*[)}}]*\s*(?!(?:{_CONTROL})\b)[^\s(){{}}=][^(){{}}=]*\(.*\{{\s*$"  # f(x) {
    r"|\s*[)}\]][^{]*\)[^{]*\{\s*$"  # }: Properties) {
)
_IMPORT = (
    r"(?:import|from|using|use|package|#include|#import|export\s+(?:\*|\{[^}\n]*\})\s+from)\b"
    r"|(?:const|let|var)\b.*\brequire\("
)
_COMMENT = re.compile(r"\s*(?:#(?!include|import)|//|/?\*)")
_ABOVE_DEFINITION = re.compile(r"\s*(?:#|//|/?\*|@)")
_QUOTES = re.compile(r"[rRuUbB]{0,2}(\"\"\"|'''|\"|')")
_STRINGS = ('"""', "'''")


class Need(IntEnum):
    """The priority of a piece for a window; the first are kept longest."""

    SIGNATURE = 0
    DOCSTRING = 1
    SCOPE = 2  # the header around the function
    USED_IMPORT = 3
    BLOCK = 4  # a loop, a condition
    IMPORT = 5


@dataclass(frozen=True, slots=True)
class Piece:
    """Whole lines of the text."""

    start: int
    text: str
    need: Need


@lru_cache(maxsize=8)
def outline_text(above: str, column: int, start: int, right: str, chars: int) -> str:
    """The text of the pieces that begin before `start`, or of the most needed among them; see `outline` and `fitted`."""
    pieces = outline(above, column, start)
    if sum(len(piece.text) for piece in pieces) > chars:
        return fitted(by_use(pieces, above[start:] + right), chars)
    return "".join(piece.text for piece in pieces)


def outline(above: str, column: int, start: int) -> tuple[Piece, ...]:
    """The pieces that begin before the offset `start`, in the order of the text.

    `above`: the text up to the cursor's line, which begins at `column`, tabs being as wide as four blanks.
    """
    pieces = {
        piece.start: Piece(piece.start, piece.text[: start - piece.start], piece.need)
        for piece in (*_imports(above[:start]), *_headers(above, column))
        if piece.start < start
    }
    return tuple(pieces[begin] for begin in sorted(pieces))


def by_use(pieces: Sequence[Piece], visible: str) -> list[Piece]:
    """The pieces, with a priority of their own for the imports of visible names."""
    words = set(compiled(r"\w+").findall(visible))

    def used(piece: Piece) -> bool:
        return bool(words & set(compiled(r"\w+").findall(piece.text)[1:]) - {"import", "from", "as", "type"})

    return [
        Piece(piece.start, piece.text, Need.USED_IMPORT) if piece.need is Need.IMPORT and used(piece) else piece
        for piece in pieces
    ]


def fitted(pieces: Sequence[Piece], chars: int) -> str:
    """The text of the most needed pieces, within `chars` characters; of a signature and a docstring as many lines as fit."""
    texts: dict[int, str] = {}
    most_docstring = chars // 3
    for piece in sorted(pieces, key=lambda piece: (piece.need, -piece.start)):
        room = min(chars, most_docstring) if piece.need is Need.DOCSTRING else chars
        text = piece.text
        if len(text) > room:
            text = _shortened(text, room) if piece.need <= Need.DOCSTRING else ""
        texts[piece.start] = text
        chars -= len(text)
    return "".join(texts[start] for start in sorted(texts))


def _shortened(text: str, chars: int) -> str:
    """The first lines of a text and its last, which closes it."""
    *lines, last = text.splitlines(keepends=True)
    while lines and len("".join(lines)) + len(last) > chars:
        lines.pop()
    return "".join([*lines, last]) if lines else ""


def _headers(above: str, column: int) -> Iterator[Piece]:
    """The lines that enclose the cursor's by their columns, the innermost first, with the docstring of the innermost definition."""
    innermost = True
    for start, end in _lines_up(above):
        line = above[start:end]
        if column_of(line) >= column or _COMMENT.match(line) or _in_string(above, start):
            continue
        begin, end = _whole_header(above, start, end)
        header = above[begin:end]
        if column_of(header) >= column:  # brackets that close other code
            continue
        column = column_of(header)
        if _DEFINITION.match(line) or _DEFINITION.match(header):
            yield Piece(begin, header, Need.SIGNATURE if innermost else Need.SCOPE)
            if innermost:
                yield from _documentation(above, begin, end)
            innermost = False
        else:
            yield Piece(begin, header, Need.BLOCK)
        if column == 0:
            return


def _lines_up(text: str) -> Iterator[tuple[int, int]]:
    """The nonblank lines, the last one first, each with its end."""
    end, least = len(text), max(0, len(text) - _MOST_ABOVE)
    while end > least:
        start = text.rfind("\n", 0, end - 1) + 1
        if not text[start:end].isspace():
            yield start, end
        end = start


def column_of(line: str) -> int:
    """The column at which a line begins, tabs being as wide as four blanks."""
    line = line.expandtabs(4)
    return len(line) - len(line.lstrip(" "))


def _in_string(text: str, offset: int) -> bool:
    """Whether a place is in a string of several lines, by counting quotes."""
    return any(text.count(quotes, 0, offset) % 2 for quotes in _STRINGS if quotes in text)


def _whole_header(text: str, start: int, end: int) -> tuple[int, int]:
    """A header with all its lines: from the one with the opening bracket to the one with the closing bracket."""
    line = text[start:end]
    if line.count(")") > line.count("("):
        for number, (begin, _) in enumerate(_lines_up(text[:start])):
            if text.count("(", begin, end) >= text.count(")", begin, end):
                return begin, end
            if number > _MOST_HEADER:
                break
    return start, end if line.rstrip().endswith(("{", ":")) else _balanced_end(text, start, end, "()", _MOST_HEADER)


def _balanced_end(text: str, start: int, end: int, brackets: str, most: int) -> int:
    """The end of the line that closes the brackets of a line, or ends its backslash continuation; else its own."""
    first = end
    for _ in range(most):
        span = text[start:end]
        opened = sum(
            span.count(opening) - span.count(closing)
            for opening, closing in zip(brackets[::2], brackets[1::2], strict=True)
        )
        if opened <= 0 and not span.rstrip("\r\n").endswith("\\"):
            return end
        if end >= len(text):
            break
        end = text.find("\n", end) + 1 or len(text)
    return first


def _documentation(text: str, begin: int, end: int) -> Iterator[Piece]:
    """The docstring below a header, and the comments and decorators above it."""
    first = re.compile(r"\s*").match(text, end)
    opened = _QUOTES.match(text, first.end()) if first is not None else None
    if opened is not None:
        closed = text.find(opened[1], opened.end())  # not yet, where the cursor is in it
        stop = (text.find("\n", closed) + 1 if closed >= 0 else 0) or len(text)
        if len(opened[1]) == 3 or "\n" not in text[opened.end() : closed]:
            yield Piece(end, text[end:stop], Need.DOCSTRING)
    above = begin
    for number, (start, _) in enumerate(_lines_up(text[:begin])):
        line = text[start : text.find("\n", start) + 1]
        if number >= _MOST_COMMENT or "\n" in text[start + len(line) : above] or not _ABOVE_DEFINITION.match(line):
            break
        above = start
    if above < begin:
        yield Piece(above, text[above:begin], Need.DOCSTRING)


_AT_MARGIN = re.compile(rf"\n(?:{_IMPORT})")  # with a letter, for a quick search


@lru_cache(maxsize=4)
def _imports(text: str) -> tuple[Piece, ...]:
    """The imports at the margin."""
    pieces: list[Piece] = []
    for match in _AT_MARGIN.finditer("\n" + text):
        start, end = match.start(), text.find("\n", match.start()) + 1 or len(text)
        if not _in_string(text, start):
            pieces.append(
                Piece(start, text[start : _balanced_end(text, start, end, "(){}", _MOST_IMPORT)], Need.IMPORT)
            )
    return tuple(pieces)
