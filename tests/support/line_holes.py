"""Rests of lines in the project's own files, as holes."""

import random
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path(__file__).parents[2]


def line_holes(count: int, seed: int = 3) -> Iterator[tuple[str, str]]:
    """(left context, right context) of `count` holes."""
    chosen = random.Random(seed)
    files = [path for path in sorted(_ROOT.glob("lsp_server/**/*.py")) if path.stat().st_size < 4000]
    while count:
        text = chosen.choice(files).read_text(encoding="utf-8")
        lines = text.splitlines(keepends=True)
        line = chosen.randrange(len(lines))
        body = lines[line].rstrip("\n")
        if len(body.strip()) < 6:
            continue
        start = sum(map(len, lines[:line]))
        at = start + chosen.randrange(len(body) - len(body.lstrip()), len(body))
        count -= 1
        yield text[:at], text[start + len(body) :]
