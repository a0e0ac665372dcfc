"""Output to the terminal: the command line prints everything through `say`.

File names, grammars, the names of models and the texts of servers are written by others. A control character in them would steer the
terminal, or make it show other text; it is escaped as in a Python string.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any, TextIO
from unicodedata import category

_STEERING = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""Categories of Unicode: control and format characters, among them those for the direction of text; halves of pairs; line ends."""
_KEPT = frozenset("\n\t\u200c\u200d")
"""Line feed, tab, and the joiners of scripts and emoji."""


class Styled(str):
    """Text with our own escape codes, printed unchanged; the rest of it has gone through `visible`."""

    __slots__ = ()


def visible(text: str) -> str:
    """The text with steering characters escaped: "\\x1b", "\\u202e"."""
    if text.isprintable():
        return text
    return "".join(_escaped(char) if category(char) in _STEERING and char not in _KEPT else char for char in text)


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def say(*parts: object, file: TextIO | None = None, sep: str = " ", end: str = "\n", flush: bool = False) -> None:
    """Print parts, as `print` does, each of them `visible`."""
    shown = [part if isinstance(part, Styled) else visible(str(part)) for part in parts]
    print(*shown, file=file, sep=sep, end=end, flush=flush)


def hand_over(text: str, end: str = "\n") -> None:
    """Print a command's result: unchanged, except in a terminal."""
    if sys.stdout is None or sys.stdout.isatty():
        say(text, end=end)
    else:
        print(text, end=end)


class Parser(argparse.ArgumentParser):
    """An argument parser with `visible` messages."""

    def _print_message(self, message: str, file: Any = None) -> None:
        super()._print_message(visible(message), file)
