"""A single line above a block that lies deeper: it can only be the block's header.

The grammar alone lets such a line be anything, since a header could follow in a line of its own. Where one line is asked for, none follows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...common.constraint import Constraint

if TYPE_CHECKING:
    from typing import Self

_KEYWORDS = ("async", "case", "class", "def", "elif", "else", "except", "finally", "for", "if", "try", "while", "with")
_HEADERS = ("if 1:", "else:", "try:", "def a():", "class A:")  # one of them fits above any block that is a header's
_FIRST_CODE = re.compile(r"\n(?P<indent>[ \t]*)(?![ \t]*(?:\n|#|\Z))")
_WORD = re.compile(r"[a-z]*")


def as_header(state: Constraint, left: str, right: str) -> Constraint:
    """The constraint of a line of Python, held to be a header where no other line of text fits; the same one elsewhere."""
    line = left[left.rfind("\n") + 1 :]
    below = _FIRST_CODE.match(right) or _FIRST_CODE.search(right)
    if line.strip() or right[:1] != "\n" or below is None or state.complete:
        return state
    return _Begun(state, state, "") if _width(below["indent"]) > _width(line) else state


def _width(indent: str) -> int:
    return len(indent.expandtabs())


@dataclass(frozen=True)
class _Begun(Constraint):
    """The constraint until the line's first word is known."""

    first: Constraint
    inner: Constraint
    text: str

    def advance(self, text: str) -> Self | None:
        """Take more text, if it can be a header's."""
        inner = self.inner.advance(text)
        text = self.text + text
        code = text.lstrip(" \t")
        if inner is None or code[:1] == "#":
            return None
        if code and not _needs_header(self.first, text[: len(text) - len(code)]):
            return inner  # type: ignore[return-value] - what is decided needs no watching
        word = _WORD.match(code)
        assert word is not None
        if word.end() < len(code):
            return inner if word[0] in _KEYWORDS else None  # type: ignore[return-value]
        return type(self)(self.first, inner, text) if any(one.startswith(word[0]) for one in _KEYWORDS) else None

    def admits(self, partial: bytes) -> bool:
        """No header begins with a character of several bytes."""
        return False

    @property
    def complete(self) -> bool:
        """See Constraint."""
        return self.inner.complete

    @property
    def stays_in_hole(self) -> bool:
        """See Constraint."""
        return self.inner.stays_in_hole

    @property
    def missing(self) -> float:
        """See Constraint."""
        return self.inner.missing

    def bridges(self, stop: Callable[[], bool] = lambda: False) -> Sequence[str]:
        """See Constraint."""
        return self.inner.bridges(stop)


def _needs_header(state: Constraint, blanks: str) -> bool:
    """Whether a line with this indentation fits only as a header."""
    simple = state.advance(blanks + "pass")
    if simple is None or simple.complete:
        return False
    headers = (state.advance(blanks + header) for header in _HEADERS)
    return any(header is not None and header.complete for header in headers)
