"""Suggestions the user typed over: a sign that the next guess in the same line is wrong, too.

After a wrong suggestion, far fewer of the next ones in its line are right than their probability says: a model that guessed wrong once will
probably guess wrong after the next key. So each time the user types something else than a suggestion, the next one has to be more certain.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....common.bounded import BoundedDict
from ....common.line_ends import line_start

_MAX_DOCUMENTS = 64


@dataclass(frozen=True, slots=True)
class Shown:
    """The suggestion shown for an automatic request, and the number of refused ones in its line before it."""

    text: str  # of the document
    offset: int
    suggestion: str  # "" if nothing was shown
    refused: int


def refused_since(last: Shown, text: str, offset: int) -> int:
    """The number of suggestions refused in the line of an offset; `last` was the one shown before.

    Typing along a suggestion refuses nothing, and accepting one makes up for earlier refusals.
    """
    if line_start(text, offset) != line_start(last.text, last.offset) or offset < last.offset:
        return 0
    written = text[last.offset : offset]
    if last.suggestion and written.startswith(last.suggestion):
        return 0
    along = last.suggestion == "" or last.suggestion.startswith(written)
    return last.refused if along else last.refused + 1


class Refusals:
    """The suggestion last shown in each document."""

    def __init__(self) -> None:
        self._last: BoundedDict[str, Shown] = BoundedDict(_MAX_DOCUMENTS)

    def count(self, document: str, text: str, offset: int) -> int:
        """The number of suggestions refused in the line of an offset."""
        last = self._last.get(document)
        return 0 if last is None else refused_since(last, text, offset)

    def note(self, document: str, shown: Shown) -> None:
        """Remember the suggestion shown now."""
        self._last.pop(document, None)
        self._last[document] = shown

    def forget(self, document: str) -> None:
        """Forget a document."""
        self._last.pop(document, None)
