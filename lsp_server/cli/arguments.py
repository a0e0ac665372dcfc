"""Types of arguments: what is wrong with one is said in terms of what would be right."""

import argparse
import sys
from typing import BinaryIO

from ..errors import UserError


def place(text: str) -> tuple[int, int]:
    """A place in a file, LINE:COL."""
    line, colon, column = text.partition(":")
    if not (colon and line.isdecimal() and column.isdecimal() and int(line) >= 1):
        raise argparse.ArgumentTypeError(f"{text!r} is not LINE:COL, such as 12:8 (line from 1, column from 0)")
    return int(line), int(column)


def positive(text: str) -> int:
    """A whole number of 1 or more."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 1 or more")
    return int(text)


def natural(text: str) -> int:
    """A whole number of 0 or more."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 0 or more")
    return int(text)


def temperature(text: str) -> float:
    """A number of 0 or more."""
    value = float(text)
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of 0 or more")
    return value


def input_lines() -> BinaryIO:
    """Standard input, of which each line is a JSON object."""
    if sys.stdin is None:
        raise UserError("standard input is closed; give it one JSON object a line")
    return sys.stdin.buffer
