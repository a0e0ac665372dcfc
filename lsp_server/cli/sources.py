"""Read source files, in the encoding a compiler would use, with their line ends untouched."""

import codecs
from pathlib import Path

from ...common.reach import Reach
from ..errors import UserError
from ..session.documents import split_lines


def read_source(path: str | Path, language: str | None = None) -> str:
    """Read a text file as UTF-8, or in its declared encoding where its language has such declarations; a BOM is dropped."""
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
    from ...parser.language import encoding

    try:
        return data.decode(encoding(language, data[:4096]))
    except SyntaxError as error:
        raise UserError(f"{name}: {error.msg}; save it as UTF-8 or correct its coding line") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{name}: is not {error.encoding} text (byte {error.start}); save it as UTF-8") from error


def offset_in(text: str, line: int, column: int, name: str) -> int:
    """The offset of a line, from 1, and a column in characters, from 0; both must exist."""
    lines = split_lines(text)
    if line > len(lines):
        raise UserError(f"{name}: has no line {line}; the last is {len(lines)}")
    length = len(lines[line - 1].rstrip("\r\n"))
    if column > length:
        raise UserError(f"{name}: line {line} has no column {column}; its end is {line}:{length}")
    return sum(map(len, lines[: line - 1])) + column


def version_of(path: str | Path, language: str, text: str, offset: int) -> str | None:
    """The language version of a file with a hole; None for languages without versions."""
    from ...parser.language import raised_version, versions

    declared = versions(language)
    if declared is None:
        return None
    return raised_version(language, text, declared.around(path, Reach.around(path, trusted=True)), offset)
