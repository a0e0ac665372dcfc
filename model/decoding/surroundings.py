"""How a text fits between the lines around its hole, beyond being valid there.

A model that does not end at the right context often copies it: such a text is cut before the copy. And a hole of whole lines gets whole
lines: blanks at the end of its text would indent the next line, and without a newline the next line would be joined to it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...common.line_ends import line_start
from .onward import behind

_LINES = 2  # nonempty, written again; fewer if the file has no more
_LEAST = 8  # letters, digits and underscores in them together
_REACH = 2000  # characters of the right context to search for them
_INDENTED = re.compile(r"(?:\t| {2})[ \t]*\S")
_JUMPS = frozenset(("return", "raise", "throw", "break", "continue"))
_COMMENTS = ("#", "//")
_GOES_ON = re.compile(
    r"(?!(?:else|elif|except|catch|finally|case|default)\b)[^\W\d]", re.ASCII
)  # a line other than a clause of the line above it
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_INDENTATIONS = 6  # different ones, of the nearest lines


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The lines around a hole: the text before it on its first line, and the next whole lines behind it."""

    begun: str = ""
    lines: tuple[str, ...] = ()  # nonempty, without trailing white space
    on_its_line: bool = False  # whether the right context continues on the line where the text ends
    newline: str = ""  # the line end of a hole of whole lines; "" for any other
    behind: str = ""  # the right context up to the end of the first line that says something
    ends_line: bool = False  # whether the hole's last line ends with it
    is_blank: bool = False  # whether the hole's line is empty otherwise
    block: str | None = None  # the blanks before that line, if it continues a block
    breaks: tuple[str, ...] = ()  # newlines with blanks, with the right context possibly the rest of a line behind
    is_cut_indentation: bool = False  # whether that is as likely as not: with one blank it hardly ever is

    def is_at_line_start(self, text: str) -> bool:
        """Whether a text's last line has only blanks."""
        end = line_start(text)
        return not (text[end:] if end else self.begun + text).strip()

    def jumps_before_more(self, text: str) -> bool:
        """Whether a text ends with a word that leaves the block, with unreachable code of the same block behind it."""
        end = line_start(text)
        line = text[end:] if end else self.begun + text
        word = line.lstrip(" \t")
        return word in _JUMPS and line.removesuffix(word) == self.block

    def says_nothing(self, text: str, piece: str) -> bool:
        """Whether a piece after a text ends a blank line, or begins a comment on one."""
        said = piece.lstrip(" \t")
        return self.is_at_line_start(text) and said.startswith(("\n", "\r", *_COMMENTS))

    def copied_from(self, text: str, *, final: bool = False) -> int | None:
        """The length of a text before its final copy of the lines behind it; None if there is no copy.

        The copy ends with its last line; `final`: or with the text. Something other than a copy precedes it.
        """
        if not self.lines or (not final and not text.rstrip(" \t").endswith(("\n", "\r"))):
            return None
        starts = [(match.start(), match[0].rstrip()) for match in _LINE.finditer(self.begun + text) if match[0].strip()]
        count = len(self.lines)
        if len(starts) <= count or tuple(line for _, line in starts[-count:]) != self.lines:
            return None
        length = starts[-count][0] - len(self.begun)
        kept = text[: max(0, length)]
        return len(kept.rstrip("\r\n") if self.on_its_line else kept) if kept.strip() else None

    def line_ends(self, text: str) -> tuple[str, ...]:
        """Texts to write behind one to end its last line and begin one with the right context; () for none."""
        if self.newline:
            whole = self.as_whole_lines(text)
            return (whole[len(text) :],) if whole != text and whole.startswith(text) else ()
        if text.endswith(("\n", "\r")):
            return tuple(dict.fromkeys(line_end.lstrip("\r\n") for line_end in self.breaks))
        return () if self.is_at_line_start(text) else self.breaks

    def as_whole_lines(self, text: str) -> str:
        """A text with its last line ended, and without the start of another, if the hole has whole lines."""
        if not self.newline:
            return text
        kept = text.rstrip(" \t")
        return kept + self.newline if kept and not kept.endswith(("\n", "\r")) else kept


def surroundings(left: str, right: str) -> Surroundings:
    """The lines around a hole."""
    begun = left[line_start(left) :]
    first, *others = (match[0] for match in _LINE.finditer(right[:_REACH]))
    on_its_line = begun != "" or not first.strip()
    after = others if on_its_line else [first, *others]
    lines = [line.rstrip() for line in after if line.strip()][:_LINES]
    told = sum(char.isalnum() or char == "_" for line in lines for char in line)
    has_whole_lines = left.endswith(("\n", "\r")) and _INDENTED.match(right) is not None
    newline = left[len(left.rstrip("\r\n")) :] if has_whole_lines else ""
    newline = "\r\n" if newline.endswith("\r\n") else newline[-1:]
    ends_line = not first.strip() or has_whole_lines
    is_blank = not begun.strip() and ends_line
    line = behind(right).rpartition("\n")[2].rpartition("\r")[2] if is_blank else ""
    said = line.lstrip(" \t")
    block = line.removesuffix(said) if _GOES_ON.match(said) else None
    shown = tuple(lines) if told >= _LEAST else ()
    breaks = () if newline else _breaks(left, right)
    cut = breaks != () and (right[0] == "\t" or right[1] in " \t")
    return Surroundings(begun, shown, on_its_line, newline, behind(right), ends_line, is_blank, block, breaks, cut)


def _breaks(left: str, right: str) -> tuple[str, ...]:
    """Line ends with so many blanks that the right context, together with its own, is then indented like a line near the hole."""
    first = right[: len(right) - len(right.lstrip(" \t"))]
    if not first or right[len(first) :][:1] in ("", "\r", "\n"):
        return ()
    near = [match[0] for match in _LINE.finditer(left[-_REACH:])][::-1] + [
        match[0] for match in _LINE.finditer(right[:_REACH])
    ][1:]
    indentations = dict.fromkeys(line[: len(line) - len(line.lstrip(" \t"))] for line in near if line.strip())
    newline = "\r\n" if "\r\n" in left[-_REACH:] else "\n"
    return tuple(
        newline + indentation[: len(indentation) - len(first)]
        for indentation in list(indentations)[:_INDENTATIONS]
        if indentation.endswith(first)
    )
