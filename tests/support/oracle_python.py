"""CPython's own parser as an oracle, and ways to cut and to corrupt its sources."""

from __future__ import annotations

import ast
import random
import sysconfig
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path

STDLIB = Path(sysconfig.get_paths()["stdlib"])
LONGEST = 120_000

_SCRAPS = [
    *"()[]{}:,.=+-*/'\"\\\n\n  \t#_0123456789eabfxnrif;@<>!~&|^%é\x0c",
    *("\n    ", "\n        ", "\r\n", "\r", '"""', "f'", "{", " = ", "*", "**", "1", ":\n"),
    *(
        "if ",
        "else",
        " in ",
        "lambda ",
        " as ",
        "match ",
        "await ",
        "not ",
        "for ",
        "def ",
        "class ",
        "return ",
        "async ",
    ),
]


def parses(text: str) -> bool:
    """Whether the running interpreter's ast.parse accepts a file with this text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text.removeprefix("\ufeff"))
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            return False
    return True


def stdlib_sources(rng: random.Random, count: int, longest: int = LONGEST) -> list[str]:
    """Texts of valid standard library files, chosen at random, with their own line ends."""
    return valid_sources((p for p in STDLIB.rglob("*.py") if "site-packages" not in p.parts), rng, count, longest)


def valid_sources(paths: Iterable[Path], rng: random.Random, count: int, longest: int) -> list[str]:
    """Texts of the valid ones among these files, of at most `longest` characters, chosen at random."""
    shuffled = sorted(paths)
    rng.shuffle(shuffled)
    found: list[str] = []
    for path in shuffled:
        try:
            text = path.read_bytes().decode()
        except UnicodeDecodeError:
            continue
        if 200 <= len(text) <= longest and parses(text):
            found.append(text)
        if len(found) == count:
            break
    return found


def corrupted(text: str, rng: random.Random, scraps: Sequence[str] = _SCRAPS) -> str:
    """The text after one to three small accidents."""
    chars = list(text)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        at, kind = rng.randrange(len(chars) + 1), rng.random()
        if kind < 0.35:
            chars[at:at] = [rng.choice(scraps)]
        elif kind < 0.6 and chars:
            del chars[min(at, len(chars) - 1)]
        elif kind < 0.75 and chars:
            chars[min(at, len(chars) - 1)] = rng.choice(scraps)
        elif kind < 0.85:
            chars = chars[:at]
        elif kind < 0.95 and chars:
            chars[at:at] = chars[at : at + rng.randrange(1, 12)]
        elif len(chars) > 1:
            other, at = rng.randrange(len(chars)), min(at, len(chars) - 1)
            chars[at], chars[other] = chars[other], chars[at]
    return "".join(chars)


def cut(text: str, rng: random.Random, longest: int = 100) -> tuple[str, str, str]:
    """(left, middle, right) at a random place."""
    start = rng.randrange(len(text))
    end = min(len(text), start + rng.randrange(1, longest + 1))
    return text[:start], text[start:end], text[end:]
