"""Holes in Go files that are broken elsewhere: see ../braces.py. The items are the declarations."""

from __future__ import annotations

import re

from ...glr.prefix import PrefixState
from ...glr.suffix import SuffixContext
from ..braces import MAX_ERRORS, MAX_LEFT_OUT, BraceRecovery

_HEADER = "package p\n"


class Recovery(BraceRecovery):
    """See BraceRecovery."""

    item = re.compile(r"^(?:func|type|var|const|import)\b", re.M)
    function = "func x() "
    header = _HEADER

    def readable_before(self, text: str) -> str:
        for _ in range(MAX_LEFT_OUT):
            starts = [m.start() for m in self.item.finditer(text)]
            found = self.read(text + "func x() {}\n")
            if isinstance(found, PrefixState):
                return text
            if not starts:
                return _HEADER
            if found < starts[0]:  # the package clause
                text = _HEADER + text[starts[0] :]
                continue
            begin = max(start for start in starts if start <= found)
            end = min((start for start in starts if start > begin), default=len(text))
            text = text[:begin] + text[end:]
        return _HEADER

    def without_lines(self, text: str, own: int, dead: int) -> PrefixState | None:
        for _ in range(MAX_ERRORS):
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
                    left = self.read(other)
                    if isinstance(left, PrefixState):
                        return left
                    if best is None or len(other) - left < best[0]:
                        best = len(other) - left, other, left
            if best is None:
                return None
            _, text, dead = best
        return None

    def viable_right(self, own: str, kept: str, left: PrefixState) -> SuffixContext | None:
        whole = self.right(own + kept)
        return whole if self._viable_suffix(whole, left.lex) else None

    def readable_behind(self, text: str) -> str:
        for _ in range(MAX_LEFT_OUT):
            found = self.read(_HEADER + text)
            if isinstance(found, PrefixState) and self._engine.lexer.finish(found.lex) is not None:
                tokens = self._engine.lexer.finish(found.lex) or ()
                if self._engine.feed(found.frame, found.stacks, tokens) is not None:
                    return text
                found = len(_HEADER) + len(text)
            at = (found if isinstance(found, int) else len(_HEADER) + len(text)) - len(_HEADER)
            starts = [m.start() for m in self.item.finditer(text)]
            if not starts:
                return ""
            begin = max((start for start in starts if start <= max(at, 0)), default=starts[0])
            end = min((start for start in starts if start > begin), default=len(text))
            text = text[:begin] + text[end:]
        return ""
