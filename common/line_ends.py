"""Line ends: all that reads code here, models included, knows line feeds."""

from __future__ import annotations


def with_line_feeds(text: str) -> str:
    r"""The text with `\n` for each `\r\n` and lone `\r`."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
