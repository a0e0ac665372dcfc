"""Types of arguments; an error names the valid values."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from ...common.values import Kind, number, whole
from ..errors import UserError


def place(text: str) -> tuple[int, int]:
    """A place in a file, LINE:COL."""
    line, colon, column = text.partition(":")
    if not (colon and line.isdecimal() and column.isdecimal() and int(line) >= 1):
        raise argparse.ArgumentTypeError(f"{text!r} is not LINE:COL, such as 12:8 (line from 1, column from 0)")
    return int(line), int(column)


def _number(kind: Kind) -> Callable[[str], Any]:
    """The argument type for numbers of this kind."""

    def read(text: str) -> int | float:
        for of_text in (int, float):
            try:
                value = of_text(text)
            except ValueError:
                continue
            if kind.holds(value):
                return value
        raise argparse.ArgumentTypeError(f"{text!r} is not {kind.words}")

    return read


positive = _number(whole(1))
natural = _number(whole(0))
temperature = _number(number(0))


def workspace(folder: str) -> Path:
    """The folder of a workspace; raises UserError."""
    path = Path(folder).resolve()
    if not path.is_dir():
        raise UserError(f"{folder}: is not a folder; name the workspace")
    return path


def input_lines() -> BinaryIO:
    """Standard input, a JSON object in each line."""
    if sys.stdin is None:
        raise UserError("standard input is closed; give it one JSON object a line")
    return sys.stdin.buffer
