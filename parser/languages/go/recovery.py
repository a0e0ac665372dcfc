"""Holes in Go files that are broken elsewhere: the broken top-level declarations are left out.

Left: declarations before the cursor's own that cannot be read are left out; in its own one, the lines around an error are, or else
reading starts again at a line after it, with as many blocks open before it as the right context closes. Right: declarations behind the
cursor's own that cannot be read are left out; of the rest of its own, as much counts as can be read, whatever follows that.
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
from .lexer import GoLexer

_DECLARATION = re.compile(r"^(?:func|type|var|const|import)\b", re.M)
_MAX_LEFT_OUT = 12
"""Broken declarations left out on one side."""
_MAX_LINES = 6
"""Errors in the cursor's own declaration, the lines around which are left out."""
_MAX_RESTARTS = 60
_TOKENS = 2_000
_HEADER = "package p\n"
_OPENING = {")": "x(", "]": "x[", "}": "{"}


class Recovery:
    """Holes in one document that is broken elsewhere."""

    def __init__(
        self,
        engine: Engine,
        lexer: GoLexer,
        bridging: Bridging,
        suffixes: SuffixParser,
        viable_suffix: Callable[[SuffixContext, LexState], bool],
    ) -> None:
        self._engine, self._lexer, self._bridging = engine, lexer, bridging
        self._suffixes, self._viable_suffix = suffixes, viable_suffix
        self._text = PrefixText(engine)
        self._last: tuple[str, int, SuffixContext] | None = None

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
        own = max((m.start() for m in _DECLARATION.finditer(text)), default=0)
        before, dead = self._without_declarations(text, own, dead)
        text, own = before + text[own:], len(before)
        left = self._read(text)
        if isinstance(left, PrefixState):
            return left
        return self._without_lines(text, own, left) or self._restart(text, own, left, right)

    def _read(self, text: str) -> PrefixState | int:
        self._text.change(text)
        return self._text.read(len(text))

    def _without_declarations(self, text: str, own: int, dead: int) -> tuple[str, int]:
        """The text before the cursor's own declaration without those that cannot be read; where the first one was."""
        before, first = text[:own], dead
        for _ in range(_MAX_LEFT_OUT):
            starts = [m.start() for m in _DECLARATION.finditer(before)]
            found = self._read(before + "func x() {}\n")
            if isinstance(found, PrefixState):
                return before, first
            if not starts or found < starts[0]:  # the package clause
                kept = before[starts[0] :] if starts else ""
                before = _HEADER + kept
                if not starts:
                    return before, first
                continue
            begin = max(start for start in starts if start <= min(found, len(before)))
            end = min((start for start in starts if start > begin), default=len(before))
            before = before[:begin] + before[end:]
        return _HEADER, first

    def _without_lines(self, text: str, own: int, dead: int) -> PrefixState | None:
        """The text without a few lines around each error in the cursor's own declaration."""
        for _ in range(_MAX_LINES):
            first, after = text.rfind("\n", 0, dead) + 1, text.find("\n", dead) + 1
            if first <= own:
                return None
            before = text.rfind("\n", 0, first - 1) + 1
            ends = [after or len(text)] if not after else [after, text.find("\n", after) + 1 or after]
            best: tuple[int, str, int] | None = None
            for start in dict.fromkeys((first, max(before, own + 1))):
                for end in dict.fromkeys(ends):
                    if not after and end == len(text):  # the cursor's own line stays, without what it begins with
                        continue
                    other = text[:start] + text[end:]
                    left = self._read(other)
                    if isinstance(left, PrefixState):
                        return left
                    if best is None or len(other) - left < best[0]:
                        best = len(other) - left, other, left
            if best is None:
                return None
            _, text, dead = best
        return None

    def _restart(self, text: str, own: int, dead: int, right: SuffixContext) -> PrefixState | None:
        """Read from a line after the error, in a function with as many brackets open as the right context closes."""
        closing = self._closing(right)
        opened = "".join(_OPENING[bracket] for bracket in reversed(closing)) or "{"
        if not opened.startswith("{"):
            opened = "{" + opened
        header = text[:own] + ("\n" if own else _HEADER)
        for start in self._line_starts(text, dead):
            for blocks in dict.fromkeys((opened, "{")):
                left = self._read(header + "func x() " + blocks + "\n" + text[start:])
                if isinstance(left, PrefixState):
                    return left
        found = self._read(header + "func x() " + opened + "\n")
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
        """The right context without declarations that cannot be read, and of the cursor's own what can be."""
        text, depth = right.text, left.stacks.depth
        if self._last is not None and self._last[:2] == (text, depth):
            return self._last[2]
        first = _DECLARATION.search(text)
        own, rest = (text[: first.start()], text[first.start() :]) if first else (text, "")
        kept = self._readable(rest)
        whole = self._right(own + kept)
        if self._viable_suffix(whole, left.lex):
            found = whole
        else:
            entries = left.lex, self._lexer.outside(left.lex), *self._lexer.all_states()
            end, net = self._suffixes.longest_beginning(self._right(own), entries, depth)
            found = SuffixContext(self._engine, SuffixText(own[:end], cut=net if end else None), end)
        self._last = text, depth, found
        return found

    def _right(self, text: str) -> SuffixContext:
        return SuffixContext(self._engine, SuffixText(text), len(text))

    def _readable(self, text: str) -> str:
        """Declarations without those that cannot be read."""
        for _ in range(_MAX_LEFT_OUT):
            found = self._read(_HEADER + text)
            if isinstance(found, PrefixState) and self._engine.lexer.finish(found.lex) is not None:
                tokens = self._engine.lexer.finish(found.lex) or ()
                if self._engine.feed(found.frame, found.stacks, tokens) is not None:
                    return text
                found = len(_HEADER) + len(text)
            at = (found if isinstance(found, int) else len(_HEADER) + len(text)) - len(_HEADER)
            starts = [m.start() for m in _DECLARATION.finditer(text)]
            if not starts:
                return ""
            begin = max((start for start in starts if start <= max(at, 0)), default=starts[0])
            end = min((start for start in starts if start > begin), default=len(text))
            text = text[:begin] + text[end:]
        return ""
