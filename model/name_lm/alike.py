"""What stands at a place of the cursor's line in the lines above that are alike, and what follows it in a listing.

`end=datetime.fromisoformat(data["` below `start=datetime.fromisoformat(data["start"]),` goes on with `end`: the line above says `start`
there, and this line has `end` wherever that one has `start`. And what is listed in one order (parameters, fields, keys) is mostly
listed in the same order elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from ...common.alike import is_name, listings, tokens_of

OF_ALIKE = 11
"""Features of a vote that lines and listings give."""
_MOST_ABOVE = 4
"""Lines of the same indentation that are compared with the cursor's."""
_MOST_NAMES = 3
"""Names in which a line may differ from one that it is like."""


@dataclass(frozen=True, slots=True)
class Aligned:
    """What the nearest line above that is begun as this one is says at a place."""

    word: str  # in that line
    here: str  # the same, with this line's names in the place of that one's
    names: int  # in which the lines differ before the place
    size: int  # words and signs before the place
    upper: str | None  # the word at that place in the line above that one; None: it is not alike


@dataclass(slots=True)
class Order:
    """In which order names are listed."""

    after_two: dict[tuple[str, str], set[str]] = field(default_factory=dict[tuple[str, str], set[str]])
    after_one: dict[str, set[str]] = field(default_factory=dict[str, set[str]])

    def after(self, first: str | None, second: str | None) -> set[str]:
        """What follows two names somewhere."""
        return self.after_two.get((first, second), set()) if first is not None and second is not None else set()


@dataclass(frozen=True, slots=True)
class Alike:
    """What lines that are alike, and listings, say at a place."""

    aligned: Aligned | None
    below: set[str]  # what follows, in a listing, the words of the two lines above at this place
    behind_two: set[str]  # what follows the two items before
    behind_one: set[str]  # what follows the item before

    @property
    def words(self) -> frozenset[str]:
        """All words that they name."""
        said = {self.aligned.here, self.aligned.word} if self.aligned is not None else set[str]()
        return frozenset(said | self.below | self.behind_two | self.behind_one)

    def features(self, texts: Sequence[str]) -> np.ndarray:
        """What they say of some words: (n, OF_ALIKE)."""
        found = np.zeros((len(texts), OF_ALIKE))
        line = self.aligned
        if line is not None:
            here = np.array([text == line.here for text in texts])
            there = np.array([text == line.word for text in texts])
            is_own = line.here != line.word
            found[:, 0] = here & is_own
            found[:, 1] = there & is_own
            found[:, 2] = here & (not is_own) & (line.names > 0)
            found[:, 3] = here & (not is_own) & (line.names == 0)
            found[:, 4] = there & (line.upper == line.word)
            found[:, 5] = 1
            found[:, 6] = line.upper is not None and line.upper != line.word
            found[:, 7] = math.log2(1 + line.size) / 3
        for column, names in ((8, self.below), (9, self.behind_two), (10, self.behind_one)):
            if names:
                found[:, column] = [text in names for text in texts]
        return found


def alike_at(begun: str, above: Sequence[str], order: Order) -> Alike:
    """What lines above and listings say behind the beginning of a line; the nearest line last."""
    aligned = aligned_at(begun, above)
    first, second = names_before(begun)
    return Alike(
        aligned,
        order.after(aligned.upper, aligned.word) if aligned is not None else set(),
        order.after(first, second),
        order.after_one.get(second, set()) if second is not None else set(),
    )


def aligned_at(begun: str, above: Sequence[str]) -> Aligned | None:
    """What lines above say behind the beginning of a line, the nearest last; None where none is alike."""
    written = tokens_of(begun)
    indent = written[0] if written and written[0].isspace() else ""
    near: list[Sequence[str]] = []
    for line in reversed(above):
        if not line.strip():
            continue
        blank = line[: len(line) - len(line.lstrip(" \t"))]
        if len(blank) < len(indent) or len(near) == _MOST_ABOVE:
            break
        if blank == indent:
            near.append(tokens_of(line))
    for at, tokens in enumerate(near):
        names = _names_between(tokens, written)
        if names is None or not _is_word(tokens, len(written)):
            continue
        word = tokens[len(written)]
        upper = None
        if at + 1 < len(near) and _names_between(near[at + 1], tokens[: len(written)]) is not None:
            upper = near[at + 1][len(written)] if _is_word(near[at + 1], len(written)) else None
        size = sum(not token.isspace() for token in written)
        return Aligned(word, names.get(word, word), sum(key != value for key, value in names.items()), size, upper)
    return None


def _names_between(line: Sequence[str], begun: Sequence[str]) -> dict[str, str] | None:
    """The names of a line and those at the same places of another's beginning; None where they differ otherwise."""
    names: dict[str, str] = {}
    if len(line) <= len(begun):
        return None
    for one, other in zip(line, begun, strict=False):
        if one != other and not (is_name(one) and is_name(other)):
            return None
        if is_name(one) and names.setdefault(one, other) != other:
            return None
    return names if sum(key != value for key, value in names.items()) <= _MOST_NAMES else None


def _is_word(tokens: Sequence[str], at: int) -> bool:
    return at < len(tokens) and is_name(tokens[at])


def order_in(texts: Iterable[str]) -> Order:
    """The order of what some texts list."""
    order = Order()
    for text in texts:
        for listing in listings(text):
            for first, second in pairwise(listing):
                order.after_one.setdefault(first, set()).add(second)
            for first, second, third in zip(listing, listing[1:], listing[2:], strict=False):
                order.after_two.setdefault((first, second), set()).add(third)
    return order


def names_before(begun: str) -> tuple[str | None, str | None]:
    """The names of the last two items that are separated by commas, in a line up to a place where the next begins."""
    items = [item.strip() for item in begun.rstrip(" \t\"'").split(",")]
    if len(items) < 2 or items.pop():
        return None, None
    last = [tokens_of(item) for item in items[-2:]]
    names = [next((token for token in reversed(tokens) if is_name(token)), None) for tokens in last]
    return (names[0], names[1]) if len(names) == 2 else (None, names[0])
