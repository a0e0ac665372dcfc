"""Line ends: everything that reads code here, models included, expects line feeds."""

from __future__ import annotations

import re

LINE_END = re.compile(r"\r\n|\r|\n")


def with_line_feeds(text: str) -> str:
    r"""The text with `\n` for each `\r\n` and lone `\r`."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def line_start(text: str, end: int | None = None) -> int:
    r"""The start of the last line of a text, or of its part up to `end`; `\n` and `\r` end lines."""
    stop = len(text) if end is None else end
    start = text.rfind("\n", 0, stop) + 1
    return max(start, text.rfind("\r", start, stop) + 1)  # searched in that line alone


def line_span(text: str, offset: int) -> tuple[int, int]:
    r"""(start, end) of the line of an offset, without its `\n` or `\r\n`."""
    start, end = text.rfind("\n", 0, offset) + 1, text.find("\n", offset)
    end = len(text) if end < 0 else end
    return start, end - text.endswith("\r", start, end)
