"""Open documents: lines end at \\r\\n, \\n and \\r only, and columns count in the client's units."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from ...common.line_ends import line_start
from ...common.values import without_halves
from ..context.secrets import HEAD_CHARS, begins_with_key, leads_to_secret, looks_secret
from .uris import file_path, is_cell, name_in

Encoding = Literal["utf-8", "utf-16", "utf-32"]
# A place in the client's terms: the line and the column in units of the encoding, both from 0.
Position = tuple[int, int]

_ENDED_LINE = re.compile(r"[^\r\n]*+(?:\r\n|\r|\n)")
_CODECS: dict[Encoding, tuple[str, int]] = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2)}  # codec, bytes a unit


def split_lines(text: str) -> list[str]:
    """Split text into lines with their ends; the last has none and may be empty."""
    # str.splitlines also splits at form feed, U+2028 and others; no client does.
    if "\r" not in text:
        *ended, rest = text.split("\n")
        return [*[line + "\n" for line in ended], rest]
    end = line_start(text)
    # Only up to there: in the last line the pattern would search an end from each character.
    return [*_ENDED_LINE.findall(text, 0, end), text[end:]]


def column_to_index(line: str, column: int, encoding: Encoding) -> int:
    """The index in `line` of a column in units, clamped to the end, and to the start of a character."""
    content = line.rstrip("\r\n")
    column = max(column, 0)
    if encoding == "utf-32" or content.isascii():
        return min(column, len(content))
    codec, unit = _CODECS[encoding]
    # A character has at least one unit, so the prefix is long enough. With "replace", a lone surrogate is one unit.
    units = content[:column].encode(codec, "replace")[: column * unit]
    return len(units.decode(codec, "ignore"))


def index_to_column(line: str, index: int, encoding: Encoding) -> int:
    """The column, in units, of an index in `line`."""
    if encoding == "utf-32" or line.isascii():
        return index
    codec, unit = _CODECS[encoding]
    return len(line[:index].encode(codec, "replace")) // unit


@dataclass(frozen=True)
class Lines:
    """The lines of a text with their ends, and the units of its client's columns."""

    lines: Sequence[str]
    encoding: Encoding

    def locate(self, position: Position) -> tuple[int, int]:
        """The line and index of the nearest existing place."""
        line, column = position
        if line >= len(self.lines):
            return len(self.lines) - 1, len(self.lines[-1])
        if line < 0:
            return 0, 0
        return line, column_to_index(self.lines[line], column, self.encoding)

    def offset_at(self, position: Position) -> int:
        """The offset, in characters, of a position; positions past the end of a line or the file are clamped."""
        line, index = self.locate(position)
        return sum(map(len, islice(self.lines, line))) + index

    def position_at(self, offset: int) -> Position:
        """The position of an offset; an offset between \\r and \\n counts as before the two."""
        rest = max(offset, 0)
        for number, line in enumerate(self.lines):
            if rest < len(line) or number == len(self.lines) - 1:
                return number, index_to_column(line, min(rest, len(line.rstrip("\r\n"))), self.encoding)
            rest -= len(line)
        raise AssertionError("a text has at least one line")

    def clamp(self, position: Position) -> Position:
        """The nearest existing position in the text, at or before the given one."""
        line, index = self.locate(position)
        return line, index_to_column(self.lines[line], index, self.encoding)


@dataclass(frozen=True)
class Change:
    """One change by a client: new text for a range, or for the whole document."""

    text: str
    range: tuple[Position, Position] | None = None


_LONG = 65_536  # characters of a line to be edited in pieces
PIECE = 4_096


class _LongLine:
    """A long line in pieces: replacing a word everywhere in a megabyte, an editor sends thousands of small changes at once."""

    def __init__(self, number: int, line: str, encoding: Encoding) -> None:
        content = line.rstrip("\r\n")
        self.number = number
        self._end = line[len(content) :]
        self._encoding: Encoding = encoding
        self.pieces_of = pieces_of(content)
        self._units = [self._width(piece) for piece in self.pieces_of]

    def replace(self, start: int, end: int, text: str) -> None:
        """Put text without a line end in place of a range of columns."""
        first, before = self._find(min(start, end))
        last, after = self._find(max(start, end))
        new = pieces_of(self.pieces_of[first][:before] + text + self.pieces_of[last][after:])
        self.pieces_of[first : last + 1] = new
        self._units[first : last + 1] = map(self._width, new)

    def text(self) -> str:
        """The line with its end."""
        return "".join(self.pieces_of) + self._end

    def _find(self, column: int) -> tuple[int, int]:
        """(piece, index in it) of a column; past the end is the end."""
        column = max(column, 0)
        for number, units in enumerate(self._units):
            if column < units:
                return number, column_to_index(self.pieces_of[number], column, self._encoding)
            column -= units
        return len(self.pieces_of) - 1, len(self.pieces_of[-1])

    def _width(self, piece: str) -> int:
        return index_to_column(piece, len(piece), self._encoding)


def pieces_of(text: str) -> list[str]:
    return [text[offset : offset + PIECE] for offset in range(0, len(text), PIECE)] or [""]


class Document:
    """The text of one open document, kept as lines so that a keystroke touches only its own line."""

    def __init__(self, uri: str, language_id: str, version: int | None, text: str, encoding: Encoding = "utf-16"):
        self.uri = uri
        self.path = file_path(uri)  # None: no file
        self.name = self.path or name_in(uri)  # the name its file would have; "" where nothing tells
        self.is_cell = is_cell(uri)
        self.language_version: str | None = None  # where its text needs another version than its workspace's
        self.language_id = language_id
        self.version = version
        self.encoding: Encoding = encoding
        self._settled = split_lines(text)  # current except for the long line
        self._long: _LongLine | None = None
        self._text: str | None = text
        self._frozen: Lines | None = None

    @property
    def _lines(self) -> list[str]:
        """The lines, with pieces of a long one put together."""
        if self._long is not None:
            self._settled[self._long.number] = self._long.text()
            self._long = None
        return self._settled

    @property
    def text(self) -> str:
        """The whole text, joined lazily after a change."""
        if self._text is None:
            self._text = "".join(self._lines)
        return self._text

    @property
    def saved_text(self) -> str:
        """The whole text without lone surrogates, as in a file and as tokenizers need it; offsets are the same."""
        return without_halves(self.text)

    @property
    def looks_secret(self) -> bool:
        """Whether its file, or its link's present target, looks secret by its name or its beginning."""
        by_name = looks_secret(self.name) if self.path is None else leads_to_secret(self.path)
        return by_name or begins_with_key(self.name, self._head())

    def _head(self) -> str:
        if self._text is not None:
            return self._text[:HEAD_CHARS]
        head = ""
        for line in self._lines[:HEAD_CHARS]:
            if len(head) >= HEAD_CHARS:
                break
            head += line[:HEAD_CHARS]
        return head

    @property
    def lines(self) -> Lines:
        """The lines as an immutable snapshot."""
        if self._frozen is None:
            self._frozen = Lines(tuple(self._lines), self.encoding)
        return self._frozen

    def offset_at(self, position: Position) -> int:
        """The offset, in characters, of a position."""
        return self.lines.offset_at(position)

    def position_at(self, offset: int) -> Position:
        """The position of an offset."""
        return self.lines.position_at(offset)

    def clamp(self, position: Position) -> Position:
        """The nearest existing position in the document, at or before the given one."""
        return self.lines.clamp(position)

    def apply(self, change: Change) -> None:
        """Replace the range of a change, or everything, by its text."""
        self._frozen = None
        if change.range is None:
            self._settled, self._long, self._text = split_lines(change.text), None, change.text
            return
        if self._replace_in_long_line(change.text, *change.range):
            return
        (first, start), (last, end) = sorted(map(Lines(self._lines, self.encoding).locate, change.range))
        piece = self._lines[first][:start] + change.text + self._lines[last][end:]
        if first > 0 and piece.startswith("\n") and self._lines[first - 1].endswith("\r"):
            first -= 1  # the line break above and the new one are now one \r\n
            piece = self._lines[first] + piece
        lines = split_lines(piece)
        if last + 1 < len(self._lines):
            lines.pop()  # the piece ends with the break of its last line, and the next line begins after it
        self._lines[first : last + 1] = lines
        self._text = None

    def _replace_in_long_line(self, text: str, start: Position, end: Position) -> bool:
        """Make a change within one long line; False for any other change."""
        number = start[0]
        if number != end[0] or not 0 <= number < len(self._settled) or "\n" in text or "\r" in text:
            return False
        if self._long is None or self._long.number != number:
            if len(self._settled[number]) < _LONG:
                return False
            self._long = _LongLine(number, self._lines[number], self.encoding)
        self._long.replace(start[1], end[1], text)
        self._text = None
        return True


class Documents:
    """The open documents of one client, by the client's exact URIs."""

    def __init__(self, encoding: Encoding = "utf-16"):
        self.encoding: Encoding = encoding
        self._open: dict[str, Document] = {}

    def __iter__(self) -> Iterator[Document]:
        return iter(self._open.values())

    def count_in(self, encoding: Encoding) -> None:
        """Count columns in these units, in documents opened from now on."""
        self.encoding = encoding

    def get(self, uri: str) -> Document | None:
        """The open document of a URI, or None."""
        return self._open.get(uri)

    def open(self, uri: str, language_id: str, version: int | None, text: str) -> Document:
        """Open a document, or open it anew."""
        self._open[uri] = document = Document(uri, language_id, version, text, self.encoding)
        return document

    def change(self, uri: str, version: int | None, changes: list[Change]) -> Document | None:
        """Apply changes in order; None when the document was never opened."""
        document = self._open.get(uri)
        if document is not None:
            for change in changes:
                document.apply(change)
            document.version = version
        return document

    def close(self, uri: str) -> None:
        """Forget a document."""
        self._open.pop(uri, None)
