"""UTF-8 cut within a character."""

from __future__ import annotations


def utf8_range(partial: bytes) -> tuple[int, int] | None:
    """The first and last code point whose UTF-8 encoding starts with these bytes; None without one."""
    first = partial[0] if partial else 0
    length = 2 if 0xC2 <= first <= 0xDF else 3 if 0xE0 <= first <= 0xEF else 4 if 0xF0 <= first <= 0xF4 else 0
    if not 0 < len(partial) < length or any(not 0x80 <= b <= 0xBF for b in partial[1:]):
        return None
    bits = first & (0x7F >> length)
    for b in partial[1:]:
        bits = bits << 6 | b & 0x3F
    left = 6 * (length - len(partial))
    low, high = bits << left, (bits + 1 << left) - 1
    low = max(low, {2: 0x80, 3: 0x800, 4: 0x10000}[length])  # no overlong forms
    high = min(high, 0x10FFFF)
    if low >= 0xD800 and high <= 0xDFFF:
        return None  # surrogates
    return (low, high) if low <= high else None


def split_utf8(data: bytes) -> tuple[str, bytes] | None:
    """The whole characters of `data` and the first bytes of one more, or None when it is not the start of UTF-8 text."""
    try:
        return data.decode(), b""
    except UnicodeDecodeError as error:
        if error.end == len(data) and error.reason == "unexpected end of data":
            return data[: error.start].decode(), data[error.start :]
        return None
