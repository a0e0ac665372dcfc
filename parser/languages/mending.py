"""Edits shared by the menders of several languages (`Mender` in parser/view.py), and the words they need."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from ...common.words import is_part
from ..view import Broken, Edit

MOST_BEGINNINGS = 30
"""Places in the cursor's line tried as its beginning."""
_BEGUN = 4.0
"""The cost of hiding the beginning of the cursor's line."""


def without_beginning(broken: Broken, beginning: re.Pattern[str]) -> Iterator[Edit]:
    """The cursor's line without its beginning, at last without everything before the cursor. beginning: matches a word or bracket that may
    begin it."""
    text, (start, _) = broken.text, broken.held
    line = text[start : broken.offset]
    begin = start + len(line) - len(line.lstrip(" \t"))
    words = (word.start() for word in islice(beginning.finditer(text, begin + 1, broken.offset), MOST_BEGINNINGS))
    for number, end in enumerate(dict.fromkeys((*words, max(begin, broken.offset)))):
        yield Edit(begin, end, "", _BEGUN + 0.01 * number)


def stands_elsewhere(text: str, word: str, start: int, stop: int) -> bool:
    """Whether a text has a word outside of a piece."""
    for begin, end in (0, start), (stop, len(text)):
        place = text.find(word, begin, end)
        while place >= 0:
            after = place + len(word)
            if not (place and is_part(text[place - 1])) and not (after < len(text) and is_part(text[after])):
                return True
            place = text.find(word, after, end)
    return False
