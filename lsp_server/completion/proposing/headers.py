"""The kind of a line, by the columns of the lines around it.

A single line above a deeper block is taken to be the block's header. By the grammar alone such a line may be anything, since a header could
follow on the next line; but only one line is requested. And the column chosen by the user is kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ....common.constraint import Constraint, Wrapper

if TYPE_CHECKING:
    from typing import Self

_FIRST_CODE = re.compile(r"\n(?P<indent>[ \t]*)(?=[^ \t\n#])")
_FIRST_LINE = re.compile(r"\n(?P<indent>[ \t]*)(?=[^ \t\n])")
_GOES_ON = (":", "(", "[", "{", ",", "\\")
_MOST_INDENTS = 8
_WORD = re.compile(r"\w*")


def as_header(state: Constraint, left: str, right: str, headers: Mapping[str, str]) -> Constraint:
    """The constraint of a line, narrowed to a header if no other line fits; unchanged elsewhere. headers: see `Traits`."""
    line = left[left.rfind("\n") + 1 :]
    # Without names, where they count: the tried headers have others.
    plain: Constraint = getattr(state, "inner", state)
    below = _FIRST_CODE.search(right)
    if line.strip() or right[:1] != "\n" or below is None:
        return state
    if len(below["indent"].expandtabs()) <= len(line.expandtabs()) or (plain.complete and not line):
        return state
    # Blanks before the cursor are the intended indentation. Without them the whole line is missing.
    beginnings: dict[str, frozenset[str] | None] = {}
    for blanks in [""] if line else _indents(left, below["indent"]):
        words = _keywords(plain, blanks, headers)
        if words is None or words:
            beginnings[blanks] = words
    return _Line(state, beginnings, "") if any(beginnings.values()) else state


def at_column(state: Constraint, left: str, right: str) -> Constraint:
    """The constraint of a text that keeps to the cursor's column, if that is the intended one; unchanged elsewhere.

    In an empty line an editor puts the cursor in the column of the line above, and deeper if that opens something. A person, too, moves it to
    the text's intended beginning. The text may have to be deeper only above a deeper line, or below an unfinished line with the cursor in its
    column or left of it.
    """
    line = left[left.rfind("\n") + 1 :]
    if line.strip() or right[:1] not in ("", "\n"):
        return state
    code = left.rstrip()
    above = code[code.rfind("\n") + 1 :]
    column, below = len(line.expandtabs()), _FIRST_LINE.search(right)
    if below is not None and len(below["indent"].expandtabs()) > column:
        return state
    indent = len(above[: len(above) - len(above.lstrip(" \t"))].expandtabs())
    stands = column > indent if above.endswith(_GOES_ON) else column > 0 or indent > 0
    return _Column(state) if stands else state


def _indents(left: str, below: str) -> list[str]:
    """The possible indentations of a line: the next line's, and those of the lines above, the nearest first."""
    indents = [below]
    for line in reversed(left.split("\n")):
        code = line.lstrip(" \t")
        indent = line[: len(line) - len(code)]
        if code and code[0] != "#" and indent not in indents:
            indents.append(indent)
            if len(indents) == _MOST_INDENTS:
                break
    return indents


def _keywords(state: Constraint, blanks: str, headers: Mapping[str, str]) -> frozenset[str] | None:
    """The possible first words of a line of this indentation if it can only be a header; None if it can be another line."""
    simple = state.advance(blanks + "pass")
    if simple is not None and simple.complete:
        return None
    after = ((word, state.advance(blanks + header)) for word, header in headers.items())
    return frozenset(word.rstrip("*") for word, behind in after if behind is not None and behind.complete)


@dataclass(frozen=True)
class _Line(Wrapper):
    """The constraint of a line: on its first word, and to have only a comment behind a header's colon."""

    beginnings: Mapping[str, frozenset[str] | None] | None
    """the words by the blanks before them; None once they are known"""
    text: str  # of the line; once its words are known, its last character

    def advance(self, text: str) -> Self | None:
        """Take more text, if a header may continue with it."""
        inner = self.inner.advance(text)
        if inner is None:
            return None
        if self.beginnings is None:
            return self._behind(text, inner)
        line = self.text + text
        code = line.lstrip(" \t")
        if not code:
            fits = any(blanks.startswith(line) for blanks in self.beginnings)
            return replace(self, inner=inner, text=line) if fits else None
        words = self.beginnings.get(line[: len(line) - len(code)], frozenset())
        if words is None:
            return inner  # type: ignore[return-value] - a line that may be another than a header
        begun = _WORD.match(code)
        assert begun is not None
        if begun.end() == len(code):
            return replace(self, inner=inner, text=line) if any(word.startswith(code) for word in words) else None
        return self._behind(text, inner) if begun[0] in words else None

    def _behind(self, text: str, inner: Constraint) -> Self | None:
        """After more text of a header: None if code follows its colon, and the plain constraint once a comment does."""
        walrus = self.text.endswith(":") and text[:1] == "="
        if self.beginnings is None and self.inner.complete and not walrus:
            behind = text.lstrip(" \t")
        else:
            behind = ""
            for colon in re.finditer(r":(?!=)(?=[ \t]*\S)", text):
                header = self.inner.advance(text[: colon.end()])
                if header is not None and header.complete:
                    behind = text[colon.end() :].lstrip(" \t")
                    break
        if behind[:1] == "#":
            return inner  # type: ignore[return-value]
        return replace(self, inner=inner, beginnings=None, text=text[-1:]) if behind[:1] in ("", "\n") else None

    def admits(self, partial: bytes) -> bool:
        return self.beginnings is None and self.inner.admits(partial)


@dataclass(frozen=True)
class _Column(Wrapper):
    """The constraint of a text that begins without a blank."""

    def advance(self, text: str) -> Self | None:
        """Take more text, unless it begins with a blank."""
        return None if text.startswith((" ", "\t")) else self.inner.advance(text)  # type: ignore[return-value]

    def bridges(self, stop: Callable[[], bool] = lambda: False) -> Sequence[str]:
        return [bridge for bridge in self.inner.bridges(stop) if not bridge.startswith((" ", "\t"))]
