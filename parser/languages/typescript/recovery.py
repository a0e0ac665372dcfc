"""Holes in files that are broken elsewhere.

Items of the file that cannot be read are left out: each begins with a word at the beginning of a line. Of the cursor's own item, in which much code may
lie within one pair of brackets, the lines around an error are left out, by indentation: the least that does, from the line itself to the
statements around it. Where that does not do, reading starts again at a line behind the error, with as many brackets open as the right context
closes, and of the right context as much counts as can be read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice

from ...glr.incremental import PrefixText
from ...glr.prefix import Engine, PrefixState
from ...glr.suffix import SuffixContext, SuffixText
from ...glr.suffix_viability import SuffixParser
from ...hole import Bridging, Context, Hole, State
from ...lexing.base import LexState
from ...token_masks import new_masks
from .lexer import TypeScriptLexer

_ITEM = re.compile(r"^[A-Za-z_$@]", re.M)
_MAX_LEFT_OUT = 12
"""Broken items left out on one side."""
_MAX_ERRORS = 6
"""Errors in the cursor's own item, the lines around which are left out."""
_MAX_RESTARTS = 60
_TOKENS = 2_000
_MAX_TOKENS = 50_000
_AT_TOP = "\nexport {}\n"
"""What can be read where no bracket is open."""
_OPENING = {")": "x(", "]": "x[", "}": "{"}


class Recovery:
    """Holes in one document that is broken elsewhere."""

    def __init__(
        self,
        engine: Engine,
        lexer: TypeScriptLexer,
        bridging: Bridging,
        suffixes: SuffixParser,
        viable_suffix: Callable[[SuffixContext, LexState], bool],
    ) -> None:
        self._engine, self._lexer, self._bridging = engine, lexer, bridging
        self._suffixes, self._viable_suffix = suffixes, viable_suffix
        self._text = PrefixText(engine)
        self._last: tuple[str, LexState, int, SuffixContext] | None = None

    def hole(self, text: str, offset: int, left: PrefixState | int, right: SuffixContext, right_viable: bool) -> Hole:
        """See Fallback in engine_runtime.py."""
        step = "right"
        if not isinstance(left, PrefixState):
            restarted = self._left(text[:offset], left, right)
            if restarted is None:
                return Hole(None, "dead")
            left, step = restarted, "left"
            right_viable = right_viable or self._viable_suffix(right, left.lex)
        if not right_viable:
            step = "both" if step == "left" else "right"
            right = self._cut_right(right, left)
        return Hole(State(left, Context(self._engine, right, self._bridging, new_masks)), step)

    # -- the left context

    def _left(self, text: str, dead: int, right: SuffixContext) -> PrefixState | None:
        own = max((m.start() for m in _ITEM.finditer(text)), default=0)
        before = self._readable(text[:own])
        text, own, dead = before + text[own:], len(before), dead - own + len(before)
        left = self._read(text)
        if isinstance(left, PrefixState):
            return left
        return self._without_lines(text, own, left) or self._restart(text, own, left, right)

    def _read(self, text: str) -> PrefixState | int:
        self._text.change(text)
        return self._text.read(len(text))

    def _readable(self, text: str) -> str:
        """Items of a text without those that cannot be read, or leave something open."""
        for _ in range(_MAX_LEFT_OUT):
            found = self._read(text + _AT_TOP)
            if isinstance(found, PrefixState):
                return text
            starts = [*(m.start() for m in _ITEM.finditer(text)), len(text)]
            if len(starts) == 1:
                break
            # The one that is left open is the first behind which something is open, though another item dies of it.
            number = max(i for i, start in enumerate(starts) if start <= found or not i)
            ends = (i for i in range(1, number + 1) if not self._is_at_top(starts[i]))
            number = next(ends, min(number, len(starts) - 2) + 1) - 1
            text = text[: starts[number]] + text[starts[number + 1] :]
        return ""

    def _is_at_top(self, offset: int) -> bool:
        """Is nothing open at an offset of the text that was read last?"""
        self._engine.ask()
        left = self._text.read(offset)
        return isinstance(left, PrefixState) and not left.stacks.depth and self._lexer.is_between(left.lex)

    def _without_lines(self, text: str, own: int, dead: int) -> PrefixState | None:
        """The text without the lines around each error in the cursor's own item; not without the cursor's line."""
        for _ in range(_MAX_ERRORS):
            best: tuple[int, str, int] | None = None
            for start, end in chunks(text, dead, own + 1, text.rfind("\n") + 1):
                other = text[:start] + text[end:]
                left = self._read(other)
                if isinstance(left, PrefixState):
                    return left
                if best is None or len(other) - left < best[0]:
                    best = len(other) - left, other, left
            if best is None or best[0] >= len(text) - dead:
                return None
            _, text, dead = best
        return None

    def _restart(self, text: str, own: int, dead: int, right: SuffixContext) -> PrefixState | None:
        """Read from a line after the error, in a function with as many brackets open as the right context closes."""
        closing = self._closing(right)
        opened = "".join(_OPENING[bracket] for bracket in reversed(closing)) or "{"
        if not opened.startswith("{"):
            opened = "{" + opened
        header = text[:own] + ("\n" if own else "")
        for start in self._line_starts(text, dead):
            for blocks in dict.fromkeys((opened, "{")):
                left = self._read(header + "function x() " + blocks + "\n" + text[start:])
                if isinstance(left, PrefixState):
                    return left
        found = self._read(header + "function x() " + opened + "\n")
        return found if isinstance(found, PrefixState) else None

    @staticmethod
    def _line_starts(text: str, dead: int) -> Iterator[int]:
        start = dead
        for _ in range(_MAX_RESTARTS):
            start = text.find("\n", start) + 1
            if not start:
                return
            yield start

    def _closing(self, right: SuffixContext) -> str:
        """The right context's closing brackets without an opening one."""
        brackets = {self._lexer.texts[text]: text for text in "()[]{}"}
        found, opened = "", 0
        for token in islice(right.run(self._lexer.clean).all_tokens(self._engine), _TOKENS):
            text = brackets.get(token) if isinstance(token, int) else None
            if text is None:
                continue
            if text in "([{":
                opened += 1
            else:
                if not opened:
                    found += text
                opened = max(0, opened - 1)
        return found

    # -- the right context

    def _cut_right(self, right: SuffixContext, left: PrefixState) -> SuffixContext:
        """The right context without items that cannot be read, and of the cursor's own what can be."""
        text, depth = right.text, left.stacks.depth
        if self._last is not None and self._last[:3] == (text, left.lex, depth):
            return self._last[3]
        first = _ITEM.search(text, 1)
        own, rest = (text[: first.start()], text[first.start() :]) if first else (text, "")
        kept = self._readable(rest)
        found = self._without_right_lines(own, kept, left)
        if found is None:
            entries = left.lex, self._lexer.outside(left.lex), *self._lexer.all_states()
            end, net = self._suffixes.longest_beginning(self._right(own), entries, depth)
            found = SuffixContext(self._engine, SuffixText(own[:end], cut=net if end else None), end)
        self._last = text, left.lex, depth, found
        return found

    def _without_right_lines(self, own: str, kept: str, left: PrefixState) -> SuffixContext | None:
        """The right context without the lines around each error in the cursor's own item; not without the cursor's line."""
        entries = tuple(
            dict.fromkeys((left.lex, self._lexer.outside(left.lex), self._lexer.clean, self._lexer.new_line))
        )
        whole = self._right(own + kept)
        if self._viable_suffix(whole, left.lex):
            return whole
        for _ in range(_MAX_ERRORS):
            read, _ = self._suffixes.longest_beginning(self._right(own), entries, left.stacks.depth)
            best, viable = (read, own), list[SuffixContext]()
            for start, end in chunks(own, read, own.find("\n") + 1 or len(own), len(own)):
                other = own[:start] + own[end:]
                whole = self._right(other + kept)
                entry = self._suffixes.viable_from(whole, entries)
                if entry is not None:
                    if self._closed(whole, entry) == left.stacks.depth:
                        return whole
                    viable.append(whole)
                end, _ = self._suffixes.longest_beginning(self._right(other), entries, left.stacks.depth)
                reached = end + len(own) - len(other)
                best = max(best, (reached, other))
            if viable or best[1] is own:
                return viable[0] if viable else None
            own = best[1]
        return None

    def _right(self, text: str) -> SuffixContext:
        return SuffixContext(self._engine, SuffixText(text), len(text))

    def _closed(self, right: SuffixContext, entry: LexState) -> int:
        """How many more brackets a right context closes than it opens."""
        brackets = self._engine.factory.brackets
        tokens = islice(right.run(entry).all_tokens(self._engine), _MAX_TOKENS)
        return -sum(brackets.get(token, 0) for token in tokens if isinstance(token, int))


def chunks(text: str, at: int, low: int, high: int) -> Iterator[tuple[int, int]]:
    """Runs of whole lines around a place, those that leave out least first: the line, with the one above, with the one below; then the
    statements it is in, by indentation: from the last line above that is less deep up to the next line that is no deeper, and closes
    nothing.

    low, high: between these offsets only.
    """
    first, after = text.rfind("\n", 0, at) + 1, text.find("\n", at) + 1 or len(text)
    above = text.rfind("\n", 0, max(first - 1, 0)) + 1
    below = text.find("\n", after) + 1 or len(text)
    found = [(first, after), (above, after), (first, below), (above, below)]
    columns = list[int]()
    start = first
    while True:
        line = text[start : text.find("\n", start) + 1 or len(text)]
        column = len(line) - len(line.lstrip(" \t"))
        if line.strip() and (not columns or column < columns[-1]):
            columns.append(column)
            found.append((start, _statement_end(text, after, column)))
        if start <= low or not start:
            break
        start = text.rfind("\n", 0, start - 1) + 1
    return ((s, e) for s, e in dict.fromkeys(found) if low <= s < e <= high)


def _statement_end(text: str, at: int, column: int) -> int:
    """Where the next line begins, from the beginning of a line on, that is no deeper than a column and closes nothing."""
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        line = text[at:end]
        bare = line.lstrip(" \t")
        if (
            bare.strip()
            and len(line) - len(bare) <= column
            and (bare[0] not in ")]}<" or len(line) - len(bare) < column)
        ):
            break
        at = end
    return at
