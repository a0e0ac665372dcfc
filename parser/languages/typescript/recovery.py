"""Holes in files of TypeScript and JavaScript that are broken elsewhere: see ../braces.py.

Each item begins with a word at the beginning of a line. Of the cursor's own item, in which much code may lie within one pair of brackets, lines are left
out by indentation, on both sides: the least that does, from the line of an error to the statements around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from ...glr.prefix import PrefixState
from ...glr.suffix import SuffixContext
from ...lexing.base import LexState
from ..braces import MAX_ERRORS, MAX_LEFT_OUT, BraceRecovery

_MAX_TOKENS = 50_000
_AT_TOP = "\nexport {}\n"
"""What can be read where no bracket is open."""


class Recovery(BraceRecovery):
    """See BraceRecovery."""

    item = re.compile(r"^[A-Za-z_$@]", re.M)
    function = "function x() "
    first_item = 1  # before that, a word that goes on

    def readable_before(self, text: str) -> str:
        """Items of a text without those that cannot be read, or leave something open."""
        for _ in range(MAX_LEFT_OUT):
            found = self.read(text + _AT_TOP)
            if isinstance(found, PrefixState):
                return text
            starts = [*(m.start() for m in self.item.finditer(text)), len(text)]
            if len(starts) == 1:
                break
            # The one that is left open is the first behind which something is open, though another item dies of it.
            number = max(i for i, start in enumerate(starts) if start <= found or not i)
            ends = (i for i in range(1, number + 1) if not self._is_at_top(starts[i]))
            number = next(ends, min(number, len(starts) - 2) + 1) - 1
            text = text[: starts[number]] + text[starts[number + 1] :]
        return ""

    readable_behind = readable_before

    def _is_at_top(self, offset: int) -> bool:
        """Is nothing open at an offset of the text that was read last?"""
        self._engine.ask()
        left = self._text.read(offset)
        return isinstance(left, PrefixState) and not left.stacks.depth and self._lexer.is_between(left.lex)

    def without_lines(self, text: str, own: int, dead: int) -> PrefixState | None:
        """The text without the lines around each error in the cursor's own item; not without the cursor's line."""
        for _ in range(MAX_ERRORS):
            best: tuple[int, str, int] | None = None
            line = text.rfind("\n") + 1
            for start, end in chunks(text, dead, own + 1, line) if dead < line else ():
                other = text[:start] + text[end:]
                left = self.read(other)
                if isinstance(left, PrefixState):
                    return left
                if best is None or len(other) - left < best[0]:
                    best = len(other) - left, other, left
            if best is None or best[0] >= len(text) - dead:
                return None
            _, text, dead = best
        return None

    def viable_right(self, own: str, kept: str, left: PrefixState) -> SuffixContext | None:
        """The right context without the lines around each error in the cursor's own item; not without the cursor's line."""
        entries = tuple(dict.fromkeys((left.lex, self._lexer.outside(left.lex), *self._lexer.between)))
        whole = self.right(own + kept)
        if self._viable_suffix(whole, left.lex):
            return whole
        for _ in range(MAX_ERRORS):
            read, _ = self._suffixes.longest_beginning(self.right(own, alone=True), entries, left.stacks.depth)
            best, viable = (read, own), list[SuffixContext]()
            for start, end in chunks(own, read, own.find("\n") + 1 or len(own), len(own)):
                other = own[:start] + own[end:]
                whole = self.right(other + kept)
                entry = self._suffixes.viable_from(whole, entries)
                if entry is not None:
                    if self._closed(whole, entry) == left.stacks.depth:
                        return whole
                    viable.append(whole)
                end, _ = self._suffixes.longest_beginning(self.right(other, alone=True), entries, left.stacks.depth)
                reached = end + len(own) - len(other)
                best = max(best, (reached, other))
            if viable or best[1] is own:
                return viable[0] if viable else None
            own = best[1]
        return None

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
