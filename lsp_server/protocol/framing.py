"""The base protocol's framing, without I/O: bytes in, bodies of messages out.

A wrong `Content-Length` must not make a server deaf. JSON has no raw line ends within strings, so the bytes of a header never occur inside a
body: where they do, the length was wrong, and the body ends there. Too short a length leaves a rest, skipped up to the next header.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

MAX_BODY_BYTES = 64_000_000
"""The limit of a body; no editor sends larger ones."""
MAX_JUNK_BYTES = 1_000_000
"""The most bytes skipped in search of a header; more is another protocol."""
_MAX_HEADER_BYTES = 8192
_LENGTH = re.compile(rb"content-length: *(\d{1,18}) *\r?\n", re.IGNORECASE)
_OTHER_HEADER = re.compile(rb"content-type: *[^\r\n]*\r?\n", re.IGNORECASE)
_ANY_HEADER = re.compile(rb"[A-Za-z-]+: *[^\r\n]*\r?\n")
_EMPTY = (b"\n", b"\r\n")
_BEGUN = re.compile(rb"content-length: *\d{0,18}\r?")
_START = b"content-length: "
_HINT = b"ontent-"  # in every header; searched first, at the speed of memory


class FramingError(Exception):
    """The input is another protocol, such as HTTP; reading cannot go on."""


@dataclass(frozen=True)
class Fault:
    """A place of skipped bytes."""

    what: str


class MessageDecoder:
    """Cuts a stream into the bodies of its messages.

    A `lenient` one skips lines that are no header, and resynchronizes after a wrong length; it is for standard input, where a shell may have
    printed something first. Others raise FramingError: a web page can make a browser send any text to any port, but only behind HTTP's own
    lines.
    """

    def __init__(self, lenient: bool = False, most: int = MAX_BODY_BYTES):
        self._lenient = lenient
        self.most = most  # bytes of a body
        self._buffer = bytearray()
        self._length: int | None = None  # of the body, once its header is read
        self._in_body = False
        self._scanned = 0  # bytes of the body without a header in them
        self._header_bytes = 0
        self._junk = 0
        self._too_long = False  # whether the last message's length was

    @property
    def partial(self) -> bool:
        """Whether a message has begun and not ended."""
        return bool(self._buffer) or self._length is not None

    def feed(self, data: bytes) -> Iterator[bytes | Fault]:
        """Take bytes; yield the bodies complete by now, and the faults between them."""
        self._buffer += data
        while True:
            read = self._body() if self._in_body else self._header()
            if read is None:
                return
            if self._too_long:
                self._too_long = False
                yield Fault("a message was shorter than its Content-Length")
            if not isinstance(read, bool):
                yield read

    def _header(self) -> bool | Fault | None:
        """Read a line of a header; None where it is incomplete."""
        end = self._buffer.find(b"\n") + 1
        if not end:
            if len(self._buffer) > _MAX_HEADER_BYTES:
                return self._skip(len(self._buffer) - 64, "a header is too long")
            return None
        line = bytes(self._buffer[:end])
        if line in _EMPTY:
            del self._buffer[:end]
            if self._length is not None:
                self._in_body, self._scanned, self._header_bytes, self._junk = True, 0, 0, 0
            return True
        self._header_bytes += len(line)
        match = _LENGTH.fullmatch(line)
        if match is None and self._lenient and (match := _LENGTH.search(line)) is not None:
            fault = self._skip(match.start(), "bytes before a header were skipped")
            return fault
        if match is not None:
            del self._buffer[:end]
            self._length = int(match[1])
            if self._length > self.most:
                raise FramingError("a message is too long")
            return True
        headers = _ANY_HEADER if self._lenient else _OTHER_HEADER
        if headers.fullmatch(line) is None or self._header_bytes > _MAX_HEADER_BYTES:
            if self._lenient:
                return self._skip(end, "a line that is no header was skipped")
            raise FramingError("a line is no header of the protocol")
        del self._buffer[:end]
        return True

    def _body(self) -> bytes | Fault | None:
        """Read a body; None where it is incomplete."""
        assert self._length is not None
        have = min(len(self._buffer), self._length)
        if self._lenient and (header := self._header_in(self._scanned, have)) is not None:
            self._too_long = True
            return self._take(header)
        self._scanned = max(0, have - 64)
        if len(self._buffer) < self._length:
            return None
        if self._lenient and (header := self._header_at_the_end(self._length)) is not None:
            self._too_long = True
            return self._take(header)
        return self._take(self._length)

    def _take(self, length: int) -> bytes:
        body = bytes(self._buffer[:length])
        del self._buffer[:length]
        self._in_body, self._length = False, None
        return body

    def _header_in(self, start: int, end: int) -> int | None:
        """Find a header within a body."""
        offset = start
        while (offset := self._buffer.find(_HINT, offset, end)) >= 0:
            if offset > 0 and (match := _LENGTH.match(self._buffer, offset - 1)) is not None:
                return match.start()
            offset += 1
        return None

    def _header_at_the_end(self, end: int) -> int | None:
        """Find the first bytes of a header behind the body's JSON object."""
        offset = self._buffer.rfind(b"}", max(0, end - 40), end) + 1
        rest = bytes(self._buffer[offset:end]).lower()
        return offset if 0 < offset < end and (_START.startswith(rest) or _BEGUN.fullmatch(rest) is not None) else None

    def _skip(self, count: int, what: str) -> Fault | bool:
        if not self._lenient:
            raise FramingError(what)
        del self._buffer[:count]
        self._length, self._header_bytes = None, 0
        first = self._junk == 0
        self._junk += count
        if self._junk > MAX_JUNK_BYTES:
            raise FramingError("this is not the language server protocol")
        return Fault(what) if first else True  # one fault for a stretch of them


def frame(body: bytes) -> bytes:
    """A message with its header."""
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def read_bodies(read: Callable[[], bytes], decoder: MessageDecoder) -> Iterator[bytes | Fault]:
    """Yield the messages of a stream up to its end, where `read` returns no bytes."""
    while data := read():
        yield from decoder.feed(data)
