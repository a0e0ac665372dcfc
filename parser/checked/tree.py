"""Trees of tree-sitter, edited instead of parsed anew, within a time limit; and the errors in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import thread_time
from typing import TYPE_CHECKING, Any, NamedTuple

from ..glr.text_diff import common_prefix, common_suffix, longest
from .newer import AS_IS, Newer

if TYPE_CHECKING:
    import re

    from tree_sitter import Language, Node, Point, Tree

_PIECE = 1 << 12
"""Bytes handed over at once: most edits need fewer."""
MOST_NODES = 20_000
"""The most nodes searched for errors."""
_FEW = 2_000
"""Bytes read at once. Of a longer text a beginning is read first, then one twice as long, and so on."""
_STEP_S = 0.1
"""Seconds before a step counts as too long: tree-sitter cannot be stopped within one, and the last one of 80 kB of `(;` takes a minute."""


class _Texts(NamedTuple):
    """A text, and its spellings for the grammar; all are of the same length."""

    raw: bytes
    lines: bytes
    """with the newer forms of single lines as older ones"""
    given: bytes
    """with those of several lines, too; the same object where there are none"""


class Document:
    """One text and its tree, which follow edits. One thread at a time."""

    def __init__(self, grammar: Language, unsafe: re.Pattern[bytes], newer: Newer = AS_IS) -> None:
        """unsafe, newer: see Checked."""
        from tree_sitter import Parser

        self._parser = Parser(grammar)
        self._unsafe = unsafe
        self._newer = newer
        self._text: str | None = None
        self._texts = _Texts(b"", b"", b"")
        self.tree: Tree | None = None
        self.parsed = 0
        """bytes read so far, of all texts"""

    @property
    def source(self) -> bytes:
        """The text as given to the grammar, of the same length."""
        return self._texts.given

    def read(self, text: str, seconds: float) -> Tree | None:
        """Move the document to a text; return its tree, None where that would take too long."""
        if text != self._text:
            if self.tree is None or self._text is None:
                texts = self._older(text.encode("utf-8", "surrogatepass"))
                self.tree = None if self._unsafe.search(texts.raw) else self._anew(texts.given, seconds)
            else:
                raw, old = text.encode("utf-8", "surrogatepass"), self._texts.raw
                start = len(text[: common_prefix(self._text, text)].encode("utf-8", "surrogatepass"))
                behind = common_suffix(self._text, text)
                same = len(text[len(text) - behind :].encode("utf-8", "surrogatepass"))
                same = min(same, len(raw) - start, len(old) - start)
                old_end, new = len(old) - same, raw[start : len(raw) - same]
                if len(new) > _FEW:
                    self.tree = None
                    return self.read(text, seconds)
                texts, tree = self._edited(start, old_end, new, seconds, raw)
                self.tree = tree
            self._text, self._texts = text, texts
        return self.tree

    def edited(self, start: int, end: int, new: bytes, seconds: float) -> Tree | None:
        """The tree with other bytes between two places; the document itself stays as it is. None where that takes too long."""
        raw = self._texts.raw
        return self._edited(start, end, new, seconds, b"".join((raw[:start], new, raw[end:])))[1]

    def _edited(self, start: int, end: int, new: bytes, seconds: float, raw: bytes) -> tuple[_Texts, Tree | None]:
        assert self.tree is not None
        texts, (start, end, new_end) = self._with(start, end, new, raw)
        begin, behind = raw.rfind(b"\n", 0, start) + 1, raw.find(b"\n", new_end)
        if self._unsafe.search(raw, begin, len(raw) if behind < 0 else behind):
            return texts, None
        old, was, now = self.tree.copy(), self.source, texts.given
        old.edit(start, end, new_end, _point(was, start), _point(was, end), _point(now, new_end))
        return texts, self._parse(now, old, thread_time() + seconds)

    def _with(self, start: int, end: int, new: bytes, raw: bytes) -> tuple[_Texts, tuple[int, int, int]]:
        """The texts with other bytes between two places, and the changed span of the grammar's bytes: begin, old end, new end."""
        as_said = start, end, start + len(new)
        if self._newer is AS_IS:
            return _Texts(raw, raw, raw), as_said
        was, grown = self._texts, len(raw) - len(self._texts.raw)
        begin, behind = raw.rfind(b"\n", 0, start) + 1, raw.find(b"\n", start + len(new))
        behind = len(raw) if behind < 0 else raw.find(b"\n", behind + 1)
        behind = len(raw) if behind < 0 else behind
        lines = self._newer.lines(raw, begin, behind)
        written = b"".join((was.lines[:begin], lines, was.lines[behind - grown :]))
        texts = _Texts(raw, written, self._newer.all(written))
        if texts.given is written and was.given is was.lines and lines == raw[begin:behind]:
            if was.lines[begin : behind - grown] == was.raw[begin : behind - grown]:
                return texts, as_said
        old, now, m, n = was.given, texts.given, len(raw) - grown, len(raw)
        first = longest(min(m, n), lambda low, high: old.startswith(now[low:high], low))
        same = longest(min(m, n) - first, lambda low, high: old.endswith(now[n - high : n - low], m - high, m - low))
        return texts, (first, m - same, n - same)

    def _older(self, raw: bytes) -> _Texts:
        lines = raw if self._newer is AS_IS else self._newer.lines(raw, 0, len(raw))
        return _Texts(raw, lines, self._newer.all(lines))

    def _anew(self, source: bytes, seconds: float) -> Tree | None:
        """The tree of a text; None also where its beginnings show that a step would take too long."""
        deadline, size = thread_time() + seconds, _FEW
        while size < len(source):
            if self._parse(source[:size], None, deadline) is None:
                return None
            size *= 2
        return self._parse(source, None, deadline)

    def _parse(self, source: bytes, old: Tree | None, deadline: float) -> Tree | None:
        """The tree of a text; None where it comes too late, or after a long step: with more text it might not end."""
        last, longest = thread_time(), 0.0

        def read(offset: int, point: Point) -> bytes:
            piece = source[offset : offset + _PIECE]
            self.parsed += len(piece)
            return piece

        def step(offset: int, has_error: bool) -> bool:
            nonlocal last, longest
            now = thread_time()
            last, longest = now, max(longest, now - last)
            return now > deadline

        try:
            # An old tree that is None is refused.
            options: dict[str, Any] = {} if old is None else {"old_tree": old}
            tree = self._parser.parse(read, **options, progress_callback=step)
        except ValueError:  # it was stopped
            self._parser.reset()
            return None
        return None if max(longest, thread_time() - last) > _STEP_S else tree


def _point(source: bytes, offset: int) -> tuple[int, int]:
    return source.count(b"\n", 0, offset), offset - source.rfind(b"\n", 0, offset) - 1


@dataclass(frozen=True, slots=True)
class Errors:
    """The errors in a tree."""

    near: bool
    """whether there is one in the piece checked closely"""
    far: frozenset[tuple[int, str]]
    """The rest: the beginning, in bytes from the end for an error behind the piece, and the kind"""
    missing: tuple[tuple[int, str], ...]
    """(byte, sign) that would mend it, where tree-sitter names one"""


def errors(tree: Tree, near: tuple[int, int], size: int) -> Errors | None:
    """The errors in a tree of so many bytes; near: the piece to check closely. None where there are too many."""
    close, count = False, 0
    far: set[tuple[int, str]] = set()
    missing: list[tuple[int, str]] = []
    counts: list[int] = []  # of errors, before each of the nodes around
    cursor = tree.walk()

    def note(node: Node) -> None:
        nonlocal close, count
        count += 1
        if node.start_byte <= near[1] and near[0] <= node.end_byte:
            close = True
        else:
            far.add((node.start_byte - (size if node.start_byte > near[1] else 0), node.type))
        if node.is_missing and not node.is_named and not node.type[0].isalnum():
            missing.append((node.start_byte, node.type))

    for _ in range(MOST_NODES):
        node = cursor.node
        assert node is not None
        if node.is_error or node.is_missing:
            note(node)
        if node.has_error and cursor.goto_first_child():
            counts.append(count - (node.is_error or node.is_missing))
            continue
        if node.has_error and not (node.is_error or node.is_missing):
            note(node)
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return Errors(close, frozenset(far), tuple(missing))
            outer = cursor.node
            if counts.pop() == count and outer is not None:  # its error cannot be seen
                note(outer)
    return None


def touching(tree: Tree, start: int, end: int) -> Iterator[tuple[Node, str]]:
    """The nodes touching some bytes, parents first, each with the kind of its parent."""
    cursor = tree.walk()
    kinds = [""]
    while True:
        node = cursor.node
        assert node is not None
        if node.start_byte > end:
            return
        if node.end_byte >= start:
            yield node, kinds[-1]
            if cursor.goto_first_child_for_byte(max(0, start - 1)) is not None:
                kinds.append(node.type)
                continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
            kinds.pop()


def around(tree: Tree, start: int, end: int) -> list[Node]:
    """The nodes around some bytes, the innermost first."""
    nodes: list[Node] = []
    cursor = tree.walk()
    while True:
        node = cursor.node
        assert node is not None
        if not node.start_byte <= start <= end <= node.end_byte and nodes:
            break
        nodes.append(node)
        if cursor.goto_first_child_for_byte(start) is None:
            break
    nodes.reverse()
    return nodes
