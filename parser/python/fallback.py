"""Holes in files that are broken elsewhere: leave out as little as makes the rest parse.

Left: reading starts again at the first line after the error from which the text up to the cursor can be read. The blocks
around that line are stood in for by a skeleton: a header of the same kind at the same column for each, so that indentation
and the right context's `else:` or `except:` mean what they meant. Right: it counts up to the last logical line before the error;
what follows that line may be anything.
"""

from __future__ import annotations

from collections.abc import Callable

from ..checkpoints import LeftText
from ..hole import Bridging, Context, Hole, State
from ..left import Engine, Left
from ..lexing import LexState
from ..right import Right, Tail
from ..suffix import SuffixParser
from .lexer import PythonLexer

_HEADERS = {
    "if": "if x:",
    "elif": "if x:pass\n{}elif x:",
    "else": "if x:pass\n{}else:",
    "for": "for x in x:",
    "while": "while x:",
    "try": "try:",
    "except": "try:pass\n{}except x:",
    "finally": "try:pass\n{}finally:",
    "with": "with x:",
    "async": "async def x():",
    "def": "def x():",
    "class": "class x:",
    "match": "match x:",
    "case": "case x:",
}
_MAX_RESTARTS = 400
"""Lines tried as a new start; each costs as much as is read until the next error."""
_LINES_ABOVE = 4_000


class Fallback:
    """The ladder for one document; it remembers where it found footing, since the next keystroke finds it there again."""

    def __init__(
        self,
        engine: Engine,
        lexer: PythonLexer,
        bridging: Bridging,
        suffixes: SuffixParser,
        viable_suffix: Callable[[Right, LexState], bool],
    ) -> None:
        self._engine, self._lexer, self._bridging = engine, lexer, bridging
        self._suffixes, self._viable_suffix = suffixes, viable_suffix
        self._left = LeftText(engine)
        self._start: tuple[str, int] | None = None  # (text before the line that was started from, its offset)
        self._cut: tuple[Right, Right] | None = None  # a right context and what was left of it

    def hole(self, text: str, offset: int, left: Left | int, right: Right, right_viable: bool) -> Hole:
        """A hole in a part of the text; left: the left context, or the offset at which it dies."""
        step = "right"
        if not isinstance(left, Left):
            restarted = self._restart(text[:offset], left)
            if restarted is None:
                return Hole(None, "dead")
            left, step = restarted, "left"
            right_viable = right_viable or self._viable_suffix(right, left.lex)
        if not right_viable:
            step = "both" if step == "left" else "right"
            if self._cut is None or self._cut[0] is not right:
                self._cut = right, self._cut_right(right, left)
            right = self._cut[1]
        return Hole(State(left, Context(self._engine, right, self._bridging)), step)

    def _restart(self, text: str, dead: int) -> Left | None:
        """The text up to its end, read from a line after `dead`, with a skeleton of the blocks around it."""
        if self._start is not None and dead < self._start[1] and text.startswith(self._start[0]):
            left, _ = self._read_from(text, self._start[1])
            if left is not None:
                return left
        for _ in range(_MAX_RESTARTS):
            start = text.find("\n", dead) + 1
            if not start:
                break
            left, dead = self._read_from(text, start)
            if left is not None:
                self._start = text[:start], start
                return left
        # The cursor's own line, however far the error is into it: reading starts at the line's first character.
        return self._read_from(text, text.rfind("\n") + 1)[0]

    def _read_from(self, text: str, start: int) -> tuple[Left | None, int]:
        """(the text from a line start on, or None; where it dies)."""
        skeleton = _skeleton(text, start)
        self._left.change(skeleton + text[start:])
        left = self._left.read(len(skeleton) + len(text) - start)
        return (left, len(text)) if isinstance(left, Left) else (None, max(start, left - len(skeleton) + start))

    def _cut_right(self, right: Right, left: Left) -> Right:
        """The longest beginning of the right context that is viable with any text after it."""
        lexer = self._lexer
        entries = left.lex, lexer.outside(left.lex), *lexer.around(left.lex), *lexer.entries()
        end = self._suffixes.longest_beginning(right.text, entries)
        return Right(self._engine, Tail(right.text[:end], cut=end > 0), end)


def _skeleton(text: str, start: int) -> str:
    """Headers for the blocks around the line at start, each at its column."""
    column, chain = _indent_of(text, start), []
    end = start
    for _ in range(_LINES_ABOVE):
        if not column or not end:
            break
        line_start = text.rfind("\n", 0, end - 1) + 1
        line = text[line_start : end - 1]
        end = line_start
        indent = line[: len(line) - len(line.lstrip(" \t"))]
        if line.strip() and not line.lstrip().startswith("#") and len(indent) < len(column):
            chain.append((indent, line.split()[0].rstrip(":(")))
            column = indent
    if column:  # nothing encloses it: an indented line at the top
        chain.append(("", "if"))
    headers = []
    for indent, word in reversed(chain):
        headers.append(indent + _HEADERS.get(word, "if x:").format(indent) + "\n")
    return "".join(headers)


def _indent_of(text: str, start: int) -> str:
    """The indentation of the first line from start on that has something on it."""
    position = start
    while position < len(text):
        end = text.find("\n", position)
        line = text[position : end if end >= 0 else len(text)]
        if line.strip() and not line.lstrip().startswith("#"):
            return line[: len(line) - len(line.lstrip(" \t"))]
        if end < 0:
            return line if not line.strip() else line[: len(line) - len(line.lstrip(" \t"))]
        position = end + 1
    return ""
