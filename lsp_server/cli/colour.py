"""Colour for people at a terminal: none in pipes and files, with NO_COLOR, or on a terminal without colours."""

from __future__ import annotations

import os
import re
import sys
from typing import TextIO

from ...common.terminal import Styled, visible

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


def is_coloured(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal with colours, and its user wants them (see no-color.org)."""
    if stream is None or not stream.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    # The old console of Windows prints the escape codes.
    return os.name != "nt" or bool(os.environ.get("WT_SESSION") or os.environ.get("TERM_PROGRAM"))


def paint(text: str, style: str, stream: TextIO | None = None) -> Styled:
    """The text, made visible, in a style, for a stream (default: standard output) that shows it; for `say`."""
    shown = visible(text)
    return Styled(f"\033[{_CODES[style]}m{shown}\033[0m" if text and is_coloured(stream or sys.stdout) else shown)


_EXPLAINED = (
    (re.compile(r"^\S.*?:\d+:\d+ \(.*?\):"), "bold"),  # the place
    (re.compile(r"^ +\| +[~^]+$"), "red"),  # the pointer
    (re.compile(r"^(Open:|Next:|After it:|Shortest texts that connect:|Complete as it is:|Quotient grammar:)"), "bold"),
)


def paint_explanation(line: str) -> tuple[str, str]:
    """A line of `check --explain` in two parts: its beginning or pointer, told apart, and the rest."""
    for pattern, style in _EXPLAINED:
        match = pattern.match(line)
        if match is not None:
            return paint(match[0], style), line[match.end() :]
    return "", line
