"""Read source files: the one encoding a compiler would use, line ends as they are."""

import codecs
import io
import re
import tokenize
from pathlib import Path

from ...common.reach import Reach
from ..errors import UserError
from ..session.documents import split_lines

_LINE_END = re.compile(rb"\r\n|\r|\n")


def read_source(path: str | Path, language: str | None = None) -> str:
    """Read a text file as UTF-8, or for Python in the encoding its first two lines declare; a BOM is dropped."""
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(f"{path}: cannot be read: {reason}") from error
    return decode_source(data, str(path), language)


def decode_source(data: bytes, name: str, language: str | None = None) -> str:
    """Decode the bytes of a file; `name` is for messages."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise UserError(f"{name}: is UTF-16 text; save it as UTF-8")
    if b"\0" in data:
        raise UserError(f"{name}: is a binary file; give a text file")
    encoding = _declared_encoding(data, name) if language == "python" else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise UserError(f"{name}: is not {error.encoding} text (byte {error.start}); save it as UTF-8") from error


def _declared_encoding(data: bytes, name: str) -> str:
    """Find the encoding by PEP 263."""
    # tokenize takes a lone \r for part of a line, so it is shown the first two lines as they really end.
    first_lines = io.BytesIO(b"\n".join(_LINE_END.split(data[:4096], 2)[:2]))
    try:
        encoding, _ = tokenize.detect_encoding(first_lines.readline)
    except SyntaxError as error:
        raise UserError(f"{name}: {error.msg}; save it as UTF-8 or correct its coding line") from error
    return encoding


def offset_in(text: str, line: int, column: int, name: str) -> int:
    """Give the offset of a line, from 1, and a column in characters, from 0; both must exist."""
    lines = split_lines(text)
    if line > len(lines):
        raise UserError(f"{name}: has no line {line}; the last is {len(lines)}")
    length = len(lines[line - 1].rstrip("\r\n"))
    if column > length:
        raise UserError(f"{name}: line {line} has no column {column}; its end is {line}:{length}")
    return sum(map(len, lines[: line - 1])) + column


def version_of(path: str | Path, language: str, text: str, offset: int) -> str | None:
    """Give the version of its language that a file with a hole is written in; None where the language has none."""
    from ...parser.languages.registry import BUILT_IN

    if language == "python":
        from ...parser.languages.python.workspace import version_for

        return version_for(path, text, offset=offset, reach=Reach.around(path, trusted=True))
    built_in = BUILT_IN.get(language)
    return (
        None
        if built_in is None or built_in.version_for is None
        else built_in.version_for(path, Reach.around(path, trusted=True))
    )
