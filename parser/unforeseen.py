"""Reading ahead: the part of a text unread so far, and a right context as the first bridge to it reads it."""

from __future__ import annotations

import re

from .engine_runtime import EngineRuntime
from .glr.prefix import PrefixState
from .glr.suffix import SuffixContext
from .glr.text_diff import common_prefix, common_suffix

_BLOCK = re.compile(r"^[^\s#)\]}].*\n", re.MULTILINE)
"""An unindented line: the texts before and behind it are mostly in other blocks."""


def unforeseen(foreseen: str, text: str) -> tuple[int, int]:
    """The part of a text that differs from the one read ahead, from the beginning of a block to the beginning of another."""
    begin, end = 0, len(text)
    if foreseen:
        begin = common_prefix(foreseen, text)
        if begin == end == len(foreseen):
            return 0, 0
        end -= min(common_suffix(foreseen, text), end - begin)
    while begin and not _BLOCK.match(text, begin):
        begin = text.rfind("\n", 0, begin - 1) + 1
    after = _BLOCK.search(text, end)
    return begin, after.end() if after is not None else len(text)


def read_on(runtime: EngineRuntime, left: PrefixState | int, right: SuffixContext) -> None:
    """Read a right context from unknown stacks, as the first bridge to it will; left: the reading of its left context. Nothing where both
    contexts together decide."""
    if isinstance(left, PrefixState) and runtime.completable is None:
        runtime.viable_suffix(right, left.lex)
