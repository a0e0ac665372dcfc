"""Texts at odds with facts of the code above, though they keep the file valid: they are never shown, asked for or not."""

from __future__ import annotations

import re

from ....common.line_ends import line_start
from ..cursor import Cursor
from .repetition import IMPORTING

_REACH = 4_000  # characters above to search for a block's beginning
_HANDLER = re.compile(r"^(?P<blank>[ \t]*)except (?P<name>\w+)\b(?!\s*[.,])", re.MULTILINE)
_IMPORTED = re.compile(r"\w+(?: as \w+)?,?|\)")  # a line within an import's brackets
_ARITHMETIC = re.compile(r"(?:[\w\s+\-*/=()]|(?<=\d)\.(?=\d))+")
_DOES_MORE = re.compile(r"[\w)]\s*\(|\b(?:assert|await|del|from|import|in|raise|yield)\b")
_OF_VALUES = frozenset(
    ("AttributeError", "IndexError", "KeyError", "StopIteration", "UnicodeDecodeError", "UnicodeError", "ValueError")
)
_NOT_OF_IMPORTS = _OF_VALUES | {"EOFError", "FileNotFoundError", "KeyboardInterrupt", "PermissionError", "TypeError"}
_NOT_OF_ARITHMETIC = _OF_VALUES | {"FileNotFoundError", "ImportError", "IOError", "ModuleNotFoundError", "OSError"}
_TEST = re.compile(r"^(?P<blank>[ \t]*)(?:async )?def test_\w*\((?:self)?\)", re.MULTILINE)
_FIXTURE = re.compile(r"[ \t]*@(?:pytest\.)?fixture\b(?!.*\bautouse\b)")


def is_unlikely(cursor: Cursor, text: str) -> bool:
    """Whether a text contains one of these.

    - A handler of an exception that its block cannot raise. Of 391 in 2,500 files of Python, below imports or arithmetic alone, 1 is such.
    - A test without a parameter directly below a fixture. Of 60 below one, 2 are such.
    """
    above = cursor.left[-_REACH:]
    source, start = above + text, line_start(above)
    handlers = [handler for handler in _HANDLER.finditer(source, start) if handler.end() > len(above)]
    tests = [test for test in _TEST.finditer(source, start) if test.end() > len(above)]
    return any(
        _never_runs(source[: handler.start()], handler["blank"], handler["name"]) for handler in handlers
    ) or any(_is_below_fixture(source[: test.start()].split("\n")[:-1], test["blank"]) for test in tests)


def _never_runs(above: str, blank: str, name: str) -> bool:
    """Whether nothing in the block at the end of some code raises the exception its handler names."""
    _, header, block = f"\n{above}".rpartition(f"\n{blank}try:\n")
    lines = [line for line in block.split("\n") if line.strip()]
    if not header or not lines or any(not line.startswith((f"{blank} ", f"{blank}\t")) for line in lines):
        return False
    statements = [line.strip() for line in lines if not line.lstrip().startswith("#")]
    if statements and IMPORTING.match(statements[0]):
        return name in _NOT_OF_IMPORTS and all(
            IMPORTING.match(line) or _IMPORTED.fullmatch(line) for line in statements
        )
    return name in _NOT_OF_ARITHMETIC and all(
        _ARITHMETIC.fullmatch(line) and not _DOES_MORE.search(line) for line in statements
    )


def _is_below_fixture(above: list[str], blank: str) -> bool:
    """Whether some lines end with a fixture at a column."""
    heads = [line for line in above if line.strip() and len(line) - len(line.lstrip()) <= len(blank)]
    defined = len(heads) > 1 and heads[-1].startswith((f"{blank}def ", f"{blank}async def "))
    return defined and _FIXTURE.match(heads[-2]) is not None
