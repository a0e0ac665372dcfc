"""Holes in files that are broken elsewhere, in languages with braces: what is broken is left out, item by item and line by line.

An item is what stands at the top of a file; a language says where one begins and how those that cannot be read are left out. Of the cursor's own item
the lines around an error are left out. Where that does not do, reading starts again at a line behind the error, with as many brackets open as
the right context closes, and of the right context as much counts as can be read.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from itertools import islice
from typing import ClassVar

from ..glr.incremental import PrefixText
from ..glr.prefix import Engine, PrefixState
from ..glr.suffix import SuffixContext, SuffixText
from ..glr.suffix_viability import SuffixParser
from ..hole import Bridging, Context, Hole, State
from ..lexing.base import LexState
from ..lexing.boundaries import AutomatonLexer
from ..token_masks import new_masks

MAX_LEFT_OUT = 12
"""Broken items left out on one side."""
MAX_ERRORS = 6
"""Errors in the cursor's own item, the lines around which are left out."""
_MAX_RESTARTS = 60
_TOKENS = 2_000
_OPENING = {")": "x(", "]": "x[", "}": "{"}


class BraceRecovery(ABC):
    """Holes in one document that is broken elsewhere."""

    item: ClassVar[re.Pattern[str]]
    """matches where an item begins"""
    function: ClassVar[str]
    """what a block may stand behind at the top of a file"""
    header: ClassVar[str] = ""
    """what a file begins with"""
    first_item: ClassVar[int] = 0
    """from this offset of a right context on an item may begin that is not the cursor's own"""

    def __init__(
        self,
        engine: Engine,
        lexer: AutomatonLexer,
        bridging: Bridging,
        suffixes: SuffixParser,
        viable_suffix: Callable[[SuffixContext, LexState], bool],
    ) -> None:
        self._engine, self._lexer, self._bridging = engine, lexer, bridging
        self._suffixes, self._viable_suffix = suffixes, viable_suffix
        self._text = PrefixText(engine)  # what was tried last
        self._own = PrefixText(
            engine
        )  # the left context without broken items above, which changes little from key to key
        self._closes: tuple[SuffixContext, str] | None = None  # the last right context, and what it closes
        self._before = "", ""  # what is before the cursor's own item, and what of it can be read
        self._tails = (
            SuffixText(""),
            SuffixText(""),
        )  # of right contexts, and of their own items: their ends are read once
        self._cut: tuple[str, dict[tuple[int, LexState | None], SuffixContext]] = "", {}
        """a right context; by brackets open before it what is left of it, and the lexer state there where it is not viable by itself"""

    def hole(self, text: str, offset: int, left: PrefixState | int, right: SuffixContext, right_viable: bool) -> Hole:
        """See Fallback in engine_runtime.py."""
        step = "right"
        if not isinstance(left, PrefixState):
            restarted = self._left(text[:offset], right)
            if restarted is None:
                return Hole(None, "dead")
            left, step = restarted, "left"
            right_viable = right_viable or self._viable_suffix(right, left.lex)
        if not right_viable:
            step = "both" if step == "left" else "right"
            right = self._cut_right(right, left)
        return Hole(State(left, Context(self._engine, right, self._bridging, new_masks)), step)

    # -- what a language says

    @abstractmethod
    def readable_before(self, text: str) -> str:
        """The text before the cursor's own item, a beginning of a file, without the items that cannot be read."""

    @abstractmethod
    def readable_behind(self, text: str) -> str:
        """The text behind the cursor's own item without the items that cannot be read."""

    @abstractmethod
    def without_lines(self, text: str, own: int, dead: int) -> PrefixState | None:
        """The left context without the lines around each error in the cursor's own item, which begins at own; None where it does not help."""

    @abstractmethod
    def viable_right(self, own: str, kept: str, left: PrefixState) -> SuffixContext | None:
        """The right context out of the rest of the cursor's own item, or most of it, and the items behind; None where it is not viable."""

    # -- the left context

    def _left(self, text: str, right: SuffixContext) -> PrefixState | None:
        own = max((m.start() for m in self.item.finditer(text)), default=0)
        if self._before[0] != text[:own]:
            self._before = text[:own], self.readable_before(text[:own])
        before = self._before[1]
        text, own = before + text[own:], len(before)
        self._own.change(text)
        left = self._own.read(len(text))
        if isinstance(left, PrefixState):
            return left
        return self.without_lines(text, own, left) or self._restart(text, own, left, right)

    def read(self, text: str) -> PrefixState | int:
        """See PrefixText.read."""
        self._text.change(text)
        return self._text.read(len(text))

    def _restart(self, text: str, own: int, dead: int, right: SuffixContext) -> PrefixState | None:
        """Read from a line after the error, in a function with as many brackets open as the right context closes."""
        if self._closes is None or self._closes[0] is not right:
            self._closes = right, self._closing(right)
        closing = self._closes[1]
        opened = "".join(_OPENING[bracket] for bracket in reversed(closing)) or "{"
        if not opened.startswith("{"):
            opened = "{" + opened
        header = (text[:own] + "\n" if own else self.header) + self.function
        for start in _line_starts(text, dead):
            for blocks in dict.fromkeys((opened, "{")):
                left = self.read(header + blocks + "\n" + text[start:])
                if isinstance(left, PrefixState):
                    return left
        found = self.read(header + opened + "\n")
        return found if isinstance(found, PrefixState) else None

    def _closing(self, right: SuffixContext) -> str:
        """The right context's closing brackets without an opening one."""
        brackets = {self._lexer.texts[text]: text for text in "()[]{}"}
        found, opened = "", 0
        for token in islice(right.run(self._lexer.between[0]).all_tokens(self._engine), _TOKENS):
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
        if self._cut[0] != text:
            self._cut = text, {}
        known = self._cut[1]
        found = known.get((depth, None))
        if found is not None and self._viable_suffix(found, left.lex):
            return found
        found = known.get((depth, left.lex))
        if found is not None:
            return found
        first = self.item.search(text, self.first_item)
        own, rest = (text[: first.start()], text[first.start() :]) if first else (text, "")
        found = self.viable_right(own, self.readable_behind(rest), left)
        if found is not None:
            known[depth, None] = found
            return found
        entries = left.lex, self._lexer.outside(left.lex), *self._lexer.all_states()
        end, net = self._suffixes.longest_beginning(self.right(own, alone=True), entries, depth)
        found = SuffixContext(self._engine, SuffixText(own[:end], cut=net if end else None), end)
        known[depth, left.lex] = found
        return found

    def right(self, text: str, *, alone: bool = False) -> SuffixContext:
        """A right context of its own, or (alone) the rest of the cursor's own item without what comes behind it."""
        tail = self._tails[alone].for_text(text)
        self._tails = (self._tails[0], tail) if alone else (tail, self._tails[1])
        return SuffixContext(self._engine, tail, len(text))


def _line_starts(text: str, at: int) -> Iterator[int]:
    """Where the next lines begin, _MAX_RESTARTS of them."""
    for _ in range(_MAX_RESTARTS):
        at = text.find("\n", at) + 1
        if not at:
            return
        yield at
