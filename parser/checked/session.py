"""Holes in a file judged by tree-sitter: any text may be begun, and it is complete where it leaves the file without an error.

In a file broken elsewhere, too, a text must leave no error near itself, and no error that the file lacks with the best of a few simple texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import product
from os import PathLike
from time import thread_time
from typing import TYPE_CHECKING, NamedTuple

from ...common.constraint import Stop, never
from ...common.line_ends import LINE_END
from ..enclosing import enclosing_columns
from ..errors import UnknownLanguage
from ..glr.effort import Cancelled, spend
from ..hole import Closer, Hole, HoleState, Level
from ..language_runtime import Renew, Session
from ..pending import mended
from ..pending_hole import PendingState, fewer
from .brackets import PAIRS, deepest, first_closed, opened
from .grammars import Checked, CheckedRuntime
from .repairs import is_repaired
from .tree import Document, Errors, around, errors

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Tree

    from ..explain import Explainer
    from ..lexing.base import Region

MOST_CHARS = 1_000_000
"""The size of a file; a longer one gets no suggestions."""
READ_S, CHECK_S = 1.0, 0.02
"""Seconds of processor time before the first reading of a file, or a check, is given up."""
_GUESS_S = 0.05
"""Seconds for finding out whether a file is broken elsewhere."""
_AROUND = 20_000
"""Characters on each side searched for the brackets around a cursor."""
_NEAR = 1_000
"""Bytes beside a text, past which an error does not count as its own."""
_NOTHING = Errors(False, frozenset(), ())
_MOST_BLOCKS = 12
_MOST_LINES = 2_000
_GAP = 1_000
"""Bytes of blanks beside a text, past which it has no neighbours."""
_SAID, _ENDS = ("", "x", "x()"), ("", ";", ": x", ": x;", " {", " = x", ",")
_TEXT = re.compile(r"string|char_lit|character_lit|quote_scalar|quoted|heredoc_body|block_scalar")
_CODE = re.compile(r"interpolation|substitution|expansion")


class CheckedSession(Session):
    """One document judged by tree-sitter."""

    def __init__(
        self,
        current: Callable[[], CheckedRuntime],
        path: str | PathLike[str] | None = None,
        workspace: str | None = None,
    ) -> None:
        """See NewSession. The document's path does not matter."""
        self._current = current
        self._documents: list[Document] = []
        self._asked: _Place | None = None

    def hole(
        self, text: str, offset: int, stop: Stop | None = None, *, level: Level | None = None, exact: bool = False
    ) -> Hole:
        """See Session. There are no levels: tree-sitter knows syntax alone."""
        place = self._place(text, max(0, min(offset, len(text))), stop or never)
        if place is None or place.is_opaque:
            return Hole(None, "dead")
        return Hole(CheckedState(place), "both" if place.elsewhere else "none")

    def mended(
        self,
        hole: Hole,
        text: str,
        offset: int,
        stop: Stop | None = None,
        *,
        level: Level | None = None,
        exact: bool = False,
    ) -> Hole:
        closers = self.pending(text, offset, stop)
        places: list[tuple[HoleState, tuple[Closer, ...]]] = []
        for number, some in enumerate((closers, *fewer(closers)) if closers else (), start=1):
            place = self._asked
            if some:
                whole = text[:offset] + mended(text[offset:], some)
                place = _Place.of(self._current(), self._document(number), self._document(1), whole, offset, True)
            if place is not None:
                places.append((CheckedState(place), some))
        return Hole(PendingState(*places[0], places[1:]), "none", closers) if places else hole

    def pending(self, text: str, offset: int, stop: Stop | None = None) -> tuple[Closer, ...]:
        place = self._place(text, offset, stop or never)
        return () if place is None or place.is_sound else place.pending

    def _document(self, number: int) -> Document:
        """The document: as it is for 0, with all pending closers for 1, and with fewer of them for more."""
        runtime = self._current()
        while len(self._documents) <= number:
            self._documents.append(Document(runtime.grammar, runtime.rules.unsafe, runtime.rules.newer))
        return self._documents[number]

    def _place(self, text: str, offset: int, stop: Stop) -> _Place | None:
        """The facts of a place; None where the file cannot be read. Raises Cancelled."""
        if stop():
            raise Cancelled
        spend()
        runtime, last = self._current(), self._asked
        if last is not None and (last.text, last.offset) == (text, offset):
            return last
        self._asked = _Place.of(runtime, self._document(0), self._document(1), text, offset)
        return self._asked

    def foresee(self, text: str, stop: Stop | None = None) -> None:
        """See Session: only the tree is prepared."""
        self._place(text, 0, stop or never)

    def explainer(self) -> Explainer:
        """Raises UnknownLanguage: tree-sitter reports errors in a file, not the possible texts."""
        raise UnknownLanguage(f"{self._current().name} is checked by tree-sitter, which cannot explain")

    def forget(self) -> None:
        self._documents, self._asked = [], None


class _Guess(NamedTuple):
    """The file with another text at the cursor."""

    tree: Tree
    start: int
    """of the text, in bytes"""
    end: int
    size: int
    """of the file"""


@dataclass(eq=False)
class _Place:
    """A cursor in a document as it is, and the verdicts on texts there."""

    runtime: CheckedRuntime
    document: Document
    scratch: Document
    """for the document with its missing closers"""
    source: bytes
    tree: Tree
    text: str
    offset: int
    is_strict: bool = False
    """whether no error may remain anywhere, since the file has its missing closers"""
    _known: dict[str, bool] = field(default_factory=dict[str, bool])

    @classmethod
    def of(
        cls,
        runtime: CheckedRuntime,
        document: Document,
        scratch: Document,
        text: str,
        offset: int,
        is_strict: bool = False,
    ) -> _Place | None:
        """A place of a document, which is led to its text; None where that takes too long."""
        tree = document.read(text, READ_S) if len(text) <= MOST_CHARS else None
        return None if tree is None else cls(runtime, document, scratch, document.source, tree, text, offset, is_strict)

    @cached_property
    def cursor(self) -> int:
        """The cursor, in bytes."""
        return len(self.text[: self.offset].encode("utf-8", "surrogatepass"))

    # -- texts

    def accepts(self, text: str) -> bool:
        """Whether the file with a text is right, as far as can be seen."""
        accepted = self._known.get(text)
        if accepted is None:
            spend()
            accepted = self._known[text] = self._judged(text)
        return accepted

    def _judged(self, text: str) -> bool:
        tree = self.with_text(text)
        if tree is None:
            return False
        start, end = self.cursor, self.cursor + _size(text)
        if tree.root_node.has_error:
            size = len(self.source) + end - start
            seen = errors(tree, _close_to(tree, self.source, start, end, size), size) if self.elsewhere else None
            if seen is None or seen.near or not seen.far <= self.elsewhere:
                return False
        gaps = len(self.source[:start][-_GAP:]), len(self.source[start : start + _GAP])
        before = gaps[0] - len(self.source[:start][-_GAP:].rstrip())
        behind = gaps[1] - len(self.source[start : start + _GAP].lstrip())
        return not is_repaired(tree, self.runtime.rules, (start, end), (start - before, end + behind))

    def with_text(self, text: str) -> Tree | None:
        """The tree of left + text + right; None where that takes too long."""
        if not text:
            return self.tree
        tree = self.document.read(self.text, READ_S)  # another text may have been asked about since
        if tree is None:
            return None
        self.tree = tree
        return self.document.edited(self.cursor, self.cursor, text.encode("utf-8", "surrogatepass"), CHECK_S)

    def closers(self, text: str) -> Iterator[str]:
        """Texts that might complete the given one: the closers of its brackets, and the tokens reported missing by tree-sitter."""
        own = "".join(PAIRS[bracket] for bracket in reversed(opened(self.runtime.name, text)))
        tried = {""}
        for begun in dict.fromkeys(("", own)):
            added = begun
            for _ in range(3):
                tree = self.with_text(text + added)
                seen = None if tree is None else errors(tree, (0, 0), 0)
                here = self.cursor + _size(text + added)
                named = () if seen is None else (token for place, token in seen.missing if self.cursor <= place <= here)
                following = added + next(iter(named), "")
                if added not in tried:
                    tried.add(added)
                    yield added
                if following == added:
                    break
                added = following
            if added not in tried:
                tried.add(added)
                yield added

    # -- the file

    @cached_property
    def is_sound(self) -> bool:
        """Whether some simple text leaves the file without errors."""
        return any(not guess.tree.root_node.has_error for guess in self._guesses)

    @cached_property
    def elsewhere(self) -> frozenset[tuple[int, str]]:
        """The errors of the file away from the cursor, with the best of a few simple texts."""
        if self.is_strict or self.is_sound or self.pending:
            return frozenset()
        lines = (_lines(self.source, *guess[1:]) for guess in self._guesses)
        errors_of_guesses = [
            errors(guess.tree, near, guess.size) for guess, near in zip(self._guesses, lines, strict=True)
        ]
        counted = (few for few in errors_of_guesses if few is not None)
        return min(counted, key=lambda few: (few.near, len(few.far)), default=_NOTHING).far

    @cached_property
    def _guesses(self) -> list[_Guess]:
        """The file as it is, without the cursor's line, and with a few simple texts; the first without an error ends the search."""
        guesses, deadline = [_Guess(self.tree, self.cursor, self.cursor, len(self.source))], thread_time() + _GUESS_S
        for make in (self._without_line, *(partial(self._guess, text) for text in self._simple())):
            if not guesses[-1].tree.root_node.has_error or thread_time() > deadline:
                break
            guess = make()
            if guess is not None:
                guesses.append(guess)
        return guesses

    def _guess(self, text: str) -> _Guess | None:
        tree, size = self.with_text(text), _size(text)
        return None if tree is None else _Guess(tree, self.cursor, self.cursor + size, len(self.source) + size)

    def _without_line(self) -> _Guess | None:
        start = self.source.rfind(b"\n", 0, self.cursor) + 1
        end = self.source.find(b"\n", self.cursor)
        end = len(self.source) if end < 0 else end
        tree = self.document.edited(start, end, b"", CHECK_S)
        return None if tree is None else _Guess(tree, start, start, len(self.source) - (end - start))

    def _simple(self) -> Iterator[str]:
        """A few texts that often fit."""
        yield from self.runtime.rules.begun
        line = LINE_END.split(self.text[: self.offset][-_AROUND:])[-1]
        own = "".join(PAIRS[bracket] for bracket in reversed(opened(self.runtime.name, line)))
        for said, closers, end in product(_SAID, dict.fromkeys((own, "")), _ENDS):
            if said + closers + end:
                yield said + closers + end

    @cached_property
    def pending(self) -> tuple[Closer, ...]:
        """The closers of unclosed blocks around the cursor; () where the file is broken besides, or none is missing."""
        if self.is_sound:
            return ()
        closers = tuple(self._unclosed())
        if not closers:
            return ()
        text = self.text[: self.offset] + mended(self.text[self.offset :], closers)
        place = _Place.of(self.runtime, self.scratch, self.scratch, text, self.offset)
        return closers if place is not None and place.is_sound else ()

    def _unclosed(self) -> Iterator[Closer]:
        """The closers of blocks begun in a line above without an end at its column, each placed behind the deeper lines."""
        left, right = self.text[: self.offset], self.text[self.offset :]
        lines = LINE_END.split(left[-_AROUND:])
        newline = "\r\n" if "\r\n" in self.text else "\n"
        columns = enclosing_columns(left[-_AROUND:])[1:] if lines[-1].strip() else enclosing_columns(left[-_AROUND:])
        blocks: list[tuple[int, str, str]] = []
        for line in reversed(lines[:-1]):
            bare = line.lstrip(" \t")
            width = len(line[: len(line) - len(bare)].expandtabs())
            if not bare or not columns or width > columns[0]:
                continue
            while columns and columns[0] > width:
                columns = columns[1:]
            if columns and columns[0] == width:
                columns = columns[1:]
                closer = next((end for begin, end in self.runtime.rules.blocks if begin.search(bare)), "")
                if closer:
                    blocks.append((width, line[: len(line) - len(bare)], closer))
            if len(blocks) == _MOST_BLOCKS:
                break
        for width, indent, closer in blocks:
            place = _block_end(right, width, closer)
            if place is not None:
                yield Closer(place, f"{newline}{indent}{closer}")

    # -- the cursor

    @cached_property
    def is_opaque(self) -> bool:
        """Whether tree-sitter sees only text at the cursor, though it is code of another language."""
        kinds = self.runtime.rules.opaque
        tree = self.with_text("x") if kinds else None
        return tree is not None and any(node.type in kinds for node in around(tree, self.cursor, self.cursor + 1))

    @cached_property
    def closable(self) -> int:
        """The number of brackets around the cursor that a text may close, since nothing closes them on the right."""
        left = self.text[max(0, self.offset - _AROUND) : self.offset]
        closed = first_closed(self.runtime.name, self.text[self.offset : self.offset + _AROUND])
        inner = list(reversed(opened(self.runtime.name, left)))
        return inner.index(closed) if closed in inner else len(self.text)

    def region(self, text: str) -> Region:
        """The kind of text that follows a text."""
        tree = self.with_text(text)
        end = self.cursor + _size(text)
        return "code" if tree is None else _region(around(tree, max(0, end - 1), end), end)


@dataclass(frozen=True, slots=True)
class CheckedState(HoleState):
    """The hole after some text; see HoleState."""

    place: _Place
    text: str = ""

    def advance(self, text: str) -> CheckedState:
        """Take more text: tree-sitter cannot tell whether a beginning can still become right."""
        return CheckedState(self.place, self.text + text)

    def admits(self, partial: bytes) -> bool:
        return True

    @property
    def complete(self) -> bool:
        """Whether left + text so far + right is a file without an error, as far as tree-sitter tells. See `session.py`."""
        return self.place.accepts(self.text)

    @property
    def stays_in_hole(self) -> bool:
        """See Constraint: by brackets alone."""
        return deepest(self.place.runtime.name, self.text) <= self.place.closable

    @property
    def missing(self) -> float:
        """See Constraint: not known."""
        return 0.0

    @property
    def region(self) -> Region:
        return self.place.region(self.text)

    def bridges(self, stop: Stop = never) -> Sequence[str]:
        """See Constraint: closers of this text that make the file right."""
        for closers in self.place.closers(self.text):
            if stop():
                break
            if self.place.accepts(self.text + closers):
                return (closers,)
        return ()


def is_error_free(grammar: Language, rules: Checked, text: str) -> bool:
    """Whether a whole file has no error; False also where it cannot be read in time."""
    document = Document(grammar, rules.unsafe, rules.newer)
    tree = document.read(text, READ_S) if len(text) <= MOST_CHARS else None
    return tree is not None and not tree.root_node.has_error


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _close_to(tree: Tree, source: bytes, start: int, end: int, size: int) -> tuple[int, int]:
    """The bytes of a text's lines and, as far as it is near, of the smallest named node around it."""
    first, last = _lines(source, start, end, size)
    node = next((node for node in around(tree, start, end)[:-1] if node.is_named), None)
    if node is None:
        return first, last
    return min(first, max(node.start_byte, start - _NEAR)), max(last, min(node.end_byte, end + _NEAR))


def _lines(source: bytes, start: int, end: int, size: int) -> tuple[int, int]:
    """The beginning and end of a text's lines, in bytes; source: the file as it is, size: of the file with the text."""
    grown = size - len(source)
    behind = source.find(b"\n", end - grown)
    return source.rfind(b"\n", 0, start) + 1, size if behind < 0 else behind + grown


def _region(nodes: Sequence[Node], end: int) -> Region:
    for node in nodes:
        if _CODE.search(node.type):
            return "code"
        inside = node.start_byte < end < node.end_byte
        text = node.text if "comment" in node.type and end == node.end_byte else None
        if "comment" in node.type and (inside or (text is not None and not text.endswith((b"*/", b"-->")))):
            return "comment"
        if _TEXT.search(node.type) and inside:
            return "string"
    return "code"


def _block_end(right: str, width: int, closer: str) -> int | None:
    """The end of a block begun at a column: behind the last deeper line. None where its closer stands there."""
    first = LINE_END.search(right)
    if first is None:
        return len(right.rstrip())
    last = len(right[: first.start()])
    lines = re.finditer(r"([ \t]*)([^\r\n]*)(?:\r\n|\n|\r|\Z)", right[first.end() : first.end() + _MOST_LINES * 100])
    for match in lines:
        if not match[2]:
            continue
        if len(match[1].expandtabs()) <= width:
            return None if match[2].startswith(closer) and len(match[1].expandtabs()) == width else last
        last = first.end() + match.end(2)
    return last


def new_session(
    current: Callable[[], CheckedRuntime], path: str | PathLike[str] | None, workspace: str | None, _: Renew
) -> CheckedSession:
    return CheckedSession(current, path, workspace)
