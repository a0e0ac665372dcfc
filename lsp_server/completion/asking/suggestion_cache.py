"""The cache of suggestions: typing along a suggestion needs no model.

A suggestion is kept with the text it was made for. It fits again wherever some text leads to the same file: the user has typed its beginning,
has deleted and retyped, or the editor has closed a bracket that the suggestion closes itself. The file is the same, so the engine's verdict
still holds and is not asked for again. If the editor has closed a bracket that the suggestion closes earlier, the file is another one:
`realignments` returns texts for the engine to judge.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

MAX_PER_DOCUMENT = 8
MAX_CHARS = 8_000_000
"""The most characters of texts cached in all documents together: some 32 MB, except for one suggestion of one document."""
_MAX_CLOSED = 3  # characters an editor adds to the right of typed text: a bracket, or three quotes
_NEAR = 200  # characters on both sides that identify a file; comparing whole large files would cost milliseconds
_CLOSERS = frozenset(")]}>\"'`")

Value = TypeVar("Value")


@dataclass(frozen=True)
class CachedSuggestion(Generic[Value]):
    """A suggestion for an offset of a text; an empty one means nothing to suggest."""

    text: str
    offset: int
    suggestion: str
    value: Value  # the caller's value, returned with it


def remainder(remembered: CachedSuggestion[Value], text: str, offset: int) -> str | None:
    """Return the text at an offset leading to the suggestion's file; None if there is none.

    "" only for the very text an empty suggestion was made for.
    """
    before, typed = remembered.offset, offset - remembered.offset
    suggestion = remembered.suggestion
    if not suggestion:
        return "" if offset == before and text == remembered.text else None
    missing = len(remembered.text) + len(suggestion) - len(text)
    end = typed + missing  # of the answer, in the suggestion; the text already has the rest
    if typed < 0 or missing <= 0 or end > len(suggestion):
        return None
    there = len(suggestion) - end
    same = (
        text[before:offset] == suggestion[:typed]
        and text[offset : offset + there] == suggestion[end:]
        and text[:before] == remembered.text[:before]
        and text[offset + there :] == remembered.text[before:]
    )
    return suggestion[typed:end] if same else None


def realignments(remembered: CachedSuggestion[Value], text: str, offset: int) -> Iterator[str]:
    """Return beginnings of a suggestion's rest, longest first, that end where the editor's brackets follow.

    They may not fit: the engine has to judge them.
    """
    typed = offset - remembered.offset
    closed = len(text) - len(remembered.text) - typed
    if typed <= 0 or not 0 < closed <= _MAX_CLOSED:
        return
    right = text[offset : offset + closed]
    if (
        not _CLOSERS.issuperset(right)
        or text[remembered.offset : offset] != remembered.suggestion[:typed]
        or text[: remembered.offset] != remembered.text[: remembered.offset]
        or text[offset + closed :] != remembered.text[remembered.offset :]
    ):
        return
    rest = remembered.suggestion[typed:]
    end = rest.rfind(right)
    while end > 0:
        yield rest[:end]
        end = rest.rfind(right, 0, end)


def behind_rest(remembered: CachedSuggestion[Value], offset: int, rest: str, behind: int) -> int:
    """The length of the rest's suffix that closes the suggestion's brackets, given that the suggestion's last `behind` characters do."""
    end = offset - remembered.offset + len(rest)
    return min(len(rest), max(0, end - (len(remembered.suggestion) - behind)))


def file_after(text: str, offset: int, suggestion: str) -> Hashable:
    """Return a key of the file a suggestion leads to; the same for each part still to be typed."""
    end = offset + len(suggestion)
    before = (text[max(0, offset - _NEAR) : offset] + suggestion)[-_NEAR:]
    return end, before, text[offset : offset + _NEAR], len(text) + len(suggestion)


class SuggestionCache(Generic[Value]):
    """The last suggestions of each document."""

    def __init__(self) -> None:
        self._documents: OrderedDict[str, tuple[CachedSuggestion[Value], ...]] = OrderedDict()

    def remember(self, document: str, remembered: CachedSuggestion[Value]) -> None:
        """Keep a suggestion; evict old ones beyond the limits."""
        kept = [other for other in self._documents.pop(document, ()) if not _same(other, remembered)]
        self._documents[document] = (remembered, *kept[: MAX_PER_DOCUMENT - 1])
        self._shrink()

    def of(self, document: str) -> tuple[CachedSuggestion[Value], ...]:
        """Return a document's cached suggestions, newest first."""
        return self._documents.get(document, ())

    def find(self, document: str, text: str, offset: int) -> tuple[str, CachedSuggestion[Value]] | None:
        """Return the newest cached suggestion that fits, and its rest."""
        for remembered in self.of(document):
            rest = remainder(remembered, text, offset)
            if rest is not None:
                return rest, remembered
        return None

    def forget(self, document: str | None = None) -> None:
        """Forget a document, or all."""
        if document is None:
            self._documents.clear()
        else:
            self._documents.pop(document, None)

    @property
    def chars(self) -> int:
        """Characters of the cached texts."""
        return sum(len(entry.text) for entries in self._documents.values() for entry in entries)

    def _shrink(self) -> None:
        surplus = self.chars - MAX_CHARS
        while surplus > 0:
            name, entries = next(iter(self._documents.items()))  # the least recently used document
            if len(self._documents) == 1 and len(entries) == 1:
                return
            surplus -= len(entries[-1].text)
            if len(entries) == 1:
                del self._documents[name]
            else:
                self._documents[name] = entries[:-1]


def _same(entry: CachedSuggestion[Value], other: CachedSuggestion[Value]) -> bool:
    return (entry.offset, entry.suggestion, entry.text) == (other.offset, other.suggestion, other.text)
